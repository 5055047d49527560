"""Compiled: a whole step of soles whose nodes slide, land or leave, solved by sweeps.

    W = P (theta dt G S6 G' + C/(theta dt + eta)) P',    u = W r + q,    r by Coulomb's law.

The same calls in the same order as the general way of `contact.step.compliant_step`: contacts,
problem, sweeps, certificate, and the end of the step. But steps that begin inside the ground are
made without push first, where the general way pushes first.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from contact.step import (
    BELOW,
    ROUND_OFF,
    SAME,
    BodyArrays,
    ContactArrays,
    MemoryArrays,
    NearArrays,
    NodeArrays,
    StepMotion,
    advance_contacts,
    align_forces,
    fill_contact_frames,
    keep_outside,
    list_missed_contacts,
    select_contacts,
)
from contact.sweeps import keep_lost
from contact.swept_step.buffer_arrays import (
    LOST,
    RESIDUAL,
    STORED,
    open_counts,
    open_details,
    open_sheet,
)
from contact.swept_step.swept_solve_kernels import (
    DONE,
    ODD,
    UNSOLVED,
    SweptRules,
    solve_swept_contacts,
)
from sole.base.arrays import Bundle, FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel

SINGULAR = 1e-10  # a pivot of S6 below this part of its largest entry
NO, YES, UNKNOWN = range(3)  # answers of `may_step_gain`
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
    gain by a wide margin (`sure_part`). A steady slide is pushed at once: there it never would.

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
        # Contacts that may close in this step, their frames and friction.
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
        # Without push first, where most of the load lies on nodes that were not pushed out before,
        # and where friction, at the last forces and motion, takes less than pushing would give.
        if pushes and not doubt:
            work, load = sum_push_work(contacts, before.gaps, forces, rules.push_out * dt)
            slid = dt * friction_loss(contacts, forces, twists)
            bare = work > INSIDE * load and sure_part(bodies.eta, dt, theta) * work > slid
            pushes = not bare

        tests = pushes and not rules.gains  # for a gain, which needs no exact forces
        speed = rules.push_out if pushes else 0.0
        swept = solve_swept_contacts(
            contacts, old, bodies.body, (forces, earlier), (rate, ahead, lost), (S6, dt, speed),
            matrices_tuple, rules_tuple, found, share, tests and hasty,
        )  # fmt: skip
        if swept.answer != DONE:
            return swept.answer
        # Answers that ask for another way: with push, sweeps by forces, or the general way.
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
        # The energy: was it right to leave the push out, or to push?
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
        # Sweeps that were cut short for that question go on; then no contact may have been missed.
        if not swept.solved:
            if not hasty:
                return UNSOLVED
            hasty = False
            continue
        if list_missed_contacts(gaps, node, slot, listed, rules.closed) == 0:
            break
        pushes, share, bare = True, rules.share, False
    # What results and the next step read.
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


@inner_kernel
def may_step_gain(
    rest: float, impulse: FloatArray, change: FloatArray, S6: FloatArray, share: float
) -> int:
    """Return whether rest > share d'S6^-1 d + round-off; `UNKNOWN` where S6 is nearly singular.

    rest : push + friction - viscous - numerical [J]. impulse : h w (6B,). change : d (6B,) of the
    twists. share : theta - 1/2, of one sub-step. See `contact.step.energy.may_gain`.
    """
    small, largest, n = 0.0, 0.0, len(S6)
    for a in range(n):
        small = max(small, ROUND_OFF * abs(impulse[a]))
        largest = max(largest, abs(S6[a, a]))
    if rest <= small:
        return NO
    # S6 = L L', L x = d: d'S6^-1 d = x'x.
    L, lost = np.zeros((n, n)), 0.0
    x = np.zeros(n)
    for a in range(n):
        left, into = S6[a, a], change[a]
        for c in range(a):
            entry = S6[a, c]
            for l in range(c):
                entry -= L[a, l] * L[c, l]
            L[a, c] = entry / L[c, c]
            left -= L[a, c] * L[a, c]
            into -= L[a, c] * x[c]
        if not left > SINGULAR * largest:
            return UNKNOWN
        L[a, a] = np.sqrt(left)
        x[a] = into / L[a, a]
        lost += x[a] * x[a]
    return YES if rest > share * lost + small else NO


@inner_kernel
def sum_push_work(
    contacts: ContactArrays, gaps: FloatArray, forces: FloatArray, most: float
) -> tuple[float, float]:
    """Return sum r_n min(-g, most) [J] over contacts inside the ground, and sum r_n [N] of all.

    gaps : g (M, S). forces : P'r (M, S, 3) by slot. most : pushed out in one step [m].
    """
    node, slot, _, P, _ = contacts
    work = total = 0.0
    for k in range(len(node)):
        i, s = node[k], slot[k]
        r_n = 0.0
        for a in range(3):
            r_n += P[k, 2, a] * forces[i, s, a]
        if r_n > 0.0:
            total += r_n
            work += r_n * min(max(-gaps[i, s], 0.0), most)
    return work, total


@inner_kernel
def friction_loss(contacts: ContactArrays, forces: FloatArray, twists: FloatArray) -> float:
    """Return -sum r_t . u_t [W] with u = A t: what friction takes at these forces and twists.

    forces : P'r (M, S, 3) by slot. twists : t (6B,).
    """
    node, slot, owner, P, A = contacts
    power = 0.0
    for k in range(len(node)):
        i, s, first = node[k], slot[k], 6 * owner[k]
        for t in range(2):
            r_t = u_t = 0.0
            for a in range(3):
                r_t += P[k, t, a] * forces[i, s, a]
            for c in range(6):
                u_t += A[k, t, c] * twists[first + c]
            power -= r_t * u_t
    return power


@inner_kernel
def sure_part(eta: FloatArray, dt: float, theta: float) -> float:
    """Return kappa: a step without push that loses less than kappa p would gain by pushing.

    p = sum r_n |g| with the forces of that step. Pushing adds the motion g to its own motion x.
    What sole and time step lose is quadratic in the motion,

        loss(x + g) <= L + 2 sqrt(L c Q) + c Q,    L = loss(x), Q = g'Kg, c = eta/dt + theta - 1/2,

    and forces f = K (U + theta dU) + eta K dU/dt grow by (theta + eta/dt) K g, whose work is
    (c + 1/2) Q. So the gain is at least p - L + Q/2 - 2 sqrt(L c Q), which is least at
    sqrt(Q) = 2 sqrt(L c): p - L (1 + 2 c). It is p/2 with L = kappa p, kappa = 1/(2 (1 + 2 c)).

    What friction and landing contacts take is put into L though it grows with the forces, so this
    is an estimate; but a step without push gains no energy, whatever the answer.
    """
    c = eta.max() / dt + theta - 0.5
    kappa: float = 0.5 / (1.0 + 2.0 * c)
    return kappa
