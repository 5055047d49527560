"""Condensed soles on the bodies of a MuJoCo model.

soles = attach(model, data, ["left_foot", "right_foot"], [pad, pad.mirrored()])
while data.time < 1.0:
    soles.step()
"""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from robot.bridge.mujoco.attaching import attach
    from robot.bridge.mujoco.mujoco_soles import MujocoSoles
else:
    __getattr__ = load_later(globals())

__all__ = ["MujocoSoles", "attach"]
