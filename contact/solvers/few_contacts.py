"""The short way of `solve` where a few contacts have a full matrix W: one compiled call.

Everything else about such a call, checks, objects and look-ups, would take longer than the sweeps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from contact.problem import DenseDelassus, Problem, Solution
from contact.solvers.few_contacts_kernels import FEW, ROOM, TOLD, solve_few_at_once
from contact.solvers.solved_sheet import SolvedSheet
from sole.base.arrays import FloatArray

new = object.__new__


def solve_few(problem: Problem, start: FloatArray | None, rule: FloatArray) -> Solution | None:
    """Return what a few sweeps find by a `sweep_rule`, if solved; None: take the general way."""
    W, q = problem.operator, problem.offset
    if type(W) is not DenseDelassus or not 0 < (count := len(q)) <= FEW:
        return None
    r = np.zeros(q.shape) if start is None else np.ascontiguousarray(start, dtype=float)
    if r.ndim != 2:
        return None
    sheet: Any = np.empty((ROOM * count + TOLD, 3))
    if not solve_few_at_once(W.matrix, q, problem.friction, r, rule, sheet):
        return None
    sheet.setflags(False)  # by name it would take twice as long
    made: SolvedSheet = new(SolvedSheet)
    values = made.__dict__  # what `trusted` does takes as long as two contacts
    values["problem"], values["sheet"], values["reactions"] = problem, sheet, sheet[:count]
    return made
