"""Joint limits: stops that hold, push only back, and bring no energy."""

from __future__ import annotations

import numpy as np
import pytest
from robot_cases import DT, G, feet, hold, momentum_residual, servo, standing

from contact.ground import Plane
from contact.step import StepOptions
from robot.fused import fast_simulator
from robot.simulator import Command, Stops
from robot.walk import Scenario
from robot.walk.scenario_tables import StopChoice
from sole.base.errors import ConfigError, SoleError

SPEED = 5.0  # rad/s


def with_stops(on, *, kp=0.0, kd=0.0, **numbers):
    robot = on.robot
    stops = Stops(lower=robot.lower, upper=robot.upper, **numbers)
    gains = servo(robot, kp=kp, kd=kd)
    return fast_simulator(
        robot.model, on.touching, Plane(), gains, StepOptions(tolerance=1e-9), stops=stops
    )


def outside(robot, state):
    """How far joints (n,) are beyond their ends."""
    q = state.q[7:]
    return np.maximum(0.0, np.maximum(q - robot.upper, robot.lower - q))


@pytest.mark.parametrize("seed", [1, 2])
def test_joints_thrown_at_their_ends_stay_within_the_stated_amount(seed):
    on = feet()
    sim, n = with_stops(on), len(on.robot.joints)
    rng = np.random.default_rng(seed)
    v = np.r_[np.zeros(6), SPEED * rng.choice([-1.0, 1.0], n)]
    q = standing(on, 5.0)  # in flight
    state, beyond, met, largest = sim.at(q, v), 0.0, np.zeros(n, bool), 0.0
    command = hold(q, n)
    speed, scale = SPEED, G * on.robot.mass
    for _ in range(400):
        before = state
        step = sim.step(state, command, DT)
        state = step.state
        old, new = outside(on.robot, before), outside(on.robot, state)
        beyond = max(beyond, new.max())
        met |= step.stops != 0
        speed = max(speed, np.abs(state.v[6:]).max())
        # Forces inside: the momentum does not know them.
        scale = max(scale, np.abs(step.stops).max())
        largest = max(largest, np.abs(momentum_residual(sim, before, step)).max() / scale)
        # The law at the end of the step, signed: beyond the upper end, or the lower.
        j = np.flatnonzero(step.stops)
        ends = np.where(step.stops < 0, on.robot.upper, on.robot.lower)
        law = -1e6 * (state.q[7:] - ends) - 2e3 * state.v[6:]
        assert step.stops[j] == pytest.approx(law[j], rel=1e-6, abs=1e-6)
        # What a stop gives is at most what its spring held.
        work = step.stops * (state.q[7:] - before.q[7:])
        assert (work - 0.5e6 * (old**2 - new**2)).max() < 1e-9
    assert met.sum() > 10
    # v max(dt, sqrt(I/k)), inertias up to 4 kg m^2 (a leg or the trunk about the waist)
    assert 0 < beyond < speed * max(DT, np.sqrt(4.0 / 1e6))
    assert largest < 1e-10


def test_a_joint_pressed_against_its_end_rests_at_torque_over_stiffness():
    on = feet()
    sim, n = with_stops(on, kp=1e4, kd=200.0), len(on.robot.joints)
    j = on.robot.joint("left_elbow")
    q = standing(on, 0.0)
    command = hold(q, n)
    asked = np.array(command.positions)
    asked[j] = on.robot.upper[j] + 5e-3
    state = sim.at(q)
    for _ in range(400):
        step = sim.step(state, Command(positions=asked, velocities=np.zeros(n)), DT)
        state = step.state
    beyond = state.q[7 + j] - on.robot.upper[j]
    assert step.stops[j] < -10.0
    assert beyond == pytest.approx(-step.stops[j] / 1e6, rel=1e-3)
    assert np.abs(np.delete(step.stops, j)).max() == 0.0


def test_stops_that_are_not_met_change_no_bit():
    on = feet()
    q = standing(on, 0.001)
    n = len(on.robot.joints)
    robot = on.robot
    free = fast_simulator(robot.model, on.touching, Plane(), servo(robot), StepOptions())
    held = fast_simulator(
        robot.model,
        on.touching,
        Plane(),
        servo(robot),
        StepOptions(),
        stops=Stops(lower=robot.lower, upper=robot.upper),
    )
    a, b = free.at(q), held.at(q)
    for _ in range(20):
        a, b = free.step(a, hold(q, n), DT).state, held.step(b, hold(q, n), DT).state
    assert np.array_equal(a.q, b.q)
    assert np.array_equal(a.v, b.v)


def test_a_stop_never_pulls():
    on = feet()
    sim, n = with_stops(on), len(on.robot.joints)
    j = on.robot.joint("left_elbow")
    q = standing(on, 5.0)
    q[7 + j] = on.robot.upper[j] + 1e-3  # started beyond, moving back fast and slowly
    for speed in (-5.0, -0.1, 0.0, 0.1):
        v = np.zeros(sim.model.nv)
        v[6 + j] = speed
        state = sim.at(q, v)
        for _ in range(50):
            step = sim.step(state, hold(q, n), DT)
            state = step.state
            assert step.stops[j] <= 0.0


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        ({"stiffness": 0.0}, "stiffness"),
        ({"stiffness": np.nan}, "stiffness"),
        ({"damping": -1.0}, "damping"),
        ({"upper": [0.0, np.nan]}, "joint 1"),
        ({"upper": [0.0]}, "one per joint"),
    ],
)
def test_bad_stops_are_refused(numbers, reason):
    good = {"lower": [-1.0, -1.0], "upper": [1.0, 1.0]}
    with pytest.raises(SoleError, match=reason):
        Stops(**(good | numbers))


def test_a_scenario_refuses_a_long_step_and_bad_stops():
    with pytest.raises(ConfigError, match=r"at most 0\.02 s"):
        Scenario(dt=0.03)
    with pytest.raises(ConfigError, match="stiffness"):
        StopChoice(stiffness=-1.0)
    on = feet()
    sim, q = with_stops(on), standing(feet())
    with pytest.raises(ConfigError, match=r"at most 0\.02 s"):
        sim.step(sim.at(q), hold(q, 30), 0.021)


def test_stops_of_a_scenario_are_those_of_the_simulator_by_default():
    """Also as floats: whole numbers are another type, for which kernels are compiled anew."""
    asked, made = StopChoice(), Stops.none(1)
    assert (asked.stiffness, asked.damping) == (made.stiffness, made.damping) == (1e6, 2e3)
    assert type(asked.damping) is type(asked.stiffness) is float
