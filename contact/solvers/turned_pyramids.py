"""Pyramids turned at random, and Newton steps from their solutions to the cone.

With W scaled to unit diagonal blocks, p directions d_kj per contact k, unknowns y_n, beta, lambda:

    0 <= u_n                         orthogonal to  y_n >= 0,
    0 <= d_kj . u_t + lambda_k       orthogonal to  beta_kj >= 0,
    0 <= mu y_n + c_k - sum_j beta   orthogonal to  lambda_k >= 0,

the linear complementarity problem of `contact.solvers.lcp` with a trace of cohesion c_k, without
which Lemke's method would go round in ties: all mu y_n - sum beta are zero at its start. For a
definite W it ends with a solution whatever the conditioning and the friction [StewartTrinkle1996],
while the iterations for the cone creep around points that are nearly solutions. Its contacts mostly
stick, slip and lift where those of a solution with the cone do, and the slip is less than pi/p
beside; Newton's method does the rest. Where it does not, other directions lead elsewhere: every
third try turns every contact by an angle of its own and takes another p; the two between them put
their directions close to those of the forces of the last one.

It costs more than all others: K (p + 2) unknowns, several pivots for each, (K (p + 2))^2 operations
per pivot. So it is for few contacts, and comes late.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
import scipy.linalg

from contact.problem import Problem, Solution, certify, solution_of
from contact.solvers.block_system import DenseBlocks, PenalisedBlocks
from contact.solvers.lemke import Ending, lemke
from contact.solvers.newton import NewtonSolver
from contact.solvers.proximal_newton import NormalisedProblem
from contact.solvers.solver_work import pivot_work
from sole.base.arrays import FloatArray

FACETS = (8, 6, 12, 5)
FINER = 3  # every third pyramid is new, the others refine the one before
CLOSER = 4.0  # so much is the angle between directions then smaller
QUARTERS = np.array([-0.5, 0.5, 1.0])
LARGEST = 1000  # unknowns
DEFINITE = 1e-13  # smallest eigenvalue / largest diagonal entry
COHESION = 1e-6  # of the largest offset
PIVOTS = 20  # per unknown
STEPS = 30  # of Newton's method from every pyramid; as many with proximal points
WORK = 2e10  # of all pivots, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnedPyramids:
    """Lemke's method on turned pyramids, Newton's from there, and their options.

    Parameters
    ----------
    tolerance : natural map divided by rho |q|, as in `contact.problem.certify`.
    tries : pyramids at most.
    seed : of the directions; same seed, same bits.
    max_work : no try is begun after this much work, see `contact.solvers.solver_work`.
    """

    tolerance: float = 1e-8
    tries: int = 24
    seed: int = 1
    max_work: float = inf

    def fits(self, problem: Problem) -> bool:
        """Return whether `problem` is small enough for any try."""
        return 0 < problem.contacts * (min(FACETS) + 2) <= LARGEST

    def suits(self, problem: Problem) -> bool:
        """Return whether `problem` fits and W is definite, so that every try ends with forces."""
        if not self.fits(problem):
            return False
        W = problem.operator.dense()
        shifted = (W + W.T) / 2 - DEFINITE * float(np.diagonal(W).max()) * np.eye(len(W))
        return bool(scipy.linalg.lapack.dpotrf(shifted, lower=1)[1] == 0)

    def solve(self, problem: Problem, start: FloatArray | None = None) -> Solution:
        """Solve `problem`; `start` (K, 3) is returned if no try is better."""
        best, least = np.zeros_like(problem.offset), inf
        if start is not None:
            best, least = problem.forces(start), certify(problem, problem.forces(start)).error
        plain = NormalisedProblem.of(problem)
        random = np.random.default_rng([self.seed, problem.contacts])
        newton = NewtonSolver(
            tolerance=self.tolerance, sweeps=0, plain=STEPS, max_steps=2 * STEPS, faithful=True
        )
        pivots = steps = sweeps = 0
        limit, one = min(WORK, self.max_work), pivot_work(problem)
        K, near, gap = len(plain.contacts), None, 0.0
        for attempt in range(self.tries if K else 0):
            left = limit - pivots * one
            if left <= 0:
                break
            if near is None or attempt % FINER == 0:
                p = FACETS[attempt % len(FACETS)]
                gap = 2 * np.pi / p
                angle = random.uniform(0, 2 * np.pi, (K, 1)) + gap * np.arange(p)
            else:  # around the forces of the last pyramid
                gap /= CLOSER
                angle = near + np.concatenate([gap * np.arange(-2, 3), np.pi * QUARTERS])
            size, cohesion = K * (angle.shape[1] + 2), COHESION * random.uniform(0.5, 1.0, K)
            if size > LARGEST:
                continue
            most = int(min(PIVOTS * size, 1 + left / max(size**2, one)))
            with np.errstate(all="ignore"):
                y, count = _pivot(plain, angle, cohesion, most)
            pivots += count
            if y is None:
                near = None
                continue
            near = np.arctan2(y[:, 1], y[:, 0])[:, None]
            found = newton.solve(problem, plain.reactions(y))
            steps, sweeps = steps + found.newton, sweeps + found.sweeps
            if found.certificate.error < least:
                best, least = found.reactions, found.certificate.error
            if least <= self.tolerance:
                break
        return solution_of(
            problem, best, self.tolerance, "pyramids", sweeps=sweeps, newton=steps, pivots=pivots
        )


def _pivot(
    plain: NormalisedProblem, angle: FloatArray, cohesion: FloatArray, most: int
) -> tuple[FloatArray | None, int]:
    """Return y (K, 3) of pyramids with directions at `angle` (K, p), and the pivots.

    None on a ray or after `most` pivots.
    """
    blocks = plain.blocks
    assert not isinstance(blocks, PenalisedBlocks)
    matrix = blocks.matrix if isinstance(blocks, DenseBlocks) else blocks.matrix.toarray()
    scale = float(np.abs(plain.offset).max()) or 1.0
    K, p = angle.shape
    size, W, q = K * (p + 2), matrix.reshape(K, 3, K, 3), plain.offset / scale
    D = np.stack([np.cos(angle), np.sin(angle)], axis=1)  # (K, 2, p)
    n, b, l = slice(0, K), slice(K, K + K * p), slice(K + K * p, size)
    W_t = np.einsum("kalb,lbj->kalj", W[..., :2], D)  # forces along the directions
    M = np.zeros((size, size))
    M[n, n] = W[:, 2, :, 2]
    M[n, b] = W_t[:, 2].reshape(K, K * p)
    M[b, n] = np.einsum("kaj,kal->kjl", D, W[:, :2, :, 2]).reshape(K * p, K)
    M[b, b] = np.einsum("kaj,kali->kjli", D, W_t[:, :2]).reshape(K * p, K * p)
    M[b, l] = np.kron(np.eye(K), np.ones((p, 1)))
    M[l, n] = np.diag(plain.friction)
    M[l, b] = -M[b, l].T
    along = np.einsum("kaj,ka->kj", D, q[:, :2])
    found = lemke(M, np.concatenate([q[:, 2], along.ravel(), cohesion]), most)
    if found.ending is not Ending.SOLVED:
        return None, found.pivots
    beta = found.z[b].reshape(K, p)
    y = np.column_stack([np.einsum("kaj,kj->ka", D, beta), found.z[n]])
    return scale * y, found.pivots
