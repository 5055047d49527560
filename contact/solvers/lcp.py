"""Coulomb's cone replaced by a pyramid: the linear complementarity problem of rigid-body engines.

    r = r_n n + D beta,   D = (d_1 .. d_p), d_j = s (cos 2 pi j/p, sin 2 pi j/p),
    0 <= u_n              orthogonal to r_n >= 0,
    0 <= D'u_t + e lambda orthogonal to beta >= 0,
    0 <= mu r_n - e'beta  orthogonal to lambda >= 0

([StewartTrinkle1996], [AnitescuPotra1997]) for u = W r + q, hence w = M z + b >= 0, z >= 0,
w'z = 0 with K (p + 2) unknowns z = (r_n, beta, lambda). z'M z = r'W r + mu'(r_n lambda) >= 0:
M is copositive for every positive semi-definite W, symmetric or not, and Lemke's method finds a
solution whenever q is non-negative on the self-stresses (W definite: always).

The cost of a pyramid of p facets: a sliding force points along one of the d_j, up to pi/p beside
the direction opposed to the sliding (first order in 1/p), and dissipates 1 - cos(pi/p) too
little at most (second order). inner: s = 1, the base is inscribed in the disc, no force leaves
the cone; outer: s = 1/cos(pi/p), circumscribed, forces exceed mu r_n by up to that factor.

It is here to test the claim of [ChardonnetEtAl] that Gauss-Seidel with the exact cone is faster
and more precise; it is not a solver to use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from contact.problem import Problem, Solution, solution_of
from contact.solvers.lemke import Complementarity, complementarity_error, lemke
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError
from sole.base.memory import require_memory

Pyramid = Literal["inner", "outer"]


@dataclass(frozen=True, eq=False, kw_only=True)
class LinearProblem:
    """w = M z + b in dimensionless z and w, and the forces of z.

    Parameters
    ----------
    M, b : (n, n) and (n,), n = K (p + 2); unknowns r_n (K), beta (K p), lambda (K).
    directions : D (2, p).
    force : [force] of one unit of r_n or beta: rho |q|_max; W and q are scaled with it.
    """

    M: FloatArray
    b: FloatArray
    directions: FloatArray
    force: float

    def reactions(self, z: FloatArray) -> FloatArray:
        """r (K, 3) of unknowns z (n,)."""
        p = self.directions.shape[1]
        K = len(z) // (p + 2)
        beta = z[K : K + K * p].reshape(K, p)
        return self.force * np.column_stack([beta @ self.directions.T, z[:K]])


@dataclass(frozen=True, eq=False, kw_only=True)
class PolyhedralSolution:
    """A solution certified with the exact cone, and the figures of the pivoting.

    Parameters
    ----------
    solution : certified against the exact cone, so that the error of the pyramid shows.
    complementarity : z, pivots, ending.
    error : |min(z, w)| of the linear problem, relative: the error of the pivoting alone.
    """

    solution: Solution
    complementarity: Complementarity
    error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PolyhedralLcp:
    """Lemke's method on the polyhedral problem, and its options.

    Parameters
    ----------
    facets : p >= 3; 4, 8, 16 are usual. The first direction is t1.
    pyramid : "inner" (inscribed) or "outer" (circumscribed).
    tolerance : of the exact cone's natural map, which a pyramid seldom meets.
    max_pivots : 50 per unknown if not given.
    """

    facets: int = 8
    pyramid: Pyramid = "inner"
    tolerance: float = 1e-8
    max_pivots: int | None = None

    def __post_init__(self) -> None:
        if self.facets < 3:
            raise SoleError(f"a pyramid has at least 3 facets, got {self.facets}")
        if self.pyramid not in ("inner", "outer"):
            raise SoleError(f'pyramid is "inner" or "outer", got "{self.pyramid}"')

    def solve(self, problem: Problem, start: FloatArray | None = None) -> Solution:
        """Solve `problem` from scratch; pivoting ignores `start`."""
        return self.pivot(problem).solution

    def pivot(self, problem: Problem) -> PolyhedralSolution:
        """Solve, and separate the error of the pivoting from that of the pyramid.

        On a ray or at the limit of pivots the outcome is STALLED, with the last iterate.
        """
        linear = self.linear(problem)
        found = lemke(linear.M, linear.b, self.max_pivots)
        solution = solution_of(
            problem,
            linear.reactions(found.z),
            self.tolerance,
            f"polyhedral LCP, {self.facets} facets",
            pivots=found.pivots,
        )
        error = complementarity_error(linear.M, linear.b, found.z)
        return PolyhedralSolution(solution=solution, complementarity=found, error=error)

    def linear(self, problem: Problem) -> LinearProblem:
        """Return the linear complementarity problem of `problem`, W scaled to mean W_ii = 1."""
        K, p = problem.contacts, self.facets
        size = K * (p + 2)
        require_memory(3 * 8 * size**2, f"an LCP of {size} unknowns")
        angle = 2 * np.pi * np.arange(p) / p
        length = 1.0 if self.pyramid == "inner" else 1.0 / np.cos(np.pi / p)
        D = length * np.stack([np.cos(angle), np.sin(angle)])
        scale = float(np.abs(problem.offset).max(initial=0.0)) or 1.0
        W = problem.operator.dense().reshape(K, 3, K, 3) * problem.rho
        q = problem.offset / scale
        # Columns of forces: r_n of every contact, then beta contact by contact.
        W_t = np.einsum("kalb,bj->kalj", W[..., :2], D)  # K, 3, K, p
        n, N = slice(0, K), slice(K, K + K * p)
        L = slice(K + K * p, size)
        M = np.zeros((size, size))
        M[n, n] = W[:, 2, :, 2]
        M[n, N] = W_t[:, 2].reshape(K, K * p)
        M[N, n] = np.einsum("aj,kal->kjl", D, W[:, :2, :, 2]).reshape(K * p, K)
        M[N, N] = np.einsum("aj,kali->kjli", D, W_t[:, :2]).reshape(K * p, K * p)
        M[N, L] = np.kron(np.eye(K), np.ones((p, 1)))
        M[L, n] = np.diag(problem.friction)
        M[L, N] = -M[N, L].T
        b = np.concatenate([q[:, 2], (q[:, :2] @ D).ravel(), np.zeros(K)])
        return LinearProblem(M=M, b=b, directions=D, force=problem.rho * scale)
