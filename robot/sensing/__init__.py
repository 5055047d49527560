"""Sensors with noise and delay, and the estimate of the floating base."""

from robot.sensing.estimator import Estimator
from robot.sensing.noise import Noise
from robot.sensing.pads import Pads, pads_of
from robot.sensing.sensors import Sensors, foot_wrenches

__all__ = [
    "Estimator",
    "Noise",
    "Pads",
    "Sensors",
    "foot_wrenches",
    "pads_of",
]
