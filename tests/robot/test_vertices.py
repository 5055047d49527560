"""Feet on four corners: the scenario's key, the series of every vertex, what opens a contact."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from contact.papers.penalty import required_forces
from contact.problem import ContactStatus
from robot.gait import Standing
from robot.measures import VERTICES
from robot.model import load_robot
from robot.papers.claims.rengifo_walk import RENGIFO_WALK_CLAIMS
from robot.papers.experiments import epsilon_walks, vertex_ensemble
from robot.papers.experiments.fitted_forces import fit_forces
from robot.papers.experiments.lost_contacts import count_lift_offs
from robot.papers.experiments.vertex_walk import KP, VertexCase, VertexRecord, walk_on_vertices
from robot.walk import (
    ContactChoice,
    PushPlan,
    RecordingOptions,
    Scenario,
    SoleChoice,
    assemble_walk,
    execute,
    load_scenario,
    prism_mesh,
)
from sole.base.errors import ConfigError, SoleError
from sole.claims import Effort

CORNERS = ContactChoice(kind="penalty", points="corners", kp=500.0, kv=250.0)
BARE = SoleChoice(thickness=1e-3, density=1.0)


@pytest.mark.parametrize("kind", ["compliant", "rigid"])
def test_corners_are_for_the_penalty_law(kind):
    with pytest.raises(
        ConfigError, match=f"points = 'corners' is for kind = 'penalty', got kind = '{kind}'"
    ):
        ContactChoice(kind=kind, points="corners")


def test_other_points_and_a_sole_of_its_own_are_refused():
    with pytest.raises(ConfigError, match="points"):
        ContactChoice(kind="penalty", points="edges")
    with pytest.raises(ConfigError, match=r"leaves no room for the sole pad\.npz"):
        Scenario(contact=CORNERS, sole=SoleChoice(file="pad.npz"), dt=2e-4)


def test_a_foot_that_is_no_rectangle_is_refused():
    scenario = Scenario(robot="lola-like", contact=CORNERS, dt=1e-3)
    with pytest.raises(
        ConfigError, match="needs rectangular feet, but the left foot of lola-like has"
    ):
        assemble_walk(scenario)


def test_the_key_stands_in_a_file(tmp_path):
    (tmp_path / "s.toml").write_text(
        'schema = "robot.scenario/1"\ndt = 2e-4\n[contact]\nkind = "penalty"\npoints = "corners"\n'
        "[gait]\nlanding_speed = 0.05\n"
    )
    scenario = load_scenario(tmp_path / "s.toml")
    assert (scenario.contact.points, scenario.gait.landing_speed) == ("corners", 0.05)


@pytest.mark.parametrize("n", [3, 4, 6])
def test_a_prism_fills_its_outline(n):
    turn = 2 * np.pi * np.arange(n) / n
    flat = 0.1 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    mesh = prism_mesh(flat, 0.02)
    corners = mesh.points[mesh.tets]
    volume = np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6
    assert (volume > 0).all()
    assert volume.sum() == pytest.approx(0.02 * n / 2 * 0.1**2 * np.sin(2 * np.pi / n))
    assert len(np.unique(mesh.tread)) == n


def test_vertices_of_a_standing_robot():
    """Height and force of every vertex in the order of the names; they add up to the wrench."""
    gait = Standing(initial=0.05, final=0.05)
    push = PushPlan(force=(15.0, 25.0, 0.0), start=0.0)  # so that no two vertices are alike
    scenario = Scenario(
        robot="rengifo14", sole=BARE, contact=CORNERS, gait=gait, dt=1e-3, settle=0.1, push=(push,)
    )
    run, error = execute(assemble_walk(scenario), RecordingOptions(nodes=1))
    assert error is None
    height, force = run["vertex_height"], run["vertex_force"]
    assert height.shape == force.shape == (len(run), 2, 4)
    assert force.sum(axis=2) == pytest.approx(run["wrench_world"][..., 2], abs=1e-9)
    # The moment about the foot's y axis: -sum x f, front at +X.
    X = run.treads[0].half_size[0]
    x = X * np.array([1 if "front" in name else -1 for name in VERTICES])
    y = run.treads[0].half_size[1] * np.array([1 if "left" in name else -1 for name in VERTICES])
    world = run["wrench_world"]
    assert -(force @ x) == pytest.approx(world[..., 4], abs=0.05)
    assert force @ y == pytest.approx(world[..., 3], abs=0.05)
    assert np.abs(height).max() < 1e-3
    apart = np.abs(force[-1, 0][:, None] - force[-1, 0])
    assert apart[~np.eye(4, dtype=bool)].min() > 1.0
    assert np.maximum(0, -height.min(axis=2)) == pytest.approx(run["penetration"], abs=1e-12)


def test_a_load_outside_the_diamond_pulls_only_where_forces_are_cut():
    """F/4 (1 +- x/a +- y/b), equations (18): a pull for |x|/a + |y|/b > 1; a fit has none."""
    a, b, m, F = 0.1, 0.05, 10.0, 100.0
    corners = np.array([[a, -b, 0], [a, b, 0], [-a, b, 0], [-a, -b, 0]])
    D = np.zeros((12, 6))
    for k, (x, y, _) in enumerate(corners):
        D[3 * k : 3 * k + 3, :3] = np.eye(3)
        D[3 * k : 3 * k + 3, 3:] = [[0, 0, -y], [0, 0, x], [y, -x, 0]]
    W = D @ np.diag([1 / m] * 3 + [20.0, 30.0, 10.0]) @ D.T
    x, y = 0.7 * a, 0.6 * b  # inside the rectangle, outside the diamond
    load = D @ np.diag([1 / m] * 3 + [20.0, 30.0, 10.0]) @ [0, 0, F, y * F, -x * F, 0]
    least, _, _ = required_forces(W, load)
    expected = F / 4 * (1 + np.sign(corners[:, 0]) * x / a + np.sign(corners[:, 1]) * y / b)
    assert least.reshape(-1, 3)[:, 2] == pytest.approx(expected)
    assert expected.min() < 0
    fitted = fit_forces(W, load, np.full(4, 0.7))
    assert W @ fitted.ravel() == pytest.approx(load, abs=1e-9 * F / m)
    assert fitted[:, 2].min() >= 0


def bounce(status=ContactStatus.STICK, push=0.0):
    """A record in which vertex 0 of the right foot rises undamped and leaves; others stay."""
    dt, n = 2e-4, 600
    heights = np.full((n, 2, 4), -1e-5)
    p, v = -1e-4, 0.0
    for k in range(n):
        heights[k, 1, 0] = p
        v += dt * (KP * -p + push if p <= 0 else -9.81)
        p += dt * v
        if p > 0 and k > 500:
            p, v = -1e-5, 0.0
    forces = np.where(heights <= 0, 50.0, 0.0)
    state = np.full(heights.shape, ContactStatus.STICK, dtype=np.int64)
    state[:, 1, 1] = status
    stands = np.array([[False, True]] * n)
    return VertexRecord(
        case=VertexCase(dt=dt), times=dt * np.arange(n), heights=heights, forces=forces,
        status=state, stands=stands, weight=400.0, fell=False,
    )  # fmt: skip


def test_the_cause_of_a_lift_off():
    free = count_lift_offs(bounce())
    assert (free.lifts, free.bounces) == (free.lifts, free.lifts) and free.lifts >= 1
    for status, name in (
        (ContactStatus.STICK, "least_squares"),
        (ContactStatus.OPEN, "pulls"),
        (ContactStatus.SLIP, "slips"),
    ):
        pushed = count_lift_offs(bounce(status, push=2.0))  # not the wanted acceleration
        assert pushed.lifts == getattr(pushed, name) >= 1, name
    assert free.full < 1 and free.deepest == pytest.approx(1e-4)


@pytest.fixture(scope="module")
def walked():
    """The walk at a time step five times as long."""
    return walk_on_vertices(VertexCase(dt=1e-3))


def test_the_claims_state_the_mass_of_the_model_and_the_part_of_the_swings():
    """What is left out of a swing: a tenth while it lifts, a twentieth before it lands."""
    claims = {claim.name: claim for claim in RENGIFO_WALK_CLAIMS}
    mass = load_robot("rengifo14").mass
    assert f"ours: {mass:.0f} kg, steps" in claims["five_steps"].remark
    assert "in the middle 85 % of each swing" in claims["fig11"].ours


def test_the_walk_of_five_steps(walked, monkeypatch):
    counts = count_lift_offs(walked)
    assert counts.mean == pytest.approx(1, abs=1e-3)
    assert counts.lifts == counts.bounces + counts.pulls + counts.slips + counts.least_squares > 0
    for home in (vertex_ensemble, epsilon_walks):
        monkeypatch.setattr(
            home,
            "walk_on_vertices",
            lambda case, tell=None: replace(walked, case=replace(case, dt=1e-3)),
        )
    found = vertex_ensemble.walk_of_figures(Effort())
    numbers = found.numbers
    assert (numbers["swings"], numbers["planned"], numbers["in_two_seconds"]) == (5, 5, 4)
    assert 65 < numbers["top"] < 75 and numbers["scuff"] > 0
    assert 1.1 < numbers["first_right"] < 1.15  # 5 mm above the ground on its way down
    ensemble = vertex_ensemble.compare_epsilons(Effort())
    assert ensemble.numbers["lifts_ratio_1"] == 1  # the same walk
    pictures = {**found.pictures, **ensemble.pictures}
    for name in ("fig11", "fig12", "fig13", "fig14"):
        axes = pictures[name]().axes
        assert len(axes) == 4
        assert axes[0].get_xlim() == ((0, 2) if name == "fig11" else (1.2, 1.6))
    causes = vertex_ensemble.isolate_causes(Effort()).numbers
    assert causes["fitted_ratio"] == 1


def test_swings_are_counted_by_what_the_feet_do(walked):
    """A foot that touches in the middle of a swing makes two of it; one that drags makes none."""
    heights = walked.heights.copy()
    first = vertex_ensemble.swings_of(walked)[0]
    foot, start, end = first
    heights[(start + end) // 2, foot] = 0.0
    assert len(vertex_ensemble.swings_of(replace(walked, heights=heights))) == 6
    heights[start:end, foot, 2] = 0.0
    assert len(vertex_ensemble.swings_of(replace(walked, heights=heights))) == 4


def test_a_fall_ends_the_record_and_is_counted(walked):
    record = walk_on_vertices(VertexCase(dt=1e-3, friction=0.02))
    assert record.fell and count_lift_offs(record).fell == 1
    assert len(record.times) == len(record.heights) < len(walked.times)


def test_draws_differ_and_a_longer_ensemble_begins_with_a_shorter_one():
    draws = list(epsilon_walks.vertex_draws(8))
    assert len(set(draws)) == 8 and draws[0] == VertexCase()
    assert list(epsilon_walks.vertex_draws(3)) == draws[:3]
    for name, (low, high) in epsilon_walks.RANGES.items():
        values = [getattr(draw, name) for draw in draws]
        assert low <= min(values) < max(values) <= high
        assert max(values) - min(values) > (high - low) / 2


def test_an_ensemble_keeps_its_walks_and_goes_on(walked, monkeypatch, tmp_path):
    done = []

    def walk(case, tell=None):
        done.append(case)
        if len(done) == 3:
            raise SoleError("interrupted")
        return replace(walked, case=replace(case, dt=1e-3))

    monkeypatch.setattr(epsilon_walks, "walk_on_vertices", walk)
    cases = epsilon_walks.epsilon_cases(quick=True)
    with pytest.raises(SoleError, match="interrupted"):
        epsilon_walks.count_walks(cases, lambda k: None, folder=tmp_path)
    counts = epsilon_walks.count_walks(cases, lambda k: None, folder=tmp_path)
    assert done == [*cases[:3], *cases[2:]]  # the third twice, the others once
    again = epsilon_walks.count_walks(cases, lambda k: None, folder=tmp_path)
    assert len(done) == 4
    assert again == counts


def test_the_interval_of_a_ratio_of_pairs():
    """Two pairs with ratios 1/2 and 1/8: mean 1/4; t = 12.706, s = sqrt 2 ln 2."""
    found = epsilon_walks.paired_ratio([10, 10], [20, 80])
    assert found.ratio == pytest.approx(0.25)
    assert np.log(found.high / found.ratio) == pytest.approx(12.706 * np.log(2), rel=1e-4)
    assert found.low * found.high == pytest.approx(found.ratio**2)
