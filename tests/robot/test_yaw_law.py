"""The yaw law: what inverse dynamics asks of the foot, and a walk with little friction."""

from __future__ import annotations

from math import radians

import numpy as np
import pinocchio as pin
import pytest
from robot_cases import run_of

from contact.frames import rotation_of_quaternion
from contact.wrench_cone import rectangle_yaw_torque
from robot.control import Sensed, Stabiliser, YawGains, YawLaw
from robot.gait import GaitOptions, Standing, Timing, Walking, plan_walk, robot_walk
from robot.model import load_robot
from robot.walk import ControlChoice, Scenario, SoleChoice, assemble_walk
from sole.base.errors import ConfigError, SoleError

ROBOT = load_robot("hrp4-like")
MU, DT = 0.2, 2e-3
X, Y = (float(h) for h in ROBOT.left.half_size)
EDGES = np.array([[-foot.half_size, foot.half_size] for foot in ROBOT.feet])


@pytest.fixture(scope="module")
def plan():
    timing = Timing(single=0.6, initial=1.0, final=1.0)
    return plan_walk(ROBOT, robot_walk(ROBOT, 2, 0.3, timing=timing), GaitOptions(dt=DT))


def law(plan, **gains):
    made = Stabiliser(ROBOT, plan, period=DT)
    return YawLaw(made, friction=MU, edges=EDGES, gains=YawGains(**gains) if gains else None)


def perfect(plan, k):
    """What is sensed if the robot follows its plan, each foot with its share of the weight."""
    wrenches = np.zeros((2, 6))
    wrenches[plan.supports[k], 2] = ROBOT.mass * 9.81 / plan.supports[k].sum()
    return Sensed(q=plan.q_ref[k], v=plan.v_ref[k], wrenches=wrenches)


def play(controller, plan):
    """The upper joints that a controller commands along a perfectly tracked plan: (N, n)."""
    rows = range(len(plan.times) - 1)
    return np.array([controller.update(perfect(plan, k), plan.times[k]).positions for k in rows])


def foot_wrench(plan, q, v, a, k, side):
    gen = pin.rnea(ROBOT.model, ROBOT.model.createData(), q, v, a)
    to = pin.SE3(plan.feet[k, side]).inverse() * pin.XYZQUATToSE3(q[:7])
    return to.toDualActionMatrix() @ gen[:6]


def test_waist_and_arms_bring_the_feet_near_their_safe_yaw_torque(plan):
    """Inverse dynamics of the commanded motion, whose upper joints alone differ from the plan."""
    controller = law(plan, omega=1.0, lag=0.004)
    free = controller.free
    offset = np.zeros((len(plan.times), ROBOT.model.nv))
    offset[1:, free] = (play(controller, plan) - plan.q_ref[1:, 7:])[:, free - 6]
    rate = np.gradient(offset, DT, axis=0)
    bend = np.gradient(rate, DT, axis=0)
    before, after = [], []
    for k in range(20, len(plan.times) - 20, 4):
        phase = plan.schedule.phases(plan.times[[k - 15, k + 15]])
        if plan.supports[k].all() or phase[0] != phase[1]:
            continue  # 30 ms around a change of support are left to the low-pass
        side = int(plan.supports[k, 1])
        q, v, a = plan.q_ref[k], plan.v_ref[k], plan.a_ref[k]
        w = foot_wrench(plan, q, v, a, k, side)
        moved = q.copy()
        moved[7:] += offset[k, 6:]
        given = foot_wrench(plan, moved, v + rate[k], a + bend[k], k, side)
        safe = rectangle_yaw_torque(w, X, Y, MU).safe
        before.append(w[5] - safe)
        after.append(given[5] - safe)
    rms = [np.sqrt(np.mean(np.square(x))) for x in (before, after)]
    assert rms[0] > 2.0  # N m
    assert rms[1] < 0.35 * rms[0]
    end = np.abs(offset[-1]).max()
    assert end < 0.5 * np.abs(offset).max()


def test_legs_are_left_to_the_stabiliser_and_memory_is_kept(plan):
    one, two, alone = law(plan), law(plan), Stabiliser(ROBOT, plan, period=DT)
    legs = np.setdiff1d(np.arange(len(ROBOT.joints)), one.free - 6)
    for k in range(500, 560):
        given = one.update(perfect(plan, k), plan.times[k])
        own = alone.update(perfect(plan, k), plan.times[k])
        assert np.array_equal(given.positions[legs], own.positions[legs])
        two.restore(one.arrays())
    assert not np.array_equal(given.positions, own.positions)
    a, b = (x.update(perfect(plan, 560), plan.times[560]) for x in (one, two))
    assert np.array_equal(a.positions, b.positions)
    one.reset()
    assert one.angle == one.rate == one.torque == 0.0


def test_joints_stay_within_their_ranges(plan):
    controller = law(plan)
    controller.angle = 3.0
    command = controller.update(perfect(plan, 0), 0.0)
    assert (command.positions <= ROBOT.upper).all() and (command.positions >= ROBOT.lower).all()


def foot_yaw(run):
    """Largest turn of a foot while it carries a tenth of the weight for longer than 0.1 s [rad]."""
    R = rotation_of_quaternion(run["foot_rotation"])
    yaw = np.unwrap(np.arctan2(R[..., 1, 0], R[..., 0, 0]), axis=0)
    turned = 0.0
    for f in range(2):
        on = np.concatenate([[False], run["wrench_world"][:, f, 2] > 0.1 * run.weight, [False]])
        for a, b in np.flatnonzero(np.diff(on.astype(int))).reshape(-1, 2):
            if b - a > 50:
                turned = max(turned, float(np.ptp(yaw[a:b, f])))
    return turned


@pytest.mark.nightly
@pytest.mark.slow
def test_a_walk_on_slippery_ground_turns_its_feet_less_than_half_as_much():
    gait = Walking(steps=2, forward=0.3, turn=radians(8), single=0.6, initial=1.2, final=1.2)
    pad = SoleChoice(size=0.06, element="p1", friction=MU)
    runs = [
        run_of(
            Scenario(
                robot="hrp4-like",
                sole=pad,
                gait=gait,
                control=ControlChoice(yaw=yaw, period=2e-3),
                dt=2e-3,
                settle=0.1,
            )
        )[0]
        for yaw in ("plan", "safe")
    ]
    without, safe = (foot_yaw(run) for run in runs)
    assert without > radians(1)
    assert safe < without / 2
    assert runs[1]["slip"][-1].max() < runs[0]["slip"][-1].max()
    assert runs[1]["waist_tilt"].max() < runs[0]["waist_tilt"].max() + radians(0.05)


def test_what_is_refused():
    with pytest.raises(ConfigError, match="needs kind"):
        ControlChoice(kind="pd", yaw="safe")
    with pytest.raises(ConfigError, match="yaw must be one of plan, safe"):
        ControlChoice(yaw="none")
    stand = Scenario(
        robot="rengifo14",
        sole=SoleChoice(size=0.06, element="p1"),
        gait=Standing(),
        control=ControlChoice(yaw="safe"),
    )
    with pytest.raises(SoleError, match="no joints outside its legs"):
        assemble_walk(stand)
