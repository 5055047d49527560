"""The short way of `solve` where a few contacts have a full matrix W: one compiled call.

Everything else about such a call, checks, objects and look-ups, would take longer than the sweeps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from contact.problem import DenseDelassus, Outcome, Problem, Solution
from contact.solvers.few_contacts_kernels import FEW, RESIDUALS, solve_few_at_once
from contact.solvers.gauss_seidel import GaussSeidel, generator_state
from contact.solvers.solved_sheet import SolvedSheet
from sole.base.arrays import FloatArray, sealed, trusted


class FewRule(NamedTuple):
    """How to sweep: relaxation, wait, most sweeps and tolerance of a `GaussSeidel`; its seed."""

    rule: tuple[float, float, int, float]
    state: int

    @classmethod
    def of(cls, sweeps: GaussSeidel) -> FewRule:
        """Return the rule of a solver."""
        s = sweeps
        rule = s.relaxation, s.wait, s.max_sweeps, s.tolerance
        return cls(rule, generator_state(s.seed))


def solve_few(
    problem: Problem, start: FloatArray | None, sweeps: FewRule, tolerance: float, steep: float
) -> Solution | None:
    """Return what a few `sweeps` find, where it meets the tolerance; None: take the general way.

    `steep` : friction above it is not for this way.
    """
    W, q = problem.operator, problem.offset
    if type(W) is not DenseDelassus or not 0 < len(q) <= FEW:
        return None
    r = np.zeros_like(q) if start is None else np.ascontiguousarray(start, dtype=float)
    if r.shape != q.shape:
        return None
    sheet = np.empty(7 * len(q) + RESIDUALS)
    call: Any = solve_few_at_once
    rule, state = sweeps
    solved, swept, state = call(
        W.matrix, q, problem.friction, r, rule, state, steep, tolerance, sheet
    )
    if not solved:
        return None
    return trusted(
        SolvedSheet,
        problem=problem,
        sheet=sealed(sheet),
        outcome=Outcome.SOLVED,
        sweeps=swept,
        generator=state,
    )
