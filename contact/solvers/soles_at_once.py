"""The short way of `solve` for soles on feet: one compiled call from the problem to the forces.

Set-up, look-ups and objects of the general way would take as long as half of the sweeps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from contact.problem import Outcome, Problem, SoleDelassus
from contact.solvers.few_contacts import FewRule
from contact.solvers.few_contacts_kernels import RESIDUALS
from contact.solvers.soles_at_once_kernels import solve_soles_at_once
from contact.solvers.solved_sheet import SolvedSheet
from sole.base.arrays import FloatArray, sealed, trusted


def solve_soles_quickly(
    problem: Problem, start: FloatArray | None, sweeps: FewRule, tolerance: float, steep: float
) -> SolvedSheet | None:
    """Return what `sweeps` find, solved or not; None: take the general way.

    `steep` : friction above it is not for this way.
    """
    W, q = problem.operator, problem.offset
    if type(W) is not SoleDelassus or not len(q):
        return None
    r = np.zeros_like(q) if start is None else np.ascontiguousarray(start, dtype=float)
    if r.shape != q.shape:
        return None
    C = W.compliances
    sheet = np.empty(7 * len(q) + RESIDUALS + 3 * C.nodes)
    call: Any = solve_soles_at_once
    rule, state = sweeps
    usual, solved, swept, state = call(
        (C.flat, C.single, C.first, C.position, C.diagonal, C.body),
        (W.scale, W.node, W.frames, W.geometry, W.support),
        q, problem.friction, r, rule, state, steep, tolerance, sheet,
    )  # fmt: skip
    if not usual:
        return None
    return trusted(
        SolvedSheet,
        problem=problem,
        sheet=sealed(sheet),
        outcome=Outcome.SOLVED if solved else Outcome.STALLED,
        sweeps=swept,
        generator=state,
    )
