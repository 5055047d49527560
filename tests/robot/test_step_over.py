"""A swing foot steps over what holds it back, but not if friction or a short way may explain it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot.control import Sensed
from robot.gait import GaitOptions, Swing, plan_walk, robot_walk
from robot.model import load_robot
from robot.online import OnlinePlan, PlanChoice
from robot.online.obstacle import HELD, SHORT, is_in_the_way

T, LIFT, RISE, EDGE = 2e-3, 0.06, 0.09, 0.42  # s, m, m, m: where the rise begins
ROBOT = load_robot("hrp2-like")
HALF = float(ROBOT.left.half_size[0])
LEAST = 20.0  # N
HERE = np.array([0.7, 0.1, 0.05, 0.0])
angles = st.floats(-math.pi, math.pi)


def wrench(back: float, up: float, heading: float) -> np.ndarray:
    """Return a wrench in axes of the foot that holds it back, `heading` from its x axis."""
    return np.array([-back * math.cos(heading), -back * math.sin(heading), up, 0.0, 0.0, 0.0])


def ahead(way: float, angle: float) -> np.ndarray:
    """Return a foothold that lies `way` from `HERE` in the direction `angle` of the world."""
    return HERE + np.array([way * math.cos(angle), way * math.sin(angle), 0.0, 0.0])


@given(angle=angles, yaw=angles, up=st.floats(-50.0, 1e3), way=st.floats(1.01 * SHORT, 0.5))
def test_more_than_the_bound_is_in_the_way_in_any_direction(angle, yaw, up, way):
    here = HERE + np.array([0.0, 0.0, 0.0, yaw])
    bound = max(HELD * up, LEAST)
    for share, met in ((1.001, True), (0.999, False), (-2.0, False)):  # the last pushes it on
        w = wrench(share * bound, up, angle - yaw)
        assert is_in_the_way(w, here, ahead(way, angle), LEAST) is met


@given(friction=st.floats(0.0, 0.95), slides=angles, angle=angles)
def test_friction_on_level_ground_is_no_obstacle(friction, slides, angle):
    w = wrench(friction * 50.0, 50.0, slides)
    assert not is_in_the_way(w, HERE, ahead(0.3, angle), LEAST)


def test_a_foot_that_is_almost_there_lands():
    w = wrench(200.0, 10.0, 0.0)
    assert is_in_the_way(w, HERE, ahead(1.01 * SHORT, 0.0), LEAST)
    assert not is_in_the_way(w, HERE, ahead(0.99 * SHORT, 0.0), LEAST)


@pytest.fixture(scope="module")
def nominal():
    options = GaitOptions(
        dt=T, sole_thickness=0.02, com_height=0.7, swing=Swing(lift=LIFT, arrive=0.9)
    )
    return plan_walk(ROBOT, robot_walk(ROBOT, 3, 0.25), options)


def climbed(nominal, rise=RISE, wide=10.0, up=100.0, **choice):
    """Walk against a wall `rise` high and `wide` thick, which bears a foot up by `up` [N].

    The treads are where the plan wants them. Returns the plan, the treads (n, 2, 4) in every tick
    and the row of the first "met", if any.
    """
    plan = OnlinePlan(
        ROBOT,
        nominal,
        PlanChoice(kind="online", **{"step_over": True, "adapt": 0.0, **choice}),
        LIFT,
    )
    treads, met = [], 0
    while len(treads) * T < plan.end:
        t = len(treads) * T
        row, W = plan.row(t), np.zeros((2, 6))
        for side in range(2):
            x, _, z, _ = plan.now.foot[side]
            on = x + HALF > EDGE and x - HALF < EDGE + wide
            falls = len(treads) > 1 and treads[-2][side, 2] >= rise
            if on and z < rise and not falls and plan.stepping.standing() == 1 - side:
                W[side, :3] = -200.0, 0.0, up
            elif z <= (rise if on else 0.0) + 1e-9:
                W[side, 2] = 300.0
        plan.advance(Sensed(q=plan.q_ref[row].copy(), v=plan.v_ref[row].copy(), wrenches=W), t)
        treads.append(plan.now.foot.copy())
        if not met and any(e.kind == "met" for e in plan.events):
            met = len(treads) - 1
    return plan, np.array(treads), met


# The third lies within 6 mm of where the foot hopes for ground, the last bears nothing up.
@pytest.mark.parametrize(("rise", "up"), [(0.08, 100.0), (0.09, 100.0), (0.1, 100.0), (0.09, 0.0)])
def test_a_foot_goes_over_a_wall_and_the_walk_goes_on_up_there(nominal, rise, up):
    plan, _, _ = climbed(nominal, rise, up=up)
    (met,) = (e for e in plan.events if e.kind == "met")  # later feet know of it
    first, *later = (e for e in plan.events if e.step >= met.step and e.kind != "met")
    assert met.place[2] < rise and met.place[0] + HALF == pytest.approx(EDGE, abs=0.02)
    assert first.place[2] == pytest.approx(rise, abs=2e-3)
    assert first.place[0] == pytest.approx(0.5, abs=1e-3)  # where it was going
    assert later and all(e.place[2] == pytest.approx(rise, abs=2e-3) for e in later)
    assert plan.timeline.rows.place[met.step + 1 :, 2] == pytest.approx(rise, abs=2e-3)
    height = plan.now.height[0] - nominal.com[0, 2]
    assert height == pytest.approx(rise, abs=0.03)  # the centre of mass is up there, too


def test_over_a_hurdle_it_finds_the_ground_behind(nominal):
    """A foot that hopes for ground and finds none reaches down as deep as without the hope."""
    plan, treads, met = climbed(nominal, wide=-2 * HALF + 0.12, reach_depth=0.06)
    assert met
    assert treads[met:, 1, 2].max() > RISE
    assert all(e.kind != "gave up" for e in plan.events)
    assert plan.now.hold[:, 2] == pytest.approx([0.0, 0.0], abs=1e-3)


def test_the_foot_goes_on_from_where_it_is(nominal):
    _, treads, met = climbed(nominal)
    moved = np.abs(np.diff(treads[met - 1 : met + 50, 1, :3], axis=0))
    assert met and moved.max() < 5.0 * T  # m/s
    assert moved[1:35, 0].max() < 1e-3 < moved[1:35, 2].max()  # up first


def test_a_step_goes_over_once_be_it_never_so_high(nominal):
    met = [e.step for e in climbed(nominal, rise=0.5, up=0.0)[0].events if e.kind == "met"]
    assert len(met) == len(set(met)) >= 1


@pytest.mark.parametrize("choice", [{"step_over": False}, {"early": False}])
def test_it_can_be_switched_off(nominal, choice):
    assert all(e.kind != "met" for e in climbed(nominal, **choice)[0].events)


def test_the_bits_are_kept_in_the_midst_of_it(nominal):
    plan, _, _ = climbed(nominal)
    other = OnlinePlan(ROBOT, nominal, PlanChoice(kind="online", adapt=0.0, step_over=True), LIFT)
    other.restore(plan.memory())
    assert (other.now.over_at, other.now.swung) == (plan.now.over_at, plan.now.swung)
    assert other.now.over_at >= 0
