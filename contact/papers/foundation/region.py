"""Contact regions: the part of the sole plane that touches the ground, with exact integrals.

A region consists of pieces (pads, triangles of a mesh, ...), each with its own moments of area, so
that a contact switch per pad or a different height of the ground under each costs nothing. All
coordinates are r = (x, y) in the foot's frame F with the tool centre point (TCP) as origin, in the
sole plane: x forward, y left [m].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from contact.papers.foundation.moments import (
    gram,
    moments_of_points,
    moments_of_rings,
    moments_of_segments,
)
from sole.base.arrays import BoolArray, FloatArray, IntArray, frozen
from sole.base.checks import numbers, positive
from sole.base.errors import ShapeError
from sole.mesh import SoleMesh

FLAT = 1e-6  # of the sole's size: how far above the lowest vertex the tread is still flat
MEASURE = ("", "length", "area")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Region:
    """A contact region made of pieces.

    Parameters
    ----------
    dimension : 2 for areas, 1 for lines, 0 for points. Forces per area, length or point.
    parts : coordinates (k, 2) [m] of rings (outer ones counter-clockwise, holes clockwise), of the
        two ends of a segment, or of one point.
    piece : (parts,) the piece that each belongs to, 0, 1, ...

    Raises
    ------
    ShapeError
        No piece, NaN, or pieces without area or length.
    """

    dimension: int
    parts: tuple[FloatArray, ...]
    piece: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))

    def __post_init__(self) -> None:
        put = object.__setattr__
        parts = tuple(_points(p, "a contact region") for p in self.parts)
        if not parts:
            raise ShapeError("a contact region needs at least one piece, got none")
        piece = self.piece if len(self.piece) else np.arange(len(parts))
        put(self, "parts", parts)
        put(self, "piece", frozen(piece, np.int64))
        counts = {2: (3, None), 1: (2, 2), 0: (1, 1)}
        if self.dimension not in counts:
            raise ShapeError(f"a region has dimension 0, 1 or 2, got {self.dimension}")
        low, high = counts[self.dimension]
        if any(len(p) < low or (high is not None and len(p) > high) for p in parts):
            raise ShapeError(
                f"a part of a region of dimension {self.dimension} has a wrong number of points"
            )
        if len(self.piece) != len(parts) or not np.array_equal(
            np.unique(self.piece), np.arange(self.pieces)
        ):
            raise ShapeError(f"every part needs its piece, counted from 0; got {self.piece}")
        size = float(np.ptp(self.vertices, axis=0).max())
        small = self.moments[:, 0] <= 1e-12 * size**self.dimension
        if self.dimension and small.any():
            i = int(small.argmax())
            raise ShapeError(
                f"piece {i} of the contact region has {MEASURE[self.dimension]} "
                f"{self.moments[i, 0]:.3g}: it must be positive"
            )

    def __repr__(self) -> str:
        """Return one line: pieces and size."""
        unit = ("", "m", "m^2")[self.dimension]
        name = MEASURE[self.dimension] or "points"
        return f"<Region of {self.pieces} piece(s), {name} {self.area:.4g} {unit}>"

    @property
    def pieces(self) -> int:
        """The number of pieces."""
        return int(self.piece.max()) + 1

    @cached_property
    def vertices(self) -> FloatArray:
        """(V, 2) of all parts one behind the other."""
        return frozen(np.concatenate(self.parts))

    @cached_property
    def first(self) -> IntArray:
        """(parts + 1,) where each part begins in `vertices`."""
        return frozen(np.cumsum([0, *map(len, self.parts)]), np.int64)

    @cached_property
    def moments(self) -> FloatArray:
        """(pieces, 6) int (1, x, y, x^2, x y, y^2) over every piece; exact."""
        if self.dimension == 2:
            rows = moments_of_rings(self.vertices, self.first)
        elif self.dimension == 1:
            rows = moments_of_segments(self.vertices.reshape(-1, 2, 2))
        else:
            rows = moments_of_points(self.vertices)
        total = np.zeros((self.pieces, 6))
        np.add.at(total, self.piece, rows)
        return frozen(total)

    @property
    def area(self) -> float:
        """A [m^2]; the length of lines [m], the number of points."""
        return float(self.moments[:, 0].sum())

    @property
    def centre(self) -> FloatArray:
        """r_c (2,) [m]."""
        A, x, y, *_ = self.moments.sum(axis=0)
        return np.asarray([x / A, y / A])

    @cached_property
    def gram(self) -> FloatArray:
        """int phi phi' dA (3, 3), phi = (y, -x, 1): U = -c_A gram."""
        return frozen(gram(self.moments.sum(axis=0)))

    def shifted(self, x: float, y: float) -> Region:
        """Return the region seen from a TCP at (-x, -y): every point moved by (x, y) [m]."""
        parts = tuple(p + np.array([x, y]) for p in self.parts)
        return Region(dimension=self.dimension, parts=parts, piece=self.piece)


def rectangle_region(length: float, width: float, centre: Sequence[float] = (0.0, 0.0)) -> Region:
    """Return the rectangle of `length` along x and `width` along y [m] about `centre`."""
    for name, side in (("length", length), ("width", width)):
        positive(f"the {name} of a rectangle", side, "m", ShapeError)
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.array([length, width]) / 2
    return Region(dimension=2, parts=(corners + numbers("centre", centre),))


def polygon_region(corners: ArrayLike, holes: Sequence[ArrayLike] = ()) -> Region:
    """Return the simple polygon `corners` (n, 2) [m], in either sense, without its `holes`.

    Raises
    ------
    ShapeError
        Fewer than three corners, no area, crossing itself, a hole that is not inside.
    """
    from sole.shape import Outline

    def ring(points: ArrayLike) -> FloatArray:
        P = _points(points, "a polygon")
        return Outline(P, np.zeros(len(P))).corners  # counter-clockwise and simple, or an error

    rings = [ring(corners), *(ring(h)[::-1] for h in holes)]
    if holes:
        from shapely import Polygon

        if not Polygon(rings[0], rings[1:]).is_valid:
            raise ShapeError("the holes of a polygon must lie inside it and not touch each other")
    return Region(dimension=2, parts=tuple(rings), piece=np.zeros(len(rings), np.int64))


def union_of_regions(*regions: Region) -> Region:
    """Return one region of several that do not overlap; pieces keep their order.

    Raises
    ------
    ShapeError
        Regions of different dimension, or areas that overlap.
    """
    if not regions or len({r.dimension for r in regions}) != 1:
        raise ShapeError("a union needs regions of one dimension: areas, lines or points")
    offset = np.cumsum([0, *(r.pieces for r in regions)])
    piece = np.concatenate([r.piece + k for r, k in zip(regions, offset, strict=False)])
    joined = Region(
        dimension=regions[0].dimension, parts=sum((r.parts for r in regions), ()), piece=piece
    )
    if joined.dimension == 2:
        _refuse_overlap(regions, joined.area)
    return joined


def four_pads(length: float, width: float, pad_length: float, pad_width: float) -> Region:
    """Return four equal pads in the corners of a foot, as under LOLA's [SygullaEtAl2017].

    Order: front left, front right, rear left, rear right. All in m.
    """
    for whole, pad in ((length, pad_length), (width, pad_width)):
        if positive("a side of a foot", whole, "m", ShapeError) < positive(
            "a side of a pad", pad, "m", ShapeError
        ):
            raise ShapeError(f"a pad of {pad:g} m does not fit on a foot of {whole:g} m")
    x, y = (length - pad_length) / 2, (width - pad_width) / 2
    at = ((x, y), (x, -y), (-x, y), (-x, -y))
    return union_of_regions(*(rectangle_region(pad_length, pad_width, centre) for centre in at))


def triangles_region(points: ArrayLike, facets: ArrayLike) -> Region:
    """Return triangles `facets` (t, 3) of `points` (n, 2) [m], in either sense; one piece each."""
    P, f = _points(points, "a mesh"), numbers("facets", facets)
    if not (np.isfinite(f) & (f == np.round(f))).all():
        raise ShapeError("facets must be whole numbers, the indices of points")
    f = f.astype(np.int64)
    if f.ndim != 2 or f.shape[1:] != (3,) or f.min(initial=0) < 0 or f.max(initial=-1) >= len(P):
        raise ShapeError(f"facets must be (t, 3) indices below {len(P)}, got shape {f.shape}")
    if len(np.unique(np.sort(f, axis=1), axis=0)) < len(f):
        raise ShapeError("facets must differ: a triangle that is given twice would count twice")
    corners = P[f]
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    clockwise = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] < 0
    corners[clockwise] = corners[clockwise][:, ::-1]
    return Region(dimension=2, parts=tuple(corners))


def tread_region(mesh: SoleMesh, nodes: BoolArray | None = None) -> Region:
    """Return the tread facets of a mesh whose vertices all touch; one piece per facet.

    Parameters
    ----------
    nodes : (m,) which tread vertices touch, as in `CondensedSole.points`; default: those in the
        plane of the lowest one, that is all of a flat tread but not a rising toe.
    """
    P = mesh.points[mesh.tread_vertices]
    if nodes is None:
        nodes = P[:, 2] <= P[:, 2].min() + FLAT * float(np.ptp(mesh.points, axis=0).max())
    nodes = np.asarray(nodes)
    if nodes.shape != (len(P),) or nodes.dtype != np.bool_:
        raise ShapeError(f"nodes must be ({len(P)},) booleans, got {nodes.shape} {nodes.dtype}")
    facets = np.searchsorted(mesh.tread_vertices, mesh.tread)
    inside = facets[nodes[facets].all(axis=1)]
    if len(inside) == 0:
        raise ShapeError("no facet of the tread has all its vertices in contact: no area")
    return triangles_region(P[:, :2], inside)


def segments_region(ends: ArrayLike) -> Region:
    """Return lines `ends` (s, 2, 2) [m]: a foot on an edge. U is singular for one line."""
    array = numbers("segments", ends)
    array = array[None] if array.ndim == 2 else array
    if array.ndim != 3 or array.shape[1:] != (2, 2):
        raise ShapeError(f"segments must be (s, 2, 2), got {np.shape(ends)}")
    return Region(dimension=1, parts=tuple(array))


def points_region(places: ArrayLike) -> Region:
    """Return points `places` (p, 2) [m]: U is singular for one, two, or any number on a line."""
    return Region(dimension=0, parts=tuple(p[None] for p in _points(places, "points")))


def _points(values: ArrayLike, what: str) -> FloatArray:
    try:
        array = np.atleast_2d(np.asarray(values, dtype=float))
    except (TypeError, ValueError) as error:
        raise ShapeError(f"{what} needs points (n, 2) ({error})") from error
    if array.ndim != 2 or array.shape[1] != 2:
        raise ShapeError(f"{what} needs points (n, 2), got shape {np.shape(values)}")
    if not np.isfinite(array).all():
        raise ShapeError(f"{what} needs finite coordinates, got NaN or infinity")
    return frozen(array)


def _refuse_overlap(regions: Sequence[Region], area: float) -> None:
    """Compare the area of the union with the sum; only where bounding boxes meet."""
    low = np.array([r.vertices.min(axis=0) for r in regions])
    high = np.array([r.vertices.max(axis=0) for r in regions])
    meet = (low[:, None] < high[None]).all(axis=2) & (low[None] < high[:, None]).all(axis=2)
    if meet.sum() == len(regions):  # each only with itself
        return
    from shapely import Polygon, unary_union

    shapes = []
    for region in regions:
        for piece in range(region.pieces):
            rings = [p for p, k in zip(region.parts, region.piece, strict=True) if k == piece]
            shapes.append(Polygon(rings[0], rings[1:]))
    lost = area - float(unary_union(shapes).area)
    if lost > 1e-9 * area:
        raise ShapeError(f"the pieces of a contact region overlap by {lost:.4g} m^2")
