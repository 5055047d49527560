"""Sensors with noise and delay, and the estimate of the floating base."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from robot.sensing.estimator import Estimator
    from robot.sensing.noise import Noise
    from robot.sensing.pads import find_loaded_pads, pads_of
    from robot.sensing.sensors import Sensors, foot_wrenches, sum_wrenches
    from robot.sensing.step_senses import StepSenses, find_posture, without_objects
else:
    # Later: at once, commands that need no steps would import this, too.
    __getattr__ = load_later(globals())

__all__ = [
    "Estimator",
    "Noise",
    "Sensors",
    "StepSenses",
    "find_loaded_pads",
    "find_posture",
    "foot_wrenches",
    "pads_of",
    "sum_wrenches",
    "without_objects",
]
