"""One implicit time step of feet on compliant soles, with an account of its energy."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from contact.step.affine_step import AffineStep, StuckBegin
    from contact.step.affine_step_kernels import SAME, is_due, step_stuck_soles
    from contact.step.bodies import Bodies, Body
    from contact.step.buffer_result import BufferSoleState, BufferStepResult
    from contact.step.compliant_step import CompliantStep, ContactStep
    from contact.step.end_kernels import sum_contact_work, sum_nodal_forces
    from contact.step.energy import StepEnergy
    from contact.step.look_ahead_kernels import LookArrays, look_ahead, look_below
    from contact.step.options import StepOptions
    from contact.step.several_grounds import SeveralGrounds
    from contact.step.sole_state import SLOTS, SoleState, StickMemory
    from contact.step.step_arrays import ContactArrays, NearArrays, StepMotion
    from contact.step.step_frame import StepFrame, look_at_ground
    from contact.step.step_results import ContactLaws, StepResult
    from contact.step.stuck_arrays import (
        LOST,
        RESIDUAL,
        STORED,
        all_wrenches_in,
        forces_in,
        least_gaps_in,
        open_sheet,
        wrenches_in,
    )
    from contact.step.stuck_details import StuckStart, stuck_origin
    from contact.step.swept_arrays import open_counts, open_details
    from contact.step.swept_solve_kernels import DONE
    from contact.step.swept_step_kernels import step_swept_soles
else:
    # Later: at once, `sole info PRESS` would import 44 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "DONE",
    "LOST",
    "RESIDUAL",
    "SAME",
    "SLOTS",
    "STORED",
    "AffineStep",
    "Bodies",
    "Body",
    "BufferSoleState",
    "BufferStepResult",
    "CompliantStep",
    "ContactArrays",
    "ContactLaws",
    "ContactStep",
    "LookArrays",
    "NearArrays",
    "SeveralGrounds",
    "SoleState",
    "StepEnergy",
    "StepFrame",
    "StepMotion",
    "StepOptions",
    "StepResult",
    "StickMemory",
    "StuckBegin",
    "StuckStart",
    "all_wrenches_in",
    "forces_in",
    "is_due",
    "least_gaps_in",
    "look_ahead",
    "look_at_ground",
    "look_below",
    "open_counts",
    "open_details",
    "open_sheet",
    "step_stuck_soles",
    "step_swept_soles",
    "stuck_origin",
    "sum_contact_work",
    "sum_nodal_forces",
    "wrenches_in",
]
