"""Rigid bodies in the closed form of a step in which everything that touches sticks.

The points that touch are at rest, u = A y + q = 0 with A = P G, for the twists y = S A'r of all
bodies. Their forces r are not determined where a body has more points than it needs: of all that
give y the smallest are taken, those of equal springs under all touching points. With A'A = V D V'
for these points (of its range only), E = V D^1/2 and X = V D^-1/2,

    E'y = z = -X'A'q,    r = A X Z,    y = S (w + E Z),

w the wrenches of what is soft; without any, Z = (E'S E)^-1 z. Points stand still to round-off here;
Gauss-Seidel leaves them the velocities that its tolerance allows, so that a standing foot would
creep.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from contact.operators.sole_delassus import SoleDelassus
from contact.solvers.sticking_kernels import summed
from sole.arrays import BoolArray, FloatArray, IntArray

RANK = 1e-10  # of the largest eigenvalue of A'A of a body: less is no motion of its points


@dataclass(frozen=True, eq=False)
class Rest:
    """What it takes that contacts of rigid bodies are at rest.

    Parameters
    ----------
    contact : (a,) which. E, X : (6 bodies, m). z : (m,).
    """

    contact: IntArray
    E: FloatArray
    X: FloatArray
    z: FloatArray

    @classmethod
    def nothing(cls, bodies: int) -> Rest:
        """Return that of no contact."""
        empty = np.zeros((6 * bodies, 0))
        return cls(np.zeros(0, np.int64), empty, empty, np.zeros(0))

    @classmethod
    def of(cls, W: SoleDelassus, q: FloatArray, touching: BoolArray) -> Rest:
        """Take the contacts `touching` (K,), all on rigid bodies, with offset q (K, 3)."""
        bodies, contact = W.compliances.bodies, np.flatnonzero(touching)
        squares, moments = cast(Any, summed)(contact, W.body, W.motions, q, bodies)
        D, V = np.linalg.eigh(squares)
        kept = D > RANK * D[:, -1:]
        blocks, b = np.zeros((bodies, 6, bodies, 6)), np.arange(bodies)
        blocks[b, :, b] = V * np.sqrt(np.where(kept, D, 0.0))[:, None]
        E = blocks.reshape(6 * bodies, -1)[:, kept.ravel()]
        X = E / D[kept]
        return cls(contact, E, X, -(moments @ X))
