"""The Delassus operator of condensed soles on feet, never formed.

    W = P (blkdiag(scale_s C_s) + G S G') P'

C_s is the compliance of sole s in the axes of its foot, G the six rigid motions of every foot,
S their coupling through the robot (dt J6 M^-1 J6', or a support), P turns the axes of the foot
into the frame (t1, t2, n) of a contact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from contact.problem.compliances import Compliances
from contact.problem.delassus import Delassus, Judgement, check_finite
from contact.problem.delassus_kernels import (
    SoleArrays,
    apply_operator,
    compute_diagonal_blocks,
    compute_motions,
    compute_responses,
    gather_forces,
    judge_forces,
    sum_body_wrenches,
)
from sole.base.arrays import FloatArray, IntArray, frozen, read_only, sealed, trusted
from sole.base.compiled import packed
from sole.base.errors import SoleError


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

    @classmethod
    def unchecked(
        cls,
        compliances: Compliances,
        scale: FloatArray,
        node: IntArray,
        frames: FloatArray,
        geometry: FloatArray,
        support: FloatArray,
        body: IntArray,
        motions: FloatArray,
    ) -> SoleDelassus:
        """Wrap arrays known to fit, `body` and `motions` among them, without copies."""
        scale, node, frames = read_only(scale), read_only(node), read_only(frames)
        geometry, support = read_only(geometry), read_only(support)
        body, motions = read_only(body), read_only(motions)
        return trusted(
            cls,
            compliances=compliances,
            scale=scale,
            node=node,
            frames=frames,
            geometry=geometry,
            support=support,
            _motions_body_trace=(motions, body, np.nan),
            arrays=SoleArrays(scale, node, body, frames, motions, support),
        )

    @property
    def contacts(self) -> int:
        """See `Delassus.contacts`."""
        return len(self.node)

    @property
    def body(self) -> IntArray:
        """(K,) body of every contact."""
        return self._motions_body_trace[1]

    @property
    def motions(self) -> FloatArray:
        """A = P G (K, 3, 6): velocity of a contact for the twist of its body."""
        return self._motions_body_trace[0]

    @property
    def mean_diagonal(self) -> float:
        """See `Delassus.mean_diagonal`."""
        if not (K := len(self.node)):
            return 0.0
        trace = self._motions_body_trace[2]
        trace = float(np.einsum("kii->", self.blocks)) if math.isnan(trace) else trace
        return trace / (3 * K)

    @cached_property
    def blocks(self) -> FloatArray:
        """See `Delassus.blocks`."""
        return sealed(compute_diagonal_blocks(packed(self.arrays), self.compliances.diagonal))

    @cached_property
    def _motions_body_trace(self) -> tuple[FloatArray, IntArray, float]:
        A, body, trace = compute_motions(
            self.node, self.compliances.body, self.frames, self.geometry, self.scale,
            self.support, self.compliances.diagonal,
        )  # fmt: skip
        return sealed(A), sealed(body), float(trace)

    def nodal(self, r: FloatArray) -> FloatArray:
        """f (3M,) = P' r: contact forces summed at their nodes, axes of the bodies."""
        r = np.ascontiguousarray(r, dtype=float)
        return gather_forces(self.compliances.nodes, self.node, self.frames, r)

    def wrenches(self, f: FloatArray) -> FloatArray:
        """G' f (6 bodies,): force and moment of nodal forces on every body, its own axes."""
        return sum_body_wrenches(self.compliances.first, self.geometry, f)

    def apply(self, r: FloatArray) -> FloatArray:
        """See `Delassus.apply`."""
        r = np.ascontiguousarray(r, float).reshape(-1, 3)
        return apply_operator(
            packed(self.compliances.arrays), packed(self.arrays), self.geometry, r
        )

    def respond(self, r: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Nodal displacements d (3M,) = scale C P' r and twists y (6 bodies,) = S G' P' r."""
        C = self.compliances.arrays
        return compute_responses(packed(C), packed(self.arrays), self.geometry, read_only(r))

    def judge(self, r: FloatArray, q: FloatArray, mu: FloatArray, rho: float) -> Judgement:
        """See `Delassus.judge`."""
        sums, status, u, d = judge_forces(
            packed(self.compliances.arrays), packed(self.arrays), self.geometry, read_only(r), q,
            mu, rho,
        )  # fmt: skip
        return Judgement(sums, status, u, d)

    @cached_property
    def arrays(self) -> SoleArrays:
        """W for compiled loops."""
        A, body, _ = self._motions_body_trace
        return SoleArrays(self.scale, self.node, body, self.frames, A, self.support)

    def dense(self) -> FloatArray:
        """See `Delassus.dense`."""
        K, C = self.contacts, self.compliances
        W = np.zeros((3 * K, 3 * K))
        for s in range(C.bodies):
            matrix = C.matrix(s)
            if matrix is None:
                continue
            here = np.flatnonzero(self.body == s)
            k, P, i = len(here), self.frames[here], _rows(self.node[here] - C.first[s])
            left = P @ (self.scale[s] * matrix[np.ix_(i, i)]).reshape(k, 3, 3 * k)
            both = left.reshape(3 * k, k, 3).transpose(1, 0, 2) @ P.transpose(0, 2, 1)
            rows = _rows(here)
            W[np.ix_(rows, rows)] = both.transpose(1, 0, 2).reshape(3 * k, 3 * k)
        A = np.zeros((K, 3, C.bodies, 6))
        A[np.arange(K), :, self.body] = self.motions
        motions = A.reshape(3 * K, -1)
        W += motions @ self.support @ motions.T
        return np.asarray((W + W.T) / 2)


def _rows(blocks: IntArray) -> IntArray:
    """Rows 3i, 3i + 1, 3i + 2 of blocks i."""
    return np.asarray((3 * blocks[:, None] + np.arange(3)).ravel())
