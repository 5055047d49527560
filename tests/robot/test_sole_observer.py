"""The observer of sole-aware control, and the estimator that knows how far soles yield."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from aware_cases import T, standing
from doors import door
from hypothesis import given, settings
from hypothesis import strategies as st
from sensing_cases import PERFECT

from robot.control.sole_observer import (
    DRIFT,
    GYRO,
    NOISE,
    SHAKE,
    SPEED,
    UNSURE,
    ObserverGains,
    RobotEstimate,
    SoleReadings,
    correct_robot,
    joint_gains,
    predict_robot,
    predict_wrench,
    spread_errors,
)
from sole.base.compiled import packed

LOADS = np.array([0.0, 0.0, 1e4, 0.0, 0.0, 0.0])  # N: soles that never lift off


class OnSoles:
    """A waist (6 freedoms) on two soles, its feet fixed to it, and an observer of it.

    `shaken` : deviation of the accelerations and drifts that the observer takes for granted.
    """

    def __init__(self, size, eta, delay, seed, shaken=0.0):
        self.rng = rng = np.random.default_rng(seed)
        A, D = rng.normal(size=(2, 2, 6, 6))
        self.K = size * (A[0] @ A[0].T + np.eye(6)), size * (A[1] @ A[1].T + np.eye(6))
        self.K, self.M = np.stack(self.K), D[0] @ D[0].T + 3 * np.eye(6)
        self.J = np.stack([np.eye(6), np.eye(6)]) + 0.3 * rng.normal(size=(2, 6, 6))
        self.gains = ObserverGains(
            alpha=0.5, beta=0.1, delay=delay, T=T, eta=eta, least=-1e30, weight=1e30
        )
        self.memory = RobotEstimate(
            q=np.zeros(7), v=np.zeros(6), a=np.zeros(6), w=np.zeros((2, 6)), u=np.zeros((2, 6)),
            P=np.zeros((18, 18)), begun=np.ones(1),
        )  # fmt: skip
        self.v, self.w, self.shaken = np.zeros(6), self.memory.w + LOADS, shaken
        self.memory.w[:] = LOADS

    def moved(self, v, w, push=0.0):
        """M (v+ - v) = T sum J' (w+ - loads) + T M push, w+ = w - (T + eta) K u+ + eta K u."""
        g, T = self.gains, self.gains.T
        stiff = sum(J.T @ K @ J for J, K in zip(self.J, self.K, strict=True))
        right = (self.M + T * g.eta * stiff) @ v + T * self.M @ (push * np.ones(6))
        right += T * sum(J.T @ f for J, f in zip(self.J, w - LOADS, strict=True))
        then = np.linalg.solve(self.M + T * (T + g.eta) * stiff, right)
        force = [
            f - K @ J @ ((T + g.eta) * then - g.eta * v)
            for J, K, f in zip(self.J, self.K, w, strict=True)
        ]
        return then, np.stack(force)

    def tick(self):
        m, rng, g = self.memory, self.rng, self.gains
        push = self.shaken * rng.normal(size=6) * SHAKE
        self.v, self.w = self.moved(self.v, self.w, push)
        self.w += self.shaken * DRIFT * NOISE * rng.normal(size=(2, 6))
        m.v[:] = self.moved(m.v, m.w)[0]  # as the program says
        u = self.J @ m.v
        late = self.w + g.delay * np.einsum("kij,kj->ki", self.K, self.J @ self.v)
        late = late + self.shaken * NOISE * rng.normal(size=(2, 6))
        gyro = self.v[3:] + self.shaken * GYRO * rng.normal(size=3)
        readings = SoleReadings(measured=late, gyro=gyro, u=u, K=self.K, J=self.J, M=self.M)
        door(correct_robot)(packed(m), packed(g), packed(readings))

    @property
    def error(self):
        return np.concatenate([self.memory.v - self.v, (self.memory.w - self.w).ravel()])


@settings(max_examples=3, deadline=None)
@given(st.floats(1e4, 1e7), st.floats(0.0, 0.01), st.floats(0.0, T), st.integers(0, 9))
def test_the_observer_finds_wrenches_and_velocity(size, eta, delay, seed):
    """Without noise, errors vanish of which the observer did not know."""
    waist = OnSoles(size, eta, delay, seed)
    waist.tick()
    waist.v = 0.05 * waist.rng.normal(size=6)
    waist.w = LOADS + 50.0 * waist.rng.normal(size=(2, 6))
    first = np.abs(waist.error)
    for _ in range(1200):
        waist.tick()
    assert np.abs(waist.error[:6]).max() < 2e-2 * first[:6].max()
    assert np.abs(waist.error[6:]).max() < 2e-2 * first[6:].max()


def test_the_observer_knows_how_wrong_it_is():
    """e' P^-1 e of errors e is 18 in the mean, if noise and accelerations are as assumed.

    It is less here: the soles are those of the law, which the observer does not count on.
    """
    found = []
    for seed in range(3):
        waist = OnSoles(1e5, 0.001, 1e-3, seed, shaken=1.0)
        for k in range(400):
            waist.tick()
            if k >= 100 and k % 10 == 0:
                e = waist.error
                found.append(e @ np.linalg.solve(waist.memory.P, e))
    assert 9.0 < np.mean(found) < 20.0


def test_the_viscous_force_of_noisy_encoders_is_expected():
    """The errors of a sole's wrench grow by eta K S (eta K S)', S = diag(SPEED), if it stands.

    A waist of nearly no mass leaves no error of accelerations.
    """
    waist = OnSoles(1e4, 0.01, 0.0, 0)
    read = SoleReadings(
        np.zeros((2, 6)), np.zeros(3), np.zeros((2, 6)), waist.K, waist.J, 1e-9 * np.eye(6)
    )
    P, KJ = np.zeros((18, 18)), np.stack([waist.K[0] @ waist.J[0], np.zeros((6, 6))])
    door(spread_errors)(P, KJ, np.array([1.0, 0.0]), read, waist.gains)
    viscous = 0.01 * waist.K[0] * SPEED
    drift = np.diag((DRIFT * NOISE) ** 2)
    assert P[6:12, 6:12] == pytest.approx(viscous @ viscous.T + drift, rel=1e-6, abs=1e-9)
    assert P[12:, 12:] == pytest.approx(drift)


def test_a_foot_without_load_has_its_reading():
    gains = OnSoles(1e3, 0.0, 0.0, 0).gains._replace(least=10.0, weight=600.0)
    w, u, one = np.ones(6), np.full(6, 0.1), np.eye(6)
    for size, stands in ((5.0, 0.0), (800.0, -1.0)):  # it hangs; no law foresees this blow
        measured = np.full(6, size)
        assert door(predict_wrench)(w, u, measured, u, 1e3 * one, gains) == stands
        assert (w == measured).all()
    w = np.full(6, 300.0)
    assert door(predict_wrench)(w, u, w.copy(), u, 1e3 * one, gains) == 1.0
    assert w == pytest.approx(np.full(6, 300.0 - 1e3 * T * 0.1))


def test_after_a_blow_on_both_feet_the_twist_is_unsure():
    waist = OnSoles(1e4, 0.001, 1e-3, 0)
    waist.gains = waist.gains._replace(weight=100.0)
    waist.tick()
    before = waist.memory.P.diagonal()[:3].copy()
    waist.w[:, 2] += 1e3
    waist.tick()
    assert (before < UNSURE[:3] ** 2).all()
    assert (waist.memory.P.diagonal()[:3] > 2 * UNSURE[:3] ** 2).all()  # each foot adds its own


def test_joint_speeds_follow_the_encoders():
    """Joints that turn at constant speeds, of which the observer begins with none."""
    speeds = np.array([0.5, -2.0])
    waist = OnSoles(1e4, 0.0, 0.0, 0)
    gains = waist.gains._replace(**joint_gains(T))
    memory = waist.memory._replace(q=np.zeros(9), v=np.zeros(8), a=np.zeros(8))
    for k in range(500):
        q = np.concatenate([np.zeros(7), k * T * speeds])
        door(predict_robot)(q, np.zeros(8), packed(memory), packed(gains))
    assert memory.v[6:] == pytest.approx(speeds, rel=1e-3)
    assert memory.q[7:] == pytest.approx(q[7:], abs=1e-5)


def test_it_stands_by_its_sensors():
    """With noise the observer knows wrenches and velocities better than a sensor does.

    Wrenches within three deviations of a sensor with a bias, 2 N each; the waist's velocity within
    what encoders of 2e-5 rad tell in 1 ms, 2e-2 rad/s, times 0.1 m.
    """
    walk = standing(sensing="noisy", settle=0.3)
    control, worst, speeds = walk.controller, [], []
    for step, _ in walk.steps():
        m = control.estimate
        felt = np.stack([w[:3] for w in step.contact.wrenches])
        worst.append(np.abs(m.w[:, :3] - felt).max())
        speeds.append(np.abs(m.v[:3] - step.state.v[:3]).max())
    assert control.failures == 0
    assert np.median(worst) < 6.0 and np.median(speeds) < 5e-3
    tilt = 2 * np.abs(step.state.q[3:5]).max()
    assert tilt < 0.01


def test_the_estimator_knows_how_far_the_soles_yield():
    """Perfect sensors: without the compliance its height is wrong by what the soles give way.

    In equilibrium that is the load of a foot by K_zz of all its nodes: 0.08 mm on 1 MPa.
    """
    wrong = []
    for known in (True, False):
        walk = standing(sensing="noisy", settle=0.0)
        walk = replace(walk, scenario=replace(walk.scenario, duration=0.3))
        walk.sensors.noise = PERFECT
        if not known:
            walk.estimator.compliance = None
        *_, (step, _) = walk.steps()
        wrong.append(abs(walk.estimator.q[2] - step.state.q[2]))
    sole = walk.feet.soles[0]
    geometry = np.asarray(sole.geometry)
    K = geometry.T @ np.linalg.solve(sole.compliance, geometry)
    sinks = step.contact.wrenches[0][2] / K[2, 2]
    assert wrong[0] < 0.1 * sinks and wrong[1] == pytest.approx(sinks, rel=0.2)
