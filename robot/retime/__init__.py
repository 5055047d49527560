"""Motions retimed to the limit of the wrench cone, and whether a motion's torques exist at all."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from robot.retime.path_coefficients import PathDynamics, path_dynamics, wrench_in
    from robot.retime.retime_choice import ConeChoice, DriveLimits, RetimeChoice
    from robot.retime.retimed_gait import RetimedGait, retime_gait
    from robot.retime.retiming import KEPT, DenseCheck, Retiming, retime
    from robot.retime.sole_surface import SoleRetiming, retime_on_soles, surface_margins
    from robot.retime.torque_program import Stability, motion_stability, weak_stability
else:
    # Later: at once, `sole walk MISSPELT` would import 52 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "KEPT",
    "ConeChoice",
    "DenseCheck",
    "DriveLimits",
    "PathDynamics",
    "RetimeChoice",
    "RetimedGait",
    "Retiming",
    "SoleRetiming",
    "Stability",
    "motion_stability",
    "path_dynamics",
    "retime",
    "retime_gait",
    "retime_on_soles",
    "surface_margins",
    "weak_stability",
    "wrench_in",
]
