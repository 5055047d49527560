"""Pictures of a condensed sole: pressure and deformation under a unit load, and its layers.

`condensed_dataset` returns the data for scripts (SI units, names without units), `condensed_scene`
the picture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sole.condense import UNIT_LOAD, recover, unit_load_forces
from sole.pictures.datasets import (
    MESH_FIELDS,
    describe_layers,
    displaced,
    field_panel,
    mesh_dataset,
    on_vertices,
    tread_dataset,
)
from sole.pictures.drawing import (
    Field,
    choose_field,
    draw_field,
    draw_layers,
    draw_note,
    draw_outline,
    enlarged,
    round_factor,
    units_of,
)
from sole.pictures.panels import Panel
from sole.pictures.rulers import draw_rulers
from sole.pictures.scene import DPI, PyVistaScene, ViewOptions

if TYPE_CHECKING:
    from pyvista import Plotter, UnstructuredGrid

    from sole.condense import CondensedSole

SHEET = (1600, 800)  # pixels of a condensed sole
LEFT, UPPER, LOWER = (0.0, 0.0, 0.56, 1.0), (0.56, 0.5, 1.0, 1.0), (0.56, 0.0, 1.0, 0.5)

CONDENSED_FIELDS = {
    "compliance": Field(
        "normal compliance of each tread node alone (depends on the mesh)", "m/N", "cividis", False
    ),
    "pressure": Field(f"pressure at nodes under {UNIT_LOAD:g} N without slip", "Pa", "YlOrRd"),
    "displacement": Field(f"displacement under {UNIT_LOAD:g} N without slip", "m"),
    **MESH_FIELDS,
}


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


def condensed_scene(sole: CondensedSole, options: ViewOptions) -> PyVistaScene:
    """Return the scene of a condensed sole under `UNIT_LOAD`; its caption is its foot stiffness."""
    mesh, grid = sole.mesh, condensed_dataset(sole)
    tread = tread_dataset(mesh, grid)
    largest = float(np.linalg.norm(grid["displacement"], axis=1).max())
    factor = options.exaggeration or round_factor(0.3 * sole.thickness / largest)

    def nodes(plotter: Plotter) -> None:
        draw_layers(plotter, grid, describe_layers(mesh.layers, sole.materials))
        plotter.add_points(sole.points.copy(), color="black", point_size=6)
        draw_note(plotter, f"dots: {len(sole.points)} tread nodes that are kept")
        draw_rulers(plotter, grid.bounds, "oblique_below")

    def on_tread(name: str, title: str, note: str) -> Panel:
        def draw(plotter: Plotter) -> None:
            draw_field(plotter, tread, name, CONDENSED_FIELDS[name], edges=True, flat=True)
            draw_note(plotter, note)
            draw_rulers(plotter, tread.bounds, "below")

        return Panel(title, draw, "below", place=LEFT)

    def deformed(plotter: Plotter) -> None:
        moved = displaced(grid, factor)
        draw_field(plotter, moved, "displacement", CONDENSED_FIELDS["displacement"], edges=True)
        draw_outline(plotter, grid)
        draw_note(plotter, f"{enlarged(factor)}; lines: undeformed")
        draw_rulers(plotter, grid.bounds, "oblique_below")

    load = f"under {UNIT_LOAD:g} N without slip"
    special = {
        "pressure": on_tread("pressure", "Pressure on the tread, seen from below", load),
        "layer": Panel("Layers, from below", nodes, "oblique_below", place=UPPER),
        "displacement": Panel(f"Displacement {load}", deformed, "oblique_below", place=LOWER),
    }
    panels = tuple(special.values())
    if options.field:
        choose_field(grid, CONDENSED_FIELDS, options.field)
        special["compliance"] = on_tread(
            "compliance", "Normal compliance of each tread node alone", "depends on the mesh"
        )
        usual = special.get(options.field)
        panels = (usual or field_panel(grid, CONDENSED_FIELDS, options.field, "oblique_below"),)
    return PyVistaScene(
        panels,
        grid,
        f"{mesh.name}: condensed sole",
        describe_stiffness(sole),
        usual=None if options.field else SHEET,
        size=options.size,
        dpi=options.dpi or DPI,
        turning=len(panels) - 1,
        units=units_of(CONDENSED_FIELDS),
    )


def describe_stiffness(sole: CondensedSole) -> str:
    """Return the diagonal of the foot stiffness, about the projected origin of the sole."""
    k = np.diag(sole.foot_stiffness)
    moves = ", ".join(
        f"{name} {1e-3 * value:.4g}"
        for name, value in zip(("forward", "sideways", "down"), k[:3], strict=True)
    )
    turns = ", ".join(
        f"{name} {value:.4g}"
        for name, value in zip(("roll", "pitch", "yaw"), np.radians(k[3:]), strict=True)
    )
    return (
        f"Condensed sole {sole.mesh.name}, element {sole.element}: stiffness of the foot\n"
        f"{moves} kN/m; {turns} N m/deg"
    )
