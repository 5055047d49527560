"""The quadratic program of a tick, solved by daqp, a dual active-set method.

A program without a solution gives None; the caller goes on with its last command.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from robot.control.whole_body_kernels import Program
from sole.base.arrays import FloatArray
from sole.base.extras import require_extra


def quadratic_solver() -> Any:
    """Return the function `daqp.solve`.

    Raises
    ------
    SoleError
        The package is not installed; the message says how to install it.
    """
    require_extra("control", "sole-aware control")
    import daqp

    return daqp.solve


def solve_program(solve: Any, program: Program) -> FloatArray | None:
    """Return x (nx,); None if there is none, or if the program is not finite."""
    sense = np.zeros(len(program.upper), np.int32)
    try:
        x, _, answer, _ = solve(
            program.H, program.f, program.A, program.upper, program.lower, sense
        )
    except ValueError:
        return None
    return x if answer > 0 and np.isfinite(x).all() else None
