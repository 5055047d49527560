"""Gymnasium environments of humanoids on compliant soles (extra `gym`).

    env = gymnasium.make("robot.environments:SoleWalk-v0")

`SoleWalk-v0` walks over ground that its plan does not know, `SoleStand-v0` stands on ground that
slopes, `SolePush-v0` stands while it is pushed.
"""

from sole.base.errors import SoleError

try:
    import gymnasium
except ImportError as error:
    raise SoleError("Gymnasium is not installed: pip install 'compliant-sole[gym]'") from error

from robot.environments.linear_residual import BASELINES, LinearResidual
from robot.environments.randomisation import Drawn, Randomisation
from robot.environments.sole_environment import SoleEnvironment
from robot.environments.tasks import TASKS, make_task

__all__ = [
    "BASELINES",
    "TASKS",
    "Drawn",
    "LinearResidual",
    "Randomisation",
    "SoleEnvironment",
    "make_task",
]

for _name in TASKS:
    gymnasium.register(
        id=f"{_name}-v0", entry_point="robot.environments.tasks:make_task", kwargs={"task": _name}
    )
