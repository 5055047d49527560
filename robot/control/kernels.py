"""Compiled parts of the stabiliser: arrays in, arrays out."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numba import njit

from robot.gait.newton_kernels import back, factor

G = 9.81  # m/s^2
LOADED = 0.05  # share of the weight from which a foot's torques count


@njit(cache=True)
def stabilised(  # type: ignore[no-untyped-def]
    c, speed, now, then, dcm, zmp, com, acceleration, feet, supports, q, v, tau, J, legs, measured,
    edges, compliance, thickness, decay, mass, T, k, k_i, D, D_z, forget, swing, base,
    drift, wanted, tilt, lift, aimed, change,
):  # fmt: skip
    """One period of `robot.control.stabiliser`; returns (3, n) positions, velocities, torques.

    c, speed (3,) of the centre of mass, measured (2, 6) the wrenches. The plan: rows `now` and
    `then`, the end of the period, of dcm, zmp (N, 2), com, acceleration (N, 3), feet
    (N, 2, 4, 4), supports (N, 2), q, v; for `then` the torques tau (nv,) of free inverse dynamics
    and J (2, 6, nv) of the sole frames. edges (2, 2, 2) between which the point stays, compliance
    (2, 6, 6) K6^-1 and thickness (2,) of the soles, decay of the low-pass.
    base (7,) where it is now. drift (2,), wanted (2, 6), tilt (2, 2), lift (1,), aimed (2, 6),
    change (nv,) go from period to period.
    """
    p, force, aim = np.empty(2), np.empty(3), np.empty((2, 6))
    carrying = supports[then]
    balance(
        c, speed, dcm[now], zmp[then], com[then], acceleration[then], feet[then], carrying,
        edges, thickness, mass, T, k, k_i, drift, p, force,
    )  # fmt: skip
    foot_wrenches(p, force, feet[then], carrying, aim)
    moved = np.zeros((2, 6))
    for foot in range(2):
        for i in range(6):
            wanted[foot, i] = aim[foot, i] + (wanted[foot, i] - aim[foot, i]) * decay
        for i in range(6):
            for j in range(6):
                moved[foot, i] -= compliance[foot, i, j] * wanted[foot, j]
    lift[0] = admittance(
        measured, wanted, carrying, thickness, LOADED * mass * G, T, D, D_z, forget,
        tilt, lift[0], moved,
    )  # fmt: skip
    touching = measured[:, 2] > LOADED * mass * G
    aim_feet(base, q[now], feet[then], carrying | touching, T / swing, T / forget, aimed, moved)
    before, torques = change.copy(), tau.copy()
    leg_changes(J, legs, moved, thickness, wanted, change, torques)
    asked = np.empty((3, len(tau) - 6))
    for j in range(len(tau) - 6):
        asked[0, j] = q[then, 7 + j] + change[6 + j]
        asked[1, j] = v[then, 6 + j] + (change[6 + j] - before[6 + j]) / T
        asked[2, j] = torques[6 + j]
    return asked


@njit(cache=True)
def balance(  # type: ignore[no-untyped-def]
    c, speed, dcm, zmp, com, acceleration, feet, supports, edges, thickness, mass,
    T, k, k_i, drift, p, force,
):  # fmt: skip
    """Fill the zero-moment point p (2,) that is wanted and the force (3,) that goes with it.

    Inside the one foot that carries; between two feet the shares see to it.
    """
    floor = count = 0.0
    for foot in range(2):
        if supports[foot]:
            floor += feet[foot, 2, 3] - thickness[foot]
            count += 1.0
    omega = sqrt((G + acceleration[2]) / (com[2] - floor / count))
    for i in range(2):
        e = c[i] + speed[i] / omega - dcm[i]
        drift[i] += T * e
        p[i] = zmp[i] + (1.0 + k / omega) * e + k_i * drift[i]
    if supports[0] != supports[1]:
        foot = 1 if supports[1] else 0
        R, x, y = feet[foot], p[0] - feet[foot, 0, 3], p[1] - feet[foot, 1, 3]
        own = np.empty(2)
        for i in range(2):
            own[i] = min(edges[foot, 1, i], max(edges[foot, 0, i], R[0, i] * x + R[1, i] * y))
        for i in range(2):
            p[i] = R[i, 3] + R[i, 0] * own[0] + R[i, 1] * own[1]
    for i in range(2):
        force[i] = mass * (acceleration[i] - omega * omega * (p[i] - zmp[i]))
    force[2] = mass * (acceleration[2] + G)


@njit(cache=True)
def foot_wrenches(p, force, feet, supports, out):  # type: ignore[no-untyped-def]
    """Share a force f about a zero-moment point p among the feet.

        alpha = the projection of p on the line from foot to foot,    f_k = alpha_k f,
        M = -sum (p_k - p) x f_k,    tau_k = alpha_k M   (x and y),

    so that sum f_k = f and the moment about p is zero in x and y [KajitaEtAl2010].
    p (2,), force (3,) in the world, feet (2, 4, 4), supports (2,) -> out (2, 6) in the axes of the
    feet, about their centres.
    """
    right = 1.0 if supports[1] else 0.0
    if supports[0] == supports[1]:
        x, y = feet[1, 0, 3] - feet[0, 0, 3], feet[1, 1, 3] - feet[0, 1, 3]
        along = (p[0] - feet[0, 0, 3]) * x + (p[1] - feet[0, 1, 3]) * y
        right = min(1.0, max(0.0, along / (x * x + y * y)))
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


@njit(cache=True)
def admittance(  # type: ignore[no-untyped-def]
    measured, wanted, supports, thickness, least, T, D, D_z, forget, tilt, lift, out
):
    """Let the feet give way to what they feel; returns the new lift.

    measured, wanted (2, 6) about the sole frames and the centres of the treads; tilt (2, 2) is
    changed in place. out (2, 6): motions of the feet, added to what is there.
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


@njit(cache=True)
def aim_feet(base, plan, feet, stands, follow, forget, aimed, out):  # type: ignore[no-untyped-def]
    """Swing feet go where the plan has them in the world, however the base is off its place.

    With the base (7,) off its `plan` by d and the rotation vector theta, a foot at r from it is off
    by d + theta x r and theta: aimed (2, 6), world axes, follows the opposite. A foot that stands
    (2,), as planned or on what is in its way, forgets it, which turns the base upright. Added to
    out (2, 6) in the axes of the feet.
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


@njit(cache=True)
def leg_changes(J, legs, moved, thickness, wanted, change, tau):  # type: ignore[no-untyped-def]
    """Turn motions of the feet into joint angles, and take the wrenches off the joint torques.

    J (2, 6, nv) of the sole frames, legs (2, n >= 6) columns of the leg joints, moved (2, 6)
    motions of the centres of the treads; change (nv,) is filled, tau (nv,) reduced by J'w.
    """
    change[:] = 0.0
    for k in range(2):
        n = legs.shape[1]
        A = np.empty((6, n))
        for j in range(n):
            for i in range(6):
                A[i, j] = J[k, i, legs[k, j]]
        m, w = moved[k].copy(), wanted[k].copy()
        m[0] += thickness[k] * moved[k, 4]  # the sole frame is h above the tread
        m[1] -= thickness[k] * moved[k, 3]
        w[3] += thickness[k] * wanted[k, 1]
        w[4] -= thickness[k] * wanted[k, 0]
        # more than six joints: the smallest change that does it
        angles = solved(A, m) if n == 6 else A.T @ solved(A @ A.T, m)
        for j in range(n):
            change[legs[k, j]] = angles[j]
        for c in range(len(tau)):
            for i in range(6):
                tau[c] -= J[k, i, c] * w[i]


@njit(cache=True)
def solved(A, b):  # type: ignore[no-untyped-def]
    """Return x with A x = b; NaN, which no servo takes, if A is singular."""
    lu = A.copy()
    pivots = factor(lu)
    return np.full(len(b), np.nan) if pivots[0] < 0 else back(lu, pivots, b)
