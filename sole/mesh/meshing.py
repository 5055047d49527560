"""Mesh a shape with tetrahedra: a Gmsh session that cleans up after itself, and `mesh_shape`.

The same shape and sizes give the same mesh to the last bit: Gmsh runs on one thread, with fixed
algorithms, a fixed random seed and no user configuration files.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import signal
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.config import written
from sole.base.errors import MeshError, ShapeError
from sole.base.stopping import SIGNALS
from sole.base.units import meant_millimetres
from sole.mesh.cad import build_solids
from sole.mesh.quality import dihedral_angles
from sole.mesh.sole_mesh import SoleMesh
from sole.mesh.surface import TREAD_ANGLE, boundary_faces, find_facing, normals_and_areas
from sole.shape import Shape

TREAD_VERTICES = 200  # target if no size is given
_MOST_TETS = 2e7
_POOR = math.radians(5.0)  # smallest dihedral angle that needs no repair
_PLANE = 1e-9  # rad: four points in one plane, up to round-off

_STEP_UNIT = "Geometry.OCCTargetUnit"
_OPTIONS = {
    "General.Terminal": 0,
    "General.NumThreads": 1,
    "Geometry.OCCParallel": 0,
    "Mesh.MaxNumThreads1D": 1,
    "Mesh.MaxNumThreads2D": 1,
    "Mesh.MaxNumThreads3D": 1,
    "Mesh.Algorithm": 6,  # frontal Delaunay: even triangles on the tread
    "Mesh.Algorithm3D": 10,  # HXT: better elements in thin walls than Delaunay, same time
    "Mesh.RandomSeed": 1,
    "Mesh.RandomFactor": 1e-9,
    "Mesh.Optimize": 1,
    "Mesh.OptimizeNetgen": 0,
    "Mesh.ElementOrder": 1,
    "Mesh.MeshSizeExtendFromBoundary": 0,
    "Mesh.MeshSizeFromPoints": 0,
    "Mesh.MeshSizeFromCurvature": 0,
}


@contextlib.contextmanager
def open_gmsh(name: str) -> Iterator[Any]:
    """Yield the `gmsh` module with a new model; restore Gmsh's state afterwards.

    Raises
    ------
    MeshError
        Gmsh cannot be loaded, or fails inside the block.
    """
    try:
        import gmsh
    except (ImportError, OSError) as error:
        raise MeshError(f"Gmsh cannot be loaded ({error}); run `sole doctor`") from None
    ours = not gmsh.isInitialized()
    if ours:
        # not interruptible, or Gmsh would replace Python's handler of Ctrl-C
        with signals_kept():
            gmsh.initialize(readConfigFiles=False, interruptible=False)
    before = {option: gmsh.option.getNumber(option) for option in _OPTIONS}
    unit = gmsh.option.getString(_STEP_UNIT)
    try:
        for option, value in _OPTIONS.items():
            gmsh.option.setNumber(option, value)
        gmsh.option.setString(_STEP_UNIT, "M")  # otherwise STEP is read in millimetres
        gmsh.model.add(name)
        yield gmsh
    except (MeshError, ShapeError):
        raise
    except Exception as error:
        if type(error) is not Exception:  # Gmsh raises bare exceptions
            raise
        raise MeshError(f"Gmsh could not mesh '{name}': {error}") from error
    finally:
        if ours:
            gmsh.finalize()
        else:
            gmsh.model.remove()
            gmsh.option.setString(_STEP_UNIT, unit)
            for option, value in before.items():
                gmsh.option.setNumber(option, value)


@contextlib.contextmanager
def signals_kept() -> Iterator[None]:
    """Restore how signals are handled after the block, in any thread; Gmsh resets all of them.

    Without it SIGTERM and the end of the terminal would leave files, and a connection that its
    other end has closed would end the process by SIGPIPE (TLS says goodbye).
    """
    handler_of, set_handler = ctypes.pythonapi.PyOS_getsig, ctypes.pythonapi.PyOS_setsig
    handler_of.argtypes, handler_of.restype = [ctypes.c_int], ctypes.c_void_p
    set_handler.argtypes, set_handler.restype = [ctypes.c_int, ctypes.c_void_p], ctypes.c_void_p
    before = {number: handler_of(number) for number in (*SIGNALS, signal.SIGPIPE)}
    try:
        yield
    finally:
        for number, handler in before.items():
            set_handler(number, handler)


def mesh_shape(
    shape: Shape, size_tread: float | None = None, size_bond: float | None = None
) -> SoleMesh:
    """Mesh a shape with tetrahedra.

    The size of the elements varies linearly with height from tread to bond. `bond` is the
    plane z = 0. `tread` is every outer face whose normal lies within 60 degrees of -z: the
    flat tread, the lower faces of blocks, chamfers and rockers, but not the ceilings of gaps.

    Parameters
    ----------
    shape : the shape to mesh.
    size_tread, size_bond : target edge lengths [m]; by default the shape's own, else about
        200 tread vertices and the same size at the bond.

    Raises
    ------
    MeshError
        Gmsh fails, or no mesh without inverted or orphan elements is found.
    """
    area = sum(o.area for o in shape.outlines)
    perimeter = sum(o.perimeter for o in shape.outlines)
    T = shape.thickness
    h_tread = shape.size_tread if size_tread is None else size_tread
    h_bond = shape.size_bond if size_bond is None else size_bond
    sizes = mesh_sizes(area, perimeter, T, h_tread, h_bond, max(shape.size))
    with open_gmsh(shape.name) as gmsh:
        solids = build_solids(gmsh, shape)
        grade_sizes(gmsh, sizes, -T, 0.0)
        generate_mesh(gmsh)
        points, tets, volume_of_tet = extract_mesh(gmsh)
        heights = {tag: gmsh.model.occ.getCenterOfMass(3, tag)[2] for tag in solids}
    layer_of = {tag: int(np.searchsorted(shape.interfaces, z)) for tag, z in heights.items()}
    bond, tread = _groups(shape, points, tets)
    mesh = SoleMesh(
        points=points,
        tets=tets,
        layer_of_tet=np.array([layer_of[int(v)] for v in volume_of_tet]),
        layers=tuple(layer.name for layer in shape.layers),
        bond=bond,
        tread=tread,
        materials=tuple(layer.material for layer in shape.layers),
        name=shape.name,
    )
    recipe = {
        "shape": {key: value for key, value in written(shape).items() if value is not None},
        "size_tread": sizes[0],
        "size_bond": sizes[1],
        "mirrored": False,
        "digest": mesh.digest,
    }
    return replace(mesh, recipe=recipe)


def mesh_sizes(
    area: float,
    perimeter: float,
    thickness: float,
    size_tread: float | None = None,
    size_bond: float | None = None,
    longest: float = np.inf,
) -> tuple[float, float]:
    """Return the target sizes at tread and bond [m] from a sole's area, perimeter and thickness.

    The default at the tread makes about 200 vertices; the default at the bond equals the tread's.
    `longest` is the longest side of the sole [m].

    Raises
    ------
    MeshError
        A non-positive argument, a size larger than the sole, or one so fine that no machine holds
        the mesh.
    """
    for size in (size_tread, size_bond):
        if size is not None and not (np.isfinite(size) and size > 0):
            raise MeshError(f"a mesh size must be positive and finite, got {size:g} m")
        if size is not None and size > longest:
            question = meant_millimetres(size, longest) or "take an edge length in metres"
            raise MeshError(
                f"a mesh size of {size:g} m is larger than the sole itself, {longest:g} m: "
                f"{question}"
            )
    h_tread = size_tread or _default_size(area, perimeter)
    h_bond = size_bond or h_tread
    if not (area > 0 and perimeter > 0 and thickness > 0):
        raise MeshError(
            f"nothing to mesh: area {area:g} m^2, perimeter {perimeter:g} m, thickness "
            f"{thickness:g} m; all three must be positive"
        )
    finest = (area * thickness / (0.12 * _MOST_TETS)) ** (1 / 3)
    for where, h in (("tread", h_tread), ("bond", h_bond)):
        if h < finest:
            tets = area * thickness / (0.12 * max(h, 1e-30) ** 3)
            raise MeshError(
                f"a mesh size of {h:g} m at the {where} makes about {tets:.1g} tetrahedra; "
                f"take at least {finest:.2g} m"
            )
    return float(h_tread), float(h_bond)


def _default_size(area: float, perimeter: float) -> float:
    """Solve A/(0.87 h^2) + P/(2 h) = TREAD_VERTICES: vertices of regular triangles of side h."""
    return perimeter / (4 * TREAD_VERTICES) + float(
        np.sqrt((perimeter / (4 * TREAD_VERTICES)) ** 2 + area / (0.87 * TREAD_VERTICES))
    )


def generate_mesh(gmsh: Any) -> None:
    """Mesh the volumes; let Netgen improve dihedral angles below 5 degrees.

    HXT may leave a tetrahedron of four points in one plane, on which Netgen crashes: then the
    volumes are filled anew by Delaunay's algorithm.
    """
    gmsh.model.mesh.generate(3)
    angle = _flattest(gmsh)
    if angle < _PLANE:
        gmsh.model.mesh.clear(gmsh.model.getEntities(3))
        gmsh.option.setNumber("Mesh.Algorithm3D", 1)
        gmsh.model.mesh.generate(3)
        angle = _flattest(gmsh)
    if angle < _POOR:
        gmsh.model.mesh.optimize("Netgen")


def _flattest(gmsh: Any) -> float:
    """Return the smallest dihedral angle [rad]."""
    points, tets, _ = extract_mesh(gmsh)
    return float(dihedral_angles(points, tets).min())


def extract_mesh(gmsh: Any) -> tuple[FloatArray, IntArray, IntArray]:
    """Return used points (n, 3), tetrahedra (e, 4) and the volume tag of each."""
    tags, xyz, _ = gmsh.model.mesh.getNodes()
    tags = np.asarray(tags, dtype=np.int64)
    order = np.argsort(tags)
    tags, xyz = tags[order], np.asarray(xyz, dtype=float).reshape(-1, 3)[order]
    tets, volume = [], []
    for _, volume_tag in gmsh.model.getEntities(3):
        _, nodes = gmsh.model.mesh.getElementsByType(4, volume_tag)
        tets.append(np.asarray(nodes, dtype=np.int64).reshape(-1, 4))
        volume.append(np.full(len(tets[-1]), volume_tag, dtype=np.int64))
    if not tets or not sum(map(len, tets)):
        raise MeshError("Gmsh made no tetrahedra; is the shape a closed solid?")
    used, compact = np.unique(np.concatenate(tets), return_inverse=True)
    points = xyz[np.searchsorted(tags, used)]
    return points, compact.reshape(-1, 4), np.concatenate(volume)


def grade_sizes(gmsh: Any, sizes: tuple[float, float], low: float, high: float) -> None:
    """Let the target size vary linearly from `sizes[0]` at z = low to `sizes[1]` at z = high."""
    field = gmsh.model.mesh.field.add("MathEval")
    slope = (sizes[1] - sizes[0]) / (high - low)
    gmsh.model.mesh.field.setString(field, "F", f"{sizes[0]!r} + ({slope!r}) * (z - ({low!r}))")
    gmsh.model.mesh.field.setAsBackgroundMesh(field)


def _groups(shape: Shape, points: FloatArray, tets: IntArray) -> tuple[IntArray, IntArray]:
    """Return bond and tread of a shape by the rule in `mesh_shape`."""
    faces = boundary_faces(tets)
    normals, _ = normals_and_areas(points, faces)
    tolerance = 1e-6 * shape.thickness
    z = points[faces, 2]
    bond = (np.abs(z) < tolerance).all(axis=1)
    tread = find_facing(normals, -1.0, TREAD_ANGLE)
    if shape.blocks is not None:
        ceiling = -shape.thickness + shape.blocks.height
        tread &= ~(np.abs(z - ceiling) < tolerance).all(axis=1)
    return faces[bond], faces[tread]
