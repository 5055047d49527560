"""Compiled parts of the stabiliser: arrays in, arrays out.

Data that last from period to period come in four bundles, made once: `PlanArrays` and those below.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from robot.gait import PlanArrays, factor_lu, pendulum_rate, solve_lu
from robot.tree import LinkArrays, find_centre
from sole.base.arrays import BoolArray, Bundle, FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel
from sole.base.constants import GRAVITY

LOADED = 0.05  # share of the weight above which a foot's torques count


class FeetArrays(NamedTuple):
    """Constants of both feet.

    edges (2, 2, 2) between which the zero-moment point stays, compliance (2, 6, 6) K6^-1 and
    thickness (2,) of the soles, legs (2, n >= 6) columns of the leg joints.
    """

    edges: FloatArray
    compliance: FloatArray
    thickness: FloatArray
    legs: IntArray


class Tuning(NamedTuple):
    """Mass of the robot, the period T, and `StabiliserGains`; decay of the low-pass in a period."""

    mass: float
    T: float
    k: float
    k_i: float
    D: float
    D_z: float
    forget: float
    swing: float
    decay: float


class Memory(NamedTuple):
    """Memory from period to period, changed in place.

    drift (2,) integral of the DCM error, wanted (2, 6) desired wrenches, tilt (2, 2) roll and pitch
    of the feet, lift (1,) of the left foot relative to the right one, aimed (2, 6) motion of the
    feet relative to the base in world axes, change (nv,) of the joint angles.
    """

    drift: FloatArray
    wanted: FloatArray
    tilt: FloatArray
    lift: FloatArray
    aimed: FloatArray
    change: FloatArray


@kernel
def stabilise_feet(
    q: FloatArray, v: FloatArray, body: Bundle, measured: FloatArray,
    now: int, then: int, tau: FloatArray, J: FloatArray,
    plan_tuple: Bundle, feet_tuple: Bundle, tuning_tuple: Bundle, memory_tuple: Bundle,
) -> FloatArray:  # fmt: skip
    """One period of `robot.control.stabiliser`; returns (3, n) positions, velocities, torques.

    q (nq,), v (nv,), measured (2, 6) wrenches. body : `LinkArrays` and a sheet for `find_centre`.
    `now` and `then` are rows of the plan, at the start and the end of the period; for `then` the
    torques tau (nv,) of inverse dynamics without contact and J (2, 6, nv) of the sole frames. The
    other bundles are `PlanArrays`, `FeetArrays`, `Tuning` and `Memory`.
    """
    c, speed = np.empty(3), np.empty(3)
    find_centre(LinkArrays(*body[0]), q, v, body[1], c, speed)
    return stabilise_centre(
        c, speed, q, measured, now, then, tau, J, plan_tuple, feet_tuple, tuning_tuple,
        memory_tuple,
    )  # fmt: skip


@inner_kernel
def stabilise_centre(
    c: FloatArray, speed: FloatArray, q: FloatArray, measured: FloatArray,
    now: int, then: int, tau: FloatArray, J: FloatArray,
    plan_tuple: Bundle, feet_tuple: Bundle, tuning_tuple: Bundle, memory_tuple: Bundle,
) -> FloatArray:  # fmt: skip
    """Do the same as `stabilise_feet` for a centre of mass c (3,) and its velocity (3,)."""
    plan, feet = PlanArrays(*plan_tuple), FeetArrays(*feet_tuple)
    tuning, memory = Tuning(*tuning_tuple), Memory(*memory_tuple)
    T, wanted, change = tuning.T, memory.wanted, memory.change
    p, force, aim = np.empty(2), np.empty(3), np.empty((2, 6))
    carrying = plan.supports[then]
    balance_body(c, speed, now, then, plan, feet, tuning, memory.drift, p, force)
    share_wrench(p, force, plan.feet[then], carrying, aim)
    motions = np.zeros((2, 6))
    for foot in range(2):
        for i in range(6):
            wanted[foot, i] = aim[foot, i] + (wanted[foot, i] - aim[foot, i]) * tuning.decay
        for i in range(6):
            for j in range(6):
                motions[foot, i] -= feet.compliance[foot, i, j] * wanted[foot, j]
    memory.lift[0] = yield_feet(
        measured, wanted, carrying, feet.thickness, LOADED * tuning.mass * GRAVITY,
        T, tuning.D, tuning.D_z, tuning.forget, memory.tilt, memory.lift[0], motions,
    )  # fmt: skip
    touching = measured[:, 2] > LOADED * tuning.mass * GRAVITY
    aim_feet(
        q, plan.q[now], plan.feet[then], carrying | touching, T / tuning.swing,
        T / tuning.forget, memory.aimed, motions,
    )  # fmt: skip
    before, torques = change.copy(), tau.copy()
    change_legs(J, feet.legs, motions, feet.thickness, wanted, change, torques)
    asked = np.empty((3, len(tau) - 6))
    for j in range(len(tau) - 6):
        asked[0, j] = plan.q[then, 7 + j] + change[6 + j]
        asked[1, j] = plan.v[then, 6 + j] + (change[6 + j] - before[6 + j]) / T
        asked[2, j] = torques[6 + j]
    return asked


@inner_kernel
def balance_body(
    c: FloatArray, speed: FloatArray, now: int, then: int,
    plan: PlanArrays, soles: FeetArrays, tuning: Tuning, drift: FloatArray,
    p: FloatArray, force: FloatArray,
) -> None:  # fmt: skip
    """Fill in the desired zero-moment point p (2,) and the force (3,) that belongs to it.

    In single support p is clamped to the foot; in double support the sharing of the wrench does it.
    In free fall the force is that of the plan.
    """
    feet, supports, edges = plan.feet[then], plan.supports[then], soles.edges
    dcm, zmp, com = plan.dcm[now], plan.zmp[then], plan.com[then]
    acceleration = plan.com_acceleration[then]
    floor = count = 0.0
    for foot in range(2):
        if supports[foot]:
            floor += feet[foot, 2, 3] - soles.thickness[foot]
            count += 1.0
    omega = pendulum_rate(acceleration[2], com[2] - floor / max(count, 1.0))
    for i in range(2):
        e = c[i] + speed[i] / omega - dcm[i]
        drift[i] += tuning.T * e
        p[i] = zmp[i] + (1.0 + tuning.k / omega) * e + tuning.k_i * drift[i]
    if supports[0] != supports[1]:
        foot = 1 if supports[1] else 0
        R, x, y = feet[foot], p[0] - feet[foot, 0, 3], p[1] - feet[foot, 1, 3]
        own = np.empty(2)
        for i in range(2):
            own[i] = min(edges[foot, 1, i], max(edges[foot, 0, i], R[0, i] * x + R[1, i] * y))
        for i in range(2):
            p[i] = R[i, 3] + R[i, 0] * own[0] + R[i, 1] * own[1]
    for i in range(2):
        lean = omega * omega * (p[i] - zmp[i]) if omega < inf else 0.0
        force[i] = tuning.mass * (acceleration[i] - lean)
    force[2] = tuning.mass * (acceleration[2] + GRAVITY)


@inner_kernel
def share_wrench(
    p: FloatArray, force: FloatArray, feet: FloatArray, supports: BoolArray, out: FloatArray
) -> None:
    """Share a force f about a zero-moment point p between the feet.

        alpha = the projection of p on the line from foot to foot,    f_k = alpha_k f,
        M = -sum (p_k - p) x f_k,    tau_k = alpha_k M   (x and y),

    so that sum f_k = f and the moment about p is zero in x and y [KajitaEtAl2010].
    p (2,), force (3,) in the world, feet (2, 4, 4), supports (2,) -> out (2, 6) in the axes of the
    feet, about their centres.
    """
    right = 1.0 if supports[1] else 0.0
    if supports[0] == supports[1]:
        x, y = feet[1, 0, 3] - feet[0, 0, 3], feet[1, 1, 3] - feet[0, 1, 3]
        along, apart = (p[0] - feet[0, 0, 3]) * x + (p[1] - feet[0, 1, 3]) * y, x * x + y * y
        right = min(1.0, max(0.0, along / apart)) if apart > 0.0 else 0.5
    alpha = np.array([1.0 - right, right])
    Mx = My = 0.0
    for k in range(2):
        Mx -= alpha[k] * (feet[k, 1, 3] - p[1]) * force[2]
        My += alpha[k] * (feet[k, 0, 3] - p[0]) * force[2]
    for k in range(2):
        for i in range(3):
            f = 0.0
            for j in range(3):
                f += feet[k, j, i] * force[j]
            tau = feet[k, 0, i] * Mx + feet[k, 1, i] * My
            out[k, i], out[k, 3 + i] = alpha[k] * f, alpha[k] * tau


@inner_kernel
def yield_feet(
    measured: FloatArray, wanted: FloatArray, supports: BoolArray, thickness: FloatArray,
    least: float, T: float, D: float, D_z: float, forget: float,
    tilt: FloatArray, lift: float, out: FloatArray,
) -> float:  # fmt: skip
    """Let the feet yield to the measured wrenches; return the new lift.

    measured, wanted (2, 6) are wrenches about the sole frames and the centres of the treads; tilt
    (2, 2) is changed in place. The motions of the feet are added to out (2, 6).
    """
    for k in range(2):
        tx = measured[k, 3] - thickness[k] * measured[k, 1]
        ty = measured[k, 4] + thickness[k] * measured[k, 0]
        carries = min(measured[k, 2], wanted[k, 2]) > least
        rx = (tx - wanted[k, 3]) / D if carries else 0.0
        ry = (ty - wanted[k, 4]) / D if carries else 0.0
        tilt[k, 0] += T * (rx - tilt[k, 0] / forget)
        tilt[k, 1] += T * (ry - tilt[k, 1] / forget)
        out[k, 3] += tilt[k, 0]
        out[k, 4] += tilt[k, 1]
    rate = 0.0
    if supports[0] and supports[1]:
        rate = (measured[0, 2] - measured[1, 2] - wanted[0, 2] + wanted[1, 2]) / D_z
    lift += T * (rate - lift / forget)
    out[0, 2] += lift / 2
    out[1, 2] -= lift / 2
    return lift


@inner_kernel
def aim_feet(
    base: FloatArray, plan: FloatArray, feet: FloatArray, stands: BoolArray,
    follow: float, forget: float, aimed: FloatArray, out: FloatArray,
) -> None:  # fmt: skip
    """Move swing feet to their planned poses in the world, whatever the error of the base.

    If the base (7,) differs from its `plan` by d and the rotation vector theta, a foot at r from it
    is displaced by d + theta x r and theta: aimed (2, 6), world axes, follows the opposite. For a
    foot that stands (2,), as planned or on an obstacle, it decays, which turns the base upright. It
    is added to out (2, 6) in the axes of the feet.
    """
    turn, e = np.empty(3), np.empty(6)
    w, x, y, z = plan[6], plan[3], plan[4], plan[5]
    a, b, c, d = base[6], base[3], base[4], base[5]
    sign = 1.0 if a * w + b * x + c * y + d * z >= 0.0 else -1.0
    turn[0] = 2.0 * sign * (w * b - a * x - z * c + y * d)
    turn[1] = 2.0 * sign * (w * c - a * y - x * d + z * b)
    turn[2] = 2.0 * sign * (w * d - a * z - y * b + x * c)
    for k in range(2):
        r0, r1, r2 = feet[k, 0, 3] - plan[0], feet[k, 1, 3] - plan[1], feet[k, 2, 3] - plan[2]
        e[0] = base[0] - plan[0] + turn[1] * r2 - turn[2] * r1
        e[1] = base[1] - plan[1] + turn[2] * r0 - turn[0] * r2
        e[2] = base[2] - plan[2] + turn[0] * r1 - turn[1] * r0
        e[3:] = turn
        for i in range(6):
            if stands[k]:
                aimed[k, i] -= forget * aimed[k, i]
            else:
                aimed[k, i] -= min(follow, 1.0) * (aimed[k, i] + e[i])
        for i in range(3):
            for j in range(3):
                out[k, i] += feet[k, j, i] * aimed[k, j]
                out[k, 3 + i] += feet[k, j, i] * aimed[k, 3 + j]


@inner_kernel
def change_legs(
    J: FloatArray, legs: IntArray, motions: FloatArray, thickness: FloatArray,
    wanted: FloatArray, change: FloatArray, tau: FloatArray,
) -> None:  # fmt: skip
    """Turn motions of the feet into joint angles, and subtract the wrenches from the joint torques.

    J (2, 6, nv) of the sole frames, legs (2, n >= 6) columns of the leg joints, motions (2, 6)
    of the centres of the treads; change (nv,) is filled, tau (nv,) reduced by J'w.
    """
    change[:] = 0.0
    for k in range(2):
        n = legs.shape[1]
        A = np.empty((6, n))
        for j in range(n):
            for i in range(6):
                A[i, j] = J[k, i, legs[k, j]]
        m, w = motions[k].copy(), wanted[k].copy()
        m[0] += thickness[k] * motions[k, 4]  # the sole frame is h above the tread
        m[1] -= thickness[k] * motions[k, 3]
        w[3] += thickness[k] * wanted[k, 1]
        w[4] -= thickness[k] * wanted[k, 0]
        # more than six joints: the smallest change of the angles
        angles = solve_legs(A, m) if n == 6 else A.T @ solve_legs(A @ A.T, m)
        for j in range(n):
            change[legs[k, j]] = angles[j]
        for c in range(len(tau)):
            for i in range(6):
                tau[c] -= J[k, i, c] * w[i]


@inner_kernel
def solve_legs(A: FloatArray, b: FloatArray) -> FloatArray:
    """Return x with A x = b; NaN, which servos refuse, if A is singular."""
    lu = A.copy()
    pivots = factor_lu(lu)
    return np.full(len(b), np.nan) if pivots[0] < 0 else solve_lu(lu, pivots, b)
