"""The online plan without physics: contacts are given by the height of a floor."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot.control import Sensed
from robot.gait import Foothold, GaitError, GaitOptions, Swing, Timing, plan_walk, robot_walk
from robot.gait.swing import swing_step
from robot.gait.zmp import body_zmp, zmp_reference
from robot.gait.zmp_preview import track
from robot.model import load_robot
from robot.online import OnlinePlan, PlanChoice, Timeline, WalkCommand
from robot.online.adaptation import FOLLOW
from robot.online.swing_now import swing_foot
from robot.online.zmp_ahead import SHARES, write_reference
from sole.base.config import structure
from sole.base.errors import ConfigError

LIFT, T = 0.06, 2e-3
ROBOT = load_robot("hrp2-like")
OPTIONS = GaitOptions(
    dt=T, sole_thickness=0.02, com_height=0.74, swing=Swing(lift=LIFT, arrive=0.9)
)
TIMING = Timing(initial=1.0, final=1.0)


@pytest.fixture(scope="module")
def nominal():
    return plan_walk(ROBOT, robot_walk(ROBOT, 3, 0.2, timing=TIMING), OPTIONS)


def online(nominal, **choice):
    return OnlinePlan(ROBOT, nominal, PlanChoice(kind="online", **choice), LIFT)


def sensed(plan, k, floor, change=0.0):
    """What an ideal robot feels at tick k over a floor: a function of x, y, NaN where none is."""
    row, treads = plan.row(k * T), plan.now.foot
    on = [bool(p[2] <= floor(p[0], p[1]) + 1e-9) for p in treads]
    W = np.zeros((2, 6))
    W[:, 2] = 300.0 * np.array(on)
    v = np.array(plan.v_ref[row])
    v[0] += change
    return Sensed(q=np.array(plan.q_ref[row]), v=v, wrenches=W)


def walked(plan, floor=lambda x, y: 0.0, until=None, after=lambda plan, k: None):
    """Advance the plan to its end or `until` [s]; return rows of times, q, v, a, com, zmp, feet."""
    rows, k = [], 0
    while k * T < (plan.end if until is None else until):
        plan.advance(sensed(plan, k, floor), k * T)
        k += 1
        i = plan.row(k * T)
        r = plan.arrays
        rows.append((k * T, r.q[i], r.v[i], plan.a_ref[i], r.com[i], r.zmp[i], plan.now.foot))
        rows[-1] = tuple(np.array(x) for x in rows[-1])
        after(plan, k)
    return [np.array(column) for column in zip(*rows, strict=True)]


def kinds(plan):
    return [e.kind for e in plan.events]


# ---- the timeline


@given(late=st.floats(0.001, 0.5), step=st.integers(0, 3))
def test_a_delay_moves_what_follows_and_keeps_the_rhythm(late, step):
    line = Timeline.of(robot_walk(ROBOT, 3, 0.2))
    before = line.rows._replace(start=line.rows.start.copy(), end=line.rows.end.copy())
    end = line.end
    line.delay(step, late)
    assert line.end == pytest.approx(end + late, abs=1e-12)
    assert line.rows.end[step] == pytest.approx(before.end[step] + late)
    assert line.rows.start[: step + 1] == pytest.approx(before.start[: step + 1], abs=0)
    assert np.diff(line.rows.start[step + 1 :]) == pytest.approx(
        np.diff(before.start[step + 1 :]), abs=1e-12
    )


def test_an_early_end_shifts_nothing_and_places_move_from_a_step_on():
    line = Timeline.of(robot_walk(ROBOT, 3, 0.2))
    start, place = line.rows.start.copy(), line.rows.place.copy()
    line.end_now(0, 2.0)
    assert line.current == 1
    assert line.rows.start == pytest.approx(start, abs=0)
    line.move(2, (0.01, 0.02, 0.0))
    line.level(2, 0.05)
    assert line.rows.place[:2] == pytest.approx(place[:2], abs=0)
    assert line.rows.place[2:, :3] - place[2:, :3] == pytest.approx(
        np.tile([0.01, 0.02, 0.05], (2, 1))
    )
    with pytest.raises(GaitError, match="done"):
        line.cut(0)
    again = Timeline.of(robot_walk(ROBOT, 1, 0.1))
    again.restore(line.arrays())
    assert again.current == 1
    assert again.rows.place == pytest.approx(line.rows.place, abs=0)


# ---- its parts against the plan made beforehand


def test_the_reference_is_that_of_the_plan_made_beforehand(nominal):
    plan, n = online(nominal), 2500
    flat, out = np.zeros((5, 2, SHARES, 2)), np.empty((2, n))
    for now in (0.0, 2.0):
        current = int(nominal.schedule.next_steps(now))
        single = bool(nominal.schedule.steps(now) >= 0)
        hold = np.array([f.values for f in nominal.schedule.footsteps.stances[current].feet])
        origin = hold[:, :2].mean(axis=0)
        rows = tuple(plan.timeline.rows)
        write_reference(now, T, origin, 0.0, single, current, hold, 1.0, rows, flat, out)
        wanted = zmp_reference(nominal.schedule, now + T * np.arange(n))[:, :2]
        assert out.T == pytest.approx(wanted, abs=1e-12)


def test_the_centre_of_mass_is_that_of_preview_control_at_once(nominal):
    """Tick by tick with a window that is written anew, or all by `track`: the same."""
    plan = online(nominal, adapt=0.0, early=False, late=False)
    times, _, _, _, com, _, _ = walked(plan)
    n = len(times) + len(plan.gains.G_d) + 1
    out = np.empty((2, n))
    fresh = online(nominal)
    now = fresh.now
    write_reference(
        0.0,
        T,
        now.origin,
        0.0,
        False,
        0,
        now.hold,
        1.0,
        tuple(fresh.timeline.rows),
        fresh.table,
        out,
    )
    start = np.zeros((3, 2))
    start[0] = nominal.com[0, :2]
    wanted = track(plan.gains, out.T, start).position[1 : len(times) + 1]
    assert com[:, :2] == pytest.approx(wanted, abs=1e-8)
    assert com[:, :2] == pytest.approx(nominal.com[1 : len(times) + 1, :2], abs=4e-3)


def test_a_swing_is_that_of_the_gait_and_follows_a_moving_goal():
    step = robot_walk(ROBOT, 1, 0.3, rise=0.05, timing=TIMING).steps[0]
    here = Foothold(0.0, 0.1, 0.0, 0.0)
    swing = Swing(lift=LIFT, arrive=0.9)
    from robot.gait import bump_height, travel

    h = bump_height(0.05, LIFT)
    window = np.array(travel(0.05, h, 0.9))
    p, v, a = np.empty((3, 4))
    for t in np.linspace(step.start, step.end, 23):
        s = (t - step.start) / step.duration
        swing_foot(
            s,
            step.duration,
            here.values,
            step.foothold.values,
            np.zeros((2, 2)),
            window,
            h,
            p,
            v,
            a,
        )
        wanted = swing_step(here, step, [t], swing)
        for mine, other in zip((p, v, a), wanted, strict=True):
            assert mine == pytest.approx(other[0], abs=1e-9)
    # a goal that moves with constant acceleration: rates are derivatives
    start, d, T_s = here.values, 1e-5, 0.7

    def at(t):
        goal = np.array([0.3 + 0.2 * t + 0.5 * t * t, 0.1, 0.0, 0.0])
        rates = np.array([[0.2 + t, 0.0], [1.0, 0.0]])
        swing_foot(t / T_s, T_s, start, goal, rates, np.array([0.0, 0.9]), 0.06, p, v, a)
        return p.copy(), v.copy(), a.copy()

    below, middle, above = at(0.3 - d), at(0.3), at(0.3 + d)
    assert middle[1] == pytest.approx((above[0] - below[0]) / (2 * d), abs=1e-6)
    assert middle[2] == pytest.approx((above[1] - below[1]) / (2 * d), abs=1e-5)


def test_rows_are_postures_with_their_rates_and_zero_moment_point(nominal):
    plan = online(nominal)
    times, q, v, a, com, zmp, feet = walked(plan, until=3.0)
    data = ROBOT.model.createData()
    for k in range(50, len(times) - 1, 97):
        assert pin.centerOfMass(ROBOT.model, data, q[k]) == pytest.approx(com[k], abs=1e-7)
        for side, foot in enumerate(ROBOT.feet):
            at = pin.updateFramePlacement(ROBOT.model, data, foot.frame)
            assert at.translation - [0, 0, 0.02] == pytest.approx(feet[k, side, :3], abs=1e-7)
            assert at.rotation == pytest.approx(np.eye(3), abs=1e-7)
        moved = pin.difference(ROBOT.model, q[k - 1], q[k + 1]) / (2 * T)
        assert v[k] == pytest.approx(moved, abs=2e-3 * max(1, abs(v[k]).max()))
        assert zmp[k] == pytest.approx(
            body_zmp(ROBOT, *(x[k : k + 1] for x in (q, v, a)), np.zeros(1))[0]
        )
    # between ticks without an event accelerations are derivatives, too
    calm = slice(200, 450)
    change = (v[calm][2:] - v[calm][:-2]) / (2 * T)
    assert a[calm][1:-1, 6:] == pytest.approx(change[:, 6:], abs=0.05)


# ---- contacts


def test_flat_ground_is_walked_as_planned(nominal):
    plan = online(nominal)
    walked(plan)
    assert kinds(plan) == ["landed"] * 4
    assert plan.end == pytest.approx(nominal.end, abs=1.01 * T)
    assert plan.now.hold == pytest.approx(
        np.array([f.values for f in nominal.schedule.footsteps.stances[-1].feet]), abs=1e-12
    )


def test_an_early_contact_is_kept_as_the_foothold_and_keeps_the_rhythm(nominal):
    plan, high = online(nominal, adapt=0.0), 0.03
    times, _, v, _, com, _, feet = walked(plan, lambda x, y: high if x > 0.3 else 0.0)
    first, lift_off = plan.events[1], nominal.schedule.footsteps.steps[2].start
    assert first.kind == "early"
    assert first.step == 1
    assert plan.timeline.rows.start[2] == pytest.approx(lift_off, abs=1e-12)
    # the foothold: what the foot's pose says (the floor, less the way of one tick), a little ahead
    assert first.place[2] == pytest.approx(high, abs=2e-3)
    planned = nominal.schedule.footsteps.steps[1].foothold
    assert planned.x - 0.05 < first.place[0] < planned.x
    shift = first.place[0] - planned.x
    assert plan.timeline.rows.place[2, 0] == pytest.approx(
        nominal.schedule.footsteps.steps[2].foothold.x + shift, abs=2e-3
    )
    # it stops: 30 ms later the foot is at rest where it touched, less 6 mm
    k = int(np.searchsorted(times, first.time + 0.04))
    assert feet[k, 1] == pytest.approx(feet[k + 20, 1], abs=1e-12)
    assert feet[k, 1, 2] == pytest.approx(high, abs=6e-3)
    # at the end the robot stands as high above both feet as at first
    assert com[-1, 2] - com[0, 2] == pytest.approx(first.place[2], abs=3e-3)
    assert np.abs(v[:, 6:]).max() < 12.0


def test_a_late_foot_goes_down_at_a_bounded_speed_and_all_waits_for_it(nominal):
    plan, low = online(nominal, adapt=0.0), -0.04
    times, _, _, _, com, _, feet = walked(plan, lambda x, y: low if x > 0.3 else 0.0)
    late = plan.events[1]
    assert late.kind == "late"
    lateness = late.time - nominal.schedule.footsteps.steps[1].end
    fall = math.sqrt(2 * 0.04 / 12.0)  # 12 m/s^2 all the way; it is slower than that
    assert fall < lateness - 0.01 < 0.04 / 0.6 + 0.6 / 12.0
    speed = -np.diff(feet[:, :, 2], axis=0) / T
    waiting = (times[1:] > late.time - lateness) & (times[1:] < late.time)
    assert speed[waiting].max() == pytest.approx(0.6, abs=0.02)
    steps = nominal.schedule.footsteps.steps
    assert plan.timeline.rows.start[2] - steps[2].start == pytest.approx(lateness - 0.02, abs=2e-3)
    assert late.place[2] == pytest.approx(low, abs=2e-3)
    assert plan.timeline.rows.place[2, 2] == pytest.approx(late.place[2], abs=1e-9)
    # the centre of mass sinks with the foot, without a jump
    at = int(np.searchsorted(times, late.time))
    assert com[at, 2] < com[0, 2] - 2e-3
    assert np.abs(np.diff(com[:, 2], 2)).max() / T**2 < 5.0
    assert com[-1, 2] - com[0, 2] == pytest.approx(low, abs=3e-3)


def test_over_a_hole_the_foot_gives_up_after_its_depth_and_time(nominal):
    plan = online(nominal, reach_depth=0.05, wait=0.3)
    times, q, _, _, _, _, feet = walked(plan, lambda x, y: -9.0 if x > 0.3 else 0.0, until=3.2)
    assert kinds(plan)[1] == "gave up"
    hole = plan.events[1]
    due = nominal.schedule.footsteps.steps[1].end
    assert hole.time - due == pytest.approx(0.3 + 0.01, abs=3 * T)
    braking = 0.6**2 / (2 * 12.0)
    assert -feet[times < hole.time][:, 1, 2].min() == pytest.approx(0.05 + braking, abs=2e-3)
    assert np.isfinite(q).all()


def test_without_heed_of_contacts_the_plan_goes_its_way(nominal):
    plan = online(nominal, early=False, late=False, adapt=0.0)
    walked(plan, lambda x, y: 0.03 if x < 0.3 else -0.03)
    assert set(kinds(plan)) == {"landed"}
    assert plan.end == pytest.approx(nominal.end, abs=1.01 * T)


def test_the_foothold_follows_the_dcm_that_is_to_be_expected(nominal):
    """A body that is faster by dv has a DCM error dv/omega, which grows with exp(omega t)."""
    plan, dv = online(nominal), 0.03
    begin = nominal.schedule.footsteps.steps[1].start
    k = 0
    while k * T < begin + 0.4:
        plan.advance(sensed(plan, k, lambda x, y: 0.0, dv if k * T > begin else 0.0), k * T)
        k += 1
    t1 = float(plan.timeline.rows.end[1])
    wanted = dv / plan.stepping.omega * math.exp(plan.stepping.omega * (t1 - k * T))
    # of the filter F^3/(s + F)^3, behind exp(-omega t)
    lag = (FOLLOW / (FOLLOW - plan.stepping.omega)) ** 3
    moved = plan.now.goal[:2] - plan.timeline.rows.place[1, :2]
    # the transient left after 0.4 s: exp(-x)(1 + x + x^2/2), x = 0.4 s (F - omega), about 1 %
    assert moved == pytest.approx([wanted * lag, 0.0], abs=0.02 * wanted * lag)
    still = online(nominal, adapt=0.0)
    walked(still, until=begin + 0.4)
    assert still.now.goal == pytest.approx(still.timeline.rows.place[1], abs=0)


# ---- again, and from the middle


def test_a_restored_plan_goes_on_with_the_same_bits(nominal):
    floor = lambda x, y: 0.02 if 0.15 < x < 0.35 else -0.02  # noqa: E731
    plan, other = online(nominal), online(nominal)
    plan.steer(forward=0.2, turn=0.1)
    walked(plan, floor, until=2.4)
    kept = plan.memory()
    other.restore({name: np.array(value) for name, value in kept.items()})
    for k in range(round(2.4 / T), round(4.4 / T)):
        for p in (plan, other):
            p.advance(sensed(p, k, floor), k * T)
        i = plan.row((k + 1) * T)
        for name in ("q", "v", "zmp", "dcm", "feet"):
            assert (getattr(plan.arrays, name)[i] == getattr(other.arrays, name)[i]).all()


# ---- velocity commands


def test_speeds_are_walked_and_a_stop_closes_the_feet(nominal):
    plan = online(nominal, command=(WalkCommand(time=1.2, forward=0.25, turn=0.15),))

    def after(plan, k):
        if k == round(7.0 / T):
            plan.stop()

    _, _, _, _, com, _, feet = walked(plan, until=11.0, after=after)
    assert plan.timeline.over
    assert set(kinds(plan)) == {"landed"}
    left, right = (Foothold(*h) for h in plan.now.hold)
    assert left.yaw == right.yaw
    assert left.at(0, -plan.course.rhythm.width)[:2] == pytest.approx(right.place[:2], abs=1e-9)
    assert left.yaw == pytest.approx(0.24 * 3, abs=1e-9)  # 2 (0.7 + 0.1) 0.15 for each left step
    assert com[-1, :2] == pytest.approx(plan.now.hold[:, :2].mean(axis=0), abs=2e-3)
    way = np.linalg.norm(np.diff(feet[:, :, :2].mean(axis=1), axis=0), axis=1).sum()
    assert way == pytest.approx(0.25 * (7.0 - 2.0), rel=0.25)
    assert np.abs(np.diff(com, 2, axis=0)).max() / T**2 < 12.0


def test_a_command_that_cannot_be_walked_changes_nothing(nominal):
    plan = online(nominal)
    before = plan.timeline.rows.place.copy()
    for bad in ({"forward": 1.5}, {"sideways": 1.0}, {"turn": 2.0}):
        with pytest.raises(GaitError, match=r"a step \((left|right)\)"):
            plan.steer(**bad)
    assert plan.course.stride is None
    assert plan.timeline.rows.place == pytest.approx(before, abs=0)


def test_a_refused_command_says_how_much_of_it_can_be_walked(nominal):
    plan = online(nominal)
    with pytest.raises(GaitError, match=r"; (\d+) % of these speeds can be walked") as said:
        plan.steer(0.3, 0.0, 0.3)
    share = int(said.value.args[0].split("; ")[-1].split(" ")[0]) / 100
    with pytest.raises(GaitError):
        plan.steer(0.3 * (share + 0.05), 0.0, 0.3 * (share + 0.05))
    assert 0.3 < share < 0.8
    plan.steer(0.3 * share, 0.0, 0.3 * share)
    walked(plan, until=5.0)
    assert plan.now.hold[:, 3].max() > 0.3


def test_the_commands_of_the_page_are_walked(nominal):
    text = (Path(__file__).parents[2] / "docs" / "online_plan.md").read_text(encoding="utf-8")
    blocks = [tomllib.loads(part.split("```")[0]) for part in text.split("```toml\n")[1:]]
    [given] = [b["plan"]["command"] for b in blocks if "command" in b.get("plan", {})]
    plan = online(nominal, command=tuple(structure(c, WalkCommand, "page") for c in given))
    walked(plan, until=given[-1]["time"] + 3.0)
    assert plan.timeline.over and set(kinds(plan)) == {"landed"}
    turned = (given[2]["time"] - given[1]["time"]) * math.radians(given[1]["turn_deg"])
    left, right = (Foothold(*h) for h in plan.now.hold)
    assert left.yaw == pytest.approx(right.yaw)
    assert right.yaw == pytest.approx(turned, rel=0.35)


def test_one_stops_at_once_where_one_stands(nominal):
    plan = online(nominal)
    walked(plan, until=0.2)
    plan.stop()
    assert plan.timeline.over
    walked(plan, until=0.5)
    assert plan.now.foot == pytest.approx(plan.now.hold, abs=0)


def test_one_who_has_stopped_starts_again_from_the_middle(nominal):
    plan = online(nominal)
    walked(plan)
    plan.steer(forward=0.2)
    k = plan.now.row
    for tick in range(k, k + 20):
        plan.advance(sensed(plan, tick, lambda x, y: 0.0), tick * T)
    middle = plan.now.hold[:, :2].mean(axis=0)
    assert plan.now.reference[:, plan.now.at] == pytest.approx(middle, abs=5e-3)
    assert plan.timeline.rows.start[plan.timeline.current] == pytest.approx(k * T + 1.0)
    walked_on = plan.arrays.com[plan.row(plan.now.row * T)]
    assert walked_on[:2] == pytest.approx(middle, abs=5e-3)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"kind": "live"}, "fixed"),
        ({"reach_speed": -1.0}, "reach_speed"),
        ({"arrive": 0.2}, "arrive"),
        ({"crouch": -0.1}, "crouch"),
        ({"command": (WalkCommand(time=1.0),)}, "fixed plan cannot change"),
        (
            {"kind": "online", "command": (WalkCommand(time=2.0), WalkCommand(time=1.0))},
            "order",
        ),
    ],
)
def test_wrong_choices_are_refused(values, said):
    with pytest.raises(ConfigError, match=said):
        PlanChoice(**values)
