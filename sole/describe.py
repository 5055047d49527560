"""Reports of files for `sole info`: each function reads one kind of file of this package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sole.arrays import FloatArray, IntArray
from sole.material import Material
from sole.mesh import SoleMesh
from sole.report import Quantity, Report

if TYPE_CHECKING:
    from sole.condense import CondensedSole

# The six motions of a foot on its tread, in the order of its 6x6 stiffness.
_MOTIONS = (
    ("stiffness forward", "N/m", "x, without tilting"),
    ("stiffness sideways", "N/m", "y, without tilting"),
    ("stiffness vertical", "N/m", "z, without tilting"),
    ("stiffness roll", "N m/rad", "about x"),
    ("stiffness pitch", "N m/rad", "about y"),
    ("stiffness yaw", "N m/rad", "about z"),
)


def mesh(path: Path) -> Report:
    """Describe a mesh file: counts, size, group areas, quality, layers."""
    from sole.mesh_file import read_mesh

    return describe_mesh(read_mesh(path))


def condensed(path: Path) -> Report:
    """Describe a condensed sole's file: nodes, materials, inertia, foot stiffness."""
    from sole.condense import load_condensed

    return describe_condensed(load_condensed(path))


def describe_mesh(mesh: SoleMesh) -> Report:
    """Return the report of a mesh."""
    size = np.ptp(mesh.points, axis=0)
    rows = {
        "vertices": Quantity(len(mesh.points)),
        "tetrahedra": Quantity(len(mesh.tets)),
        "tread vertices": Quantity(len(mesh.tread_vertices), "", "the contact points"),
        "length": Quantity(float(size[0]), "m", "along x"),
        "width": Quantity(float(size[1]), "m", "along y"),
        "thickness": Quantity(mesh.thickness, "m", "bond plane to lowest tread vertex"),
        "volume": Quantity(float(mesh.volumes.sum()), "m^3"),
        "bond area": Quantity(_area(mesh.points, mesh.bond), "m^2"),
        "tread area": Quantity(_area(mesh.points, mesh.tread), "m^2"),
        **_quality(mesh),
        **_layers(mesh, mesh.materials),
    }
    if mesh.link:
        rows["link"] = Quantity(mesh.link, "", "robot link that this sole belongs to")
    if mesh.link_to_sole is not None:
        rows["link to sole"] = Quantity(mesh.link_to_sole, "", "sole frame in the link's frame")
    return Report(f"mesh: {mesh.name}", rows)


def describe_condensed(sole: CondensedSole) -> Report:
    """Return the report of a condensed sole; stiffnesses about the origin on the tread plane."""
    body = sole.inertia
    K = sole.foot_stiffness
    stiffness = {
        name: Quantity(float(K[k, k]), unit, remark)
        for k, (name, unit, remark) in enumerate(_MOTIONS)
    }
    rows = {
        "element": Quantity(sole.element),
        "tread nodes": Quantity(len(sole.points)),
        "degrees of freedom": Quantity(3 * len(sole.points), "", "of the condensed matrix"),
        "tetrahedra": Quantity(len(sole.mesh.tets)),
        "thickness": Quantity(sole.thickness, "m"),
        "tread area": Quantity(float(sole.areas.sum()), "m^2"),
        **_layers(sole.mesh, sole.materials),
        "mass": Quantity(body.mass, "kg"),
        "center of mass": Quantity(body.center_of_mass, "m", "sole frame"),
        "inertia": Quantity(np.asarray(body.inertia), "kg m^2", "about the centre of mass"),
        **stiffness,
        "foot stiffness": Quantity(K, "N/m, N, N m", "x y z roll pitch yaw"),
    }
    return Report(f"condensed sole: {sole.mesh.name}", rows)


def _layers(mesh: SoleMesh, materials: Sequence[Material | None]) -> dict[str, Quantity]:
    rows = {}
    for k, (layer, m) in enumerate(zip(mesh.layers, materials, strict=True)):
        count = f"{int((mesh.layer_of_tet == k).sum())} tetrahedra"
        name = f"layer {layer}"
        if m is None:
            rows[name] = Quantity("no material", "", count)
        else:
            values = [m.young_modulus, m.poisson_ratio, m.density]
            rows[name] = Quantity(values, "Pa, -, kg/m^3", count)
    return rows


def _area(points: FloatArray, faces: IntArray) -> float:
    a, b, c = (points[faces[:, k]] for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def _quality(mesh: SoleMesh) -> dict[str, Quantity]:
    from sole.quality import mesh_quality

    q = mesh_quality(mesh)
    return {
        "smallest dihedral angle": Quantity(q.min_dihedral, "deg"),
        "smallest scaled Jacobian": Quantity(q.min_scaled_jacobian, "", "1 for a regular one"),
    }
