"""The stabiliser's parts: shares of a force, giving way, motions of feet as joint angles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from doors import door
from hypothesis import given
from hypothesis import strategies as st
from robot_cases import G, feet, run_of, standing

from contact.frames import rotation_of
from robot.control import Sensed, Stabiliser
from robot.control import stabiliser_kernels as kernels
from robot.control.stabiliser import StabiliserGains
from robot.gait import GaitOptions, Standing, plan_walk, stance_of
from robot.gait.footsteps import Footsteps
from robot.measures import metrics
from robot.sensing import Noise
from robot.simulator import RobotState
from robot.walk import PushPlan, Scenario, SoleChoice, assemble_walk, replace_values
from robot.walk.scenario_tables import Sensing
from sole.base.errors import SoleError

place = st.floats(-0.5, 0.5)


def poses(rng):
    """Two feet anywhere on the floor, at least 10 cm apart, with any yaw."""
    T = np.tile(np.eye(4), (2, 1, 1))
    for k in range(2):
        T[k, :3, :3] = rotation_of([0, 0, rng.uniform(-1, 1)])
        T[k, :2, 3] = [rng.uniform(-0.2, 0.2), (1 - 2 * k) * rng.uniform(0.05, 0.2)]
    return T


@given(
    seed=st.integers(0, 10**6), x=place, y=place, which=st.sampled_from(["left", "right", "both"])
)
def test_the_shares_add_up_and_leave_no_moment_about_the_point(seed, x, y, which):
    rng = np.random.default_rng(seed)
    T, p = poses(rng), np.array([x, y])
    force = np.array([*rng.uniform(-80, 80, 2), rng.uniform(100, 900)])
    supports = np.array([which != "right", which != "left"])
    w = np.empty((2, 6))
    door(kernels.share_wrench)(p, force, T, supports, w)
    f = np.einsum("kij,kj->ki", T[:, :3, :3], w[:, :3])
    tau = np.einsum("kij,kj->ki", T[:, :3, :3], w[:, 3:])
    assert f.sum(axis=0) == pytest.approx(force, abs=1e-9)
    arms = np.c_[T[:, :2, 3] - p, np.zeros(2)]
    moment = (tau + np.cross(arms, f)).sum(axis=0)
    assert moment[:2] == pytest.approx(np.zeros(2), abs=1e-9)
    assert (w[:, 2] >= 0).all()
    if which != "both":
        assert not w[int(which == "left")].any()


def test_a_foot_gives_way_to_the_moment_it_feels_and_forgets():
    T, D, forget = 1e-3, 400.0, 1.0
    measured, wanted = np.zeros((2, 6)), np.zeros((2, 6))
    measured[:, 2] = wanted[:, 2] = 300.0
    measured[0, 3], measured[1, 1] = 8.0, 10.0  # a moment left; a side force right
    tilt, lift, out = np.zeros((2, 2)), 0.0, np.zeros((2, 6))
    h = np.array([0.05, 0.02])  # of soles that differ
    supports = np.array([True, True])
    for _ in range(4000):
        out[:] = 0.0
        lift = door(kernels.yield_feet)(
            measured, wanted, supports, h, 30.0, T, D, 2e5, forget, tilt, lift, out
        )
    # At rest tilt = T_forget (tau - tau_d)/D; after 4 time constants e^-4 of it is missing.
    assert out[0, 3] == pytest.approx(8.0 * forget / D, rel=0.02)
    # tau about the tread = tau about the sole frame - h f_y.
    assert out[1, 3] == pytest.approx(-0.02 * 10.0 * forget / D, rel=0.02)
    assert lift == 0.0
    measured[0, 2] = 500.0  # the left foot carries too much: it goes up
    lift = door(kernels.yield_feet)(
        measured, wanted, supports, h, 30.0, T, D, 2e5, forget, tilt, lift, out
    )
    assert lift == pytest.approx(T * 200.0 / 2e5)
    measured[0, 2] = 10.0  # hardly any load: no torque to trust, the tilt fades
    before = tilt[0, 0]
    door(kernels.yield_feet)(
        measured, wanted, supports, h, 30.0, T, D, 2e5, forget, tilt, lift, out
    )
    assert tilt[0, 0] == pytest.approx(before * (1 - T / forget))


def test_joint_changes_move_the_treads_as_asked():
    import pinocchio as pin

    on = feet()
    robot, h = on.robot, np.array([0.02, 0.03])  # of soles that differ
    model, data = robot.model, robot.model.createData()
    q = standing(on)
    q[7:] += 0.05  # bent legs everywhere
    legs = np.array([[model.joints[j].idx_v for j in leg] for leg in robot.legs])
    moved = 1e-6 * np.random.default_rng(1).standard_normal((2, 6))
    pin.computeJointJacobians(model, data, q)
    J = np.stack([pin.getFrameJacobian(model, data, f.frame, pin.LOCAL) for f in robot.feet])
    change, tau = np.empty(model.nv), np.zeros(model.nv)
    wanted = np.random.default_rng(2).normal(0.0, 100.0, (2, 6))
    door(kernels.change_legs)(J, legs, moved, h, wanted, change, tau)
    treads = []
    for angles in (q, pin.integrate(model, q, change)):
        pin.forwardKinematics(model, data, angles)
        treads.append(
            [
                pin.SE3(pin.updateFramePlacement(model, data, f.frame))
                * pin.SE3(np.eye(3), np.array([0, 0, -thickness]))
                for f, thickness in zip(robot.feet, h, strict=True)
            ]
        )
    for k in range(2):
        done = pin.log6(treads[0][k].actInv(treads[1][k])).vector
        assert done == pytest.approx(moved[k], abs=1e-10)  # second order in 1e-6
    # Feed-forward: the torques that forces and moments at the treads, h below, need.
    at_frames = wanted.copy()
    at_frames[:, 3:] += np.cross(np.outer(h, [0, 0, -1]), wanted[:, :3])
    assert tau == pytest.approx(-J[0].T @ at_frames[0] - J[1].T @ at_frames[1])


def test_a_swing_foot_is_aimed_at_its_place_in_the_world():
    """With the base off its place, the foot moved as asked is where the plan has it."""
    rng = np.random.default_rng(4)
    for _ in range(5):
        turn, d = 1e-4 * rng.normal(size=3), 1e-4 * rng.normal(size=3)
        plan_base, foot = pin.SE3.Random(), pin.SE3.Random()
        base = pin.SE3(pin.exp3(turn) @ plan_base.rotation, plan_base.translation + d)
        feet = np.stack([foot.homogeneous, np.eye(4)])
        aimed, out = np.zeros((2, 6)), np.zeros((2, 6))
        where = (pin.SE3ToXYZQUAT(base), pin.SE3ToXYZQUAT(plan_base), feet)
        door(kernels.aim_feet)(*where, np.array([False, True]), 1.0, 0.0, aimed, out)
        # The leg turns with the base; then the foot moves by `out` in its own axes.
        actual = base * plan_base.inverse() * foot * pin.exp6(pin.Motion(out[0]))
        assert pin.log6(foot.inverse() * actual).vector == pytest.approx(np.zeros(6), abs=1e-7)
        assert not out[1].any()


def test_every_landing_is_like_the_one_before():
    """Without the aim of swing feet the waist leans more at every landing."""
    walk = assemble_walk(
        replace_values(
            Scenario(),
            sole={"young": 1e6, "size": 0.06, "element": "p1"},
            gait={"steps": 5, "initial": 0.8, "final": 0.8},
            settle=0.2,
        )
    )
    lean, was = [], np.ones(2, dtype=bool)
    for step, _ in walk.steps():
        now = step.wrenches[:, 2] > 1.0
        if (now & ~was).any():
            planned = walk.plan.at(step.state.time).q
            turned = (
                pin.Quaternion(planned[3:7]).matrix().T @ pin.Quaternion(step.state.q[3:7]).matrix()
            )
            lean.append(abs(pin.log3(turned)[1]))
        was = now
    assert len(lean) >= 5
    assert max(lean) < 5e-4 and lean[4] < 1.2 * lean[2]


def test_a_leg_that_cannot_move_its_foot_gives_no_angles():
    A = np.diag([1.0, 2.0, 3.0, 0.0, 1.0, 1.0])  # a knee that is straight
    assert np.isnan(door(kernels.solve_legs)(A, np.ones(6))).all()
    A[3, 3] = 0.5
    assert door(kernels.solve_legs)(A, np.ones(6)) == pytest.approx(1 / A.diagonal())


def test_soles_are_fed_forward_by_their_stiffness():
    on = feet(1e6)
    stand = Footsteps(stance=stance_of(on.robot), steps=(), final=0.3)
    plan = plan_walk(on.robot, stand, GaitOptions(sole_thickness=on.thickness))
    gains = StabiliserGains(k=1e-9, D=np.inf, D_z=np.inf)
    soft = Stabiliser(on.robot, plan, stiffness=on.stiffness, thickness=on.thickness, gains=gains)
    hard = Stabiliser(on.robot, plan, thickness=on.thickness, gains=gains)
    tick = plan.at(0.1)
    w = np.zeros((2, 6))
    w[:, 2] = G * on.robot.mass / 2
    sensed = Sensed(q=tick.q, v=tick.v, wrenches=w)
    import pinocchio as pin

    model, data, deep = on.robot.model, on.robot.model.createData(), []
    for one in (soft, hard):
        command = one.update(sensed, 0.1)
        pin.forwardKinematics(model, data, np.r_[tick.q[:7], command.positions])
        feet_at = [
            pin.updateFramePlacement(model, data, f.frame).translation[2] for f in on.robot.feet
        ]
        deep.append(np.mean(feet_at))
    # Each foot is sent down by what half the weight presses its sole together.
    sunk = (np.linalg.inv(on.stiffness[0]) @ soft.memory.wanted[0])[2]
    assert deep[1] - deep[0] == pytest.approx(sunk, rel=1e-2)
    assert sunk == pytest.approx(w[0, 2] / on.stiffness[0][2, 2], rel=0.05)


def test_a_leg_of_three_joints_is_refused():
    on = feet()
    short = replace(on.robot, legs=tuple(leg[:3] for leg in on.robot.legs))
    stand = Footsteps(stance=stance_of(on.robot), steps=(), final=0.05)
    plan = plan_walk(on.robot, stand, GaitOptions(sole_thickness=on.thickness))
    with pytest.raises(SoleError, match="at least 4 joints per leg"):
        Stabiliser(short, plan)
    with pytest.raises(SoleError, match=r"expected \(2, 6, 6\)"):
        Stabiliser(on.robot, plan, stiffness=np.eye(6))


STAND = Scenario(
    sole=SoleChoice(young=5e4, size=0.06, element="p1"),
    gait=Standing(initial=0.5, final=1.4),
    push=(PushPlan(force=(240.0, 0.0, 0.0), start=0.05),),
    tolerance=1e-5,
    settle=0.05,
)


@pytest.mark.parametrize("noisy", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_feedback_of_the_dcm_survives_a_push_on_soft_soles(noisy):
    scenario = STAND
    if noisy:  # which take what soles yield for motion, so less of both
        push = PushPlan(force=(120.0, 0.0, 0.0), start=0.05)
        scenario = replace_values(
            STAND, sole={"young": 3e5}, sensing={"kind": "noisy"}, push=(push,)
        )
        scenario = replace(scenario, settle=0.5)  # biases show while it stands
    run, made = run_of(scenario)
    assert metrics(run)["fell"].value is False
    com = run["com"][:, 0] - made.plan.com[0, 0]
    assert com.max() > 0.01
    assert np.abs(com[-200:]).max() < 5e-3


def test_without_that_feedback_the_same_push_makes_it_fall():
    made = assemble_walk(STAND)
    omega = np.sqrt(G / made.plan.com[0, 2])
    blind = Stabiliser(
        made.feet.robot,
        made.plan,
        stiffness=made.feet.stiffness,
        thickness=made.feet.thicknesses,
        gains=StabiliserGains(k=-omega),  # 1 + k/omega = 0
    )
    run, _ = run_of(STAND, blind)
    assert metrics(run)["fell"].value is True


def test_a_noisy_stand_goes_on_from_what_was_saved(tmp_path):
    noisy = replace(STAND, sensing=Sensing(kind="noisy", noise=Noise(delay=1.4e-3)))

    def on(made, state, sensed, steps):
        for _ in range(steps):
            command = made.controller.update(sensed, state.time)
            step = made.simulator.step(state, command, noisy.dt)
            state, sensed = step.state, made.estimator.update(made.sensors.read(step))
        return state, sensed

    made, fresh = assemble_walk(noisy), assemble_walk(noisy)
    state, sensed = on(made, made.start, made.sensed, 40)
    parts = {name: getattr(made, name) for name in ("controller", "estimator", "sensors")}
    saved = {f"{name} {k}": a for name, part in parts.items() for k, a in part.arrays().items()}
    saved |= {f"sensed {k}": a for k, a in vars(sensed).items()}
    np.savez(tmp_path / "saved.npz", **state.arrays(), **saved)
    end, knows = on(made, state, sensed, 40)
    with np.load(tmp_path / "saved.npz") as file:
        arrays = dict(file)

    def of(name):
        return {k[len(name) + 1 :]: a for k, a in arrays.items() if k.startswith(f"{name} ")}

    for name in parts:
        getattr(fresh, name).restore(of(name))
    again, known = on(fresh, RobotState.from_arrays(arrays), Sensed(**of("sensed")), 40)
    assert np.array_equal(again.q, end.q)
    assert np.array_equal(again.v, end.v)
    assert np.array_equal(known.q, knows.q)
    assert np.array_equal(known.wrenches, knows.wrenches)
