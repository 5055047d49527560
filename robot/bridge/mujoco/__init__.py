"""Condensed soles on the bodies of a MuJoCo model.

soles = attach(model, data, ["left_foot", "right_foot"], [pad, pad.mirrored()])
while data.time < 1.0:
    soles.step()
"""

from robot.bridge.mujoco.attaching import attach
from robot.bridge.mujoco.mujoco_soles import MujocoSoles

__all__ = ["MujocoSoles", "attach"]
