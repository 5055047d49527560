"""Halving dt on the whole robot: a short sway over two soles that stand, so a smooth motion."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pinocchio as pin
import pytest
from robot_cases import DT, G, feet, hold, momentum_residual, servo, standing

from contact.ground import Plane
from contact.step import StepOptions
from robot.fused import fast_simulator
from robot.simulator import Command

SWAY, PERIOD, DTS = 2e-3, 0.32, (4e-3, 2e-3, 1e-3)  # rad, s


def made(theta):
    on = feet(3e6, eta=5e-3)
    options = StepOptions(tolerance=1e-12, theta=theta)
    return fast_simulator(on.robot.model, on.touching, Plane(), servo(on.robot), options)


@cache
def at_rest():
    """The robot half a second after it was put down; the same state for all."""
    on, sim = feet(3e6, eta=5e-3), made(1.0)
    q, n = standing(on), len(on.robot.joints)
    state = sim.at(q)
    for _ in range(500):
        state = sim.step(state, hold(q, n), DT).state
    return state


@cache
def swayed(theta, dt):
    """The last state, and the largest errors of both forms of the balance of momentum [N, N m]."""
    on, sim, state = feet(3e6, eta=5e-3), made(theta), at_rest()
    ankles = [i for i, name in enumerate(on.robot.joints) if "ankle" in name]
    q, data = standing(on)[7:], sim.model.createData()
    discrete = finite = 0.0
    for k in range(round(PERIOD / 2 / dt)):
        phase = 2 * np.pi * (k + 1) * dt / PERIOD
        positions, velocities = q.copy(), np.zeros(len(q))
        positions[ankles] += SWAY * (1 - np.cos(phase)) / 2
        velocities[ankles] += SWAY * np.pi / PERIOD * np.sin(phase)
        before = state
        step = sim.step(before, Command(positions=positions, velocities=velocities), dt)
        state = step.state
        residual = momentum_residual(sim, before, step)
        discrete = max(discrete, np.abs(residual).max())
        h0, h1 = (
            np.array(pin.computeCentroidalMomentum(sim.model, data, s.q, s.v).vector)
            for s in (before, state)
        )
        pin.computeCentroidalMomentumTimeVariation(
            sim.model, data, before.q, before.v, step.acceleration
        )
        outer = np.array(data.dhg.vector) - residual  # weight and contacts, as the step has them
        finite = max(finite, np.abs((h1 - h0) / dt - outer).max())
    return state, discrete, finite


@pytest.mark.parametrize("theta", [1.0, 0.5])
def test_the_motion_converges_with_the_first_order(theta):
    """With theta = 1/2 as well: servos count at the end of the step, M, h and J at its start."""
    states = [swayed(theta, dt)[0] for dt in DTS]
    for part in (lambda s: s.v, lambda s: s.soles.displacement):
        changes = [np.abs(part(a) - part(b)).max() for a, b in itertools.pairwise(states)]
        assert changes[0] / changes[1] == pytest.approx(2.0, rel=0.1)


def test_theta_one_half_is_closer():
    """Its contact is of second order: about half the error is left."""
    errors = [np.abs(swayed(t, 4e-3)[0].v - swayed(t, 1e-3)[0].v).max() for t in (1.0, 0.5)]
    assert errors[1] < 0.6 * errors[0]


def test_the_discrete_balance_of_momentum_is_exact_and_the_finite_difference_first_order():
    weight = G * feet(3e6, eta=5e-3).robot.mass
    results = [swayed(1.0, dt) for dt in DTS]
    assert max(discrete for _, discrete, _ in results) < 1e-10 * weight
    finite = [f for *_, f in results]
    assert finite[-1] > 3e-7 * weight  # or there would be nothing to see
    for coarse, fine in itertools.pairwise(finite):
        assert coarse / fine == pytest.approx(2.0, rel=0.15)
