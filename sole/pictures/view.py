"""Pictures of a mesh and of a condensed sole.

`mesh_dataset` and `condensed_dataset` return the data for scripts (SI units, names without
units); `view_mesh` and `view_condensed` return scenes for `sole view`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.condense import UNIT_LOAD, recover, unit_load_forces
from sole.material import Material
from sole.mesh import SoleMesh, total_area
from sole.pictures.drawing import (
    Field,
    choose_field,
    display_unit,
    draw_field,
    draw_layers,
    draw_legend,
    draw_note,
    draw_outline,
    enlarged,
    millimetres,
    round_factor,
    units_of,
)
from sole.pictures.rulers import draw_rulers
from sole.pictures.scene import DPI, Panel, PyVistaScene, ViewOptions

if TYPE_CHECKING:
    from pyvista import DataSet, Plotter, PolyData, UnstructuredGrid

    from sole.condense import CondensedSole

GROUP_COLORS = {"bond": "#b5485d", "tread": "#3f9a68", "free": "#d4d4d4"}

MESH_FIELDS = {
    "layer": Field("layer", ""),
    "quality": Field("scaled Jacobian (1: regular)", "", "RdYlGn"),
    "size": Field("mean edge length", "m", "viridis", zero=False),
}
CONDENSED_FIELDS = {
    "compliance": Field("normal compliance of each tread node alone", "m/N", "cividis", False),
    "pressure": Field(
        f"pressure at nodes under {UNIT_LOAD:g} N without slip (peaks depend on the mesh)",
        "Pa",
        "YlOrRd",
    ),
    "displacement": Field(f"displacement under {UNIT_LOAD:g} N without slip", "m"),
    **MESH_FIELDS,
}


def mesh_dataset(mesh: SoleMesh) -> UnstructuredGrid:
    """Return the tetrahedra of `mesh` as a VTK grid in the sole frame [m].

    Cell arrays: `layer` (index), `quality` (scaled Jacobian, 1 for a regular tetrahedron),
    `size` (mean edge length [m]). Point arrays: `bond` and `tread`, 1 on the group.
    """
    import pyvista

    from sole.mesh import scaled_jacobians

    e = len(mesh.tets)
    cells = np.hstack([np.full((e, 1), 4), mesh.tets]).ravel()
    kinds = np.full(e, pyvista.CellType.TETRA, dtype=np.uint8)
    grid = pyvista.UnstructuredGrid(cells, kinds, mesh.points.copy())
    grid.cell_data["layer"] = mesh.layer_of_tet.copy()
    grid.cell_data["quality"] = scaled_jacobians(mesh.points, mesh.tets)
    grid.cell_data["size"] = _edges(mesh.points, mesh.tets).mean(axis=1)
    for name in ("bond", "tread"):
        mark = np.zeros(len(mesh.points), dtype=np.int64)
        mark[np.unique(getattr(mesh, name))] = 1
        grid.point_data[name] = mark
    return grid


def condensed_dataset(sole: CondensedSole) -> UnstructuredGrid:
    """Return `mesh_dataset` with the tread fields of the condensed sole.

    Point arrays, NaN off the tread: `compliance` C_zz of a node loaded alone [m/N] (it grows as
    nodes get closer) and `pressure` [Pa] while `UNIT_LOAD` presses the foot down without tilt and
    the tread sticks. For the same load, `displacement` (n, 3) of every vertex relative to the
    foot [m].
    """
    forces = unit_load_forces(sole)
    grid = mesh_dataset(sole.mesh)
    own = sole.compliance.diagonal()[2::3]
    for name, values in (("compliance", own), ("pressure", forces[:, 2] / sole.areas)):
        grid.point_data[name] = on_vertices(sole.mesh, values)
    displacement = sole.unit_displacement
    if displacement is None:
        displacement = recover(sole, forces).displacement
    grid.point_data["displacement"] = displacement.copy()
    return grid


def on_vertices(mesh: SoleMesh, values: FloatArray) -> FloatArray:
    """Spread values of the tread vertices (m, ...) over all vertices (n, ...), NaN elsewhere."""
    full = np.full((len(mesh.points), *values.shape[1:]), np.nan)
    full[mesh.tread_vertices] = values
    return full


def tread_dataset(mesh: SoleMesh, grid: DataSet) -> PolyData:
    """Return the tread triangles alone with the point arrays of `grid`."""
    import pyvista

    faces = np.hstack([np.full((len(mesh.tread), 1), 3), mesh.tread]).ravel()
    surface = pyvista.PolyData(np.asarray(grid.points).copy(), faces)
    for name in grid.point_data:
        surface.point_data[name] = np.asarray(grid.point_data[name])
    return surface.remove_unused_points()


def _edges(points: FloatArray, tets: IntArray) -> FloatArray:
    i, j = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]).T
    lengths: FloatArray = np.linalg.norm(points[tets[:, i]] - points[tets[:, j]], axis=2)
    return lengths


def displaced(grid: UnstructuredGrid, factor: float = 1.0) -> UnstructuredGrid:
    """Return `grid` moved by `factor` times its displacement."""
    moved = grid.copy()
    moved.points = np.asarray(grid.points) + factor * np.asarray(grid["displacement"])
    return moved


def describe_layers(layers: Sequence[str], materials: Sequence[Material | None]) -> list[str]:
    """Return one legend text per layer, with its elastic constants if they are known."""
    texts = []
    for layer, material in zip(layers, materials, strict=True):
        if material is None:
            texts.append(layer)
        else:
            factor, unit = display_unit(material.young_modulus, "Pa")
            E, nu = material.young_modulus * factor, material.poisson_ratio
            texts.append(f"{layer}: E = {E:.4g} {unit}, nu = {nu:.4g}")
    return texts


def view_mesh(path: Path, options: ViewOptions) -> PyVistaScene:
    """Return layers, groups and element quality of a mesh file."""
    from sole.mesh import read_mesh

    return mesh_scene(read_mesh(path), options)


def mesh_scene(mesh: SoleMesh, options: ViewOptions) -> PyVistaScene:
    """Return the scene of a mesh: layers, tread and bond, and quality inside."""
    grid = mesh_dataset(mesh)
    legend = describe_layers(mesh.layers, mesh.materials)
    count = f"{len(mesh.points)} vertices, {len(mesh.tets)} tetrahedra"

    def layers(plotter: Plotter) -> None:
        draw_layers(plotter, grid, legend)
        draw_note(plotter, count)
        draw_rulers(plotter, grid.bounds, "oblique")

    def groups(view: str) -> Panel:
        def draw(plotter: Plotter) -> None:
            _draw_groups(plotter, mesh)
            draw_rulers(plotter, grid.bounds, view)

        name = "tread (from below)" if view == "oblique_below" else "bond (from above)"
        return Panel(f"Groups: {name}", draw, view)

    def quality(plotter: Plotter) -> None:
        half = grid.extract_cells(grid.cell_centers().points[:, 1] > grid.center[1])
        draw_field(plotter, half, "quality", MESH_FIELDS["quality"], edges=True, limits=(0.0, 1.0))
        worst = float(np.min(grid.cell_data["quality"]))
        draw_note(plotter, f"cut at y = {millimetres(grid.center[1])}; smallest {worst:.2f}")
        draw_rulers(plotter, grid.bounds, "oblique")

    panels: tuple[Panel, ...] = (
        Panel(f"{mesh.name}: layers", layers),
        groups("oblique_below"),
        groups("oblique"),
        Panel("Element quality", quality),
    )
    if options.field not in ("", "layer"):
        panels = (field_panel(grid, MESH_FIELDS, options.field, "oblique"),)
    elif options.field:
        panels = panels[:1]
    return PyVistaScene(
        panels,
        grid,
        f"{mesh.name}: mesh",
        size=options.size,
        dpi=options.dpi or DPI,
        units=units_of(MESH_FIELDS),
    )


def _draw_groups(plotter: Plotter, mesh: SoleMesh) -> None:
    import pyvista

    boundary = mesh_dataset(mesh).extract_surface(algorithm=None)
    faces = np.asarray(boundary.point_data["vtkOriginalPointIds"])[boundary.regular_faces]
    keys = {name: {tuple(sorted(f)) for f in getattr(mesh, name).tolist()} for name in GROUPS}
    kind = [
        next((name for name in GROUPS if tuple(sorted(f)) in keys[name]), "free")
        for f in faces.tolist()
    ]
    for name, color in GROUP_COLORS.items():
        chosen = faces[[k == name for k in kind]]
        if len(chosen):
            part = pyvista.PolyData.from_regular_faces(mesh.points.copy(), chosen)
            plotter.add_mesh(
                part, color=color, ambient=0.5, diffuse=0.5, show_edges=True, line_width=0.5,
                edge_color="#606060",
            )  # fmt: skip
    areas = {name: 1e4 * total_area(mesh.points, getattr(mesh, name)) for name in GROUPS}
    legend = [(f"{name}: {areas[name]:.4g} cm²", GROUP_COLORS[name]) for name in GROUPS]
    draw_legend(plotter, legend)


GROUPS = ("bond", "tread")


def field_panel(grid: UnstructuredGrid, fields: dict[str, Field], name: str, view: str) -> Panel:
    """Return the panel of the array `name` alone, drawn as `fields` says."""
    field = choose_field(grid, fields, name)

    def draw(plotter: Plotter) -> None:
        draw_field(plotter, grid, name, field, edges=True)
        draw_rulers(plotter, grid.bounds, view)

    return Panel(field.label, draw, view)


def view_condensed(path: Path, options: ViewOptions) -> PyVistaScene:
    """Return tread nodes, compliance, pressure and deformation of a condensed sole's file."""
    from sole.condense import load_condensed

    return condensed_scene(load_condensed(path), options)


def condensed_scene(sole: CondensedSole, options: ViewOptions) -> PyVistaScene:
    """Return the scene of a condensed sole; each panel states its load."""
    mesh, grid = sole.mesh, condensed_dataset(sole)
    tread = tread_dataset(mesh, grid)
    largest = float(np.linalg.norm(grid["displacement"], axis=1).max())
    factor = options.exaggeration or round_factor(0.3 * sole.thickness / largest)

    def nodes(plotter: Plotter) -> None:
        draw_layers(plotter, grid, describe_layers(mesh.layers, sole.materials))
        plotter.add_points(sole.points.copy(), color="black", point_size=6)
        draw_note(plotter, f"{len(sole.points)} tread nodes, element {sole.element}")
        draw_rulers(plotter, grid.bounds, "oblique_below")

    def on_tread(name: str, note: str) -> Panel:
        def draw(plotter: Plotter) -> None:
            draw_field(plotter, tread, name, CONDENSED_FIELDS[name], edges=True, flat=True)
            draw_note(plotter, note)
            draw_rulers(plotter, tread.bounds, "below")

        return Panel(f"{name.capitalize()}, seen from below", draw, "below")

    def deformed(plotter: Plotter) -> None:
        moved = displaced(grid, factor)
        draw_field(plotter, moved, "displacement", CONDENSED_FIELDS["displacement"], edges=True)
        draw_outline(plotter, grid)
        draw_note(plotter, f"{enlarged(factor)}; lines: undeformed")
        draw_rulers(plotter, grid.bounds, "oblique_below")

    kz = sole.foot_stiffness[2, 2]
    special = {
        "layer": Panel(f"{mesh.name}: condensed to its tread", nodes, "oblique_below"),
        "compliance": on_tread("compliance", "depends on the node spacing"),
        "pressure": on_tread("pressure", f"foot stiffness k_z = {kz / 1e3:.4g} kN/m"),
        "displacement": Panel("Deformation", deformed, "oblique_below"),
    }
    panels = tuple(special.values())
    if options.field:
        choose_field(grid, CONDENSED_FIELDS, options.field)
        usual = special.get(options.field)
        panels = (usual or field_panel(grid, CONDENSED_FIELDS, options.field, "oblique_below"),)
    return PyVistaScene(
        panels,
        grid,
        f"{mesh.name}: condensed sole",
        size=options.size,
        dpi=options.dpi or DPI,
        turning=len(panels) - 1,
        units=units_of(CONDENSED_FIELDS),
    )
