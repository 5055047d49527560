"""Compiled: the nodes of a sole that sticks in part, or to several planes, in a step."""

from __future__ import annotations

import math

import numpy as np

from contact.solvers import RunArrays, sum_fields
from contact.swept_step.buffer_arrays import (
    CLOSING,
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
def advance_stuck_sole(
    b: int, run: RunArrays, bodies: StuckBodies, before: StuckArrays,
    pose: tuple[FloatArray, FloatArray], ground: GroundAhead,
    twists: tuple[FloatArray, FloatArray, float], limits: tuple[float, float],
    solved: tuple[FloatArray, FloatArray, FloatArray], into: StuckArrays,
) -> int:  # fmt: skip
    """Advance body b: forces, motion, energies and gaps of its nodes; see `step_stuck_soles`.

    `pose`: R and p. `twists`: v_bar without contact, v_bar, dt. `limits`: theta and the speed of
    pushing out. `solved`: n, c and z of all planes.
    """
    (R, p), (ahead, mean, dt), (theta, push_out) = pose, twists, limits
    normals, offsets, z = solved
    low, high, t = run.nodes[b], run.nodes[b + 1], 6 * b
    first, last = run.first[b], run.first[b + 1]
    omega, rate = theta + bodies.eta[b] / dt, 1.0 / (theta * dt + bodies.eta[b])
    inverse = dt * rate
    flat, numbers = len(ground.flat) > 0, into.numbers
    slots = into.forces.shape[1]
    v0, v1, v2, o0, o1, o2 = (
        mean[t],
        mean[t + 1],
        mean[t + 2],
        mean[t + 3],
        mean[t + 4],
        mean[t + 5],
    )
    # The plane in the axes of the body, and the forces of all nodes: fields of the run times z.
    n = np.zeros(3)
    c = 0.0
    if flat:
        c = turn_plane(ground.flat[b], R, p, n)
    found = np.zeros((3, high - low))
    if last > first:
        fields = run.fields[run.place[b] : run.place[b + 1]]
        shape = (12 * (last - first) + 1, 3, high - low)
        sum_fields(fields.reshape(shape), z[12 * first : 12 * last], found)
    friction = push = elastic = stored = viscous = lost_all = 0.0
    offset = moved = sliding = 0.0
    least = math.inf
    answer = FINE
    U, e, U_new, e_new = before.U, before.e, into.U, into.e
    m, w, d, u = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    y, f = np.empty(3), np.zeros(3)
    # Node by node: displacement and force, elastic and viscous energy.
    for i in range(low, high):
        g, j = run.group[i], i - low
        lost = 0.0
        for a in range(3):
            y[a] = bodies.points[i, a] + U[i, a]
            if g >= 0:
                A = into.maps[g]
                s = A[a, 0] * run.y0[i, 0] + A[a, 1] * run.y0[i, 1] + A[a, 2] * run.y0[i, 2]
                new, f[a] = s + A[a, 3] - bodies.points[i, a], found[a, j]
            else:
                new, f[a] = (found[a, j] - (1.0 - omega) * U[i, a]) * inverse, 0.0
            d[a] = new - U[i, a]
            de = inverse * (f[a] - e[i, a])
            U_new[i, a], e_new[i, a] = new, e[i, a] + de
            lost += d[a] * de
            elastic += d[a] * (e[i, a] + 0.5 * de)
            stored += 0.5 * new * (e[i, a] + de)
            for s in range(slots):
                into.forces[i, s, a] = 0.0
        viscous += bodies.eta[b] / dt * lost
        lost_all += lost
        # Its motion m in the step, gap and approach.
        m[0] = dt * (v0 + o1 * y[2] - o2 * y[1]) + d[0]
        m[1] = dt * (v1 + o2 * y[0] - o0 * y[2]) + d[1]
        m[2] = dt * (v2 + o0 * y[1] - o1 * y[0]) + d[2]
        here = n if flat else normals[max(g, 0)]
        mine = c if flat else offsets[max(g, 0)]
        gap, close = 0.0, 0.0
        if flat or g >= 0:
            gap = here[0] * y[0] + here[1] * y[1] + here[2] * y[2] + mine
            close = here[0] * m[0] + here[1] * m[1] + here[2] * m[2]
        # A node that sticks: its cone, work and part of the residual; an open one must stay open.
        if g >= 0:
            fn = here[0] * f[0] + here[1] * f[1] + here[2] * f[2]
            square = f[0] * f[0] + f[1] * f[1] + f[2] * f[2] - fn * fn
            holds = bodies.friction[i] * fn
            if not (fn > 0.0 and square <= holds * holds):
                answer = CONE
            if gap < -push_out * dt:
                answer = DEEP
            push += fn * close
            friction += f[0] * m[0] + f[1] * m[1] + f[2] * m[2] - fn * close
            u[0] = ahead[t] + ahead[t + 4] * y[2] - ahead[t + 5] * y[1]
            u[1] = ahead[t + 1] + ahead[t + 5] * y[0] - ahead[t + 3] * y[2]
            u[2] = ahead[t + 2] + ahead[t + 3] * y[1] - ahead[t + 4] * y[0]
            for a in range(3):
                part = u[a] - rate * U[i, a] + here[a] * gap / dt
                offset += part * part
                part = rate * (U[i, a] + omega * d[a])
                moved += part * part
                part = (m[a] + here[a] * gap) / dt
                sliding += part * part
                into.forces[i, run.slot[i], a] = f[a]
        elif flat and not gap + close > 0.0:
            answer = CLOSING
        for a in range(3):
            w[a] = p[a] + R[a, 0] * y[0] + R[a, 1] * y[1] + R[a, 2] * y[2]
            d[a] = R[a, 0] * m[0] + R[a, 1] * m[1] + R[a, 2] * m[2]
        # Other surfaces near the node must stay open, too.
        if flat:
            plane = ground.flat[b]
        else:
            gap, plane = ground.gaps[i, 0], ground.normals[i, 0]
            for s in range(slots):
                other = ground.normals[i, s]
                gap = min(gap, ground.gaps[i, s])
                if (
                    ground.gaps[i, s] < math.inf
                    and not (g >= 0 and s == run.slot[i])
                    and not ground.gaps[i, s] + other[0] * d[0] + other[1] * d[1] + other[2] * d[2]
                    > 0.0
                ):
                    answer = CLOSING
        # The point outside the ground from which the node came.
        least = min(least, gap)
        keep = gap < -SHALLOW and not math.isnan(before.outside[i, 0])
        out = 1e-9 - gap if -SHALLOW <= gap < 0.0 else 0.0
        for a in range(3):
            into.outside[i, a] = before.outside[i, a] if keep else w[a] + out * plane[a]
    into.gap[b] = least
    numbers[0] += friction
    numbers[1] += push
    numbers[3] += elastic
    numbers[4] += viscous
    numbers[5] += (theta - 0.5) * lost_all
    numbers[OFFSET] += offset
    numbers[LENGTH] += moved
    numbers[LEFT] += sliding
    numbers[STORED] += stored
    return answer
