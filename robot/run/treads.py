"""The treads of contact bodies: nodes, triangles and areas, for pressures and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from contact.constants import FRICTION
from sole.base.arrays import FloatArray, IntArray, frozen
from sole.base.errors import SoleError

if TYPE_CHECKING:
    from contact.step import Body
    from sole.condense import CondensedSole

SAME = 1e-9  # m: largest distance of a body's node from that of its sole
LONG = 3.0  # median edges: a triangle with a longer edge spans a gap


@dataclass(frozen=True, eq=False, kw_only=True)
class TreadNodes:
    """The nodes of one body, in its axes.

    Parameters
    ----------
    name : name of the body. points : (m, 3) undeformed nodes [m].
    faces : (t, 3) triangles. areas : (m,) area of each node [m^2]; 0 where unknown.
    foot : index of its foot, -1 for a hand or any other body.
    friction : mean of Coulomb's mu over the nodes. rigid : whether it has no compliance.
    """

    name: str
    points: FloatArray
    faces: IntArray
    areas: FloatArray
    foot: int = -1
    friction: float = FRICTION
    rigid: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", frozen(self.points))
        object.__setattr__(self, "faces", frozen(self.faces, np.int64))
        object.__setattr__(self, "areas", frozen(self.areas))
        m = len(self.points)
        shapes = (self.points.shape, self.faces.shape[1:], self.areas.shape)
        if shapes != ((m, 3), (3,), (m,)) or (len(self.faces) and self.faces.max() >= m):
            raise SoleError(f"tread '{self.name}': points, faces, areas have shapes {shapes}")

    @property
    def origin(self) -> FloatArray:
        """(3,) origin of the body on the tread plane, the reference point of wrenches [m]."""
        return np.array([0.0, 0.0, float(self.points[:, 2].min())])

    @property
    def half_size(self) -> FloatArray:
        """(2,) half the length and width of the bounding box of the nodes [m]."""
        return np.asarray(np.ptp(self.points[:, :2], axis=0) / 2)

    @property
    def center(self) -> FloatArray:
        """(2,) centre of that box [m]."""
        return np.asarray((self.points[:, :2].max(axis=0) + self.points[:, :2].min(axis=0)) / 2)

    @property
    def thickness(self) -> float:
        """Thickness of the sole [m]; 0 of rigid points."""
        return 0.0 if self.rigid else max(0.0, -float(self.origin[2]))

    def fit(self) -> FloatArray:
        """Return the matrix (6, 3m) that gives the rigid motion nearest to displacements U.

        d = (G'A G)^+ G'A U with the areas A, rotation about `origin`; a singular G'A G (nodes on
        one line) gives the smallest motion.
        """
        x, y, z = (self.points - self.origin).T
        G = np.zeros((len(x), 3, 6))
        G[:, [0, 1, 2], [0, 1, 2]] = 1.0
        G[:, 0, 4], G[:, 0, 5] = z, -y
        G[:, 1, 3], G[:, 1, 5] = -z, x
        G[:, 2, 3], G[:, 2, 4] = y, -x
        weights = self.areas if self.areas.any() else np.ones(len(x))
        root = np.sqrt(weights / weights.sum())
        fit = np.linalg.pinv((root[:, None, None] * G).reshape(-1, 6))
        return np.asarray(fit * np.repeat(root, 3))


def largest_deformation(moved: FloatArray, treads: Sequence[TreadNodes]) -> tuple[float, str]:
    """Return the largest of `moved` (T, B) [m] over the thickness of a foot's sole, and its name.

    (0, "") where no sole was deformed.
    """
    found = (0.0, "")
    for b, tread in enumerate(treads):
        if tread.foot >= 0 and tread.thickness > 0:
            found = max(found, (float(moved[:, b].max()) / tread.thickness, tread.name))
    return found


def tread_of(
    name: str, body: Body, foot: int = -1, soles: Sequence[CondensedSole] = ()
) -> TreadNodes:
    """Return the tread of a body, with triangles and areas of the sole that has its nodes.

    Without such a sole the nodes are triangulated as seen from above, without gaps.
    """
    faces, areas = _triangulated(body.points)
    for sole in soles:
        found = _of_sole(body.points, sole)
        if found is not None:
            faces, areas = found
            break
    return TreadNodes(
        name=name,
        points=body.points,
        faces=_facing_down(body.points, faces),
        areas=areas,
        foot=foot,
        friction=float(np.mean(np.asarray(body.friction))),
        rigid=body.compliance is None,
    )


def _of_sole(points: FloatArray, sole: CondensedSole) -> tuple[IntArray, FloatArray] | None:
    from scipy.spatial import cKDTree

    found = cKDTree(sole.points).query(points)
    distance, node = np.asarray(found[0]), np.asarray(found[1])
    if distance.max() > SAME or len(np.unique(node)) < len(node):
        return None
    number = np.full(len(sole.mesh.points), -1)
    number[sole.mesh.tread_vertices[node]] = np.arange(len(points))
    faces = number[sole.mesh.tread]
    return faces[(faces >= 0).all(axis=1)], sole.areas[node]


def _facing_down(points: FloatArray, faces: IntArray) -> IntArray:
    """Return the faces with normals that point down: pictures are shaded by them."""
    corner = points[faces, :2]
    a, b = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    up = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] > 0
    return np.asarray(np.where(up[:, None], faces[:, ::-1], faces))


def _triangulated(points: FloatArray) -> tuple[IntArray, FloatArray]:
    from scipy.spatial import Delaunay, QhullError

    areas = np.zeros(len(points))
    try:
        faces = np.asarray(Delaunay(points[:, :2]).simplices, dtype=np.int64)
    except (QhullError, ValueError):  # too few nodes, or all on one line
        return np.zeros((0, 3), np.int64), areas
    corner = points[faces, :2]
    edges = np.linalg.norm(corner - np.roll(corner, 1, axis=1), axis=2)
    kept = edges.max(axis=1) <= LONG * np.median(edges)
    faces, corner = faces[kept], corner[kept]
    a, b = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    area = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2
    for k in range(3):
        np.add.at(areas, faces[:, k], area / 3)
    return faces, areas
