"""Plans of walks: consistent, on the ground, in balance, and refused where they must be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from contact.frames import rotation_of_quaternion
from robot.gait import (
    Foothold,
    GaitError,
    GaitOptions,
    Timing,
    foot_size_of,
    plan_errors,
    plan_walk,
    robot_walk,
    stance_of,
)
from robot.gait.footsteps import Footstep, Footsteps
from robot.gait.plan_checks import check_limits, support_margins
from robot.gait.schedule import Schedule
from robot.model import load_robot

ROBOT = load_robot("hrp2-like")
THICKNESS = 0.02
SHORT = Timing(initial=1.0, final=1.0)


@pytest.fixture(scope="module")
def plan():
    """Two steps round a corner and up, on soles of 20 mm."""
    steps = robot_walk(ROBOT, 2, 0.15, turn=0.2, rise=0.02, timing=SHORT)
    return plan_walk(ROBOT, steps, GaitOptions(sole_thickness=THICKNESS))


@pytest.fixture(scope="module")
def six():
    """Six steps of 0.2 m: the walk that the project measures everything with."""
    return plan_walk(ROBOT)


def test_shapes_and_ends(plan):
    N, model = len(plan.times), ROBOT.model
    assert N == round(plan.schedule.end / 1e-3) + 1
    assert plan.q_ref.shape == (N, model.nq)
    assert plan.v_ref.shape == plan.a_ref.shape == (N, model.nv)
    assert plan.feet.shape == (N, 2, 4, 4)
    assert plan.supports.dtype == bool
    for rates in (plan.v_ref, plan.com_velocity):
        np.testing.assert_allclose(rates[-1], 0, atol=1e-15)
    assert not plan.q_ref.flags.writeable


def test_feet_com_and_waist_are_where_the_plan_says(plan):
    """To 1e-10 m, by forward kinematics at every tick."""
    errors = plan_errors(ROBOT, plan)
    assert errors.feet < 1e-10
    assert errors.com < 1e-10


def test_treads_of_standing_feet_are_on_the_ground(plan):
    """The sole frames lie the sole's thickness above the footholds, by forward kinematics."""
    data, walk = ROBOT.model.createData(), plan.schedule.footsteps
    times = (0.0, *(step.end + 0.05 for step in walk.steps))
    for time, stance in zip(times, walk.stances, strict=True):
        pin.framesForwardKinematics(ROBOT.model, data, plan.at(time).q)
        for foot, hold in zip(ROBOT.feet, stance.feet, strict=True):
            tread = data.oMf[foot.frame].act(np.array([0.0, 0.0, -THICKNESS]))
            np.testing.assert_allclose(tread, hold.place, atol=1e-10)
            np.testing.assert_allclose(
                data.oMf[foot.frame].rotation[:, 0],
                [np.cos(hold.yaw), np.sin(hold.yaw), 0],
                atol=1e-10,
            )


def test_v_and_a_are_the_derivatives_of_q(plan):
    """Taylor over one tick: q + dt v + dt^2/2 a misses by dt^3/6 of the jerk, v by dt^2/2 of it.

    The jerk is bounded by the steepest change of a between ticks, doubled as the steepest may lie
    between them.
    """
    dt, q, v, a = plan.dt, plan.q_ref, plan.v_ref, plan.a_ref
    jerk = 2 * np.abs(np.diff(a, axis=0)).max() / dt
    steps = np.array([pin.difference(ROBOT.model, q[k], q[k + 1]) for k in range(len(q) - 1)])
    miss = steps - dt * v[:-1] - dt**2 / 2 * a[:-1]
    assert np.abs(miss).max() <= dt**3 / 6 * jerk
    assert np.abs(v[1:] - v[:-1] - dt * a[:-1]).max() <= dt**2 / 2 * jerk
    assert np.abs(a).max() > 5  # it does move


def test_velocities_and_accelerations_of_the_tasks(plan):
    """Plain kinematics of q, v, a gives the planned ones of the centre of mass and standing feet.

    Within 4 ms the jerk of the centre of mass changes at every tick, in all by some 1 m/s^3: the
    interpolated acceleration misses by at most a quarter of that times 4 ms.
    """
    model, data = ROBOT.model, ROBOT.model.createData()
    for k in range(0, len(plan.times), 37):
        pin.centerOfMass(model, data, plan.q_ref[k], plan.v_ref[k], plan.a_ref[k])
        np.testing.assert_allclose(data.vcom[0], plan.com_velocity[k], atol=1e-7)
        np.testing.assert_allclose(data.acom[0], plan.com_acceleration[k], atol=1e-3)
        for i, foot in enumerate(ROBOT.feet):
            if plan.supports[k, i]:
                twist = pin.getFrameVelocity(model, data, foot.frame).vector
                np.testing.assert_allclose(twist, 0, atol=1e-7)


def test_zmp_of_the_body_by_its_momentum(plan):
    """f = m (c'' + g), moment about c = d/dt of the angular momentum: an independent way.

    Pinocchio's CCRBA-based time variation against RNEA: round-off of 1e3 N m over 500 N.
    """
    model, data, m = ROBOT.model, ROBOT.model.createData(), ROBOT.mass
    for k in range(0, len(plan.times), 97):
        q, v, a = plan.q_ref[k], plan.v_ref[k], plan.a_ref[k]
        h = pin.computeCentroidalMomentumTimeVariation(model, data, q, v, a)
        f = h.linear + np.array([0, 0, m * 9.81])
        c = data.com[0] - np.array([0, 0, plan.ground[k]])
        n = h.angular + np.cross(c, f)
        np.testing.assert_allclose(plan.zmp[k], np.array([-n[1], n[0]]) / f[2], atol=1e-10)


def test_zmp_of_the_pendulum_and_dcm(plan):
    """Definitions: p = c - c''/omega^2, xi = c + c'/omega, omega^2 = (g + c_z'')/(c_z - p_z)."""
    omega = np.sqrt((9.81 + plan.com_acceleration[:, 2]) / (plan.com[:, 2] - plan.ground))[:, None]
    c, v, a = (x[:, :2] for x in (plan.com, plan.com_velocity, plan.com_acceleration))
    np.testing.assert_allclose(plan.zmp_pendulum, c - a / omega**2, atol=1e-12)
    np.testing.assert_allclose(plan.dcm, c + v / omega, atol=1e-12)


def test_corrections_bring_the_zmp_of_the_body_to_the_reference(six):
    """Measured: 44 mm as a pendulum, 7.4 mm after one correction, 2.6 mm after two."""
    plain = plan_errors(ROBOT, plan_walk(ROBOT, options=GaitOptions(corrections=0)))
    once = plan_errors(ROBOT, six)
    assert plain.pendulum < 2e-3
    assert once.body < plain.body / 4
    assert once.body < 8e-3
    assert once.margin > 0.06  # of 70 mm to the side


def test_at_finds_the_tick(six):
    tick = six.at(2.0004)
    k = 2000
    np.testing.assert_array_equal(tick.q, six.q_ref[k])
    np.testing.assert_array_equal(tick.zmp, six.zmp[k])
    np.testing.assert_array_equal(tick.feet, six.feet[k])
    assert tick.step == six.step[k] == 0
    np.testing.assert_array_equal(tick.supports, [False, True])
    np.testing.assert_array_equal(six.at(-5.0).q, six.q_ref[0])
    np.testing.assert_array_equal(six.at(1e9).q, six.q_ref[-1])
    for bad in (np.nan, np.inf):
        with pytest.raises(GaitError, match="must be finite"):
            six.at(bad)
    for off in (-0.4, -0.1, 0.0, 0.1, 0.4):
        rows = [six.row(t + off * six.dt) for t in six.times[1:-1]]
        assert rows == list(range(1, len(six.times) - 1)), off
    added = np.cumsum(np.full(3000, six.dt))  # times as a simulator adds them up
    assert [six.row(t) for t in added] == list(range(1, 3001))


@pytest.mark.parametrize(
    ("timing", "words"),
    [
        (
            {"initial": 0.05},
            r"step 1, .* point 7\d mm outside .* at 0\.05 s; .* make initial longer",
        ),
        ({"final": 0.3}, r"after step 3, .* \d+ mm outside .* at \d\.\d+ s; make final longer"),
    ],
)
def test_a_plan_that_leaves_the_support_is_refused(timing, words):
    """Preview control needs time to gather way, and to come to rest."""
    with pytest.raises(GaitError, match=words):
        plan_walk(ROBOT, robot_walk(ROBOT, 2, 0.2, timing=Timing(**timing)))


def test_margins_to_the_support():
    """One foot: to its nearest edge; both: to the edge of their hull, whose corners they are."""
    (a, b), stance = np.array(foot_size_of(ROBOT)) / 2, stance_of(ROBOT)
    y = stance.left.y
    step = Footstep(side="left", foothold=Foothold(0.3, y), start=1.0, duration=1.0)
    schedule = Schedule.of(Footsteps(stance=stance, steps=(step,), final=1.0, foot=(2 * a, 2 * b)))
    slope = np.hypot(0.3, 2 * y)  # of the hull's long sides after the step
    asked = {
        (0.5, 0.0, 0.0): a,
        (0.5, 0.0, y + b + 0.01): -0.01,
        (1.5, 0.02, -y): b,
        (1.5, 0.0, 0.0): b - y,
        (2.5, 0.15, 0.0): (b * 0.3 + a * 2 * y) / slope,
        (2.5, 0.3, -y): (b * 0.3 + a * 2 * y - 0.15 * 2 * y - y * 0.3) / slope,
    }
    found = support_margins(
        ROBOT, schedule, np.array([t for t, *_ in asked]), np.array([p for _, *p in asked])
    )
    np.testing.assert_allclose(found, list(asked.values()), atol=1e-12)


def test_coarser_and_finer_nodes_agree(plan):
    """Twice the spacing: the positions differ by 1e-8 rad, the velocities by 1e-5 rad/s."""
    steps = plan.schedule.footsteps
    coarse, fine = (
        plan_walk(ROBOT, steps, GaitOptions(spacing=spacing, corrections=0))
        for spacing in (8e-3, 4e-3)
    )
    np.testing.assert_allclose(coarse.q_ref, fine.q_ref, atol=1e-8)
    np.testing.assert_allclose(coarse.v_ref, fine.v_ref, atol=1e-5)


def test_times_off_the_ticks():
    """Phases that start between ticks and nodes: still exact."""
    timing = Timing(single=0.61237, double=0.0913, initial=0.80011, final=0.7007)
    plan = plan_walk(ROBOT, robot_walk(ROBOT, 1, 0.1, timing=timing))
    errors = plan_errors(ROBOT, plan)
    assert errors.feet < 1e-10
    assert errors.com < 1e-10
    assert plan.end >= plan.schedule.end > plan.end - plan.dt


def test_mirror_images():
    """Left first and right first are mirror images, joint by joint."""
    quick = GaitOptions(dt=5e-3, corrections=0, inset=(0.01, 0.005))
    left, right = (
        plan_walk(ROBOT, robot_walk(ROBOT, 2, 0.1, first=side, timing=SHORT), quick)
        for side in ("left", "right")
    )
    np.testing.assert_allclose(left.com * (1, -1, 1), right.com, atol=1e-9)
    j, k = (ROBOT.joint(f"{side}_knee") for side in ("left", "right"))
    np.testing.assert_allclose(left.q_ref[:, 7 + j], right.q_ref[:, 7 + k], atol=1e-9)


def test_turned_and_moved_walks_are_the_same_walk():
    """Another place and heading of the start: same joints, everything else carried along."""
    quick = GaitOptions(dt=5e-3, corrections=1)
    stance, yaw = stance_of(ROBOT), 2.0
    here = plan_walk(ROBOT, robot_walk(ROBOT, 2, 0.1, timing=SHORT), quick)
    width = 2 * stance.left.y
    moved = type(stance).parallel(width, x=1.0, y=-2.0, yaw=yaw)
    there = plan_walk(ROBOT, robot_walk(ROBOT, 2, 0.1, stance=moved, timing=SHORT), quick)
    np.testing.assert_allclose(there.q_ref[:, 7:], here.q_ref[:, 7:], atol=1e-9)
    np.testing.assert_allclose(there.v_ref, here.v_ref, atol=1e-7)
    R = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    np.testing.assert_allclose(there.zmp, here.zmp @ R.T + (1.0, -2.0), atol=1e-7)
    np.testing.assert_allclose(
        rotation_of_quaternion(there.q_ref[:, 3:7])[:, :2, :2],
        R @ rotation_of_quaternion(here.q_ref[:, 3:7])[:, :2, :2],
        atol=1e-9,
    )


@pytest.mark.parametrize("name", ["hrp4-like", "lola-like", "rengifo14", "talos"])
def test_other_robots_walk(name):
    """Feet in place, ZMP well inside the foot; joints that are no leg's stay, toes included."""
    robot = load_robot(name)
    plan = plan_walk(robot, robot_walk(robot, 2, 0.2, timing=SHORT))
    errors = plan_errors(robot, plan)
    assert errors.feet < 1e-10
    assert errors.margin > 0.03
    legs = {robot.model.joints[j].idx_q for leg in robot.legs for j in leg}
    others = sorted(set(range(7, robot.model.nq)) - legs)
    np.testing.assert_array_equal(
        plan.q_ref[:, others], np.tile(robot.q0[others], (len(plan.q_ref), 1))
    )


def far_third_step():
    """Three steps, the last one so wide that the hip must roll beyond its range."""
    stance, foot = stance_of(ROBOT), foot_size_of(ROBOT)
    y = stance.left.y
    steps = [("left", 0.1, y), ("right", 0.2, -y), ("left", 0.2, y + 0.3)]
    made = [
        Footstep(side=s, foothold=Foothold(a, b), start=1 + 0.8 * k, duration=0.7)
        for k, (s, a, b) in enumerate(steps)
    ]
    return Footsteps(stance=stance, steps=tuple(made), foot=foot)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: plan_walk(ROBOT, far_third_step(), GaitOptions(com_height=0.6)),
            r"out of reach: step 3, joint left_hip_roll, 0\.\d+ rad > 0\.611 rad",
        ),
        (
            lambda: plan_walk(ROBOT, robot_walk(ROBOT, 4, 0.4)),
            r"out of reach: step 1, .* misses by .* mm; lower com_height or take shorter steps",
        ),
        (
            lambda: plan_walk(ROBOT, robot_walk(ROBOT, 3, 0.2, timing=Timing(single=0.25))),
            r"too fast: step \d, joint \w+, -?\d+\.?\d* rad/s [<>] -?\d+\.?\d* rad/s",
        ),
        (lambda: GaitOptions(sole_thickness=-0.01), "sole_thickness must not be negative"),
        (lambda: GaitOptions(sole_thickness=np.nan), "sole_thickness must not be negative"),
        (lambda: GaitOptions(dt=0.0), "dt of a plan must be positive"),
        (lambda: GaitOptions(com_height=-1.0), "com_height must be positive"),
        (lambda: GaitOptions(com_height=1e12), "at most 10 m"),
        (lambda: GaitOptions(corrections=-1), "corrections must be 0 to 5"),
        (lambda: plan_walk(ROBOT, options=GaitOptions(spacing=1.0)), "spacing must be"),
        (
            lambda: plan_walk(ROBOT, robot_walk(ROBOT, timing=Timing(final=1e5))),
            "take 100007101 ticks of 0.001 s, more than",
        ),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises(GaitError, match=words):
        call()


def test_a_plan_must_be_finite(six):
    with pytest.raises(GaitError, match="zmp of a plan must be finite and have"):
        replace(six, zmp=np.full_like(six.zmp, np.nan))


@pytest.mark.parametrize("noise", [-1e-13, 0.0, 1e-13])
def test_of_joints_equally_far_beyond_the_upper_one_is_named(noise):
    """Hip and ankle roll of an upright leg are opposite: round-off must not choose the name."""
    q = np.tile(ROBOT.q0, (2, 1))
    names = ("left_hip_roll", "left_ankle_roll")
    hip, ankle = (ROBOT.model.joints[ROBOT.model.getJointId(name)].idx_q for name in names)
    q[1, hip] = ROBOT.upper[hip - 7] + 0.1
    q[1, ankle] = ROBOT.lower[ankle - 7] - 0.1 + noise
    schedule = Schedule.of(robot_walk(ROBOT, 1, 0.1))
    with pytest.raises(GaitError, match="joint left_hip_roll"):
        check_limits(ROBOT, schedule, np.array([0.0, 1.0]), q, np.zeros((2, ROBOT.model.nv)))
