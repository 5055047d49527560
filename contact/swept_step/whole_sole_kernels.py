"""Compiled: the nodes of a sole that sticks as a whole to one plane, in a step."""

from __future__ import annotations

import math

import numpy as np

from contact.solvers import RunArrays, sum_fields
from contact.swept_step.buffer_arrays import (
    CONE,
    DEEP,
    FINE,
    LEFT,
    LENGTH,
    OFFSET,
    SHALLOW,
    STORED,
    GroundAhead,
    StuckArrays,
    StuckBodies,
    turn_plane,
)
from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel


@inner_kernel(fastmath={"reassoc", "nsz", "contract"})
def advance_whole_sole(
    b: int, run: RunArrays, bodies: StuckBodies, before: StuckArrays,
    pose: tuple[FloatArray, FloatArray], ground: GroundAhead,
    twists: tuple[FloatArray, FloatArray, float], limits: tuple[float, float], z: FloatArray,
    into: StuckArrays,
) -> int:  # fmt: skip
    """Do the same as `advance_stuck_sole` for a sole that sticks as a whole to one plane."""
    (R, p), (ahead, mean, dt), (theta, push_out) = pose, twists, limits
    low, m, t = run.nodes[b], run.nodes[b + 1] - run.nodes[b], 6 * b
    g = run.first[b]
    omega, rate = theta + bodies.eta[b] / dt, 1.0 / (theta * dt + bodies.eta[b])
    inverse, numbers, plane = dt * rate, into.numbers, ground.flat[b]
    n = np.empty(3)
    c = turn_plane(plane, R, p, n)
    n0, n1, n2 = n[0], n[1], n[2]
    # Forces of all nodes: fields of the run times z.
    f = np.empty((3, m))
    shape = (13, 3, m)
    fields = run.fields[run.place[b] : run.place[b + 1]].reshape(shape)
    sum_fields(fields, z[12 * g : 12 * g + 12], f)
    # Component by component, and few arrays in a loop: else the compiler makes no vectors of them.
    rows = np.empty((6, 3, m))
    x, U, e, new, y, d = rows[0], rows[1], rows[2], rows[3], rows[4], rows[5]
    turn_to_rows(bodies.points, low, x)
    turn_to_rows(run.y0, low, y)
    turn_to_rows(before.U, low, U)
    turn_to_rows(before.e, low, e)
    # The sole moves with its plane: U+ = A y0 - x.
    A = into.maps[g]
    for a in range(3):
        A0, A1, A2, A3 = A[a, 0], A[a, 1], A[a, 2], A[a, 3]
        for j in range(m):
            new[a, j] = A0 * y[0, j] + A1 * y[1, j] + A2 * y[2, j] + A3 - x[a, j]
    # y = x + U, d = dU, g n/dt and the velocities of the nodes.
    lost = elastic = moved = stored = 0.0
    for a in range(3):
        for j in range(m):
            step = new[a, j] - U[a, j]
            de = inverse * (f[a, j] - e[a, j])
            lost += step * de
            elastic += step * (e[a, j] + 0.5 * de)
            stored += 0.5 * new[a, j] * (e[a, j] + de)
            stretch = rate * (U[a, j] + omega * step)
            moved += stretch * stretch
        for j in range(m):
            y[a, j] = x[a, j] + U[a, j]
        for j in range(m):
            d[a, j] = new[a, j] - U[a, j]
        for j in range(m):
            e[a, j] += inverse * (f[a, j] - e[a, j])
    turn_to_nodes(new, low, into.U)
    turn_to_nodes(e, low, into.e)
    # Gaps, then the twists as scalars for the loop over the nodes.
    gap = np.empty(m)
    for j in range(m):
        gap[j] = n0 * y[0, j] + n1 * y[1, j] + n2 * y[2, j] + c
    v0, v1, v2, o0, o1, o2 = (
        mean[t],
        mean[t + 1],
        mean[t + 2],
        mean[t + 3],
        mean[t + 4],
        mean[t + 5],
    )
    a0, a1, a2, s0, s1, s2 = (
        ahead[t], ahead[t + 1], ahead[t + 2], ahead[t + 3], ahead[t + 4], ahead[t + 5],
    )  # fmt: skip
    # Cones, penetrations, work of contact and the residual of the law.
    friction = push = offset = sliding = 0.0
    bad, deep, often = 0, 0, 1.0 / dt
    for j in range(m):
        i = low + j
        y0, y1, y2 = y[0, j], y[1, j], y[2, j]
        f0, f1, f2 = f[0, j], f[1, j], f[2, j]
        h = often * gap[j]
        m0 = dt * (v0 + o1 * y2 - o2 * y1) + d[0, j]
        m1 = dt * (v1 + o2 * y0 - o0 * y2) + d[1, j]
        m2 = dt * (v2 + o0 * y1 - o1 * y0) + d[2, j]
        close = n0 * m0 + n1 * m1 + n2 * m2
        fn = n0 * f0 + n1 * f1 + n2 * f2
        square = f0 * f0 + f1 * f1 + f2 * f2 - fn * fn
        holds = bodies.friction[i] * fn
        bad += 0 if (fn > 0.0) & (square <= holds * holds) else 1
        deep += 1 if gap[j] < -push_out * dt else 0
        push += fn * close
        friction += f0 * m0 + f1 * m1 + f2 * m2 - fn * close
        q0 = a0 + s1 * y2 - s2 * y1 - rate * U[0, j] + n0 * h
        q1 = a1 + s2 * y0 - s0 * y2 - rate * U[1, j] + n1 * h
        q2 = a2 + s0 * y1 - s1 * y0 - rate * U[2, j] + n2 * h
        offset += q0 * q0 + q1 * q1 + q2 * q2
        q0, q1, q2 = often * m0 + n0 * h, often * m1 + n1 * h, often * m2 + n2 * h
        sliding += q0 * q0 + q1 * q1 + q2 * q2
    into.forces[low : low + m] = 0.0
    for j in range(m):
        force = into.forces[low + j, run.slot[low + j]]
        force[0], force[1], force[2] = f[0, j], f[1, j], f[2, j]
    # The point outside: that of the node, from just below the ground one just above it.
    least, lift, deeper = math.inf, np.empty(m), 0
    for j in range(m):
        least = gap[j] if gap[j] < least else least
        deeper += 1 if gap[j] < -SHALLOW else 0
    for j in range(m):
        lift[j] = 1e-9 - gap[j] if (gap[j] < 0.0) & (gap[j] >= -SHALLOW) else 0.0
    for a in range(3):
        R0, R1, R2, p0, up = R[a, 0], R[a, 1], R[a, 2], p[a], plane[a]
        for j in range(m):
            d[a, j] = p0 + R0 * y[0, j] + R1 * y[1, j] + R2 * y[2, j] + up * lift[j]
    turn_to_nodes(d, low, into.outside)
    if deeper > 0:  # deep nodes keep theirs
        for j in range(m):
            i = low + j
            if gap[j] < -SHALLOW and not math.isnan(before.outside[i, 0]):
                for a in range(3):
                    into.outside[i, a] = before.outside[i, a]
    # Sums for the energy account and the residual.
    into.gap[b] = least
    numbers[0] += friction
    numbers[1] += push
    numbers[3] += elastic
    numbers[4] += bodies.eta[b] / dt * lost
    numbers[5] += (theta - 0.5) * lost
    numbers[OFFSET] += offset
    numbers[LENGTH] += moved
    numbers[LEFT] += sliding
    numbers[STORED] += stored
    return CONE if bad else DEEP if deep else FINE


@inner_kernel
def turn_to_rows(nodes: FloatArray, low: int, rows: FloatArray) -> None:
    """rows (3, m) = nodes (M, 3) from `low` on, transposed."""
    part = nodes[low : low + rows.shape[1]]
    for j in range(len(part)):
        rows[0, j], rows[1, j], rows[2, j] = part[j, 0], part[j, 1], part[j, 2]


@inner_kernel
def turn_to_nodes(rows: FloatArray, low: int, nodes: FloatArray) -> None:
    """nodes (M, 3) from `low` on = rows (3, m), transposed."""
    part = nodes[low : low + rows.shape[1]]
    for j in range(len(part)):
        part[j, 0], part[j, 1], part[j, 2] = rows[0, j], rows[1, j], rows[2, j]
