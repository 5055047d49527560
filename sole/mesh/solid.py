"""Solids from CAD: STEP through OpenCASCADE, STL as a watertight surface.

Neither names bond or tread: they are found by the surface normals
(`sole.mesh.surface.bond_and_tread`), and the bond defines the frame.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import MeshError, ShapeError
from sole.base.files import LARGEST_MESH, LARGEST_SOLID, existing_file
from sole.base.quiet import captured
from sole.mesh.meshing import extract_mesh, generate_mesh, grade_sizes, mesh_sizes, open_gmsh
from sole.mesh.sole_frame import METRES, in_sole_frame, metres_per, refuse_extent
from sole.mesh.sole_mesh import SoleMesh
from sole.mesh.step_trial import refuse_bad_step
from sole.mesh.stl import (
    enclosed_volume,
    find_shells,
    nest_shells,
    read_stl,
    refuse_meeting,
    turned_alike,
)
from sole.mesh.surface import BOND_ANGLE, TREAD_ANGLE, bond_and_tread, boundary_faces

_VOLUME_TOLERANCE = 0.02  # relative change by remeshing an STL; more means lost surfaces
_EMPTY = 1e-9  # share of the cube of the longest side; less is a surface, not a solid
STL_PADDING = 50  # zero bytes of a last triangle
_CREASE = 40.0  # [deg] between triangles of an STL; more is an edge of the solid


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to mesh a foreign solid: sizes at tread and bond [m], search angles [rad]."""

    size_tread: float | None = None
    size_bond: float | None = None
    bond_angle: float = BOND_ANGLE
    tread_angle: float = TREAD_ANGLE


def mesh_step(path: Path, options: Options | None = None) -> SoleMesh:
    """Mesh the solids of a STEP file, in the unit that the file states.

    Touching solids get a conforming mesh. Solids at different heights become layers, "layer1",
    "layer2", ... from the tread upwards; otherwise there is one layer "sole".

    Raises
    ------
    ShapeError
        Unreadable, no solid inside, or not the size of a sole.
    MeshError
        Gmsh fails, or no bond or tread is found.
    """
    path = existing_file(path, ShapeError, most=LARGEST_SOLID, padding=0)
    options = options or Options()
    refuse_bad_step(path)
    with open_gmsh(path.stem) as gmsh:
        occ = gmsh.model.occ
        try:
            with captured(1):  # OpenCASCADE has no switch to silence it
                found = occ.importShapes(str(path), highestDimOnly=True, format="step")
        except Exception as error:
            raise ShapeError(f"{path}: not a readable STEP file ({error})") from error
        solids = [entity for entity in found if entity[0] == 3]
        if not solids:
            raise ShapeError(f"{path}: holds no solid, only curves or surfaces; export a solid")
        if len(solids) > 1:
            solids, _ = occ.fragment(solids[:1], solids[1:])
        occ.synchronize()
        corners = np.array(gmsh.model.getBoundingBox(-1, -1)).reshape(2, 3)
        refuse_extent(corners, str(path), "; check the unit the file was exported in")
        volume = sum(occ.getMass(*solid) for solid in solids)
        _generate(gmsh, corners, volume, options)
        points, tets, volume_of_tet = extract_mesh(gmsh)
        spans = {tag: _span(occ.getBoundingBox(3, tag)) for _, tag in solids}
    levels = sorted(set(spans.values()))
    layer = {tag: levels.index(span) for tag, span in spans.items()}
    names = tuple(f"layer{k + 1}" for k in range(len(levels))) if len(levels) > 1 else ("sole",)
    layer_of_tet = np.array([layer[int(v)] for v in volume_of_tet])
    return _sole(path, points, tets, layer_of_tet, names, options)


def mesh_stl(path: Path, unit: str | None, options: Options | None = None) -> SoleMesh:
    """Mesh the inside of a watertight STL, text or binary.

    The surface is cut at its creases and remeshed in the given sizes. If that fails, the
    triangles of the file are kept, with a warning.

    Parameters
    ----------
    path : the file; its closed shells are pads or cavities.
    unit : "m", "mm" or "in"; an STL states none.
    options : sizes and angles.

    Raises
    ------
    ShapeError
        No unit, open edges (with their number), shells that cut or touch each other, no volume
        inside, or not the size of a sole.
    MeshError
        Gmsh fails, or no bond or tread is found.
    """
    path = existing_file(path, ShapeError, most=LARGEST_MESH, padding=STL_PADDING)
    options = options or Options()
    points, faces = read_stl(path)
    if unit is None:
        longest = float(np.ptp(points, axis=0).max())
        likely = "mm" if longest > 50 else "in" if longest > 1 else "m"
        raise ShapeError(
            f"{path}: an STL states no unit and its longest side is {longest:g}; give --unit mm, "
            f"--unit m or --unit in (likely {likely})"
        )
    points = points * metres_per(unit)
    others = " or ".join(f"--unit {name}" for name in METRES if name != unit)
    refuse_extent(points, str(path), f"; {others} would help if the numbers are right")
    faces, turned = turned_alike(faces)
    if turned:
        warnings.warn(
            f"{path}: {turned} of {len(faces)} triangles faced the other way than their neighbours "
            "and were turned",
            UserWarning,
            stacklevel=2,
        )
    parts = find_shells(points, faces, str(path))
    refuse_meeting(points, faces, parts, str(path))
    volume = enclosed_volume(points, faces, parts)
    if volume <= _EMPTY * float(np.ptp(points, axis=0).max()) ** 3:
        raise ShapeError(f"{path}: its surface encloses no volume; export a solid")
    mesh = _remeshed(path, points, faces, parts, volume, options)
    if mesh is None:
        warnings.warn(
            f"{path}: the surface cannot be remeshed: its triangles are kept and the mesh sizes "
            "hold inside only",
            UserWarning,
            stacklevel=2,
        )
        p, tets = _filled(path.stem, points, faces, parts, volume, options, cut=False)
        mesh = _sole(path, p, tets, np.zeros(len(tets), dtype=np.int64), ("sole",), options)
    return mesh


def _remeshed(
    path: Path,
    points: FloatArray,
    faces: IntArray,
    parts: list[IntArray],
    volume: float,
    options: Options,
) -> SoleMesh | None:
    """Mesh with a new surface; return None if Gmsh fails or loses part of it."""
    try:
        p, tets = _filled(path.stem, points, faces, parts, volume, options, cut=True)
    except MeshError:
        return None
    mesh = _sole(path, p, tets, np.zeros(len(tets), dtype=np.int64), ("sole",), options)
    lost = abs(float(mesh.volumes.sum()) / volume - 1)
    return mesh if lost <= _VOLUME_TOLERANCE else None


def _filled(
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
        _generate(gmsh, corners, volume, options)
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


def _generate(gmsh: Any, corners: FloatArray, volume: float, options: Options) -> None:
    low, high = corners
    length, width, height = (float(v) for v in high - low)
    # a prism of equal height and volume is good enough to choose a size
    area, perimeter = volume / height, 2 * (length + width)
    given = options.size_tread, options.size_bond
    sizes = mesh_sizes(area, perimeter, height, *given, max(length, width, height))
    grade_sizes(gmsh, sizes, float(low[2]), float(high[2]))
    generate_mesh(gmsh)


def _sole(
    path: Path,
    points: FloatArray,
    tets: IntArray,
    layer_of_tet: IntArray,
    layers: tuple[str, ...],
    options: Options,
) -> SoleMesh:
    bond, tread = bond_and_tread(
        points, boundary_faces(tets), options.bond_angle, options.tread_angle
    )
    return SoleMesh(
        points=in_sole_frame(points, bond),
        tets=tets,
        layer_of_tet=layer_of_tet,
        layers=layers,
        bond=bond,
        tread=tread,
        name=path.stem,
    )


def _span(box: Any) -> tuple[float, float]:
    """Return the lowest and highest z of a bounding box, rounded to 10 micrometres."""
    return round(float(box[2]), 5), round(float(box[5]), 5)
