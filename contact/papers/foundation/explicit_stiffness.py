"""The explicit contact model of [SygullaEtAl2017]: independent springs under the sole.

Equations (1) to (8), forces by the ground on the foot. With phi = (y, -x, 1) for the contact
element at r = (x, y) and x_f = (sin alpha_x, sin alpha_y, z_TCP - z_0), the pose of the foot,

    (2)  f_z = c_A (x sin alpha_y - y sin alpha_x - (z_TCP - z_0)) = -c_A phi' x_f    [N/m^2]
    (3)  T_x = int f_z y cos alpha_x dA
    (4)  T_y = -int f_z x cos alpha_y dA
    (5)  F_z = int f_z dA
    (7)  lambda_f = (T_x, T_y, F_z) = U x_f
    (8)  U = -c_A int phi phi' dA
           = c_A [-I_xx, I_xy, -r_cy A; I_xy, -I_yy, r_cx A; -r_cy A, r_cx A, -A]

where I_xx = int y^2, I_yy = int x^2 and I_xy = + int x y. U is symmetric, and negative definite if
and only if phi takes three independent values on the region, that is if it is not on one line.

(8) is for small angles. With the cosines of (3) and (4) the first two rows of U are multiplied by
cos alpha_x and cos alpha_y, the third is not: that matrix is not symmetric (the paper calls U
symmetric before it drops the cosines). (2) itself leaves out the factor cos alpha_y of the term in
y, which is of second order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from contact.papers.foundation.moments import gram, pressed_moments
from contact.papers.foundation.region import Region
from sole.base.arrays import FloatArray, frozen
from sole.base.checks import numbers, positive
from sole.base.errors import MaterialError, SoleError


class Pressed(NamedTuple):
    """Wrench lambda_f (..., 3), its gradient U (..., 3, 3) and the area in contact (...)."""

    wrench: FloatArray
    U: FloatArray
    area: FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class WinklerFoundation:
    """Springs of stiffness c_A per area [N/m^3] under a contact region.

    (For a region of lines c_A is per length [N/m^2], for points per point [N/m].)

    Raises
    ------
    MaterialError
        c_A that is not a positive number.
    """

    region: Region
    c_A: float

    def __post_init__(self) -> None:
        _positive(c_A=self.c_A)

    @classmethod
    def of_layer(cls, region: Region, E: float, d: float) -> WinklerFoundation:
        """c_A = E/d of a layer of Young's modulus E [Pa] and thickness d [m].

        How far that is from a real pad: docs/foot_stiffness.md.
        """
        _positive(E=E, d=d)
        return cls(region=region, c_A=E / d)

    @classmethod
    def measured(cls, region: Region, c_m: float) -> WinklerFoundation:
        """c_A = c_m/A from the vertical stiffness c_m [N/m] of the whole contact region."""
        _positive(c_m=c_m)
        return cls(region=region, c_A=c_m / region.area)

    @cached_property
    def U(self) -> FloatArray:
        """U (3, 3) of equation (8) [N m, N m, N per rad, rad, m], all of the region in contact."""
        return frozen(-self.c_A * self.region.gram)

    def U_of_pieces(self, touching: ArrayLike) -> FloatArray:
        """U (..., 3, 3) with only some pieces in contact: `touching` (..., pieces) booleans.

        For a contact switch under every pad. Numbers between 0 and 1 weigh the pieces.
        """
        share = numbers("touching", touching)
        region = self.region
        if share.shape[-1:] != (region.pieces,) or not ((share >= 0) & (share <= 1)).all():
            raise SoleError(
                f"touching must be (..., {region.pieces}), one boolean per piece, got {share.shape}"
            )
        return -self.c_A * gram(share @ region.moments)

    def wrench(self, x_f: ArrayLike) -> FloatArray:
        """lambda_f (..., 3) = U x_f of equation (7), springs that also pull."""
        return np.asarray(_poses(x_f) @ self.U)

    def U_with_cosines(self, x_f: ArrayLike) -> FloatArray:
        """U (..., 3, 3) of equations (3) to (6): lambda_f = U(x_f) x_f; not symmetric.

        Row 1 carries cos alpha_x and row 2 cos alpha_y.
        """
        return np.asarray(_cosines(_poses(x_f))[..., :, None] * self.U)

    def gradient_with_cosines(self, x_f: ArrayLike) -> FloatArray:
        """d lambda_f / d x_f (..., 3, 3) of equations (3) to (6).

        The cosines change too: d cos alpha / d sin alpha = -tan alpha.
        """
        x = _poses(x_f)
        cos = _cosines(x)
        slope = -x[..., :2] / cos[..., :2] * (x @ self.U)[..., :2]
        gradient = cos[..., :, None] * self.U
        gradient[..., [0, 1], [0, 1]] += slope
        return np.asarray(gradient)

    def pressed(self, x_f: ArrayLike, heights: ArrayLike = 0.0) -> Pressed:
        """Springs that only push: integrate (2) where f_z > 0, exactly.

        Nothing is pressed at the border of that part, so it adds nothing to the gradient:
        U = -c_A int_{f_z > 0} phi phi' dA is d lambda_f / d x_f, and with heights = 0 also
        lambda_f = U x_f.

        Parameters
        ----------
        x_f : (..., 3) poses (sin alpha_x, sin alpha_y, z_TCP - z_0).
        heights : of the ground above z_0 [m], one number or (pieces,): an obstacle under a pad.
        """
        if self.region.dimension != 2:
            raise SoleError("partial contact is computed for areas, not for lines or points")
        x, h = _poses(x_f), self._heights(heights)
        where = (self.region.vertices, self.region.first, h[self.region.piece])
        plain, raised = pressed_moments(*where, np.ascontiguousarray(x.reshape(-1, 3)))
        G = gram(plain).reshape(*x.shape, 3)
        phi = np.stack([raised[:, 2], -raised[:, 1], raised[:, 0]], axis=1).reshape(x.shape)
        wrench = self.c_A * (phi - np.einsum("...ij,...j->...i", G, x))
        return Pressed(wrench, -self.c_A * G, G[..., 2, 2])

    def contact_region(self, x_f: ArrayLike, heights: ArrayLike = 0.0) -> Region | None:
        """Return the part of the region where f_z > 0 at one pose; None if there is none.

        Pieces without any contact are omitted. Concave rings that fall apart come back as one
        ring with pieces joined along the cut (the integrals are exact all the same).
        """
        x, h = _poses(x_f), self._heights(heights)
        if x.shape != (3,):
            raise SoleError(f"contact_region takes one pose (3,), got {x.shape}")
        parts, owner = [], []
        for ring, piece in zip(self.region.parts, self.region.piece, strict=True):
            f = h[piece] - ring[:, 1] * x[0] + ring[:, 0] * x[1] - x[2]
            cut = _cut(ring, f)
            if len(cut) >= 3:
                parts.append(cut)
                owner.append(piece)
        if not parts:
            return None
        _, piece = np.unique(owner, return_inverse=True)
        return Region(dimension=2, parts=tuple(parts), piece=piece)

    def _heights(self, heights: ArrayLike) -> FloatArray:
        h = numbers("heights", heights)
        if h.shape not in ((), (self.region.pieces,)) or not np.isfinite(h).all():
            raise SoleError(
                f"heights must be one finite number or ({self.region.pieces},), got {h.shape}"
            )
        return np.ascontiguousarray(np.broadcast_to(h, (self.region.pieces,)))


def _cut(ring: FloatArray, f: FloatArray) -> FloatArray:
    """Return the ring where f > 0, f (k,) linear between the corners."""
    kept = []
    for i in range(len(ring)):
        a, b = f[i - 1], f[i]
        if (a > 0) != (b > 0):
            kept.append(ring[i - 1] + a / (a - b) * (ring[i] - ring[i - 1]))
        if b > 0:
            kept.append(ring[i])
    return np.array(kept).reshape(-1, 2)


def _cosines(x: FloatArray) -> FloatArray:
    """(cos alpha_x, cos alpha_y, 1)."""
    sines = x[..., :2]
    if (np.abs(sines) >= 1).any():
        raise SoleError("sin alpha_x and sin alpha_y must lie between -1 and 1")
    return np.concatenate([np.sqrt(1 - sines**2), np.ones_like(x[..., 2:])], axis=-1)


def _poses(x_f: ArrayLike) -> FloatArray:
    x = numbers("x_f", x_f)
    if x.shape[-1:] != (3,) or not np.isfinite(x).all():
        raise SoleError(
            "x_f must be finite and (..., 3): sin alpha_x, sin alpha_y, z_TCP - z_0; "
            f"got shape {x.shape}"
        )
    return x


def _positive(**values: float) -> None:
    for name, value in values.items():
        positive(name, value, error=MaterialError)
