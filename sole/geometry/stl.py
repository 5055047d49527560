"""STL files: read, joined at their vertices, and checked to be watertight."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sole.arrays import BoolArray, FloatArray, IntArray
from sole.errors import ShapeError
from sole.geometry.quiet import quiet_meshio


def read_stl(path: Path) -> tuple[FloatArray, IntArray]:
    """Return vertices (n, 3), in the file's unit, and triangles (f, 3) that share them.

    Vertices are joined if they are equal, or closer than 1e-5 of the longest side where
    equality alone leaves the surface open. Triangles that thereby lose their area go.

    Raises
    ------
    ShapeError
        Not a readable STL, no triangles, or not finite.
    """
    try:
        mesh = quiet_meshio(path, "stl")
    except ValueError as error:
        raise ShapeError(f"{path}: not a readable STL file ({error})") from error
    triangles = [np.asarray(b.data) for b in mesh.cells if b.type == "triangle"]
    points = np.asarray(mesh.points, dtype=float)
    if not triangles or not sum(map(len, triangles)):
        raise ShapeError(f"{path}: holds no triangles")
    if not np.isfinite(points).all():
        raise ShapeError(f"{path}: holds a vertex that is not finite")
    faces = np.concatenate(triangles).astype(np.int64)
    unique, index = np.unique(points, axis=0, return_inverse=True)
    p, f = _used(unique, index.reshape(-1)[faces])
    if _open_edges(f).any():
        p, f = _used(p, _nearest(p, 1e-5 * float(np.ptp(p, axis=0).max()))[f])
    return p, f


def shells(points: FloatArray, faces: IntArray, name: str) -> list[IntArray]:
    """Return the triangles (indices) of each closed shell of a watertight surface.

    Every edge must belong to exactly two triangles that run through it in opposite senses;
    whether a shell faces outwards or inwards does not matter.

    Raises
    ------
    ShapeError
        Open edges, edges of more than two triangles, or triangles that face the wrong way;
        with the number of edges and the place of the first.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges, count, forward = _edges(faces)
    for wrong, what, advice in (
        (count < 2, "belong to one triangle only", "close the surface"),
        (count > 2, "belong to more than two triangles", "export one solid without inner walls"),
        (forward != 1, "join triangles that face opposite ways", "make the normals consistent"),
    ):
        if wrong.any():
            at = points[edges[wrong][0]].mean(axis=0)
            place = ", ".join(f"{v:g}" for v in at)
            raise ShapeError(
                f"{name}: not watertight: {int(wrong.sum())} of {len(edges)} edges {what}, the "
                f"first at ({place}) m; {advice}"
            )
    n = len(points)
    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), (n, n))
    _, part = connected_components(graph, directed=False)
    labels = part[faces[:, 0]]
    return [np.flatnonzero(labels == k) for k in np.unique(labels)]


def refuse_meeting(points: FloatArray, faces: IntArray, parts: list[IntArray], name: str) -> None:
    """Raise a `ShapeError` if two closed shells cut or touch each other; with the first place.

    They do if an edge of one meets a triangle of the other. Candidates are pairs whose boxes
    overlap; the test is that of Moeller and Trumbore (1997).
    """
    from shapely import STRtree, box

    boxes = [np.array([points[faces[s]].min((0, 1)), points[faces[s]].max((0, 1))]) for s in parts]
    for i, j in ((i, j) for i in range(len(parts)) for j in range(len(parts)) if i != j):
        low = np.maximum(boxes[i][0], boxes[j][0])
        high = np.minimum(boxes[i][1], boxes[j][1])
        if (low > high).any():
            continue
        segments = points[_edges(faces[parts[i]])[0]]
        triangles = points[faces[parts[j]]]
        segments, triangles = (
            s[((s.min(axis=1) <= high) & (s.max(axis=1) >= low)).all(axis=1)]
            for s in (segments, triangles)
        )
        plan = [
            box(*s[..., :2].min(axis=1).T, *s[..., :2].max(axis=1).T) for s in (segments, triangles)
        ]
        edge, triangle = STRtree(plan[1]).query(plan[0])
        low_z, high_z = (
            [extreme(s[..., 2], axis=1) for s in (segments, triangles)]
            for extreme in (np.min, np.max)
        )
        near = (low_z[0][edge] <= high_z[1][triangle]) & (high_z[0][edge] >= low_z[1][triangle])
        edge, triangle = edge[near], triangle[near]
        meet = _meets(segments[edge], triangles[triangle])
        if meet.any():
            place = ", ".join(f"{v:.4g}" for v in segments[edge][meet][0].mean(axis=0))
            raise ShapeError(
                f"{name}: two of its closed surfaces cut or touch each other near ({place}) m; "
                "unite the solids before the export"
            )


def _meets(segments: FloatArray, triangles: FloatArray) -> BoolArray:
    """Say which segment (k, 2, 3) meets the triangle (k, 3, 3) of its row; never if parallel."""
    origin, ray = segments[:, 0], segments[:, 1] - segments[:, 0]
    a, b = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    across = np.cross(ray, b)
    determinant = np.einsum("ij,ij->i", a, across)
    size = np.prod([np.linalg.norm(v, axis=1) for v in (ray, a, b)], axis=0)
    parallel = np.abs(determinant) <= 1e-12 * size
    scale = np.where(parallel, 1.0, determinant)
    s = origin - triangles[:, 0]
    q = np.cross(s, a)
    u = np.einsum("ij,ij->i", s, across) / scale
    v = np.einsum("ij,ij->i", ray, q) / scale
    t = np.einsum("ij,ij->i", b, q) / scale
    least = np.minimum.reduce([u, v, 1 - u - v, t, 1 - t])
    meets: BoolArray = ~parallel & (least >= -1e-9)
    return meets


def nested(
    points: FloatArray, faces: IntArray, parts: list[IntArray]
) -> list[tuple[int, list[int]]]:
    """Return the solid shells, each with the shells of the cavities inside it.

    A shell inside an odd number of others is a cavity of the smallest of them.
    """
    size = [abs(_volume(points, faces[s])) for s in parts]
    around = [
        [o for o in range(len(parts)) if o != k and _contains(points, faces[parts[o]], faces[s])]
        for k, s in enumerate(parts)
    ]
    solids: dict[int, list[int]] = {k: [] for k, o in enumerate(around) if len(o) % 2 == 0}
    for k, outer in enumerate(around):
        if k not in solids:
            solids[min(outer, key=lambda o: size[o])].append(k)
    return list(solids.items())


def enclosed_volume(points: FloatArray, faces: IntArray, parts: list[IntArray]) -> float:
    """Volume of all solid shells less that of their cavities, in the unit of the points cubed."""
    size = [abs(_volume(points, faces[s])) for s in parts]
    return sum(
        size[outer] - sum(size[k] for k in cavities)
        for outer, cavities in nested(points, faces, parts)
    )


def _volume(points: FloatArray, faces: IntArray) -> float:
    a, b, c = (points[faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def _contains(points: FloatArray, outer: IntArray, inner: IntArray) -> bool:
    """Say whether a vertex of `inner` lies inside `outer`: the solid angle of `outer` is 4 pi.

    Solid angle of a triangle by Van Oosterom and Strackee (1983).
    """
    here = points[inner[0, 0]]
    a, b, c = (points[outer[:, k]] - here for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    dot = [np.einsum("ij,ij->i", u, v) for u, v in ((a, b), (b, c), (c, a))]
    top = np.einsum("ij,ij->i", a, np.cross(b, c))
    angle = 2 * np.arctan2(top, la * lb * lc + dot[0] * lc + dot[1] * la + dot[2] * lb)
    return abs(float(angle.sum())) > 2 * np.pi


def _edges(faces: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Edges (k, 2), how many triangles hold each, and how many of them run from low to high."""
    directed = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    edges, number, count = np.unique(
        np.sort(directed, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    up = directed[:, 0] < directed[:, 1]
    forward = np.bincount(number.reshape(-1), up, minlength=len(edges)).astype(np.int64)
    return edges, count, forward


def _open_edges(faces: IntArray) -> IntArray:
    _, count, _ = _edges(faces)
    return np.flatnonzero(count != 2)


def _used(points: FloatArray, faces: IntArray) -> tuple[FloatArray, IntArray]:
    """Drop triangles that lost a vertex, then vertices without triangles."""
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    used, index = np.unique(faces, return_inverse=True)
    return points[used], index.reshape(-1, 3)


def _nearest(points: FloatArray, distance: float) -> IntArray:
    """Give vertices closer than `distance` one number."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    pairs = cKDTree(points).query_pairs(distance, output_type="ndarray")
    n = len(points)
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), (n, n))
    _, label = connected_components(graph, directed=False)
    _, first = np.unique(label, return_index=True)
    return np.asarray(first[label], dtype=np.int64)
