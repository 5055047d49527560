"""Retiming to the limit of the wrench cone: coefficients, margins, limits, walks, refusals."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from command_line import in_this_process

from contact.wrench_cone import rectangle_margin
from robot.gait import GaitOptions, PlanPath, Timing, plan_walk, robot_walk
from robot.model import load_robot
from robot.retime import ConeChoice, DriveLimits, RetimeChoice, retime
from robot.walk import Scenario, SoleChoice, load_scenario, retime_scenario
from sole.base.errors import ConfigError, SoleError

ROBOT = load_robot("hrp4-like")
ELEVEN = Path(__file__).parents[2] / "examples" / "retiming" / "eleven_postures.toml"
PAPER = ConeChoice(area=0.45, friction=0.4)
X, Y = ROBOT.left.half_size


@pytest.fixture(scope="module")
def path():
    return load_scenario(ELEVEN).gait.path(ROBOT)


@pytest.fixture(scope="module")
def retimed(path):
    return retime(path, PAPER)


def wrenches(plan, frame):
    """Wrench (N, 6) on the left foot by inverse dynamics of the plan, and torques (N, n)."""
    model, data = ROBOT.model, ROBOT.model.createData()
    w, tau = np.empty((len(plan.times), 6)), np.empty((len(plan.times), len(ROBOT.joints)))
    for k in range(len(plan.times)):
        gen = pin.rnea(model, data, plan.q_ref[k], plan.v_ref[k], plan.a_ref[k])
        J = pin.computeFrameJacobian(model, data, plan.q_ref[k], frame, pin.LOCAL)
        w[k] = np.linalg.solve(J[:, :6].T, gen[:6])
        tau[k] = gen[6:] - J[:, 6:].T @ w[k]
    return w, tau


def test_the_motion_stays_in_its_cone_and_always_touches_it(retimed):
    """The margins are those of inverse dynamics of the plan, tick by tick, not of the rows."""
    assert retimed.check.margin > -1e-3
    assert retimed.share_active >= 0.95
    plan = retimed.plan(dt=2e-3)
    w, tau = wrenches(plan, ROBOT.left.frame)
    margin = rectangle_margin(w, 0.45 * X, 0.45 * Y, 0.4 / np.sqrt(2)).value
    inside = slice(2, -2)  # the ends are at rest, with a jump of the acceleration
    assert margin[inside].min() > -1e-3
    assert np.median(margin[inside]) < 5e-3  # active at an end of each interval of 9 ms
    assert np.abs(tau / ROBOT.torque).max() <= retimed.check.torque + 1e-3
    assert plan.end == pytest.approx(retimed.duration, abs=plan.dt)


def test_the_rows_active_in_an_interval_are_met_to_round_off(path, retimed):
    """Every interval but a few has a row within 1e-6 of its limit: proved by the wrenches."""
    s, u, x = retimed.s, retimed.u, retimed.rate**2
    model, data = ROBOT.model, ROBOT.model.createData()
    met = 0
    q, V, W = path.motion(s)
    for i in range(len(u)):
        both = []
        for k in (i, i + 1):
            gen = pin.rnea(model, data, q[k], V[k] * np.sqrt(x[k]), V[k] * u[i] + W[k] * x[k])
            J = pin.computeFrameJacobian(model, data, q[k], ROBOT.left.frame, pin.LOCAL)
            both.append(np.linalg.solve(J[:, :6].T, gen[:6]))
        margin = rectangle_margin(np.array(both), 0.45 * X, 0.45 * Y, 0.4 / np.sqrt(2)).value
        assert margin.min() > -1e-6
        met += margin.min() < 1e-6
    assert met >= 0.95 * len(u)


def test_more_points_keep_the_cone_better_between_them(path):
    """The error between grid points is of second order: four times less for half the spacing."""
    coarse, fine = (-retime(path, PAPER, points=n).check.margin for n in (200, 400))
    assert 0 < fine < coarse / 2.5


def test_without_a_number_of_points_there_are_enough(path, monkeypatch):
    """150 intervals leave the cone by 0.01 between them; the default then takes more."""
    monkeypatch.setattr("robot.retime.retiming.POINTS", 150)
    cone = ConeChoice(area=0.9, friction=0.5, pyramid="outer")
    assert retime(path, cone, points=150).check.margin < -5e-3
    found = retime(path, cone)
    assert found.check.margin >= -1e-3
    assert 150 < len(found.s) - 1 <= 8 * 150 + len(path.kinks)


def test_a_time_law_of_minutes_is_refused(path):
    with pytest.raises(SoleError, match=r"takes .* s, more than 300 s: raise .*'acceleration of"):
        retime(path, PAPER, DriveLimits(acceleration=1e-4), points=100)


def test_a_larger_cone_is_never_slower_and_limits_are_kept(path):
    durations = [
        retime(path, ConeChoice(area=area, friction=0.7), points=200).duration
        for area in (0.45, 0.7, 1.0)
    ]
    assert durations == sorted(durations, reverse=True)
    slow = retime(path, PAPER, DriveLimits(acceleration=1.5), points=400)
    assert slow.duration > retime(path, PAPER, points=400).duration
    a = slow.plan(dt=5e-3).a_ref[2:-2, 6:]
    assert 1.45 < np.abs(a).max() < 1.51
    weak = replace(ROBOT, torque=0.31 * ROBOT.torque)
    gentle = retime(replace(path, robot=weak), ConeChoice(area=1.0), points=400)
    assert 0.99 < gentle.check.torque < 1.003
    assert any("torque of" in word for word in gentle.limiting)


@pytest.fixture(scope="module")
def walk():
    footsteps = robot_walk(ROBOT, 2, 0.15, timing=Timing(single=0.6, initial=1.0, final=1.0))
    return PlanPath(ROBOT, plan_walk(ROBOT, footsteps, GaitOptions(dt=2e-3)))


def test_a_walk_is_retimed_under_the_cones_of_its_feet(walk):
    cone = ConeChoice(area=0.9, friction=0.5)
    fast = retime(walk, cone, DriveLimits(fastest=3.0))
    assert fast.duration < 0.8 * walk.end
    assert fast.check.margin > -2e-3
    assert fast.share_active >= 0.95
    assert (fast.rate <= 3.0 + 1e-9).all()
    plan = fast.plan(dt=2e-3)
    assert plan.schedule.edges[-1] == pytest.approx(fast.duration, abs=plan.dt)
    lifted = plan.feet[:, :, 2, 3] > 1e-3  # a foot in the air carries nothing
    assert not (lifted & plan.supports).any()
    assert plan.q_ref[-1] == pytest.approx(walk.plan.q_ref[-1], abs=1e-9)


@pytest.mark.nightly
def test_the_table_of_a_scenario_scales_after_the_retiming():
    coarse = SoleChoice(rigid=True, thickness=0.002, size=0.06, element="p1")
    scenario = replace(load_scenario(ELEVEN), sole=coarse)
    choice = RetimeChoice(area=0.9, friction=0.5, pyramid="outer", points=200)
    _, one = retime_scenario(replace(scenario, retime=choice))
    _, fast = retime_scenario(replace(scenario, retime=replace(choice, factor=0.9)))
    assert fast.plan.end == pytest.approx(0.9 * one.plan.end, abs=2e-3)
    assert one.plan.end == pytest.approx(1.0 + one.retiming.duration, abs=2e-3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"factor": 0.0}, "factor must be from 0.01 to 100, got 0"),
        ({"factor": 1e3}, "factor must be from 0.01 to 100"),
        ({"area": 0.0}, "area must be above 0 and at most 1"),
        ({"area": 1.1}, "area must be above 0 and at most 1"),
        ({"friction": 0.0}, "friction must be a positive"),
        ({"pyramid": "round"}, "pyramid"),
        ({"acceleration": -1.0}, "acceleration must be positive"),
        ({"points": 3}, "points must be 10 to 100000"),
    ],
)
def test_bad_tables(change, words):
    with pytest.raises((ConfigError, SoleError), match=words):
        Scenario(retime=RetimeChoice(**change))


def test_a_posture_that_cannot_stand_names_its_facet(path):
    gait = load_scenario(ELEVEN).gait
    first = replace(gait.posture[0], com=(0.09, 0.0))
    leaning = replace(gait, posture=(first, *gait.posture[1:])).path(ROBOT)
    with pytest.raises(SoleError, match=r"cannot stand at posture 1.*'tilt about toe'"):
        retime(leaning, PAPER)
    third = replace(gait.posture[2], com=(-0.15, 0.0))
    inside = replace(gait, posture=(*gait.posture[:2], third, *gait.posture[3:])).path(ROBOT)
    with pytest.raises(SoleError, match=r"cannot stand .*posture.* 3.*'tilt about heel'"):
        retime(inside, PAPER)


def test_torque_limits_that_no_timing_meets_name_place_and_joint(path):
    knee = ROBOT.joint("left_knee")
    torque = np.array(ROBOT.torque)
    torque[knee] = 20.0
    weak = replace(path, robot=replace(ROBOT, torque=torque))
    with pytest.raises(SoleError, match=r"no timing meets the torque limits: .*posture.*left_knee"):
        retime(weak, PAPER)


def test_the_command_names_its_picture_and_refuses_what_has_no_effect(
    tmp_path, monkeypatch, capsys
):
    sole = in_this_process(monkeypatch, capsys, "retime")
    code, out, err = sole(ELEVEN, "--reserve", "0.5")
    assert (code, out) == (2, "")
    assert "give --surface sole" in err
    code, out, err = sole(ELEVEN, "-o", tmp_path / "a.nc")
    assert (code, out) == (2, "")
    assert ".png, .pdf, .svg, .html" in err
    picture = tmp_path / "a.pdf"
    code, out, _ = sole(ELEVEN, "--points", "50", "-o", picture, "--json")
    assert (code, json.loads(out)["output"]) == (0, str(picture))
    assert picture.read_bytes().startswith(b"%PDF")
