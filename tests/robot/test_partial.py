"""Partial footholds: what the centre of pressure says, and the second step of such a foot."""

from __future__ import annotations

import numpy as np
import pytest

from robot.control import Sensed
from robot.gait import GaitOptions, Swing, plan_walk, robot_walk
from robot.model import load_robot
from robot.online import OnlinePlan, PlanChoice
from robot.online.partial import BEYOND, FARTHER, SURE, WIDER, way_off
from robot.online.stepping import LEVEL

T, LIFT = 2e-3, 0.06
ROBOT = load_robot("hrp2-like")
X = float(ROBOT.left.half_size[0])


@pytest.mark.parametrize(("x", "wanted"), [(0.12, -0.055), (-0.12, 0.055), (0.0, 0.0), (0.09, 0.0)])
def test_the_strip_is_twice_as_wide_as_its_middle_is_from_the_end(x, wanted):
    """F_z at x under a tread 2 cm below, with shear: 4 cm + 2 (13 cm - |x|), away from it."""
    h, F = 0.02, np.array([40.0, 0.0, 300.0])
    T_y = -x * F[2] - h * F[0]  # about the sole frame: (r x F)_y with r = (x, 0, -h)
    w = np.array([*F, 0.0, T_y, 0.0])
    found = way_off(w, h, 0.13, 0.052)
    assert BEYOND == 0.04
    assert found == pytest.approx(np.sign(wanted) * (0.04 + 0.02) if wanted else 0.0)


@pytest.fixture(scope="module")
def nominal():
    options = GaitOptions(
        dt=T, sole_thickness=0.02, com_height=0.74, swing=Swing(lift=LIFT, arrive=0.9)
    )
    return plan_walk(ROBOT, robot_walk(ROBOT, 3, 0.2), options)


def walked(nominal, end, *, high=0.0, step=1, **choice):
    """Walk; the foot of `step` lands `high` above the floor and stands on this end of it at first.

    end : -1 heel, 1 toes, 0 the middle.
    """
    plan = OnlinePlan(ROBOT, nominal, PlanChoice(kind="online", adapt=0.0, **choice), LIFT)
    foot, k, again = int(plan.timeline.rows.foot[step]), 0, 0
    while k * T < plan.end:
        row, W = plan.row(k * T), np.zeros((2, 6))
        for side in range(2):
            mine = side == foot and plan.timeline.current in (step, step + 1) and not again
            floor = high if mine else 0.0
            if plan.now.foot[side, 2] <= floor + 1e-9:
                W[side, 2] = 300.0
                W[side, 4] = -end * 0.99 * X * 300.0 if mine else 0.0
        plan.advance(Sensed(q=plan.q_ref[row].copy(), v=plan.v_ref[row].copy(), wrenches=W), k * T)
        again = sum(e.kind == "again" for e in plan.events)
        k += 1
    return plan


def test_a_foot_on_its_heel_goes_on_and_the_walk_with_it(nominal):
    plan, planned = walked(nominal, -1), nominal.schedule.footsteps.steps
    kinds = [e.kind for e in plan.events]
    assert kinds.count("again") == 1
    at = kinds.index("again")
    first, again, then = plan.events[at - 1 : at + 2]
    assert again.time - first.time == pytest.approx(SURE, abs=2 * T)
    way = np.array(again.place[:2]) - [planned[1].foothold.x, planned[1].foothold.y]
    assert BEYOND < way[0] <= FARTHER + 1e-9 and abs(way[1]) <= WIDER + 1e-9
    assert then.step == 1 and then.place[:2] == pytest.approx(again.place[:2], abs=2e-3)
    moved = plan.timeline.rows.place[2, :2] - [planned[2].foothold.x, planned[2].foothold.y]
    assert moved == pytest.approx(way, abs=5e-3)  # later steps, too
    assert plan.timeline.over and plan.now.hold[:, 2] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_toes_that_met_something_higher_go_back(nominal):
    plan = walked(nominal, 1, high=0.03)
    (again,) = [e for e in plan.events if e.kind == "again"]
    touched = next(e for e in plan.events if e.kind == "early")
    assert touched.place[2] > LEVEL
    planned = nominal.schedule.footsteps.steps[1].foothold
    assert -0.09 < again.place[0] - planned.x < -BEYOND
    assert again.place[2] == pytest.approx(0.0, abs=1e-9)
    rows = plan.timeline.rows
    assert rows.place[2:, 2] == pytest.approx(0.0, abs=1e-9)  # nothing is higher any more


@pytest.mark.parametrize(
    ("end", "values"), [(0, {}), (1, {}), (-1, {"partial": False})], ids=["middle", "toes", "off"]
)
def test_a_whole_foot_and_toes_on_level_ground_stay(nominal, end, values):
    assert all(e.kind == "landed" for e in walked(nominal, end, **values).events)


def test_the_last_foot_steps_again_too_and_the_bits_are_kept(nominal):
    last = len(nominal.schedule.footsteps.steps) - 1
    plan = walked(nominal, -1, step=last)
    assert [e.kind for e in plan.events][-2:] == ["again", "landed"]
    kept = plan.memory()
    other = OnlinePlan(ROBOT, nominal, PlanChoice(kind="online", adapt=0.0), LIFT)
    other.restore(kept)
    assert other.now.again_at == last and other.now.landed == plan.now.landed
