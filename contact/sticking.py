"""Closed form of a step in which every touching node sticks: one product with a cached inverse.

Where the nodes A stick and all others are open, u_A = 0 is linear. With K_A = C_AA^-1 per body,
b = -P'q and nodal forces f = P'r in the axes of the bodies,

    scale C_AA f + G_A y = b,    y = S G_A' f
    =>  (1 + S G_A' K_A G_A / scale) y = S G_A' K_A b / scale,    f = K_A (b - G_A y) / scale.

K_A depends on the set A alone, not on time step, frames or support (for all nodes of a sole it
is the condensed stiffness), so that a step whose set did not change costs one product with it.
Whether the answer is one, inside all cones and without penetration, the certificate tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack

from contact.problem import Problem
from contact.sole_delassus import SoleDelassus
from contact.solution import Solution, solution_of
from contact.sticking_kernels import stick_columns, stick_forces
from sole.arrays import BoolArray, FloatArray, IntArray, frozen, sealed


@dataclass(frozen=True, eq=False)
class StickFactor:
    """The inverse compliances of the nodes that stick, per body.

    Parameters
    ----------
    contact : (a,) contacts that stick, body by body.
    node : (a,) their nodes.
    first : (bodies + 1,) where the contacts of every body begin.
    inverses : per body K_A (3a_b, 3a_b) [N/m], empty where nothing sticks.
    """

    contact: IntArray
    node: IntArray
    first: IntArray
    inverses: tuple[FloatArray, ...]

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
        inverses = []
        for s in range(C.bodies):
            matrix, i = C.matrix(s), node[body == s] - C.first[s]
            if len(i) and matrix is None:
                return None
            inverses.append(np.zeros((0, 0)) if matrix is None else _inverse(matrix, i))
        first = np.searchsorted(body, np.arange(C.bodies + 1))
        return cls(
            frozen(contact, np.int64),
            frozen(node, np.int64),
            frozen(first, np.int64),
            tuple(inverses),
        )

    def reactions(self, problem: Problem) -> FloatArray:
        """(K, 3) forces with which the sticking contacts stand still; zero elsewhere."""
        W = problem.operator
        assert isinstance(W, SoleDelassus)
        size = 6 * len(self.inverses)
        # Per node the columns G and b, per body K_A [G, b] / scale.
        right = stick_columns(self.contact, self.node, W.frames, W.geometry, problem.offset)
        answer = np.empty_like(right)
        M, w = np.eye(size), np.zeros(size)
        for s, K_A in enumerate(self.inverses):
            rows, own = slice(3 * self.first[s], 3 * self.first[s + 1]), slice(6 * s, 6 * s + 6)
            np.matmul(K_A, right[rows], out=answer[rows])
            answer[rows] /= W.scale[s]
            both = right[rows, :6].T @ answer[rows]
            M[:, own] += W.support[:, own] @ both[:, :6]
            w[own] = both[:, 6]
        y = np.linalg.solve(M, W.support @ w)
        kernel: Any = stick_forces
        r = kernel(self.contact, self.first, W.frames, answer, y, problem.contacts)
        return np.asarray(r)

    def solve(self, problem: Problem, tolerance: float) -> Solution:
        """Certify the forces of `reactions`; stalled if some contact slips, opens or closes."""
        return solution_of(problem, self.reactions(problem), tolerance, "sticking")


def _inverse(C: FloatArray, node: IntArray) -> FloatArray:
    """Return C_AA^-1 for the nodes `node` of one body, symmetric to the bit."""
    i = (3 * node[:, None] + np.arange(3)).ravel()
    factor, _ = lapack.dpotrf(C[np.ix_(i, i)], lower=1, overwrite_a=1)
    K, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    K = np.tril(K)
    return sealed(np.ascontiguousarray(K + np.tril(K, -1).T))
