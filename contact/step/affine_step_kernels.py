"""Compiled: a whole time step of soles whose touching nodes all stick, by the affine form.

The symbols are those of `contact.solvers.affine` and `contact.step.compliant_step`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from contact.solvers import RunArrays, solve_maps, sum_fields
from contact.step.step_arrays import BodyArrays, MemoryArrays, StepMotion
from sole.base.arrays import Bundle, FloatArray, IntArray
from sole.base.compiled import kernel

FINE, CONE, DEEP, CLOSING, GAIN = range(5)  # answers of `step_stuck_soles`
ENERGIES, NUMBERS = 6, 9  # of `StuckArrays.numbers`
SHALLOW = 1e-4  # m: a deeper node keeps the point outside from which it came
ROUND_OFF = 1e-12  # m/s: work per impulse that counts as zero


class GroundAhead(NamedTuple):
    """The ground of a step in the axes of its owner (the world, or a movable thing).

    Attributes
    ----------
    flat : (B, 4) normal n and n.o of the one plane below each body; (0, 4): ask the others.
    planes : (L, 4) of every plane of a run, likewise.
    gaps, normals : (M, S), (M, S, 3) of all surfaces near the nodes; empty if flat.
    """

    flat: FloatArray
    planes: FloatArray
    gaps: FloatArray
    normals: FloatArray


class StepLimits(NamedTuple):
    """theta, speed of pushing out [m/s], and whether a step may gain energy by it."""

    theta: float
    push_out: float
    gains: bool


class StuckArrays(NamedTuple):
    """What a step writes.

    Attributes
    ----------
    maps : (L, 3, 4). U, e, outside : (M, 3). forces : (M, S, 3).
    twists : (3, 6B) w, v+ and v_bar. gap : (B,) least gap in the first slot at the start.
    numbers : friction, push, wrench, elastic, viscous, numerical [J]; |q|, |s|, |u| of the nodes
        that stick [m/s].
    """

    maps: FloatArray
    U: FloatArray
    e: FloatArray
    outside: FloatArray
    forces: FloatArray
    twists: FloatArray
    gap: FloatArray
    numbers: FloatArray


@kernel
def find_stuck_nodes(
    status: IntArray, first: IntArray, group: IntArray, slot: IntArray
) -> tuple[int, bool, bool]:
    """Fill the plane (one per body) and slot (M,) of nodes that stick, -1 for others.

    Returns how many stick, whether all of a body or none, and whether there is a run at all: none
    slips, none sticks to two surfaces.
    """
    total, planes, whole = 0, 0, True
    for b in range(len(first) - 1):
        here = 0
        for i in range(first[b], first[b + 1]):
            group[i] = slot[i] = -1
            for s in range(status.shape[1]):
                if status[i, s] == 0:
                    continue
                if status[i, s] != 1 or slot[i] >= 0:
                    return 0, False, False
                group[i], slot[i] = planes, s
                here += 1
        whole = whole and (here == 0 or here == first[b + 1] - first[b])
        planes += here > 0
        total += here
    return total, whole, total > 0


@kernel
def group_by_plane(
    first: IntArray, slot: IntArray, world: FloatArray, gaps: FloatArray, normals: FloatArray,
    most: int, near: float, group: IntArray,
) -> bool:  # fmt: skip
    """Renumber `group` (M,) by planes: equal normals, offsets within `near`; at most `most` a body.

    False: there are more, the ground is curved.
    """
    planes = 0
    found = np.empty((most, 4))
    for b in range(len(first) - 1):
        here = 0
        for i in range(first[b], first[b + 1]):
            if slot[i] < 0:
                continue
            n = normals[i, slot[i]]
            offset = n[0] * world[i, 0] + n[1] * world[i, 1] + n[2] * world[i, 2]
            offset -= gaps[i, slot[i]]
            mine = -1
            for k in range(here):
                far = abs(found[k, 3] - offset)
                for a in range(3):
                    far = max(far, abs(found[k, a] - n[a]))
                if far <= near:
                    mine = k
            if mine < 0:
                if here == most:
                    return False
                mine = here
                found[here, 0], found[here, 1], found[here, 2] = n[0], n[1], n[2]
                found[here, 3] = offset
                here += 1
            group[i] = planes + mine
        planes += here
    return True


@kernel
def find_planes(
    run_tuple: Bundle, world: FloatArray, gaps: FloatArray, normals: FloatArray,
    solid: IntArray, before: IntArray, near: float, planes: FloatArray,
) -> bool:  # fmt: skip
    """Fill the planes (L, 4) under the nodes that stick: n and n.o.

    False: a node has left its plane or its piece of the ground.
    """
    run = RunArrays(*run_tuple)
    planes[:] = np.nan
    for i in range(len(run.group)):
        g, s = run.group[i], run.slot[i]
        if g < 0:
            continue
        if solid[i, s] != before[i, s]:
            return False
        n = normals[i, s]
        offset = n[0] * world[i, 0] + n[1] * world[i, 1] + n[2] * world[i, 2] - gaps[i, s]
        if math.isnan(planes[g, 3]):
            planes[g, 0], planes[g, 1], planes[g, 2], planes[g, 3] = n[0], n[1], n[2], offset
        far = abs(planes[g, 3] - offset)
        for a in range(3):
            far = max(far, abs(planes[g, a] - n[a]))
        if not far <= near:
            return False
    return True


@kernel(error_model="numpy")
def step_stuck_soles(
    run_tuple: Bundle, bodies_tuple: Bundle, memory_tuple: Bundle, maps: FloatArray, e: FloatArray,
    R: FloatArray, p: FloatArray, ground_tuple: Bundle, motion: Bundle, limits_tuple: Bundle,
    into_tuple: Bundle,
) -> int:  # fmt: skip
    """Step soles whose nodes of a run stick while all others stay open; 0 if that is the solution.

    The bundles are `RunArrays`, `BodyArrays`, `MemoryArrays`, `GroundAhead`, `StepMotion`,
    `StepLimits` and `StuckArrays`; e (M, 3) as in `SoleState`. Other answers: `CONE` a force leaves
    its cone, `DEEP` a penetration is pushed out slowly, `CLOSING` an open node closes, `GAIN`
    pushing out may have added energy.
    """
    run, bodies, memory = (
        RunArrays(*run_tuple),
        BodyArrays(*bodies_tuple),
        MemoryArrays(*memory_tuple),
    )
    ground, into = GroundAhead(*ground_tuple), StuckArrays(*into_tuple)
    twists, free, S6, dt = StepMotion(*motion)
    theta, push_out, gains = StepLimits(*limits_tuple)
    eta, size = bodies.eta, len(twists)
    wrench, after, mean = into.twists[0], into.twists[1], into.twists[2]
    ahead = np.empty(size)
    for k in range(size):
        ahead[k] = twists[k] + theta * (free[k] - twists[k])
    L = len(maps)
    flat = len(ground.flat) > 0
    normals, offsets = np.empty((max(L, len(eta)), 3)), np.empty(max(L, len(eta)))
    for b in range(len(eta)):
        for g in range(run.first[b], run.first[b + 1]):
            plane = ground.flat[b] if flat else ground.planes[g]
            offsets[g] = turn_plane(plane, R[b], p[b], normals[g])
    z = np.empty(12 * L)
    solve_maps(run, maps, normals[:L], offsets[:L], ahead, S6, dt, theta, eta, into.maps, z, wrench)
    largest = 0.0
    for i in range(size):
        after[i] = free[i]
        for k in range(size):
            after[i] += S6[i, k] * (dt * wrench[k])
        mean[i] = ahead[i] + theta * (after[i] - free[i])
        largest = max(largest, abs(dt * wrench[i]))
    into.numbers[:] = 0.0
    answer = FINE
    for b in range(len(eta)):
        answer = advance_stuck_sole(
            b, run, bodies, memory, e, (R[b], p[b]), ground, (ahead, mean, dt),
            (theta, push_out), (normals, offsets, z), into,
        )  # fmt: skip
        if answer != FINE:
            return answer
    numbers = into.numbers
    total = 0.0
    for k in range(size):
        total += dt * wrench[k] * mean[k]
    numbers[2] = total
    for k in range(ENERGIES, len(numbers)):
        numbers[k] = math.sqrt(numbers[k])
    rest = numbers[1] + numbers[0] - numbers[4] - numbers[5]
    if not math.isfinite(rest + total + numbers[3]):
        return CONE
    return GAIN if rest > ROUND_OFF * largest and not gains else FINE


@kernel
def turn_plane(plane: FloatArray, R: FloatArray, p: FloatArray, normal: FloatArray) -> float:
    """Fill the normal (3,) of a plane (4,) in the axes of a body, and return c: n.y + c = gap."""
    c = -float(plane[3])
    for i in range(3):
        normal[i] = R[0, i] * plane[0] + R[1, i] * plane[1] + R[2, i] * plane[2]
        c += plane[i] * p[i]
    return float(c)


@kernel(fastmath={"reassoc", "nsz", "contract"}, error_model="numpy")
def advance_stuck_sole(
    b: int, run: RunArrays, bodies: BodyArrays, memory: MemoryArrays, e: FloatArray,
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
    n = np.zeros(3)
    c = 0.0
    if flat:
        c = turn_plane(ground.flat[b], R, p, n)
    found = np.zeros((3, high - low))
    if last > first:
        fields = run.fields[run.place[b] : run.place[b + 1]]
        shape = (12 * (last - first) + 1, 3, high - low)
        sum_fields(fields.reshape(shape), z[12 * first : 12 * last], found)
    friction = push = elastic = viscous = lost_all = 0.0
    offset = moved = sliding = 0.0
    least = math.inf
    answer = FINE
    U, U_new, e_new = memory.displacement, into.U, into.e
    m, w, d, u = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    y, f = np.empty(3), np.zeros(3)
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
            for s in range(slots):
                into.forces[i, s, a] = 0.0
        viscous += bodies.eta[b] / dt * lost
        lost_all += lost
        m[0] = dt * (v0 + o1 * y[2] - o2 * y[1]) + d[0]
        m[1] = dt * (v1 + o2 * y[0] - o0 * y[2]) + d[1]
        m[2] = dt * (v2 + o0 * y[1] - o1 * y[0]) + d[2]
        here = n if flat else normals[max(g, 0)]
        mine = c if flat else offsets[max(g, 0)]
        gap, close = 0.0, 0.0
        if flat or g >= 0:
            gap = here[0] * y[0] + here[1] * y[1] + here[2] * y[2] + mine
            close = here[0] * m[0] + here[1] * m[1] + here[2] * m[2]
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
        if flat:
            plane = ground.flat[b]
        else:
            gap, plane = ground.gaps[i, 0], ground.normals[i, 0]
            for s in range(slots):
                other = ground.normals[i, s]
                if (
                    ground.gaps[i, s] < math.inf
                    and not (g >= 0 and s == run.slot[i])
                    and not ground.gaps[i, s] + other[0] * d[0] + other[1] * d[1] + other[2] * d[2]
                    > 0.0
                ):
                    answer = CLOSING
        least = min(least, gap)
        keep = gap < -SHALLOW and not math.isnan(memory.outside[i, 0])
        out = 1e-9 - gap if -SHALLOW <= gap < 0.0 else 0.0
        for a in range(3):
            into.outside[i, a] = memory.outside[i, a] if keep else w[a] + out * plane[a]
    into.gap[b] = least
    numbers[0] += friction
    numbers[1] += push
    numbers[3] += elastic
    numbers[4] += viscous
    numbers[5] += (theta - 0.5) * lost_all
    numbers[6] += offset
    numbers[7] += moved
    numbers[8] += sliding
    return answer
