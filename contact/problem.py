"""The discrete Coulomb problem: u = W r + q with exact cones, W structured or dense.

    W = P (C + G S G') P',   P: nodes to contact frames,   |r_t| <= mu r_n,
    0 <= u_n  orthogonal to  r_n >= 0,   u_t = -lam r_t (lam >= 0) where the cone is reached.

C is the compliance of a sole, G its rigid motions, S the 6x6 compliance of what carries the
foot. W is never formed. Contacts are ordered (t1, t2, n), n from the ground into the robot;
r is the force of the ground on the sole.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sole.arrays import FloatArray, IntArray, frozen
from sole.errors import SoleError


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """u = W r + q, W = P (C + G S G') P'.

    Parameters
    ----------
    compliance : C (3m, 3m) [m/N], symmetric; node-major x, y, z.
    node : (K,) node of every contact; several contacts may share one.
    frames : P (K, 3, 3), rows t1, t2, n in the axes of C.
    geometry : G (3m, 6).
    support : S (6, 6), symmetric positive semi-definite; zero when the foot is held.
    offset : q (K, 3) [m], contact frames.
    friction : mu (K,) >= 0.
    """

    compliance: FloatArray
    node: IntArray
    frames: FloatArray
    geometry: FloatArray
    support: FloatArray
    offset: FloatArray
    friction: FloatArray

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "node", frozen(self.node, np.int64))
        for name in ("compliance", "frames", "geometry", "support", "offset", "friction"):
            put(self, name, frozen(getattr(self, name)))
        K, n = len(self.node), len(self.compliance)
        expected = {
            "compliance": (n, n),
            "frames": (K, 3, 3),
            "geometry": (n, 6),
            "support": (6, 6),
            "offset": (K, 3),
            "friction": (K,),
        }
        for name, shape in expected.items():
            if getattr(self, name).shape != shape:
                raise SoleError(f"{name} has shape {getattr(self, name).shape}, expected {shape}")
        if not np.isfinite(self.offset).all():
            raise SoleError("the offset q of a contact problem must be finite")
        if not (np.isfinite(self.friction) & (self.friction >= 0)).all():
            raise SoleError("friction must be finite and not negative")

    @classmethod
    def dense(cls, W: FloatArray, q: FloatArray, friction: FloatArray | float) -> Problem:
        """Wrap a dense symmetric W (3K, 3K) that is already in contact frames."""
        q = np.asarray(q, dtype=float).reshape(-1, 3)
        K = len(q)
        return cls(
            compliance=W,
            node=np.arange(K),
            frames=np.broadcast_to(np.eye(3), (K, 3, 3)),
            geometry=np.zeros((3 * K, 6)),
            support=np.zeros((6, 6)),
            offset=q,
            friction=np.broadcast_to(np.asarray(friction, dtype=float), (K,)),
        )

    @cached_property
    def blocks(self) -> FloatArray:
        """(K, 3, 3) diagonal blocks of W."""
        P, m = self.frames, len(self.compliance) // 3
        C4 = self.compliance.reshape(m, 3, m, 3)
        Ci = C4[self.node, :, self.node, :]
        Gi = self.geometry.reshape(m, 3, 6)[self.node]
        inner = Ci + Gi @ self.support @ Gi.transpose(0, 2, 1)
        return frozen(P @ inner @ P.transpose(0, 2, 1))

    @cached_property
    def rho(self) -> float:
        """1 / mean W_ii [N/m]: the scale that turns displacements into forces."""
        mean = float(np.einsum("kii->", self.blocks)) / max(1, 3 * len(self.node))
        return 1.0 / mean if mean > 0 else 1.0

    def nodal(self, r: FloatArray) -> FloatArray:
        """f (3m,) = P' r: contact forces summed at their nodes."""
        f = np.zeros((len(self.compliance) // 3, 3))
        np.add.at(f, self.node, np.einsum("kab,ka->kb", self.frames, r))
        return f.ravel()

    def velocity(self, r: FloatArray) -> FloatArray:
        """u (K, 3) = W r + q."""
        f = self.nodal(r)
        d = self.compliance @ f + self.geometry @ (self.support @ (self.geometry.T @ f))
        moved = d.reshape(-1, 3)[self.node]
        return np.asarray(np.einsum("kab,kb->ka", self.frames, moved) + self.offset)
