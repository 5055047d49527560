"""Ends of walks: who topples or flies when the run ends did not survive it."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from command_line import in_this_process

from robot.gait import Squatting, Standing, Walking
from robot.measures import at_rest, fall_in, losing_balance, metrics, sign_in, verdict
from robot.measures.fall import SHARE
from robot.run import load_run, save_run
from robot.simulator import Simulator
from robot.studies.columns import measure_run, number_columns
from robot.walk import (
    ControlChoice,
    PushPlan,
    RecordingOptions,
    Scenario,
    SoleChoice,
    assemble_walk,
    execute,
)
from robot.walk.aftermath import LONGEST, judge_end
from sole.base.errors import ConvergenceError

DT = 4e-3
STAND = Scenario(
    sole=SoleChoice(young=3e6, size=0.06, element="p1"),
    gait=Standing(initial=0.3, final=0.3),
    control=ControlChoice(kind="pd", period=DT),
    dt=DT,
    tolerance=1e-5,
    settle=0.1,
)
AHEAD = PushPlan(force=(500.0, 0.0, 0.0), start=0.05)
UP = PushPlan(force=(0.0, 0.0, 3000.0), start=0.05)


@pytest.fixture(scope="module")
def toppling():
    """Pushed ahead by 50 N s, a second before it is down."""
    return execute(assemble_walk(replace(STAND, push=(AHEAD,))), RecordingOptions()).run


def test_who_topples_at_the_end_fell(toppling):
    assert toppling.finished
    assert not sign_in(toppling).fell  # nothing is seen yet
    assert np.rad2deg(toppling["waist_tilt"][-1]) < 45
    fall = fall_in(toppling)
    assert fall.fell
    assert toppling.time[-1] < fall.time < toppling.time[-1] + 1.5
    longer = execute(
        assemble_walk(replace(STAND, push=(AHEAD,), duration=3.0)), RecordingOptions()
    ).run
    assert fall == fall_in(longer)  # it is the fall of the run that goes on
    assert longer.header["ended"] == "the robot fell"


def test_a_walk_on_weak_servos_that_tilts_by_43_deg_at_its_end_fell():
    """No sign yet, and 45 deg are 20 ms away."""
    scenario = Scenario(
        sole=STAND.sole,
        gait=Walking(initial=0.6),
        control=ControlChoice(kind="pd", kp=5000.0, kd=100.0, period=2e-3),
        dt=2e-3,
        tolerance=1e-5,
        settle=0.2,
    )
    walk = assemble_walk(scenario)
    sign = next(step.state.time for step, _ in walk.steps() if walk.fallen(step))
    walk.scenario = replace(scenario, duration=sign - 0.02)
    run = execute(walk, RecordingOptions()).run
    assert 40 < np.rad2deg(run["waist_tilt"][-1]) < 45
    assert not sign_in(run).fell
    assert "the waist was tilting at" in losing_balance(run)
    assert fall_in(run).time == pytest.approx(sign)
    assert f"fell at {sign:.2f} s, 0.02 s after the end" in verdict(run)


def test_all_that_speak_of_a_fall_agree(toppling, tmp_path, monkeypatch, capsys):
    found, row = metrics(toppling), number_columns(measure_run(toppling))
    fall = fall_in(toppling)
    assert toppling.header["fall"] == fall._asdict()
    assert (found["fell"].value, found["fell at"].value) == (True, fall.time)
    assert (row["fell"], row["fell_at"]) == (1.0, fall.time)
    assert verdict(toppling).startswith(f"fell at {fall.time:.2f} s")
    save_run(tmp_path / "run.nc", toppling)
    assert fall_in(load_run(tmp_path / "run.nc")) == fall
    code, out, _ = in_this_process(monkeypatch, capsys)("info", tmp_path / "run.nc", "--json")
    told = json.loads(out)
    assert (code, told["fell"], told["fell_at"]) == (0, True, fall.time)
    assert told["verdict"] == verdict(toppling)


def test_an_older_file_is_judged_by_its_last_rows(toppling):
    """Without what the walk found: the capture point is far ahead of the toes."""
    header = {k: v for k, v in toppling.header.items() if k not in ("fall", "waist_height")}
    old = replace(toppling, header=header)
    assert "outside the feet" in losing_balance(old)
    assert fall_in(old).time == old.time[-1]
    assert "outside the feet at the end), after it had" in verdict(old)


def test_who_flies_at_the_end_does_not_stand():
    """With 3 kN for 0.1 s it leaps by 0.9 m, lands and falls."""
    run = execute(assemble_walk(replace(STAND, push=(UP,), duration=0.5)), RecordingOptions()).run
    assert not run["body_wrench"][-1].any()
    assert run["waist_position"][-1, 2] > run["waist_position"][0, 2] + 0.3
    assert not sign_in(run).fell
    assert fall_in(run).fell
    assert losing_balance(run) == "in the air at the end"


def test_who_is_never_seen_to_rest_did_not_survive(toppling):
    """All steps that there are pass without a sign and without rest: the last rows decide."""
    walk = assemble_walk(replace(STAND, push=(AHEAD,)))
    steps = list(walk.steps(beyond=0.3))[len(toppling) :]
    assert not any(walk.fallen(step) for step, _ in steps)
    fall = judge_end(walk, toppling, steps)
    assert fall.time == pytest.approx(toppling.time[-1] + 0.3)
    assert "outside the feet at the end" in fall.reason
    assert judge_end(walk, toppling, ()).fell


def count_steps(monkeypatch) -> list[int]:
    """Count steps of simulators from now on."""
    made, before = [], Simulator.step

    def step(self, *args):
        made.append(1)
        return before(self, *args)

    monkeypatch.setattr(Simulator, "step", step)
    return made


def test_who_rests_at_the_end_stands_at_no_cost(monkeypatch):
    walk = assemble_walk(STAND)
    made = count_steps(monkeypatch)
    run = execute(walk, RecordingOptions()).run
    assert at_rest(run)
    assert verdict(run) == "stayed in place in 0.60 s and stands"
    assert len(made) == len(run) == 150


@pytest.fixture(scope="module")
def resting():
    """A robot that stands."""
    return execute(assemble_walk(STAND), RecordingOptions()).run


def shifted(run, name, rows, value):
    """Return the run with something added to the last `rows` of a series."""
    series = np.array(run[name])
    series[-rows:] += value
    return replace(run, series={**run.series, name: series})


@pytest.mark.parametrize(
    ("name", "rows", "value"),
    [
        ("com_velocity", 10, [0.01, 0, 0]),  # slow, but it speeds up
        ("v", 200, [0, 0, 0, 0, 0.1] + 6 * [0]),
        ("waist_tilt", 200, np.deg2rad(20)),
        ("dcm", 200, [0.3, 0]),  # beyond the toes
    ],
)
def test_who_rests_is_slow_upright_and_inside_its_support(resting, name, rows, value):
    assert at_rest(resting)
    width = np.shape(resting[name])[1:]
    value = np.resize(value, width) if name != "v" else np.r_[value, np.zeros(width[0])][: width[0]]
    assert not at_rest(shifted(resting, name, min(rows, len(resting)), value))


def test_who_slows_down_does_not_rest_yet(resting):
    series = np.array(resting["com_velocity"])
    series[:, 0] += np.linspace(0.1, 0.05, len(series))
    assert not at_rest(replace(resting, series={**resting.series, "com_velocity": series}))


def test_who_sways_at_the_end_is_watched_until_it_rests(monkeypatch):
    walk = assemble_walk(
        replace(STAND, push=(replace(AHEAD, force=(100.0, 0.0, 0.0), start=0.45),))
    )
    made = count_steps(monkeypatch)
    run = execute(walk, RecordingOptions()).run
    assert not at_rest(run)
    assert fall_in(run) == (False, None, "")
    assert 150 < len(made) < 150 + LONGEST / DT


def test_a_step_of_a_walk_is_no_fall():
    """It ends on one foot, with the capture point outside it, as planned."""
    gait = Walking(steps=1, forward=0.1, single=0.6, initial=0.5, final=0.8)
    walk = assemble_walk(replace(STAND, gait=gait, duration=1.4))
    run = execute(walk, RecordingOptions()).run
    assert (run["wrench_world"][-1, :, 2] > 0).sum() == 1
    assert not at_rest(run)
    assert not fall_in(run).fell


def test_a_deep_squat_is_no_fall():
    """It takes the waist below the share of its first height at which a walk would be over."""
    gait = Squatting(depth=0.25, cycles=1, period=2.0, initial=0.3, final=0.5)
    walk = assemble_walk(replace(STAND, gait=gait, control=ControlChoice(period=DT)))
    first = walk.plan.q_ref[0, 2] - walk.plan.feet[0, :, 2, 3].min() + walk.feet.thicknesses[0]
    run = execute(walk, RecordingOptions()).run
    assert run["waist_position"][:, 2].min() < SHARE * first
    assert not fall_in(run).fell


def test_a_simulation_that_cannot_go_on_is_a_fall(monkeypatch):
    walk = assemble_walk(replace(STAND, push=(AHEAD,)))
    made = count_steps(monkeypatch)
    before = Simulator.step

    def step(self, *args):
        if len(made) >= 160:
            raise ConvergenceError("contact forces are not finite")
        return before(self, *args)

    monkeypatch.setattr(Simulator, "step", step)
    run, error = execute(walk, RecordingOptions())
    assert error is None
    assert fall_in(run).reason == "the simulation could not continue: contact forces are not finite"


def test_an_interrupt_after_the_end_keeps_the_whole_run(monkeypatch):
    """Its last rows then tell whether it stands."""
    walk = assemble_walk(replace(STAND, push=(AHEAD,)))
    made = count_steps(monkeypatch)
    before = Simulator.step

    def step(self, *args):
        if len(made) == 160:
            signal.raise_signal(signal.SIGINT)
        return before(self, *args)

    monkeypatch.setattr(Simulator, "step", step)
    run, error = execute(walk, RecordingOptions())
    assert isinstance(error, KeyboardInterrupt)
    assert run.finished
    assert len(made) == 161
    assert fall_in(run).time == run.time[-1]


@pytest.mark.nightly
def test_the_ends_of_the_benchmark_are_judged_right(root: Path, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "benchmarks"))
    import fall_verdicts

    monkeypatch.setattr(fall_verdicts, "REAL", 2.0)
    found = list(fall_verdicts.endings(4, seed=9, per_run=2))
    assert [e.fell_at is None for e in found] == [False, False, True, True]
    assert [e.wrong(0) for e in found] == 4 * [False]
    assert [e.wrong(2) for e in found] == [True, True, False, False]  # signs alone do not see them
