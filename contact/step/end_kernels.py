"""Compiled loops that end a (sub-)step: forces at the nodes, the sole, energies, gaps, statuses.

    f = P'r,    w = G'f,    d = rate C f,    rate = 1/(theta dt + eta),
    U+ = U + dt (d - rate U),    e+ = e + dt rate (f - e),    e = K U

Imports numpy and numba only; arrays in, arrays out: see `contact.step.step_arrays`.
"""

from __future__ import annotations

import numpy as np

from contact.step.step_arrays import (
    BodyArrays,
    ContactArrays,
    ForceArrays,
    NearArrays,
    NodeArrays,
    SubstepMotion,
)
from sole.base.arrays import BoolArray, FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel


@kernel
def sum_nodal_forces(
    contacts: ContactArrays,
    r: FloatArray,
    status: IntArray,
    by_slot: FloatArray,
    by_status: IntArray,
    f: FloatArray,
    wrench: FloatArray,
) -> None:
    """by_slot (M, S, 3) = P' r, f (M, 3) its sum over slots, wrench (6B,) = G' f; zero before."""
    node, slot, owner, P, A = contacts
    for k in range(len(node)):
        i, s = node[k], slot[k]
        by_status[i, s] = status[k]
        r0, r1, r2 = r[k, 0], r[k, 1], r[k, 2]
        if r0 == 0.0 and r1 == 0.0 and r2 == 0.0:
            continue
        for a in range(3):
            value = P[k, 0, a] * r0 + P[k, 1, a] * r1 + P[k, 2, a] * r2
            by_slot[i, s, a] = value
            f[i, a] += value
        t = 6 * owner[k]
        for j in range(6):
            wrench[t + j] += A[k, 0, j] * r0 + A[k, 1, j] * r1 + A[k, 2, j] * r2


@inner_kernel
def advance_soles(
    before: NodeArrays,
    f: FloatArray,
    d: FloatArray,
    bodies: BodyArrays,
    rate: FloatArray,
    dt: float,
    theta: float,
    after: NodeArrays,
) -> tuple[float, float, float]:
    """dU = dt (d - rate U), de = dt rate (f - e), d = rate C f, rate = 1/(theta dt + eta).

    Returns (elastic, viscous, numerical): growth of 1/2 U.e and the two losses, all [J].
    """
    U, e, U_new, e_new = before.U, before.e, after.U, after.e
    body, rigid, eta = bodies.body, bodies.rigid, bodies.eta
    elastic = viscous = numerical = 0.0
    for i in range(len(U)):
        b = body[i]
        if rigid[b]:
            for a in range(3):
                U_new[i, a] = e_new[i, a] = 0.0
            continue
        lost = 0.0
        for a in range(3):
            dU = dt * (d[3 * i + a] - rate[b] * U[i, a])
            de = dt * rate[b] * (f[i, a] - e[i, a])
            U_new[i, a] = U[i, a] + dU
            e_new[i, a] = e[i, a] + de
            lost += dU * de
            elastic += dU * (e[i, a] + 0.5 * de)
        viscous += eta[b] / dt * lost
        numerical += (theta - 0.5) * lost
    return elastic, viscous, numerical


@kernel
def sum_contact_work(
    contacts: ContactArrays,
    r: FloatArray,
    twist: FloatArray,
    U: FloatArray,
    U_new: FloatArray,
    dt: float,
) -> tuple[float, float]:
    """(friction, push) [J]: sum r . (dt A twist + P (U_new - U)), tangential and normal."""
    node, _, owner, P, A = contacts
    friction = push = 0.0
    for k in range(len(node)):
        r0, r1, r2 = r[k, 0], r[k, 1], r[k, 2]
        if r0 == 0.0 and r1 == 0.0 and r2 == 0.0:
            continue
        i = node[k]
        t = 6 * owner[k]
        for a in range(3):
            s = 0.0
            for j in range(6):
                s += A[k, a, j] * twist[t + j]
            s *= dt
            for c in range(3):
                s += P[k, a, c] * (U_new[i, c] - U[i, c])
            if a < 2:
                friction += r[k, a] * s
            else:
                push += r[k, a] * s
    return friction, push


@inner_kernel
def move_gaps(
    gap: FloatArray,
    near: NearArrays,
    body: IntArray,
    twist: FloatArray,
    U: FloatArray,
    U_new: FloatArray,
    dt: float,
) -> None:
    """gap (M, S) += n . (dt (v + omega x y) + U_new - U), in place: normals frozen."""
    R, local, normal = near.rotations, near.local, near.normals
    M, S = gap.shape
    for i in range(M):
        b = body[i]
        t = 6 * b
        x, y, z = local[i, 0], local[i, 1], local[i, 2]
        m0 = dt * (twist[t] + twist[t + 4] * z - twist[t + 5] * y) + U_new[i, 0] - U[i, 0]
        m1 = dt * (twist[t + 1] + twist[t + 5] * x - twist[t + 3] * z) + U_new[i, 1] - U[i, 1]
        m2 = dt * (twist[t + 2] + twist[t + 3] * y - twist[t + 4] * x) + U_new[i, 2] - U[i, 2]
        w0 = R[b, 0, 0] * m0 + R[b, 0, 1] * m1 + R[b, 0, 2] * m2
        w1 = R[b, 1, 0] * m0 + R[b, 1, 1] * m1 + R[b, 1, 2] * m2
        w2 = R[b, 2, 0] * m0 + R[b, 2, 1] * m1 + R[b, 2, 2] * m2
        for s in range(S):
            if gap[i, s] < np.inf:
                gap[i, s] += normal[i, s, 0] * w0 + normal[i, s, 1] * w1 + normal[i, s, 2] * w2


@inner_kernel
def still_sticks(status: IntArray, before: IntArray) -> bool:
    """Whether `status` (M, S) is that of `before`, nothing slips and something touches."""
    some = False
    for i in range(status.shape[0]):
        for s in range(status.shape[1]):
            if status[i, s] != before[i, s] or status[i, s] > 1:
                return False
            some = some or status[i, s] == 1
    return some


@kernel
def list_missed_contacts(
    gap: FloatArray, node: IntArray, slot: IntArray, listed: BoolArray, tolerance: float
) -> int:
    """Mark in `listed` (M, S) the contacts examined and those missed, whose gap closed.

    Returns the number missed.
    """
    for k in range(len(node)):
        listed[node[k], slot[k]] = True
    count = 0
    for i in range(gap.shape[0]):
        for s in range(gap.shape[1]):
            if gap[i, s] < -tolerance and not listed[i, s]:
                listed[i, s] = True
                count += 1
    return count


@kernel
def advance_contacts(
    contacts: ContactArrays,
    found: ForceArrays,
    before: NodeArrays,
    bodies: BodyArrays,
    near: NearArrays,
    rate: FloatArray,
    motion: SubstepMotion,
    after: NodeArrays,
    forces: FloatArray,
    twists: FloatArray,
) -> tuple[bool, float, float, float, float, float, float]:
    """End a sub-step from its contact forces.

    Written: `after` (statuses zero before), forces by slot (zero before), twists = (v+, h w,
    v_bar). Returns whether all sticks as `before`, and friction, push, wrench, elastic, viscous,
    numerical [J].
    """
    before, after = NodeArrays(*before), NodeArrays(*after)
    bodies, near = BodyArrays(*bodies), NearArrays(*near)
    r, status, d = found
    free, ahead, S6, h, theta = motion
    U, U_new = before.U, after.U
    f = np.zeros(U.shape)
    twist, impulse, mean = twists[0], twists[1], twists[2]
    impulse[:] = 0.0
    sum_nodal_forces(contacts, r, status, forces, after.status, f, impulse)
    impulse *= h
    for a in range(len(free)):
        twist[a], mean[a] = free[a], ahead[a]
        for b in range(len(free)):
            twist[a] += S6[a, b] * impulse[b]
        mean[a] += theta * (twist[a] - free[a])
    elastic, viscous, numerical = advance_soles(before, f, d, bodies, rate, h, theta, after)
    friction, push = sum_contact_work(contacts, r, mean, U, U_new, h)
    after.gaps[:] = before.gaps
    move_gaps(after.gaps, near, bodies.body, mean, U, U_new, h)
    wrench = 0.0
    for a in range(len(free)):
        wrench += impulse[a] * mean[a]
    same = still_sticks(after.status, before.status)
    return same, friction, push, wrench, elastic, viscous, numerical
