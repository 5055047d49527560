"""The peak of a pressure as a number that converges: a mean over one square centimetre.

    p(x) = sum_i p_i phi_i(x),   p_i = f_i / A_i
    peak = max over squares S of  1/A int_S p dA,    A = 1 cm^2

phi_i are the hat functions of the tread's triangles; the integral is exact. The squares have their
sides along x and y of the sole. Beside the end of a tread the missing part counts with p = 0.

The largest value at a node grows as the mesh is refined, at a bonded edge without end. So does the
mean over the most loaded nodes that have 1 cm^2 together: they may be a long and thin row.

What the mesh may do to the peak is estimated by (benchmarks/page_tables/pressure_peaks.py)

    error = (peak / peak_4 - 1) a / A + (peak_rim / peak - 1) / 2

peak_4 is the peak over 4 cm^2 and a the mean area A_i in the square. The contact ends somewhere in
the triangles that have nodes with and without load. For peak_rim their loaded nodes get the force
of these triangles on the rest of their area, at least on half of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from sole.base.arrays import BoolArray, FloatArray, IntArray, frozen
from sole.mesh import SoleMesh, normals_and_areas

if TYPE_CHECKING:
    from scipy.sparse import csr_array

PEAK_AREA = 1e-4  # A [m^2]
_STEPS = 4  # places of a square per side: the largest is missed by an eighth of it at most
_UPRIGHT = 1e-3  # area in projection over area: such a triangle counts at its centroid


@dataclass(frozen=True, slots=True, kw_only=True)
class PressurePeak:
    """The mean pressure `value` [Pa] on the most loaded square.

    Parameters
    ----------
    place : (2,) its centre in the sole frame [m].
    error : estimated change of the value by a finer mesh, relative; NaN without load.
    """

    value: float
    place: FloatArray
    error: float


def peak_pressure(mesh: SoleMesh, pressure: FloatArray, area: float = PEAK_AREA) -> PressurePeak:
    """Return the peak of a pressure [Pa] at the tread's nodes (m,), over squares of `area` [m^2].

    A tread of less than `area` counts as a whole.
    """
    side = float(np.sqrt(area))
    near, wide = _squares(mesh, side), _squares(mesh, 2 * side)
    means = near.weights @ pressure
    best = int(np.argmax(means))
    value = float(means[best])
    if not value > 0:
        return PressurePeak(value=0.0, place=frozen(near.centres[best]), error=np.nan)
    coarse = float(near.weights[[best]].toarray()[0] @ mesh.tread_areas) / area
    fall = value / float((wide.weights @ pressure).max()) - 1
    rim = float((near.weights @ _rim_pressure(mesh, near.triangles, pressure)).max()) / value - 1
    return PressurePeak(
        value=value, place=frozen(near.centres[best]), error=max(fall, 0.0) * coarse + rim / 2
    )


def _rim_pressure(mesh: SoleMesh, triangles: IntArray, pressure: FloatArray) -> FloatArray:
    """Return the pressure (m,) if the contact ended where the triangles without load end."""
    open_ = (pressure <= 0)[triangles]
    mixed = open_.any(axis=1) & ~open_.all(axis=1)
    thirds = np.repeat(normals_and_areas(mesh.points, mesh.tread[mixed])[1] / 3, 3)
    lost = np.bincount(triangles[mixed].ravel(), thirds, minlength=len(pressure))
    return pressure / np.maximum(1 - lost / mesh.tread_areas, 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class _Squares:
    """All places of a square on a tread: means = weights @ pressure at the nodes.

    centres (c, 2) [m]; weights (c, m); triangles (f, 3) by tread nodes; area: of a square [m^2], or
    of the tread if that is smaller.
    """

    centres: FloatArray
    weights: csr_array
    triangles: IntArray
    area: float


@lru_cache(maxsize=8)
def _squares(mesh: SoleMesh, side: float) -> _Squares:
    """Return the places of a square of `side` [m], flush with the tread's ends."""
    points = mesh.points[mesh.tread_vertices]
    triangles = np.searchsorted(mesh.tread_vertices, mesh.tread)
    axes = []
    for low, high in zip(points[:, :2].min(axis=0), points[:, :2].max(axis=0), strict=True):
        first, last = low + side / 2, high - side / 2
        if last <= first:
            axes.append(np.array([(low + high) / 2]))
        else:
            number = int(np.ceil((last - first) * _STEPS / side - 1e-9)) + 1
            axes.append(np.linspace(first, last, number))
    centres = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    area = min(side**2, float(mesh.tread_areas.sum()))
    weights = _integrals(points, triangles, centres, side)
    weights.data /= area
    return _Squares(frozen(centres), weights, frozen(triangles, np.int64), area)


def _integrals(
    points: FloatArray, triangles: IntArray, centres: FloatArray, side: float
) -> csr_array:
    """Return int_S phi_i dA (c, m) [m^2] over the `triangles` within every square S."""
    from scipy.sparse import csr_array

    corners = points[triangles]
    flat = corners[:, :, :2]
    e1, e2 = flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]
    projected = (e1[:, 0] * e2[:, 1] - e1[:, 1] * e2[:, 0]) / 2
    _, areas = normals_and_areas(points, triangles)
    upright = np.abs(projected) <= _UPRIGHT * areas
    low, high = flat.min(axis=1), flat.max(axis=1)
    found = []
    for f in range(len(triangles)):  # the squares that may reach a triangle
        meets = (centres + side / 2 >= low[f]) & (centres - side / 2 <= high[f])
        near = np.flatnonzero(meets.all(axis=1))
        found.append(np.column_stack([near, np.full(len(near), f)]))
    c, f = np.concatenate([np.empty((0, 2), np.int64), *found]).T
    polygons = flat[f]
    for axis in range(2):
        polygons = _cut(polygons, axis, centres[c, axis] + side / 2, keep_below=True)
        polygons = _cut(polygons, axis, centres[c, axis] - side / 2, keep_below=False)
    # areas and first moments of the polygons about a corner of their triangle
    r = polygons - flat[f, :1]
    s = np.roll(r, -1, axis=1)
    cross = r[..., 0] * s[..., 1] - r[..., 1] * s[..., 0]
    inside = cross.sum(axis=1) / 2
    moment = ((r + s) * cross[..., None]).sum(axis=1) / 6
    # int phi over them: phi_1 and phi_2 are the coordinates along e1 and e2
    double = np.where(upright, 1.0, 2 * projected)[f]
    along1 = (moment[:, 0] * e2[f, 1] - moment[:, 1] * e2[f, 0]) / double
    along2 = (moment[:, 1] * e1[f, 0] - moment[:, 0] * e1[f, 1]) / double
    hats = np.column_stack([inside - along1 - along2, along1, along2])
    # of the surface, not of its projection
    hats *= (areas / np.where(upright, 1.0, projected))[f, None]
    away = np.abs(flat.mean(axis=1)[f] - centres[c]).max(axis=1)
    within = away <= side / 2 * (1 + 1e-9)
    hats[upright[f]] = ((areas[f] * within) / 3)[upright[f], None]
    rows, columns = np.repeat(c, 3), triangles[f].ravel()
    return csr_array((hats.ravel(), (rows, columns)), shape=(len(centres), len(points)))


def _cut(polygons: FloatArray, axis: int, at: FloatArray, keep_below: bool) -> FloatArray:
    """Return convex polygons (p, v + 1, 2) cut off by a line [SutherlandHodgman1974]_.

    Corners that are left over repeat the last one; a polygon of which nothing is left is a point.
    """
    d = (polygons[:, :, axis] - at[:, None]) * (1.0 if keep_below else -1.0)
    after, d_after = np.roll(polygons, -1, axis=1), np.roll(d, -1, axis=1)
    crosses: BoolArray = d * d_after < 0
    t = np.where(crosses, d / np.where(crosses, d - d_after, 1.0), 0.0)
    corners = np.stack([polygons, polygons + t[..., None] * (after - polygons)], axis=2)
    kept = np.stack([d <= 0, crosses], axis=2).reshape(len(d), 2 * d.shape[1])
    corners = corners.reshape(*kept.shape, 2)
    number = kept.sum(axis=1)
    order = np.argsort(~kept, axis=1, kind="stable")[:, : polygons.shape[1] + 1]
    last = np.maximum(number - 1, 0)[:, None]
    order = np.take_along_axis(order, np.minimum(np.arange(order.shape[1]), last), axis=1)
    return np.take_along_axis(corners, order[..., None], axis=1)
