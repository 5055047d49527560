"""Closed form of a step of rigid bodies in which every point that touches sticks.

Then u = A y + q for the twists y = S A' r of the bodies, A = P G, and u = 0 at the points that
touched in the last step determines y; further points that it leaves at rest touch as well. The
forces r are not determined where a body has more points than it needs: of all that give y the
smallest are taken, those of equal springs under all touching points. With A'A = V D V' for these
points (of its range only),

    r = A V D^-1/2 z,    z = -(D^1/2 V' S V D^1/2)^-1 D^-1/2 V' A' q.

Whether that is an answer, inside all cones and without pulling, the certificate tells. Points
stand still to round-off here; Gauss-Seidel leaves them the velocities that its tolerance allows,
so that a standing foot would creep.
"""

from __future__ import annotations

import numpy as np

from contact.problem import Problem
from contact.sole_delassus import SoleDelassus
from contact.solution import ContactStatus, Solution, solution_of
from sole.arrays import BoolArray, FloatArray, IntArray

RANK = 1e-10  # of the largest eigenvalue of A'A: less is no motion of the points
AT_REST = 1e-9  # m/s: normal velocity of a point that touches


def rigidly_stuck(problem: Problem, status: IntArray, tolerance: float) -> Solution | None:
    """Solve for all points that touch at rest; `status` (K,) is that of the last step.

    None where nothing touched or a body is compliant; stalled if some contact slips or opens.
    """
    W, q = problem.operator, problem.offset
    assert isinstance(W, SoleDelassus)
    touched = status != ContactStatus.OPEN
    if not touched.any() or (W.compliances.position[W.body] >= 0).any():
        return None
    blocks = np.zeros((problem.contacts, 3, W.compliances.bodies, 6))
    blocks[np.arange(problem.contacts), :, W.body] = W.motions
    A = blocks.reshape(problem.contacts, 3, -1)
    V, root = _range(A, touched)
    y = -V @ (_reduced(A, q, touched, V, root) / root)
    touching = np.abs(A[:, 2] @ y + q[:, 2]) <= AT_REST
    if not touching.any():
        return None
    V, root = _range(A, touching)
    coupled = root[:, None] * (V.T @ W.support @ V) * root
    try:
        z = -np.linalg.solve(coupled, _reduced(A, q, touching, V, root))
    except np.linalg.LinAlgError:
        return None
    r = A @ (V @ (z / root))
    r[~touching] = 0.0
    return solution_of(problem, r, tolerance, "sticking")


def _range(A: FloatArray, some: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return V and D^1/2 of the contacts `some`."""
    rows = A[some].reshape(-1, A.shape[2])
    D, V = np.linalg.eigh(rows.T @ rows)
    kept = D > RANK * D[-1]
    return V[:, kept], np.sqrt(D[kept])


def _reduced(
    A: FloatArray, q: FloatArray, some: BoolArray, V: FloatArray, root: FloatArray
) -> FloatArray:
    """Return D^-1/2 V' A' q of the contacts `some`."""
    pulled = A[some].reshape(-1, A.shape[2]).T @ q[some].ravel()
    return np.asarray(V.T @ pulled / root)
