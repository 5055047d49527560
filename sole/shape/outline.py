"""Closed plane curves of straight lines and circular arcs: a polygon with rounded corners."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sole.base.arrays import FloatArray, frozen
from sole.base.errors import ShapeError

_FINEST_ARC = math.radians(5.0)  # largest step of the polygon that approximates an arc


class Edge(NamedTuple):
    """A line from `start` to `end`, or the shorter arc between them about `center`."""

    start: tuple[float, float]
    end: tuple[float, float]
    center: tuple[float, float] | None


@dataclass(frozen=True, eq=False)
class Outline:
    """A simple polygon whose corners are rounded by circles, counter-clockwise.

    The arc of corner i starts and ends t_i = r_i tan(|phi_i|/2) from the corner, where the
    polygon turns by phi_i; an edge must be as long as the sum of t at its ends.

    Parameters
    ----------
    corners : (n, 2) corners [m] in either sense, n >= 3; the last is joined to the first.
    radii : (n,) radius of each corner [m], >= 0.

    Raises
    ------
    ShapeError
        Too few or repeated corners, non-finite values, self-intersection, or a radius too large.
    """

    corners: FloatArray
    radii: FloatArray

    def __post_init__(self) -> None:
        corners = np.asarray(self.corners, dtype=float)
        radii = np.asarray(self.radii, dtype=float)
        if corners.ndim != 2 or corners.shape[1] != 2 or len(corners) < 3:
            raise ShapeError(
                f"an outline needs at least 3 points (x, y), got an array of shape {corners.shape}"
            )
        if not (np.isfinite(corners).all() and np.isfinite(radii).all()):
            raise ShapeError("an outline must have finite points and radii, got NaN or infinity")
        if radii.min() < 0:
            raise ShapeError(f"a corner radius must not be negative, got {radii.min():g} m")
        _refuse_repeated(corners)
        _refuse_crossing(corners)
        if _signed_area(corners) < 0:
            corners, radii = corners[::-1], radii[::-1]
        object.__setattr__(self, "corners", frozen(corners))
        object.__setattr__(self, "radii", frozen(radii))
        _refuse_crossing(self.polygon)

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Lines and arcs in order, counter-clockwise, without zero lengths.

        Raises
        ------
        ShapeError
            A radius too large for its corner.
        """
        P, r = self.corners, self.radii
        before, after = P - np.roll(P, 1, axis=0), np.roll(P, -1, axis=0) - P
        length = np.linalg.norm(after, axis=1)
        u, v = before / np.roll(length, 1)[:, None], after / length[:, None]
        cross, dot = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0], np.einsum("ij,ij->i", u, v)
        phi = np.arctan2(cross, dot)
        t = r * np.tan(np.abs(phi) / 2)
        free = length - t - np.roll(t, -1)
        worst = int(free.argmin())
        if free[worst] < -1e-9 * length.max():
            other = (worst + 1) % len(P)
            raise ShapeError(
                f"corner radii {r[worst]:g} and {r[other]:g} m are too large for the edge of "
                f"{length[worst]:g} m between them: together they need {t[worst] + t[other]:g} m"
            )
        start, end = P - t[:, None] * u, P + t[:, None] * v
        inward = np.sign(cross)[:, None] * np.column_stack([-u[:, 1], u[:, 0]])
        center = start + r[:, None] * inward
        edges = []
        for i in range(len(P)):
            if t[i] > 1e-9 * length.max():
                edges.append(Edge(_pair(start[i]), _pair(end[i]), _pair(center[i])))
            if free[i] > 1e-9 * length.max():
                edges.append(Edge(_pair(end[i]), _pair(start[(i + 1) % len(P)]), None))
        return tuple(edges)

    @cached_property
    def polygon(self) -> FloatArray:
        """(k, 2) points on the curve [m], arcs every 5 degrees and at their extremes in x, y."""
        points: list[tuple[float, float]] = []
        for edge in self.edges:
            points += [edge.start] if edge.center is None else _on_arc(edge)
        return frozen(points)

    def inset_area(self, distance: float) -> float:
        """Return the area [m^2] inside the curve at a distance [m] within; 0 if it comes apart."""
        from shapely import Polygon as Area

        inside = Area(self.polygon).buffer(-distance, join_style="mitre", mitre_limit=100.0)
        return float(inside.area) if isinstance(inside, Area) else 0.0

    @cached_property
    def bounds(self) -> FloatArray:
        """((x_min, y_min), (x_max, y_max)) of the curve itself [m]."""
        return frozen([self.polygon.min(axis=0), self.polygon.max(axis=0)])

    @property
    def area(self) -> float:
        """Area inside the curve [m^2], exact."""
        total = _signed_area(np.array([edge.start for edge in self.edges]))
        for edge in self.edges:
            if edge.center is not None:
                a, b = (np.subtract(p, edge.center) for p in (edge.start, edge.end))
                sweep = math.atan2(a[0] * b[1] - a[1] * b[0], float(a @ b))
                total += float(a @ a) * (sweep - math.sin(sweep)) / 2
        return total

    @property
    def perimeter(self) -> float:
        """Length of the polygon that approximates the curve [m]."""
        return float(np.linalg.norm(self.polygon - np.roll(self.polygon, 1, axis=0), axis=1).sum())

    def shifted(self, x: float, y: float) -> Outline:
        """Return the same curve moved by (x, y) [m]."""
        if x == 0 and y == 0:
            return self
        return Outline(self.corners + np.array([x, y]), self.radii)


def rectangle(
    length: float, width: float, radii: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
) -> Outline:
    """Return a rectangle about the origin; radii start at the heel's right, counter-clockwise."""
    return trapezium(length, width, width, radii)


def trapezium(
    length: float, heel_width: float, toe_width: float, radii: tuple[float, float, float, float]
) -> Outline:
    """Return a symmetric trapezium: heel at x = -length/2, toe at +length/2."""
    x, h, t = length / 2, heel_width / 2, toe_width / 2
    return Outline(np.array([(-x, -h), (x, -t), (x, t), (-x, h)]), np.array(radii))


def _pair(p: FloatArray) -> tuple[float, float]:
    return float(p[0]), float(p[1])


def _on_arc(edge: Edge) -> list[tuple[float, float]]:
    """Return the points of an arc from its start (included) to its end (excluded)."""
    assert edge.center is not None
    a, b = (np.subtract(p, edge.center) for p in (edge.start, edge.end))
    radius, first = float(np.hypot(*a)), math.atan2(a[1], a[0])
    sweep = math.atan2(a[0] * b[1] - a[1] * b[0], float(a @ b))
    steps = max(1, math.ceil(abs(sweep) / _FINEST_ARC))
    angles = [first + sweep * k / steps for k in range(1, steps)]
    low, high = sorted((first, first + sweep))
    quarter = math.pi / 2
    extremes = [
        k * quarter for k in range(math.ceil(low / quarter), math.floor(high / quarter) + 1)
    ]
    angles = [g for g in angles if all(abs(g - e) > 1e-6 for e in extremes)] + extremes
    inside = sorted((g for g in angles if low + 1e-6 < g < high - 1e-6), reverse=sweep < 0)
    x, y = edge.center
    return [edge.start] + [(x + radius * math.cos(g), y + radius * math.sin(g)) for g in inside]


def _signed_area(P: FloatArray) -> float:
    x, y = P.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def _refuse_repeated(P: FloatArray) -> None:
    length = np.linalg.norm(np.roll(P, -1, axis=0) - P, axis=1)
    i = int(length.argmin())
    if length[i] <= 1e-9 * float(np.ptp(P, axis=0).max()):
        raise ShapeError(
            f"outline points {i} and {(i + 1) % len(P)} coincide at ({P[i, 0]:g}, {P[i, 1]:g}) m; "
            "leave one out (the outline closes by itself)"
        )


def _refuse_crossing(P: FloatArray) -> None:
    from shapely import Polygon
    from shapely.validation import explain_validity

    polygon = Polygon(P)
    if not polygon.is_valid:
        reason = explain_validity(polygon)
        raise ShapeError(f"the outline crosses or touches itself: {reason} (x y in metres)")
    if polygon.area <= 1e-6 * float(np.ptp(P, axis=0).max()) ** 2:
        raise ShapeError(f"the outline encloses no area: {polygon.area:g} m^2")
