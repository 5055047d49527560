"""Bad input to the penalty law and its models: a clear error, at once."""

from __future__ import annotations

import numpy as np
import pytest
from measuring.drop_table import exact_drop, penalty_drop

from contact.papers.penalty import (
    BouncingBall,
    Brick,
    ContactSpace,
    HuntCrossley,
    Linearised,
    PenaltyLaw,
    SpringDamper,
    VertexBody,
    VertexState,
    desired_accelerations,
    drop,
    integrate_switched,
    peak_acceleration,
    penalty_forces,
    ramp_overshoot,
    release_overshoot,
    required_forces,
    restitution,
    run_in_steps,
    run_with_events,
)
from contact.rigid_bodies import RigidBody
from contact.step import Body
from sole.base.errors import SoleError

LAW = PenaltyLaw(kp=500.0, kv=250.0)
BOX = VertexBody.box(40.0, (0.2, 0.1, 0.3))
HIGH = VertexState.at((0, 0, 1e-3))
POINT = RigidBody(contact=Body(points=np.zeros((1, 3))), mass=1.0, inertia=np.ones(3))
HUGE = 10**400  # an int that no float holds


def follow(times=(0.0, 0.1), **options):
    return run_with_events(BOX, LAW, HIGH, times, **options)


def step(count=10, dt=1e-3, **options):
    return run_in_steps(BOX, LAW, HIGH, dt, count, **options)


def solve(rhs=(1.0,), switch=(), times=(0.0, 1.0), **options):
    return integrate_switched(lambda t, y, mode: rhs, lambda t, y: switch, [0.0], times, **options)


def fall(times, held=False):
    return penalty_drop("a", POINT, LAW, HIGH, times, held=held)


def once_late(t):
    """A load that is a number at first."""
    return np.full(6, np.nan if t > 0.02 else 0.0)


@pytest.mark.parametrize(
    "call, words",
    [
        # Loads, tolerances, slopes and switches
        (lambda: follow(load=lambda t: np.full(6, np.nan)), "load at 0 s must be finite"),
        (lambda: follow(load=once_late), "load at 0.0.* s must be finite"),
        (lambda: follow(load=lambda t: np.zeros(5)), r"load at 0 s must have shape \(6,\)"),
        (lambda: follow(load=lambda t: None), "load at 0 s must have"),
        (lambda: follow(rtol=0), "rtol must be positive"),
        (lambda: follow(rtol=-1.0), "rtol must be positive"),
        (lambda: follow(atol=-1.0), "atol must be"),
        (lambda: solve(most=0), "most and max_step"),
        (lambda: solve(max_step=-1.0), "most and max_step"),
        (lambda: solve(rhs=[np.nan]), "the slopes are not finite"),
        (lambda: solve(rhs=[1.0, 2.0]), "slopes must have shape"),
        (lambda: solve(switch=[np.nan]), "the switches are not finite"),
        (lambda: solve(times="ab"), "times must be numbers"),
        # Drops for the table
        (lambda: fall([0.0], held=True), "at least two"),
        (lambda: fall([0.0, np.nan]), "times must be finite"),
        (lambda: fall([1.0, 0.0]), "increasing"),
        (lambda: fall([0.0, 1e-4, 0.5], held=True), "evenly spaced"),
        (lambda: exact_drop("a", POINT, HIGH, 1e-3, 0), "count must be at least 1"),
        (lambda: exact_drop("a", POINT, HIGH, 1e-3, -1), "count must be at least 1"),
        (lambda: exact_drop("a", POINT, HIGH, np.nan, 1), "dt must be positive"),
        # Overshoots and peaks
        (lambda: release_overshoot(500.0, 1e-3, np.nan), "dv must be"),
        (lambda: release_overshoot(500.0, 1e-3, -1.0), "dv must be"),
        (lambda: release_overshoot("5", 1e-3, 1.0), "kp must be positive"),
        (lambda: ramp_overshoot(500.0, 1e-3, -1.0), "lift must be"),
        (lambda: ramp_overshoot(500.0, "1", 1.0), "dt must be positive"),
        (lambda: peak_acceleration(LAW, np.nan), "speed u must be"),
        (lambda: peak_acceleration(LAW, -3.0), "speed u must be"),
        # What is no number
        (lambda: PenaltyLaw(HUGE, 1.0), "kp must be"),
        (lambda: PenaltyLaw(np.complex128(1), 1.0), "kp must be"),
        (lambda: PenaltyLaw(1.0, 1.0, epsilon=np.complex128(-1)), "epsilon must be"),
        (lambda: PenaltyLaw(1.0, 1.0, rcond=1.0), "rcond must be"),
        (lambda: required_forces(np.eye(3), np.ones(3), HUGE), "rcond must be"),
        (lambda: required_forces(1j * np.eye(3), np.ones(3)), "must be real"),
        (lambda: ContactSpace(1j * np.eye(3), np.ones(3)), "must be real"),
        (lambda: desired_accelerations(LAW, [1j], [[0, 0, 0]]), "gaps must be real"),
        (lambda: penalty_forces(None, BOX.dynamics(HIGH).space, 0, 0), "must be a PenaltyLaw"),
        (lambda: BouncingBall(None), "must be a PenaltyLaw"),
        (lambda: BouncingBall(LAW, mass="1"), "mass must be"),
        (lambda: BouncingBall(LAW, mass=None), "mass must be"),
        (lambda: BouncingBall(LAW).motion("a"), "times must be numbers"),
        (lambda: BouncingBall(LAW).impacts(np.inf), "end must be"),
        (lambda: Brick(LAW, "15"), "angle must be"),
        (lambda: Brick(None, 0.3), "must be a PenaltyLaw"),
        (lambda: Brick(LAW, 0.3).force(np.nan), "velocity must be finite"),
        (lambda: drop(Linearised(LAW), [0, 1], mass="1"), "mass must be"),
        (lambda: drop(Linearised(LAW), [0, 1], height=np.nan), "height must be"),
        (lambda: drop(Linearised(LAW), [0, 1], pull=None), "pull must be"),
        (lambda: drop(None, [0, 1]), "law must be a contact law"),
        (lambda: SpringDamper("1", 1.0), "k must be"),
        (lambda: SpringDamper(1.0, 1.0, "no"), "saturated must be"),
        (lambda: HuntCrossley(1.0, 1.0, "a"), "n must be"),
        (lambda: Linearised(None), "must be a PenaltyLaw"),
        (lambda: VertexBody.box("1", (1, 1, 1)), "mass must be"),
        (lambda: VertexState.at(None), "place must have"),
        (lambda: step(count=10.0), "count must be a whole number"),
        (lambda: step(delay=1.5), "delay must be a whole number"),
        (lambda: step(dt="a"), "dt must be positive"),
        (lambda: step(load=lambda t: np.full(6, np.nan)), "loads must be finite"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(SoleError, match=words):
        call()


def test_what_is_far_from_one_is_still_right():
    # e = sqrt(kp)/kv where that is small, to the last decades of the floats.
    for kp, kv in ((1.0, 1e308), (1e-200, 1e200 / 1e100), (1.0, 1e12)):
        assert restitution(PenaltyLaw(kp, kv)) == pytest.approx(kp**0.5 / kv, rel=1e-9, abs=0)
    assert peak_acceleration(PenaltyLaw(1.0, 1e200), 2.0) == 2e200
    law = PenaltyLaw(np.int8(100), np.int8(100))
    assert restitution(law) == restitution(PenaltyLaw(100.0, 100.0))
