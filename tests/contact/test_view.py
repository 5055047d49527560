"""Datasets behind the pictures of a press test, and one picture."""

from __future__ import annotations

from math import radians
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from box_mesh import box_mesh
from pictures import colours

from contact.ground import Bump, Plane, Slope, Step
from contact.pictures import press_scene
from contact.pictures.ground_words import describe_ground
from contact.pictures.press_data import ground_dataset, press_dataset
from contact.pictures.press_view import section, view_press
from contact.press import PressResult, Wrench, press, save_press
from sole.base.errors import SoleError
from sole.condense import condense
from sole.material import Material
from sole.pictures import ViewOptions, displaced

FORCE, COP = 570.0, (0.02, 0.01)


@pytest.fixture(scope="module")
def result() -> PressResult:
    mesh = box_mesh(0.216, 0.140, 0.020, (6, 4, 2))
    sole = condense(mesh, Material(young_modulus=1e6, poisson_ratio=0.3), "p1")
    load = Wrench.standing(FORCE, cop=COP)
    return press(sole, load, Step(rise=0.004, x=0.0))


def test_the_grid_carries_forces_pressure_and_deformation(result: PressResult) -> None:
    grid = press_dataset(result)
    tread = result.sole.mesh.tread_vertices
    up = result.pose[2, :3]  # the load keeps its direction while the foot tilts
    assert up @ np.asarray(grid["force"]).sum(axis=0) == pytest.approx(FORCE, rel=1e-9)
    assert np.array_equal(grid["force"][tread], result.forces)
    assert grid["displacement"][tread] == pytest.approx(result.displacements, abs=1e-12)
    assert np.all(grid["displacement"][np.asarray(grid["bond"]) == 1] == 0)
    assert np.array_equal(grid["pressure"][tread], result.pressure)
    assert np.isnan(np.delete(grid["pressure"], tread)).all()
    assert np.array_equal(grid["status"][tread], result.status)
    assert grid.cell_data["von_mises"].min() >= 0
    assert np.array_equal(grid.field_data["pose"], result.pose)


def test_deforming_moves_every_vertex_by_its_displacement(result: PressResult) -> None:
    grid = press_dataset(result)
    moved = np.asarray(displaced(grid, 3.0).points) - np.asarray(grid.points)
    assert moved == pytest.approx(3.0 * np.asarray(grid["displacement"]), abs=1e-12)
    assert np.array_equal(grid.points, result.sole.mesh.points)  # the data are left alone


def test_drawn_on_the_ground_loaded_nodes_touch_it_and_none_is_inside(
    result: PressResult,
) -> None:
    grid = displaced(press_dataset(result))
    world = np.asarray(grid.points) @ result.pose[:3, :3].T + result.pose[:3, 3]
    tread = world[result.sole.mesh.tread_vertices]
    surface = result.ground.height(tread[:, 0], tread[:, 1])
    clear = np.abs(tread[:, 0]) > 1e-3  # at the edge itself the height is not single
    assert (tread[:, 2] - surface)[clear].min() > -1e-6
    loaded = clear & (result.forces[:, 2] > 1.0)
    assert loaded.any()
    assert np.abs(tread[:, 2] - surface)[loaded].max() < 1e-6


def test_the_ground_is_drawn_where_it_is(result: PressResult) -> None:
    block = np.asarray(ground_dataset(result).points)
    x, z = block[:, 0], block[:, 2]
    assert z[x > 1e-3].max() == pytest.approx(0.004)
    assert z[x < -1e-3].max() == pytest.approx(0.0)
    assert x.min() < -0.108 - 0.02
    assert x.max() > 0.108 + 0.02


def test_a_slope_is_drawn_in_its_own_frame() -> None:
    mesh = box_mesh(0.2, 0.1, 0.02, (3, 2, 1))
    sole = condense(mesh, Material(young_modulus=1e6, poisson_ratio=0.3), "p1")
    tilted = press(sole, Wrench.standing(100.0), Slope(angle=radians(10)))
    block = np.asarray(ground_dataset(tilted).points)
    normal = np.array([-np.sin(np.radians(10)), 0, np.cos(np.radians(10))])
    assert (block @ normal).max() == pytest.approx(0.0, abs=1e-9)  # top face: through the origin


def test_a_press_is_drawn_and_its_grid_survives_the_file(
    result: PressResult, tmp_path: Path
) -> None:
    import pyvista

    save_press(tmp_path / "press.npz", result)
    scene = view_press(tmp_path / "press.npz", ViewOptions(size=(800, 530)))
    assert len(scene.panels) == 4
    scene.write(tmp_path / "press.png")
    assert colours(tmp_path / "press.png") > 1000
    scene.write(tmp_path / "press.vtu")
    import meshio

    read = pyvista.read(tmp_path / "press.vtu")
    for name in ("pressure [Pa]", "displacement [m]", "force [N]", "von_mises [Pa]"):
        own = scene.dataset[name.partition(" ")[0]]  # units are in the file alone
        assert np.array_equal(read[name], own, equal_nan=True)
    plain = meshio.read(tmp_path / "press.vtu")
    status = plain.point_data["status"]
    assert status.dtype.kind == "i"
    nodes = result.sole.mesh.tread_vertices
    np.testing.assert_array_equal(status[nodes], result.status)
    assert set(np.delete(status, nodes)) == {-1}
    for legend in (plain.field_data, read.field_data):
        words = {"open": 0, "stick": 1, "slip": 2, "off_tread": -1}
        assert {w: int(legend[f"status_{w}"][0]) for w in words} == words
    assert read["displacement [m]"][result.sole.mesh.tread_vertices] == pytest.approx(
        result.displacements, abs=1e-12
    )


def test_the_increments_of_a_press_are_a_series_that_ends_as_the_file(
    result: PressResult, tmp_path: Path
) -> None:
    import pyvista

    save_press(tmp_path / "press.npz", result)
    view_press(tmp_path / "press.npz", ViewOptions()).write(tmp_path / "press.pvd")
    reader = pyvista.PVDReader(str(tmp_path / "press.pvd"))
    assert list(reader.time_values) == list(range(1, len(result.path) + 1))
    reader.set_active_time_value(reader.time_values[-1])
    sole = reader.read()[0]
    nodes = result.sole.mesh.tread_vertices
    np.testing.assert_allclose(sole["pressure [Pa]"][nodes], result.pressure, rtol=1e-6, atol=1.0)
    R, p = result.pose[:3, :3], result.pose[:3, 3]
    deformed = (result.points + result.displacements) @ R.T + p
    np.testing.assert_allclose(sole.points[nodes], deformed, atol=1e-9)
    assert "status" in sole.array_names


def test_one_field_fills_one_panel_and_an_unknown_one_is_refused(result: PressResult) -> None:
    assert len(press_scene(result, ViewOptions(field="gap")).panels) == 1
    (panel,) = press_scene(result, ViewOptions(field="von_mises")).panels
    assert panel.title == "Von Mises stress inside"
    with pytest.raises(SoleError, match=r"'temperature'.*pressure, displacement, von_mises"):
        press_scene(result, ViewOptions(field="temperature"))


def test_the_section_runs_through_the_highest_pressure_but_not_along_the_rim() -> None:
    mesh = box_mesh(0.2, 0.1, 0.02, (4, 8, 1))
    sole = condense(mesh, Material(young_modulus=1e6, poisson_ratio=0.3), "p1")
    for y, cut in ((0.0, 0.0), (0.025, 0.025), (0.04, 0.03)):
        bump = Bump(rise=0.004, radius=0.02, y=y)
        bumped = press(sole, Wrench.standing(20.0, cop=(0.0, y)), bump)
        assert section(bumped) == pytest.approx(cut, abs=1e-9)


def test_the_section_is_near_the_middle_if_anything_presses_there() -> None:
    """Stones beside the CoP: not the highest, at the rim, but the highest near the middle."""
    y = np.linspace(-0.05, 0.05, 11)
    points = np.column_stack([np.zeros(11), y, np.zeros(11)])
    pressure = np.zeros(11)
    pressure[[0, 6, 9]] = 1.0, 2.0, 9.0  # at -50, 10 and 40 mm; the rim begins at 30 mm
    stones = SimpleNamespace(points=points, pressure=pressure, cop=np.full(2, np.nan))
    assert section(stones) == pytest.approx(0.01)  # type: ignore[arg-type]
    pressure[6] = 0.0
    assert section(stones) == pytest.approx(0.03)  # type: ignore[arg-type]


def test_grounds_are_named_with_units() -> None:
    assert describe_ground(Plane()) == "plane"
    assert describe_ground(Slope(angle=radians(10))) == "slope (angle 10 deg, heading 0 deg)"
    assert describe_ground(Step(rise=0.0055)) == "step (rise 5.5 mm, x 0 mm, angle 0 deg)"
