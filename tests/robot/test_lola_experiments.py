"""LOLA's experiments: their cases, paired differences, the springs in joint space, the claims."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from robot_cases import feet

from contact.papers.foundation import sole_U
from robot.control import ForceChoice, ForceControl, point_springs, springs_U
from robot.gait import Gait, plan_standing
from robot.papers.claims.sygulla_control import SYGULLA_CONTROL_CLAIMS
from robot.papers.experiments import edge_store
from robot.papers.experiments.edge_store import digest_of, store_walk, stored_walks, walk_all
from robot.papers.experiments.feet_in_task_space import decays
from robot.papers.experiments.joint_space_springs import compare_spaces
from robot.papers.experiments.lola_walks import (
    EDGES,
    EdgeCase,
    EdgeWalk,
    ensemble,
    listened_walk,
    measured,
    moved_after,
)
from robot.papers.experiments.obstacle_and_drop import (
    compare_contact_models,
    reproduce_board,
    reproduce_drop,
    walk_without_phase_logic,
)
from robot.papers.experiments.paired_walks import changes, compared, median_interval
from robot.walk import assemble_walk
from sole.base.errors import SoleError
from sole.claims import IN_TREND, REFUTED, REPRODUCED, Effort

CLAIMS = {claim.name: claim for claim in SYGULLA_CONTROL_CLAIMS}
WALK = EdgeWalk(
    fell=False, tilt=2.0, roll=1.0, pitch=2.0, mean_tilt=1.0, torque_x=8.0, torque_y=16.0,
    event=4.0, moved=0.01, landing=1.5, speed=0.4, again=0, gave_up=0,
)  # fmt: skip


def walks(*tilts):
    return [replace(WALK, tilt=abs(tilt), fell=tilt < 0) for tilt in tilts]


def test_edges_make_drops_and_rises():
    down = EdgeCase(height=-0.055, edge=(0.86, -12)).scenario
    assert down.ground == "step:0.055,-0.86,angle_deg=168" and down.start.z == 0.055
    up = EdgeCase(height=0.09, edge=(0.8, 12), phase_logic=False).scenario
    assert up.ground == "step:0.09,0.8,angle_deg=12" and up.start.z == 0.0
    assert up.gait.lift == 0.12 and not up.plan.follows and down.plan.follows
    assert EdgeCase(height=0.0).scenario.ground == "plane"


def test_a_full_ensemble_has_thirty_distinct_walks():
    full = [EdgeCase(height=0.09, **place).scenario for place in ensemble(False)]
    assert len(full) == len({repr(s) for s in full}) == 30
    assert len({place["edge"] for place in ensemble(False)}) == len(EDGES) == 5
    assert len(list(ensemble(True))) == 2


def test_changes_are_those_of_pairs_that_both_survive():
    assert changes(walks(2, 4, -1, 5), walks(1, 5, 9, -2), "tilt").tolist() == [-50.0, 25.0]
    assert changes(walks(-1), walks(1), "tilt").size == 0
    found = compared(walks(-1, 2), walks(1, 1))
    assert (found["more_survive"], found["survived_share"], found["pairs"]) == (1.0, 100.0, 1.0)
    assert found["tilt_change"] == -50.0 and found["largest_tilt"] == 1.0


def test_an_interval_of_a_median_is_that_of_resampled_medians():
    assert np.isnan(median_interval(np.zeros(0))).all()
    assert median_interval(np.array([1.0, 4.0])) == (2.5, 1.0, 4.0)
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
    with pytest.raises(SoleError, match=r"lola_walks\.jsonl, line 2: this is no walk"):
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
    assert CLAIMS["configuration_model"].verdict(found) == REPRODUCED
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
    stand = Gait(kind="stand", initial=0.1, final=0.1)
    walk = assemble_walk(replace(case.scenario, gait=stand))
    series = listened_walk(walk)
    # after its end the robot is watched on; that does not count
    assert series.times == pytest.approx(1e-3 * np.arange(len(series.times)), abs=1e-9)
    assert 0 <= series.times[-1] - series.run.time[-1] + 5e-3 <= 5e-3 + 1e-9
    assert series.errors.shape == (len(series.times), 2, 3)
    memory = walk.controller.inner.inner.memory
    assert walk.controller.errors[-1] == pytest.approx(memory.error)
    found = measured(series)
    assert not found.fell and np.isnan(found.event) and np.isnan(found.moved)
    total = series.errors.sum(axis=1)
    assert found.torque_y == pytest.approx(np.sqrt((total[:, 1] ** 2).mean()))
    here = series.run["foot_position"][0, 1]
    event = {"kind": "early", "time": 0.0, "place": tuple(here)}
    assert moved_after(series.run, [event]) < 1e-3
    end = float(series.run.time[-1])
    assert moved_after(series.run, [{**event, "time": end}]) == 0.0
    assert np.isnan(moved_after(series.run, [{**event, "time": end + 1e-3}]))  # not recorded


@pytest.mark.parametrize(
    ("experiment", "names"),
    [
        (reproduce_board, ("phase_reset", "fig6")),
        (reproduce_drop, ("fig7",)),
        (walk_without_phase_logic, ("com_dynamics",)),
        (compare_contact_models, ("obstacle_4_cm", "same_on_flat_ground")),
    ],
)
def test_findings_and_claims_fit_together(experiment, names, monkeypatch):
    def all_better(case):  # with g_a or U of the sole everything is 40 % less
        law = case.force
        share = 0.6 if law.g_a == 0.5 and law.U == "whole" else 1.0
        return replace(WALK, tilt=2 * share, mean_tilt=share, torque_x=0.8 * share, torque_y=share)

    monkeypatch.setattr(edge_store, "walk_over", lambda case: case)
    monkeypatch.setattr(edge_store, "measured", all_better)
    found = experiment(Effort(quick=False))
    for name in names:
        claim = CLAIMS[name]
        assert claim.experiment.at.endswith(experiment.__name__)
        assert claim.told(found.numbers)
        assert claim.verdict(found.numbers) in (REPRODUCED, IN_TREND, REFUTED)
    if "fig7" in names:
        assert found.numbers["pairs"] == 30
        assert CLAIMS["fig7"].verdict(found.numbers) == REPRODUCED
        worse = {**found.numbers, "tilt_high": 5.0}
        assert CLAIMS["fig7"].verdict(worse) == REFUTED


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


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("task_space_control", {"force_error": 6.0}),
        ("task_space_control", {"pitch_error": 6.0}),
        ("blending", {"decay_error": 1e-3}),
        ("blending", {"left": 6.0}),
    ],
)
def test_feet_in_task_space_are_judged(name, wrong):
    numbers = {
        "fell": 0.0, "force_error": 1.3, "roll_error": 1.4, "pitch_error": 2.3, "roll_torque": 0.5,
        "pitch_torque": 1.7, "asked_roll": 1.4, "asked_pitch": 2.8, "swings": 16.0,
        "decay_error": 1e-15, "left": 0.2,
    }  # fmt: skip
    assert CLAIMS[name].verdict(numbers) == REPRODUCED and CLAIMS[name].told(numbers)
    assert CLAIMS[name].verdict(numbers | wrong) == REFUTED
