"""The contact wrench cone: the wrenches that a contact can transmit, and their margin.

    {w : A w <= 0} = {sum_j lambda_j g_j, lambda >= 0},    w = (fx, fy, fz, tx, ty, tz),

ground on foot, taken at the origin of the cone's frame. Rectangles have 16 rows in closed form
[CaronPhamNakamura2015]; convex polygons and several feet get theirs by double description.

The margin of w is the largest lambda for which w - lambda (f . up) c is still in the cone, c the
central wrench of unit load (for a foot: the vertical force at its centre):

    margin = min_k  A_k w / (A_k c  f . up)

the share of the load that could be taken away at the centre before the contact gives way. It is 1
for the central load itself, 0 on the boundary, negative outside, and one minus the gauge of the
cone's cross-section measured from c. The facet of the minimum tells how it gives way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from contact.frames import wrench_matrix, wrenches_of
from contact.wrench_cone.cone_kernels import UNLOADED, ConeMargin, least_share
from contact.wrench_cone.facet_words import NOTHING, UNLOADED_WORDS
from contact.wrench_cone.facets import find_pairs, lever, reach
from contact.wrench_cone.friction_pyramids import (
    central_load,
    checked_contacts,
    generators_at,
    lies_flat,
    pyramid_friction,
)
from contact.wrench_cone.polygon import centroid_of, checked_polygon, few_corners
from contact.wrench_cone.rectangle import (
    RECTANGLE_WORDS,
    checked_halves,
    rectangle_corners,
    rectangle_rows,
)
from contact.wrench_cone.spanning import EQUATION, centre_of, lie_level, local_generators, span_rows
from contact.wrench_cone.yaw_interval import YawTorque, yaw_of
from sole.base.arrays import BoolArray, FloatArray, frozen, shaped
from sole.base.errors import SoleError

VERTICAL = (0, 0, 1, 0, 0, 0)
MET = 1e-9  # an equation counts as met up to this part of the load (times the lever)
HELD = 1e-8  # generators may miss the rows by this much, relative


@dataclass(frozen=True, eq=False, kw_only=True)
class WrenchCone:
    """A polyhedral cone of wrenches.

    Parameters
    ----------
    rows : A (k, 6) with A w <= 0. -A w is a force [N] where the moment entries of a row are 0,
        else a moment [N m]. (0, 6): the contacts hold every wrench.
    words : (k,) how the contact gives way at each facet.
    generators : (g, 6) rays; (0, 6) if unknown.
    axis : central wrench c (6,) inside the cone, c_f . up = 1 (load 1 N).
    up : unit vector (3,) along which f . up is the load.
    flat : all contacts lie in one plane with normal z, so that words may name edges.

    Raises
    ------
    SoleError
        If generators or axis are not in the cone of the rows.
    """

    rows: FloatArray
    words: tuple[str, ...]
    generators: FloatArray = field(default_factory=lambda: np.zeros((0, 6)))
    axis: FloatArray = field(default_factory=lambda: np.array(VERTICAL, float))
    up: FloatArray = field(default_factory=lambda: np.array(VERTICAL[:3], float))
    flat: bool = False

    def __post_init__(self) -> None:
        for name in ("rows", "generators"):
            values = np.asarray(getattr(self, name), dtype=float)
            values = wrenches_of(values if values.size else values.reshape(-1, 6))
            object.__setattr__(self, name, frozen(values.reshape(-1, 6)))
        object.__setattr__(self, "axis", frozen(shaped("axis", self.axis, (6,))))
        object.__setattr__(self, "up", frozen(shaped("up", self.up, (3,))))
        object.__setattr__(self, "words", tuple(self.words))
        if len(self.words) != len(self.rows):
            raise SoleError(f"{len(self.rows)} rows need as many words, got {len(self.words)}")
        length = abs(float(np.linalg.norm(self.up)) - 1)
        if length > HELD or abs(float(self.axis[:3] @ self.up) - 1) > HELD:
            raise SoleError("up must be a unit vector, and the force of axis must be 1 along it")
        arm = lever(self.generators) if len(self.generators) else lever(self.axis[None])
        size = reach(self.rows, arm)
        if not (self.rows @ self.axis <= HELD * size).all():
            raise SoleError("axis must lie in the cone of the rows")
        sizes = np.linalg.norm(self.generators[:, :3], axis=1)
        if not (self.rows @ self.generators.T <= HELD * np.outer(size, sizes)).all():
            raise SoleError("the generators must lie in the cone of the rows")
        central = -self.rows @ self.axis
        # Equations are pairs +-a; a small central share of a single row comes from small friction.
        equation = (central <= 0) | (find_pairs(self.rows) & (central <= EQUATION * size))
        object.__setattr__(self, "_central", frozen(np.where(equation, 0.0, central)))
        object.__setattr__(self, "_allowed", frozen(MET * size))

    _central: FloatArray = field(init=False, repr=False)
    _allowed: FloatArray = field(init=False, repr=False)

    @classmethod
    def of_rectangle(
        cls, half_length: float, half_width: float, friction: float, pyramid: str = "outer"
    ) -> WrenchCone:
        """Return the 16 rows of a rectangle, half length X, half width Y [m], at its centre.

        Parameters
        ----------
        pyramid : `outer`, |fx|, |fy| <= mu fz at every point as in the paper, or `inner`, the
            same with mu/sqrt 2, which the circular cone holds.
        """
        X, Y = checked_halves(half_length, half_width)
        mu = pyramid_friction(friction, pyramid)
        places = np.column_stack([rectangle_corners(X, Y), np.zeros(4)])
        return cls(
            rows=rectangle_rows(X, Y, mu),
            words=RECTANGLE_WORDS,
            generators=generators_at(places, np.broadcast_to(np.eye(3), (4, 3, 3)), mu),
            flat=True,
        )

    @classmethod
    def of_polygon(cls, vertices: ArrayLike, friction: float, pyramid: str = "outer") -> WrenchCone:
        """Return the cone of a convex polygon (n, 2) [m] in the plane z = 0, about the origin.

        Central is the vertical force at the area's centroid. Rows grow like 2.8 n^2 (24 corners:
        1532), so that more than 40 corners are refused.
        """
        p = few_corners(checked_polygon(vertices))
        x, y = centroid_of(p)
        places = np.column_stack([p, np.zeros(len(p))])
        frames = np.broadcast_to(np.eye(3), (len(p), 3, 3))
        axis = np.array([0, 0, 1, y, -x, 0])
        return cls.of_contacts(places, frames, friction, pyramid, axis=axis)

    @classmethod
    def of_contacts(
        cls,
        points: ArrayLike,
        frames: ArrayLike,
        friction: float,
        pyramid: str = "outer",
        *,
        axis: ArrayLike | None = None,
        up: ArrayLike | None = None,
    ) -> WrenchCone:
        """Return the cone of point contacts, of one foot or several, about the origin.

        Parameters
        ----------
        points : (n, 3) [m], for instance the corners of both feet.
        frames : (n, 3, 3) with rows t1, t2, n of every contact, n from the ground into the robot.
        axis : central wrench; by default the same normal force at every contact. Scaled here.
        up : direction of the load; by default that of the sum of the normals.

        A cone without interior (a point, a line, no friction) gets pairs of opposite rows; one
        that is the whole space, whose contacts can squeeze in all directions, has no rows.
        """
        p, frame = checked_contacts(points, frames)
        mu = pyramid_friction(friction, pyramid)
        middle = p.mean(axis=0)
        flat = lies_flat(p - middle, frame)
        scale = mu if flat and mu > 0 else 1.0
        central = np.mean(generators_at(p, frame, 0.0), axis=0) if axis is None else axis
        c, n = central_load(central, up)
        local = generators_at(p - middle, frame, mu / scale)
        rows, words = span_rows(local, middle, c, n, flat=flat, mu=scale)
        rays = generators_at(p, frame, mu)
        return cls(rows=rows, words=words, generators=rays, axis=c, up=n, flat=flat)

    @classmethod
    def of_generators(
        cls,
        generators: ArrayLike,
        *,
        axis: ArrayLike | None = None,
        up: ArrayLike | None = None,
        flat: bool = False,
    ) -> WrenchCone:
        """Return the cone of `generators` (g, 6), each with a force.

        Parameters
        ----------
        axis, up : as for `of_contacts`; by default the mean generator and its force.
        flat : all forces act in a plane with normal z: words name edges and directions.
        """
        g = wrenches_of(generators).reshape(-1, 6)
        if len(g) == 0 or not np.linalg.norm(g[:, :3], axis=1).all():
            raise SoleError("a wrench cone needs generators, each with a force")
        c, n = central_load(g.mean(axis=0) if axis is None else axis, up)
        centre = centre_of(g)
        rows, words = span_rows(local_generators(g, centre), centre, c, n, flat=flat)
        return cls(rows=rows, words=words, generators=g, axis=c, up=n, flat=flat)

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of the slack of every facet: "N" or "N m"."""
        return tuple("N m" if row[3:].any() else "N" for row in self.rows)

    @property
    def equations(self) -> BoolArray:
        """(k,) whether a facet is half of an equation: the cone has no interior if any is."""
        return np.asarray(self._central == 0)

    @property
    def presses(self) -> bool:
        """Whether every wrench of the cone but 0 has a load f . up > 0."""
        return not self.whole and bool((self.generators[:, :3] @ self.up > 0).all())

    @property
    def whole(self) -> bool:
        """Whether the cone is the whole space: nothing limits the wrench."""
        return len(self.rows) == 0

    def load(self, wrenches: ArrayLike) -> FloatArray:
        """Return f . up of wrenches (..., 6) [N]."""
        return np.asarray(wrenches_of(wrenches)[..., :3] @ self.up)

    def slack(self, wrenches: ArrayLike) -> FloatArray:
        """Return -A w of wrenches (..., 6): (..., k), in `units`, negative where violated."""
        return np.asarray(-wrenches_of(wrenches) @ self.rows.T)

    def margin(self, wrenches: ArrayLike) -> ConeMargin:
        """Return margins (...,) of wrenches (..., 6), dimensionless, and their active facets.

        1 for the central load, 0 on the boundary, negative outside. Without load (f . up <= 0):
        -inf and facet `UNLOADED`. Equations count as met up to 1e-9 of the load and are -inf
        beyond. A load on a cone that is the whole space has the margin inf.
        """
        w = wrenches_of(wrenches)
        flat = np.ascontiguousarray(w.reshape(-1, 6))
        value, facet = least_share(flat, self.rows, self._central, self.up, self._allowed)
        shape = w.shape[:-1]
        return ConeMargin(value.reshape(shape)[()], facet.reshape(shape)[()])

    def contains(self, wrenches: ArrayLike, tolerance: float = 0.0) -> BoolArray:
        """Return whether wrenches (..., 6) have a load and a margin of at least -`tolerance`.

        If the contacts can hold wrenches without a load or against `up` (they squeeze, or pull
        by friction on steep walls), the rows alone decide, `tolerance` being part of |f . up|.
        """
        if self.presses:
            return np.asarray(self.margin(wrenches).value >= -tolerance)
        w = wrenches_of(wrenches)
        force = np.linalg.norm(w[..., :3], axis=-1)[..., None]
        allowed = tolerance * self._central * np.abs(self.load(w))[..., None]
        allowed = np.where(self.equations, self._allowed * force, allowed)
        return np.asarray((self.slack(w) >= -allowed).all(axis=-1))

    def word(self, facet: int) -> str:
        """Return the words of a facet, numbered as by `margin`."""
        if facet == UNLOADED:
            return NOTHING if self.whole else UNLOADED_WORDS
        return self.words[facet]

    def yaw_torque(self, wrenches: ArrayLike) -> YawTorque:
        """Return the interval of tz that the rows with tz allow to wrenches (..., 6).

        The tz of the wrenches is ignored, and so are rows without tz: where those fail, no yaw
        torque holds the contact.
        """
        w = wrenches_of(wrenches).copy()
        w[..., 5] = 0.0
        return yaw_of(self.rows, self.slack(w))

    def moved(self, rotation: ArrayLike, translation: ArrayLike) -> WrenchCone:
        """Return the same cone for wrenches of frame b: x_b = R x + p, R (3, 3), p (3,) [m].

        Margins and slacks of moved wrenches are the same; words keep the directions of the
        frame they were made in.
        """
        T = wrench_matrix(rotation, translation)
        R = T[:3, :3]
        return WrenchCone(
            rows=np.asarray(np.linalg.solve(T.T, self.rows.T).T),
            words=self.words,
            generators=self.generators @ T.T,
            axis=T @ self.axis,
            up=R @ self.up,
            flat=self.flat and bool(abs(R[2, 2] - 1) <= EQUATION),
        )


def together(
    cones: Sequence[WrenchCone], *, axis: ArrayLike | None = None, up: ArrayLike | None = None
) -> WrenchCone:
    """Return the cone of several contacts together, all in one frame: Minkowski's sum.

    `axis` and `up` as for `WrenchCone.of_contacts`; by default the mean of those of the cones.
    """
    if not cones or any(len(c.generators) == 0 for c in cones):
        raise SoleError("the sum needs cones, each with its generators")
    if axis is None:
        axis = np.mean([c.axis for c in cones], axis=0)
    g = np.vstack([c.generators for c in cones])
    flat = all(c.flat for c in cones) and lie_level([c.generators for c in cones])
    return WrenchCone.of_generators(g, axis=axis, up=up, flat=flat)
