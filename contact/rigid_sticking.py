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

    None where nothing touched, a body is compliant or a point would pull; stalled if a contact
    slips or opens otherwise.
    """
    W, q = problem.operator, problem.offset
    assert isinstance(W, SoleDelassus)
    touched = status != ContactStatus.OPEN
    if not touched.any() or (W.compliances.position[W.body] >= 0).any():
        return None
    blocks = np.zeros((problem.contacts, 3, W.compliances.bodies, 6))
    blocks[np.arange(problem.contacts), :, W.body] = W.motions
    A = blocks.reshape(problem.contacts, 3, -1)
    V, root, z = _at_rest(A, q, touched)
    y = V @ (z / root)
    touching = np.abs(A[:, 2] @ y + q[:, 2]) <= AT_REST
    if not touching.any():
        return None
    if not np.array_equal(touching, touched):
        V, root, z = _at_rest(A, q, touching)
    try:
        shares = np.linalg.solve(root[:, None] * (V.T @ W.support @ V) * root, z)
    except np.linalg.LinAlgError:
        return None
    r = A @ (V @ (shares / root))
    r[~touching] = 0.0
    if r[:, 2].min() < -tolerance * float(np.abs(r).max()):
        return None
    return solution_of(problem, r, tolerance, "sticking")


def _at_rest(
    A: FloatArray, q: FloatArray, some: BoolArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return V, D^1/2 and -D^-1/2 V' A' q of the contacts `some`: y = V D^-1/2 of it is rest."""
    rows = A[some].reshape(-1, A.shape[2])
    D, V = np.linalg.eigh(rows.T @ rows)
    kept = D > RANK * D[-1]
    V, root = V[:, kept], np.sqrt(D[kept])
    return V, root, -(V.T @ (q[some].ravel() @ rows)) / root
