"""Whole walks: scenario in, run out; what falls says so."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from command_line import refused_in
from robot_cases import noisy_bits, run_of

from robot.gait import Standing, Walking
from robot.measures import metrics, verdict
from robot.measures.fall import SHARE, STEEPEST
from robot.model import load_robot
from robot.scenario_options import PadSize
from robot.scenery import FreeBox, Touch
from robot.sensing import Noise
from robot.simulator import Command
from robot.walk import (
    ControlChoice,
    PushPlan,
    Scenario,
    SoleChoice,
    Stopwatch,
    assemble_walk,
    load_scenario,
    pad_of,
    replace_values,
)
from robot.walk.scenario_tables import Sensing
from sole.base.errors import ConfigError, SoleError

SHORT = Scenario(
    sole=SoleChoice(young=3e6, size=0.06, element="p1"),
    gait=Walking(steps=2, forward=0.1, initial=1.0, final=0.8, single=0.6),
    tolerance=1e-5,
    settle=0.1,
)


@pytest.fixture(scope="module")
def walked():
    return run_of(SHORT)


def test_a_short_walk_arrives_where_it_was_planned(walked):
    run, made = walked
    found = metrics(run)
    assert found["fell"].value is False
    assert found["missed"].value == 0
    # Feet end where the plan has them: a sole that creeps or a stance that slips would not.
    for foot in range(2):
        planned = made.plan.at(made.plan.end).feet[foot, :2, 3]
        assert run["foot_position"][-1, foot, :2] == pytest.approx(planned, abs=2e-3)
    assert found["waist tilt"].value < np.deg2rad(1.0)
    assert "stands" in verdict(run)
    weight = 9.81 * made.feet.robot.mass
    standing = run["wrench_world"][-200:, :, 2].sum(axis=1)
    assert standing.mean() == pytest.approx(weight, rel=1e-3)


STAND = replace(SHORT, gait=Standing(initial=0.2, final=0.3))


@pytest.fixture(scope="module")
def assembled():
    return assemble_walk(STAND)


@pytest.fixture
def standing(assembled):
    """A walk that nobody has run, with a controller of its own."""
    return replace(assembled, controller=deepcopy(assembled.controller))


def test_the_same_scenario_gives_the_same_bits_and_another_seed_does_not():
    noisy = replace(
        STAND,
        sensing=Sensing(kind="noisy"),
        push=(PushPlan(force=(0.0, 60.0, 0.0), start=0.1),),
    )
    first, again, other = (run_of(replace(noisy, seed=seed))[0] for seed in (3, 3, 4))
    for name in ("q", "v", "torque", "body_wrench"):
        assert np.array_equal(first[name], again[name]), name
    assert not np.array_equal(first["q"], other["q"])


def test_another_process_gives_the_same_bits():
    program = "import sys; sys.path.append(sys.argv[1]); import robot_cases; "
    call = [sys.executable, "-c", program + "print(robot_cases.noisy_bits())"]
    tests = Path(__file__).parents[1]
    done = subprocess.run([*call, str(tests)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == noisy_bits()


def test_standing_on_noisy_sensors_stays_upright_and_knows_where_it_is():
    run, made = run_of(replace(STAND, sensing=Sensing(kind="noisy")))
    assert metrics(run)["fell"].value is False
    true, known = run["q"][-1], made.estimator.q
    # Tilt: twice the deviation of the accelerometer bias over g and of the gyro bias over its gain.
    assert 2 * np.linalg.norm(known[3:7] - true[3:7]) < 2 * (0.02 / 9.81 + 1e-3 / 0.5)
    assert np.abs(known[:3] - true[:3]).max() < 5e-3


def test_a_push_that_is_too_hard_makes_it_fall_and_says_so():
    standing = replace(
        SHORT,
        gait=Standing(initial=0.5, final=1.3),
        push=(PushPlan(force=(400.0, 0.0, 0.0), start=0.2, duration=0.2),),
    )
    run, _ = run_of(standing)
    found = metrics(run)
    assert found["fell"].value is True
    assert 0.3 < found["fell at"].value < 2.0
    assert verdict(run).startswith("fell at")


def test_it_stands_on_its_soles_before_the_run_begins():
    made = assemble_walk(replace(STAND, settle=0.5))
    (step, _), *_ = ((step, command) for step, command in made.steps())
    weight = 9.81 * made.feet.robot.mass
    assert made.start.time == 0.0
    assert step.wrenches[:, 2].sum() == pytest.approx(weight, rel=0.02)
    assert np.abs(step.acceleration).max() < 0.5
    unsettled = assemble_walk(replace(STAND, settle=0.0))
    (first, _), *_ = ((step, command) for step, command in unsettled.steps())
    assert np.abs(first.acceleration).max() > 5.0


def test_a_run_ends_when_the_waist_is_low_over_the_lower_tread_or_tilted():
    made = assemble_walk(replace(STAND, settle=0.0))
    (step, _) = next(made.steps())
    height = made.waist_height

    def fallen(share, ground=0.0, tilt=0.0):
        """Return the judgement on a step whose waist is at `share` of its height."""
        q, places = step.state.q.copy(), step.start.places + np.array([0.0, 0.0, ground])
        tread = places[0, 2] - made.feet.thicknesses[0]
        q[2], q[3:7] = tread + share * height, [np.sin(tilt / 2), 0.0, 0.0, np.cos(tilt / 2)]
        there = replace(step.start, places=places)
        return made.fallen(replace(step, state=replace(step.state, q=q), start=there))

    assert not fallen(SHARE + 1e-3)
    assert fallen(SHARE - 1e-3)
    assert not fallen(SHARE + 1e-3, -1.0)  # after a flight of stairs
    assert fallen(SHARE - 1e-3, 1.0)
    assert fallen(np.nan)
    assert not fallen(1.0, tilt=STEEPEST - 1e-6)
    assert fallen(1.0, tilt=-STEEPEST - 1e-6)
    assert fallen(1.0, tilt=np.nan)


class Own:
    """A user's controller: another's, with a period of its own and what it gives changed."""

    def __init__(self, inner, period=1e-3, changed=lambda command, t: command):
        self.inner, self.period, self.changed, self.calls = inner, period, changed, []

    def update(self, sensed, t):
        self.calls.append((t, sensed))
        return self.changed(self.inner.update(sensed, t), t)


def with_one(array, value):
    return [value if j == 3 else x for j, x in enumerate(array)]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (lambda c: None, "update must return a robot.simulator.Command, got NoneType"),
        (
            lambda c: replace(c, positions=with_one(c.positions, np.nan)),
            "positions of joint head_pitch is nan, expected a number of rad within 1e",
        ),
        (
            lambda c: replace(c, velocities=with_one(c.velocities, "fast")),
            "velocities of joint head_pitch is fast",
        ),
        (
            lambda c: replace(c, torques=with_one(c.torques, 1e300)),
            r"torques of joint head_pitch is 1e\+300",
        ),
        (lambda c: replace(c, positions=[[1.0], [2.0, 3.0]]), "positions"),
        (
            lambda c: replace(c, positions=c.positions[:-1]),
            r"positions have shape \(29,\), expected \(30,\), one for each joint from chest_",
        ),
    ],
)
def test_what_is_no_command_is_told_with_its_joint(standing, changed, told):
    made = replace(standing, controller=Own(standing.controller))
    made.controller.changed = lambda c, t: changed(c) if t > 0.01 else c
    with pytest.raises(SoleError, match=told):
        for _ in made.steps():
            pass


def test_a_controller_may_give_lists_and_large_numbers(standing):
    made = replace(standing, controller=Own(standing.controller))
    made.controller.changed = lambda c, t: replace(
        c, positions=list(c.positions), torques=with_one(c.torques, 9e5)
    )
    for step, command in made.steps():
        assert isinstance(command.positions, np.ndarray)
        assert np.isfinite(step.state.q).all()
        if step.state.time > 0.02:
            break


def test_a_controller_is_called_at_its_own_period(standing):
    own = Own(standing.controller, period=5e-3)
    made = replace(standing, controller=own)
    last = [step.state for step, _ in made.steps()]
    np.testing.assert_allclose([t for t, _ in own.calls], np.arange(100) * 5e-3, atol=1e-12)
    for k, (_, sensed) in enumerate(own.calls[1:], start=1):
        assert sensed.q is last[5 * k - 1].q  # of this very moment
    for period in (1.5e-3, 5e-4):
        with pytest.raises(SoleError, match=r"Own: period .* must be a multiple of dt 0.001 s"):
            next(replace(standing, controller=Own(None, period=period)).steps())
    for period in (None, -1.0, np.inf, "1"):
        with pytest.raises(SoleError, match="period between calls must be a positive number"):
            next(replace(standing, controller=Own(None, period=period)).steps())


@pytest.mark.parametrize("kind", ["true", "noisy"])
def test_the_wrenches_a_controller_sees_are_those_of_its_feet(kind):
    """Not those of a box and of the hand on it, which come behind them."""
    box = FreeBox(name="crate", size=(0.3, 0.3, 0.3), mass=20.0, place=(1.0, 0.0, 0.15))
    touch = Touch(frame="left_hand", against="crate")
    made = assemble_walk(
        replace(STAND, sensing=Sensing(kind=kind), duration=0.1, box=(box,), touch=(touch,))
    )
    made.controller = Own(made.controller)
    steps = [step for step, _ in made.steps()]
    assert len(steps[0].wrenches) == 4
    for (_, sensed), step in zip(made.controller.calls[1:], steps, strict=False):
        noise = 60.0 if kind == "noisy" else 1e-9
        np.testing.assert_allclose(sensed.wrenches[:, 2], step.wrenches[:2, 2], atol=noise)
        assert sensed.q.shape == (37,)


def test_sensors_keep_their_period_whatever_that_of_the_controller():
    made = assemble_walk(replace(STAND, sensing=Sensing(kind="noisy"), settle=0.0, duration=0.02))
    before = made.sensors.count
    made.controller = Own(made.controller, period=5e-3)
    assert len(list(made.steps())) == 20
    assert made.sensors.count - before == 20


@pytest.mark.parametrize("kind", ["true", "noisy"])
def test_a_walk_may_be_run_again_with_the_same_bits(kind):
    made = assemble_walk(replace(STAND, sensing=Sensing(kind=kind), duration=0.05))

    def bits():
        return [(s.state.q, s.state.v, c.positions) for s, c in made.steps()]

    first, again = bits(), bits()
    np.testing.assert_array_equal(np.hstack(first[-1]), np.hstack(again[-1]))
    made.controller = Own(made.controller)
    last = bits()
    assert len(made.controller.calls) == 50
    np.testing.assert_array_equal(np.hstack(first[-1]), np.hstack(last[-1]))
    np.testing.assert_array_equal(np.hstack(first[-1]), np.hstack(bits()[-1]))
    assert len(made.controller.calls) == 50


def test_a_run_before_it_settles_changes_nothing():
    def bits(runs):
        made = assemble_walk(replace(STAND, sensing=Sensing(kind="noisy"), duration=0.03))
        for _ in range(runs):
            list(made.steps())
        made.settle(0.02)
        count = made.sensors.count
        *_, (last, _) = made.steps()
        assert made.sensors.count == count + 30  # it goes on from where it settled
        return last.state.q

    np.testing.assert_array_equal(bits(0), bits(1))


def test_a_walk_that_cannot_be_run_again_says_so(standing):
    made = replace(standing, controller=Own(standing.controller))
    made.controller.held = (x for x in ())  # a generator cannot be copied
    next(made.steps())
    with pytest.raises(SoleError, match=r"Own cannot be copied, .* assemble_walk again"):
        next(made.steps())


@pytest.mark.parametrize(
    ("start", "duration"), [(0.1, 0.1), (0.1003, 0.0005), (0.10043, 0.0523), (0.05, 0.0015)]
)
def test_a_push_ends_and_its_impulse_is_exact(standing, start, duration):
    made = standing
    made.scenario = replace(
        made.scenario, push=(PushPlan(force=(0.0, 8.0, 0.0), start=start, duration=duration),)
    )
    dt, impulse, times = made.scenario.dt, 0.0, []
    for k in range(400):
        for push in made._pushes(replace(made.start, time=k * dt), dt):
            impulse += dt * push.wrench[1]
            times.append(k * dt)
    assert impulse == pytest.approx(8.0 * duration, rel=1e-6)
    assert start - dt < times[0]
    assert times[-1] < start + duration


def test_momentum_takes_up_what_a_short_push_gives(standing):
    """The robot flies: nothing else pushes it sideways."""
    made = standing
    push = PushPlan(force=(0.0, 4000.0, 0.0), start=0.0103, duration=5e-4)
    q = made.start.q.copy()
    q[2] += 0.5
    made.start = made.simulator.at(q)
    made.scenario = replace(made.scenario, push=(push,), duration=0.02)
    *_, (step, _) = made.steps()
    robot = made.feet.robot
    momentum = pin.computeCentroidalMomentum(
        robot.model, robot.model.createData(), step.state.q, step.state.v
    )
    assert momentum.linear[1] == pytest.approx(4000.0 * 5e-4, rel=1e-3)


def test_a_push_after_the_end_is_refused():
    late = (PushPlan(force=(0.0, 10.0, 0.0), start=0.5),)
    with pytest.raises(ConfigError, match=r"push 1 starts at 0.5 s, the run ends at 0.5 s: push"):
        assemble_walk(replace(STAND, push=late, settle=0.0))


def test_between_two_commands_the_joints_are_asked_for_the_line_between_them():
    """Not for steps, whose lead would depend on dt: held, they would be off by up to 0.75 ms."""

    class Straight:
        period = 1e-3

        def update(self, sensed, t):
            n = len(sensed.q) - 7
            return Command(
                positions=np.full(n, 0.1 * (t + self.period)), velocities=np.full(n, 0.1)
            )

    made = assemble_walk(replace(STAND, dt=2.5e-4, duration=5e-3, settle=0.0))
    made.controller = Straight()
    for step, command in made.steps():
        np.testing.assert_allclose(command.positions, 0.1 * step.state.time, atol=1e-15)


def test_scenarios_come_from_toml_and_unknown_keys_are_refused(tmp_path):
    path = tmp_path / "walk.toml"
    path.write_text(
        'schema = "robot.scenario/1"\nrobot = "hrp2-like"\nground = "step:0.005"\n'
        "[sole]\nyoung = 1e6\n[gait]\nsteps = 4\n[[push]]\nforce = [10, 0, 0]\nstart = 1.0\n"
        '[sensing]\nkind = "noisy"\n[sensing.noise]\ngyro = 0.01\n'
    )
    scenario = load_scenario(path)
    assert scenario.sole.young == 1e6
    assert scenario.push[0].force == (10, 0, 0)
    assert scenario.sensing.noise.gyro == 0.01
    path.write_text('schema = "robot.scenario/1"\n[gait]\nstep = 4\n')
    with pytest.raises(ConfigError, match=r"gait\.step"):
        load_scenario(path)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (
            lambda: ControlChoice(period=1.5e-3) and Scenario(control=ControlChoice(period=1.5e-3)),
            "multiple",
        ),
        (lambda: Scenario(dt=-1.0), "dt must be positive"),
        (lambda: Scenario(dt=0.03), r"at most 0\.02 s, got 0\.03 s: a walk needs 1e-3 s"),
        (lambda: Scenario(dt=0.02), "period 0.001 s must be a multiple of dt 0.02 s"),
        (lambda: Walking(steps=0), "steps must be 1 to 1000"),
        (lambda: SoleChoice(thickness=0.0), "thickness"),
        (lambda: SoleChoice(right_file="r.npz"), "needs file"),
        (lambda: Noise(gyro=-1.0), "gyro"),
        (lambda: Sensing(kind="x"), "true, noisy"),
        (lambda: Scenario(sensing=Sensing(kind="noisy"), seed=-3), "seed"),
        (lambda: ControlChoice(kd=-1.0), "kd"),
        (lambda: PushPlan(force=(1, 0, 0), start=0.0, duration=0.0), "duration"),
        (lambda: PushPlan(force=(1, 0, 0), start=-0.1), r"start must not be negative, got -0\.1 s"),
        (lambda: Scenario(duration=1e-4), r"at least one step of dt = 0\.001 s, got 0\.0001 s"),
    ],
)
def test_bad_scenarios_are_refused(make, reason):
    with pytest.raises(ConfigError, match=reason):
        make()


def test_options_replace_values_of_a_scenario():
    changed = replace_values(SHORT, robot=None, dt=5e-4, sole={"young": 1e6, "poisson": None})
    assert changed.sole.young == 1e6
    assert changed.sole.size == SHORT.sole.size
    assert changed.dt == 5e-4
    assert changed.robot == "hrp2-like"


def test_the_command_writes_a_run_and_says_whether_it_fell(sole_here, tmp_path):
    scenario = tmp_path / "stand.toml"
    scenario.write_text(
        'schema = "robot.scenario/1"\n[sole]\nsize = 0.06\nelement = "p1"\n'
        '[gait]\nkind = "stand"\ninitial = 0.2\nfinal = 0.2\n'
    )
    done = sole_here("walk", scenario, "-o", tmp_path / "run.nc", "--young", "1e6", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["fell"] is False
    assert said["rows"] == 400
    assert (tmp_path / "run.nc").stat().st_size > 10_000
    told = sole_here("info", tmp_path / "run.nc")
    assert told.returncode == 0
    assert re.search(r"robot\s+│\s+hrp2-like", told.stdout)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--robot", "nobody"], "nobody"),
        (["-o", "run.csv"], ".nc"),
        (["--controller", "best"], "stabiliser, force, sole-aware, pd"),
        (["--rigid", "--controller", "sole-aware"], "needs soles that yield"),
        (["--ground", "bump:0.01,0.1,1.0,0.0", "--controller", "sole-aware"], "flat ground only"),
        (["--kind", "jump"], "walk, stand, squat, balance"),
        (["--dt", "2e-3", "--period", "3e-3"], "period 0.003 s must be a multiple of dt 0.002 s"),
        pytest.param(["--forward", "0.9"], "step 1", marks=pytest.mark.nightly),
        (["--young", "-1"], "Young"),
        (["missing.toml"], "no such file"),
    ],
)
def test_bad_options_are_one_line(sole_here, arguments, reason):
    done = sole_here("walk", *arguments)
    assert done.returncode == 2
    assert reason in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--robot", "hrp2-lik"], "there are hrp2-like, .*; did you mean 'hrp2-like'"),
        (["--robot", "mine.urdf"], "mine.urdf: no such file"),
        (["--ground", "gravl"], "unknown ground 'gravl'; .*; did you mean 'gravel'"),
        (["--ground", "gravel:cont=9"], "gravel takes count, .*; did you mean 'count'"),
        (["--ground", "yard.toml"], "yard.toml: no such file"),
        (["six_step.toml"], "six_step.toml: no such file; did you mean 'six_steps.toml'"),
        (["six_steps.toml"], "pat.npz: no such file; did you mean 'pad.npz'"),
    ],
)
def test_misspelt_names_are_refused_before_anything_is_prepared(
    arguments, told, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr("sole.base.compiled.prepare", None)  # a call would be another error
    (tmp_path / "six_steps.toml").write_text(
        'schema = "robot.scenario/1"\n[sole]\nfile = "pat.npz"\n'
    )
    (tmp_path / "pad.npz").touch()
    refused_in(tmp_path, monkeypatch, capsys)(told, "walk", *arguments)


def test_the_real_time_factor_is_of_the_steps(monkeypatch):
    """Ten steps of 1 ms in 4 ms by the clock on the wall and 2 ms of the processor."""
    wall, processor, heard = [5.0], [1.0], []
    monkeypatch.setattr("robot.walk.speed.perf_counter", lambda: wall[0])
    monkeypatch.setattr("robot.walk.speed.process_time", lambda: processor[0])
    watch = Stopwatch(heard.append)
    assert watch.factors() == {}
    for k in range(10):
        wall[0], processor[0] = wall[0] + 4e-4, processor[0] + 2e-4
        watch((k + 1) * 1e-3)
    wall[0] += 1.0  # measured, written: not simulated
    told = watch.factors()
    # Of 1e-2 s in sums near 5 and 1, whose round-off is 1e-15: 1e-12 of 4e-3.
    assert told["real-time factor"].value == pytest.approx(2.5, rel=1e-11)
    assert told["real-time factor processor"].value == pytest.approx(5.0, rel=1e-11)
    assert heard[-1] == pytest.approx(0.01)


def test_the_help_says_how_many_nodes_a_size_gives(tmp_path, monkeypatch, capsys):
    told = re.findall(r"(0\.\d+) gives (\d+)", PadSize.__metadata__[0].help)
    assert len(told) == 3
    for size, nodes in told:
        mesh = pad_of(SoleChoice(size=float(size)), load_robot("hrp2-like"))
        assert len(np.unique(mesh.tread)) == int(nodes)
    (tmp_path / "own.toml").write_text('schema = "robot.scenario/1"\n[sole]\nfile = "pad.npz"\n')
    (tmp_path / "pad.npz").write_text("not read")
    check = refused_in(tmp_path, monkeypatch, capsys)
    (tmp_path / "four.toml").write_text(
        'schema = "robot.scenario/1"\n[contact]\nkind = "penalty"\npoints = "corners"\n'
    )
    for command in (("walk",), ("live", "walk")):
        check("these soles come from pad.npz", *command, "own.toml", "--size-tread", "12mm")
        check("points = 'corners' has no mesh", *command, "four.toml", "--size-tread", "12mm")


def test_a_scenario_beside_the_run_that_cannot_be_written_is_refused(tmp_path, monkeypatch, capsys):
    (tmp_path / "run.toml").mkdir()
    check = refused_in(tmp_path, monkeypatch, capsys)
    check("cannot write run.toml: it is a folder", "live", "walk", "-o", "run.nc")


def test_a_walk_is_told_in_five_lines_and_in_full_with_v(sole_here, tmp_path):
    """Numbers as in --json; the warning on dt is part of the fifth line."""
    short = ["--stand", "--duration", "0.01", "--rigid"]
    lines = sole_here("walk", *short, "-o", tmp_path / "run.nc").stdout.splitlines()
    assert len(lines) == 5 and lines[0].startswith("hrp2-like: stayed in place in 0.01 s")
    told = json.loads(sole_here("walk", *short, "--json").stdout)
    assert lines[1].split() == ["hardest", "landing", "none"]
    assert float(lines[2].split()[2]) == pytest.approx(np.degrees(told["waist_tilt"]), rel=6e-3)
    assert float(lines[3].split()[2]) == pytest.approx(100 * told["wrench_margin"], rel=6e-3)
    assert re.search(r" \(simulated at [\d.e+-]+ x real time by wall clock\)$", lines[0])
    assert told["real_time_factor"] > 0 and told["real_time_factor_processor"] > 0
    assert lines[4].startswith("next: `sole view ") and "--converge" in lines[4]
    assert "run.nc --film run.html`" in lines[4]  # not the page of another run
    full = sole_here("walk", *short, "-v").stdout
    for margin in ("slips, tilts or turns", "its landing does not", "compliant sole really has"):
        assert margin in re.sub(r"\s*│\s*│\s*│\s*│\s*│\s*", " ", full.replace("\n", ""))


@pytest.mark.parametrize(
    ("option", "told"),
    [
        (["--com-height", "0.95m"], "lower com_height or take shorter steps (--com-height"),
        (["--lift", "0"], "lift"),
        (["--thickness", "0mm"], "thickness"),
        (["--friction", "-1"], "friction must be finite and not negative"),
    ],
)
def test_height_lift_thickness_and_friction_are_options(sole_here, option, told):
    """A robot of 58 kg cannot hold its centre of mass at 0.95 m; nothing swings at no height."""
    done = sole_here("walk", "--footsteps", "1", *option)
    assert done.returncode == 2
    assert told in done.stderr
