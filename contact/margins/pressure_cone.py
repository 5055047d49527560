"""The wrench cone of a flat compliant sole with a given shape of its pressure.

A sole presses with forces p_i = f_z a_i, sum a_i = 1, whose shares a_i stay as they are while the
load f_z changes. Its nodes then hold a wrench w = (fx, fy, fz, tx, ty, tz), ground on foot about
the origin in the tread plane, if and only if

    (fx, fy, tz)/fz       lies in the limit surface of the discs |s_i| <= mu a_i,
    (-ty, tx)/fz          the centre of pressure, lies in the hull of the points that can carry.

The second lets the foot lean on parts that the pressure reaches only by changing shape: the
surface of the first is not moved along, which is exact at the centre of the given pressure. Both
margins are 1 - gauge, as `contact.margins.sole_margin` defines them for the pressure's own forces.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from contact.frames import wrenches_of
from contact.margins.limit_surface import LimitSurface, check_gauge
from contact.margins.limit_surface_kernels import slip_gauges
from contact.wrench_cone import LEAST_LOAD, UNLOADED, UNLOADED_WORDS, Hull, WrenchCone, flat_words
from sole.base.arrays import BoolArray, FloatArray, IntArray, shaped
from sole.base.checks import numbers
from sole.base.errors import SoleError

TOLERANCE = 1e-8  # of a gauge, relative


@dataclass(frozen=True, eq=False, kw_only=True)
class PressureMargin:
    """Margins (...,) of wrenches (..., 6); -inf, edge -1 and motion 0 without load.

    Parameters
    ----------
    slip : against sliding and yawing, proved from below by friction forces.
    tilt : of the centre of pressure in the hull, and the `edge` of the hull it would tip about.
    motion : (..., 3) (vx, vy, omega) of the origin in which the foot slips, any scale.
    """

    slip: FloatArray
    tilt: FloatArray
    edge: IntArray
    motion: FloatArray

    @property
    def value(self) -> FloatArray:
        """(...,) the smaller of both."""
        return np.asarray(np.minimum(self.slip, self.tilt))[()]


@dataclass(frozen=True, eq=False, kw_only=True)
class PressureCone:
    """Wrenches that a pressure of fixed shape holds by Coulomb's friction.

    Parameters
    ----------
    points : (K, 2) nodes in the tread plane, axes of the foot [m].
    forces : (K,) normal forces >= 0, of which only the shares count [N].
    friction : mu > 0, one or (K,).
    support : (n, 2) points whose hull can carry; default all `points`.
    """

    points: FloatArray
    forces: FloatArray
    friction: FloatArray
    support: FloatArray | None = None
    surface: LimitSurface = field(init=False, repr=False)
    hull: Hull = field(init=False, repr=False)

    def __post_init__(self) -> None:
        x = numbers("points", self.points)
        if x.ndim != 2 or x.shape[1] != 2 or len(x) == 0:
            raise SoleError(f"points must have shape (K, 2), K > 0, got {x.shape}")
        p = shaped("forces", self.forces, (len(x),))
        if not (p >= 0).all() or not p.sum() > LEAST_LOAD:
            raise SoleError("forces must press: none negative, and not all zero")
        flat = np.column_stack([x, np.zeros(len(x))])
        surface = LimitSurface(flat, p / p.sum(), self.friction)
        if not surface.strength > 0:
            raise SoleError("the cone of a pressure needs friction > 0 where it presses")
        object.__setattr__(self, "surface", surface)
        object.__setattr__(self, "hull", Hull.of(x if self.support is None else self.support))

    @property
    def cop(self) -> FloatArray:
        """(2,) centre of the given pressure [m]."""
        return np.asarray(self.surface.normal_forces @ self.surface.points[:, :2])

    def margin(self, wrenches: ArrayLike) -> PressureMargin:
        """Return the margins of wrenches (..., 6)."""
        w = wrenches_of(wrenches)
        rows = w.reshape(-1, 6)
        pressed = rows[:, 2] > LEAST_LOAD
        q = rows[pressed] / rows[pressed, 2:3]
        s = self.surface
        x, y = s.centre[:2]
        loads = np.column_stack([q[:, 0], q[:, 1], q[:, 5] - (x * q[:, 1] - y * q[:, 0])])
        gauge, d = slip_gauges(
            s.points, s.frames, s.holding, s.axes, s.centre, s.strength, s.radius, loads, TOLERANCE
        )
        check_gauge(gauge)
        out = (np.column_stack([-q[:, 4], q[:, 3]]) - self.hull.centre) @ self.hull.normals.T
        if self.hull.reach[0] > 0:
            share = out / self.hull.reach
        else:  # a line: only loads on it
            share = np.where(out <= TOLERANCE * np.abs(self.hull.vertices).max(), 1.0, np.inf)
        slip, tilt = np.full((2, len(rows)), -np.inf)
        edge, motion = np.full(len(rows), UNLOADED), np.zeros((len(rows), 3))
        slip[pressed], tilt[pressed] = 1 - gauge, 1 - share.max(axis=1)
        edge[pressed] = share.argmax(axis=1)
        d[:, 0] += d[:, 2] * y  # from the centre to the origin
        d[:, 1] -= d[:, 2] * x
        motion[pressed] = -d
        lead = w.shape[:-1]
        return PressureMargin(
            slip=slip.reshape(lead)[()],
            tilt=tilt.reshape(lead)[()],
            edge=edge.reshape(lead)[()],
            motion=motion.reshape(*lead, 3),
        )

    def contains(self, wrenches: ArrayLike, tolerance: float = 0.0) -> BoolArray:
        """Return whether wrenches (..., 6) have margins of at least -`tolerance`."""
        return np.asarray(self.margin(wrenches).value >= -tolerance)

    def word(self, wrench: ArrayLike) -> str:
        """Return in words how the foot gives way first under one wrench (6,)."""
        found = self.margin(shaped("wrench", wrench, (6,)))
        if found.edge == UNLOADED:
            return UNLOADED_WORDS
        if found.tilt < found.slip:
            n = self.hull.normals[found.edge]
            return flat_words(np.array([[0, 0, 0, n[1], -n[0], 0.0]]), 1.0)[0]
        vx, vy, omega = found.motion
        row = np.array([[-vx, -vy, 0, 0, 0, -omega]])
        return flat_words(row, self.surface.radius or 1.0, noise=1e-5)[0]

    def polyhedron(self) -> WrenchCone:
        """Return a polyhedral cone inside this one, to be added to others by `together`.

        Its rays are 26 points of the limit surface at every corner of the hull. Loads in those
        directions have the same slip margin, others a smaller one.
        """
        signs = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 3), axis=-1).reshape(-1, 3)
        s = self.surface
        b = s.boundary(np.delete(signs, 13, axis=0) * [1, 1, s.radius or 1.0])
        count = len(b)
        rays = []
        for x, y in self.hull.vertices:
            one, place = np.ones(count), np.tile([y, -x], (count, 1))
            rays.append(np.column_stack([b[:, 0], b[:, 1], one, place, b[:, 2]]))
        c = self.hull.centre
        return WrenchCone.of_generators(
            np.vstack(rays), axis=[0, 0, 1, c[1], -c[0], 0], up=[0, 0, 1], flat=True
        )
