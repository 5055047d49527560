"""Triangle surfaces: join vertices, find shells, and check that a surface is watertight."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import ShapeError

FARTHEST = 1e9  # in the unit of the file
_TOUCHING = 1e-9  # share of the longest side; surfaces closer than that touch


def joined(points: FloatArray, faces: IntArray, path: Path) -> tuple[FloatArray, IntArray]:
    """Return vertices (n, 3) and triangles (f, 3) that share them.

    Equal vertices are joined; if the surface stays open, vertices closer than 1e-5 of the
    longest side too. Triangles that thereby lose their area are dropped.

    Raises
    ------
    ShapeError
        No triangle is left; `path` names the file.
    """
    unique, index = np.unique(points, axis=0, return_inverse=True)
    p, f = _used(unique, index.reshape(-1)[faces])
    if len(f) and _open_edges(f).any():
        p, f = _used(p, _nearest(p, 1e-5 * float(np.ptp(p, axis=0).max()))[f])
    if not len(f):
        raise ShapeError(f"{path}: all of its triangles have lost their area; export it again")
    return p, f


def turned_alike(faces: IntArray) -> tuple[IntArray, int]:
    """Turn triangles (f, 3) until neighbours run through their common edge in opposite senses.

    Return them and how many were turned, the smaller part of every shell. A surface that is open,
    or has edges of more than two triangles, stays as it is: `find_shells` refuses it.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    sides = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    _, number, count = np.unique(sides, axis=0, return_inverse=True, return_counts=True)
    if (count != 2).any() or (_edges(faces)[2] == 1).all():
        return faces, 0
    pairs = np.argsort(number.reshape(-1), kind="stable").reshape(-1, 2)  # two sides of an edge
    up = (faces < np.roll(faces, -1, axis=1)).reshape(-1)
    alike = up[pairs[:, 0]] == up[pairs[:, 1]]
    a, b = (pairs // 3).T
    n = len(faces)
    joined = coo_array((np.where(alike, 2, 1), (a, b)), (n, n)).tocsr()
    joined = joined.maximum(joined.T)
    _, part = connected_components(joined, directed=False)
    turned = np.zeros(n, dtype=bool)
    for k in range(int(part.max()) + 1):
        mine = np.flatnonzero(part == k)
        order, before = breadth_first_order(joined, mine[0], directed=False)
        later, earlier = order[1:], before[order[1:]]
        unlike = np.asarray(joined[earlier, later]).reshape(-1) == 2
        for triangle, neighbour, turn in zip(later, earlier, unlike, strict=True):
            turned[triangle] = turned[neighbour] ^ turn
        if turned[mine].sum() > len(mine) / 2:
            turned[mine] = ~turned[mine]
    return np.where(turned[:, None], faces[:, ::-1], faces), int(turned.sum())


def find_shells(points: FloatArray, faces: IntArray, name: str) -> list[IntArray]:
    """Return the triangles (indices) of each closed shell of a watertight surface.

    Every edge must belong to exactly two triangles that run through it in opposite senses;
    whether a shell faces outwards or inwards does not matter.

    Raises
    ------
    ShapeError
        Open edges, edges of more than two triangles, or inconsistent orientation; the message
        has the number of edges and the position of the first.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges, count, forward = _edges(faces)
    for wrong, what, advice in (
        (count < 2, "belong to one triangle only", "close the surface"),
        (count > 2, "belong to more than two triangles", "export one solid without inner walls"),
        (forward != 1, "join triangles that face opposite ways", "the surface has one side only"),
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
    """Raise `ShapeError`, with a position, if two closed shells cut or touch each other.

    They do if the least distance of their surfaces is zero, by Coal's bounding-box trees.
    """
    if len(parts) < 2:
        return
    import coal

    boxes = [np.array([points[faces[s]].min((0, 1)), points[faces[s]].max((0, 1))]) for s in parts]
    trees = [_tree(points, faces[s]) for s in parts]
    at, touching = coal.Transform3s.Identity(), _TOUCHING * float(np.ptp(points, axis=0).max())
    for i, j in combinations(range(len(parts)), 2):
        if (np.maximum(boxes[i][0], boxes[j][0]) > np.minimum(boxes[i][1], boxes[j][1])).any():
            continue
        pair = trees[i], at, trees[j], at
        if coal.distance(*pair, coal.DistanceRequest(), coal.DistanceResult()) <= touching:
            asked, found = coal.CollisionRequest(coal.CONTACT, 1), coal.CollisionResult()
            asked.security_margin = touching
            coal.collide(*pair, asked, found)
            place = ", ".join(f"{v:.4g}" for c in found.getContacts() for v in c.pos)
            raise ShapeError(
                f"{name}: two of its closed surfaces cut or touch each other near ({place}) m; "
                "unite the solids before export"
            )


def _tree(points: FloatArray, faces: IntArray) -> Any:
    """Return Coal's bounding-box tree of triangles."""
    import coal

    used, index = np.unique(faces, return_inverse=True)
    tree = coal.BVHModelOBBRSS()
    tree.beginModel(len(faces), len(used))
    tree.addVertices(points[used])
    tree.addTriangles(index.reshape(-1, 3))
    tree.endModel()
    return tree


def nest_shells(
    points: FloatArray, faces: IntArray, parts: list[IntArray]
) -> list[tuple[int, list[int]]]:
    """Return the solid shells, each with its cavity shells.

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
    """Return the volume of all solid shells minus their cavities, in cubed units of the points."""
    size = [abs(_volume(points, faces[s])) for s in parts]
    return sum(
        size[outer] - sum(size[k] for k in cavities)
        for outer, cavities in nest_shells(points, faces, parts)
    )


def _volume(points: FloatArray, faces: IntArray) -> float:
    a, b, c = (points[faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def _contains(points: FloatArray, outer: IntArray, inner: IntArray) -> bool:
    """Return whether a vertex of `inner` lies inside `outer`: the solid angle of `outer` is 4 pi.

    The solid angle of a triangle is from Van Oosterom and Strackee (1983).
    """
    here = points[inner[0, 0]]
    a, b, c = (points[outer[:, k]] - here for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    dot = [np.einsum("ij,ij->i", u, v) for u, v in ((a, b), (b, c), (c, a))]
    top = np.einsum("ij,ij->i", a, np.cross(b, c))
    angle = 2 * np.arctan2(top, la * lb * lc + dot[0] * lc + dot[1] * la + dot[2] * lb)
    return abs(float(angle.sum())) > 2 * np.pi


def _edges(faces: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return edges (k, 2), their numbers of triangles, and how many run from low to high."""
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
    """Return a number for each vertex; vertices closer than `distance` share one."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    pairs = cKDTree(points).query_pairs(distance, output_type="ndarray")
    n = len(points)
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), (n, n))
    _, label = connected_components(graph, directed=False)
    _, first = np.unique(label, return_index=True)
    return np.asarray(first[label], dtype=np.int64)
