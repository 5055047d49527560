"""Controllers: what one is, plain PD, the stabiliser, force control, sole-aware control."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from robot.control.contact_model import point_springs, springs_U
    from robot.control.controller import (
        LARGEST_COMMAND,
        Controller,
        Follower,
        Sensed,
        check_command,
        is_within,
        steps_per_call,
    )
    from robot.control.force_choice import ForceChoice
    from robot.control.force_control import ForceControl
    from robot.control.plan_table import fill_rows
    from robot.control.residual_control import ResidualControl
    from robot.control.sole_aware import SoleAware
    from robot.control.sole_aware_choice import SoleAwareChoice
    from robot.control.stabiliser import Stabiliser
    from robot.control.stabiliser_kernels import stabilise_centre
    from robot.control.yaw_law import YawGains, YawLaw
else:
    # Later: at once, `sole walk MISSPELT` would import 269 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "LARGEST_COMMAND",
    "Controller",
    "Follower",
    "ForceChoice",
    "ForceControl",
    "ResidualControl",
    "Sensed",
    "SoleAware",
    "SoleAwareChoice",
    "Stabiliser",
    "YawGains",
    "YawLaw",
    "check_command",
    "fill_rows",
    "is_within",
    "point_springs",
    "springs_U",
    "stabilise_centre",
    "steps_per_call",
]
