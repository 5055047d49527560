"""The short way of `solve` for soles on feet: one compiled call from the problem to the forces.

Set-up, look-ups and objects of the general way would take as long as half of the sweeps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from contact.problem import Outcome, Problem, SoleDelassus
from contact.solvers.few_contacts_kernels import TOLD
from contact.solvers.soles_at_once_kernels import solve_soles_at_once
from contact.solvers.solved_sheet import SoleSheet
from sole.base.arrays import FloatArray, sealed, trusted


def solve_soles_quickly(
    problem: Problem, start: FloatArray | None, rule: FloatArray
) -> SoleSheet | None:
    """Return what sweeps find by a `sweep_rule`, solved or not; None: take the general way."""
    W, q = problem.operator, problem.offset
    if type(W) is not SoleDelassus or not (count := len(q)):
        return None
    r = np.zeros(q.shape) if start is None else np.ascontiguousarray(start, dtype=float)
    if r.shape != q.shape:
        return None
    C = W.compliances
    sheet = np.empty((2 * count + (count + 2) // 3 + TOLD + C.nodes, 3))
    call: Any = solve_soles_at_once
    usual, solved = call(
        (C.flat, C.first, C.position, C.diagonal, C.body),
        (W.scale, W.node, W.frames, W.geometry, W.support),
        q, problem.friction, r, rule, sheet,
    )  # fmt: skip
    if not usual:
        return None
    outcome = Outcome.SOLVED if solved else Outcome.STALLED
    r = sealed(sheet)[:count]
    return trusted(SoleSheet, problem=problem, sheet=sheet, reactions=r, outcome=outcome)
