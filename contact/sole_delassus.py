"""The Delassus operator of condensed soles on feet, never formed.

    W = P (blkdiag(scale_s C_s) + G S G') P'

C_s is the compliance of sole s in the axes of its foot, G the six rigid motions of every foot,
S their coupling through the robot (dt J6 M^-1 J6', or a support), P turns the axes of the foot
into the frame (t1, t2, n) of a contact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from contact.compliances import Compliances
from contact.delassus import Delassus, check_finite
from contact.delassus_kernels import (
    applied,
    body_wrenches,
    contact_motions,
    diagonal_blocks,
    gathered,
)
from sole.arrays import FloatArray, IntArray, frozen, sealed
from sole.errors import SoleError

__all__ = ["Compliances", "SoleDelassus"]


@dataclass(frozen=True, eq=False, kw_only=True)
class SoleDelassus(Delassus):
    """W = P (blkdiag(scale C) + G S G') P' of soles on feet.

    Parameters
    ----------
    compliances : C of every body.
    scale : (bodies,) factor on every C, 1/(dt + eta) for a time step, 1 for a press.
    node : (K,) node of every contact, counted through all bodies; nodes may repeat.
    frames : P (K, 3, 3), rows t1, t2, n in the axes of the body.
    geometry : G (3M, 6), velocity of every node in the axes of its body for the twist
        (linear, angular) of the body.
    support : S (6 bodies, 6 bodies), symmetric positive semi-definite.
    """

    compliances: Compliances
    scale: FloatArray
    node: IntArray
    frames: FloatArray
    geometry: FloatArray
    support: FloatArray

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "node", frozen(self.node, np.int64))
        for name in ("scale", "frames", "geometry", "support"):
            put(self, name, frozen(getattr(self, name)))
        K, B, M = len(self.node), self.compliances.bodies, self.compliances.nodes
        expected = {
            "scale": (B,),
            "frames": (K, 3, 3),
            "geometry": (3 * M, 6),
            "support": (6 * B, 6 * B),
        }
        for name, shape in expected.items():
            array = getattr(self, name)
            if array.shape != shape:
                raise SoleError(f"{name} has shape {array.shape}, expected {shape}")
            check_finite(array, name)
        S = self.support
        largest = float(np.abs(S).max(initial=0.0))
        if np.abs(S - S.T).max(initial=0.0) > 1e-8 * largest:
            raise SoleError("support is asymmetric by more than 1e-8 of its largest entry")
        if largest and np.linalg.eigvalsh(S)[0] < -1e-8 * largest * len(S):
            raise SoleError("support is not positive semi-definite")
        if (self.scale < 0).any():
            raise SoleError("the scale of a compliance must not be negative")
        if K and not ((self.node >= 0) & (self.node < M)).all():
            raise SoleError(f"a contact names node {self.node.max()}, there are {M}")

    @property
    def contacts(self) -> int:
        """See `Delassus.contacts`."""
        return len(self.node)

    @cached_property
    def body(self) -> IntArray:
        """(K,) body of every contact."""
        return np.asarray(self.compliances.body[self.node])

    @cached_property
    def motions(self) -> FloatArray:
        """A = P G (K, 3, 6): velocity of a contact for the twist of its body."""
        return sealed(contact_motions(self.node, self.frames, self.geometry))

    @cached_property
    def blocks(self) -> FloatArray:
        """See `Delassus.blocks`."""
        C = self.compliances
        where = (C.flat, C.first, C.position, self.scale, self.node, self.body)
        kernel: Any = diagonal_blocks
        return sealed(kernel(*where, self.frames, self.motions, self.support))

    def nodal(self, r: FloatArray) -> FloatArray:
        """f (3M,) = P' r: contact forces summed at their nodes, axes of the bodies."""
        r = np.ascontiguousarray(r, dtype=float)
        return np.asarray(gathered(self.compliances.nodes, self.node, self.frames, r))

    def wrenches(self, f: FloatArray) -> FloatArray:
        """G' f (6 bodies,): force and moment of nodal forces on every body, its own axes."""
        return np.asarray(body_wrenches(self.compliances.first, self.geometry, f))

    def apply(self, r: FloatArray) -> FloatArray:
        """See `Delassus.apply`."""
        C, kernel = self.compliances, cast(Any, applied)
        where = (C.flat, C.first, C.position, self.scale, self.node, self.body)
        r = np.ascontiguousarray(r, dtype=float).reshape(-1, 3)
        u = kernel(*where, self.frames, self.motions, self.geometry, self.support, r)
        return np.asarray(u)

    def dense(self) -> FloatArray:
        """See `Delassus.dense`."""
        K, C = self.contacts, self.compliances
        W, axes = np.zeros((K, 3, K, 3)), np.arange(3)
        for s in range(C.bodies):
            matrix = C.matrix(s)
            if matrix is None:
                continue
            here = np.flatnonzero(self.body == s)
            i, m = self.node[here] - C.first[s], len(matrix) // 3
            part = matrix.reshape(m, 3, m, 3)[np.ix_(i, axes, i, axes)]
            P = self.frames[here]
            turned = np.einsum("kab,kbld,lcd->kalc", P, part, P, optimize=True)
            W[np.ix_(here, axes, here, axes)] = self.scale[s] * turned
        matrix = W.reshape(3 * K, 3 * K)
        A = np.zeros((K, 3, C.bodies, 6))
        A[np.arange(K), :, self.body] = self.motions
        motions = A.reshape(3 * K, -1)
        matrix += motions @ self.support @ motions.T
        return np.asarray((matrix + matrix.T) / 2)
