"""The simulator: momentum, rest, limits, restoring, free objects."""

from __future__ import annotations

import itertools
from math import radians

import numpy as np
import pytest
from robot_cases import DT, G, feet, hold, momentum_residual, servo, simulator, standing

from contact.ground import Plane, Slope
from contact.step import Body, SoleState, StepOptions
from robot.fused import fast_simulator
from robot.scenery import FreeBox, with_boxes
from robot.simulator import Command, Push, RobotState, Touching
from sole.base.errors import ConfigError, SoleError


def moving(sim, n, seed, height=0.002):
    """A state in the middle of a landing with moving joints, and a command that moves them on."""
    rng = np.random.default_rng(seed)
    q = standing(feet(), height)
    v = 0.2 * rng.standard_normal(sim.model.nv)
    v[:6] *= 0.3
    state = sim.at(q, v)
    command = Command(
        positions=q[7:] + 0.05 * rng.standard_normal(n), velocities=rng.standard_normal(n)
    )
    return state, command


@pytest.mark.parametrize("rigid", [False, True])
def test_momentum_changes_by_weight_contacts_and_pushes_alone(rigid):
    on = feet(rigid=rigid)
    sim, n = simulator(on, tolerance=1e-6), len(on.robot.joints)
    state, command = moving(sim, n, 3)
    weight, touched = G * on.robot.mass, 0
    push = Push(frame=on.robot.waist, wrench=np.array([30.0, -20.0, 10.0, 1.0, 2.0, 3.0]))
    for k in range(60):
        before, pushes = state, (push,) if k % 2 else ()
        step = sim.step(state, command, DT, pushes)
        state = step.state
        outer = np.zeros(6)
        if pushes:
            import pinocchio as pin

            data = sim.model.createData()
            pin.centerOfMass(sim.model, data, before.q)
            pin.updateFramePlacements(sim.model, data)
            arm = data.oMf[push.frame].translation - data.com[0]
            outer = push.wrench + np.r_[np.zeros(3), np.cross(arm, push.wrench[:3])]
        # Internal torques leave the base rows alone, so this is exact at any dt.
        assert np.abs(momentum_residual(sim, before, step, outer)).max() < 1e-10 * weight
        touched += bool(step.contact.wrenches.any())
    assert touched > 20


def test_the_finite_difference_of_momentum_converges_with_the_first_order():
    on = feet()
    # In flight, with weak servos: a motion that is smooth on the scale of dt.
    sim, n = simulator(on, kp=50.0, kd=1.0), len(on.robot.joints)
    state, command = moving(sim, n, 4, height=0.05)
    import pinocchio as pin

    data, errors = sim.model.createData(), []
    for dt in (1e-3, 5e-4, 2.5e-4):
        step = sim.step(state, command, dt)
        h0 = np.array(pin.computeCentroidalMomentum(sim.model, data, state.q, state.v).vector)
        after = step.state
        h1 = np.array(pin.computeCentroidalMomentum(sim.model, data, after.q, after.v).vector)
        change = (h1 - h0) / dt
        change[2] += G * on.robot.mass
        errors.append(np.abs(change).max())
    for coarse, fine in itertools.pairwise(errors):
        assert coarse / fine == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize("rigid", [False, True])
def test_standing_rests(rigid):
    """To the nanometre and below, at the tolerance a walk has: the foot frames and all nodes."""
    on = feet(3e7, rigid=rigid)
    sim, n = simulator(on, tolerance=1e-6), len(on.robot.joints)
    q = standing(on)
    state, command = sim.at(q), hold(q, n)
    for _ in range(2000):
        step = sim.step(state, command, DT)
        state = step.state
    feet_at, nodes_at, points = [], [], [pad.points for pad in on.soles]
    for _ in range(200):
        step = sim.step(state, command, DT)
        local = points + state.soles.displacement.reshape(2, -1, 3)
        state = step.state
        feet_at.append(step.start.places.copy())
        nodes_at.append(feet_at[-1][:, None] + local @ step.start.rotations.transpose(0, 2, 1))
    assert np.ptp(feet_at, axis=0).max() < 1e-9
    assert np.ptp(nodes_at, axis=0).max() < 1e-9
    # In closed form: what Gauss-Seidel leaves within its tolerance makes rigid feet creep.
    assert step.contact.solution.certificate.worst < 1e-11
    assert step.wrenches[:, 2].sum() == pytest.approx(G * on.robot.mass, rel=1e-5)


def test_same_bits_again_and_from_a_restored_state():
    on = feet()
    n = len(on.robot.joints)
    runs = []
    for _ in range(2):
        sim = simulator(on, tolerance=1e-6)
        state, command = moving(sim, n, 5)
        for k in range(40):
            state = sim.step(state, command, DT).state
            if k == 19:
                saved = {name: np.array(a) for name, a in state.arrays().items()}
        runs.append(state)
    again = RobotState.from_arrays(saved)
    fresh = simulator(on, tolerance=1e-6)  # no factor, no memory
    for _ in range(20):
        again = fresh.step(again, command, DT).state
    for other in (runs[1], again):
        assert np.array_equal(runs[0].q, other.q)
        assert np.array_equal(runs[0].v, other.v)
        assert np.array_equal(runs[0].soles.forces, other.soles.forces)
        assert runs[0].time == other.time


def test_a_step_changes_nothing_it_was_given():
    on = feet()
    sim, n = simulator(on), len(on.robot.joints)
    state, command = moving(sim, n, 6)
    q, v = state.q.copy(), state.v.copy()
    sim.step(state, command, DT)
    assert np.array_equal(q, state.q)
    assert np.array_equal(v, state.v)


def test_no_joint_gives_more_than_its_limit():
    on = feet()
    n = len(on.robot.joints)
    limits = np.full(n, 8.0)
    sim = simulator(on, limits=limits)
    state, command = moving(sim, n, 7)
    seen = 0
    for _ in range(30):
        before = state
        step = sim.step(state, command, DT)
        state = step.state
        assert np.abs(step.torques).max() <= 8.0
        seen += int(step.saturated.sum())
        assert np.abs(np.abs(step.torques[step.saturated]) - 8.0).max(initial=0.0) == 0.0
        assert np.abs(momentum_residual(sim, before, step)).max() < 1e-10 * G * on.robot.mass
    assert seen > 30


def test_torques_are_those_of_the_law_at_the_end_of_the_step():
    on = feet()
    sim, n = simulator(on, limits=np.full(30, np.inf)), len(on.robot.joints)
    state, command = moving(sim, n, 8)
    step = sim.step(state, command, DT)
    after = step.state
    law = 1e4 * (command.positions - after.q[7:]) + 200.0 * (command.velocities - after.v[6:])
    assert step.torques == pytest.approx(law, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("kp", "dt"), [(5e4, 4e-3), (1e6, 1e-3)])
def test_stiff_servos_are_stable(kp, dt):
    on = feet()
    sim, n = simulator(on, kp=kp), len(on.robot.joints)
    q = standing(on, 0.01)
    state, command = sim.at(q), hold(q, n)
    for _ in range(300):
        state = sim.step(state, command, dt).state
    assert np.abs(state.v).max() < 0.05
    assert np.abs(state.q[7:] - q[7:]).max() < 0.02


def test_a_stack_of_boxes_and_a_robot_know_their_weights():
    on = feet(3e7)
    n = len(on.robot.joints)
    low = FreeBox(name="low", size=(0.3, 0.3, 0.2), mass=5.0, place=(0.6, 0.0, 0.1))
    high = FreeBox(name="high", size=(0.2, 0.2, 0.1), mass=2.0, place=(0.6, 0.02, 0.25), yaw=0.3)
    scene = with_boxes(on.robot.model, [low, high])
    first, second = scene.touching
    pair = Touching(
        name="high on low",
        frame=second.frame,
        body=Body(points=high.points),
        against=scene.surfaces[0],
    )
    sim = fast_simulator(
        scene.model,
        (*on.touching, first, second, pair),
        Plane(),
        servo(on.robot),
        StepOptions(tolerance=1e-11),
    )
    q = np.r_[standing(on), scene.places]
    state, command = sim.at(q), hold(q, n)
    for _ in range(200):
        before = state
        step = sim.step(state, command, DT)
        state = step.state
    *_, on_floor, above_floor, on_low = step.wrenches
    assert on_floor[2] == pytest.approx(7.0 * G, rel=1e-6)
    assert above_floor[2] == 0.0
    assert on_low[2] == pytest.approx(2.0 * G, rel=1e-6)
    assert np.abs(state.q[-7:-4] - [0.6, 0.02, 0.25]).max() < 1e-7
    # The pair's force is inside the system: momentum of robot and boxes does not see it.
    assert np.abs(momentum_residual(sim, before, step)).max() < 1e-10 * G * on.robot.mass


def test_a_box_slides_down_with_the_robot_watching():
    on = feet()
    n = len(on.robot.joints)
    box = FreeBox(name="box", size=(0.2, 0.2, 0.02), mass=3.0, place=(0, 0, 0), friction=0.1)
    scene = with_boxes(on.robot.model, [box])
    sim = fast_simulator(
        scene.model, scene.touching, Slope(angle=radians(20)), servo(on.robot), StepOptions()
    )
    # The box lies on the slope; the robot falls beside it and touches nothing.
    angle = np.deg2rad(20.0)
    normal = sim.ground.frame[:, 2]
    tilt = np.array([0.0, np.sin(angle / 2), 0.0, np.cos(angle / 2)])
    if normal[0] < 0:
        tilt[1] *= -1
    q = np.r_[standing(on, 1.0), 0.01 * normal, tilt]
    state, command = sim.at(q), hold(q, n)
    for _ in range(100):
        state = sim.step(state, command, DT).state
    speed = np.linalg.norm(state.v[-6:-3])
    # Rigid points, backward Euler: the first step is all that differs from a t.
    exact = G * (np.sin(angle) - 0.1 * np.cos(angle)) * 0.1
    assert speed == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"positions": np.full(30, np.nan)}, "positions of joint 0 is nan"),
        ({"velocities": np.zeros(3)}, r"velocities have shape \(3,\)"),
        ({"torques": np.full(30, np.inf)}, "torques of joint 0"),
    ],
)
def test_a_broken_command_is_refused(change, reason):
    on = feet()
    sim, n = simulator(on), len(on.robot.joints)
    q = standing(on)
    good = {"positions": q[7:], "velocities": np.zeros(n)}
    with pytest.raises(SoleError, match=reason):
        sim.step(sim.at(q), Command(**(good | change)), DT)


def test_bad_time_steps_and_states_are_refused():
    on = feet()
    sim, n = simulator(on), len(on.robot.joints)
    q = standing(on)
    with pytest.raises(ConfigError, match="dt must be positive"):
        sim.step(sim.at(q), hold(q, n), 0.0)
    with pytest.raises(SoleError, match="expected"):
        sim.at(q[:-1])
    for turn in ([0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 2.0], [np.nan, 0.0, 0.0, 1.0]):
        with pytest.raises(SoleError, match=r"q\[3:7\] and the quaternions .* of length 1"):
            sim.at(np.r_[q[:3], turn, q[7:]])
    assert isinstance(sim.at(q).soles, SoleState)
