"""Compiled: a whole step of soles whose nodes slide, land or leave, solved by sweeps.

The same calls in the same order as the general way of `contact.step.compliant_step`: contacts,
problem, sweeps, certificate, and the end of the step. But steps that begin inside the ground are
made without push first, where the general way pushes first.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from contact.solvers import keep_lost
from contact.step.end_kernels import advance_contacts, list_missed_contacts
from contact.step.gain_kernels import UNKNOWN, YES, may_step_gain, sum_push_work, sure_part
from contact.step.look_kernels import (
    BELOW,
    SAME,
    align_forces,
    fill_contact_frames,
    keep_outside,
)
from contact.step.select_kernels import select_contacts
from contact.step.step_arrays import (
    BodyArrays,
    MemoryArrays,
    NearArrays,
    NodeArrays,
    StepMotion,
)
from contact.step.stuck_arrays import LOST, RESIDUAL, STORED, open_sheet
from contact.step.swept_arrays import open_counts, open_details
from contact.step.swept_solve_kernels import (
    DONE,
    ODD,
    UNSOLVED,
    SweptRules,
    solve_swept_contacts,
)
from sole.base.arrays import Bundle, FloatArray, IntArray
from sole.base.compiled import kernel

INSIDE = 1e-9  # m, in the mean: deeper nodes that bear forces were mostly not pushed out before


@kernel
def step_swept_soles(
    bodies_tuple: Bundle, matrices_tuple: Bundle, memory_tuple: Bundle, before_tuple: Bundle,
    world: FloatArray, near_tuple: Bundle, motion: Bundle, rules_tuple: Bundle,
    past: tuple[int, float], sheet: FloatArray, details: FloatArray, counts: IntArray,
) -> int:  # fmt: skip
    """Step soles by one solve of sweeps; `DONE` if it met all checks.

    bodies, memory, before, near : `BodyArrays`, `MemoryArrays`, `NodeArrays` (its gaps those of
    `near`), `NearArrays`. world : (M, 3) nodes. past : `steady` and `lost` as in `SoleState`.
    sheet, details, counts : written, of `open_sheet`, `open_details` and `open_counts`.

    Where pushing penetrations out may have added energy, the step is made without; where a contact
    that was not examined closed, with it. Where nodes that bear forces begin inside the ground, the
    last step mostly did not push them out: it is made without first, and stands if pushing would
    gain by a wide margin (`sure_part`).

    Other answers: `STIFFNESS` K is needed. Those that leave the step to the general way, from the
    same state: `ODD` the problem is out of scale, `UNSOLVED` the sweeps did not end in a
    certificate.
    """
    steady, lost = past
    bodies, memory = BodyArrays(*bodies_tuple), MemoryArrays(*memory_tuple)
    before = NodeArrays(*before_tuple)
    near, rules = NearArrays(*near_tuple), SweptRules(*rules_tuple)
    twists, free, S6, dt = StepMotion(*motion)
    theta, M, S, B = rules.theta, len(world), near.gaps.shape[1], len(near.rotations)
    rate = 1.0 / (theta * dt + bodies.eta)
    ahead = twists + theta * (free - twists)
    into, ints = open_sheet(sheet, M, S, B), open_counts(counts, M, S)

    # The contacts and the forces that they bring with them.
    into.outside[:] = memory.outside
    keep_outside(world, near.gaps, near.normals, rules.shallow, into.outside)
    forces, earlier = memory.forces, memory.earlier
    new_forces, new_earlier = np.empty(forces.shape), np.empty(forces.shape)
    met = align_forces(near.solid, memory.solid, forces, earlier, new_forces, new_earlier)
    if met != SAME:
        forces, earlier = new_forces, new_earlier
    if met == BELOW:
        steady = 0
    listed = np.zeros((M, S), np.bool_)
    gain, pushes = free - twists, True  # whether penetrations are pushed out
    hasty = True  # sweeps are cut short where only a gain is in question
    bare, doubt = False, rules.gains  # whether made without push first; whether not to try that
    share = rules.share  # of loose nodes, for sweeps by velocities; below 0 there are none
    moves: Any = (twists + gain, twists + theta * gain, S6, dt, theta)
    while True:
        node, slot = select_contacts(
            near, bodies.body, twists, forces, listed, dt, rules.slack, rules.share
        )
        K = len(node)
        ints.numbers[0] = K
        found = open_details(details, K, M, S)
        found.last[:] = forces
        owner = np.empty(K, np.int64)
        for k in range(K):
            owner[k] = bodies.body[node[k]]
            found.mu[k] = bodies.friction[node[k]]
            ints.node[k], ints.slot[k], ints.owner[k] = node[k], slot[k], owner[k]
        fill_contact_frames(node, slot, near, bodies.body, found.P, found.A)
        # Plain tuples, as in calls from Python: no function is compiled twice.
        contacts: Any = (node, slot, owner, found.P, found.A)
        old: Any = before_tuple
        if pushes and not doubt:
            work, load = sum_push_work(contacts, before.gaps, forces, rules.push_out * dt)
            bare = work > INSIDE * load
            pushes = not bare

        tests = pushes and not rules.gains  # for a gain, which needs no exact forces
        speed = rules.push_out if pushes else 0.0
        swept = solve_swept_contacts(
            contacts, old, bodies.body, (forces, earlier), (rate, ahead, lost), (S6, dt, speed),
            matrices_tuple, rules_tuple, found, share, tests and hasty,
        )  # fmt: skip
        if swept.answer != DONE:
            return swept.answer
        if bare and not swept.solved:
            pushes, share, doubt, bare = True, rules.share, True, False
            continue
        if not swept.solved and swept.held > 0:  # by forces, as the general way
            share = -1.0
            continue
        if not swept.finite or not (swept.solved or tests):
            return UNSOLVED
        done = swept.done

        # The end of the step.
        ints.status[:], into.forces[:] = 0, 0.0
        gaps, ends = np.empty((M, S)), np.empty((3, 6 * B))
        after: Any = (into.U, into.e, ints.status, gaps)
        found_forces: Any = (done.r, done.status, done.d)
        all_bodies: Any = bodies_tuple
        surfaces: Any = near_tuple
        sticks, friction, push, wrench, elastic, viscous, numerical = advance_contacts(
            contacts, found_forces, old, all_bodies, surfaces, rate, moves, after, into.forces, ends
        )
        numbers = into.numbers
        natural, signorini, cone, dual, power = done.sums
        for a in range(6 * B):
            into.twists[0, a], into.twists[1, a] = ends[1, a] / dt, ends[0, a]
            into.twists[2, a] = dt * ends[2, a] / dt
        rest = push + friction - viscous - numerical
        if not math.isfinite(rest + wrench + elastic):
            return ODD
        numbers[:] = 0.0
        numbers[0], numbers[1], numbers[2] = friction, push, wrench
        numbers[3], numbers[4], numbers[5] = elastic, viscous, numerical
        if bare:
            work, _ = sum_push_work(contacts, before.gaps, into.forces, rules.push_out * dt)
            lost_now = abs(friction) + abs(push) + viscous + numerical
            sure = sure_part(bodies.eta, dt, theta) * work - lost_now
            if may_step_gain(sure, ends[1], ends[0] - twists, S6, theta - 0.5) != YES:
                pushes, share, doubt, bare = True, rules.share, True, False
                continue
        if tests:
            gains = may_step_gain(rest, ends[1], ends[0] - twists, S6, theta - 0.5)
            if gains == UNKNOWN:
                return ODD
            if gains == YES:
                pushes, share = False, rules.share
                continue
        if not swept.solved:
            if not hasty:
                return UNSOLVED
            hasty = False
            continue
        if list_missed_contacts(gaps, node, slot, listed, rules.closed) == 0:
            break
        pushes, share, bare = True, rules.share, False
    numbers[RESIDUAL] = swept.worst
    into.gap[:] = math.inf
    stored = 0.0
    for i in range(M):
        for a in range(3):
            stored += 0.5 * into.U[i, a] * into.e[i, a]
        for s in range(S):
            into.gap[bodies.body[i]] = min(into.gap[bodies.body[i]], near.gaps[i, s])
    numbers[STORED], numbers[LOST] = stored, keep_lost(lost, swept.unsure, rate, dt)
    found.r[:], found.u[:], found.d[:] = done.r, done.u, done.d
    ints.found[:K] = done.status
    found.numbers[:5] = natural, signorini, cone, dual, power
    found.numbers[5], found.numbers[6] = swept.unseen, swept.rho
    found.numbers[7], found.numbers[8] = swept.size, swept.unsure
    ints.numbers[1], ints.numbers[2] = done.sweeps, done.state
    ints.numbers[3] = steady + 1 if sticks else 0
    return DONE
