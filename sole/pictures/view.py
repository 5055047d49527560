"""Pictures of a mesh, and the viewers of meshes and condensed soles for `sole view`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sole.mesh import SoleMesh, total_area
from sole.pictures.datasets import (
    MESH_FIELDS,
    describe_layers,
    field_panel,
    mesh_dataset,
)
from sole.pictures.drawing import (
    draw_field,
    draw_layers,
    draw_legend,
    draw_note,
    millimetres,
    units_of,
)
from sole.pictures.panels import Panel
from sole.pictures.rulers import draw_rulers
from sole.pictures.scene import DPI, PyVistaScene, ViewOptions

if TYPE_CHECKING:
    from pyvista import Plotter


GROUP_COLORS = {"tread": "#2aa198", "bond": "#7a4f9a", "free": "#d4d4d4"}


def view_mesh(path: Path, options: ViewOptions) -> PyVistaScene:
    """Return layers, groups and element quality of a mesh file."""
    from sole.mesh import read_mesh

    return mesh_scene(read_mesh(path), options)


def view_condensed(path: Path, options: ViewOptions) -> PyVistaScene:
    """Return pressure, layers and deformation of a condensed sole's file."""
    from sole.condense import load_condensed
    from sole.pictures.condensed_view import condensed_scene

    return condensed_scene(load_condensed(path), options)


def mesh_scene(mesh: SoleMesh, options: ViewOptions) -> PyVistaScene:
    """Return the scene of a mesh: its layers from above, its tread from below."""
    grid = mesh_dataset(mesh)
    legend = describe_layers(mesh.layers, mesh.materials)

    def layers(plotter: Plotter) -> None:
        draw_layers(plotter, grid, legend)
        draw_rulers(plotter, grid.bounds, "oblique")

    def groups(plotter: Plotter) -> None:
        _draw_groups(plotter, mesh)
        draw_rulers(plotter, grid.bounds, "oblique_below")

    def quality(plotter: Plotter) -> None:
        half = grid.extract_cells(grid.cell_centers().points[:, 1] > grid.center[1])
        draw_field(plotter, half, "quality", MESH_FIELDS["quality"], edges=True, limits=(0.0, 1.0))
        draw_note(
            plotter, f"{MESH_FIELDS['quality'].label}; cut at y = {millimetres(grid.center[1])}"
        )
        draw_rulers(plotter, half.bounds, "oblique")

    special = {
        "layer": Panel("Layers, from above", layers, "oblique"),
        "quality": Panel("Element quality", quality, "oblique"),
    }
    panels: tuple[Panel, ...] = (
        special["layer"], Panel("Tread and bond, from below", groups, "oblique_below")
    )  # fmt: skip
    if options.field:
        usual = special.get(options.field)
        panels = (usual or field_panel(grid, MESH_FIELDS, options.field, "oblique"),)
    worst = float(np.min(grid.cell_data["quality"]))
    caption = f"Mesh {mesh.name}: {len(mesh.points)} vertices, {len(mesh.tets)} tetrahedra"
    return PyVistaScene(
        panels,
        grid,
        f"{mesh.name}: mesh",
        f"{caption}; worst element: scaled Jacobian {worst:.2f} (1: regular)",
        size=options.size,
        dpi=options.dpi or DPI,
        units=units_of(MESH_FIELDS),
    )


def groups_scene(mesh: SoleMesh, options: ViewOptions) -> PyVistaScene:
    """Return the scene of a mesh's groups: its tread from below, its bond from above."""
    grid = mesh_dataset(mesh)

    def panel(view: str) -> Callable[[Plotter], None]:
        def draw(plotter: Plotter) -> None:
            _draw_groups(plotter, mesh)
            draw_rulers(plotter, grid.bounds, view)

        return draw

    panels = (
        Panel("Tread, from below", panel("oblique_below"), "oblique_below"),
        Panel("Bond, from above", panel("oblique"), "oblique"),
    )
    return PyVistaScene(
        panels,
        grid,
        f"{mesh.name}: tread and bond",
        f"Mesh {mesh.name}: {len(mesh.points)} vertices, {len(mesh.tets)} tetrahedra",
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
                part, color=color, ambient=0.75, diffuse=0.3, show_edges=True, line_width=0.5,
                edge_color="#606060",
            )  # fmt: skip
    areas = {name: 1e4 * total_area(mesh.points, getattr(mesh, name)) for name in GROUPS}
    legend = [(f"{name}: {areas[name]:.4g} cm²", GROUP_COLORS[name]) for name in GROUPS]
    draw_legend(plotter, legend)


GROUPS = ("tread", "bond")
