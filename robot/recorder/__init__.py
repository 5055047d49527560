"""The recorder: stores data of every step and derives a run from them."""

from robot.recorder.balance_points import center_of_pressure, zero_moment_point
from robot.recorder.recorder import Recorder
from robot.recorder.recording_file import recording

__all__ = [
    "Recorder",
    "center_of_pressure",
    "recording",
    "zero_moment_point",
]
