"""Sensors with noise and delay, and the estimate of the floating base."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from robot.sensing.estimator import Estimator
    from robot.sensing.noise import Noise
    from robot.sensing.pads import Pads, pads_of
    from robot.sensing.sensors import Sensors, foot_wrenches
    from robot.sensing.sheet_senses import find_posture, sense_sheets
else:
    # Later: at once, `sole walk MISSPELT` would import 256 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "Estimator",
    "Noise",
    "Pads",
    "Sensors",
    "find_posture",
    "foot_wrenches",
    "pads_of",
    "sense_sheets",
]
