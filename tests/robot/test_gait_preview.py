"""Preview control against the optimum found in other ways, and what the summed form gets wrong."""

from __future__ import annotations

import numpy as np
import pytest

from robot.gait import GaitError
from robot.gait.footsteps import walk
from robot.gait.schedule import Schedule
from robot.gait.zmp import zmp_reference
from robot.gait.zmp_preview import preview_gains, track

T, HEIGHT, R = 0.02, 0.8, 1e-6
GAINS = preview_gains(T, HEIGHT, R=R, window=6.0)


def wild_reference(n=400, seed=3):
    """Steps and noise from the first tick on; at rest for the last 5.5 s."""
    rng, p = np.random.default_rng(seed), np.zeros((n, 2))
    p[:] = 0.3, -0.1
    p[10:60, 0], p[60:, 0], p[30:, 1] = 0.5, -0.1, 0.2
    p[:120] += rng.normal(0, 0.01, (120, 2))
    return p


def dense_optimum(gains, p, start, Q=1.0):
    """All jerks (n,) of one axis at once, least squares: sqrt(Q) e and sqrt(R) Du stacked."""
    n, A, b, c = len(p), gains.A, gains.b, gains.c_z
    response, free, power = np.zeros(n), np.zeros(n), np.eye(3)
    for k in range(n):
        response[k] = c @ power @ b
        power = A @ power
        free[k] = c @ power @ start
    M = np.array([[response[i - j] if j <= i else 0.0 for j in range(n)] for i in range(n)])
    D = np.eye(n) - np.eye(n, k=-1)
    goal = np.append(p[1:], p[-1]) - free
    stacked = np.vstack([np.sqrt(Q) * M, np.sqrt(R) * D])
    return np.linalg.lstsq(stacked, np.append(np.sqrt(Q) * goal, np.zeros(n)), rcond=None)[0]


@pytest.mark.parametrize("moving", [False, True])
def test_equals_the_dense_optimum(moving):
    """The horizon ends 5 s after the part compared: exp(-2 omega 5 s) < 1e-15, omega = 3.5/s."""
    p = wild_reference()
    start = np.array([[0.31, -0.12], [0.2, -0.1], [0.3, 0.5]]) if moving else np.zeros((3, 2))
    if not moving:
        start[0] = p[0]
    got = track(GAINS, p, start)
    for i in range(2):
        u = dense_optimum(GAINS, p[:, i], start[:, i])
        np.testing.assert_allclose(got.jerk[:150, i], u[:150], atol=1e-9 * np.abs(u).max())


def test_riccati_solution_is_the_fixed_point_of_value_iteration():
    g = GAINS
    A = np.block([[np.ones((1, 1)), (g.c_z @ g.A)[None]], [np.zeros((3, 1)), g.A]])
    b, P = np.append(g.c_z @ g.b, g.b), np.diag([1.0, 0, 0, 0])
    for _ in range(3000):
        K = b @ P @ A / (R + b @ P @ b)
        P = A.T @ P @ (A - np.outer(b, K)) + np.diag([1.0, 0, 0, 0])
    np.testing.assert_allclose(g.P, P, rtol=1e-6, atol=1e-6 * np.abs(P).max())
    np.testing.assert_allclose(np.append(g.G_i, g.G_x), K, rtol=1e-7)


def test_states_follow_the_pendulum():
    p = wild_reference()
    got = track(GAINS, p)
    x = np.stack([got.position, got.velocity, got.acceleration], axis=1)
    np.testing.assert_allclose(
        x[1:], np.einsum("ij,kjl->kil", GAINS.A, x[:-1]) + GAINS.b[:, None] * got.jerk[:-1, None],
        atol=1e-12,
    )  # fmt: skip
    np.testing.assert_allclose(
        got.zmp, got.position - HEIGHT / 9.81 * got.acceleration, rtol=0, atol=1e-14
    )


def summed(gains, p):
    """The printed form: u_k = -G_i sum e - G_x x_k - sum G_d(j) p_{k+j}, from rest at 0."""
    N = gains.G_d.size
    ahead = np.append(p, np.full(N, p[-1]))
    x, total, us = np.zeros(3), 0.0, []
    for k in range(len(p)):
        total += gains.c_z @ x - p[k]
        u = -gains.G_i * total - gains.G_x @ x - gains.G_d @ ahead[k + 1 : k + 1 + N]
        x = gains.A @ x + gains.b * u
        us.append(u)
    return np.array(us)


def test_summed_form_is_right_only_after_an_empty_window():
    """With one second of preview and a reference that is zero for longer, or not."""
    gains = preview_gains(T, HEIGHT, R=R, window=1.0)
    late, early = np.zeros((200, 2)), np.zeros((200, 2))
    late[60:], early[20:] = 0.1, 0.1  # the first window ends at tick 50
    rest = np.zeros((3, 2))
    for p, alike in ((late, True), (early, False)):
        u, v = track(gains, p, rest).jerk[:, 0], summed(gains, p[:, 0])
        difference = np.abs(u - v).max() / np.abs(u).max()
        assert (difference < 1e-8) == alike
        assert alike or difference > 0.1


def test_a_short_window_costs_what_it_cuts_off():
    """The reference beyond the window acts with the sum of the gains that are missing."""
    p = wild_reference()
    short = preview_gains(T, HEIGHT, R=R, window=1.6)
    np.testing.assert_allclose(short.G_d, GAINS.G_d[:80], rtol=1e-12)
    lost = np.abs(GAINS.G_d[80:]).sum() / np.abs(GAINS.G_d).sum()
    off = np.abs(track(short, p).position - track(GAINS, p).position).max()
    assert 0 < off < 10 * lost * np.ptp(p)


def test_a_constant_reference_is_left_alone():
    got = track(GAINS, np.full((50, 2), 0.7))
    assert np.abs(got.position - 0.7).max() == 0
    assert not got.jerk.any()


def test_motion_does_not_depend_on_the_tick():
    """T and T/2 with the default R differ by O(T^2): a quarter at half of it."""
    schedule = Schedule.of(walk(2, 0.2))
    positions = []
    for dt in (0.01, 0.005, 0.0025):
        times = np.arange(round(schedule.end / dt) + 1) * dt
        p = zmp_reference(schedule, times)[:, :2]
        positions.append(track(preview_gains(dt, HEIGHT), p).position[:: round(0.01 / dt)])
    n = min(map(len, positions))
    a, b, c = (x[:n] for x in positions)
    first, second = np.abs(a - b).max(), np.abs(b - c).max()
    assert first < 1e-5
    assert 0.2 < second / first < 0.3


def test_zmp_of_a_walk_stays_with_its_reference():
    """1 kHz, six steps of 0.2 m, smooth transfers: within 2 mm while one foot carries."""
    schedule = Schedule.of(walk(6, 0.2))
    times = np.arange(round(schedule.end / 1e-3) + 1) * 1e-3
    p = zmp_reference(schedule, times)[:, :2]
    got = track(preview_gains(1e-3, HEIGHT), p)
    one = schedule.supports(times).sum(axis=1) == 1
    assert np.abs(got.zmp - p)[one].max() < 2e-3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: preview_gains(0.0, 0.8), "dt of the preview control must be positive"),
        (lambda: preview_gains(1e-3, -0.8), "height of the preview control"),
        (lambda: preview_gains(1e-3, 0.8, Q=np.nan), "Q of the preview control"),
        (lambda: preview_gains(1e-3, 0.8, R=0.0), "R of the preview control"),
        (lambda: preview_gains(1e-6, 0.8), "1600000 ticks"),
        (lambda: track(GAINS, np.zeros((5, 3))), r"shape \(N, 2\), got \(5, 3\)"),
        (lambda: track(GAINS, np.full((5, 2), np.nan)), "must be finite"),
        (lambda: track(GAINS, np.zeros((5, 2)), np.zeros(3)), r"start \(3, 2\)"),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises(GaitError, match=words):
        call()
