"""Peaks of a press: by area, with their node, and doubted on a coarse mesh."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from box_mesh import box_mesh

from contact.ground import Bump, Plane, Step
from contact.press import Wrench, peak_pressure, press
from contact.summaries.press_summary import describe_press
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.mesh.surface import boundary_faces
from sole.shape import box, preset

RUBBER = Material(young_modulus=1e6, poisson_ratio=0.4)


def pressed(ground, cells):
    sole = condense(box_mesh(0.20, 0.10, 0.02, cells), RUBBER, "p1")
    return press(sole, Wrench.standing(150.0), ground)


def test_the_largest_pressure_names_its_corner_and_most_of_the_area_has_less(pad):
    result = press(pad, Wrench.standing(300.0), Plane())
    report = describe_press(result)
    rows, areas = report.quantities, pad.areas
    p95 = rows["pressure p95"].value
    below = areas[result.pressure <= p95].sum() / areas.sum()
    assert 0.95 <= below < 1 or p95 == result.pressure.max()
    assert areas[result.pressure < p95].sum() / areas.sum() < 0.95
    corner = result.points[result.pressure.argmax()]
    assert f"({1e3 * corner[0]:g}, {1e3 * corner[1]:g}) mm" in rows["max pressure"].remark
    alone = areas[result.pressure.argmax()] < 0.6 * np.median(areas)
    assert ("it stands for" in rows["max pressure"].remark) == alone
    assert not any("too coarse" in note for note in report.warnings)


def test_a_mesh_too_coarse_for_its_bump_is_told():
    bump = Bump(rise=0.003, radius=0.05)
    coarse = describe_press(pressed(bump, (4, 2, 1)))
    (note,) = [w for w in coarse.warnings if "too coarse" in w]
    assert "--size-tread" in note
    fine = describe_press(pressed(bump, (20, 12, 2)))
    assert not [w for w in fine.warnings if "too coarse" in w]


def on(mesh, function):
    """Return nodal values of `function` (x, y) at the tread's nodes."""
    x, y = mesh.points[mesh.tread_vertices, :2].T
    return np.broadcast_to(np.asarray(function(x, y), dtype=float), x.shape)


RADIUS = np.sqrt(1e-4 / np.pi)  # of a disc of 1 cm^2


def test_the_mean_of_a_linear_pressure_is_exact_on_every_mesh():
    """p = 1 + 8 x: the disc at the front end has its centre a radius behind it."""
    for cells in ((3, 2, 1), (7, 5, 1), (20, 10, 1)):
        mesh = box_mesh(0.20, 0.10, 0.02, cells)
        peak = peak_pressure(mesh, on(mesh, lambda x, y: 1 + 8 * x))
        assert peak.value == pytest.approx(1 + 8 * (0.1 - RADIUS), rel=1e-12)
        assert peak.place[0] == pytest.approx(0.1 - RADIUS, rel=1e-12)


def test_the_mean_over_one_loaded_node_is_the_integral_of_its_hat():
    """A hat on triangles of a grid of spacing h has the integral h^2 = A_i."""
    mesh = box_mesh(0.10, 0.05, 0.02, (40, 20, 1))  # h = 2.5 mm: the hat lies in the disc
    pressure = on(mesh, lambda x, y: 1e6 * ((abs(x) < 1e-9) & (abs(y) < 1e-9)))
    assert pressure.sum() == 1e6
    assert peak_pressure(mesh, pressure).value == pytest.approx(1e6 * 0.0025**2 / 1e-4, rel=1e-12)


def test_the_mean_of_an_elliptic_pressure_is_its_integral():
    # Hertz: p = p0 sqrt(1 - r^2/a^2); over the disc of radius s a: p0 2/3 (1 - (1-s^2)^1.5) / s^2.
    a, p0 = 0.02, 5e5
    s2 = (RADIUS / a) ** 2
    mesh = box_mesh(0.04 + 2 * RADIUS, 0.04 + 2 * RADIUS, 0.02, (45, 45, 1))
    pressure = on(mesh, lambda x, y: p0 * np.sqrt(np.maximum(1 - (x**2 + y**2) / a**2, 0)))
    exact = p0 * 2 / 3 * (1 - (1 - s2) ** 1.5) / s2
    assert peak_pressure(mesh, pressure).value == pytest.approx(exact, rel=4e-3)


def test_a_line_load_has_one_mean_in_every_direction():
    """A ridge 4 mm wide, turned: a square along x and y had 29 % more at 45 degrees."""
    mesh, found = box_mesh(0.06, 0.06, 0.02, (60, 60, 1)), []
    for angle in np.radians([0, 22.5, 45, 70]):
        n = np.array([np.sin(angle), np.cos(angle)])
        ridge = on(mesh, lambda x, y, n=n: 1e5 * np.maximum(1 - abs(x * n[0] + y * n[1]) / 2e-3, 0))
        found.append(peak_pressure(mesh, ridge).value)
    assert np.ptp(found) < 0.05 * found[0]


def test_a_tread_smaller_than_the_disc_counts_as_a_whole():
    mesh = box_mesh(0.008, 0.006, 0.004, (4, 3, 1))
    assert peak_pressure(mesh, on(mesh, lambda x, y: 1e5)).value == pytest.approx(1e5, rel=1e-12)
    bare = peak_pressure(mesh, on(mesh, lambda x, y: 0.0))
    assert bare.value == 0 and np.isnan(bare.error)


def test_a_uniform_pressure_is_its_own_mean_on_slopes_and_walls():
    """A tread that rises by 45 degrees ahead; one with a wall, whose triangles are a line below."""
    mesh = box_mesh(0.08, 0.04, 0.04, (16, 8, 4))
    points = mesh.points.copy()
    points[:, 2] *= np.where(points[:, 0] > 0, 1 - points[:, 0] / 0.05, 1.0)
    sloped = replace(mesh, points=points)
    peak = peak_pressure(sloped, on(sloped, lambda x, y: 1e5))
    assert peak.value == pytest.approx(1e5, rel=1e-12)
    assert abs(peak.error) < 1e-9
    mesh = box_mesh(0.04, 0.04, 0.01, (4, 4, 2))
    faces = boundary_faces(mesh.tets)
    wall = (mesh.points[faces, 0] > 0.02 - 1e-9).all(axis=1)
    wall &= (mesh.points[faces, 2] < -0.005 + 1e-9).all(axis=1)
    walled = replace(mesh, tread=np.vstack([mesh.tread, faces[wall]]))
    peak = peak_pressure(walled, on(walled, lambda x, y: 2e5))
    assert peak.value == pytest.approx(2e5, rel=1e-12)


BLOCK = box(0.10, 0.07, 0.02), 300.0, (0.01, 0.005), 0.012  # force [N], CoP, coarse size [m]
FOOT = preset("hrp2kai"), 570.0, (0.03, 0.01), None  # its default mesh
NIGHTLY = pytest.mark.nightly


@pytest.mark.parametrize(
    ("what", "nu"),
    [(BLOCK, 0.45), *(pytest.param(FOOT, nu, marks=NIGHTLY) for nu in (0.3, 0.45))],
)
def test_the_peak_at_a_bonded_edge_converges_where_the_largest_node_does_not(what, nu):
    """From the default mesh of a foot on: under 5 %. The largest pressure at a node grows on."""
    shape, force, cop, coarse = what
    rubber, found, largest = Material(young_modulus=3e6, poisson_ratio=nu), [], []
    for size in (coarse, 0.009, 0.006):
        mesh = mesh_shape(shape, size, size)
        result = press(condense(mesh, rubber), Wrench.standing(force, cop=cop))
        found.append(peak_pressure(mesh, result.pressure))
        largest.append(result.pressure.max())
    values = np.array([peak.value for peak in found])
    assert np.ptp(values) < 0.05 * values[0]
    assert largest[2] > 1.1 * largest[0]
    assert all(peak.error < 0.05 for peak in found)
    assert abs(values[2] / values[0] - 1) < found[0].error + 0.01


@pytest.mark.parametrize("what", [BLOCK, pytest.param(FOOT, marks=NIGHTLY)])
def test_a_peak_that_the_mesh_decides_says_so(what):
    """On a bump of 40 mm the default mesh is too coarse, and the estimate foresees by how much."""
    shape, force, cop, coarse = what
    rubber, values, errors = Material(young_modulus=3e6, poisson_ratio=0.45), [], []
    for size in (coarse, 0.005):
        mesh = mesh_shape(shape, size, size)
        bump = Bump(rise=0.003, radius=0.04, x=0.01, y=0.005)
        result = press(condense(mesh, rubber), Wrench.standing(force, cop=cop), bump)
        peak = peak_pressure(mesh, result.pressure)
        values.append(peak.value)
        errors.append(peak.error)
        report = describe_press(result)
        rows = report.quantities
        told = rows["peak pressure"].remark
        assert rows["peak error"].value == peak.error
        warned = any("p95, contact area, sink and margins" in w for w in report.warnings)
        assert warned == (peak.error > 0.05)
        assert ("depends on the mesh, by about" in told) == (peak.error > 0.05)
    assert 0.5 < errors[0] / (values[1] / values[0] - 1) < 2
    assert errors[1] < errors[0] / 4


def test_the_peak_rises_on_a_bump_where_the_percentile_falls():
    def both(scale):
        result = press(SOLE.scaled(scale), Wrench.standing(400.0), Bump(rise=0.002, radius=0.05))
        rows = describe_press(result).quantities
        return rows["peak pressure"].value, rows["pressure p95"].value

    (soft, soft_p95), (hard, hard_p95) = both(1.0), both(4.0)
    assert hard > 1.5 * soft
    assert hard_p95 < soft_p95


SOLE = condense(box_mesh(0.20, 0.10, 0.02, (20, 12, 2)), RUBBER, "p1")


def test_a_peak_on_a_step_edge_says_that_the_mesh_decides_where_the_contact_ends():
    """The error is far from small on both meshes, and covers what they differ by."""
    rubber, found = Material(young_modulus=3e6, poisson_ratio=0.45), []
    for size in (0.012, 0.008):
        mesh = mesh_shape(BLOCK[0], size, size)
        loaded = press(condense(mesh, rubber), Wrench.standing(300.0), Step(rise=0.005))
        found.append(peak_pressure(mesh, loaded.pressure))
    assert all(peak.error > 0.05 for peak in found)
    assert abs(found[1].value / found[0].value - 1) < sum(peak.error for peak in found)
