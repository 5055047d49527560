"""Compiled parts of sole-aware control before its quadratic program: arrays in, arrays out.

Which foot hangs, stands or reaches for the ground; the force and moment that the robot needs; how
the feet share them.
"""

from __future__ import annotations

from math import exp, sqrt
from typing import NamedTuple

import numpy as np

from robot.control.plan_targets import Aims
from sole.base.arrays import BoolArray, FloatArray, IntArray
from sole.base.compiled import inner_kernel
from sole.base.constants import GRAVITY

HANGS, STANDS, REACHES = 0, 1, 2
LOADED = 0.03  # share of the weight above which a foot stands
LIGHT = 0.003  # share of the weight below which a planned support stands no more
LEAVES = (
    0.1  # m/s upward of a planned swing, until which a foot that still carries goes on standing
)
RISING = 5.0  # 1/s: rate at which the plan is lifted to ground that it does not know
SINKS = 1e-3  # m/s downward of a planned swing, after which a touch is a landing


class BodyNow(NamedTuple):
    """The robot now. For the feet about the centres of their treads, in their axes.

    q, v ; M (nv, nv), h (nv,) of the dynamics; J (2, 6, nv) and bias (2, 6) = dJ/dt v of the feet;
    R (2, 3, 3), p (2, 3) their poses; w, u (2, 6) their wrenches and twists; K, L, B (2, 6, 6) of
    the nodes in contact: `robot.control.contact_stiffness.SoleMatrices`; c, speed
    (3,) of the centre of mass; turn (3, 3), spin (3,) of the base in the world.
    """

    q: FloatArray
    v: FloatArray
    M: FloatArray
    h: FloatArray
    J: FloatArray
    bias: FloatArray
    R: FloatArray
    p: FloatArray
    w: FloatArray
    u: FloatArray
    K: FloatArray
    L: FloatArray
    B: FloatArray
    c: FloatArray
    speed: FloatArray
    turn: FloatArray
    spin: FloatArray


class Limbs(NamedTuple):
    """Constants of the robot.

    thickness (2,), edges (2, 2, 2) between which centres of pressure stay, inertia (3, 3) of the
    whole body, compliance (2, 6, 6) K6^-1 of the whole treads (rigid: 0), posture (n,) weights,
    torque, lower, upper, fastest (n,) limits of the joints. toes (2,) columns of v of the joints of
    toes that carry a part of a sole, -1 without.
    """

    thickness: FloatArray
    edges: FloatArray
    inertia: FloatArray
    compliance: FloatArray
    posture: FloatArray
    torque: FloatArray
    lower: FloatArray
    upper: FloatArray
    fastest: FloatArray
    toes: IntArray


class Gains(NamedTuple):
    """Mass, period T, eta of the soles, `SoleAwareChoice`; aware: 1 or 0; mu, twist: friction.

    twist : radius of the yaw torque that friction holds [m].
    """

    mass: float
    T: float
    eta: float
    aware: float
    omega: float
    zeta: float
    k: float
    height: float
    waist: float
    swing: float
    posture: float
    fade: float
    reach: float
    mu: float
    twist: float


class GaitMemory(NamedTuple):
    """mode (2,) of the feet, offset (2, 6) of a foot that left the ground, age (2,) of modes [s].

    planned (2, 6) wrenches of the plan in the last tick; lift (1,) of the plan to the height of the
    treads that carry [m].
    """

    mode: IntArray
    offset: FloatArray
    age: FloatArray
    planned: FloatArray
    lift: FloatArray


@inner_kernel
def rotation_between(R: FloatArray, aim: FloatArray, out: FloatArray) -> None:
    """out (3,) = sin of the rotation vector from R to `aim`, in the axes of R."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        a = b = 0.0
        for l in range(3):
            a += R[l, k] * aim[l, j]  # (R' aim)[k, j]
            b += R[l, j] * aim[l, k]
        out[i] = (a - b) / 2.0


@inner_kernel
def lift_plan(felt: BodyNow, aims: Aims, limbs: Limbs, gains: Gains, memory: GaitMemory) -> None:
    """Lead the lift of the plan to the mean height of the carrying treads over their plan.

    A tread is by (K6^-1 w)_z higher than its foot says.
    """
    load = height = 0.0
    for k in range(2):
        if memory.mode[k] == STANDS and aims.carries[k] > 0.0 and felt.w[k, 2] > 0.0:
            e = felt.p[k, 2] - aims.p[k, 2]
            for j in range(6):
                e += limbs.compliance[k, 2, j] * felt.w[k, j]
            load += felt.w[k, 2]
            height += felt.w[k, 2] * e
    if load > LOADED * gains.mass * GRAVITY:
        memory.lift[0] += gains.T * RISING * (height / load - memory.lift[0])


@inner_kernel
def find_modes(
    felt: BodyNow, aims: Aims, gains: Gains, memory: GaitMemory, errors: FloatArray
) -> None:
    """Choose the mode of each foot; errors (2, 6) becomes the way to its planned pose.

    A planned support stands once it is loaded, and reaches down before. A swing foot that is loaded
    stands too while its plan goes down, and one that still carries while its plan hardly goes up,
    as the other one landed late. A foot that leaves the ground starts from where it is: its error
    then fades.
    """
    weight = gains.mass * GRAVITY
    for k in range(2):
        R, way = felt.R[k], aims.p[k] - felt.p[k]
        way[2] += memory.lift[0]
        errors[k, :3] = R.T @ way
        rotation_between(R, aims.R[k], errors[k, 3:])
        stood, planned = memory.mode[k] == STANDS, aims.carries[k] > 0.0
        loaded = felt.w[k, 2] > (LIGHT if stood and planned else LOADED) * weight
        loaded = loaded or memory.age[k] < 0.0  # it stands from the beginning
        if planned:
            mode = STANDS if loaded else REACHES
        else:
            rise = (aims.R[k] @ aims.u[k, :3])[2]
            mode = STANDS if loaded and (rise < -SINKS or (stood and rise < LEAVES)) else HANGS
        memory.age[k] += gains.T
        if mode != memory.mode[k]:
            memory.mode[k] = mode
            memory.offset[k] = errors[k]
            memory.age[k] = 0.0
        errors[k] -= exp(-memory.age[k] / gains.fade) * memory.offset[k]


@inner_kernel
def needed_wrench(
    felt: BodyNow, aims: Aims, limbs: Limbs, gains: Gains, lift: float, force: FloatArray,
    moment: FloatArray, bend: FloatArray,
) -> None:  # fmt: skip
    """Fill force and moment (3,) about the centre of mass, world, and the base's d omega/dt (3,).

    f_xy = f_plan - m omega^2 (1 + k/omega) (xi - xi_plan),     f_z = f_plan + m (PD of height),
    M = M_plan + I bend,      bend = PD of the inclination.
    """
    low = min(felt.p[0, 2], felt.p[1, 2])
    omega = sqrt(GRAVITY / max(felt.c[2] - low, 0.2))
    for i in range(2):
        xi = felt.c[i] + felt.speed[i] / omega - aims.c[i] - aims.speed[i] / omega
        force[i] = aims.force[i] - gains.mass * omega * (omega + gains.k) * xi
    g = gains.height
    up = g * g * (aims.c[2] + lift - felt.c[2]) + 2.0 * g * (aims.speed[2] - felt.speed[2])
    force[2] = max(aims.force[2] + gains.mass * up, 0.1 * gains.mass * GRAVITY)
    turn = np.empty(3)
    rotation_between(felt.turn, aims.turn, turn)
    way = felt.turn @ turn
    g = gains.waist
    for i in range(3):
        bend[i] = g * g * way[i] + 2.0 * g * (aims.spin[i] - felt.spin[i])
    moment[:] = aims.moment + limbs.inertia @ bend
    bend += aims.bend


@inner_kernel
def share_load(
    c: FloatArray, p: FloatArray, carries: BoolArray, force: FloatArray, moment: FloatArray,
    shares: FloatArray,
) -> None:  # fmt: skip
    """Share the force between the feet (2,) by the zero-moment point along the line between them.

    It is the point about which force and moment (about the centre of mass c) have no horizontal
    moment, at the height of the lower tread. p (2, 3) of the treads; carries (2,).
    """
    shares[:] = 0.0
    if carries[0] and carries[1]:
        arm = c[2] - min(p[0, 2], p[1, 2])
        dx, dy, right = p[1, 0] - p[0, 0], p[1, 1] - p[0, 1], 0.5
        apart = dx * dx + dy * dy
        if force[2] != 0.0 and apart > 0.0:  # else half each
            x = c[0] - (moment[1] + arm * force[0]) / force[2]
            y = c[1] + (moment[0] - arm * force[1]) / force[2]
            along = (x - p[0, 0]) * dx + (y - p[0, 1]) * dy
            right = min(1.0, max(0.0, along / apart))
        shares[0], shares[1] = 1.0 - right, right
        return
    for k in range(2):
        if carries[k]:
            shares[k] = 1.0


@inner_kernel
def share_wrenches(
    c: FloatArray, p: FloatArray, R: FloatArray, force: FloatArray, moment: FloatArray,
    shares: FloatArray, out: FloatArray,
) -> None:  # fmt: skip
    """out (2, 6) = shares of force and moment, about the treads' centres, in the axes of the feet.

    f_k = s_k f,      t_k = s_k t,      t = M - sum s_j (p_j - c) x f.
    """
    t = moment.copy()
    for k in range(2):
        for i in range(3):
            a, b = (i + 1) % 3, (i + 2) % 3
            t[i] -= shares[k] * ((p[k, a] - c[a]) * force[b] - (p[k, b] - c[b]) * force[a])
    for k in range(2):
        for i in range(3):
            f = m = 0.0
            for j in range(3):
                f += R[k, j, i] * force[j]
                m += R[k, j, i] * t[j]
            out[k, i], out[k, 3 + i] = shares[k] * f, shares[k] * m


@inner_kernel
def planned_rates(aims: Aims, gains: Gains, memory: GaitMemory, rates: FloatArray) -> None:
    """Fill dw/dt (2, 6) of the wrenches of the plan, shared by `share_wrenches`."""
    shares, now = np.empty(2), np.empty((2, 6))
    share_load(aims.c, aims.p, aims.carries > 0.0, aims.force, aims.moment, shares)
    share_wrenches(aims.c, aims.p, aims.R, aims.force, aims.moment, shares, now)
    for k in range(2):
        for i in range(6):
            rates[k, i] = (now[k, i] - memory.planned[k, i]) / gains.T
        if memory.planned[k, 2] == 0.0 and now[k, 2] > LOADED * gains.mass * GRAVITY:
            rates[k] = 0.0  # the first tick, or a step of the plan
        memory.planned[k] = now[k]
