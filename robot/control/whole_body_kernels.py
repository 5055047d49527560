"""The quadratic program of sole-aware control, written by compiled code.

Unknowns x = (z, lambda): joint accelerations z (n,), and the aims lambda (12,) of the wrenches of
both soles. The next wrenches follow from the law of the sole,

    w+ = w - (T + eta) K6 (u + T du/dt) + eta K6 u,     du/dt = J dv/dt + dJ/dt v,

(rigid: w+ = lambda), the base's acceleration from its six rows of the dynamics, and the torques
from the others; all are affine in x. A sole is led to its aim like a mass L with a damper,

    w+ = lambda + L (du/dt + D (u + T du/dt)),      L^-1 = omega^2 K6^-1 + J M^-1 J':

as slowly as omega on a soft sole, and as the bare dynamics would on a stiff one, where any other
feedback would magnify the errors of a model. Rigid: du/dt = -D u.
"""

from __future__ import annotations

from math import exp, sqrt
from typing import NamedTuple

import numpy as np

from robot.control.balance_kernels import (
    REACHES,
    STANDS,
    BodyNow,
    Gains,
    GaitMemory,
    Limbs,
    find_modes,
    lift_plan,
    needed_wrench,
    planned_rates,
    share_load,
    share_wrenches,
)
from robot.control.plan_targets import Aims
from robot.control.program_dynamics import base_motion, write_torques
from robot.control.small_products import add_product, add_task
from sole.base.arrays import Bundle, FloatArray
from sole.base.compiled import inner_kernel

CONE = 10  # rows of a foot
MOMENT = 100.0  # weight of a moment [1/(N m)^2] beside that of a force [1/N^2]
TASK, NOMINAL, HELD, SWING, WAIST = 1.0, 0.01, 1e3, 1e3, 10.0  # weights
SOON, BRAKE = 0.01, 0.05  # s in which limits of speed and of angle are met
SLOW, HASTE = 0.003, 0.025  # m/s and s: how a foot begins to reach for the ground
LATE, RUSH = 0.04, 10.0  # s and m/s^2: how it goes on where the ground is not near
LEAST_SHARE = 0.03
WIDE = 1e6


class Program(NamedTuple):
    """min x'H x/2 + f'x, lower <= (x, A x) <= upper; torques = (rows of A) x + torques.

    A (n + 20, nx): rows of the torques, then of the cones. The base's acceleration is V x + v0.
    """

    H: FloatArray
    f: FloatArray
    A: FloatArray
    lower: FloatArray
    upper: FloatArray
    torques: FloatArray
    V: FloatArray
    v0: FloatArray


@inner_kernel
def write_program(
    felt_tuple: Bundle, aims_tuple: Bundle, limbs_tuple: Bundle, gains_tuple: Bundle,
    memory_tuple: Bundle,
) -> Bundle:  # fmt: skip
    """Return the fields of `Program` for one tick."""
    felt, aims, limbs = BodyNow(*felt_tuple), Aims(*aims_tuple), Limbs(*limbs_tuple)
    gains, memory = Gains(*gains_tuple), GaitMemory(*memory_tuple)
    n = len(limbs.torque)
    errors, force, moment, bend = np.empty((2, 6)), np.empty(3), np.empty(3), np.empty(3)
    shares = np.empty(2)
    # The plan's lift, who stands, the wrench on the body and its share of each foot.
    lift_plan(felt, aims, limbs, gains, memory)
    find_modes(felt, aims, gains, memory, errors)
    needed_wrench(felt, aims, limbs, gains, memory.lift[0], force, moment, bend)
    share_load(felt.c, felt.p, memory.mode == STANDS, force, moment, shares)
    nominal, rates = np.empty((2, 6)), np.empty((2, 6))
    share_wrenches(felt.c, felt.p, felt.R, force, moment, shares, nominal)
    planned_rates(aims, gains, memory, rates)
    # Wrenches w = w0 + G du/dt of soles, or P of rigid feet; the base: V x + v0.
    G, w0, P = np.zeros((2, 6, 6)), np.zeros((2, 6)), np.zeros(2)
    for k in range(2):
        w0[k] = felt.w[k]
        if memory.mode[k] == STANDS and gains.aware > 0.0:
            G[k] = (gains.T + gains.eta) * gains.T * felt.K[k]
            w0[k] -= gains.T * (felt.K[k] @ felt.u[k])
        elif memory.mode[k] == STANDS:
            P[k], w0[k] = 1.0, 0.0
    V, v0 = base_motion(felt, G, w0, P)
    # min x'H x/2 + f'x for x = (joint rates, wrenches), with bounds and rows A x.
    H, f = np.zeros((n + 12, n + 12)), np.zeros(n + 12)
    A, torques = np.zeros((n + 2 * CONE, n + 12)), np.empty(n)
    lower, upper = np.full(2 * n + 12 + 2 * CONE, -WIDE), np.full(2 * n + 12 + 2 * CONE, WIDE)
    J_x, rest = np.zeros((2, 6, n + 12)), np.empty((2, 6))
    for k in range(2):  # du/dt = J_x x + rest
        J_x[k, :, :n] = felt.J[k, :, 6:]
        add_product(felt.J[k, :, :6], V, J_x[k])
        for i in range(6):
            rest[k, i] = felt.bias[k, i]
            for j in range(6):
                rest[k, i] += felt.J[k, i, j] * v0[j]
    # Torques within their limits.
    write_torques(felt, G, w0, P, V, v0, J_x, rest, A, torques)
    for j in range(n):
        lower[n + 12 + j], upper[n + 12 + j] = -limbs.torque[j], limbs.torque[j]
        lower[n + 12 + j] -= torques[j]
        upper[n + 12 + j] -= torques[j]
    # Feet: a wrench inside its cone where one stands, a motion where it swings.
    B = np.zeros((6, n + 12))
    for k in range(2):
        if memory.mode[k] == STANDS:
            lead_sole(k, felt, limbs, gains, rates[k], J_x[k], rest[k], H, f)
            add_cone(k, limbs, gains, nominal[k], shares[k], A, upper, H, f)
            gather_wrench(k, felt, B)
            lower[n + 6 * k + 2] = 0.0
        else:
            move_foot(k, aims, gains, felt, memory, errors[k], J_x[k], rest[k], H, f)
            for i in range(6):
                H[n + 6 * k + i, n + 6 * k + i] += 1.0
                lower[n + 6 * k + i], upper[n + 6 * k + i] = -1e-9, 1e-9
    # The wrench on the body, the trunk's turn, the posture.
    if memory.mode[0] == STANDS or memory.mode[1] == STANDS:
        weights = np.full(6, TASK)
        weights[3:] *= MOMENT
        add_task(B, np.concatenate((force, moment)), weights, H, f)
    turned = np.zeros((3, n + 12))
    add_product(felt.turn, V[3:], turned)
    add_task(turned, bend - felt.turn @ v0[3:6], np.full(3, WAIST), H, f)
    hold_posture(felt, aims, limbs, gains, H, f, lower, upper)
    return H, f, A, lower, upper, torques, V, v0


@inner_kernel
def lead_sole(
    k: int, felt: BodyNow, limbs: Limbs, gains: Gains, rate: FloatArray, J_x: FloatArray,
    rest: FloatArray, H: FloatArray, f: FloatArray,
) -> None:  # fmt: skip
    """Lead the wrench of sole k to its aim, which changes by `rate` (6,); rigid: hold the foot."""
    n, T, u, w = len(limbs.torque), gains.T, felt.u[k], felt.w[k]
    if gains.aware == 0.0:
        D = 2.0 * gains.zeta * gains.omega
        add_task(J_x, -rest - D * u, np.full(6, HELD), H, f)
        return
    K, B = felt.K[k], felt.B[k]
    pull = felt.L[k] + T * B + (T + gains.eta) * T * K
    # w+ - L du/dt - B (u+ + C dw/dt) = lambda
    right = w - T * (K @ u) - B @ (u + limbs.compliance[k] @ rate) - pull @ rest
    rows = np.zeros(J_x.shape)
    add_product(pull, J_x, rows)
    for i in range(6):
        rows[i, n + 6 * k + i] += 1.0
    weights = np.full(6, TASK)
    weights[3:] *= MOMENT
    add_task(rows, right, weights, H, f)


@inner_kernel
def add_cone(
    k: int, limbs: Limbs, gains: Gains, nominal: FloatArray, share: float, A: FloatArray,
    upper: FloatArray, H: FloatArray, f: FloatArray,
) -> None:  # fmt: skip
    """Keep the aim of sole k within friction and its tread, near its share `nominal` (6,).

    |f_x|, |f_y|, |t_z|/r <= mu/sqrt(3) f_z, inside the ellipsoid of half axes mu f_z, and the
    centre of pressure in the rectangle.
    """
    n = len(limbs.torque)
    c, at, edges = n + 6 * k, n + CONE * k, limbs.edges[k]
    rub = gains.mu / sqrt(3.0)
    for i in range(2):
        for side in range(2):
            row, sign = at + 2 * i + side, 1.0 if side == 0 else -1.0
            A[row, c + i], A[row, c + 2] = sign, -rub
            row += 4
            # x = -t_y/f_z, y = t_x/f_z, between the edges
            A[row, c + 4 - i] = -sign if i == 0 else sign
            A[row, c + 2] = -edges[1, i] if side == 0 else edges[0, i]
    for side in range(2):
        A[at + 8 + side, c + 5] = 1.0 if side == 0 else -1.0
        A[at + 8 + side, c + 2] = -rub * gains.twist
    for i in range(CONE):
        upper[len(H) + at + i] = 0.0
    for i in range(6):
        weight = NOMINAL / max(share, LEAST_SHARE) ** 2 * (1.0 if i < 3 else MOMENT)
        H[c + i, c + i] += weight
        f[c + i] -= weight * nominal[i]


@inner_kernel
def gather_wrench(k: int, felt: BodyNow, B: FloatArray) -> None:
    """Fill the columns of lambda_k in B (6, nx): its wrench about the centre of mass, world."""
    c, R, r = B.shape[1] - 12 + 6 * k, felt.R[k], felt.p[k] - felt.c
    for j in range(3):
        for i in range(3):
            B[i, c + j] = R[i, j]
            B[3 + i, c + 3 + j] = R[i, j]
        B[3, c + j] = r[1] * R[2, j] - r[2] * R[1, j]
        B[4, c + j] = r[2] * R[0, j] - r[0] * R[2, j]
        B[5, c + j] = r[0] * R[1, j] - r[1] * R[0, j]


@inner_kernel
def move_foot(
    k: int, aims: Aims, gains: Gains, felt: BodyNow, memory: GaitMemory, error: FloatArray,
    J_x: FloatArray, rest: FloatArray, H: FloatArray, f: FloatArray,
) -> None:  # fmt: skip
    """Move a foot that hangs along its plan; one that reaches goes straight down.

    It is slow at first, u = s (exp(t/tau) - 1), as the ground is near, as a rule; then it
    accelerates, up to `reach`.
    """
    g = gains.swing
    wanted = -rest
    late = max(memory.age[k] - LATE, 0.0)
    speed = SLOW * (exp(min(memory.age[k] / HASTE, 20.0)) - 1.0) + RUSH * late
    for i in range(6):
        u, a, pull = aims.u[k, i], aims.a[k, i], g * g
        if memory.mode[k] == REACHES:
            u, a = 0.0, 0.0
            if i == 2:
                u, pull = -min(speed, gains.reach), 0.0
                if speed < gains.reach:
                    a = -(speed - RUSH * late + SLOW) / HASTE - (RUSH if late > 0.0 else 0.0)
        wanted[i] += a + 2.0 * g * (u - felt.u[k, i]) + pull * error[i]
    add_task(J_x, wanted, np.full(6, SWING), H, f)


@inner_kernel
def hold_posture(
    felt: BodyNow, aims: Aims, limbs: Limbs, gains: Gains, H: FloatArray, f: FloatArray,
    lower: FloatArray, upper: FloatArray,
) -> None:  # fmt: skip
    """Lead the joints to their plan, within their limits of speed and angle."""
    g, n = gains.posture, len(limbs.torque)
    for j in range(n):
        q, v = felt.q[7 + j], felt.v[6 + j]
        a = aims.joints[2, j] + g * g * (aims.joints[0, j] - q)
        a += 2.0 * g * (aims.joints[1, j] - v)
        H[j, j] += limbs.posture[j]
        f[j] -= limbs.posture[j] * a
        most = min((limbs.fastest[j] - v) / SOON, 2.0 * (limbs.upper[j] - q - BRAKE * v) / BRAKE**2)
        least = max(
            (-limbs.fastest[j] - v) / SOON, 2.0 * (limbs.lower[j] - q - BRAKE * v) / BRAKE**2
        )
        upper[j] = min(WIDE, max(most, -WIDE / 2))
        lower[j] = max(-WIDE, min(least, upper[j]))
    for i in range(n + 12):
        H[i, i] += 1e-8
