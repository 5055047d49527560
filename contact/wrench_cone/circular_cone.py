"""The wrench cone of a convex polygon under Coulomb's circular cones |f_t| <= mu f_n.

No finite number of facets describes it: the margin is the value of a second-order cone program.
Each answer carries its proof: vertex forces in their cones for a lower bound of the margin, and a
separating motion of the foot for an upper one. The bounds meet to 1e-8 of max(1, |margin|) for
margins above -1e4. Far below (a push of 100 mu f_z and more at mu < 1e-5) both still hold, but
lie apart: `CircularMargin.gap` tells by how much.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from contact.frames import wrenches_of
from contact.wrench_cone.circular_cone_kernels import circular_bounds
from contact.wrench_cone.cone_kernels import LEAST_LOAD
from contact.wrench_cone.facet_words import UNLOADED_WORDS, flat_words
from contact.wrench_cone.friction_pyramids import checked_friction
from contact.wrench_cone.polygon import centroid_of, checked_polygon
from contact.wrench_cone.rectangle import checked_halves, rectangle_corners
from sole.base.arrays import BoolArray, FloatArray, frozen
from sole.base.errors import SoleError

COARSE = 1e-5  # words ignore entries of a motion below this part of the largest


@dataclass(frozen=True, eq=False, kw_only=True)
class CircularMargin:
    """Margins of wrenches (..., 6) with their proofs.

    Parameters
    ----------
    value : (...,) lower bound: the `forces` exist. -inf without load (fz <= 0).
    bound : (...,) upper bound: with (`motion` . w) / fz no larger margin is possible.
    forces : (..., n, 3) on the vertices [N]; they sum up to the wrench, and lie in their cones
        where value >= 0. Zero without load.
    motion : (..., 6) twist (v, omega) of the foot about the origin, one unit of lift at the
        centre, that no admissible vertex force resists: all such forces do work >= 0 on it.
    """

    value: FloatArray
    bound: FloatArray
    forces: FloatArray
    motion: FloatArray

    @property
    def gap(self) -> FloatArray:
        """(...,) what the proofs leave open: (bound - value)/max(1, |value|); 0 without load."""
        known = np.isfinite(self.value)
        value, bound = np.where(known, self.value, 0.0), np.where(known, self.bound, 0.0)
        return np.asarray((bound - value) / np.maximum(1.0, np.abs(value)))[()]


@dataclass(frozen=True, eq=False, kw_only=True)
class CircularCone:
    """Wrenches, about the origin, of a convex polygon in z = 0 with circular friction cones.

    Parameters
    ----------
    vertices : (n, 2) [m], in order.
    friction : Coulomb's mu > 0; without friction the cone is that of `WrenchCone.of_polygon`.
    """

    vertices: FloatArray
    friction: float
    _B: FloatArray = field(init=False, repr=False)
    _inverse: FloatArray = field(init=False, repr=False)
    _shares: FloatArray = field(init=False, repr=False)
    _length: float = field(init=False, repr=False)
    centre: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        mu = checked_friction(self.friction)
        if mu == 0:
            raise SoleError("a circular cone needs friction > 0: without, use WrenchCone")
        p = checked_polygon(self.vertices)
        centre = centroid_of(p)
        r = p - centre
        length = float(np.linalg.norm(r, axis=1).max())
        r = r / length
        B = np.zeros((len(p), 3, 5))
        B[:, 0, 2], B[:, 0, 3] = r[:, 1], -r[:, 0]
        B[:, 1, 0], B[:, 1, 4] = 1.0, -r[:, 1]
        B[:, 2, 1], B[:, 2, 4] = 1.0, r[:, 0]
        inverse = np.ascontiguousarray(np.linalg.pinv(B.reshape(-1, 5)).T).reshape(B.shape)
        values = {"vertices": frozen(p), "friction": mu, "centre": frozen(centre)}
        values |= {"_B": B, "_inverse": inverse, "_shares": _shares(r), "_length": length}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of_rectangle(cls, half_length: float, half_width: float, friction: float) -> CircularCone:
        """Return the cone of a rectangle at its centre, half length and half width [m]."""
        X, Y = checked_halves(half_length, half_width)
        return cls(vertices=rectangle_corners(X, Y), friction=friction)

    def margin(self, wrenches: ArrayLike) -> CircularMargin:
        """Return the margins (...,) of wrenches (..., 6), as `WrenchCone.margin` defines them."""
        w = wrenches_of(wrenches)
        flat = w.reshape(-1, 6)
        pressed = flat[:, 2] > LEAST_LOAD
        load = np.where(pressed, flat[:, 2], 1.0)
        x, y = self.centre
        mu, L = self.friction, self._length
        fx, fy, fz, tx, ty, tz = flat.T
        about = np.column_stack([fx, fy, tx - y * fz, ty + x * fz, tz - (x * fy - y * fx)])
        scale = np.array([mu, mu, L, L, mu * L])
        q = np.where(pressed[:, None], about / load[:, None] / scale, 0.0)
        low, high, scaled, twist = circular_bounds(self._B, self._inverse, self._shares, q)
        normal = scaled[..., 0] + low[:, None] * self._shares
        forces = load[:, None, None] * np.stack(
            [mu * scaled[..., 1], mu * scaled[..., 2], normal], axis=-1
        )
        v, omega = np.zeros((len(flat), 3)), np.zeros((len(flat), 3))
        v[:, 2] = 1.0
        v[:, :2], omega[:, :2] = twist[:, :2] / mu, twist[:, 2:4] / L
        omega[:, 2] = twist[:, 4] / (mu * L)
        v -= np.cross(omega, np.array([x, y, 0.0]))  # from the centre to the origin
        motion = np.concatenate([v, omega], axis=1)
        lead = w.shape[:-1]
        return CircularMargin(
            value=np.where(pressed, low, -np.inf).reshape(lead)[()],
            bound=np.where(pressed, high, -np.inf).reshape(lead)[()],
            forces=np.where(pressed[:, None, None], forces, 0.0).reshape(
                *lead, len(self.vertices), 3
            ),
            motion=np.where(pressed[:, None], motion, 0.0).reshape(*lead, 6),
        )

    def contains(self, wrenches: ArrayLike, tolerance: float = 0.0) -> BoolArray:
        """Return whether wrenches (..., 6) have a load and a margin of at least -`tolerance`."""
        return np.asarray(self.margin(wrenches).value >= -tolerance)

    def word(self, motion: ArrayLike) -> str:
        """Return one motion (6,) of `margin` in words; 'lift' if the load is central."""
        twist = wrenches_of(motion)
        if not twist.any():
            return UNLOADED_WORDS
        return flat_words(-twist[None], self._length, noise=COARSE)[0]


def _shares(r: FloatArray) -> FloatArray:
    """Return positive shares (n,) of the vertices r with sum of shares * r = centroid.

    The area is a fan of triangles about the mean of the vertices; each gives a third of its
    area to its corners.
    """
    middle = r.mean(axis=0)
    a, b = r - middle, np.roll(r, -1, axis=0) - middle
    area = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    area = area / area.sum()
    return np.asarray((area + np.roll(area, 1)) / 3 + 1 / (3 * len(r)))
