"""The registered environments: walk, stand, be pushed."""

from __future__ import annotations

from dataclasses import replace

from robot.environments.randomisation import Randomisation
from robot.environments.sole_environment import SoleEnvironment
from robot.gait import Standing, Walking
from robot.online import PlanChoice
from robot.walk import Scenario, SoleChoice
from sole.base.checks import check_one_of

PAD = SoleChoice(young=3e6, poisson=0.4, size=0.04, element="p1")
WALK = Scenario(sole=PAD, gait=Walking(steps=4), plan=PlanChoice(kind="fixed"), settle=0.3)
STAND = replace(WALK, gait=Standing(), duration=3.0)

# name -> what all its episodes share, and what differs
TASKS: dict[str, tuple[Scenario, Randomisation]] = {
    "SoleWalk": (WALK, Randomisation(grounds=("plane", "drop", "rise"), height=(0.0, 0.01))),
    "SoleStand": (STAND, Randomisation(grounds=("plane", "slope"))),
    "SolePush": (STAND, Randomisation(push=(5.0, 20.0))),
}
"""The tasks by name: the scenario of each, and what an episode draws at random."""


def make_task(
    task: str,
    scenario: Scenario | None = None,
    randomisation: Randomisation | None = None,
    weights: dict[str, float] | None = None,
    render_mode: str | None = None,
) -> SoleEnvironment:
    """Return an environment of `TASKS`, with another scenario or randomisation if given.

    Raises
    ------
    ConfigError
        There is no such task.
    """
    check_one_of("environment: task", task, tuple(TASKS))
    own, differs = TASKS[task]
    return SoleEnvironment(
        own if scenario is None else scenario,
        differs if randomisation is None else randomisation,
        weights,
        render_mode,
    )
