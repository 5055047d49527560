"""The peak of a pressure as a number that converges: a mean over one square centimetre.

    p(x) = sum_i p_i phi_i(x),   p_i = f_i / A_i
    peak = max over discs S of  1/A int_S p dA,    A = 1 cm^2

phi_i are the hat functions of the tread's triangles; the integral is exact. Where S holds less
tread than A, at its end and over grooves, the rest counts with p = 0; on a slope it may hold more,
then A is its area.

The largest value at a node grows as the mesh is refined, at a bonded edge without end. So does the
mean over the most loaded nodes that have 1 cm^2 together: they may be a long and thin row.

What the mesh may do to the peak is estimated by (benchmarks/page_tables/pressure_peaks.py)

    error = (peak / peak_4 - 1) a / A + (peak_rim / peak - 1) / 2

peak_4 is the peak over 4 cm^2 and a the mean area A_i in the disc. The contact ends somewhere in
the triangles that have nodes with and without load. For peak_rim their loaded nodes get the force
of these triangles on the rest of their area, at least on half of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from sole.base.arrays import FloatArray, IntArray, frozen
from sole.mesh import SoleMesh, normals_and_areas

if TYPE_CHECKING:
    from scipy.sparse import csr_array

PEAK_AREA = 1e-4  # A [m^2]
_STEPS = 2.5  # places of a disc per radius: its largest mean is missed by a fifth of that at most
_UPRIGHT = 1e-3  # area in projection over area: such a triangle counts at its centroid


@dataclass(frozen=True, slots=True, kw_only=True)
class PressurePeak:
    """The mean pressure `value` [Pa] on the most loaded disc.

    Parameters
    ----------
    place : (2,) its centre in the sole frame [m].
    error : estimated change of the value by a finer mesh, relative; NaN without load.
    """

    value: float
    place: FloatArray
    error: float


def peak_pressure(mesh: SoleMesh, pressure: FloatArray, area: float = PEAK_AREA) -> PressurePeak:
    """Return the peak of a pressure [Pa] at the tread's nodes (m,), over discs of `area` [m^2].

    A tread of less than `area` counts as a whole.
    """
    radius = float(np.sqrt(area / np.pi))
    near, wide = _discs(mesh, radius), _discs(mesh, 2 * radius)
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
class _Discs:
    """Many places of a disc on a tread: means = weights @ pressure at the nodes.

    centres (c, 2) [m]; weights (c, m); triangles (f, 3) by tread nodes.
    """

    centres: FloatArray
    weights: csr_array
    triangles: IntArray


@lru_cache(maxsize=8)
def _discs(mesh: SoleMesh, radius: float) -> _Discs:
    """Return places of a disc of `radius` [m], from end to end of the tread."""
    points = mesh.points[mesh.tread_vertices]
    triangles = np.searchsorted(mesh.tread_vertices, mesh.tread)
    axes = []
    for low, high in zip(points[:, :2].min(axis=0), points[:, :2].max(axis=0), strict=True):
        first, last = low + radius, high - radius
        if last <= first:
            axes.append(np.array([(low + high) / 2]))
        else:
            number = int(np.ceil((last - first) * _STEPS / radius - 1e-9)) + 1
            axes.append(np.linspace(first, last, number))
    centres = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    weights = _integrals(points, triangles, centres, radius)
    surface = np.asarray(weights.sum(axis=1))
    least = min(np.pi * radius**2, float(mesh.tread_areas.sum()))
    weights.data /= np.repeat(np.maximum(surface, least), np.diff(weights.indptr))
    return _Discs(frozen(centres), weights, frozen(triangles, np.int64))


def _integrals(
    points: FloatArray, triangles: IntArray, centres: FloatArray, radius: float
) -> csr_array:
    """Return int_S phi_i dA (c, m) [m^2] over the `triangles` within every disc S.

    A disc is a cylinder along z: on a slope S is larger than the disc.
    """
    from scipy.sparse import csr_array

    corners = points[triangles]
    flat = corners[:, :, :2]
    e1, e2 = flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]
    projected = _cross(e1, e2) / 2
    _, areas = normals_and_areas(points, triangles)
    upright = np.abs(projected) <= _UPRIGHT * areas
    low, high = flat.min(axis=1), flat.max(axis=1)
    found = []
    for f in range(len(triangles)):  # the discs that may reach a triangle
        meets = (centres + radius >= low[f]) & (centres - radius <= high[f])
        near = np.flatnonzero(meets.all(axis=1))
        found.append(np.column_stack([near, np.full(len(near), f)]))
    c, f = np.concatenate([np.empty((0, 2), np.int64), *found]).T
    # area within the disc and first moment about a corner, by the edges of the triangle
    ends = flat[f] - centres[c][:, None]
    area, moment = np.zeros(len(c)), np.zeros((len(c), 2))
    for k in range(3):
        part, first = _within_disc(ends[:, k], ends[:, (k + 1) % 3], radius)
        area += part
        moment += first
    moment -= area[:, None] * ends[:, 0]
    # int phi over them: phi_1 and phi_2 are the coordinates along e1 and e2
    double = np.where(upright, 1.0, 2 * projected)[f]
    along1, along2 = _cross(moment, e2[f]) / double, _cross(e1[f], moment) / double
    hats = np.column_stack([area - along1 - along2, along1, along2])
    # of the surface, not of its projection
    hats *= (areas / np.where(upright, 1.0, projected))[f, None]
    within = np.linalg.norm(flat.mean(axis=1)[f] - centres[c], axis=1) <= radius * (1 + 1e-9)
    hats[upright[f]] = ((areas[f] * within) / 3)[upright[f], None]
    rows, columns = np.repeat(c, 3), triangles[f].ravel()
    return csr_array((hats.ravel(), (rows, columns)), shape=(len(centres), len(points)))


def _within_disc(a: FloatArray, b: FloatArray, radius: float) -> tuple[FloatArray, FloatArray]:
    """Return signed area (n,) and first moment (n, 2) of triangles (0, a, b) in a disc about 0.

    From a to p and from q to b the edge is outside the disc: sectors; from p to q inside.
    """
    d = b - a
    square, half = np.maximum((d * d).sum(axis=1), 1e-300), (a * d).sum(axis=1)
    root = half**2 - square * ((a * a).sum(axis=1) - radius**2)
    meets, root = root > 0, np.sqrt(np.maximum(root, 0.0))
    t1, t2 = (np.clip(np.where(meets, (-half + s * root) / square, 0.0), 0, 1) for s in (-1, 1))
    p, q = a + t1[:, None] * d, a + t2[:, None] * d
    area = _cross(p, q) / 2
    moment = (p + q) * area[:, None] / 3
    for first, last in ((a, p), (q, b)):
        angle = np.arctan2(_cross(first, last), (first * last).sum(axis=1))
        area = area + radius**2 / 2 * angle
        turned = [x / np.maximum(np.linalg.norm(x, axis=1), 1e-300)[:, None] for x in (first, last)]
        arc = turned[1] - turned[0]
        moment = moment + radius**3 / 3 * np.column_stack([arc[:, 1], -arc[:, 0]])
    return area, moment


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
