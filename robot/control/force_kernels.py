"""Compiled parts of force control: arrays in, arrays out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robot.control.stabiliser_kernels import (
    LOADED,
    FeetArrays,
    Tuning,
    aim_feet,
    balance_body,
    change_legs,
    share_wrench,
)
from robot.gait import PlanArrays
from sole.base.arrays import Bundle, FloatArray
from sole.base.compiled import inner_kernel, kernel
from sole.base.constants import GRAVITY

STEEPEST = 2e4  # N m/s and N/s: largest lambda_d' that is fed forward


class ForceLimits(NamedTuple):
    """Gains and limits of `ForceChoice`; inertias (I_xx, I_yy, m) of (18); imu: 1 or 0."""

    delta: float
    K_x: float
    b: float
    g_a: float
    K_ax: float
    angle: float
    height: float
    speed: float
    K_p: float
    K_d: float
    imu: float
    theta_x: float
    theta_y: float


class ForceMemory(NamedTuple):
    """Memory from period to period, changed in place.

    drift (2,) as in `robot.control.stabiliser`, desired (2, 3) lambda_d, blend (2,) b_f, speed
    (2, 3) of (20), moved (2, 3) integral of (21), aimed (2, 6), change (nv,) of the joints, error
    (2, 3) lambda_d - lambda, to be looked at.
    """

    drift: FloatArray
    desired: FloatArray
    blend: FloatArray
    speed: FloatArray
    moved: FloatArray
    aimed: FloatArray
    change: FloatArray
    error: FloatArray


class Felt(NamedTuple):
    """What is felt: c, its speed (3,), base (7,), spin (3,) of the base in its axes, wrenches.

    measured (2, 6) about the sole frames, U_inverse (2, 3, 3) of the pads that touch.
    """

    c: FloatArray
    speed: FloatArray
    base: FloatArray
    spin: FloatArray
    measured: FloatArray
    U_inverse: FloatArray


@kernel
def control_feet(
    felt_tuple: Bundle, now: int, then: int, first: bool, tau: FloatArray, J: FloatArray,
    plan_tuple: Bundle, feet_tuple: Bundle, tuning_tuple: Bundle, limits_tuple: Bundle,
    memory_tuple: Bundle,
) -> FloatArray:  # fmt: skip
    """One period of `robot.control.force_control`; returns (3, n) positions, velocities, torques.

    now, then, tau, J as in `robot.control.stabiliser_kernels.stabilise_feet`; first: no lambda_d
    is known yet. The bundles are `Felt`, `PlanArrays`, `FeetArrays`, `Tuning`, `ForceLimits` and
    `ForceMemory`.
    """
    felt, plan, feet = Felt(*felt_tuple), PlanArrays(*plan_tuple), FeetArrays(*feet_tuple)
    tuning, g, memory = (
        Tuning(*tuning_tuple),
        ForceLimits(*limits_tuple),
        ForceMemory(*memory_tuple),
    )
    T, carrying = tuning.T, plan.supports[then]
    p, force, wanted = np.empty(2), np.empty(3), np.zeros((2, 6))
    balance_body(felt.c, felt.speed, now, then, plan, feet, tuning, memory.drift, p, force)
    if g.imu > 0.0:
        upright_point(felt, plan, then, feet, g, tuning.mass, p, force)
    share_wrench(p, force, plan.feet[then], carrying, wanted)
    touching = felt.measured[:, 2] > LOADED * tuning.mass * GRAVITY
    motions = np.zeros((2, 6))
    desired = np.empty((2, 3))
    for k in range(2):
        f, e = max(wanted[k, 2], 0.0), feet.edges[k]
        wanted[k, 3] = min(max(wanted[k, 3], e[0, 1] * f), e[1, 1] * f)
        wanted[k, 4] = min(max(wanted[k, 4], -e[1, 0] * f), -e[0, 0] * f)
        desired[k, 0], desired[k, 1], desired[k, 2] = wanted[k, 3], wanted[k, 4], wanted[k, 2]
    alone = touching[0] != touching[1]
    for k in range(2):
        follow_wrench(k, felt, desired[k], carrying[k], alone and touching[k], first,
                      plan.feet[then], feet, g, T, tuning.mass, memory)  # fmt: skip
        motions[k, 3], motions[k, 4] = memory.moved[k, 0], memory.moved[k, 1]
        motions[k, 2] = memory.moved[k, 2]
    aim_feet(
        felt.base, plan.q[now], plan.feet[then], carrying | touching, T / tuning.swing,
        T / tuning.forget, memory.aimed, motions,
    )  # fmt: skip
    before, torques = memory.change.copy(), tau.copy()
    change_legs(J, feet.legs, motions, feet.thickness, wanted, memory.change, torques)
    asked = np.empty((3, len(tau) - 6))
    for j in range(len(tau) - 6):
        asked[0, j] = plan.q[then, 7 + j] + memory.change[6 + j]
        asked[1, j] = plan.v[then, 6 + j] + (memory.change[6 + j] - before[6 + j]) / T
        asked[2, j] = torques[6 + j]
    return asked


@inner_kernel
def upright_point(
    felt: Felt, plan: PlanArrays, then: int, feet: FeetArrays, g: ForceLimits, mass: float,
    p: FloatArray, force: FloatArray,
) -> None:  # fmt: skip
    """Move the planned zero-moment point p (2,) so that it gives -(K_p phi + K_d phi')."""
    q, b = plan.q[then], felt.base
    w, x, y, z = q[6], q[3], q[4], q[5]
    a, i, j, k = b[6], b[3], b[4], b[5]
    sign = 1.0 if a * w + i * x + j * y + k * z >= 0.0 else -1.0
    phi_x = 2.0 * sign * (w * i - a * x - z * j + y * k)
    phi_y = 2.0 * sign * (w * j - a * y - x * k + z * i)
    R = np.empty((2, 3))
    R[0, 0], R[0, 1], R[0, 2] = 1 - 2 * (j * j + k * k), 2 * (i * j - k * a), 2 * (i * k + j * a)
    R[1, 0], R[1, 1], R[1, 2] = 2 * (i * j + k * a), 1 - 2 * (i * i + k * k), 2 * (j * k - i * a)
    T_x = -(g.K_p * phi_x + g.K_d * (R[0] * felt.spin).sum())
    T_y = -(g.K_p * phi_y + g.K_d * (R[1] * felt.spin).sum())
    c = plan.com_acceleration[then]
    force[0], force[1], force[2] = mass * c[0], mass * c[1], mass * (c[2] + GRAVITY)
    p[0], p[1] = plan.zmp[then, 0], plan.zmp[then, 1]
    if force[2] != 0.0:  # in free fall no point turns the body
        p[0], p[1] = p[0] - T_y / force[2], p[1] + T_x / force[2]
    supports = plan.supports[then]
    if supports[0] != supports[1]:
        foot = 1 if supports[1] else 0
        pose, own = plan.feet[then, foot], np.empty(2)
        for n in range(2):
            at = pose[0, n] * (p[0] - pose[0, 3]) + pose[1, n] * (p[1] - pose[1, 3])
            own[n] = min(feet.edges[foot, 1, n], max(feet.edges[foot, 0, n], at))
        for n in range(2):
            p[n] = pose[n, 3] + pose[n, 0] * own[0] + pose[n, 1] * own[1]


@inner_kernel
def follow_wrench(
    k: int, felt: Felt, desired: FloatArray, carries: bool, alone: bool, first: bool,
    poses: FloatArray, feet: FeetArrays, g: ForceLimits, T: float, mass: float,
    memory: ForceMemory,
) -> None:  # fmt: skip
    """Equations (15), (16), (20) and (21) of [SygullaEtAl2017] for foot k, integrated over T.

        w_f' = b_f U^-1 (lambda_d' + (lambda_d - lambda)/delta) - (1 - b_f) K_x w_f,
        v_a' = -s_a g_a M^-1 R_f (lambda_d - lambda) - (1 - s_a) K_a,x v_a,    w' = w_f' + b_f v_a.

    desired (3,) lambda_d, order T_x, T_y, F_z. carries: as planned; alone: s_a. poses (2, 4, 4).
    """
    h, w, x, v = feet.thickness[k], felt.measured[k], memory.moved[k], memory.speed[k]
    e, R = memory.error[k], poses[k]
    e[0] = desired[0] - (w[3] - h * w[1])
    e[1] = desired[1] - (w[4] + h * w[0])
    e[2] = desired[2] - w[2]
    rate, out = np.empty(3), np.zeros(3)
    for i in range(3):
        d = 0.0 if first else (desired[i] - memory.desired[k, i]) / T
        rate[i] = min(max(d, -STEEPEST), STEEPEST) + e[i] / g.delta
        memory.desired[k, i] = desired[i]
    step = T / g.b
    memory.blend[k] += min(max((1.0 if carries else 0.0) - memory.blend[k], -step), step)
    b = memory.blend[k]
    # from the centre of mass to the foot, in the foot's axes
    dx, dy = R[0, 3] - felt.c[0], R[1, 3] - felt.c[1]
    r_x, r_y = R[0, 0] * dx + R[1, 0] * dy, R[0, 1] * dx + R[1, 1] * dy
    if alone:
        v[0] -= T * g.g_a * (e[0] + r_y * e[2]) / g.theta_x
        v[1] -= T * g.g_a * (e[1] - r_x * e[2]) / g.theta_y
        v[2] -= T * g.g_a * e[2] / mass
    for i in range(3):
        if not alone:
            v[i] -= min(T * g.K_ax, 1.0) * v[i]
        v[i] = min(max(v[i], -g.speed), g.speed)
        for j in range(3):
            out[i] += b * felt.U_inverse[k, i, j] * rate[j]
        out[i] += b * v[i] - (1.0 - b) * g.K_x * x[i]
        limit = g.height if i == 2 else g.angle
        x[i] += T * out[i]
        if abs(x[i]) > limit:  # no wind-up: the speed that drove it there is forgotten
            x[i], v[i] = min(max(x[i], -limit), limit), 0.0
