"""An observer of the robot on its soles: speeds of joints and waist, wrenches of the soles.

The program of the last tick says what the robot does next, which no sensor does without noise or
delay. With its acceleration a, and the law of the soles,

    v+ = v + T a,      w+ = w - (T + eta) K6 u+ + eta K6 u,      u = J v.

Encoders correct the joints by the steady gains for their resolution [Kalata1984]. The waist's twist
v_b and both wrenches are one Kalman filter of 18 states, as a wrong wrench moves the waist: errors
go on by the six rows of the base in the equations of motion, the joints' motion being known,

    M_b (v_b+ - v_b) = T sum J_b' w+,

and by the law above. Its readings are the gyro and the ankle sensors, which tell the wrench of a
time d ago, w + d K6 u. What it does not foresee are accelerations (`SHAKE`), soles that are stiffer
or softer than K6 (`LOOSE`), and the forces eta K6 n of the noise n that encoders leave in u
(`SPEED`). Without the last it believes in what it foresees of a viscous sole, not in the sensors.

A foot without load has its reading. Attitude and place of the waist are the estimator's
(`robot.sensing.Estimator`), which knows how far the soles have yielded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sole.base.arrays import Bundle, FloatArray
from sole.base.compiled import inner_kernel

SHAKE = np.array([1.0, 1.0, 1.0, 3.0, 3.0, 3.0])  # m/s^2, rad/s^2 that the program does not foresee
NOISE = np.array([1.0, 1.0, 1.0, 0.05, 0.05, 0.05])  # N, N m of an ankle sensor
GYRO = 2e-3  # rad/s of its readings
LOOSE = 0.2  # of T K6 u: how well a sole is known
DRIFT = 0.1  # of NOISE, by which a wrench changes unforeseen in a tick
UNSURE = np.array([0.05, 0.05, 0.05, 0.1, 0.1, 0.1])  # m/s, rad/s of the waist's twist after a blow
SPEED = np.array([1e-3, 1e-3, 1e-3, 2e-3, 2e-3, 2e-3])  # m/s, rad/s: noise of a foot's u
ENCODER, JOINT_SHAKE = 1e-5, 5.0  # rad and rad/s^2
STATES, READ = 18, 15


class ObserverGains(NamedTuple):
    """alpha, beta of the joints; delay of the ankle sensors [s].

    period T, eta [s]; least : load below which a foot hangs [N]; weight [N].
    """

    alpha: float
    beta: float
    delay: float
    T: float
    eta: float
    least: float
    weight: float


class RobotEstimate(NamedTuple):
    """What the observer remembers, changed in place.

    q (nq,), v (nv,) ; a (nv,) of the last program ; w, u (2, 6) of the soles and feet in
    the last tick ; P (18, 18) covariance of the errors of the waist's twist and of w ;
    begun (1,) 0 before the first tick.
    """

    q: FloatArray
    v: FloatArray
    a: FloatArray
    w: FloatArray
    u: FloatArray
    P: FloatArray
    begun: FloatArray


class SoleReadings(NamedTuple):
    """measured (2, 6) wrenches, gyro (3,) in the axes of the waist, u (2, 6) twists of the feet.

    K (2, 6, 6) of the soles; J (2, 6, 6) of the feet by the waist's twist, M (6, 6) of the waist.
    """

    measured: FloatArray
    gyro: FloatArray
    u: FloatArray
    K: FloatArray
    J: FloatArray
    M: FloatArray


def alpha_beta(index: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return alpha and beta of the steady filter for position and speed.

    index : Lambda = sigma_a T^2/sigma, of the random acceleration and the noise [Kalata1984].
    """
    r = (4 + index - np.sqrt(8 * index + index**2)) / 4
    alpha = 1 - r**2
    return alpha, 2 * (2 - alpha) - 4 * np.sqrt(1 - alpha)


def joint_gains(T: float) -> dict[str, float]:
    """Return alpha and beta of the joints for the period T [s]."""
    alpha, beta = alpha_beta(np.array(JOINT_SHAKE * T * T / ENCODER))
    return {"alpha": float(alpha), "beta": float(beta)}


@inner_kernel
def predict_robot(q: FloatArray, v: FloatArray, memory: Bundle, numbers: Bundle) -> None:
    """Move the memory to this tick: joints by encoders, the waist's attitude and place as read.

    q (nq,), v (nv,) : angles of encoders, attitude, place; v starts the observer.
    """
    m, gains = RobotEstimate(*memory), ObserverGains(*numbers)
    T = gains.T
    if m.begun[0] == 0.0:
        m.begun[0] = 1.0
        m.q[:] = q
        m.v[:] = v
        m.a[:] = 0.0
        m.P[:] = 0.0
        return
    m.v[:] += T * m.a
    for j in range(7, len(q)):
        m.q[j] += T * m.v[j - 1]
        e = q[j] - m.q[j]
        m.q[j] += gains.alpha * e
        m.v[j - 1] += gains.beta / T * e
    m.q[:7] = q[:7]


@inner_kernel
def correct_robot(memory: Bundle, numbers: Bundle, readings: Bundle) -> None:
    """Correct the waist's twist and both wrenches.

    The memory has the twist of this tick (`predict_robot`) and the wrenches of the last one.
    """
    m, gains, read = RobotEstimate(*memory), ObserverGains(*numbers), SoleReadings(*readings)
    KJ, on = np.zeros((2, 6, 6)), np.zeros(2)
    for k in range(2):
        on[k] = predict_wrench(m.w[k], m.u[k], read.measured[k], read.u[k], read.K[k], gains)
        if on[k] == 1.0:
            KJ[k] = read.K[k] @ read.J[k]
        else:  # it has its reading
            at = 6 + 6 * k
            m.P[at : at + 6] = 0.0
            m.P[:, at : at + 6] = 0.0
            for i in range(6):
                m.P[at + i, at + i] = NOISE[i] ** 2
                if on[k] < 0.0:
                    m.P[i, i] += UNSURE[i] ** 2
    spread_errors(m.P, KJ, on, read, gains)
    H, e = np.zeros((READ, STATES)), np.zeros(READ)
    S = np.zeros((READ, READ))
    for k in range(2):
        at = 6 + 6 * k
        H[6 * k : 6 * k + 6, :6] = gains.delay * KJ[k]
        late = gains.delay * (read.K[k] @ read.u[k]) if on[k] == 1.0 else np.zeros(6)
        for i in range(6):
            H[6 * k + i, at + i] = 1.0
            e[6 * k + i] = read.measured[k, i] - m.w[k, i] - late[i]
            S[6 * k + i, 6 * k + i] = NOISE[i] ** 2
    for i in range(3):
        H[12 + i, 3 + i] = 1.0
        e[12 + i] = read.gyro[i] - m.v[3 + i]
        S[12 + i, 12 + i] = GYRO**2
    HP = H @ m.P
    S += HP @ H.T
    gain = np.linalg.solve(S, HP).T.copy()
    change = gain @ e
    m.P[:] -= gain @ HP
    m.P[:] = (m.P + m.P.T) / 2.0
    slip = change[:6].copy()
    m.v[:6] += slip
    for k in range(2):
        m.w[k] += change[6 + 6 * k : 12 + 6 * k]
        m.u[k] = read.u[k] + read.J[k] @ slip


@inner_kernel
def spread_errors(
    P: FloatArray, KJ: FloatArray, on: FloatArray, read: SoleReadings, gains: ObserverGains
) -> None:
    """P becomes that of this tick, A P A' + Q; KJ (2, 6, 6) = K6 J_b of the feet that are `on`."""
    T, longer = gains.T, gains.T + gains.eta
    S, N = read.M.copy(), read.M.copy()
    for k in range(2):
        stiff = read.J[k].T.copy() @ KJ[k]
        S += T * longer * stiff
        N += T * gains.eta * stiff
    right = np.zeros((6, 24))  # of the twist, of both wrenches, of unforeseen accelerations
    right[:, :6] = N
    for k in range(2):
        if on[k] == 1.0:
            right[:, 6 + 6 * k : 12 + 6 * k] = T * read.J[k].T
    right[:, 18:] = T * read.M
    right[:] = np.linalg.solve(S, right)
    A, B = np.zeros((STATES, STATES)), np.zeros((STATES, 6))
    A[:6], B[:6] = right[:, :18], right[:, 18:] * SHAKE
    for k in range(2):
        at = 6 + 6 * k
        A[at : at + 6] = -longer * (KJ[k] @ A[:6])
        A[at : at + 6, :6] += gains.eta * KJ[k]
        B[at : at + 6] = -longer * (KJ[k] @ B[:6])
        for i in range(6):
            A[at + i, at + i] += 1.0
    P[:] = A @ P @ A.T + B @ B.T
    for k in range(2):
        rate = read.K[k] @ read.u[k]
        for i in range(6):
            P[6 + 6 * k + i, 6 + 6 * k + i] += (LOOSE * T * rate[i]) ** 2 + (DRIFT * NOISE[i]) ** 2
        if on[k] == 1.0:
            at, viscous = 6 + 6 * k, gains.eta * read.K[k] * SPEED  # a column for each part of u
            P[at : at + 6, at : at + 6] += viscous @ viscous.T


@inner_kernel
def predict_wrench(
    w: FloatArray, last: FloatArray, measured: FloatArray, u: FloatArray, K: FloatArray,
    gains: ObserverGains,
) -> float:  # fmt: skip
    """Move w (6,) of a sole to this tick; return 1 if it stands, 0 if it hangs, -1 after a blow.

    last, u (6,) : twists of the foot in the last tick and now. A foot that does not stand has its
    reading.
    """
    if measured[2] < gains.least or w[2] < 0.0:
        w[:] = measured
        return 0.0
    for i in range(6):
        for j in range(6):
            w[i] -= K[i, j] * ((gains.T + gains.eta) * u[j] - gains.eta * last[j])
    if not abs(measured[2] - w[2]) < gains.weight:  # no law foresees this
        w[:] = measured
        return -1.0
    return 1.0
