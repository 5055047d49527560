"""Pictures of a ground: coloured by height, seen from where its stairs begin, axes in metres."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from contact.ground import Ground, HeightField, triangulate_surface
from contact.pictures.ground_words import describe_ground
from sole.base.arrays import FloatArray
from sole.pictures import (
    DPI,
    INK,
    Field,
    Panel,
    PyVistaScene,
    ViewOptions,
    choose_field,
    draw_field,
    draw_rulers,
)

if TYPE_CHECKING:
    from pyvista import Plotter, UnstructuredGrid

HEIGHT = Field("height [m]", "", "viridis", zero=False)  # metres, as the file has them
FINE = 400  # vertices along the longer side
MARGIN, ALONE = 0.1, 0.3  # shown around bounded solids, relative; half width without any [m]
FROM = "approach"


def view_ground(path: Path, options: ViewOptions) -> PyVistaScene:
    """Return the scene of a ground's file."""
    from contact.ground import load_ground

    return ground_scene(load_ground(path), options, Path(path).stem)


def ground_scene(ground: Ground, options: ViewOptions, name: str = "ground") -> PyVistaScene:
    """Return the scene of a ground: obliquely and from above, true to scale."""
    grid = surface_dataset(ground)
    field = choose_field(grid, {"height": HEIGHT}, options.field or "height")

    def draw(plotter: Plotter, view: str) -> None:
        limits = _rounded(grid.point_data["height"])
        bar = "right" if view == FROM else ""  # both panels have one scale
        draw_field(plotter, grid, "height", field, flat=view == "above", limits=limits, bar=bar)
        faces = grid.extract_surface(algorithm=None)
        edges = faces.extract_feature_edges(feature_angle=40.0)
        if edges.n_cells:
            plotter.add_mesh(edges, color=INK, line_width=1.0)
        draw_rulers(plotter, grid.bounds, view, "m")

    panels = (
        Panel("Height of the ground [m]", lambda plotter: draw(plotter, FROM), FROM),
        Panel("The same from above", lambda plotter: draw(plotter, "above"), "above"),
    )
    return PyVistaScene(
        panels,
        grid,
        f"ground {name}",
        f"Ground {name}: {describe_ground(ground)}; true to scale",
        size=options.size,
        dpi=options.dpi or DPI,
        units={"height": "m"},
    )


def surface_dataset(ground: Ground) -> UnstructuredGrid:
    """Return the surface seen from above as triangles [m], with the point array `height` [m]."""
    import pyvista

    extent = choose_extent(ground)
    size = max(extent[1] - extent[0], extent[3] - extent[2])
    vertices, triangles = triangulate_surface(ground.pieces, extent, size / FINE)
    cells = {pyvista.CellType.TRIANGLE: triangles}
    grid = pyvista.UnstructuredGrid(cells, vertices)
    grid.point_data["height"] = vertices[:, 2].copy()
    return grid


def choose_extent(ground: Ground) -> tuple[float, float, float, float]:
    """Return the (x0, x1, y0, y1) [m] of a picture: bounded solids and some floor around them."""
    bound = ground.compiled.bound
    ends = [_ends(bound[:, [axis, axis + 3]]) for axis in (0, 1)]
    known = [float(np.ptp(e)) for e in ends if len(e) > 1]
    margin = 0.0 if isinstance(ground, HeightField) else MARGIN  # a field has no surroundings
    half = max([ALONE, *(length / 2 for length in known)])
    sides: list[float] = []
    for e in ends:
        low, high = (float(e.min()), float(e.max())) if len(e) else (0.0, 0.0)
        rest = margin * (high - low) if high > low else half
        sides += [low - rest, high + rest]
    return sides[0], sides[1], sides[2], sides[3]


def _ends(interval: FloatArray) -> FloatArray:
    return np.asarray(np.unique(interval[np.isfinite(interval)]))


def _rounded(values: FloatArray) -> tuple[float, float]:
    """Return the range of values, rounded outwards to two digits, for a readable bar."""
    low, high = float(values.min()), float(values.max())
    if high - low < 1e-9:
        return low, high
    step = float(10.0 ** np.floor(np.log10(high - low) - 1))
    return step * float(np.floor(low / step + 1e-6)), step * float(np.ceil(high / step - 1e-6))
