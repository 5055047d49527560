"""An observer of the robot on its soles: speeds of joints and waist, wrenches of the soles.

The program of the last tick says what the robot does next, which no sensor does without noise or
delay. With its acceleration a, and the law of the soles,

    v+ = v + T a,      w+ = w - (T + eta) K6 u+ + eta K6 u,      u = J v.

Encoders, gyro and ankle sensors correct it by steady gains of Kalman's filter: the joints by those
of their resolution [Kalata1984], the spin by that of the gyro. The ankle sensors tell the wrench of
a time d ago, w + d K6 u. With e = w_measured - w - d K6 u,

    w += W e,      u += U e,

where W and U are those of the law above with du/dt = S w/T for an error of w (`wrench_gains`): a
wrong wrench also moves the foot. The error of u is one of the waist's velocity, because encoders
tell the rest.

A foot without load has its reading. Attitude and place of the waist are the estimator's
(`robot.sensing.Estimator`), which knows how far the soles have yielded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sole.base.arrays import Bundle, FloatArray
from sole.base.compiled import kernel

SHAKE = np.array([1.0, 1.0, 1.0, 3.0, 3.0, 3.0])  # m/s^2, rad/s^2 that the program does not foresee
NOISE = np.array([1.0, 1.0, 1.0, 0.05, 0.05, 0.05])  # N, N m of an ankle sensor
ENCODER, JOINT_SHAKE = 1e-5, 5.0  # rad and rad/s^2
GAMMA = 0.2


class ObserverGains(NamedTuple):
    """alpha, beta of the joints, gamma of the gyro; delay of the ankle sensors [s].

    period T, eta [s]; least : load below which a foot hangs [N]; weight [N].
    """

    alpha: float
    beta: float
    gamma: float
    delay: float
    T: float
    eta: float
    least: float
    weight: float


class RobotEstimate(NamedTuple):
    """What the observer remembers, changed in place.

    q (nq,), v (nv,) ; a (nv,) of the last program ; w, u (2, 6) of the soles and feet in
    the last tick ; begun (1,) 0 before the first.
    """

    q: FloatArray
    v: FloatArray
    a: FloatArray
    w: FloatArray
    u: FloatArray
    begun: FloatArray


class SoleGains(NamedTuple):
    """K6, and the gains W and U of `wrench_gains`, of both soles, (2, 6, 6)."""

    K: FloatArray
    W: FloatArray
    U: FloatArray


class FeetNow(NamedTuple):
    """World: R (2, 3, 3), p (2, 3) of the treads; turn (3, 3), base (3,) of the waist; c (3,)."""

    R: FloatArray
    p: FloatArray
    turn: FloatArray
    base: FloatArray
    c: FloatArray


def alpha_beta(index: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return alpha and beta of the steady filter for position and speed.

    index : Lambda = sigma_a T^2/sigma, of the random acceleration and the noise [Kalata1984].
    """
    r = (4 + index - np.sqrt(8 * index + index**2)) / 4
    alpha = 1 - r**2
    return alpha, 2 * (2 - alpha) - 4 * np.sqrt(1 - alpha)


def joint_gains(T: float) -> dict[str, float]:
    """Return alpha and beta of the joints, and gamma of the gyro, for the period T [s]."""
    alpha, beta = alpha_beta(np.array(JOINT_SHAKE * T * T / ENCODER))
    return {"alpha": float(alpha), "beta": float(beta), "gamma": GAMMA}


def wrench_gains(
    K: FloatArray, S: FloatArray, T: float, eta: float, delay: float
) -> tuple[FloatArray, FloatArray]:
    """Return W and U (6, 6) of a sole with K6 = K under a foot of the inverse mass S.

    With n = T K u, h = eta/T and X = T^2 K S, errors go on as

        n+ = n + X w+,      w+ = w - (1 + h) n+ + h n,      y = w + (d/T) n.
    """
    from scipy.linalg import solve_discrete_are

    one, X, h = np.eye(6), T * T * K @ S, eta / T
    inverse = np.linalg.inv(one + (1 + h) * X)
    n_w, n_n = inverse @ X, inverse @ (one + h * X)
    A = np.block([[one - (1 + h) * n_w, h * one - (1 + h) * n_n], [n_w, n_n]])
    shaken = T * T * K * SHAKE
    Q = np.block([[shaken @ shaken.T, -shaken @ shaken.T], [-shaken @ shaken.T, shaken @ shaken.T]])
    H, R = np.hstack([one, delay / T * one]), np.diag(NOISE**2)
    P = solve_discrete_are(A.T, H.T, Q + 1e-9 * np.eye(12), R)
    gain = P @ H.T @ np.linalg.inv(H @ P @ H.T + R)
    return gain[:6], np.linalg.solve(T * K, gain[6:])


@kernel
def predict_robot(q: FloatArray, v: FloatArray, memory: Bundle, numbers: Bundle) -> None:
    """Move the memory to this tick: joints by encoders, the waist's attitude and spin as read.

    q (nq,), v (nv,) : angles of encoders, attitude, gyro; the rest starts the observer.
    """
    m, gains = RobotEstimate(*memory), ObserverGains(*numbers)
    T = gains.T
    if m.begun[0] == 0.0:
        m.begun[0] = 1.0
        m.q[:] = q
        m.v[:] = v
        m.a[:] = 0.0
        return
    m.v[:] += T * m.a
    for j in range(7, len(q)):
        m.q[j] += T * m.v[j - 1]
        e = q[j] - m.q[j]
        m.q[j] += gains.alpha * e
        m.v[j - 1] += gains.beta / T * e
    for i in range(3):
        m.v[3 + i] += gains.gamma * (v[3 + i] - m.v[3 + i])
    m.q[:7] = q[:7]


@kernel
def correct_robot(
    memory: Bundle, numbers: Bundle, measured: FloatArray, u: FloatArray, matrices: Bundle,
    poses: Bundle, speed: FloatArray, w: FloatArray,
) -> None:  # fmt: skip
    """Correct the velocity of the waist by both soles.

    measured, u (2, 6) : wrenches and twists of the feet. w (2, 6) : becomes the wrenches of now.
    speed (3,) of the centre of mass and u change with the waist.
    """
    m, f = RobotEstimate(*memory), FeetNow(*poses)
    soles, gains = SoleGains(*matrices), ObserverGains(*numbers)
    slip, parts = np.zeros((2, 6)), np.zeros(2)
    for k in range(2):
        share = observe_sole(
            m.w[k], m.u[k], measured[k], u[k], soles.K[k], soles.W[k], soles.U[k], gains, slip[k]
        )  # fmt: skip
        parts[k] = max(share, 0.0)
    total, turn, go = parts.sum(), np.zeros(3), np.zeros(3)
    if total > 0.0:
        parts /= total
        for k in range(2):  # the waist's twist about itself, world axes
            spin = f.R[k] @ slip[k, 3:].copy()
            turn += parts[k] * spin
            go += parts[k] * (f.R[k] @ slip[k, :3].copy() + cross(spin, f.base - f.p[k]))
        m.v[:3] += f.turn.T.copy() @ go
        m.v[3:6] += f.turn.T.copy() @ turn
        speed += go + cross(turn, f.c - f.base)
    for k in range(2):
        u[k, :3] += f.R[k].T.copy() @ (go + cross(turn, f.p[k] - f.base))
        u[k, 3:] += f.R[k].T.copy() @ turn
        w[k] = m.w[k]
        m.u[k] = u[k]


@kernel
def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return a x b (3,)."""
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


@kernel
def observe_sole(
    w: FloatArray, last: FloatArray, measured: FloatArray, u: FloatArray, K: FloatArray,
    W: FloatArray, U: FloatArray, gains: ObserverGains, slip: FloatArray,
) -> float:  # fmt: skip
    """Take a reading (6,) of a sole; return its load as a share of the weight.

    w : of the last tick, becomes that of now. last, u (6,) : twists of the last tick and of now.
    slip (6,) : becomes the error of u.
    """
    slip[:] = 0.0
    if measured[2] < gains.least or w[2] < 0.0:
        w[:] = measured
        return 0.0
    e, T = np.empty(6), gains.T
    for i in range(6):
        x = y = 0.0
        for j in range(6):
            x -= K[i, j] * ((T + gains.eta) * u[j] - gains.eta * last[j])
            y += K[i, j] * u[j]
        w[i] += x
        e[i] = measured[i] - w[i] - gains.delay * y
    if not abs(e[2]) < gains.weight:  # no law foresees this: a blow
        w[:] = measured
        return 0.0
    for i in range(6):
        for j in range(6):
            w[i] += W[i, j] * e[j]
            slip[i] += U[i, j] * e[j]
    return float(w[2] / gains.weight)
