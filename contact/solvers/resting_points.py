"""Touching points of rigid bodies at rest, solved together with soles that stick.

Points at rest obey u = A y + q = 0 with A = P G. Their forces r are not determined where a body
has more points than it needs: of all that give y the smallest are taken, those of equal springs
under all touching points. With A'A = V D V' for these points (of its range only), E = V D^1/2 and
X = V D^-1/2,

    E'y = z = -X'A'q,    r = A X Z,    y = S (w + E Z),

w the wrenches of the soles. They join in Newton's step of `contact.solvers.sticking`:

    (1 + S N0 / scale) D - S E Z = S A'r - y,    E'(y + D) = z.

Without soles Z = (E'S E)^-1 z. Points stand still to round-off here; Gauss-Seidel leaves them the
velocities that its tolerance allows, and a standing foot would creep.
"""

from __future__ import annotations

import numpy as np

from contact.problem import Problem, SoleDelassus, Solution
from contact.solvers.resting_points_kernels import RestArrays, sum_rigid_moments
from contact.solvers.sticking import StickFactor
from sole.base.arrays import BoolArray, FloatArray

RANK = 1e-10  # of the largest eigenvalue of A'A of a body; a smaller one moves no point
ROUNDS = 6  # guesses of the rigid points that carry
AT_REST = 1e-9  # m/s: normal velocity of a rigid point that touches


def rest_of_contacts(W: SoleDelassus, q: FloatArray, touching: BoolArray) -> RestArrays:
    """Return the arrays of contacts `touching` (K,) at rest, all on rigid bodies; q (K, 3)."""
    bodies, contact = W.compliances.bodies, np.flatnonzero(touching)
    squares, moments = sum_rigid_moments(contact, W.body, W.motions, q, bodies)
    D, V = np.linalg.eigh(squares)
    kept = D > RANK * D[:, -1:]
    blocks, b = np.zeros((bodies, 6, bodies, 6)), np.arange(bodies)
    blocks[b, :, b] = V * np.sqrt(np.where(kept, D, 0.0))[:, None]
    E = blocks.reshape(6 * bodies, -1)[:, kept.ravel()]
    X = E / D[kept]
    return RestArrays(contact, E, X, -(moments @ X))


def solve_at_rest(
    factor: StickFactor,
    problem: Problem,
    touched: BoolArray,
    tolerance: float,
    start: FloatArray | None = None,
) -> Solution | None:
    """Solve for soles that stick and rigid points at rest: those that `touched` (K,), and others.

    Points that the answer leaves at rest are added; those that would pull are removed, as a body
    stands on fewer just as well. None if this does not end; stalled as
    `StickFactor.solve`.
    """
    W, touching, released = problem.operator, touched, np.zeros_like(touched)
    assert isinstance(W, SoleDelassus)
    rigid = W.compliances.position[W.body] < 0
    for _ in range(ROUNDS):
        if not touching.any():
            return None
        found = factor.solve(
            problem, tolerance, start, rest_of_contacts(W, problem.offset, touching)
        )
        force, speed = found.reactions[:, 2], found.velocity[:, 2]
        pulling = touching & (force < -tolerance * float(np.abs(force).max()))
        resting = rigid & ~touching & ~released & (np.abs(speed) <= AT_REST)
        if pulling.any():
            released = released | pulling
            touching = touching & ~pulling
        elif resting.any():
            touching = touching | resting
        else:
            return found
    return None
