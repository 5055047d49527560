"""Metrics of signals whose answer is known."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_robot import drop, simulator

from contact.frames import rotation_of
from robot.measures import (
    CUTOFF,
    FELL,
    MARGINS,
    SOLE_MARGIN,
    fall_in,
    judge_convergence,
    judge_tables,
    landings_of,
    low_pass,
    metrics,
    touchdowns_of,
    verdict,
)
from robot.measures.convergence import richardson
from robot.measures.fall import LOW, SHARE, TILTED, TOUCHED, first_sign
from robot.measures.feet import foot_margins
from robot.measures.landings import flights, stances, touchdowns
from robot.recorder.balance_points import (
    center_of_pressure,
    divergent_component,
    roll_pitch_yaw,
    tilt,
    zero_moment_point,
)
from robot.recorder.body_kinematics import classical_acceleration, quaternions
from robot.run import CHANNELS, SOLVED, Channel, Run, Skeleton, TreadNodes
from robot.summaries.walk_lines import walk_lines
from sole.base.errors import ConfigError, SoleError
from sole.base.report import Quantity, plain

DT, COUNT = 1e-3, 1000
TIME = DT * np.arange(1, COUNT + 1)
X, Y, DEPTH = 0.12, 0.07, 0.02  # half length, half width, thickness of the sole
WEIGHT = 500.0
SHAPES = {"foot": 2, "body": 3, "xyz": 3, "xy": 2, "rpy": 3, "wrench": 6, "motion": 6, "joint": 2}
SHAPES |= {"quaternion": 4, "position": 9, "velocity": 8}


def made(
    header: dict[str, Any] | None = None, extras: dict[str, Channel] | None = None, **given: Any
) -> Run:
    """Return a run at rest with two feet and a hand, each series zero unless given."""
    series: dict[str, Any] = {}
    for name, channel in CHANNELS.items():
        series[name] = np.zeros((COUNT, *(SHAPES[d] for d in channel.dims)))
    series["time"] = TIME.copy()
    series["waist_position"][:, 2] = 0.7
    series["foot_rotation"][..., 3] = 1.0
    series["foot_position"][..., 2] = DEPTH
    for name in ("saturated", "solved"):
        series[name] = np.full(series[name].shape, name == "solved")
    series["cop"][:] = np.nan
    series["wrench_world"][:, :, 2] = series["body_wrench"][:, :2, 2] = WEIGHT / 2
    series |= given
    pad = np.array([[x, y, -DEPTH] for x in (-X, X) for y in (-Y, Y)])
    faces = np.array([[0, 1, 2], [1, 3, 2]])
    treads = tuple(
        TreadNodes(name=name, points=pad, faces=faces, areas=np.full(4, X * Y), foot=foot)
        for name, foot in (("left", 0), ("right", 1), ("hand", -1))
    )
    eye = np.eye(4)
    skeleton = Skeleton(
        names=("base",), parents=np.array([-1]), coordinates=np.array([7]), first=np.array([0]),
        placements=eye[None], axes=np.zeros((1, 6)), frames=np.zeros(3, np.int64),
        frame_placements=np.tile(eye, (3, 1, 1)),
    )  # fmt: skip
    told = {"robot": "made", "joints": ["a", "b"], "feet": ["left", "right"], "mass": 50.0}
    told |= {"gravity": 10.0, "omega": 3.5, "dt": DT, "every": 1, "ended": "finished"}
    told |= {"tolerance": 1e-6, "ground": "plane", "scenario": {}}
    return Run(
        series=series,
        skeleton=skeleton,
        treads=treads,
        header=told | (header or {}),
        extras=extras or {},
    )


def value(run: Run, name: str, **options: Any) -> Any:
    return metrics(run, **options)[name].value


# --- the filter


def gain(frequency, dt):
    """Return the factor on a sine of `frequency` [Hz], as `low_pass` states it."""
    ratio = np.tan(np.pi * frequency * dt) / np.tan(np.pi * CUTOFF * dt)
    return 1 / (1 + (np.sqrt(2) - 1) * ratio**4)


@settings(max_examples=40)
@given(st.floats(2.0, 400.0), st.floats(0.0, 6.0))
def test_a_sine_keeps_its_phase_and_gets_the_stated_gain(frequency, phase):
    """Away from the ends, where the odd extension is not a sine: 60 ms, 14 decay times."""
    x = np.sin(2 * np.pi * frequency * TIME + phase)
    y = low_pass(x, DT)
    assert np.abs(y - gain(frequency, DT) * x)[150:-150].max() < 2e-6


def test_the_gain_is_half_the_power_at_the_cutoff():
    assert gain(100.0, DT) == pytest.approx(1 / math.sqrt(2), rel=1e-14)
    assert gain(0.0, DT) == 1.0
    assert gain(10.0, DT) > 0.99995


@pytest.mark.parametrize("shape", [(1,), (7,), (60, 2, 3), (900, 3)])
@pytest.mark.parametrize("dt", [2.5e-4, 1e-3, 4e-3])
def test_the_filter_is_that_of_scipy(shape, dt):
    from scipy.signal import butter, sosfiltfilt

    x = np.random.default_rng(5).normal(size=shape).cumsum(axis=0)
    warped = math.tan(math.pi * CUTOFF * dt) / (math.sqrt(2) - 1) ** 0.25
    sections = butter(2, 2 * math.atan(warped) / math.pi, output="sos")
    pad = min(len(x) - 1, math.ceil(3 / (CUTOFF * dt)) + 9)
    expected = sosfiltfilt(sections, x, axis=0, padlen=pad)
    # Round-off, amplified by 1/(1 + a1 + a2), below 200 here.
    np.testing.assert_allclose(low_pass(x, dt), expected, atol=1e-13 * np.abs(x).max())


def test_an_impulse_becomes_the_known_pulse():
    """H = 1/(1 + (w/w0)^4) has the impulse response w0/(2 sqrt 2) at t = 0; here dt is short."""
    dt, n = 1e-5, 20001
    a = np.zeros(n)
    a[n // 2] = 1.0 / dt  # a change of velocity of 1 m/s in one step
    y = low_pass(a, dt)
    w0 = 2 * np.pi * 100.0 / (math.sqrt(2) - 1) ** 0.25
    assert y.max() == pytest.approx(w0 / (2 * math.sqrt(2)), rel=1e-4)
    assert dt * y.sum() == pytest.approx(1.0, rel=1e-11)  # round-off / (2 pi f dt)^2
    np.testing.assert_allclose(y, y[::-1], atol=1e-9 * y.max())


def test_what_cannot_be_filtered_is_refused():
    with pytest.raises(ConfigError, match="needs steps shorter than 5 ms, got 6 ms"):
        low_pass(np.zeros(100), 6e-3)
    with pytest.raises(SoleError, match="finite"):
        low_pass(np.array([1.0, np.nan]), DT)
    np.testing.assert_allclose(low_pass(np.full(5, 3.0), DT), 3.0)


def test_peaks_raw_and_low_passed():
    foot, waist = np.zeros((COUNT, 2, 3)), np.zeros((COUNT, 3))
    foot[:, 1, 2] = 7.0 * np.sin(2 * np.pi * 125.0 * TIME)
    waist[:, 0] = 3.0 * np.sin(2 * np.pi * 10.0 * TIME)
    run = made(foot_acceleration=foot, waist_acceleration=waist)
    assert value(run, "foot acceleration") == pytest.approx(7.0, rel=1e-12)
    filtered = value(run, "foot acceleration 100 Hz", after=0.2)
    assert filtered == pytest.approx(7.0 * float(gain(125.0, DT)), rel=0.1)  # the end's extension
    assert value(run, "waist acceleration 100 Hz") == pytest.approx(3.0, rel=1e-3)


def test_a_landing_leaves_out_what_a_swing_asks_for():
    foot, wrench = np.zeros((COUNT, 2, 3)), np.zeros((COUNT, 2, 6))
    row = COUNT // 2
    wrench[row:, 0, 2], wrench[:, 1, 2] = 300.0, 300.0
    foot[row - 50, 0, 0] = 9.0  # in the air
    foot[row + 5, 0, 2] = 4.0
    foot[row + 200, 0, 2] = 6.0  # long after
    run = made(foot_acceleration=foot, wrench_world=wrench)
    assert value(run, "landings") == 0  # it touches where it was: no swing
    assert value(run, "landing acceleration") == 4.0
    assert value(run, "foot acceleration") == 9.0
    still = made(foot_acceleration=foot)
    assert metrics(still)["landing acceleration"].value is None


def test_a_run_without_all_steps_has_no_peaks():
    thin = metrics(made({"every": 2}))
    for name in ("foot acceleration", "waist acceleration 100 Hz", "impact force", "landings"):
        assert thin[name].value is None
    assert thin["fell"].value is False
    with pytest.raises(SoleError, match="every=1"):
        touchdowns_of(made({"every": 2}))


# --- points, angles, motion


@given(
    st.tuples(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5)),
    st.tuples(st.floats(-50, 50), st.floats(-50, 50), st.floats(1, 900)),
    st.floats(-0.3, 0.3),
)
def test_a_force_at_a_point_has_its_centre_there(place, force, height):
    p, f = np.array([*place, height]), np.array(force)
    w = np.concatenate([f, np.cross(p, f)])
    np.testing.assert_allclose(center_of_pressure(w, height), place, atol=1e-12 * (1 + 900))
    assert np.isnan(center_of_pressure(-w, height)).all()


def test_the_zmp_lies_between_the_feet_by_their_load():
    places = np.array([[[0.1, 0.1, 0.0], [0.3, -0.1, 0.15]]])  # the right foot on a stair
    forces = np.array([[[5.0, 0.0, 100.0], [-5.0, 0.0, 300.0]]])
    origins = places + np.array([0.02, 0.01, 0.1])
    w = np.concatenate([forces, np.cross(places - origins, forces)], axis=-1)
    zmp = zero_moment_point(w, origins, places)
    assert zmp[0, 2] == pytest.approx((100 * 0.0 + 300 * 0.15) / 400)
    whole = np.cross(places - zmp[0], forces).sum(axis=1)[0]
    np.testing.assert_allclose(whole[:2], 0.0, atol=1e-12)  # no moment along the ground there
    level = zero_moment_point(w * [0, 0, 1, 1, 1, 1], origins, places * [1, 1, 0])
    assert np.isnan(zero_moment_point(-w, origins, places)).all()
    assert level.shape == (1, 3)


def test_dcm_and_angles():
    com, v = np.array([[0.1, 0.2, 0.8]]), np.array([[0.35, -0.7, 9.0]])
    np.testing.assert_allclose(divergent_component(com, v, 3.5), [[0.2, 0.0]], atol=1e-15)
    a, b, c = 0.3, -0.4, 2.0
    R = rotation_of([0, 0, c]) @ rotation_of([0, b, 0]) @ rotation_of([a, 0, 0])
    np.testing.assert_allclose(roll_pitch_yaw(R), [a, b, c], atol=1e-14)
    assert tilt(R) == pytest.approx(math.acos(math.cos(a) * math.cos(b)), rel=1e-12)
    assert tilt(rotation_of([1e-9, 0, 0])) == pytest.approx(1e-9, rel=1e-6)


def test_a_point_on_a_turning_body_accelerates_inwards():
    """On a circle of radius r at constant speed: omega^2 r, though v is constant in own axes."""
    omega, r = 2.0, 0.3
    R = np.array([rotation_of([0, 0, omega * t]) for t in TIME[:50]])
    v = np.tile([0.0, omega * r, 0.0, 0.0, 0.0, omega], (50, 1))
    a = classical_acceleration(R, v, np.zeros((50, 6)))
    np.testing.assert_allclose(a, -(omega**2) * r * R[:, :, 0], atol=1e-12)


def test_inclination_of_a_rolling_waist():
    rpy = np.zeros((COUNT, 3))
    rpy[:, 0] = 0.2 * np.sin(2 * np.pi * 5 * TIME)  # whole periods
    rpy[:, 1] = -0.05
    run = made(waist_rpy=rpy, waist_tilt=np.abs(rpy[:, 0]))
    assert value(run, "waist roll") == pytest.approx(0.2, rel=1e-12)
    assert value(run, "waist roll RMS") == pytest.approx(0.2 / math.sqrt(2), rel=1e-12)
    assert value(run, "waist pitch") == 0.05
    assert value(run, "waist pitch RMS") == pytest.approx(0.05, rel=1e-12)
    assert value(run, "waist tilt") == pytest.approx(0.2, rel=1e-12)


# --- steps and impacts


def walking(force: np.ndarray) -> dict[str, np.ndarray]:
    """Return wrenches of the left foot with vertical `force` (T,) at its centre."""
    w = np.zeros((COUNT, 2, 6))
    w[:, 0, 2] = force
    body = np.zeros((COUNT, 3, 6))
    body[:, :2] = w
    cop = np.full((COUNT, 2, 2), np.nan)
    cop[force > 0, 0] = 0.0
    return {"wrench_world": w, "wrench_foot": w.copy(), "body_wrench": body, "cop": cop}


def test_stances_join_rebounds_and_leave_out_brushes():
    load = np.full(COUNT, 1e-7 * WEIGHT)  # what a solver leaves
    load[100:300] = 400
    load[110:190] = 0  # 80 ms: a rebound
    load[450:460] = 0.2 * WEIGHT  # 1 N s in mid-swing: a brush
    load[600:700] = 400
    load[650:660] = 1e-6 * WEIGHT
    assert stances(load, DT, WEIGHT) == [(100, 300), (600, 700)]
    assert flights(stances(load, DT, WEIGHT), COUNT) == [(300, 600), (700, 1000)]
    load[190:200] = 0.0  # 90 ms
    assert stances(load, DT, WEIGHT)[0] == (100, 300)
    load[200:220] = 0.0  # 110 ms
    assert stances(load, DT, WEIGHT)[:2] == [(100, 110), (220, 300)]
    assert stances(np.full(100, 400.0), DT, WEIGHT) == [(0, 100)]
    assert stances(np.zeros(10), DT, WEIGHT) == []


def bouncing(dt: float) -> np.ndarray:
    """Return the load (T,) of a rigid touch-down: each bounce one step, as high as 1/dt."""
    load = np.zeros(round(1.0 / dt))
    for at, impulse in ((0.3, 0.004), (0.31, 0.9), (0.345, 0.2), (0.36, 0.02)):
        load[round(at / dt)] = impulse / dt
    load[round(0.4 / dt) :] = WEIGHT
    load[round(0.8 / dt) :] = 0.0
    load[round(0.9 / dt)] = 2.0 / dt  # the run ends before it stands: no landing of a walk
    return load


@pytest.mark.parametrize("dt", [2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4])
def test_bounces_of_a_touch_down_are_one_touchdown_whatever_dt(dt):
    """Peaks of 2 to 32 N, 450 to 7200 N, ...: any level of force is met by another bounce."""
    load, time = bouncing(dt), dt * np.arange(1, round(1.0 / dt) + 1)
    standing = stances(load, dt, WEIGHT)
    (landing,) = touchdowns(0, standing, time, load, np.full(len(load), -0.1), 0 * load, dt)
    assert landing.time == pytest.approx(0.3 + dt, abs=1e-9)
    assert landing.impulse == pytest.approx(0.904, rel=1e-9)  # two bounces are in its 20 ms
    assert landing.speed == pytest.approx(0.1)
    assert standing[0].end == round(0.8 / dt)


def test_impact_of_a_half_sine():
    """Peak F, impulse 2 F T/pi; the sum over steps is exact to (pi dt/T)^2/12."""
    F, T = 900.0, 0.016
    load = np.zeros(COUNT)
    inside = (TIME > 0.3) & (TIME < 0.3 + T)
    load[inside] = F * np.sin(np.pi * (TIME[inside] - 0.3) / T)
    loss = np.where(TIME > 0.31, 2.5, 0.0)
    speed = np.zeros((COUNT, 2, 3))
    speed[:, 0, 2] = -0.4
    run = made(**walking(load), viscous_loss=loss, foot_velocity=speed)
    (landing,) = touchdowns_of(run)
    assert landing.foot == 0
    assert landing.time == pytest.approx(0.301, abs=1e-9)
    assert landing.force == pytest.approx(F, rel=1e-6)  # a row is at the peak
    assert landing.impulse == pytest.approx(2 * F * T / np.pi, rel=4e-3)
    assert landing.lost == pytest.approx(2.5)
    assert landing.speed == pytest.approx(0.4)
    table = metrics(run)
    assert table["impact forces"].value == [pytest.approx(F)]
    assert table["impact loss"].value == pytest.approx(2.5)
    assert value(run, "impact forces", after=0.5) == []
    assert value(run, "impact force", after=0.5) is None


def test_a_landing_begins_with_the_first_touch_and_ends_before_the_weight_comes():
    """A touch of 0.1 % for 10 ms, a rebound, then weight from 25 ms on: the impact is the touch."""
    load = np.zeros(COUNT)
    load[300:310] = 1e-3 * WEIGHT
    load[320:] = np.clip(np.arange(COUNT - 320) - 5, 0.0, WEIGHT)
    speed = np.zeros((COUNT, 2, 3))
    speed[299, 0, 2] = -0.3
    (landing,) = touchdowns_of(made(**walking(load), foot_velocity=speed))
    assert landing.row == 300
    assert landing.force == pytest.approx(1e-3 * WEIGHT)
    assert landing.impulse == pytest.approx(1e-3 * WEIGHT * 0.01)
    assert landing.speed == pytest.approx(0.3)


def test_work_of_contact_counts_as_lost():
    load = np.where(TIME > 0.5, 300.0, 0.0)
    work = np.where(TIME > 0.51, -1.0, 0.0)
    run = made(**walking(load), friction_work=work, push_work=2 * work)
    assert value(run, "impact loss") == pytest.approx(3.0)
    assert "negative" not in metrics(run)["impact loss"].remark
    gain = metrics(made(**walking(load), friction_work=-work))["impact loss"]
    assert gain.value == pytest.approx(-1.0)
    assert "negative: the contact law created energy" in gain.remark


def test_what_a_penalty_law_has_not_is_not_recorded():
    run = made(slip=np.full((COUNT, 3), 0.5))
    run = replace(run, series={n: a for n, a in run.series.items() if n not in SOLVED})
    table = metrics(run)
    for name in ("slip", "contact residual", "missed", "iterations"):
        assert table[name].value is None
        assert table[name].remark == "not recorded: a penalty law has no contact solver"
    assert not run.missed.any()
    assert "missed" not in verdict(run)


def test_a_stance_from_the_start_is_no_touchdown():
    assert (
        touchdowns(0, stances(np.full(9, 400.0), DT, WEIGHT), TIME[:9], *3 * [np.zeros(9)], DT)
        == []
    )


def stepping(*, rise: float, weak: float = 1.0) -> Run:
    """Return a run: the left foot swings from row 100 to 400, then bounces by `rise` for 0.2 s.

    `weak` : share of the weight that it carries before the bounce.
    """
    load, place = np.full(COUNT, WEIGHT), np.zeros((COUNT, 2, 3))
    load[100:400] = load[500:700] = 0.0
    load[400:500] *= weak
    place[100:400, 0, 2] = 0.05 * np.sin(np.pi * np.linspace(0, 1, 300))
    place[500:700, 0, 2] = rise * np.sin(np.pi * np.linspace(0, 1, 200))
    return made(**walking(load), foot_position=place)


def test_a_landing_is_a_foot_that_carries_after_a_swing():
    """A foot that its impact throws up by 5 mm has touched twice and landed once."""
    run = stepping(rise=0.005)
    assert [touch.row for touch in touchdowns_of(run)] == [400, 700]
    assert [landing.row for landing in landings_of(run)] == [400]
    found = metrics(run)
    assert found["landings"].value == 1
    assert found["landings"].remark.endswith("; without a swing 1 more touched down")
    assert len(found["impact forces"].value) == 2
    assert "with 1 landing in" in verdict(run)
    assert value(run, "landings", after=0.5) == 0
    assert len(landings_of(stepping(rise=0.02))) == 2  # another step
    scuffed = stepping(rise=0.005, weak=0.2)  # it touches, and carries where it bounces to
    assert [landing.row for landing in landings_of(scuffed)] == [700]


def test_a_first_contact_is_no_landing_unless_the_foot_came_from_the_air():
    load = np.full(COUNT, WEIGHT)
    load[:150] = 0.0
    for height, count in ((0.002, 0), (0.1, 1)):
        place = np.zeros((COUNT, 2, 3))
        place[:150, 0, 2] = height * np.linspace(1, 0, 150)
        assert len(landings_of(made(**walking(load), foot_position=place))) == count
    assert verdict(made(**walking(load))) == "stayed in place in 1.00 s and stands"


@pytest.mark.parametrize("eta", [0.0, 0.2])
def test_what_stays_bent_is_what_an_unloaded_sole_has_left(eta):
    """d exp(-t/eta) in the last row without load; pressed again, by however little, it is more.

    Without viscosity nothing stays.
    """
    load = np.where((TIME > 0.1) & (TIME <= 0.4), WEIGHT, 0.0)
    up, down = int(np.argmax(TIME > 0.4)), 900
    load[down:] = 1e-6 * WEIGHT  # below what counts as a touch
    load[950:] = WEIGHT
    bent = np.zeros((COUNT, 3))
    bent[:up, 0] = bent[down:, 0] = 2e-3
    if eta:
        bent[up:down, 0] = 2e-3 * np.exp(-(TIME[up:down] - 0.4) / eta)
    run = made(**walking(load), sole_displacement=bent)
    left = 2e-3 * math.exp(-(TIME[down - 1] - 0.4) / eta) if eta else 0.0
    assert value(run, "residual displacement") == pytest.approx(left, rel=1e-12)
    assert value(run, "sole displacement") == 2e-3
    assert value(made(), "residual displacement") is None


# --- feet


def test_cop_excursion_and_distance_to_the_edge():
    given = walking(np.full(COUNT, WEIGHT))
    given["cop"][:, 0, 0] = 0.05 * np.sin(2 * np.pi * TIME)
    given["cop"][:, 0, 1] = 0.03
    given["wrench_world"][:, 1, 2] = 1.0  # hardly loaded: does not count
    given["cop"][:, 1] = 10.0
    run = made(**given)
    assert value(run, "CoP excursion x") == pytest.approx(0.1, rel=1e-5)
    assert value(run, "CoP excursion y") == 0.0
    assert value(run, "CoP to edge") == pytest.approx(Y - 0.03)


def test_margin_of_a_rectangle():
    tread = TreadNodes(
        name="left", points=np.array([[x, y, -DEPTH] for x in (-X, X) for y in (-Y, Y)]),
        faces=np.zeros((0, 3)), areas=np.zeros(4), friction=0.7,
    )  # fmt: skip
    at = np.array([0.0, 0.0, -DEPTH])
    centre = [0.0, 0.0, WEIGHT, 0.0, 0.0, 0.0]
    edge = [0.0, 0.0, WEIGHT, Y * WEIGHT, 0.0, 0.0]
    half = [0.0, 0.0, WEIGHT, 0.5 * Y * WEIGHT, 0.0, 0.0]
    slide = np.array([0.7 / math.sqrt(2) * WEIGHT, 0.0, WEIGHT])
    sliding = [*slide, *np.cross(at, slide)]
    light = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    margin, word = foot_margins(np.array([centre, edge, half, sliding, light]), [tread], 10.0)
    np.testing.assert_allclose(margin[:4], [1.0, 0.0, 0.5, 0.0], atol=1e-12)
    assert np.isnan(margin[4])
    assert "left" in word(1)
    assert "slide" in word(3)


def test_the_margin_of_a_foot_is_about_the_centre_of_its_treads():
    """Two treads 30 mm ahead of the origin and beside it: a force at their centre has margin 1."""
    x0, y0 = 0.03, -0.015
    halves = [
        TreadNodes(
            name=name, points=np.array([[x, y0 + y, -DEPTH] for x in ends for y in (-Y, Y)]),
            faces=np.zeros((0, 3)), areas=np.zeros(4), friction=0.7,
        )
        for name, ends in (("heel", (x0 - X, x0)), ("toe", (x0 + 0.01, x0 + X)))
    ]  # fmt: skip
    force = np.array([0.0, 0.0, WEIGHT])
    places = [[x0, y0], [x0 + X, y0], [x0, y0 - Y / 2], [0.0, 0.0]]
    wrenches = np.array([[*force, *np.cross([*place, -DEPTH], force)] for place in places])
    margin, word = foot_margins(wrenches, halves, 10.0)
    np.testing.assert_allclose(margin, [1.0, 0.0, 0.5, 1 - max(x0 / X, -y0 / Y)], atol=1e-12)
    assert word(1) == "tilt about toe"


def test_the_least_margin_of_a_run_says_where():
    given = walking(np.full(COUNT, WEIGHT))
    given["wrench_foot"][499, 0, 3] = 0.75 * Y * WEIGHT
    found = metrics(made(**given))["wrench margin"]
    assert found.value == pytest.approx(0.25)
    assert "left, at 0.5 s: tilt" in found.remark
    assert value(made(), "wrench margin") is None


@pytest.mark.parametrize(
    ("arm", "told"),
    [(1.69, " none to spare (-69 %); landings count; left, at 0.131 s: tilt about "),
     (3.0, " none to spare (below -100 %); landings count; left, at 0.131 s: tilt about "),
     (1.0001, " 0 % of the load to spare; landings count; left, at 0.131 s: tilt about "),
     (0.494, " 50.6 % of the load to spare; landings count; left, at 0.131 s: tilt about ")],
)  # fmt: skip
def test_the_line_of_a_walk_names_its_margin_and_counts_landings(arm, told):
    """30 ms after its touch the foot is at its worst: the margin while it stands is 1."""
    load = np.zeros(COUNT)
    load[100:300] = WEIGHT
    given = walking(load)
    given["wrench_foot"][130, 0, 3] = arm * Y * WEIGHT
    run = made(**given)
    assert value(run, "stance margin") == pytest.approx(1)
    line = " ".join(walk_lines(run)[3].split())
    assert line.startswith(f"wrench margin{told}")
    assert line.endswith("; in stance 100 %")
    assert walk_lines(made())[3].split() == "wrench margin unknown: no foot is loaded".split()


@pytest.mark.parametrize(("push", "told"), [(20.0, True), (0.0, False)])
def test_the_line_of_the_hardest_landing_tells_of_a_harder_bump(push, told):
    """0.3 s after the landing, twice as hard; without a force on the foot it is a swing."""
    load = np.zeros(COUNT)
    load[100:300] = load[500:] = WEIGHT
    given = walking(load)
    given["wrench_world"][400:450, 0, 0] = push
    bumps = np.zeros((COUNT, 2, 3))
    bumps[100:150, :, 2], bumps[400:450, 0, 0] = 30.0, 60.0
    given["foot_acceleration"] = bumps
    line = walk_lines(made(**given))[1]
    assert line.split()[2].startswith("31")
    assert (
        re.search(r"; outside landings 62\.\d m/s\^2 at 0\.4\d+ s, when a foot hit", line)
        is not None
    ) == told
    given["foot_acceleration"] = np.minimum(bumps, 30.0)
    assert "hit" not in walk_lines(made(**given))[1]


@pytest.mark.parametrize(("kind", "told"), [("walk", True), ("stand", False)])
def test_a_walk_that_ends_before_its_first_landing_says_so(kind, told):
    scenario = {"scenario": {"gait": {"kind": kind}}}
    line = walk_lines(made(scenario, **walking(np.full(COUNT, WEIGHT))))[1]
    assert line.split()[:2] == ["hardest", "landing"] and line.split()[2].startswith("none")
    assert ("before a foot lands: give a longer --duration" in line) == told


def test_a_foot_without_margin_in_stance_is_told():
    given = walking(np.full(COUNT, WEIGHT))
    given["wrench_foot"][499, 0, 3] = 1.2 * Y * WEIGHT
    assert walk_lines(made(**given))[3].endswith("in stance none (-20 %)")


def test_a_verdict_says_when_a_sole_was_crushed():
    given = walking(np.full(COUNT, WEIGHT))
    moved = np.zeros_like(made(**given)["sole_displacement"])
    moved[299, 0] = 0.9 * made(**given).treads[0].thickness
    told = walk_lines(made(**given, sole_displacement=moved))[0]
    assert "at 0.3 s: deformation 0.9 of the thickness" in told


@pytest.mark.parametrize(("row", "counts"), [(130, False), (149, False), (152, True), (320, False)])
def test_a_foot_stands_when_it_has_carried_weight_for_a_while(row, counts):
    load = np.full(COUNT, 0.2 * WEIGHT)
    load[100:300] = 0.4 * WEIGHT  # 1 ms a row
    given = walking(load)
    given["wrench_foot"][row, 0, 3] = 2 * Y * load[row]
    found = metrics(made(**given))
    assert found["wrench margin"].value == pytest.approx(-1)
    assert (found["stance margin"].value < 0) is counts
    assert value(made(**walking(np.full(COUNT, 0.2 * WEIGHT))), "stance margin") is None


def test_slip_counts_from_where_it_was_asked_for():
    slip = np.zeros((COUNT, 3))
    slip[:, 1] = 0.01 * TIME
    slip[:, 2] = 99.0  # the hand is no foot
    assert value(made(slip=slip), "slip") == pytest.approx(0.01 * (1.0 - DT))
    assert value(made(slip=slip), "slip", after=0.5) == pytest.approx(0.005, rel=1e-2)


def test_tracking_errors_name_the_worst_joint():
    q = np.zeros((COUNT, 9))
    q[:, 8] = 0.01
    q[10, 8] = -0.02
    table = metrics(made(q=q))
    assert table["joint error"].value == pytest.approx(0.02)
    assert table["joint error"].remark == "largest, b"
    squares = 0.01**2 * (COUNT - 1) + 0.02**2
    assert table["joint error RMS"].value == pytest.approx(math.sqrt(squares / (2 * COUNT)))


@pytest.mark.parametrize(("point", "label"), [("com", "CoM"), ("zmp", "ZMP")])
def test_errors_of_com_and_zmp_against_their_references(point, label):
    """On a circle of radius r about the reference, and once 2 r away; flight has no ZMP."""
    r, phase = 0.01, 2 * np.pi * 5 * TIME
    wanted = np.zeros((COUNT, 2))
    place = np.zeros((COUNT, 3))
    place[:, :2] = wanted + r * np.stack([np.cos(phase), np.sin(phase)], axis=1)
    place[7, :2] = [0.0, 2 * r]
    place[-1] = np.nan
    name = f"{point}_reference"
    channel = {name: Channel(("xy",), "m", "where the plan has it")}
    table = metrics(made(extras=channel, **{point: place, name: wanted}))
    assert table[f"{label} error"].value == pytest.approx(2 * r)
    mean = (r**2 * (COUNT - 2) + (2 * r) ** 2) / (COUNT - 1)
    assert table[f"{label} error RMS"].value == pytest.approx(math.sqrt(mean))


def test_the_least_margin_of_a_sole_counts_under_load_where_it_was_recorded():
    margin = np.full((COUNT, 3, 2), np.nan)
    margin[::10] = 0.9
    margin[500, 0] = [0.4, 0.3]
    margin[600, 1] = [-0.1, 0.2]  # the right foot hardly touches
    margin[700, 2] = [-0.2, -0.3]  # the hand is no foot
    given = walking(np.full(COUNT, WEIGHT))
    given["body_wrench"][:, 1, 2], given["body_wrench"][:, 2, 2] = 0.04 * WEIGHT, 0.5 * WEIGHT
    run = made(**given, extras={SOLE_MARGIN: MARGINS}, sole_margin=margin)
    found = metrics(run)["sole margin"]
    assert found.value == 0.3
    assert found.remark == "smallest; left, at 0.501 s: tilts first"
    assert metrics(run, after=0.6)["sole margin"].value == 0.9


def test_contact_that_missed_its_tolerance_is_told_in_table_and_verdict():
    """Also where a solver content with less called it solved."""
    residual, solved = np.full(COUNT, 1e-7), np.full(COUNT, True)
    residual[3], residual[5], solved[9] = 2e-6, 1.1e-6, False
    run = made(residual=residual, solved=solved)
    assert value(run, "missed") == 3
    assert value(run, "contact residual") == 2e-6
    assert "tolerance 1e-06 in 3 of 1000 rows, with residuals up to 2e-06" in verdict(run)
    assert verdict(made()) == "stayed in place in 1.00 s and stands"


# --- falls


def test_a_sign_of_a_fall_is_seen_by_height_tilt_or_touch():
    whole, none = np.full(COUNT, 1.0), np.zeros(COUNT)
    assert first_sign(TIME, whole, SHARE, none, none) == (False, None, "")
    low = np.where(TIME > 0.5, 0.699, 1.0)
    assert first_sign(TIME, low, SHARE, none, none) == (True, TIME[500], LOW)
    tilted = np.where(TIME > 0.3, math.radians(46), 0.0)
    assert first_sign(TIME, low, SHARE, tilted, none) == (True, TIME[300], TILTED)
    touched = np.where(TIME > 0.9, 1.0, 0.0)
    assert first_sign(TIME, whole, SHARE, none, touched) == (True, TIME[900], TOUCHED)
    assert first_sign(TIME, np.where(TIME > 0.2, np.nan, 1.0), SHARE, none, none).fell


def test_a_hand_may_touch_if_it_is_a_support():
    force = np.zeros((COUNT, 3, 6))
    force[:, :2, 2] = WEIGHT / 2
    force[600:, 2, 0] = 5.0
    run = made(body_wrench=force)
    assert fall_in(run).time == pytest.approx(0.601)
    assert not fall_in(run, supports=["hand"]).fell
    told = json.loads(json.dumps(plain({n: q.value for n, q in metrics(run).items()})))
    assert told["fell"] is True
    assert told["fell at"] == pytest.approx(0.601)


def test_a_robot_on_stairs_has_not_fallen():
    """Waist and feet go down by more than a third of the height: height counts from the feet."""
    down = np.linspace(0.0, 0.5, COUNT)
    waist, feet = np.zeros((COUNT, 3)), np.zeros((COUNT, 2, 3))
    waist[:, 2] = 0.7 - down
    feet[..., 2] = DEPTH - down[:, None]
    assert not fall_in(made(waist_position=waist, foot_position=feet)).fell
    assert fall_in(made(waist_position=waist)).fell


def test_a_fall_between_the_rows_that_are_kept_is_a_fall():
    """The run ended by it; its last row does not show it yet."""
    run = made({"ended": FELL, "every": 1000})
    assert fall_in(run) == (True, TIME[-1], "after the last row that was kept")
    assert verdict(run).startswith("fell at 1.00 s")


def test_a_squat_as_planned_is_no_fall():
    """The height that counts is the least of the plan, where the header has it."""
    waist = np.zeros((COUNT, 3))
    waist[:, 2] = np.where(TIME > 0.5, 0.45, 0.7)
    assert fall_in(made(waist_position=waist)).fell
    assert not fall_in(made({"waist_height": 0.45}, waist_position=waist)).fell


def swaying(velocity, **given):
    """Return a run whose centre of mass moves at the end with a `velocity` [m/s] to the left."""
    v, dcm = np.zeros((COUNT, 3)), np.zeros((COUNT, 2))
    v[-100:, 1] = velocity
    dcm[:, 1] = v[:, 1] / 3.5
    return made(com_velocity=v, dcm=dcm, **given)


def test_a_capture_point_outside_the_feet_is_a_fall():
    """The feet reach 0.07 m to the left; 0.02 m beyond are still called standing."""
    assert not fall_in(swaying(3.5 * 0.089)).fell
    fell = fall_in(swaying(3.5 * 0.11))
    assert (fell.fell, fell.time) == (True, TIME[-1])
    assert fell.reason == "the capture point was 4 cm outside the feet at the end"
    assert "fell at 1.00 s (the capture point was 4 cm" in verdict(swaying(3.5 * 0.11))
    # A walk as planned: the planned capture point is as far out.
    com = np.zeros((COUNT, 3))
    com[:, 1] = 0.385 * TIME - 0.385
    extra = {"com_reference": Channel(("xyz",), "m", "planned")}
    assert not fall_in(swaying(3.5 * 0.11, extras=extra, com_reference=com)).fell


def test_tilting_fast_at_the_end_is_a_fall():
    """At 43 deg and 95 deg/s the waist passes 45 deg at once; at 10 deg/s a robot may return."""
    for rate, fell in ((95.0, True), (3.0, False)):
        tilt = np.radians(np.maximum(0.0, 43.0 - rate * (TIME[-1] - TIME)))
        turning = np.zeros((COUNT, 8))
        turning[:, 3] = np.radians(rate)
        found = fall_in(made(waist_tilt=tilt, v=turning))
        assert found.fell is fell
        assert not fell or found.reason == "the waist was tilting at 95 deg/s at the end"


def test_flying_is_not_standing():
    load, body = np.zeros((COUNT, 2, 6)), np.zeros((COUNT, 3, 6))
    load[:-1, :, 2] = body[:-1, :2, 2] = WEIGHT / 2
    run = made(wrench_world=load, body_wrench=body)
    assert fall_in(run) == (True, TIME[-1], "in the air at the end")
    assert metrics(run)["fell"].value is True
    load, body = load.copy(), body.copy()
    body[:, 2, 2] = 50.0  # a hand, or a box that stands on the ground
    assert not fall_in(made(wrench_world=load, body_wrench=body), supports=["hand"]).fell
    eye = np.tile(np.eye(4), (2, 1, 1))
    free = replace(
        run.skeleton, names=("base", "box"), parents=np.array([-1, -1]), placements=eye,
        coordinates=np.array([7, 7]), first=np.array([0, 7]), axes=np.zeros((2, 6)),
        frames=np.array([0, 0, 1]),
    )  # fmt: skip
    beside = replace(made(wrench_world=load, body_wrench=body), skeleton=free)
    assert fall_in(beside, supports=["hand"]).reason == "in the air at the end"


def test_what_a_walk_found_after_its_end_counts():
    """The header holds the verdict on the end; signs in rows come first."""
    told = {"fell": True, "time": 1.4, "reason": TILTED}
    run = made({"fall": told})
    assert fall_in(run) == (True, 1.4, TILTED)
    assert verdict(run).startswith("fell at 1.40 s, 0.40 s after the end (the waist tilted")
    stood = {"fall": {"fell": False, "time": None, "reason": ""}}
    assert not fall_in(made(stood, dcm=np.full((COUNT, 2), 0.3))).fell
    assert fall_in(made(dcm=np.full((COUNT, 2), 0.3))).fell
    assert fall_in(made(stood, waist_tilt=np.full(COUNT, 0.8))).time == TIME[0]


def test_nothing_left_to_measure_is_refused():
    with pytest.raises(SoleError, match="nothing after 2 s"):
        metrics(made(), after=2.0)


def test_a_run_that_ends_in_nan_still_has_metrics_for_json():
    rpy, a, q = np.zeros((COUNT, 3)), np.zeros((COUNT, 2, 3)), np.zeros((COUNT, 9))
    rpy[-1], a[-1], q[-1] = np.nan, np.nan, np.nan
    table = metrics(made(waist_rpy=rpy, foot_acceleration=a, q=q, waist_tilt=rpy[:, 0]))
    json.dumps(plain({n: x.value for n, x in table.items()}), allow_nan=False)
    assert table["waist roll"].value is None
    assert table["foot acceleration"].value is None
    assert table["fell"].value is True


def test_quaternions_keep_the_order_x_y_z_w():
    np.testing.assert_allclose(quaternions(rotation_of([np.pi / 2, 0, 0])[None])[0],
                               [math.sqrt(0.5), 0, 0, math.sqrt(0.5)], atol=1e-15)  # fmt: skip


# --- convergence


@given(st.floats(0.6, 3.5), st.floats(1.0, 100.0), st.floats(-0.5, 0.5))
def test_richardson_finds_limit_and_order(p, limit, part):
    if abs(part) < 1e-3:
        return
    values = [limit * (1 + part * h**p) for h in (1.0, 0.5, 0.25)]
    found = richardson(values)
    assert found.order == pytest.approx(p, rel=1e-6)
    assert found.estimate == pytest.approx(limit, rel=1e-9)
    assert found.error == pytest.approx(abs(part) * 0.25**p, rel=1e-6)
    assert found.converged == (found.error <= 0.05)


def test_what_grows_as_dt_shrinks_has_not_converged():
    """An impact spread over one step: twice the acceleration at half the step."""
    found = richardson([100.0, 200.0, 400.0])
    assert found.verdict == "not converged"
    assert found.estimate is None


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([1.0, 1.0, 1.0], "converged"),
        ([0.0, 1e-12, 0.0], "converged"),
        ([1.0, 1.02, 1.01], "converged"),  # no power of dt, but within 5 %
        ([1.0, 1.2, 1.1], "not converged"),
        ([1.0, None, 1.0], "not converged"),
        ([None, None, None], "converged"),
        ([1.0, float("nan"), 1.0], "not converged"),
        ([1.0, 1.3, 1.3], "not converged"),
    ],
)
def test_verdicts(values, verdict):
    assert richardson(values).verdict == verdict
    with pytest.raises(SoleError, match="dt, dt/2 and dt/4"):
        richardson(values[:2])


def test_flags_converge_by_being_equal():
    tables = [
        {n: Quantity(v) for n, v in {"fell": f, "peak": 1.0, "why": "x", "none": None}.items()}
        for f in (False, False, True)
    ]
    found = judge_tables(tables)
    assert found["fell"].verdict == "not converged"
    assert found["peak"].converged
    assert not {"why", "none"} & set(found)


@pytest.fixture(scope="module")
def falls() -> list[Run]:
    return [drop(simulator(), round(0.1 / dt), dt).recorder.run() for dt in (2e-3, 1e-3, 5e-4)]


def test_a_drop_at_three_steps(falls):
    """The trunk, behind its springs, does not depend on dt; the peak of the impact does."""
    found = judge_convergence(falls)
    assert found["fell"].converged
    assert found["impact impulse"].converged
    assert found["waist acceleration 100 Hz"].converged
    assert found["joint error"].order == pytest.approx(1.0, abs=0.15)  # backward Euler's
    assert "iterations" not in found
    assert not found["foot acceleration"].converged
    assert found["foot acceleration"].values[2] > 1.3 * found["foot acceleration"].values[1]
    with pytest.raises(SoleError, match="half the time step of the one before, got 2, 2, 1 ms"):
        judge_convergence([falls[0], falls[0], falls[1]])
    with pytest.raises(SoleError, match="got 2"):
        judge_convergence(falls[:2])
