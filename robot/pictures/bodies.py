"""Robot, soles and ground of a run as PyVista meshes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from robot.run import LinkShape, Run, TreadNodes
from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import SoleError
from sole.base.files import LARGEST_MESH, existing_file
from sole.base.quiet import quiet_reading

if TYPE_CHECKING:
    from pyvista import PolyData, StructuredGrid

LEFT, RIGHT, TRUNK = "#5b84b1", "#c2705f", "#b9bec6"
TILES = ("#e6e0d4", "#d8d0c0", "#978a74", "#b9cfdb", "#a5bfcd")  # level (2), riser, raised (2)
STEEP = 0.5  # slope above which ground is drawn as a riser
RAISED = 5e-4  # m
TILE = 0.1  # m: size of the ground's pattern, which shows motion and scale
HEAD = 8192  # bytes of a COLLADA file that name its unit
UNIT = re.compile(rb"<unit[^>]*\smeter\s*=\s*[\"']([0-9.eE+-]+)[\"']")
READABLE = (".stl", ".obj", ".ply", ".vtk", ".vtp")


def color_of(link: str) -> str:
    """Return blue for left links, red for right links, grey for the rest."""
    name = link.lower()
    if name.startswith(("left", "l_", "leg_left", "arm_left")):
        return LEFT
    if name.startswith(("right", "r_", "leg_right", "arm_right")):
        return RIGHT
    return TRUNK


def solid(shape: LinkShape) -> PolyData | None:
    """Return a solid in its own axes [m]; None if its mesh file is missing or not readable."""
    import pyvista

    a, b, c = (float(s) for s in shape.size)
    if shape.kind == "box":
        return pyvista.Cube(x_length=a, y_length=b, z_length=c)
    if shape.kind == "sphere":
        return pyvista.Sphere(radius=a, theta_resolution=24, phi_resolution=16)
    if shape.kind == "cylinder":
        return pyvista.Cylinder(direction=(0, 0, 1), radius=a, height=b, resolution=32)
    if shape.kind == "capsule":
        return _capsule(a, b)
    path = shape.path
    if path is None or _refused(path):
        return None
    if path.suffix.lower() not in READABLE:
        return _by_assimp(path, np.array([a, b, c]))
    with quiet_reading():
        mesh: Any = pyvista.read(path)
    if not mesh.n_points:  # VTK says why on standard error alone
        return None
    surface = mesh.extract_surface(algorithm=None)
    surface.clear_data()
    surface.points = np.asarray(surface.points) * np.array([a, b, c])
    return surface


def _refused(path: Path) -> bool:
    try:
        existing_file(path, most=LARGEST_MESH)
    except SoleError:
        return True
    return False


def _by_assimp(path: Path, scale: FloatArray) -> PolyData | None:
    """Return the surface of a COLLADA (.dae) or other mesh that VTK does not read."""
    import coal
    import pyvista

    try:
        mesh = coal.MeshLoader().load(str(path), scale * _unit(path))
    except (ValueError, OSError):  # no format of assimp's, or damaged
        return None
    points = np.array(mesh.vertices(), dtype=float).reshape(-1, 3)
    corners = [mesh.tri_indices(k) for k in range(mesh.num_tris)]
    faces = np.array([[corner[k] for k in range(3)] for corner in corners], dtype=np.int64)
    return pyvista.PolyData.from_regular_faces(points, faces.reshape(-1, 3))


def _unit(path: Path) -> float:
    """Return the unit that a COLLADA file names [m], which its reader leaves to us; else 1."""
    with path.open("rb") as file:
        found = UNIT.search(file.read(HEAD))
    return float(found[1]) if found else 1.0


def _capsule(radius: float, length: float) -> PolyData:
    """Return a capsule along z: a sphere cut at its equator, with the halves moved apart."""
    import pyvista

    ball = pyvista.Sphere(radius=radius, theta_resolution=24, phi_resolution=17)
    points = np.asarray(ball.points).copy()
    points[:, 2] += np.where(points[:, 2] > 1e-9 * radius, length / 2, -length / 2)
    ball.points = points
    return ball


class TreadSurface:
    """The sole of one body in its axes: tread, and walls up to the bond plane z = 0.

    A body with contact points all around, such as a free box, is shown by its convex hull.
    """

    def __init__(self, tread: TreadNodes) -> None:
        self.tread = tread
        hull = _hull(tread.points) if tread.foot < 0 else tread.faces[:0]
        self.solid = len(hull) > 0
        self.faces = hull if self.solid else tread.faces
        self.rim = _rim(tread.faces[:0] if self.solid else tread.faces)

    def surface(self, displacement: FloatArray | None = None) -> PolyData:
        """Return the deformed tread alone, (m,) points in the order of the nodes."""
        import pyvista

        points = self.tread.points.copy()
        if displacement is not None:
            points = points + displacement
        if not len(self.faces):
            return pyvista.PolyData(points)
        return pyvista.PolyData.from_regular_faces(points, self.faces)

    def walls(self, displacement: FloatArray | None = None) -> PolyData | None:
        """Return the walls from the rim of the deformed tread to the bond plane, and that plane."""
        import pyvista

        if not len(self.rim):
            return None
        low = np.asarray(self.surface(displacement).points)
        top = self.tread.points.copy()
        top[:, 2] = 0.0
        m = len(top)
        quads = np.column_stack([self.rim, self.rim[:, ::-1] + m])
        faces = [np.column_stack([np.full(len(quads), 4), quads]).ravel()]
        faces.append(
            np.column_stack([np.full(len(self.tread.faces), 3), self.tread.faces + m]).ravel()
        )
        return pyvista.PolyData(np.vstack([low, top]), np.concatenate(faces))


def _hull(points: FloatArray) -> IntArray:
    """Return the triangles (k, 3) of the convex hull; none if the points lie in a plane."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return np.asarray(ConvexHull(points).simplices, dtype=np.int64)
    except (QhullError, ValueError):
        return np.zeros((0, 3), np.int64)


def _rim(faces: IntArray) -> IntArray:
    """Return the boundary edges (k, 2), which belong to one triangle only."""
    if not len(faces):
        return np.zeros((0, 2), np.int64)
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    _, first, count = np.unique(
        np.sort(edges, axis=1), axis=0, return_index=True, return_counts=True
    )
    return np.asarray(edges[first[count == 1]])


def ground_surface(run: Run) -> StructuredGrid | None:
    """Return the ground with a cell array `tile`: its colour of `TILES`.

    0 and 1 alternate in squares of 10 cm, 3 and 4 on raised ground; 2 marks risers.
    """
    import pyvista

    if not run.ground:
        return None
    x, y, z = (run.ground[n] for n in ("x", "y", "height"))
    if np.ptp(z) == 0.0:  # level: whole tiles are enough
        x, y = (np.arange(np.floor(a[0] / TILE), np.ceil(a[-1] / TILE) + 1) * TILE for a in (x, y))
        z = np.full((len(x), len(y)), float(z[0, 0]))
    X, Y = np.meshgrid(x, y, indexing="ij")
    lowest = float(np.nanmin(z)) if np.isfinite(z).any() else 0.0
    grid = pyvista.StructuredGrid(
        X[..., None], Y[..., None], np.nan_to_num(z, nan=lowest)[..., None]
    )
    middle = np.asarray(grid.cell_centers().points)
    tiles = np.floor(middle[:, 0] / TILE + 1e-6) + np.floor(middle[:, 1] / TILE + 1e-6)
    corners = np.stack([z[:-1, :-1], z[1:, :-1], z[:-1, 1:], z[1:, 1:]])
    steep = (np.ptp(corners, axis=0) > STEEP * float(x[1] - x[0])).ravel(order="F")
    raised = middle[:, 2] > lowest + RAISED
    grid.cell_data["tile"] = np.where(steep, 2.0, np.mod(tiles, 2.0) + 3.0 * raised)
    return grid


def bones(parents: IntArray) -> PolyData:
    """Return lines between n points at the origin, from each to its parent (-1: none)."""
    import pyvista

    children = np.flatnonzero(parents >= 0)
    lines = np.column_stack([np.full(len(children), 2), parents[children], children])
    mesh = pyvista.PolyData(np.zeros((len(parents), 3)))
    if len(children):
        mesh.lines = lines.ravel()
    return mesh
