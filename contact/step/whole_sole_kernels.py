"""Compiled: the nodes of a sole that sticks as a whole to one plane, in a step."""

from __future__ import annotations

import math

import numpy as np

from contact.solvers import RunArrays, sum_fields
from contact.step.stuck_arrays import (
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
from sole.base.compiled import kernel


@kernel(fastmath={"reassoc", "nsz", "contract"}, error_model="numpy")
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
    f = np.empty((3, m))
    shape = (13, 3, m)
    fields = run.fields[run.place[b] : run.place[b + 1]].reshape(shape)
    sum_fields(fields, z[12 * g : 12 * g + 12], f)
    # y = x + U, d = dU, g n/dt and the velocities of the nodes, component by component.
    y, d, gap = np.empty((3, m)), np.empty((3, m)), np.empty(m)
    lost = elastic = moved = stored = 0.0
    for a in range(3):
        A0, A1, A2 = into.maps[g, a, 0], into.maps[g, a, 1], into.maps[g, a, 2]
        A3 = into.maps[g, a, 3]
        for j in range(m):
            i = low + j
            x, U = bodies.points[i, a], before.U[i, a]
            new = A0 * run.y0[i, 0] + A1 * run.y0[i, 1] + A2 * run.y0[i, 2] + A3 - x
            step, old = new - U, before.e[i, a]
            de = inverse * (f[a, j] - old)
            y[a, j], d[a, j] = x + U, step
            into.U[i, a], into.e[i, a] = new, old + de
            lost += step * de
            elastic += step * (old + 0.5 * de)
            stored += 0.5 * new * (old + de)
            stretch = rate * (U + omega * step)
            moved += stretch * stretch
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
    friction = push = offset = sliding = 0.0
    bad = deep = 0
    for j in range(m):
        i = low + j
        y0, y1, y2 = y[0, j], y[1, j], y[2, j]
        f0, f1, f2 = f[0, j], f[1, j], f[2, j]
        h = gap[j] / dt
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
        q0 = a0 + s1 * y2 - s2 * y1 - rate * before.U[i, 0] + n0 * h
        q1 = a1 + s2 * y0 - s0 * y2 - rate * before.U[i, 1] + n1 * h
        q2 = a2 + s0 * y1 - s1 * y0 - rate * before.U[i, 2] + n2 * h
        offset += q0 * q0 + q1 * q1 + q2 * q2
        q0, q1, q2 = m0 / dt + n0 * h, m1 / dt + n1 * h, m2 / dt + n2 * h
        sliding += q0 * q0 + q1 * q1 + q2 * q2
    for i in range(low, low + m):
        for s in range(into.forces.shape[1]):
            for a in range(3):
                into.forces[i, s, a] = 0.0
        for a in range(3):
            into.forces[i, run.slot[i], a] = f[a, i - low]
    least = math.inf
    for j in range(m):
        least = min(least, gap[j])
        i = low + j
        keep = gap[j] < -SHALLOW and not math.isnan(before.outside[i, 0])
        out = 1e-9 - gap[j] if -SHALLOW <= gap[j] < 0.0 else 0.0
        for a in range(3):
            w = p[a] + R[a, 0] * y[0, j] + R[a, 1] * y[1, j] + R[a, 2] * y[2, j]
            into.outside[i, a] = before.outside[i, a] if keep else w + out * plane[a]
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
