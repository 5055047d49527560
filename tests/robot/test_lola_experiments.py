"""LOLA's experiments: their cases, paired differences, the springs in joint space, the claims."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from robot_cases import feet

from contact.papers.foundation import sole_U
from robot.control import ForceChoice, ForceControl, point_springs, springs_U
from robot.gait import Standing, plan_standing
from robot.papers.claims.sygulla_control import SYGULLA_CONTROL_CLAIMS
from robot.papers.experiments import edge_store
from robot.papers.experiments.edge_store import digest_of, store_walk, stored_walks, walk_all
from robot.papers.experiments.feet_in_task_space import decays
from robot.papers.experiments.joint_space_springs import compare_spaces
from robot.papers.experiments.lola_cases import DOWN, UP, EdgeCase, Keys, draws
from robot.papers.experiments.lola_walks import (
    EdgeWalk,
    com_torque_errors,
    listened_walk,
    measured,
    stands_alone,
    swings,
)
from robot.papers.experiments.obstacle_and_drop import FULL, scenarios_for_download
from robot.papers.experiments.paired_walks import (
    changes,
    compared,
    distinct_pairs,
    distinct_walks,
    median_interval,
)
from robot.walk import assemble_walk, load_scenario
from robot.walk.scenario_file import as_read
from sole.base.errors import SoleError
from sole.claims import NO_VERDICT, Effort

CLAIMS = {claim.name: claim for claim in SYGULLA_CONTROL_CLAIMS}
EXAMPLES = Path(__file__).parents[2] / "examples" / "scenarios"
WALK = EdgeWalk(
    fell=False, tilt=2.0, roll=1.0, pitch=2.0, mean_tilt=1.0, halved=0.5, com_torque_x=8.0,
    com_torque_y=16.0, alone=0.1, event=4.0, pressed=0.1, landing=1.5, speed=0.4, strain=0.1,
    again=0, gave_up=0, bits="0",
)  # fmt: skip


def walks(*tilts):
    return [
        replace(WALK, tilt=abs(tilt), fell=tilt < 0, bits=str(k)) for k, tilt in enumerate(tilts)
    ]


def test_edges_make_drops_and_rises():
    down = EdgeCase(height=-0.055, back=0.19, turned=-8).scenario
    assert down.ground == "step:0.055,-0.86,angle_deg=172" and down.start.z == 0.055
    up = EdgeCase(height=0.09, back=0.25, turned=12, phase_logic=False).scenario
    assert up.ground == "step:0.09,0.8,angle_deg=12" and up.start.z == 0.0
    assert up.gait.lift == 0.12 and not up.plan.follows and down.plan.follows
    assert EdgeCase(height=0.0).scenario.ground == "plane"
    over = EdgeCase(height=0.09, keys=Keys(step_over=True), noise=3).scenario
    assert (over.gait.lift, over.plan.step_over, over.seed) == (0.06, True, 3)
    assert over.sensing.kind == "noisy" and up.sensing.kind == "true"
    assert EdgeCase(height=0.09, length=0.3).scenario.plan.crouch == 0.07


def test_draws_fill_their_ranges_and_go_on():
    """An ensemble varies all that changes a walk; a longer one begins with a shorter one."""
    found = list(draws(FULL, DOWN))
    assert found[:6] == list(draws(6, DOWN)) and list(draws(FULL, UP)) != found
    ranges = {
        "back": (0.15, 0.22),
        "turned": (-8, 8),
        "single": (0.6, 0.7),
        "forward": (0.33, 0.36),
    }
    for name, (low, high) in ranges.items():
        values = np.array([d[name] for d in found])
        assert len(set(values)) >= FULL * 0.7
        assert low <= values.min() and values.max() <= high
        assert np.ptp(values) > 0.8 * (high - low)
        # a Halton sequence of n points leaves no gap of the order of log(n)/n
        assert np.diff(np.sort(values)).max() < (high - low) * np.log(FULL) / FULL * 1.5
    young = np.log([d["young"] for d in found])
    assert np.log(2e6) <= young.min() and young.max() <= np.log(5e6)
    full = [EdgeCase(height=0.09, **d).scenario for d in draws(FULL, UP)]
    assert len({repr(s) for s in full}) == FULL


def test_scenarios_for_download_have_the_keys_that_experiments_set():
    for name, scenario in scenarios_for_download().items():
        assert load_scenario(EXAMPLES / f"lola_{name}.toml") == as_read(scenario), name


def test_changes_are_those_of_pairs_that_both_survive():
    pairs = distinct_pairs(walks(2, 4, -1, 5), walks(1, 5, 9, -2))
    assert changes(pairs, "tilt").tolist() == [-50.0, 25.0]
    assert changes(distinct_pairs(walks(-1), walks(1)), "tilt").size == 0
    found = compared(walks(-1, 2), walks(1, 1))
    survived = found["survived_before"], found["survived_after"], found["pairs"]
    assert survived == (1.0, 2.0, 1.0)
    assert found["tilt_change"] == -50.0 and found["largest_tilt"] == 1.0


def test_copies_count_once():
    """Walks that are the same in every bit are one walk, whatever was asked for."""
    twice = [*walks(2, 4), *walks(2, 4)]
    assert distinct_walks(twice) == walks(2, 4)
    found = compared(twice, [*walks(1, 1), *walks(1, 1)])
    assert (found["walked"], found["walks"], found["tilt_count"]) == (4.0, 2.0, 2.0)
    other = compared(twice, [*walks(1, 1), *(replace(w, bits=f"b{w.bits}") for w in walks(1, 1))])
    assert other["walks"] == 4.0


def test_an_interval_of_a_median_is_that_of_resampled_medians():
    assert np.isnan(median_interval(np.zeros(0))).all()
    middle, low, high = median_interval(np.array([1.0, 4.0]))
    assert middle == 2.5 and np.isnan(low) and np.isnan(high)  # two values fill no interval
    values = np.random.default_rng(3).normal(10.0, 2.0, 400)
    middle, low, high = median_interval(values)
    # the median of n normal values scatters by 1.2533 s/sqrt(n); 95 % within 1.96 of that
    half = 1.96 * 1.2533 * values.std() / 20
    assert middle == np.median(values)
    assert low < middle < high and (high - low) / 2 == pytest.approx(half, rel=0.3)
    assert median_interval(values) == (middle, low, high)


def test_finished_walks_are_kept(tmp_path, monkeypatch):
    cases, done = [EdgeCase(height=h) for h in (0.09, 0.04)], []

    def walk(case):
        done.append(case)
        return case

    monkeypatch.setattr(edge_store, "walk_over", walk)
    monkeypatch.setattr(edge_store, "measured", lambda case: replace(WALK, tilt=case.height))
    full = Effort(quick=False, folder=tmp_path)
    assert [w.tilt for w in walk_all(full, cases[:1])] == [0.09]
    told = []
    found = walk_all(replace(full, tell=told.append), cases)
    assert [w.tilt for w in found] == [0.09, 0.04] and done == cases and told == [0.5, 1.0]
    walk_all(Effort(quick=True, folder=tmp_path), cases[:1])
    assert len(done) == 3  # a quick run keeps nothing


def test_a_half_written_walk_is_walked_again(tmp_path):
    path, cases = tmp_path / edge_store.STORE, [EdgeCase(height=h) for h in (0.09, 0.04, 0.02)]
    for case in cases[:2]:
        store_walk(path, case, WALK)
    whole = path.read_bytes()
    first = whole.splitlines(keepends=True)[0]
    for length in (1, 40, len(whole) - len(first) - 2):
        path.write_bytes(whole[: len(first) + length])
        assert list(stored_walks(path)) == [digest_of(cases[0])]
        for case in cases[1:]:
            store_walk(path, case, WALK)
        assert list(stored_walks(path)) == [digest_of(case) for case in cases]
    path.write_bytes(whole[:-1])  # only the end of the line is missing
    assert len(stored_walks(path)) == 2
    store_walk(path, cases[2], WALK)
    assert len(stored_walks(path)) == 3


@pytest.mark.parametrize("damage", [b"walks", b"[1]", b'{"key": "a"}', b"\xff\xfe", b"12", b""])
def test_another_damage_of_the_store_is_named(damage, tmp_path):
    path = tmp_path / edge_store.STORE
    store_walk(path, EdgeCase(height=0.04), WALK)
    path.write_bytes(path.read_bytes() + damage + b"\n")
    with pytest.raises(SoleError, match=r"lola_walks\.jsonl, line 2: this is not a walk"):
        stored_walks(path)


def test_springs_are_as_stiff_as_the_sole_and_as_wide_as_the_tread():
    U, size = np.diag([-5.0, -6.0, -1200.0]), np.array([0.2, 0.1])
    points, c = point_springs(U, size)
    found = springs_U(points, c)
    assert found == pytest.approx(np.diag([-(0.1**2), -(0.2**2), -12.0]) * 1200 / 12)
    tilted = springs_U(points[:1], c[:1])  # one spring: T_x = -c y (y roll - x pitch + z)
    (x, y), k = points[0], c[0]
    assert tilted[0] == pytest.approx(-k * y * np.array([y, -x, 1.0]))


def test_springs_over_joint_angles_are_U_over_the_pose():
    found = compare_spaces(Effort()).numbers
    assert found["apart"] < 1e-9
    assert CLAIMS["configuration_model"].verdict(found) == NO_VERDICT
    assert 0.3 < found["pitch"] < 1.5


def test_force_control_takes_the_springs():
    on = feet()
    plan = plan_standing(on.robot, 0.1)
    law = ForceControl(on, plan, choice=ForceChoice(U="points", kappa=2.0))
    springs = springs_U(*point_springs(sole_U(on.soles[0]), np.ptp(on.edges[0], axis=0)))
    assert law.contact.U[0] == pytest.approx(springs / 2.0)
    assert law.contact.inverses(np.ones(0))[0] == pytest.approx(np.linalg.inv(springs / 2.0))


def test_a_walk_is_heard():
    case = EdgeCase(height=0.0)
    stand = Standing(initial=0.1, final=0.1)
    walk = assemble_walk(replace(case.scenario, gait=stand))
    series = listened_walk(walk)
    # after its end the robot is watched on; that does not count
    assert series.times == pytest.approx(1e-3 * np.arange(len(series.times)), abs=1e-9)
    assert 0 <= series.times[-1] - series.run.time[-1] + 5e-3 <= 5e-3 + 1e-9
    assert series.errors.shape == (len(series.times), 2, 3)
    memory = walk.controller.inner.inner.memory
    assert walk.controller.errors[-1] == pytest.approx(memory.error)
    found = measured(series)
    assert not found.fell and np.isnan(found.event) and np.isnan(found.pressed)
    torques = com_torque_errors(series)
    assert found.com_torque_y == pytest.approx(np.sqrt((torques[:, 1] ** 2).mean()))
    assert np.isnan(found.alone)
    assert swings(series.times, series.loads) == []
    # an error of F_z alone turns about the centre of mass by the way to the foot
    run, errors = series.run, np.zeros_like(series.errors)
    errors[:, 0, 2] = 100.0
    forward, aside = (run["foot_position"][:, 0] - run["com"])[:, :2].T
    by_force = com_torque_errors(replace(series, errors=errors))
    assert by_force == pytest.approx(100.0 * np.stack([aside, -forward], axis=1), abs=0.05)
    errors[:, 1, 1], errors[:, 0, 2] = 5.0, 0.0
    assert com_torque_errors(replace(series, errors=errors))[:, 1] == pytest.approx(5.0, rel=1e-4)


def test_a_foot_stands_alone_while_the_other_bears_nothing():
    loads = np.array([[0.5, 0.5], [1.0, 0.0], [0.01, 0.99], [0.0, 0.0]])
    assert stands_alone(loads).tolist() == [False, True, True, False]


def test_a_swing_begins_and_ends_with_its_load():
    """Bumps and the last swing, which does not land, are none."""
    times, loads = 1e-3 * np.arange(2000), np.full((2000, 2), 0.5)
    loads[100:500, 1] = loads[600:1100, 0] = loads[1200:1300, 1] = loads[1500:, 1] = 0.0
    assert swings(times, loads) == [
        (pytest.approx(0.1), pytest.approx(0.5), 1),
        (pytest.approx(0.6), pytest.approx(1.1), 0),
    ]


def test_nothing_is_left_to_build():
    assert not [name for name, claim in CLAIMS.items() if claim.missing]


def test_decays_are_those_of_swings_alone():
    """b_f goes to 0, the motion decays by 1 - K_x T in every period of the swing, then it lands."""
    K_x, T, n = 10.0, 1e-3, 300
    blend, moved = np.ones((500, 2)), np.full((500, 2, 3), 0.02)
    blend[100 : 100 + n, 1] = 0.0
    moved[100 : 100 + n, 1] *= ((1 - K_x * T) ** np.arange(n))[:, None]
    moved[100 : 100 + n, 1, 2] = 1e-6  # too small to say anything
    found = list(decays(blend, moved, K_x, T))
    assert found == [pytest.approx((0.0, (1 - K_x * T) ** (n - 1)), abs=1e-12)] * 2
    moved[250, 1, 0] *= 1.1
    assert max(error for error, _ in decays(blend, moved, K_x, T)) > 0.01
