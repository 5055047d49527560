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
from robot.online.obstacle import AWAY, BACK, SHORT, draw_back, is_in_the_way

T, LIFT, RISE, EDGE = 2e-3, 0.06, 0.09, 0.42  # s, m, m, m: where the rise begins
ROBOT = load_robot("hrp2-like")
HALF = float(ROBOT.left.half_size[0])
HERE = np.array([0.7, 0.1, 0.05, 0.0])
angles = st.floats(-math.pi, math.pi)


def wrench(back: float, up: float, heading: float) -> np.ndarray:
    """Return a wrench in axes of the foot that holds it back, `heading` from its x axis."""
    return np.array([-back * math.cos(heading), -back * math.sin(heading), up, 0.0, 0.0, 0.0])


def ahead(way: float, angle: float) -> np.ndarray:
    """Return a foothold that lies `way` from `HERE` in the direction `angle` of the world."""
    return HERE + np.array([way * math.cos(angle), way * math.sin(angle), 0.0, 0.0])


@given(angle=angles, yaw=angles, up=st.floats(1.0, 1e3), way=st.floats(1.01 * SHORT, 0.5))
def test_more_than_the_bound_is_in_the_way_in_any_direction(angle, yaw, up, way):
    here = HERE + np.array([0.0, 0.0, 0.0, yaw])
    for share, met in ((1.001, True), (0.999, False)):
        w = wrench(share * BACK * up, up, angle - yaw)
        assert is_in_the_way(w, here, ahead(way, angle)) is met
        assert not is_in_the_way(wrench(-back_of(w), up, angle - yaw), here, ahead(way, angle))


def back_of(w: np.ndarray) -> float:
    return math.hypot(w[0], w[1])


@given(friction=st.floats(0.0, 0.95), slides=angles, angle=angles)
def test_friction_alone_is_no_obstacle(friction, slides, angle):
    """A sole that scuffs the ground is held back by at most mu F_z; mu < 1 for rubber here."""
    w = wrench(friction * 50.0, 50.0, slides)
    assert not is_in_the_way(w, HERE, ahead(0.3, angle))


def test_a_foot_that_is_almost_there_lands():
    w = wrench(200.0, 10.0, 0.0)
    assert is_in_the_way(w, HERE, ahead(1.01 * SHORT, 0.0))
    assert not is_in_the_way(w, HERE, ahead(0.99 * SHORT, 0.0))


@given(angle=angles)
def test_it_draws_back_along_its_way(angle):
    way = HERE - draw_back(HERE, ahead(0.2, angle))
    assert way == pytest.approx([AWAY * math.cos(angle), AWAY * math.sin(angle), 0, 0], abs=1e-15)


@pytest.fixture(scope="module")
def nominal():
    options = GaitOptions(
        dt=T, sole_thickness=0.02, com_height=0.7, swing=Swing(lift=LIFT, arrive=0.9)
    )
    return plan_walk(ROBOT, robot_walk(ROBOT, 3, 0.25), options)


def climbed(nominal, rise=RISE, **choice):
    """Walk against a wall `rise` high; the treads are where the plan wants them."""
    plan = OnlinePlan(ROBOT, nominal, PlanChoice(kind="online", adapt=0.0, **choice), LIFT)
    k = 0
    while k * T < plan.end:
        row, W = plan.row(k * T), np.zeros((2, 6))
        for side in range(2):
            x, _, z, _ = plan.now.foot[side]
            inside = x + HALF > EDGE and z < rise - 1e-9
            if inside and plan.stepping.standing() == 1 - side:
                W[side, :3] = -200.0, 0.0, 100.0
            elif z <= (rise if x + HALF > EDGE else 0.0) + 1e-9:
                W[side, 2] = 300.0
        plan.advance(Sensed(q=plan.q_ref[row].copy(), v=plan.v_ref[row].copy(), wrenches=W), k * T)
        k += 1
    return plan


def test_a_foot_goes_over_a_wall_and_the_walk_goes_on_up_there(nominal):
    events = climbed(nominal).events
    met = next(e for e in events if e.kind == "met")
    landed = next(e for e in events if e.step == met.step and e.kind not in ("met", "again"))
    assert met.place[2] < RISE and met.place[0] + HALF == pytest.approx(EDGE, abs=0.02)
    assert landed.place[2] == pytest.approx(RISE, abs=2e-3)
    assert landed.place[0] == pytest.approx(0.5, abs=1e-3)  # where it was going
    assert all(e.place[2] > RISE - 2e-3 for e in events if e.time > landed.time and e.kind != "met")


def test_a_step_goes_over_once_be_it_never_so_high(nominal):
    met = [e.step for e in climbed(nominal, rise=0.5).events if e.kind == "met"]
    assert len(met) == len(set(met)) >= 1


@pytest.mark.parametrize("choice", [{"step_over": False}, {"early": False}])
def test_it_can_be_switched_off(nominal, choice):
    assert all(e.kind != "met" for e in climbed(nominal, **choice).events)
