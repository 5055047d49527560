"""Datasets of a mesh, and what pictures of meshes, soles and presses share: SI units throughout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.laws import AnyMaterial
from sole.material import Material
from sole.mesh import SoleMesh
from sole.pictures.drawing import Field, choose_field, display_unit, draw_field
from sole.pictures.panels import Panel
from sole.pictures.rulers import draw_rulers

if TYPE_CHECKING:
    from pyvista import DataSet, Plotter, PolyData, UnstructuredGrid

MESH_FIELDS = {
    "layer": Field("layer", ""),
    "quality": Field("scaled Jacobian (1: regular)", "", "cividis"),
    "size": Field("mean edge length", "m", "viridis", zero=False),
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


def describe_layers(layers: Sequence[str], materials: Sequence[AnyMaterial | None]) -> list[str]:
    """Return one legend text per layer, with its elastic constants if they are known."""
    texts = []
    for layer, material in zip(layers, materials, strict=True):
        if material is None:
            texts.append(layer)
        else:
            factor, unit = display_unit(material.young_modulus, "Pa")
            E, nu = material.young_modulus * factor, material.poisson_ratio
            law = "" if isinstance(material, Material) else f"{material.name}, at rest "
            texts.append(f"{layer}: {law}E = {E:.4g} {unit}, nu = {nu:.4g}")
    return texts


def field_panel(grid: UnstructuredGrid, fields: dict[str, Field], name: str, view: str) -> Panel:
    """Return the panel of the array `name` alone, drawn as `fields` says."""
    field = choose_field(grid, fields, name)

    def draw(plotter: Plotter) -> None:
        draw_field(plotter, grid, name, field, edges=True)
        draw_rulers(plotter, grid.bounds, view)

    return Panel(sentence_of(field.label), draw, view)


def sentence_of(label: str) -> str:
    """Return a label with a capital letter, as a title."""
    return label[:1].upper() + label[1:]
