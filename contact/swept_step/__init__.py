"""Fast forms of the contact step: each one compiled call, asked before the general way.

`AffineStep` where all touching nodes stick, `SweptStep` where nodes slide, land or leave.
"""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from contact.swept_step.affine_step import AffineStep, StuckBegin
    from contact.swept_step.affine_step_kernels import (
        LookArrays,
        is_due,
        look_ahead,
        look_below,
        step_stuck_soles,
    )
    from contact.swept_step.buffer_arrays import (
        LOST,
        RESIDUAL,
        STORED,
        least_gaps_in,
        open_counts,
        open_details,
        open_sheet,
        wrenches_in,
    )
    from contact.swept_step.buffer_result import BufferSoleState, BufferStepResult
    from contact.swept_step.stuck_details import StuckStart
    from contact.swept_step.swept_solve_kernels import DONE
    from contact.swept_step.swept_step import SweptStep
    from contact.swept_step.swept_step_kernels import step_swept_soles
    from contact.swept_step.ways import FAST_WAYS, fast_step, ways_of
else:
    # Later: at once, commands that need no steps would import this, too.
    __getattr__ = load_later(globals())

__all__ = [
    "DONE",
    "FAST_WAYS",
    "LOST",
    "RESIDUAL",
    "STORED",
    "AffineStep",
    "BufferSoleState",
    "BufferStepResult",
    "LookArrays",
    "StuckBegin",
    "StuckStart",
    "SweptStep",
    "fast_step",
    "is_due",
    "least_gaps_in",
    "look_ahead",
    "look_below",
    "open_counts",
    "open_details",
    "open_sheet",
    "step_stuck_soles",
    "step_swept_soles",
    "ways_of",
    "wrenches_in",
]
