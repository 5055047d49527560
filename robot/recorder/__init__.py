"""The recorder: stores data of every step and derives a run from them."""

from robot.recorder.balance_points import center_of_pressure, zero_moment_point
from robot.recorder.recorder import Recorder

__all__ = [
    "Recorder",
    "center_of_pressure",
    "zero_moment_point",
]
