"""Shapes by gradients: rest without friction, its derivatives, fields, the search, its file."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from box_mesh import box_mesh
from command_line import in_this_process
from scipy.optimize import minimize, nnls

from contact.ground import parse_ground
from contact.press import Wrench, press
from contact.shape_design import (
    HeightGrid,
    ShapeDesign,
    ShapeFields,
    ShapeProblem,
    ShapeSearch,
    StandLoad,
    StopLoad,
    load_shape_design,
    search_shape,
)
from contact.shape_design.load_case import deepest, motions_of, squared_tilt, stand, stop
from sole.base.errors import ConfigError, EquilibriumError, SoleError
from sole.condense import load_condensed
from sole.material import Material
from sole.mesh import write_mesh

RUBBER = Material(young_modulus=1e6, poisson_ratio=0.4)
MESH = replace(box_mesh(0.2, 0.12, 0.02, (5, 4, 2)), materials=(RUBBER,))
GROUNDS = ("plane", "step:0.003,0.01", "bump:0.003,0.05,0.03,0.02")
DESIGN = ShapeDesign(
    mesh="pad.msh",
    grounds=GROUNDS,
    field=(HeightGrid(grid=(4, 3), range=(0.0, 0.006)),),
    stop=StopLoad(speed=0.15, attitudes=((0.0, 0.0), (0.01, -0.02))),
    stand=StandLoad(force=500.0),
    search=ShapeSearch(tilt=0.05, pressure=9e4, evaluations=8),
)


def problem(design=DESIGN, mesh=MESH):
    return ShapeProblem(design, mesh, [parse_ground(text) for text in design.grounds])


def springs(count=30, seed=1):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(count, count))
    points = rng.uniform(-1, 1, (count, 3)) * [0.1, 0.06, 0.0]
    return 1e-6 * (np.eye(count) + A @ A.T / count), 1e-3 * rng.random(count), points


def test_a_stop_is_the_least_squares_with_forces_that_push():
    C, g, _ = springs()
    at = stop(C, g, energy=0.3)
    assert at.forces @ C @ at.forces / 2 == pytest.approx(0.3, rel=1e-9)
    # min f'Cf/2 + f'(g + s), f >= 0, by Lawson and Hanson on C = L L'
    L = np.linalg.cholesky(C)
    f, _ = nnls(L.T, -np.linalg.solve(L, g + at.motion[0]))
    np.testing.assert_allclose(at.forces, f, atol=1e-7 * f.max())
    assert 0 < (~at.active).sum() < len(C)


def test_standing_is_the_optimum_of_a_general_solver():
    C, g, points = springs(12, 3)
    D, w = motions_of(points), np.array([400.0, 4.0, -8.0])
    at = stand(C, g, D, w)
    np.testing.assert_allclose(D.T @ at.forces, w, atol=1e-7)
    told = minimize(
        lambda f: 1e3 * (f @ C @ f / 2 + f @ g),
        np.full(12, 400 / 12),
        jac=lambda f: 1e3 * (C @ f + g),
        bounds=[(0, None)] * 12,
        constraints={"type": "eq", "fun": lambda f: D.T @ f - w, "jac": lambda f: D.T},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    np.testing.assert_allclose(at.forces, told.x, atol=1e-3 * at.forces.max())


def test_springs_in_a_row_have_the_closed_forms():
    # n equal springs k, all touching: F = sqrt(2 E n k); turn = M/(k sum x^2)
    x = np.linspace(-0.1, 0.1, 5)
    points = np.array([[a, b, 0.0] for a in x for b in (-0.05, 0.0, 0.05)])
    n, k, energy = len(points), 2e5, 0.2
    C, D = np.eye(n) / k, motions_of(points)
    at = stop(C, np.zeros(n), energy)
    assert at.forces.sum() == pytest.approx(math.sqrt(2 * energy * n * k), rel=1e-9)
    assert deepest(C, np.zeros(n), at).value == pytest.approx(math.sqrt(2 * energy / (n * k)))
    moment = 3.0
    at = stand(C, np.zeros(n), D, np.array([500.0, 0.0, -moment]))
    turn = moment / (k * (points[:, 0] ** 2).sum())
    assert squared_tilt(C, D, at).value == pytest.approx(turn**2, rel=1e-9)


def test_a_foot_that_tips_is_refused():
    _, _, points = springs()
    D = motions_of(points)
    with pytest.raises(EquilibriumError, match="does not come to rest"):
        stand(1e-6 * np.eye(30), np.zeros(30), D, np.array([500.0, 0.0, -500.0 * 0.3]))


def test_standing_is_the_press_without_friction():
    # The press has finite motions: at 4 MPa they differ by 1.5e-3, at 40 MPa by a tenth of that.
    p = problem(replace(DESIGN, grounds=("plane",)))
    w = p.worth(np.zeros(12), 40.0)
    sole = p.derivatives(np.zeros(12)).sole.scaled(40.0)
    done = press(sole, Wrench(fz=500.0, ty=-500.0 * 0.05), friction=0.0)
    assert w.tilts[0] == pytest.approx(abs(done.motion[4]), rel=3e-4)


@pytest.fixture(scope="module")
def carved():
    """Return a problem, heights off any kink, a factor, its worth and gradients."""
    p = problem()
    heights = np.random.default_rng(6).uniform(0.001, 0.005, 12)
    worth = p.worth(heights, 1.3)
    return p, heights, worth, p.gradients(heights, 1.3, worth, strict=True)


def test_gradients_are_the_limits_of_differences(carved):
    p, heights, worth, found = carved
    assert len(found) == len(worth.outcomes) == 6 + 6 + 12 + 12
    assert any(0 < (o.forces == 0).sum() for o in worth.outcomes)  # some nodes are open
    values = [o.value for o in worth.outcomes]
    step, h = np.random.default_rng(5).standard_normal(12), 1e-7

    def outcomes(x, e):
        return np.array([o.value for o in p.worth(x, e).outcomes])

    change = (outcomes(heights + h * step, 1.3) - outcomes(heights - h * step, 1.3)) / (2 * h)
    # Central differences: round-off of 1e-13/h in a value, and h^2 of its curvature.
    np.testing.assert_allclose(
        found[:, :-1] @ step, change, rtol=1e-6, atol=1e-6 * np.abs(values).max()
    )
    tilts = slice(12, 24)  # far smaller than forces
    np.testing.assert_allclose(found[tilts, :-1] @ step, change[tilts], rtol=1e-6, atol=1e-9)
    h = 1e-5
    change = (outcomes(heights, 1.3 * math.exp(h)) - outcomes(heights, 1.3 * math.exp(-h))) / (
        2 * h
    )
    np.testing.assert_allclose(found[:, -1], change, rtol=1e-5, atol=1e-7 * np.abs(values).max())


def test_a_gradient_at_a_kink_is_refused_in_one_line(carved):
    p, heights, worth, _ = carved
    kinked = replace(worth, kinks=2)
    with pytest.raises(SoleError, match="in 2 states of rest a node is about to touch") as caught:
        p.gradients(heights, 1.3, kinked, strict=True)
    assert "\n" not in str(caught.value)
    p.gradients(heights, 1.3, kinked)


def test_a_factor_at_which_a_node_lifts_off_has_no_gradient(carved):
    """The standing foot's nodes that touch change with E: at the very factor, strict refuses."""
    p, heights, _, _ = carved

    def touching(factor):
        states = p.worth(heights, factor).outcomes[12:24]  # standing, twelve times
        return [int((o.forces > 0).sum()) for o in states]

    low, high = 1.0, 1.0
    while touching(high) == touching(1.0):
        high *= 1.1
    for _ in range(60):  # of the factor; the shape is condensed once
        middle = (low + high) / 2
        low, high = (middle, high) if touching(middle) == touching(1.0) else (low, middle)
    with pytest.raises(SoleError, match="a node is about to touch or to open") as caught:
        p.gradients(heights, high, p.worth(heights, high), strict=True)
    assert "\n" not in str(caught.value)
    away = p.worth(heights, high * (1 + 1e-4))
    assert away.kinks == 0
    p.gradients(heights, high * (1 + 1e-4), away, strict=True)


def test_a_node_that_just_touches_is_a_kink():
    # three springs carry; a fourth ends where the ground is when they are compressed
    points = np.array([[0.1, 0, 0], [-0.05, 0.05, 0], [-0.05, -0.05, 0], [0, 0, 0]])
    C, D, w = 1e-6 * np.eye(4), motions_of(points), np.array([300.0, 0.0, 0.0])
    assert stand(C, np.array([0, 0, 0, 2e-4]), D, w).kinks == 0
    assert stand(C, np.array([0, 0, 0, 1e-4]), D, w).kinks == 1


def test_symmetric_fields_are_the_same_on_both_sides():
    fields = ShapeFields(MESH, [HeightGrid(grid=(4, 3), range=(0.0, 0.006), symmetric=True)])
    assert fields.size == 8
    moved = fields.moved(np.random.default_rng(1).uniform(0, 0.006, 8))
    tops = {(round(x, 9), round(y, 9)): z for x, y, z in moved.points[moved.tread_vertices]}
    assert len(tops) == 30
    assert all(z == pytest.approx(tops[x, -y]) for (x, y), z in tops.items())
    both = ShapeFields(MESH, [HeightGrid(grid=(4, 3), range=(0.0, 0.006))])
    np.testing.assert_allclose(fields.motions.sum(axis=1), both.motions.sum(axis=1))


def test_a_field_moves_its_surface_and_nothing_beyond_its_neighbours():
    mesh = box_mesh(0.2, 0.12, 0.02, (4, 3, 4), layers=(1, 1))
    fields = ShapeFields(mesh, [HeightGrid(surface="top of layer0", grid=(2, 2), range=(0, 0.004))])
    moved = fields.moved(np.full(4, 0.002)).points[:, 2] - mesh.points[:, 2]
    z = mesh.points[:, 2]
    for depth, rise in ((-0.02, 0.0), (-0.015, 0.001), (-0.01, 0.002), (-0.005, 0.001), (0.0, 0.0)):
        np.testing.assert_allclose(moved[np.isclose(z, depth)], rise, atol=1e-12)
    assert fields.at(np.full(4, 0.002), np.zeros((1, 2)))["top of layer0"] == pytest.approx(0.002)


def test_the_search_lowers_peaks_within_the_margins_of_the_flat_pad():
    found = search_shape(problem())
    flat, best = found.flat_worth, found.best_worth
    assert found.gain > 0.15
    assert found.evaluations <= 8
    count = len(GROUNDS)
    tilts = best.tilts.reshape(count, -1).max(axis=1) / flat.tilts.reshape(count, -1).max(axis=1)
    assert tilts.max() <= 1 + 1e-4
    assert best.sinks.max() <= 0.2 * (1 + 1e-4)
    assert best.pressures.max() <= 9e4 * (1 + 1e-4)
    # a softer flat pad exceeds a limit
    softer = found.problem.worth(found.flat.heights, 0.98 * found.flat.factor)
    assert softer.tilts.max() > 0.05 or softer.sinks.max() > 0.2 or softer.pressures.max() > 9e4


def test_evolution_searches_the_same_problem():
    search = replace(DESIGN.search, method="evolution", evaluations=15, population=5)
    small = replace(DESIGN, grounds=("plane",), element="p1", search=search)
    found = search_shape(problem(small))
    assert found.best.peak <= found.flat.peak
    assert found.words == "the budget of 15 evaluations is spent"


TOML = """
schema = "contact.shape_design/1"
mesh = "pad.msh"
element = "p1"
grounds = ["plane"]
[[field]]
surface = "tread"
grid = [3, 3]
range = [0.0, 0.005]
[stop]
speed = "15 cm/s"
[search]
tilt_deg = 0.7
evaluations = 6
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_mesh(tmp_path / "pad.msh", MESH)
    (tmp_path / "shape.toml").write_text(TOML, encoding="utf-8")
    return tmp_path


def test_the_command_writes_the_condensed_shape(folder, monkeypatch, capsys):
    sole = in_this_process(monkeypatch, capsys)
    code, out, err = sole("design", "shape.toml", "-o", "best.npz", "--plot", "best.png", "--json")
    assert code == 0, err
    told = json.loads(out)
    assert told["gain"] > 0
    saved = load_condensed(folder / "best.npz")
    assert saved.materials[0].young_modulus == pytest.approx(1e6 * told["factor_of_e"])
    assert np.ptp(saved.points[:, 2]) > 1e-4
    rows = list(csv.DictReader((folder / "best.csv").read_text(encoding="utf-8").splitlines()))
    assert min(float(r["peak [m/s^2]"]) for r in rows if float(r["excess"]) <= 1e-4) == (
        pytest.approx(told["peak"])
    )
    assert (folder / "best.png").stat().st_size > 10_000
    code, out, _ = sole("info", "shape.toml", "--json")
    assert code == 0
    assert json.loads(out)["method"] == "gradient"


@pytest.mark.parametrize(
    "old, new, expected",
    [
        ('"p1"', '"q1"', "unknown element 'q1', expected one of p1, p2, ccr"),
        ("[3, 3]", "[30, 3]", "of its heights move no vertex; take a coarser grid or mesh finer"),
        ("[3, 3]", "[1, 3]", "a grid has 2 to 40 nodes on a side"),
        ("[0.0, 0.005]", "[0.001, 0.005]", "range holds 0, which is the shape of the mesh"),
        ("[0.0, 0.005]", "[0.0, 0.05]", "the fields turn the mesh inside out"),
        ('surface = "tread"', 'surface = "top of sole"', "there is no surface 'top of sole'"),
        ("tilt_deg = 0.7", "tilt_deg = 0.001", "the flat pad exceeds the limits at every factor"),
        ("tilt_deg = 0.7", "tilt_deg = 30", "tilt_deg is above 0 and below 20"),
        ('["plane"]', "[]", "give at least one of grounds"),
        ('["plane"]', '["plain"]', "plain"),
        ("evaluations = 6", 'method = "newton"', "method is gradient or evolution, got 'newton'"),
        ('"15 cm/s"', "-1.0", "stop: speed must be positive and finite, got -1"),
        ("[stop]", "[stop]\nattitudes_deg = []", "give at least one of attitudes_deg"),
        ("[stop]", "[stop]\nattitudes_deg = [[0, 40]]", "at most 20 degrees either way"),
        ("[search]", "[stand]\nreach = 1.5\n[search]", "reach is a part of half the foot"),
        ("pad.msh", "other.msh", "other.msh"),
    ],
)
def test_bad_files_are_one_line(folder, monkeypatch, capsys, old, new, expected):
    assert old in TOML
    (folder / "shape.toml").write_text(TOML.replace(old, new), encoding="utf-8")
    code, out, err = in_this_process(monkeypatch, capsys)("design", "shape.toml", "-o", "best.npz")
    assert (code, out) == (2, "")
    assert err.startswith("error: ") and err.count("\n") == 1, err
    assert expected in err
    assert not list(folder.glob("best*"))


@pytest.mark.parametrize(
    "words, expected",
    [
        (["-o", "best.nc"], "-o must be an .npz file"),
        (["-o", "best.npz", "--plot", "best.gif"], "--plot must end in one of"),
        (["-o", "best.npz", "--workers", "2"], "a shape design runs in this process"),
        (["-o", "nowhere/best.npz"], "nowhere"),
    ],
)
def test_bad_calls_are_one_line(folder, monkeypatch, capsys, words, expected):
    code, _, err = in_this_process(monkeypatch, capsys)("design", "shape.toml", *words)
    assert code == 2
    assert err.startswith("error: ") and err.count("\n") == 1, err
    assert expected in err


def test_a_mesh_without_material_is_refused():
    with pytest.raises(ConfigError, match="layer 'layer0' has no material in the mesh"):
        problem(mesh=box_mesh(0.2, 0.12, 0.02, (3, 2, 1)))


def test_the_shipped_design_is_read(root):
    design = load_shape_design(root / "examples/studies/shape_gradient.toml")
    assert sum(g.size for g in design.field) == 24
    assert len({text.split(":")[0] for text in design.grounds}) == 3
