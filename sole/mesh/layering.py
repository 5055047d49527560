"""Layers of a solid that has none: its surface is cut along level planes and filled anew.

The triangles of the surface are split where a plane crosses them, so that the shape stays what it
was. Vertices near a plane are first moved onto it along an edge, which keeps splinters away. The
sections are meshed, and Gmsh fills what lies between them: layers meet in whole faces.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import MeshError
from sole.mesh.layer_options import REST
from sole.mesh.meshing import extract_mesh, generate_mesh, grade_sizes, mesh_sizes, open_gmsh
from sole.mesh.sole_mesh import SoleMesh, tetrahedron_volumes
from sole.mesh.surface import bond_and_tread, boundary_faces, normals_and_areas
from sole.shape import Layer

NEAR = 0.35  # of an edge: a vertex so close to the plane is moved onto it
LOST = 0.01  # change of volume, relative, that a curved wall may cost
CREASE = np.cos(np.radians(30.0))  # between the normals at an edge of the solid
SLACK = 1e-6  # relative: layers that add up to the thickness


def with_layers(
    mesh: SoleMesh,
    layers: tuple[Layer, ...],
    sizes: tuple[float | None, float | None],
    bond_angle: float,
    tread_angle: float,
    tread_height: float | None = None,
) -> SoleMesh:
    """Return a mesh of one layer as a stack of layers, given from the tread upwards.

    Thicknesses count from the lowest point of the tread; the sum must be that of the sole. `sizes`
    at tread and bond [m] are as for the mesh itself. Bond and tread are found again by their angles
    [rad] and the height of the tread [m].

    Raises
    ------
    MeshError
        The mesh has layers already, the thicknesses do not add up, or Gmsh fails.
    """
    if len(mesh.layers) > 1:
        raise MeshError(f"{mesh.name} has the layers {', '.join(mesh.layers)} already")
    names = [layer.name for layer in layers]
    if len(set(names)) < len(names):
        raise MeshError(f"every layer needs its own name, got {', '.join(names)}")
    total, T = sum(layer.thickness for layer in layers), mesh.thickness
    if abs(total - T) > max(SLACK * T, 5e-6):
        raise MeshError(
            f"the layers are {1e3 * total:.5g} mm thick in all, {mesh.name} is {1e3 * T:.5g} mm "
            f"thick: let them add up to that, or one be '{REST}'"
        )
    planes = [float(z) for z in np.cumsum([layer.thickness for layer in layers])[:-1] - T]
    points, faces = mesh.points, boundary_faces(mesh.tets)
    for k, z in enumerate(planes):
        points, faces = _cut(points, faces, z, planes[:k])
    points, tets, layer_of_tet = _fill(mesh, points, faces, planes, sizes)
    change = float(tetrahedron_volumes(points, tets).sum() / mesh.volumes.sum()) - 1
    if abs(change) > LOST:
        raise MeshError(
            f"{mesh.name}: in layers its volume changes by {100 * change:.2g} %: take a finer "
            "mesh, or a solid without closed cavities"
        )
    bond, tread = bond_and_tread(
        points, boundary_faces(tets), bond_angle, tread_angle, tread_height
    )
    return replace(
        mesh,
        points=points,
        tets=tets,
        layer_of_tet=layer_of_tet,
        layers=tuple(layer.name for layer in layers),
        materials=tuple(layer.material for layer in layers),
        bond=bond,
        tread=tread,
    )


def _cut(
    points: FloatArray, faces: IntArray, z: float, held: Sequence[float]
) -> tuple[FloatArray, IntArray]:
    """Return the surface with no triangle on both sides of the plane at height `z`.

    Vertices at the heights `held` stay.
    """
    return split_surface(_snapped(points, faces, z, held), faces, z)


def split_surface(points: FloatArray, faces: IntArray, z: float) -> tuple[FloatArray, IntArray]:
    """Return a surface, open or closed, whose triangles are split along the plane at height `z`."""
    side = np.sign(points[:, 2] - z)
    crossed = (side[faces].min(axis=1) < 0) & (side[faces].max(axis=1) > 0)
    cut = faces[crossed]
    edges = np.unique(np.sort(_edges(cut), axis=1), axis=0)
    edges = edges[side[edges[:, 0]] * side[edges[:, 1]] < 0]
    a, b = points[edges[:, 0]], points[edges[:, 1]]
    made = a + ((z - a[:, 2]) / (b[:, 2] - a[:, 2]))[:, None] * (b - a)
    made[:, 2] = z
    new = {(int(i), int(j)): len(points) + k for k, (i, j) in enumerate(edges)}
    parts = [part for face in cut.tolist() for part in _split(face, side, new)]
    whole = np.vstack([faces[~crossed], np.array(parts, dtype=np.int64).reshape(-1, 3)])
    return np.vstack([points, made]), whole


def _split(
    face: list[int], side: FloatArray, new: dict[tuple[int, int], int]
) -> list[tuple[int, int, int]]:
    """Return the parts of a triangle that the plane crosses, with its orientation."""
    # Turn it so that the first vertex is alone on its side, or in the plane.
    alone = next(k for k in range(3) if side[face[k - 1]] * side[face[k]] <= 0
                 and side[face[(k + 1) % 3]] * side[face[k]] <= 0)  # fmt: skip
    a, b, c = (face[(alone + k) % 3] for k in range(3))

    def on(i: int, j: int) -> int:
        return new[(min(i, j), max(i, j))]

    if side[a] == 0:
        p = on(b, c)
        return [(a, b, p), (a, p, c)]
    if side[b] == 0 or side[c] == 0:  # b or c in the plane: only the other edge of a is cut
        if side[b] == 0:
            p = on(a, c)
            return [(a, b, p), (p, b, c)]
        p = on(a, b)
        return [(a, p, c), (p, b, c)]
    p, q = on(a, b), on(a, c)
    return [(a, p, q), (p, b, c), (p, c, q)]


def _edges(faces: IntArray) -> IntArray:
    return np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])


def _snapped(points: FloatArray, faces: IntArray, z: float, held: Sequence[float]) -> FloatArray:
    """Return the points with those near the plane moved onto it, along the edge that leads there.

    A vertex on an edge of the solid stays on that edge; corners, and vertices at the heights
    `held`, stay where they are.
    """
    normals, _ = normals_and_areas(points, faces)
    pairs, owner = np.sort(_edges(faces), axis=1), np.tile(np.arange(len(faces)), 3)
    order = np.lexsort(pairs.T)
    pairs, owner = pairs[order][::2], owner[order].reshape(-1, 2)  # a closed surface: two each
    sharp = np.einsum("ij,ij->i", normals[owner[:, 0]], normals[owner[:, 1]]) < CREASE
    edges_at = np.bincount(pairs[sharp].ravel(), minlength=len(points))  # 3 or more: a corner
    edges_at[np.isin(points[:, 2], held)] = 3
    height = points[:, 2] - z
    moved, best = points.copy(), np.full(len(points), NEAR)
    crossing = height[pairs[:, 0]] * height[pairs[:, 1]] < 0
    for (i, j), crease in zip(pairs[crossing].tolist(), sharp[crossing], strict=True):
        for own, other in ((i, j), (j, i)):
            share = float(height[own] / (height[own] - height[other]))
            if share < best[own] and edges_at[own] == (2 if crease else 0):
                best[own] = share
                moved[own] = points[own] + share * (points[other] - points[own])
                moved[own, 2] = z
    while True:  # a triangle in the plane would double the section: its farthest vertex goes back
        flat = faces[(moved[faces, 2] == z).all(axis=1) & (points[faces, 2] != z).any(axis=1)]
        if not len(flat):
            return moved
        far = np.where(points[flat, 2] == z, -1.0, best[flat]).argmax(axis=1)
        back = flat[np.arange(len(flat)), far]
        moved[back] = points[back]


def _fill(
    mesh: SoleMesh,
    points: FloatArray,
    faces: IntArray,
    planes: list[float],
    sizes: tuple[float | None, float | None],
) -> tuple[FloatArray, IntArray, IntArray]:
    """Fill the parts of a cut surface with tetrahedra; return points, tets, layer of each."""
    low, high = points.min(axis=0), points.max(axis=0)
    length, width, height = (float(v) for v in high - low)
    area = float(mesh.volumes.sum()) / height
    longest = max(length, width, height)
    at_tread, at_bond = mesh_sizes(area, 2 * (length + width), height, *sizes, longest)
    part = np.searchsorted(planes, points[faces].mean(axis=1)[:, 2])
    shells = [faces[part == k] for k in range(len(planes) + 1)]
    sections = []
    for z in planes:
        size = at_tread + (at_bond - at_tread) * (z - float(low[2])) / height
        points, inside = _section(points, faces, z, size)
        sections.append(inside)
    with open_gmsh(mesh.name) as gmsh:
        model = gmsh.model
        first = model.addDiscreteEntity(2)
        used = np.unique(np.concatenate([faces.ravel(), *(s.ravel() for s in sections)]))
        model.mesh.addNodes(2, first, used + 1, points[used].ravel())
        entities = [_connected(group) for group in (*shells, *sections)]
        tags = dict[int, int]()  # of each connected surface, by its identity
        for number, group in enumerate(itertools.chain(*entities)):
            tag = first if number == 0 else model.addDiscreteEntity(2)
            model.mesh.addElementsByType(tag, 2, [], (group + 1).ravel())
            tags[id(group)] = tag
        layer = dict[int, int]()
        walls, between = entities[: len(shells)], entities[len(shells) :]
        for k, own in enumerate(walls):
            around = [*own, *(g for j in (k - 1, k) if 0 <= j < len(between) for g in between[j])]
            for pad in _connected(np.vstack(around)):
                shell = [tags[id(g)] for g in around if np.isin(g[0, 0], pad)]
                layer[model.geo.addVolume([model.geo.addSurfaceLoop(shell)])] = k
        model.geo.synchronize()
        grade_sizes(gmsh, (at_tread, at_bond), float(low[2]), float(high[2]))
        generate_mesh(gmsh)
        made, tets, volume_of_tet = extract_mesh(gmsh)
    return made, tets, np.array([layer[int(v)] for v in volume_of_tet])


def _connected(faces: IntArray) -> list[IntArray]:
    """Return the connected parts of a set of triangles."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    used, compact = np.unique(faces, return_inverse=True)
    compact = compact.reshape(-1, 3)
    ends = compact[:, [0, 0]].ravel(), compact[:, 1:].ravel()
    graph = coo_array((np.ones(len(ends[0])), ends), (len(used), len(used)))
    count, part = connected_components(graph, directed=False)
    return [faces[part[compact[:, 0]] == k] for k in range(count)]


def _section(
    points: FloatArray, faces: IntArray, z: float, size: float
) -> tuple[FloatArray, IntArray]:
    """Return the points with those inside a section at height `z`, and its triangles."""
    from shapely import Polygon
    from shapely.ops import polygonize

    level = np.abs(points[:, 2] - z) < 1e-12
    above = points[faces].max(axis=1)[:, 2] > z
    rim = _edges(faces[above])
    rim = rim[level[rim].all(axis=1)]
    number = {tuple(points[i, :2]): int(i) for i in np.unique(rim)}
    lines = [[tuple(points[i, :2]), tuple(points[j, :2])] for i, j in rim]
    found = list(polygonize(lines))
    filled = [Polygon(p.exterior) for p in found]
    # Inside an odd number of outlines is solid, inside an even number a hole.
    solid = [p for p in found if sum(f.contains(p.representative_point()) for f in filled) % 2 == 1]
    if not solid:
        raise MeshError(f"the solid has no section at the height of a layer, {1e3 * z:.4g} mm")
    with open_gmsh("section") as gmsh:
        geo, mesh = gmsh.model.geo, gmsh.model.mesh
        grade_sizes(gmsh, (size, size), z - 1.0, z)
        corner = {xy: geo.addPoint(*xy, z) for xy in number}
        line: dict[tuple[int, int], int] = {}

        def along(ring: Any) -> int:
            loop = list[int]()
            places = [corner[tuple(xy)] for xy in ring.coords]
            for a, b in itertools.pairwise(places):
                if (b, a) in line:
                    loop.append(-line[(b, a)])
                    continue
                if (a, b) not in line:
                    line[(a, b)] = geo.addLine(a, b)
                loop.append(line[(a, b)])
            return int(geo.addCurveLoop(loop))

        for polygon in solid:
            geo.addPlaneSurface([along(ring) for ring in (polygon.exterior, *polygon.interiors)])
        for tag in line.values():
            geo.mesh.setTransfiniteCurve(tag, 2)
        geo.synchronize()
        mesh.generate(2)
        tags, places, _ = mesh.getNodes()
        nodes = mesh.getElementsByType(2)[1].reshape(-1, 3)
    places = np.asarray(places).reshape(-1, 3)
    places[:, 2] = z
    index = {int(tag): k for k, tag in enumerate(tags)}
    mine = np.array([number.get(tuple(p[:2]), -1) for p in places])
    inner = mine < 0
    mine[inner] = len(points) + np.arange(int(inner.sum()))
    triangles = mine[np.vectorize(index.__getitem__)(nodes)].astype(np.int64)
    return np.vstack([points, places[inner]]), triangles
