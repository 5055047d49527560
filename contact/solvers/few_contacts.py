"""The short way of `solve` where a few contacts have a full matrix W: one compiled call.

Everything else about such a call, checks, objects and look-ups, would take longer than the sweeps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from contact.problem import Certificate, DenseDelassus, Outcome, Problem, Solution
from contact.solvers.few_contacts_kernels import FEW, solve_few_at_once
from contact.solvers.gauss_seidel import GaussSeidel, generator_state
from sole.base.arrays import FloatArray, sealed, trusted

METHOD = "gauss-seidel"


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
    call: Any = solve_few_at_once
    usual, told, status, r, u, swept, state = call(W.matrix, q, problem.friction, r, *sweeps, steep)
    natural, signorini, cone, dual, power = told
    if not (usual and natural <= tolerance and signorini <= tolerance and cone <= tolerance):
        return None
    return trusted(
        Solution,
        problem=problem,
        reactions=sealed(r),
        velocity=sealed(u),
        status=sealed(status),
        outcome=Outcome.SOLVED,
        certificate=trusted(
            Certificate,
            natural_map=natural,
            signorini=signorini,
            cone=cone,
            dual_cone=dual,
            complementarity=power,
            finite=True,
        ),
        method=METHOD,
        sweeps=swept,
        generator=state,
    )
