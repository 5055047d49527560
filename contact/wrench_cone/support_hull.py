"""Tilting: the centre of pressure against the convex hull of the points that can carry.

With the hull's edges n_e . c <= b_e and the centroid c0 of its area,

    gauge(c) = max_e n_e . (c - c0) / (b_e - n_e . c0),

0 at the centroid, 1 on an edge. That of a rectangle is the larger of |tau_y|/(X f_z) and
|tau_x|/(Y f_z), inequalities (18) and (19) of [CaronPhamNakamura2015].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from contact.wrench_cone.polygon import centroid_of
from sole.base.arrays import FloatArray, IntArray
from sole.base.checks import numbers
from sole.base.compiled import kernel
from sole.base.errors import SoleError

THIN = 1e-9  # width over length of a hull that counts as a line


@kernel
def hull_of(points: FloatArray) -> IntArray:
    """Return the indices of the hull of points (m, 2), counter-clockwise (Andrew's chains)."""
    m = len(points)
    by_y = np.argsort(points[:, 1], kind="mergesort")
    order = by_y[np.argsort(points[by_y, 0], kind="mergesort")]
    kept = np.empty(2 * m + 1, np.int64)
    count = 0
    for half in range(2):
        first = count + 1
        for k in range(m):
            i = order[k] if half == 0 else order[m - 1 - k]
            while count > first:
                o, a = points[kept[count - 2]], points[kept[count - 1]]
                b = points[i]
                if (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]) > 0.0:
                    break
                count -= 1
            kept[count] = i
            count += 1
        count -= 1  # the last is the first of the other half
    return kept[: max(count, 1)]


@dataclass(frozen=True, eq=False, kw_only=True)
class Hull:
    """A convex hull of support in the foot's x and y.

    Parameters
    ----------
    vertices : (n, 2) counter-clockwise [m].
    normals : (n, 2) outward, of the edges.
    reach : (n,) distance of the edges from the centroid; 0 for a line of contact [m].
    centre : (2,) centroid.
    """

    vertices: FloatArray
    normals: FloatArray
    reach: FloatArray
    centre: FloatArray

    @classmethod
    def of(cls, points: ArrayLike) -> Hull:
        """Return the hull of points (m, 2 or 3), whose z is ignored."""
        x = numbers("points", points)
        if x.ndim != 2 or x.shape[1] not in (2, 3) or len(x) == 0 or not np.isfinite(x).all():
            raise SoleError(f"points must be finite and (m, 2) or (m, 3), got shape {x.shape}")
        x = np.ascontiguousarray(x[:, :2])
        p = x[hull_of(x)]
        edges = np.roll(p, -1, axis=0) - p
        long = float(np.sqrt((edges**2).sum(axis=1)).max())
        if len(p) < 3 or _width(p, edges) <= THIN * long:
            return cls._line(p, edges)
        normals = np.stack([edges[:, 1], -edges[:, 0]], axis=1)
        normals /= np.sqrt((normals**2).sum(axis=1))[:, None]
        c = centroid_of(p)
        reach = ((p - c) * normals).sum(axis=1)
        return cls(vertices=p, normals=normals, reach=reach, centre=c)

    @classmethod
    def _line(cls, p: FloatArray, edges: FloatArray) -> Hull:
        """Return the hull of a line or a point: it tips to both sides of the longest edge."""
        along = edges[int((edges**2).sum(axis=1).argmax())]
        size = float(np.hypot(*along))
        along = along / size if size > 0 else np.array([0.0, 1.0])
        side = np.array([along[1], -along[0]])
        return cls(
            vertices=p, normals=np.array([side, -side]), reach=np.zeros(2), centre=p.mean(axis=0)
        )

    def margin(self, cop: FloatArray) -> tuple[float, int]:
        """Return 1 - gauge of a centre of pressure (2,) and its edge; -inf beside a line."""
        out = self.normals @ (cop - self.centre)
        if self.reach[0] <= 0.0:
            edge = int(out.argmax())
            size = float(np.abs(self.vertices - self.centre).max()) + float(np.abs(cop).max())
            return (0.0 if out[edge] <= 1e-6 * size else -np.inf), edge
        share = out / self.reach
        edge = int(share.argmax())
        return 1.0 - float(share[edge]), edge


def _width(p: FloatArray, edges: FloatArray) -> float:
    """Return the area of the hull over its longest edge [m]."""
    q = np.roll(p, -1, axis=0)
    area = float((p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]).sum()) / 2
    return area / float(np.sqrt((edges**2).sum(axis=1)).max())
