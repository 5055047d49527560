"""Compiled: a whole time step of soles whose touching nodes all stick, by the affine form.

The symbols are those of `contact.solvers.affine` and `contact.step.compliant_step`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from contact.ground import GroundArrays, fill_plane_gaps, find_surfaces
from contact.solvers import open_run, solve_maps
from contact.step import ROUND_OFF, StepMotion, place_nodes
from contact.swept_step.buffer_arrays import (
    CONE,
    FINE,
    GAIN,
    LEFT,
    LENGTH,
    LOST,
    OFFSET,
    RESIDUAL,
    UNSURE,
    GroundAhead,
    StepLimits,
    open_bodies,
    open_sheet,
    turn_plane,
)
from contact.swept_step.stuck_sole_kernels import advance_stuck_sole
from contact.swept_step.whole_sole_kernels import advance_whole_sole
from sole.base.arrays import Bundle, FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel

SAME_PLANE = 1e-12  # normals, and offsets [m], of one plane
FIRST, AGAIN = 2, 8  # steady steps before a run begins; if it fails, it is tried again after these


@kernel
def is_due(steady: int) -> bool:
    """Return whether a run may begin after so many steady steps."""
    return steady >= FIRST and (steady - FIRST) % AGAIN == 0


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
    constants: Bundle, world: FloatArray, gaps: FloatArray, normals: FloatArray,
    solid: IntArray, before: IntArray, near: float, planes: FloatArray,
) -> bool:  # fmt: skip
    """Fill the planes (L, 4) under the nodes that stick: n and n.o.

    False: a node has left its plane or its piece of the ground.
    """
    numbers, counts = constants
    run = open_run(numbers, counts)
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


@kernel
def step_stuck_soles(
    constants: Bundle, before: FloatArray, R: FloatArray, p: FloatArray, ground_tuple: Bundle,
    motion: Bundle, limits_tuple: Bundle, sheet: FloatArray,
) -> int:  # fmt: skip
    """Step soles whose nodes of a run stick while all others stay open; 0 if that is the solution.

    constants : two arrays of `open_run` and that of `open_bodies`. before, sheet : of
    `open_sheet`, what the last step wrote, and what this one writes. The bundles are `GroundAhead`,
    `StepMotion` and `StepLimits`.

    Other answers: `CONE` a force leaves its cone, `DEEP` a penetration is pushed out slowly,
    `CLOSING` an open node closes, `GAIN` pushing out may have added energy, `UNSURE` the bound of
    the residual is too large.
    """
    given, counts, rest_of_bodies = constants
    run, ground = open_run(given, counts), GroundAhead(*ground_tuple)
    twists, free, S6, dt = StepMotion(*motion)
    theta, push_out, gains, steepest, tolerance, slots = StepLimits(*limits_tuple)
    B, M, L = counts[0], counts[1], run.first[counts[0]]
    bodies = open_bodies(rest_of_bodies, M)
    old, into = open_sheet(before, M, slots, B), open_sheet(sheet, M, slots, B)
    eta, size = bodies.eta, len(twists)
    wrench, after, mean = into.twists[0], into.twists[1], into.twists[2]
    # Mean twists without contact, and the planes in the axes of the bodies.
    ahead = np.empty(size)
    for k in range(size):
        ahead[k] = twists[k] + theta * (free[k] - twists[k])
    flat = len(ground.flat) > 0
    normals, offsets = np.empty((max(L, B), 3)), np.empty(max(L, B))
    for b in range(B):
        for g in range(run.first[b], run.first[b + 1]):
            plane = ground.flat[b] if flat else ground.planes[g]
            offsets[g] = turn_plane(plane, R[b], p[b], normals[g])
    # The affine form: twelve numbers per plane, then wrenches and twists at the end.
    z = np.empty(12 * L)
    solve_maps(
        run, old.maps, normals[:L], offsets[:L], ahead, S6, dt, theta, eta, into.maps, z, wrench
    )
    largest = 0.0
    for i in range(size):
        after[i] = free[i]
        for k in range(size):
            after[i] += S6[i, k] * (dt * wrench[k])
        mean[i] = ahead[i] + theta * (after[i] - free[i])
        largest = max(largest, abs(dt * wrench[i]))
    # Every sole: forces, displacements, energy; the first cone or gap that fails ends the step.
    into.numbers[:] = 0.0
    into.numbers[LOST] = old.numbers[LOST]
    answer = FINE
    for b in range(B):
        pose, moves, rules = (R[b], p[b]), (ahead, mean, dt), (theta, push_out)
        if flat and run.whole[b] != 0:
            answer = advance_whole_sole(b, run, bodies, old, pose, ground, moves, rules, z, into)
        else:
            answer = advance_stuck_sole(
                b, run, bodies, old, pose, ground, moves, rules, (normals, offsets, z), into
            )
        if answer != FINE:
            return answer
    # The energy account and the bound of the residual.
    numbers = into.numbers
    total = 0.0
    for k in range(size):
        total += dt * wrench[k] * mean[k]
    numbers[2] = total
    for k in (OFFSET, LENGTH, LEFT):
        numbers[k] = math.sqrt(numbers[k])
    rest = numbers[1] + numbers[0] - numbers[4] - numbers[5]
    if not math.isfinite(rest + total + numbers[3]):
        return CONE
    unsure = run.error * numbers[LENGTH] + numbers[LOST] / (theta * dt + eta.min())
    unseen = (1.0 + steepest) * (2.0 * unsure + numbers[LEFT])
    numbers[RESIDUAL] = unseen / numbers[OFFSET] if numbers[OFFSET] > 0.0 else math.inf
    if rest > ROUND_OFF * largest and not gains:
        return GAIN
    return FINE if numbers[RESIDUAL] <= tolerance else UNSURE


class LookArrays(NamedTuple):
    """What a look at one ground needs, and room for what it finds.

    Attributes
    ----------
    points, body : (M, 3), (M,) nodes at rest and their bodies. ground : `GroundArrays`.
    plane : (2, 3) point and normal of a ground that is one plane; (0, 3): it is not.
    reach : of second surfaces [m].
    same : how near two offsets of one plane are [m].
    local, world : (M, 3). gaps, normals : (M, S), (M, S, 3). planes : (L, 4) as in `GroundAhead`.
    """

    points: FloatArray
    body: IntArray
    ground: GroundArrays
    plane: FloatArray
    reach: float
    same: float
    local: FloatArray
    world: FloatArray
    gaps: FloatArray
    normals: FloatArray
    planes: FloatArray


@inner_kernel
def look_below(
    look: LookArrays, U: FloatArray, outside: FloatArray, R: FloatArray, p: FloatArray,
    solid: IntArray,
) -> None:  # fmt: skip
    """Fill nodes, gaps, normals and the pieces `solid` (M, S) below soles at R, p."""
    place_nodes(look.points, look.body, U, R, p, look.local, look.world)
    if len(look.plane) > 0:
        origin, n = look.plane[0], look.plane[1]
        fill_plane_gaps(look.world, origin, n, look.gaps, look.normals, solid)
    else:
        found = look.gaps, look.normals, solid
        find_surfaces(look.world, outside, look.reach, look.ground, *found)


@inner_kernel
def look_ahead(
    constants: Bundle, look_tuple: Bundle, U: FloatArray, outside: FloatArray, R: FloatArray,
    p: FloatArray, before: IntArray, solid: IntArray,
) -> bool:  # fmt: skip
    """Fill gaps, normals, planes and the pieces `solid` (M, S) below soles at R, p.

    U, outside, before : of the last step, `before` its pieces. False: a node has left its plane.
    """
    look = LookArrays(*look_tuple)
    look_below(look, U, outside, R, p, solid)
    return find_planes(
        constants, look.world, look.gaps, look.normals, solid, before, look.same, look.planes
    )
