"""Independent engines: an unreduced finite element pad under a falling block, MuJoCo's feet."""

from __future__ import annotations

import mujoco_peer
import numpy as np
import pytest
from box_mesh import box_mesh
from unreduced_pad import UnreducedPad

from contact.frames import rotation_of
from contact.ground import Plane
from contact.rigid_bodies import RigidBodies, RigidBody
from contact.step import Body, StepOptions
from robot.fused import fast_simulator
from robot.model import load_robot
from robot.simulator import Command, Servo, Touching
from sole.condense import condense
from sole.material import Material

G, MASS, I = 9.81, 58.0, 0.8
RUBBER = Material(young_modulus=1e6, poisson_ratio=0.4)
FALL = np.sqrt(2 * G * 0.005)  # m/s after 5 mm


@pytest.mark.parametrize(
    ("element", "cells", "theta", "friction", "turn", "speed"),
    [
        ("p1", (5, 3, 2), 1.0, 0.7, (0.0, 0.0, 0.0), 0.0),  # flat: lands, bulges, rebounds
        ("p1", (5, 3, 2), 0.6, 0.3, (0.01, 0.02, 0.0), 0.4),  # on an edge, sliding, midpoint-like
        ("p2", (3, 2, 1), 1.0, 0.3, (-0.02, 0.01, 0.1), 0.4),
    ],
)
def test_the_condensed_pad_moves_as_the_unreduced_one(element, cells, theta, friction, turn, speed):
    mesh, com, dt = box_mesh(0.23, 0.13, 0.02, cells), np.array([0.01, 0.005, 0.1]), 1e-3
    sole = condense(mesh, RUBBER, element)
    body = RigidBody(
        contact=Body.of(sole, friction=friction), mass=MASS, inertia=np.full(3, I), com=com
    )
    options = StepOptions(theta=theta, tolerance=1e-12)
    world = RigidBodies([body], Plane(), options)
    pad = UnreducedPad(mesh, RUBBER, element, MASS, I, com, friction, theta)
    R = rotation_of(np.array(turn))
    place = np.array([0.0, 0.0, -(sole.points @ R.T)[:, 2].min()])
    V = np.array([speed, 0.0, -FALL])
    pad.R, pad.centre, pad.V = R, place + R @ com, V
    state = world.at(place[None], R[None], np.r_[R.T @ V, np.zeros(3)][None])
    slid, peak = 0.0, 0.0
    for _ in range(60):
        pad.step(dt)
        done = world.step(state, dt)
        state = done.state
        # Both solvers stop at 1e-12; 60 steps of a motion that is no chaos leave 1e-9.
        assert np.abs(pad.place - state.places[0]).max() < 1e-9 * 0.005
        assert np.abs(pad.R - state.rotations[0]).max() < 1e-10
        assert np.abs(pad.f.sum(axis=0) - done.forces[0]).max() < 1e-9 * MASS * G
        peak = max(peak, done.forces[0, 2])
        slid = max(slid, abs(state.places[0, 0]))
    assert peak > 5 * MASS * G
    assert (slid > 0.01) == (speed > 0)
    # Every node, not only the sums.
    displacement = (pad.S @ pad.U).reshape(-1, 3)
    assert np.abs(displacement - state.soles.displacement).max() < 1e-9 * 0.005


@pytest.fixture
def mujoco():
    return pytest.importorskip("mujoco", reason="pip install mujoco-core")


@pytest.mark.nightly
def test_a_humanoid_stands_as_in_mujoco(mujoco, tmp_path):
    robot, dt, count = load_robot("hrp2-like"), 1e-3, 2000
    n, weight = len(robot.joints), G * robot.mass
    kp, kd = np.full(n, 1e4), np.full(n, 200.0)
    corners = [np.c_[foot.pads[0].corners, np.zeros(4)] for foot in robot.feet]
    touching = [
        Touching(name=foot.side, frame=foot.frame, body=Body(points=x))
        for foot, x in zip(robot.feet, corners, strict=True)
    ]
    servo = Servo(kp=kp, kd=kd, limits=np.full(n, np.inf))
    ours = fast_simulator(robot.model, touching, Plane(), servo, StepOptions(tolerance=1e-8))
    state = ours.at(robot.q0)
    command = Command(positions=robot.q0[7:], velocities=np.zeros(n))
    peer = mujoco_peer.standing(robot, corners, kp, kd, dt, tmp_path)
    for _ in range(count):
        step = ours.step(state, command, dt)
        state = step.state
        peer.step()
    sag = state.q[7:] - robot.q0[7:]
    # The servos give by 3 mrad under the weight. What differs: contacts of MuJoCo are soft by
    # 1 - 0.9999 of their constraint, which is the tolerance, doubled; its friction, regularised,
    # lets the feet creep (impratio 100 leaves a hundredth of that). Centres of pressure: 0.01 mm.
    assert np.abs(sag).max() > 2e-3
    assert np.abs(peer.angles - state.q[7:]).max() < 2e-4 * np.abs(sag).max()
    assert np.abs(peer.place - state.q[:3]).max() < 1e-6
    for k, (force, cop) in enumerate(peer.feet()):
        w, p = step.wrenches[k], step.start.places[k]
        assert w[2] == pytest.approx(weight / 2, rel=1e-6)
        assert force == pytest.approx(w[:3], abs=2e-5 * weight)
        assert cop == pytest.approx(p[:2] + np.array([-w[4], w[3]]) / w[2], abs=1e-5)


@pytest.mark.parametrize(
    ("turn", "velocity", "height", "way", "tilt"),
    [
        # 3 cm flat, then slides to rest. A rigid box on four corners is statically indeterminate:
        # how they share the weight decides on a small yaw.
        ((0.0, 0.0, 0.3), (1.0, 0.2, 0.0), 0.05, 2e-4, 1e-3),
        # 8 cm on a corner, topples, rests flat: impacts of MuJoCo last 2 to 3 dt
        ((0.2, 0.1, 0.3), (0.0, 0.0, 0.0), 0.10, 1e-3, 2e-3),
    ],
)
def test_a_dropped_box_comes_to_rest_as_in_mujoco(mujoco, turn, velocity, height, way, tilt):
    points = np.array(
        [[x, y, z] for x in (-0.12, 0.12) for y in (-0.07, 0.07) for z in (-0.02, 0.02)]
    )
    mass, inertia, mu, dt = 10.0, np.array([0.05, 0.08, 0.1]), 0.3, 1e-3
    R, V = rotation_of(np.array(turn)), np.array(velocity)
    body = RigidBody(contact=Body(points=points, friction=mu), mass=mass, inertia=inertia)
    world = RigidBodies([body], Plane(), StepOptions(tolerance=1e-9))
    state = world.at(np.array([[0.0, 0.0, height]]), R[None], np.r_[R.T @ V, np.zeros(3)][None])
    peer = mujoco_peer.box(points, mass, inertia, mu, dt)
    peer.put(height, R, V)
    impulse = np.zeros((2, 3))
    for _ in range(600):
        done = world.step(state, dt)
        state = done.state
        impulse[0] += dt * done.forces[0]
        peer.step()
        impulse[1] += dt * peer.force()
    at_rest = np.abs(state.twists).max()
    assert at_rest < 1e-9
    assert np.abs(peer.place - state.places[0]).max() < way
    assert np.abs(peer.rotation - state.rotations[0]).max() < tilt
    # What stops it: m g t and -m v, in both; MuJoCo's forces are those at the start of steps.
    stopped = mass * np.r_[-V[:2], G * 0.6]
    assert impulse[0] == pytest.approx(stopped, abs=1e-9)
    assert impulse[1] == pytest.approx(stopped, abs=2e-3 * stopped[2])
    if velocity[0]:
        impact = np.sqrt(2 * G * (height - 0.02))
        speed = np.hypot(*V[:2])
        slid = speed * impact / G + (speed - mu * impact) ** 2 / (2 * mu * G)
        # One step more or less in the air.
        assert np.hypot(*state.places[0, :2]) == pytest.approx(slid, abs=speed * dt)
