"""The recorder: stores data of every step and derives a run from them."""

from robot.recorder.recorder import Recorder

__all__ = [
    "Recorder",
]
