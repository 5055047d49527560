"""A slow, obviously right solver for tests: extragradient on De Saxce's projection.

    v(r) = u + mu |u_t| n,   u = W r + q,
    s = P_K(r - rho v(r)),   r <- P_K(r - rho v(s)),

[Korpelevich1976], with rho shortened until rho |v(r) - v(s)| <= 0.9 |r - s|, started from twice
the inverse of the largest singular value of W. A fixed point solves the problem, by the law in
its definition [DeSaxceFeng1998]. Matrices and numpy only; nothing is shared with the other
solvers but the projection.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from contact import coulomb as cone
from contact.problem import Problem, Solution, solution_of
from sole.base.arrays import FloatArray

CONTRACTION = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceSolver:
    """Options: `tolerance` as in `contact.problem.certify`, at most `max_iterations`."""

    tolerance: float = 1e-13
    max_iterations: int = 200_000

    def solve(self, problem: Problem, start: FloatArray | None = None) -> Solution:
        """Solve `problem`; the last iterate comes back whether or not it converged."""
        r = np.zeros_like(problem.offset)
        if start is not None:
            r = cone.project(start, problem.friction)
        W, q, mu = problem.operator.dense(), problem.offset, problem.friction
        largest = float(np.linalg.norm(W, 2)) if len(W) else 0.0
        rho = 2.0 / largest if largest > 0 else 1.0
        scale = problem.rho * float(np.linalg.norm(q))
        n = 0
        for n in range(self.max_iterations):  # noqa: B007
            u = (W @ r.ravel()).reshape(-1, 3) + q
            if _residual(r, u, mu, problem.rho) <= 0.5 * self.tolerance * scale:
                break
            v = cone.de_saxce(u, mu)
            while True:
                s = cone.project(r - rho * v, mu)
                w = cone.de_saxce((W @ s.ravel()).reshape(-1, 3) + q, mu)
                change, moved = float(np.linalg.norm(v - w)), float(np.linalg.norm(r - s))
                if rho * change <= CONTRACTION * moved:
                    break
                rho *= 0.7
            r = cone.project(r - rho * w, mu)
            if rho * change < 0.3 * moved:
                rho *= 1.5
        return solution_of(problem, r, self.tolerance, "reference", sweeps=n)


def _residual(r: FloatArray, u: FloatArray, mu: FloatArray, rho: float) -> float:
    """Return the larger of natural map and Signorini's law over all contacts [N]."""
    return float(np.linalg.norm(cone.residual(r, u, mu, rho)))
