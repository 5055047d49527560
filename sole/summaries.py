"""Reports for `sole info`: each function reads one kind of file of this package."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sole.base.report import Quantity, Report
from sole.elasticity import DEFAULT_ELEMENT
from sole.laws import AnyMaterial, HyperelasticMaterial
from sole.mesh import SoleMesh, total_area

if TYPE_CHECKING:
    from sole.condense import CondensedSole
    from sole.laws import FittedLaw, StressStrain
    from sole.mesh import MeshedSurface
    from sole.shape import Shape
    from sole.studies import Axis

    Point = tuple[float, float, float]

# The six motions of a foot on its tread, in the order of its 6x6 stiffness.
_MOTIONS = (
    ("stiffness forward", "N/m", "x, without rotation"),
    ("stiffness sideways", "N/m", "y, without rotation"),
    ("stiffness vertical", "N/m", "z, without rotation"),
    ("stiffness roll", "N m/rad", "about x through"),
    ("stiffness pitch", "N m/rad", "about y through"),
    ("stiffness yaw", "N m/rad", "about z through"),
)


def describe_mesh_file(path: Path) -> Report:
    """Describe a mesh file: counts, size, group areas, quality, layers."""
    from sole.mesh import read_mesh

    return describe_mesh(read_mesh(path))


def describe_study_file(path: Path) -> Report:
    """Describe a study file: axes, number of cases, kinds of rows and their options."""
    from sole.studies import load_study

    s = load_study(path)
    rows = {
        f"axis {a.name}": Quantity(_span(a), "", f"{len(a.values)} values" if a.values else "range")
        for a in s.axis
    }
    rows |= {
        "cases": Quantity(s.size),
        "sampling": Quantity(s.sampling.scheme),
        "mesh": Quantity(s.mesh or "of the axis shape, or set by the rows"),
        "element": Quantity(s.element or DEFAULT_ELEMENT, "", "" if s.mesh else "or set by rows"),
        "rows": Quantity(list(s.rows)),
        "tolerance": Quantity(s.tolerance, "", "relative, of the interpolated compliance"),
    }
    rows |= {f"options of {kind}": Quantity(str(dict(o))) for kind, o in s.options.items()}
    return Report("study", rows)


def _span(axis: Axis) -> str:
    """Return the values of an axis: the ends of a range, or all texts."""
    if not axis.numeric:
        return ", ".join(map(str, axis.values))
    low, high = axis.ends
    return f"{low:g} .. {high:g}"


def describe_condensed_file(path: Path, about: Point | None = None) -> Report:
    """Describe a condensed sole's file: nodes, materials, inertia, stiffness `about` a point."""
    from sole.condense import load_condensed

    return describe_condensed(load_condensed(path), about)


def describe_shape_file(path: Path) -> Report:
    """Describe a shape file: outline, size, layers, tread."""
    from sole.shape import load_shape

    return describe_shape(load_shape(path))


def describe_sweep_file(path: Path) -> Report:
    """Describe a sweep's file: axes, errors, the range of every metric."""
    from sole.studies import describe_table

    return describe_table(path)


def describe_shape(shape: Shape) -> Report:
    """Return the report of a shape before meshing."""
    from sole.mesh import mesh_sizes

    length, width, thickness = shape.size
    kind = next(n for n in ("rectangle", "foot", "polygon", "pads") if getattr(shape, n))
    count = f"{len(shape.pads)} pads" if shape.pads else ""
    area = sum(o.area for o in shape.outlines)
    perimeter = sum(o.perimeter for o in shape.outlines)
    tread, bond = mesh_sizes(area, perimeter, thickness, shape.size_tread, shape.size_bond)
    rows = {
        "outline": Quantity(kind, "", count),
        "length": Quantity(length, "m", "along x"),
        "width": Quantity(width, "m", "along y"),
        "thickness": Quantity(thickness, "m"),
        "outline area": Quantity(area, "m^2"),
    }
    for layer in shape.layers:
        m = layer.material
        values = "no material" if m is None else _constants(m)
        unit = "" if m is None else "Pa, -, kg/m^3"
        rows[f"layer {layer.name}"] = Quantity(values, unit, f"{1e3 * layer.thickness:g} mm thick")
    if shape.chamfer is not None:
        c = shape.chamfer
        rows["chamfer"] = Quantity([c.length, c.height], "m", "all round: length, height")
    for name in ("toe", "heel"):
        end = getattr(shape, name)
        if end is not None:
            size = f"{end.height:g} m over {end.length:g} m"
            rows[name] = Quantity(end.kind, "", size)
    if shape.blocks is not None:
        b = shape.blocks
        gap = f"gaps {b.gap:g} m wide, {b.height:g} m deep"
        rows["tread blocks"] = Quantity(f"{b.columns} x {b.rows}", "", gap)
    rows["mesh size at tread"] = Quantity(tread, "m", "default")
    rows["mesh size at bond"] = Quantity(bond, "m")
    return Report(f"shape: {shape.name}", rows)


def describe_surface(made: MeshedSurface) -> dict[str, Quantity]:
    """Return the rows that say how a surface was read and meshed."""
    change = made.volume_change
    text = "open or cutting itself" if change is None else "relative, of the mesh to the surface"
    return {
        "down": Quantity(made.axes.down, "", made.axes.reason),
        "forward": Quantity(made.axes.forward, "", "axis of the file"),
        "mesher": Quantity(made.mesher),
        "volume change": Quantity(change, "", text),
        "least mean ratio": Quantity(made.least_mean_ratio, "", "1: a regular tetrahedron"),
    }


def describe_mesh(mesh: SoleMesh) -> Report:
    """Return the report of a mesh."""
    from sole.mesh import warn_of_quality

    size = np.ptp(mesh.points, axis=0)
    rows = {
        "vertices": Quantity(len(mesh.points)),
        "tetrahedra": Quantity(len(mesh.tets)),
        "tread vertices": Quantity(len(mesh.tread_vertices), "", "the contact points"),
        "length": Quantity(float(size[0]), "m", "along x"),
        "width": Quantity(float(size[1]), "m", "along y"),
        "thickness": Quantity(mesh.thickness, "m", "bond plane to lowest tread vertex"),
        "volume": Quantity(float(mesh.volumes.sum()), "m^3"),
        "bond area": Quantity(total_area(mesh.points, mesh.bond), "m^2"),
        "tread area": Quantity(total_area(mesh.points, mesh.tread), "m^2"),
        **_quality(mesh),
        **_layers(mesh, mesh.materials),
    }
    if mesh.link:
        rows["link"] = Quantity(mesh.link, "", "foot link of this sole")
    if mesh.link_to_sole is not None:
        rows["link to sole"] = Quantity(mesh.link_to_sole, "", "sole frame in the link frame")
    return Report(f"mesh: {mesh.name}", rows, warn_of_quality(mesh))


def describe_condensed(sole: CondensedSole, about: Point | None = None) -> Report:
    """Return the report of a condensed sole.

    Stiffnesses are about the point `about` (3,) [m] of the sole frame, else `sole.origin`.
    """
    from sole.mesh import warn_of_tread

    body = sole.inertia
    p = sole.origin if about is None else np.asarray(about, dtype=float)
    K = sole.foot_stiffness if about is None else sole.stiffness_about(p)
    place = ", ".join(f"{1e3 * c + 0.0:.4g}" for c in p)
    stiffness = {
        name: Quantity(float(K[k, k]), unit, f"{remark} ({place}) mm" if k > 2 else remark)
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
        "foot stiffness": Quantity(
            K, "N/m, N, N m", f"x y z [m], roll pitch yaw [rad]; about ({place}) mm, sole frame"
        ),
    }
    return Report(f"condensed sole: {sole.mesh.name}", rows, warn_of_tread(sole.mesh))


def _layers(mesh: SoleMesh, materials: Sequence[AnyMaterial | None]) -> dict[str, Quantity]:
    rows = {}
    for k, (layer, m) in enumerate(zip(mesh.layers, materials, strict=True)):
        count = f"{int((mesh.layer_of_tet == k).sum())} tetrahedra"
        name = f"layer {layer}"
        if m is None:
            rows[name] = Quantity("no material", "", count)
        else:
            rows[name] = Quantity(_constants(m), "Pa, -, kg/m^3", count)
        if isinstance(m, HyperelasticMaterial):
            rows[f"law of {layer}"] = Quantity(str(m), "", "the constants above are at rest")
    return rows


def _constants(m: AnyMaterial) -> list[float]:
    return [m.young_modulus, m.poisson_ratio, m.density]


def _quality(mesh: SoleMesh) -> dict[str, Quantity]:
    from sole.mesh import mesh_quality

    q = mesh_quality(mesh)
    return {
        "smallest dihedral angle": Quantity(math.degrees(q.min_dihedral), "deg"),
        "smallest scaled Jacobian": Quantity(q.min_scaled_jacobian, "", "1 for a regular one"),
    }


def describe_fit(data: StressStrain, found: FittedLaw, material: HyperelasticMaterial) -> Report:
    """Return the table of a fitted law: constants, errors, its text for --material."""
    from sole.laws import material_text

    low, high = data.stretches
    tests = ", ".join(f"{data.test.count(t)} {t}" for t in dict.fromkeys(data.test))
    words = "of the largest stress of a test"
    rows = {
        "law": Quantity(str(material)),
        "young": Quantity(material.young_modulus, "Pa", "at rest"),
        "poisson": Quantity(material.poisson_ratio, "", "at rest, given"),
        "points": Quantity(len(data.test), "", tests),
        "stretches": Quantity(np.array([low, high]), "", "least and largest of the points"),
        "error": Quantity(found.rms, "", f"root mean square, {words}"),
        "largest error": Quantity(found.largest, "", words),
        "stable": Quantity(np.array(found.stretches), "", "checked from to, uniaxial and planar"),
        "material": Quantity(material_text("LAYER", material), "", "for --material"),
    }
    return Report("fitted law", rows)
