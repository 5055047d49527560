"""Soles from triangle surfaces: STL, OBJ, PLY and 3MF, printed or scanned.

A surface is read and checked, turned so that its sole looks down, cut at a height if asked for,
and filled with tetrahedra: by Gmsh if it is watertight, else by fTetWild.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import MeshError, ShapeError, SoleError
from sole.base.extras import has_extra, install_line
from sole.mesh.cut_surface import cut_surface
from sole.mesh.found_axes import FoundAxes, find_axes
from sole.mesh.ftetwild import edge_length, fill_by_ftetwild
from sole.mesh.gmsh_trial import remesh_in_time
from sole.mesh.meshing import mesh_sizes
from sole.mesh.quality import mean_ratios
from sole.mesh.sole_frame import METRES, refuse_extent
from sole.mesh.sole_mesh import SoleMesh, tetrahedron_volumes
from sole.mesh.solid import Options, sole_of
from sole.mesh.stl import enclosed_volume, find_shells, joined, refuse_meeting, turned_alike
from sole.mesh.surface import connected_tets
from sole.mesh.surface_file import read_triangles
from sole.mesh.surface_gmsh import filled, remeshed
from sole.shape import refuse_size

MESHERS = ("gmsh", "ftetwild")
_EMPTY = 1e-9  # share of the cube of the longest side; less is a surface, not a solid
_THIN = 1e-4  # share of the longest side; a thinner file is a sheet
_DUST = 1e-3  # share of the volume: smaller loose parts are left out
BULGE = 0.02  # of the least side: by that much a mesh may leave the box of an open surface
_SMALL = 0.03  # m: a sole shorter than that may have another unit


@dataclass(frozen=True, eq=False, kw_only=True)
class MeshedSurface:
    """A sole made from a surface, and how.

    Parameters
    ----------
    mesh : the sole.
    axes : which axes of the file are down and forward.
    mesher : "gmsh" or "ftetwild".
    volume : inside the surface [m^3]; None if it is open or cuts itself.
    """

    mesh: SoleMesh
    axes: FoundAxes
    mesher: str
    volume: float | None

    @property
    def least_mean_ratio(self) -> float:
        """Least mean ratio of an element (`sole.mesh.quality.mean_ratios`)."""
        return float(mean_ratios(self.mesh.points, self.mesh.tets).min())

    @property
    def volume_change(self) -> float | None:
        """Relative difference of the mesh's volume to that inside the surface."""
        return None if self.volume is None else float(self.mesh.volumes.sum()) / self.volume - 1


def mesh_stl(path: Path, unit: str | None, options: Options | None = None) -> SoleMesh:
    """Mesh the inside of a watertight STL by Gmsh; see `mesh_surface` for any other surface.

    The surface is cut at its creases and remeshed in the given sizes. If that fails, the
    triangles of the file are kept, with a warning.

    Parameters
    ----------
    path : the file; its closed shells are pads or cavities.
    unit : "m", "cm", "mm" or "in"; an STL states none.
    options : sizes, angles, axes.

    Raises
    ------
    ShapeError
        No unit, open edges (with their number), shells that cut or touch each other, no volume
        inside, no flat side, or not the size of a sole.
    MeshError
        Gmsh fails, or no bond or tread is found.
    """
    return mesh_surface(path, unit, replace(options or Options(), mesher="gmsh")).mesh


def mesh_surface(
    path: Path, unit: str | None, options: Options | None = None, *, shown: bool = False
) -> MeshedSurface:
    """Mesh the inside of a surface: STL, OBJ, PLY or 3MF, which may be open or cut itself.

    Gmsh meshes a watertight surface; where it fails, and by `options.mesher`, fTetWild does, with
    a warning that says why.

    Parameters
    ----------
    path : the file; its closed shells are pads or cavities.
    unit : "m", "cm", "mm" or "in", of STL, OBJ and PLY.
    options : sizes, angles, mesher, axes, cut.
    shown : draw a progress bar of fTetWild on a terminal.

    Raises
    ------
    ShapeError
        As `mesh_stl`; what only fTetWild meshes is refused without the extra `surfaces`.
    MeshError
        The mesher fails, or no bond or tread is found.
    """
    path, options = Path(path), options or Options()
    if options.mesher is not None and options.mesher not in MESHERS:
        raise MeshError(f"--mesher must be {' or '.join(MESHERS)}, got '{options.mesher}'")
    points, faces = read_triangles(path, unit, lambda found: _refuse_sides(found, path, unit))
    axes = find_axes(points, faces, str(path), options.down, options.forward)
    points, faces = joined(points, faces, path)
    points = points @ axes.rotation.T
    if options.cut is not None:
        points, faces = cut_surface(points, faces, options.cut, str(path))
    turn = f"give --cut HEIGHT for a whole foot, or --down AXIS if down is not {axes.down}"
    refuse_extent(points, str(path), "", turn)
    problem: SoleError | None = None
    volume, mesh = None, None
    try:
        faces, parts, volume = _closed(points, faces, path)
        if options.mesher != "ftetwild":
            mesh = _by_gmsh(path, points, faces, parts, volume, options)
    except (ShapeError, MeshError) as error:
        if options.mesher == "gmsh":
            raise
        problem = error
    if mesh is not None:
        return MeshedSurface(mesh=mesh, axes=axes, mesher="gmsh", volume=volume)
    if problem is not None and options.mesher is None:
        if not has_extra("surfaces"):
            line = install_line("surfaces")
            raise type(problem)(f"{problem}. fTetWild meshes such surfaces: {line}") from problem
        _warn(f"{problem}: meshed by fTetWild instead of Gmsh")
    mesh = _by_ftetwild(path, points, faces, volume, options, shown)
    if volume is None:
        _warn_of_bulges(path, points, mesh)
    return MeshedSurface(mesh=mesh, axes=axes, mesher="ftetwild", volume=volume)


def _refuse_sides(points: FloatArray, path: Path, unit: str | None) -> None:
    """Raise ShapeError unless the longest side of points [m] is a sole's and they span a solid."""
    sides = np.sort(np.ptp(points, axis=0))[::-1]
    longest, thinnest = float(sides[0]), float(sides[2])
    others = [f"--unit {name}" for name in METRES if name != unit]
    hint = f"; {' or '.join(others)} would help if the numbers are right" if unit else ""
    alone = f"export the sole or the foot alone{hint}"
    refuse_size((longest, float(sides[1]), thinnest), str(path), hint, alone)
    if thinnest < _THIN * longest:
        raise ShapeError(
            f"{path}: its surface encloses no volume: it is {thinnest:.2g} m thick and "
            f"{longest:.3g} m long; export a solid"
        )
    if longest < _SMALL:
        _warn(f"{path}: is only {1e3 * longest:.3g} mm long; is its unit right?")


def _closed(
    points: FloatArray, faces: IntArray, path: Path
) -> tuple[IntArray, list[IntArray], float]:
    """Return the triangles, turned alike, of a watertight surface, its shells and its volume.

    Raises
    ------
    ShapeError
        It is not watertight, its shells meet, or it has no inside.
    """
    faces, turned = turned_alike(faces)
    if turned:
        _warn(
            f"{path}: {turned} of {len(faces)} triangles faced the other way than their neighbours "
            "and were turned"
        )
    parts = find_shells(points, faces, str(path))
    refuse_meeting(points, faces, parts, str(path))
    volume = enclosed_volume(points, faces, parts)
    if volume <= _EMPTY * float(np.ptp(points, axis=0).max()) ** 3:
        raise ShapeError(f"{path}: its surface encloses no volume; export a solid")
    return faces, parts, volume


def _by_gmsh(
    path: Path,
    points: FloatArray,
    faces: IntArray,
    parts: list[IntArray],
    volume: float,
    options: Options,
) -> SoleMesh:
    other = options.mesher is None and has_extra("surfaces")  # if Gmsh fails
    remesh = remesh_in_time if other else remeshed
    mesh = remesh(path, points, faces, parts, volume, options)
    if mesh is not None:
        return mesh
    if other:
        raise MeshError(f"{path}: Gmsh cannot remesh the surface")
    _warn(
        f"{path}: the surface cannot be remeshed: its triangles are kept and the mesh sizes "
        "hold inside only"
    )
    p, tets = filled(path.stem, points, faces, parts, volume, options, cut=False)
    return sole_of(path, p, tets, np.zeros(len(tets), dtype=np.int64), ("sole",), options)


def _by_ftetwild(
    path: Path,
    points: FloatArray,
    faces: IntArray,
    volume: float | None,
    options: Options,
    shown: bool,
) -> SoleMesh:
    length, width, height = (float(side) for side in np.ptp(points, axis=0))
    inside = length * width * height if volume is None else volume
    area, perimeter = inside / height, 2 * (length + width)
    given = options.size_tread, options.size_bond
    if given == (None, None):
        given = (edge_length(inside, height), None)
    sizes = mesh_sizes(area, perimeter, height, *given, max(length, width, height))
    if max(sizes) > (1 + 1e-9) * min(sizes):
        _warn(f"fTetWild meshes in one size: {1e3 * min(sizes):.3g} mm at tread and bond")
    p, tets = fill_by_ftetwild(points, faces, min(sizes), str(path), shown=shown)
    part = connected_tets(tets, len(p))
    share = np.bincount(part, tetrahedron_volumes(p, tets))
    share = share / share.sum()
    if (share < _DUST).any():
        _warn(f"{path}: {int((share < _DUST).sum())} loose parts under 0.1 % are left out")
        used, index = np.unique(tets[share[part] >= _DUST], return_inverse=True)
        p, tets = p[used], index.reshape(-1, 4)
    return sole_of(path, p, tets, np.zeros(len(tets), dtype=np.int64), ("sole",), options)


def _warn_of_bulges(path: Path, points: FloatArray, mesh: SoleMesh) -> None:
    """Warn if a mesh leaves the box of a surface without a known volume."""
    sides, found = np.ptp(points, axis=0), np.ptp(mesh.points, axis=0)
    worst = int(np.abs(found - sides).argmax())
    if abs(float(found[worst] - sides[worst])) > BULGE * float(sides.min()):
        side = ("long", "wide", "high")[worst]
        _warn(
            f"{path}: the surface is open or cuts itself, and what closes it is a guess: the mesh "
            f"is {1e3 * found[worst]:.3g} mm {side}, the file {1e3 * sides[worst]:.3g} mm; close "
            "the surface before export"
        )


def _warn(text: str) -> None:
    warnings.warn(text, UserWarning, stacklevel=3)
