"""Closed triangle surfaces filled by Gmsh: cut at their creases, remeshed and filled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import MeshError, ShapeError
from sole.mesh.meshing import extract_mesh, open_gmsh
from sole.mesh.quality import UNEVEN, tread_factor
from sole.mesh.sole_mesh import SoleMesh
from sole.mesh.solid import Options, generate_solid, sole_of
from sole.mesh.stl import find_shells, nest_shells
from sole.mesh.surface import boundary_faces

_VOLUME_TOLERANCE = 0.02  # relative change by remeshing a surface; more means lost surfaces
_PASSES = 4  # remeshing of a surface; slivers took up to three
_CREASE = 40.0  # [deg] between triangles; more is an edge of the solid


def remeshed(
    path: Path,
    points: FloatArray,
    faces: IntArray,
    parts: list[IntArray],
    volume: float,
    options: Options,
) -> SoleMesh | None:
    """Mesh with a new surface; return None if Gmsh fails or loses part of it.

    Gmsh spaces nodes badly on slivers of the file. So while areas of the tread are uneven, the new
    surface is remeshed in turn; the most even mesh counts.
    """
    best: SoleMesh | None = None
    for _ in range(_PASSES):
        try:
            p, tets = filled(path.stem, points, faces, parts, volume, options, cut=True)
        except MeshError:
            break
        mesh = sole_of(path, p, tets, np.zeros(len(tets), dtype=np.int64), ("sole",), options)
        if abs(float(mesh.volumes.sum()) / volume - 1) > _VOLUME_TOLERANCE:
            break
        if best is None or tread_factor(mesh) < tread_factor(best):
            best = mesh
        if tread_factor(best) <= UNEVEN:
            break
        used, index = np.unique(boundary_faces(tets), return_inverse=True)
        points, faces = p[used], index.reshape(-1, 3)
        try:
            parts = find_shells(points, faces, str(path))
        except ShapeError:
            break
    return best


def filled(
    name: str,
    points: FloatArray,
    faces: IntArray,
    parts: list[IntArray],
    volume: float,
    options: Options,
    *,
    cut: bool,
) -> tuple[FloatArray, IntArray]:
    """Fill closed triangle surfaces with tetrahedra; `cut`: remesh the surface between creases."""
    with open_gmsh(name) as gmsh:
        model = gmsh.model
        surface_of = []
        for shell in parts:
            tag = model.addDiscreteEntity(2)
            used = np.unique(faces[shell])
            model.mesh.addNodes(2, tag, used + 1, points[used].ravel())
            model.mesh.addElementsByType(tag, 2, [], (faces[shell] + 1).ravel())
            surface_of.append(tag)
        if cut:
            model.mesh.classifySurfaces(np.radians(_CREASE), True, True, np.pi)
            model.mesh.createGeometry()
            surfaces = _surfaces_of(gmsh, faces, parts)
        else:
            surfaces = [[tag] for tag in surface_of]
        loops = [model.geo.addSurfaceLoop(tags) for tags in surfaces]
        for outer, cavities in nest_shells(points, faces, parts):
            model.geo.addVolume([loops[outer], *(loops[k] for k in cavities)])
        model.geo.synchronize()
        corners = np.array([points.min(axis=0), points.max(axis=0)])
        generate_solid(gmsh, corners, volume, options)
        p, tets, _ = extract_mesh(gmsh)
    return p, tets


def _surfaces_of(gmsh: Any, faces: IntArray, parts: list[IntArray]) -> list[list[int]]:
    """Return the tags of the classified surfaces of each shell."""
    shell_of_node = {
        int(n) + 1: k for k, shell in enumerate(parts) for n in np.unique(faces[shell])
    }
    surfaces: list[list[int]] = [[] for _ in parts]
    for _, tag in gmsh.model.getEntities(2):
        nodes = gmsh.model.mesh.getElementsByType(2, tag)[1]
        if len(nodes):
            surfaces[shell_of_node[int(nodes[0])]].append(int(tag))
    return surfaces
