"""Closed form of a step in which every touching node sticks: one pass over a cached inverse.

Where the nodes A stick and all others are open, u_A = 0 is linear. With K_A = C_AA^-1 per body,
b = -P'q and nodal forces f = P'r in the axes of the bodies,

    scale C_AA f + G_A y = b,    y = S G_A' f
    =>  (1 + S G_A' K_A G_A / scale) y = S G_A' K_A b / scale,    f = K_A (b - G_A y) / scale.

K_A depends on the set A alone, not on time step, frames or support (for all nodes of a sole it
is the condensed stiffness), so that a step whose set did not change costs one pass over it: for
b and the three rotations, about the nodes where they are now. The three translations, 1 at every
node, are always the same. Whether the answer is one, inside all cones and without penetration,
the certificate tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from scipy.linalg import lapack

from contact.problem import Problem
from contact.sole_delassus import SoleDelassus
from contact.solution import Solution, solution_of
from contact.sticking_kernels import stick_reactions
from sole.arrays import BoolArray, FloatArray, IntArray, frozen, sealed


@dataclass(frozen=True, eq=False)
class StickFactor:
    """The inverse compliances of the nodes that stick, per body.

    Parameters
    ----------
    contact : (a,) contacts that stick, body by body.
    node : (a,) their nodes.
    first : (bodies + 1,) where the contacts of every body begin.
    inverse : per body K_A (3a_b, 3a_b) [N/m], one behind the other.
    position : (bodies,) where that of a body begins.
    shifts : (3, 3a) K_A times the translations.
    """

    contact: IntArray
    node: IntArray
    first: IntArray
    inverse: FloatArray
    position: IntArray
    shifts: FloatArray

    @classmethod
    def of(cls, operator: SoleDelassus, sticking: BoolArray) -> StickFactor | None:
        """Invert the compliances of the contacts `sticking` (K,).

        None where there is no closed form: on a rigid body (its forces are not unique), or for
        a node that sticks to two surfaces at once.
        """
        contact = np.flatnonzero(sticking)
        node = operator.node[contact]
        if len(contact) == 0 or len(np.unique(node)) < len(node):
            return None
        body, C = operator.body[contact], operator.compliances
        if (np.diff(body) < 0).any():
            return None
        inverses: list[FloatArray] = []
        for s in range(C.bodies):
            matrix, i = C.matrix(s), node[body == s] - C.first[s]
            if len(i) and matrix is None:
                return None
            if matrix is None or len(i) == 0:
                inverses.append(np.zeros((0, 0)))
            else:
                inverses.append(_inverse(matrix, i))
        first = np.searchsorted(body, np.arange(C.bodies + 1))
        sizes = [0, *(K_A.size for K_A in inverses)]
        return cls(
            frozen(contact, np.int64),
            frozen(node, np.int64),
            frozen(first, np.int64),
            sealed(np.concatenate([K_A.ravel() for K_A in inverses])),
            frozen(np.cumsum(sizes)[:-1], np.int64),
            frozen(np.hstack([_translated(K_A) for K_A in inverses])),
        )

    def reactions(self, problem: Problem) -> FloatArray:
        """(K, 3) forces with which the sticking contacts stand still; zero elsewhere."""
        W, kernel = problem.operator, cast(Any, stick_reactions)
        assert isinstance(W, SoleDelassus)
        known = (self.inverse, self.position, self.shifts, self.contact, self.node, self.first)
        now = (W.frames, W.geometry, problem.offset, W.scale, W.support, problem.contacts)
        return np.asarray(kernel(*known, *now))

    def solve(self, problem: Problem, tolerance: float) -> Solution:
        """Certify the forces of `reactions`; stalled if some contact slips, opens or closes."""
        return solution_of(problem, self.reactions(problem), tolerance, "sticking")


def _inverse(C: FloatArray, node: IntArray) -> FloatArray:
    """Return C_AA^-1 for the nodes `node` of one body, symmetric to the bit."""
    i = (3 * node[:, None] + np.arange(3)).ravel()
    factor, _ = lapack.dpotrf(C[np.ix_(i, i)], lower=1, overwrite_a=1)
    K, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    K = np.tril(K)
    return np.ascontiguousarray(K + np.tril(K, -1).T)


def _translated(K_A: FloatArray) -> FloatArray:
    """(3, 3a) K_A times the three unit translations of all nodes, as rows."""
    n = len(K_A)
    return np.asarray(K_A.reshape(n, n // 3, 3).sum(axis=1).T)
