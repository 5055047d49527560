"""Datasets behind the pictures of a mesh and of a condensed sole; one picture of each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from box_mesh import box_mesh
from pictures import colours

from sole.base.errors import SoleError
from sole.condense import CondensedSole, condense
from sole.material import Material
from sole.mesh import SoleMesh
from sole.pictures import (
    ViewOptions,
    condensed_scene,
    describe_layers,
    display_unit,
    mesh_dataset,
    round_factor,
    tread_dataset,
)
from sole.pictures.condensed_view import UNIT_LOAD, condensed_dataset
from sole.pictures.drawing import LAYER_COLORS
from sole.pictures.rulers import ruler_marks
from sole.pictures.view import mesh_scene

L, W, T = 0.216, 0.140, 0.020
SOFT = Material(young_modulus=1e6, poisson_ratio=0.3)
HARD = Material(young_modulus=3e6, poisson_ratio=0.3)


@pytest.fixture(scope="module")
def mesh() -> SoleMesh:
    return box_mesh(L, W, T, (6, 4, 2), layers=(1.0, 1.0))


@pytest.fixture(scope="module")
def sole(mesh: SoleMesh) -> CondensedSole:
    return condense(mesh, [SOFT, HARD], "p1")


def test_the_grid_of_a_mesh_is_that_mesh(mesh: SoleMesh) -> None:
    grid = mesh_dataset(mesh)
    assert np.array_equal(grid.points, mesh.points)
    assert np.array_equal(grid.cells.reshape(-1, 5)[:, 1:], mesh.tets)
    assert np.array_equal(grid.cell_data["layer"], mesh.layer_of_tet)
    sizes = grid.compute_cell_sizes(length=False, area=False)
    assert sizes["Volume"].sum() == pytest.approx(L * W * T, rel=1e-12)
    assert np.array_equal(np.flatnonzero(grid["tread"]), mesh.tread_vertices)
    assert np.array_equal(np.flatnonzero(grid["bond"]), np.unique(mesh.bond))
    assert np.all(np.asarray(grid.points)[grid["tread"] == 1, 2] == -T)


def test_quality_agrees_with_vtk(mesh: SoleMesh) -> None:
    grid = mesh_dataset(mesh)
    theirs = grid.cell_quality("scaled_jacobian")["scaled_jacobian"]
    assert grid["quality"] == pytest.approx(theirs, rel=1e-9)


def test_a_mesh_grid_survives_its_file(mesh: SoleMesh, tmp_path: Path) -> None:
    import pyvista

    scene = mesh_scene(mesh, ViewOptions())
    scene.write(tmp_path / "mesh.vtu")
    read = pyvista.read(tmp_path / "mesh.vtu")
    read.rename_array("size [m]", "size")
    assert read == scene.dataset


def test_the_unit_load_carries_its_force_and_moves_the_tread_as_one(sole: CondensedSole) -> None:
    grid = condensed_dataset(sole)
    tread = np.asarray(grid["tread"]) == 1
    assert np.array_equal(np.isnan(grid["pressure"]), ~tread)
    assert np.array_equal(np.isnan(grid["compliance"]), ~tread)
    assert grid["pressure"][tread] @ sole.areas == pytest.approx(UNIT_LOAD, rel=1e-12)
    assert grid["compliance"][tread] == pytest.approx(np.diag(sole.compliance)[2::3])
    # The foot goes down by F/k_z, so the tread goes up by that relative to the foot.
    k_z = sole.foot_stiffness[2, 2]
    assert grid["displacement"][tread] == pytest.approx(
        np.tile([0, 0, UNIT_LOAD / k_z], (tread.sum(), 1)), rel=1e-9, abs=1e-9 / k_z
    )
    assert np.all(grid["displacement"][np.asarray(grid["bond"]) == 1] == 0)


def test_the_tread_surface_keeps_area_and_values(sole: CondensedSole) -> None:
    tread = tread_dataset(sole.mesh, condensed_dataset(sole))
    assert tread.n_points == len(sole.points)
    assert tread.area == pytest.approx(L * W, rel=1e-12)
    assert np.isfinite(tread["pressure"]).all()


@pytest.mark.parametrize("field", ["", "layer", "quality", "size"])
def test_a_mesh_is_drawn(mesh: SoleMesh, tmp_path: Path, field: str) -> None:
    scene = mesh_scene(mesh, ViewOptions(field=field, size=(400, 300)))
    assert len(scene.panels) == (1 if field else 2)
    scene.write(tmp_path / "mesh.png")
    assert colours(tmp_path / "mesh.png") > 200


def test_a_condensed_sole_is_drawn(sole: CondensedSole, tmp_path: Path) -> None:
    scene = condensed_scene(sole, ViewOptions(size=(600, 400), exaggeration=50.0))
    assert len(scene.panels) == 3
    scene.write(tmp_path / "sole.png")
    assert colours(tmp_path / "sole.png") > 500


def test_layers_are_drawn_in_their_colours_below_each_other(mesh: SoleMesh) -> None:
    import pyvista

    from sole.pictures import off_screen_rendering

    scene = mesh_scene(mesh, ViewOptions(field="layer"))
    with off_screen_rendering():
        plotter = scene.plotter()
    try:
        solids = [
            actor
            for actor in plotter.renderer.actors.values()
            if isinstance(actor, pyvista.Actor) and actor.mapper.dataset.n_cells > 30
        ]
        assert [actor.prop.color.hex_rgb for actor in solids] == list(LAYER_COLORS[:2])
        lower, upper = (actor.mapper.dataset.bounds for actor in solids)
        assert lower[4] == pytest.approx(-T)
        assert lower[5] == upper[4] == pytest.approx(-T / 2)
    finally:
        plotter.close()


def test_an_unknown_field_is_refused_with_the_known_names(
    mesh: SoleMesh, sole: CondensedSole
) -> None:
    with pytest.raises(SoleError, match=r"'pressure'.*layer, quality, size"):
        mesh_scene(mesh, ViewOptions(field="pressure"))
    with pytest.raises(SoleError, match=r"'x'.*compliance, pressure, displacement"):
        condensed_scene(sole, ViewOptions(field="x"))


def test_legends_name_the_materials(mesh: SoleMesh) -> None:
    named = replace(mesh, materials=(SOFT, None))
    assert describe_layers(named.layers, named.materials) == [
        "layer0: E = 1 MPa, nu = 0.3",
        "layer1",
    ]


@pytest.mark.parametrize(
    ("largest", "unit", "factor", "text"),
    [
        (2.3e5, "Pa", 1e-3, "kPa"),
        (1e6, "Pa", 1e-6, "MPa"),
        (0.004, "m", 1e3, "mm"),
        (1.8e-5, "m", 1e6, "µm"),
        (570.0, "N", 1.0, "N"),
        (0.0, "Pa", 1.0, "Pa"),
        (7.0, "", 1.0, ""),
    ],
)
def test_units_read_between_one_and_a_thousand(
    largest: float, unit: str, factor: float, text: str
) -> None:
    got, name = display_unit(largest, unit)
    assert name == text
    assert got == pytest.approx(factor)


@pytest.mark.parametrize(
    ("wanted", "factor"), [(0.3, 1), (1.9, 1), (2.0, 2), (7.0, 5), (10.0, 10), (4999, 2000)]
)
def test_exaggerations_are_round_and_never_shrink(wanted: float, factor: float) -> None:
    assert round_factor(wanted) == pytest.approx(factor)
    assert round_factor(float("inf")) == 1.0


def test_ruler_marks_are_round_and_inside() -> None:
    assert ruler_marks(-108.0, 108.0, 20.0).tolist() == list(range(-100, 101, 20))
    assert ruler_marks(-108.0, 108.0, 36.0).tolist() == [-100, -50, 0, 50, 100]
    assert ruler_marks(-20.0, 0.0, 36.0).tolist() == [-20, 0]
    assert ruler_marks(-47.7, 47.7, 60.0).tolist() == [-40, 40]  # and not the odd ends
