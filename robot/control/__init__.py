"""Controllers: what one is, plain PD along a plan, the stabiliser."""

from robot.control.controller import (
    Controller,
    Follower,
    Sensed,
    check_command,
    steps_per_call,
)
from robot.control.stabiliser import Stabiliser
from robot.control.yaw_law import YawGains, YawLaw

__all__ = [
    "Controller",
    "Follower",
    "Sensed",
    "Stabiliser",
    "YawGains",
    "YawLaw",
    "check_command",
    "steps_per_call",
]
