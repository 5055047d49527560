"""The short way of `solve` where a few contacts have a full matrix W: one compiled call.

Everything else about such a call, checks, objects and look-ups, would take longer than the sweeps.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from contact.problem import Certificate, DenseDelassus, Outcome, Problem, Solution
from contact.solvers.few_contacts_kernels import FEW, solve_few_at_once
from contact.solvers.gauss_seidel import GaussSeidel, generator_state
from sole.base.arrays import FloatArray, IntArray, sealed, trusted
from sole.base.made_later import MadeLater

METHOD = "gauss-seidel"
RESIDUALS = 5


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
    return trusted(FewSolution, problem=problem, sheet=sealed(sheet), sweeps=swept, generator=state)


class FewSolution(MadeLater, Solution):
    """A solution whose arrays and certificate are made when asked for.

    Attributes
    ----------
    sheet : what `solve_few_at_once` filled.
    """

    ordinary = Solution
    sheet: FloatArray
    outcome = Outcome.SOLVED
    method = METHOD

    @property
    def reactions(self) -> FloatArray:
        """See `Solution`, as for the others."""
        return self.sheet[: 3 * (len(self.sheet) // 7)].reshape(-1, 3)

    @property
    def velocity(self) -> FloatArray:  # noqa: D102
        count = len(self.sheet) // 7
        return self.sheet[3 * count : 6 * count].reshape(-1, 3)

    @property
    def status(self) -> IntArray:  # noqa: D102
        count = len(self.sheet) // 7
        return sealed(self.sheet[6 * count : 7 * count].astype(np.int64))

    @cached_property
    def certificate(self) -> Certificate:  # noqa: D102
        natural, signorini, cone, dual, power = self.sheet[-RESIDUALS:].tolist()
        return trusted(
            Certificate,
            natural_map=natural,
            signorini=signorini,
            cone=cone,
            dual_cone=dual,
            complementarity=power,
            finite=True,
        )
