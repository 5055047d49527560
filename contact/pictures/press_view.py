"""Pictures of a press test: pressure from below, the foot on the ground, deformation, stress."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from contact.pictures.ground_words import describe_ground
from contact.pictures.press_data import FIELDS, UNITS, ground_dataset, press_dataset
from contact.problem import ContactStatus
from sole.base.arrays import FloatArray
from sole.pictures import (
    DPI,
    LAYER_COLORS,
    MARK,
    Panel,
    PyVistaScene,
    ViewOptions,
    choose_field,
    describe_layers,
    displaced,
    display_unit,
    draw_arrows,
    draw_field,
    draw_legend,
    draw_marker,
    draw_note,
    draw_outline,
    draw_rulers,
    enlarged,
    field_panel,
    millimetres,
    round_factor,
    tread_dataset,
)

if TYPE_CHECKING:
    from pyvista import Plotter, UnstructuredGrid

    from contact.press import PressedRecord, PressedSole


FORCE, SLIDING, POLYGON = "#c03028", "#202020", "#1b4f9c"
SHEET = (1600, 1120)  # pixels
# Places of the panels: the map of the pressure is the largest, with the cut below it.
MAP, CUT = (0.0, 0.36, 0.58, 1.0), (0.0, 0.0, 0.58, 0.36)
UPPER, LOWER = (0.58, 0.5, 1.0, 1.0), (0.58, 0.0, 1.0, 0.5)
DEFORMED = "deformed tread"
STRETCH, VON_MISES = "Least principal stretch inside", "Von Mises stress inside"
NEAR = 0.3  # of half the width: a cut so near the middle shows a third of the sole or more


def caption_of(result: PressedSole | PressedRecord) -> str:
    """Return what was pressed: sole, ground, friction, load and the peak of the pressure."""
    from contact.press import PEAK_AREA, peak_pressure

    fx, fy, fz = np.round(result.wrench[:3], 2) + 0.0
    load = f"{fz:.4g} N down"
    if fx or fy:
        load += f", shear ({fx:.3g}, {fy:.3g}) N"
    peak = peak_pressure(result.mesh, np.asarray(result.pressure))
    scale, unit = display_unit(peak.value, "Pa")
    told = f"peak {peak.value * scale:.3g} {unit}, the mean on {1e4 * PEAK_AREA:g} cm²"
    if np.isfinite(peak.error):
        told += f", error of the mesh about {100 * peak.error:.{1 if peak.error < 0.1 else 0}f} %"
    layers = "; ".join(describe_layers(result.mesh.layers, result.materials))
    area = f"{1e4 * result.contact_area:.4g} cm² touch"
    where = f"{result.mesh.name} on {describe_ground(result.ground)}, mu = {result.friction:g}"
    return f"{where}: {load}; {area}; {told}\n{layers}"


def view_press(path: Path, options: ViewOptions) -> PyVistaScene:
    """Return the scene of a press result's file."""
    from contact.press import load_press

    record = load_press(path)

    def series(output: Path) -> int:
        from contact.pictures.press_series import write_press_series

        return write_press_series(record, output)

    return press_scene(record, options, series)


def view_finite_press(path: Path, options: ViewOptions) -> PyVistaScene:
    """Return the scene of the file of a press at finite strain."""
    from contact.finite_press import load_finite_press

    return press_scene(load_finite_press(path), options)


def press_scene(
    result: PressedSole | PressedRecord,
    options: ViewOptions,
    series: Callable[[Path], int] | None = None,
) -> PyVistaScene:
    """Return the scene of a press test; every panel says how much it exaggerates.

    `series` writes the increments as .pvd, if they are known.
    """
    grid = press_dataset(result)
    name = result.mesh.name
    largest = float(np.linalg.norm(grid["displacement"], axis=1).max())
    thickness = result.thickness
    finite = "least_stretch" in grid.cell_data
    usual_factor = round_factor(0.25 * thickness / largest if largest > 0 else 1.0)
    factor = options.exaggeration or (1.0 if finite else usual_factor)
    panels: dict[str, Panel] = {
        "pressure": _pressure(result, *((displaced(grid), DEFORMED) if finite else (grid,))),
        "side": _side_cut(result, grid),
    }
    if finite:
        panels["least_stretch"] = _inside(result, grid, factor, "least_stretch", STRETCH, UPPER)
    panels["displacement"] = _displacement(result, grid, factor)
    panels["von_mises"] = _inside(result, grid, factor, "von_mises", VON_MISES, LOWER)
    chosen = tuple(panel for name, panel in panels.items() if not finite or name != "displacement")
    if options.field:
        choose_field(grid, FIELDS, options.field)
        usual = panels.get(options.field)
        chosen = (usual or field_panel(grid, FIELDS, options.field, "oblique_below"),)
    return PyVistaScene(
        chosen,
        grid,
        f"{name}: press test",
        caption_of(result),
        usual=None if options.field else SHEET,
        size=options.size,
        dpi=options.dpi or DPI,
        turning=0 if options.field else _page(result, grid),
        units=UNITS,
        series=series,
    )


def _pressure(
    result: PressedSole | PressedRecord, grid: UnstructuredGrid, tread_words: str = "tread"
) -> Panel:
    tread = tread_dataset(result.mesh, grid)
    sliding = result.force_points[result.status == ContactStatus.SLIP]
    size = float(np.ptp(result.points[:, 0]))
    polygon = support_polygon(result)

    def draw(plotter: Plotter) -> None:
        draw_field(plotter, tread, "pressure", FIELDS["pressure"], edges=True, flat=True)
        legend = []
        if len(polygon) > 2:
            _draw_ring(plotter, polygon, result.thickness)
            legend.append(("line: support polygon", POLYGON))
        if len(sliding):
            plotter.add_points(sliding.copy(), color=SLIDING, point_size=5)
            legend.append(("dots: slipping", SLIDING))
        if np.isfinite(result.cop).all():
            draw_marker(plotter, [*result.cop, -result.thickness], 0.018 * size, "below")
            x, y = np.round(1e3 * result.cop, 1) + 0.0
            legend.append((f"+ CoP ({x:g}, {y:g}) mm", MARK))
        draw_legend(plotter, legend)
        draw_rulers(plotter, tread.bounds, "below")

    return Panel(f"Pressure on the {tread_words}, seen from below", draw, "below", place=MAP)


def support_polygon(result: PressedSole | PressedRecord) -> FloatArray:
    """Return the corners (k, 2) [m] of the convex hull of the loaded nodes, sole frame.

    Nodes on a line have none.
    """
    from scipy.spatial import ConvexHull, QhullError

    loaded = np.asarray(result.force_points, dtype=float)[np.asarray(result.pressure) > 0, :2]
    try:
        corners: FloatArray = loaded[ConvexHull(loaded).vertices]
    except (QhullError, ValueError):  # fewer than three nodes, or all on a line
        return np.zeros((0, 2))
    return corners


def _draw_ring(plotter: Plotter, corners: FloatArray, thickness: float) -> None:
    import pyvista

    ring = np.column_stack([corners, np.full(len(corners), -1.02 * thickness)])
    line = pyvista.MultipleLines(np.vstack([ring, ring[:1]]))
    plotter.add_mesh(line, color=POLYGON, line_width=4, lighting=False)


def _page(result: PressedSole | PressedRecord, grid: UnstructuredGrid) -> Panel:
    """Return the panel that a page turns: the deformed sole on its ground, with the pressure."""
    R, p = result.pose[:3, :3], result.pose[:3, 3]
    moved = displaced(grid)
    moved.points = np.asarray(moved.points) @ R.T + p
    tread, body = tread_dataset(result.mesh, moved), moved.extract_surface(algorithm=None)
    floor = ground_dataset(result, 0.08)
    tips = (result.points + result.displacements) @ R.T + p

    def draw(plotter: Plotter) -> None:
        draw_field(plotter, tread, "pressure", FIELDS["pressure"], edges=True, flat=True)
        plotter.add_mesh(body, color="#b8c0c8", opacity=0.25, lighting=False)
        plotter.add_mesh(floor, color="#b0a090", opacity=0.15, lighting=False)
        draw_outline(plotter, floor, "#806a50")
        draw_outline(plotter, body)
        length = 0.12 * float(np.ptp(result.points[:, 0]))
        draw_arrows(plotter, tips, result.forces @ R.T, length, FORCE)
        draw_legend(plotter, [_force_legend(result.forces, "arrows")])
        draw_note(plotter, "true to scale; drag to turn")

    return Panel("Pressure on the tread, from below", draw, "oblique_below")


def section(result: PressedSole | PressedRecord) -> float:
    """Return the y [m] where pictures cut the sole: through the CoP if the sole is loaded there.

    Else, as on two bumps or on gravel, through the highest pressure, near the middle if there is
    any, so that the rest shows half a sole. Never at the rim.
    """
    x, y = result.points[:, 0], result.points[:, 1]
    middle, half = (y.max() + y.min()) / 2, (y.max() - y.min()) / 2
    near = (np.abs(y - middle) <= NEAR * half) & (np.asarray(result.pressure) > 0)
    cut = float(
        y[np.argmax(np.where(near, result.pressure, 0.0) if near.any() else result.pressure)]
    )
    if np.isfinite(result.cop).all():
        nearest = np.argsort(np.hypot(x - result.cop[0], y - result.cop[1]))[:3]
        if (np.asarray(result.pressure)[nearest] > 0).any():
            cut = float(result.cop[1])
    return float(np.clip(cut, middle - 0.6 * half, middle + 0.6 * half))


def _side_cut(result: PressedSole | PressedRecord, grid: UnstructuredGrid) -> Panel:
    """Return the sole in its layers on the ground, with the forces, true to scale."""
    R, p = result.pose[:3, :3], result.pose[:3, 3]
    y = section(result)
    half = displaced(grid.clip("y", origin=(0.0, y, 0.0), invert=False))
    half.points = np.asarray(half.points) @ R.T + p
    cut: Any = ground_dataset(result, 0.06)
    floor = cut.clip(R[:, 1], origin=R @ [0.0, y, 0.0] + p, invert=False)
    behind = result.points[:, 1] >= y - 1e-9
    # The picture is parallel to the cut: arrows are drawn in front of it, where nothing hides them.
    tips = ((result.points + result.displacements) @ R.T + p)[behind]
    tips = tips - 2 * float(np.ptp(result.points[:, 1])) * R[:, 1]

    def draw(plotter: Plotter) -> None:
        index = np.asarray(half.cell_data["layer"])
        for k in range(len(result.mesh.layers)):
            part = half.extract_cells(index == k)
            if part.n_cells:
                plotter.add_mesh(part, color=LAYER_COLORS[k % len(LAYER_COLORS)], lighting=False)
        draw_outline(plotter, half)
        plotter.add_mesh(floor, color="#d8cfc4", lighting=False)
        draw_outline(plotter, floor, "#806a50")
        length = 0.12 * float(np.ptp(result.points[:, 0]))
        draw_arrows(plotter, tips, result.forces[behind] @ R.T, length, FORCE)
        draw_legend(plotter, [_force_legend(result.forces[behind], "forces behind the cut")])
        draw_note(plotter, f"cut at y = {millimetres(y)}, true to scale")
        low = min(half.bounds[4], floor.bounds[4])
        draw_rulers(plotter, [*floor.bounds[:4], low, half.bounds[5]], "side")

    return Panel("On the ground, from the right", draw, "side", place=CUT)


def _force_legend(forces: FloatArray, arrows: str) -> tuple[str, str]:
    largest = float(np.linalg.norm(forces, axis=1).max(initial=0.0))
    scale, unit = display_unit(largest, "N")
    return f"{arrows}: up to {largest * scale:.3g} {unit}", FORCE


def _displacement(
    result: PressedSole | PressedRecord, grid: UnstructuredGrid, factor: float
) -> Panel:
    def draw(plotter: Plotter) -> None:
        moved = displaced(grid, factor)
        draw_field(plotter, moved, "displacement", FIELDS["displacement"], edges=True)
        draw_outline(plotter, grid)
        length = 0.15 * float(np.ptp(result.points[:, 0]))
        tips = result.points + factor * result.displacements
        draw_arrows(plotter, tips, result.forces, length, FORCE)
        draw_legend(plotter, [_force_legend(result.forces, "arrows")])
        draw_note(plotter, f"relative to the foot; {enlarged(factor)}; lines: undeformed")
        draw_rulers(plotter, grid.bounds, "oblique_below")

    return Panel("Displacement", draw, "oblique_below", place=UPPER)


def _inside(
    result: PressedSole | PressedRecord,
    grid: UnstructuredGrid,
    factor: float,
    name: str,
    title: str,
    place: tuple[float, float, float, float],
) -> Panel:
    """Return the panel of a field of the tetrahedra, on the sole cut in two."""
    y, field = section(result), FIELDS[name]

    def draw(plotter: Plotter) -> None:
        values = np.asarray(grid.cell_data[name])
        limits = (0.0 if field.zero else float(values.min()), float(values.max()))
        half = displaced(grid.clip("y", origin=(0.0, y, 0.0), invert=False), factor)
        draw_field(plotter, half, name, field, limits=limits)
        draw_outline(plotter, half)
        draw_outline(plotter, grid)
        draw_note(plotter, f"cut at y = {millimetres(y)}; {enlarged(factor)}; means of elements")
        draw_rulers(plotter, grid.bounds, "oblique")

    return Panel(title, draw, "oblique", place=place)
