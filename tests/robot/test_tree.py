"""Compiled dynamics of a tree of links, against Pinocchio."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pinocchio as pin
import pytest
from doors import door

from robot.control.plan_table import PlanTable
from robot.model import load_robot
from robot.recorder.body_kinematics import evaluate_motion
from robot.simulator import Push
from robot.simulator.dynamics import Dynamics
from robot.tree import (
    fill_inertia,
    integrate_motion,
    move_links,
    open_tree,
    sum_forces,
    tree_of,
    tree_sheet,
    weigh_links,
)
from sole.base.errors import SoleError

G = np.array([0.3, -0.2, -9.0])  # m/s^2: not along an axis


def a_tree():
    """A free base with a sliding, a turning and a screwing joint, askew, and a second free body."""
    rng = np.random.default_rng(3)
    model = pin.Model()
    model.gravity.linear = G
    n = np.array([2.0, -1.0, 2.0]) / 3
    joints = (
        (0, pin.JointModelFreeFlyer()),
        (1, pin.JointModelPrismaticUnaligned(n)),
        (2, pin.JointModelRevoluteUnaligned(n)),
        (3, pin.JointModelHelicalUnaligned(n, 0.3)),
        (1, pin.JointModelRY()),
        (0, pin.JointModelFreeFlyer()),
        (6, pin.JointModelPZ()),
    )
    for i, (parent, joint) in enumerate(joints):
        k = model.addJoint(parent, joint, pin.SE3.Random(), f"joint{i}")
        model.appendBodyToJoint(k, pin.Inertia.Random(), pin.SE3.Random())
    model.armature = rng.uniform(0.1, 0.5, model.nv)
    return model


def a_state(model, seed=1):
    rng = np.random.default_rng(seed)
    q = pin.integrate(model, pin.neutral(model), rng.normal(size=model.nv))
    return q, rng.normal(size=model.nv), rng.normal(size=model.nv)


MODELS = {"askew": a_tree, "hrp2-like": lambda: load_robot("hrp2-like").model}


@pytest.mark.parametrize("name", MODELS)
def test_all_terms_are_those_of_pinocchio(name):
    """To round-off, 1e-16 times the largest of some hundred terms of a sum."""
    model = MODELS[name]()
    (q, v, dv), data = a_state(model), model.createData()
    tree, sheet = tree_of(model), np.full(tree_sheet(model.njoints, model.nv).size, np.nan)
    links, tau, M = (
        door(open_tree)(sheet, model.njoints),
        np.empty(model.nv),
        np.empty((model.nv,) * 2),
    )
    for rates in (dv, np.zeros(0)):
        door(move_links)(tree, q, v, rates, links)
        door(weigh_links)(tree, links)
        door(sum_forces)(tree, rates, links, tau)
        expected = pin.rnea(model, data, q, v, rates if len(rates) else 0 * v)
        np.testing.assert_allclose(tau, expected, atol=1e-13 * np.abs(expected).max())
    own = links.Y.copy()
    door(fill_inertia)(tree, links, M)
    expected = pin.crba(model, data, q)
    np.testing.assert_allclose(M, expected, atol=1e-13 * np.abs(expected).max())
    pin.forwardKinematics(model, data, q, v, dv)
    J = pin.computeJointJacobians(model, data, q)
    np.testing.assert_allclose(links.J.T, J, atol=1e-13)
    for k in range(1, model.njoints):
        pose = data.oMi[k]
        np.testing.assert_allclose(links.R[k], pose.rotation, atol=1e-14)
        np.testing.assert_allclose(links.p[k], pose.translation, atol=1e-14)
        np.testing.assert_allclose(links.V[k], pose.act(data.v[k]).vector, atol=1e-13)
        centre = pose.act(model.inertias[k].lever)
        np.testing.assert_allclose(own[k, 1:4], own[k, 0] * centre, atol=1e-12)


def test_frames_and_pushes_are_those_of_pinocchio():
    model = load_robot("hrp2-like").model
    data, (q, v, _) = model.createData(), a_state(model)
    feet = [foot.frame for foot in load_robot("hrp2-like").feet]
    frames, against = [*feet, feet[0]], [0, 0, feet[1]]
    dynamics = Dynamics(model, frames, against)
    snap = dynamics.at(q, v)
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)

    def local(k):
        return pin.getFrameJacobian(model, data, k, pin.LOCAL) if k else np.zeros((6, model.nv))

    for b, (frame, other) in enumerate(zip(frames, against, strict=True)):
        pose = data.oMf[other].actInv(data.oMf[frame])
        np.testing.assert_allclose(snap.rotations[b], pose.rotation, atol=1e-14)
        np.testing.assert_allclose(snap.places[b], pose.translation, atol=1e-14)
        np.testing.assert_allclose(snap.turns[b], data.oMf[frame].rotation, atol=1e-14)
        J = local(frame) - pose.inverse().action @ local(other)
        np.testing.assert_allclose(snap.J[6 * b : 6 * b + 6], J, atol=1e-13)
    w = np.array([10.0, -5.0, 3.0, 1.0, 2.0, -4.0])
    J = pin.getFrameJacobian(model, data, feet[1], pin.LOCAL_WORLD_ALIGNED)
    pushed = dynamics.pushed([Push(frame=feet[1], wrench=w)] * 2)
    np.testing.assert_allclose(pushed, 2 * J.T @ w, atol=1e-12)


def test_recorded_motion_is_that_of_pinocchio():
    """Also of one of two trees, whose second is a free body, and of a frame off its joint."""
    model = a_tree()
    for _ in range(2):
        placement = pin.SE3.Random()
        model.addFrame(pin.Frame("point", 4, 0, placement, pin.FrameType.OP_FRAME))
    frames, data = np.array([model.nframes - 1, model.nframes - 2]), model.createData()
    q, v, a = (np.array(rows) for rows in zip(*(a_state(model, k) for k in range(3)), strict=True))
    whole, first = (
        evaluate_motion(model, frames, q, v, a),
        evaluate_motion(model, frames, q, v, a, [1]),
    )
    for t in range(3):
        pin.centerOfMass(model, data, q[t], v[t])
        np.testing.assert_allclose(whole.com[t], data.com[0], atol=1e-13)
        np.testing.assert_allclose(whole.com_velocity[t], data.vcom[0], atol=1e-13)
        centre = data.oMi[1].act(data.com[1]), data.oMi[1].rotation @ data.vcom[1]
        np.testing.assert_allclose(first.com[t], centre[0], atol=1e-13)
        np.testing.assert_allclose(first.com_velocity[t], centre[1], atol=1e-13)
        M = pin.crba(model, data, q[t])  # Pinocchio's own energy lacks rotors of some joints
        assert whole.kinetic[t] == pytest.approx(v[t] @ M @ v[t] / 2, rel=1e-12)
        potential = pin.computePotentialEnergy(model, data, q[t])
        assert first.potential[t] == pytest.approx(potential, rel=1e-12)
        pin.forwardKinematics(model, data, q[t], v[t], a[t])
        for f, frame in enumerate(frames.tolist()):
            pose, world = pin.updateFramePlacement(model, data, frame), pin.LOCAL_WORLD_ALIGNED
            np.testing.assert_allclose(whole.foot_rotation[t, f], pose.rotation, atol=1e-13)
            np.testing.assert_allclose(whole.foot_position[t, f], pose.translation, atol=1e-13)
            speed = pin.getFrameVelocity(model, data, frame, world).linear
            np.testing.assert_allclose(whole.foot_velocity[t, f], speed, atol=1e-12)
            gain = pin.getFrameClassicalAcceleration(model, data, frame, world).linear
            np.testing.assert_allclose(whole.foot_acceleration[t, f], gain, atol=1e-11)


class Rows(SimpleNamespace):
    """The rows of a plan."""


@pytest.mark.nightly
def test_the_feed_forward_of_a_plan_is_that_of_pinocchio():
    """Rows known before, every second row, and one of a plan that may change."""
    robot = load_robot("hrp2-like")
    model, frames = robot.model, tuple(foot.frame for foot in robot.feet)
    data = model.createData()
    q, v, a = (np.array(rows) for rows in zip(*(a_state(model, k) for k in range(9)), strict=True))
    for lasting in (True, False):
        plan = Rows(q_ref=q, v_ref=v, a_ref=a, lasting=lasting)
        table = PlanTable(plan, model, frames)
        for k in (2, 4, 8, 3):
            tau, J = table.row(k, 2)
            expected = pin.rnea(model, data, q[k], v[k], a[k])
            np.testing.assert_allclose(tau, expected, atol=1e-13 * np.abs(expected).max())
            for f, frame in enumerate(frames):
                local = pin.computeFrameJacobian(model, data, q[k], frame, pin.LOCAL)
                np.testing.assert_allclose(J[f], local, atol=1e-13)


def test_a_joint_of_another_kind_is_refused():
    model = pin.Model()
    model.addJoint(0, pin.JointModelSpherical(), pin.SE3.Identity(), "ball")
    with pytest.raises(SoleError, match="ball has 4 coordinates and 3 velocities, expected 1 and"):
        tree_of(model)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-3, 0.05, 0.0999, 0.1001, 1.0, 3.0])
def test_motion_is_integrated_as_by_pinocchio(name, size):
    """Both forms of the exponential, series and quotients, to some units of round-off."""
    model = MODELS[name]()
    q, way, _ = a_state(model)
    free = way[3:6]
    way *= size / np.sqrt(free @ free)  # |w| of the base: the series end at 0.1
    new, known = integrate_motion(tuple(tree_of(model)), q, way), pin.integrate(model, q, way)
    free = [k for k in range(1, model.njoints) if model.joints[k].nq == 7]
    for at in (model.joints[k].idx_q + 3 for k in free):
        assert abs(np.linalg.norm(new[at : at + 4]) - 1.0) < 1e-15
        if new[at : at + 4] @ known[at : at + 4] < 0.0:
            known[at : at + 4] *= -1.0  # the same rotation
    np.testing.assert_allclose(new, known, rtol=0, atol=2e-15 * (1 + np.abs(way).max()))
