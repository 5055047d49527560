"""One compiled call from the contact problem of a time step to certified forces.

The symbols are those of `contact.solvers.step_sweeps`.
"""

from __future__ import annotations

import math

import numpy as np

from contact.problem import (
    ComplianceArrays,
    SoleArrays,
    compute_twists,
    compute_velocities,
    displace_nodes,
    gather_forces,
    sum_law_residuals,
)
from contact.sweeps.block_sweeps_kernels import SweepRule
from contact.sweeps.held_response_kernels import respond_held, take_changes, turn_back, turn_forces
from contact.sweeps.pack_kernels import FORCES, Pack, fill_pack, pack_contacts, respond_packed
from contact.sweeps.sole_sweeps_kernels import OwnBlocks, SoleRows, sweep_soles
from contact.sweeps.solve_soles_kernels import TINY_BLOCK, GivenArrays, SolvedSoles
from contact.sweeps.step_contacts_kernels import (
    StepStart,
    answer_forces,
    find_active,
    find_changed_nodes,
    guess_velocities,
    look_at_all,
    take_contacts,
)
from contact.sweeps.velocity_sweeps_kernels import (
    StiffnessArrays,
    couple_twists,
    neglected_motion,
    settle_forces,
    strain_nodes,
)
from sole.base.arrays import Bundle, FloatArray, IntArray
from sole.base.compiled import kernel

PASSES = 4  # over K: mostly one
ROUNDS = 30  # of sweeps over some contacts and a look at all of them
LONG = 50  # sweeps of a round: where they do not halve what is left, the next ones are calmer
CALMER, CALMEST = 0.4, 0.1  # factor of the relaxation, and what it does not fall below
INNER = 0.9  # of the target, for sweeps over some contacts
UNSURE = 0.05  # of the target, for what the steps before left
UNSEEN = 0.1  # part of the residual that contacts which are not swept over may leave


@kernel
def solve_step_soles(
    stiff: StiffnessArrays,
    held: IntArray,
    C: ComplianceArrays,
    diagonal: FloatArray,
    W: SoleArrays,
    given: GivenArrays,
    start: StepStart,
    rule: SweepRule,
    neglect: float,
    state: int,
    pack: Pack,
) -> Bundle:
    """Solve u = W r + q by sweeps, the bodies `held` by velocities, the others by forces.

    Returns `SolvedSoles` as a plain tuple: see `sole.base.arrays.Bundle`.

    neglect : velocities that sweeps by velocities neglect: at most these end them [m/s].
    """
    stiff, start, W, given, rule = (
        StiffnessArrays(*stiff),
        StepStart(*start),
        SoleArrays(*W),
        GivenArrays(*given),
        SweepRule(*rule),
    )
    C, pack = ComplianceArrays(*C), Pack(*pack)
    scale, node, body, P, _, _ = W
    q, mu, rho = given
    most, unsure = UNSURE * rule.target, 0.0
    target = rule.target
    contacts, size, bodies, first = len(node), len(W.S), len(held), C.first
    nodes = first[-1]
    # Soles swept by velocities: their twists as functions of the others' forces.
    inverse, S = couple_twists(held, W, stiff.N0)
    # Which soles are swept by forces (`place`), and where their blocks lie.
    place, other, factor = C.position.copy(), C.position.copy(), scale.copy()
    begins, strides, large = np.full(bodies, -1), np.zeros(bodies, np.int64), 0
    for b in range(bodies):
        strides[b] = 3 * (first[b + 1] - first[b])
        if C.position[b] >= 0:
            begins[b], large = large, large + strides[b] * strides[b]
        if held[b] >= 0:
            place[b], factor[b] = -1, -1.0 / scale[b]
        else:
            other[b] = -1
    # The start: forces of the last step, velocities where a sole is swept by these.
    x, y, new, D = start.r.copy(), np.empty(size), np.empty(size), np.zeros(size)
    compute_twists(W, x, y)
    guess_velocities(held, W, q, start, y, x)

    r, u, total = np.zeros(x.shape), np.empty(x.shape), np.empty(size)
    # Only contacts that may change are swept; a look at all others comes after the sweeps.
    active, wanted = np.zeros(contacts, np.bool_), np.zeros(nodes, np.bool_)
    goal = (target * rho) ** 2
    share = UNSEEN * UNSEEN * goal / contacts
    d = start.d.reshape(-1).copy()
    find_active(held, W, q, start.status, d, y, x, active)
    # Of soles swept by forces: what these change at once, where a contact may close.
    f = find_changed_nodes(held, first, W, start, x, active, wanted)
    for b in range(bodies):
        if held[b] < 0 and place[b] >= 0:
            fill_pack(pack, b, FORCES, begins[b], C.flat, place[b], first, wanted)
            respond_packed(pack, b, begins[b], first, wanted, scale[b], f, d)
    done, rows, budget, omega = 0, 0, rule.most, rule.omega
    known = not (place >= 0).any()  # whether d answers all forces exactly
    for b in range(bodies):
        if held[b] >= 0:
            unsure = max(unsure, scale[b] * start.lost)
    # Passes: the response of the other soles, then rounds of sweeps and looks at all contacts.
    for _ in range(PASSES):
        respond_held(stiff, held, first, W, q, start, y, x, d)
        full, D[:] = d.copy(), 0.0
        turn_forces(held, W, full, x, r)
        compute_twists(W, r, new)
        for a in range(size):
            for b in range(size):
                D[a] += inverse[a, b] * (new[b] - y[b])
        before, more = math.inf, 0
        for _ in range(ROUNDS):
            turn_back(stiff, held, first, scale, d, D, full)
            for a in range(size):
                total[a] = y[a] + D[a]
            left = look_at_all(held, W, full, total, given, x, share, active)
            if more == LONG and left > 0.25 * before:  # squares
                omega *= CALMER
                budget = done if omega < CALMEST else budget
            before = left
            if left <= goal or done >= budget:
                if known:
                    break
                unsure = answer_forces(held, C, W, start, x, most, d)
                known = True
                continue
            # Sweeps over the contacts that may change.
            origin = np.zeros(bodies + 1, np.int64)
            which, at = pack_contacts(
                pack, held, begins, ComplianceArrays(C.flat, first, place), stiff.K, node,
                active, origin,
            )  # fmt: skip
            some, law, mine = take_contacts(which, held, W, stiff.V0, factor, S, given, y, x, d)
            own = OwnBlocks(diagonal, stiff.own, TINY_BLOCK / rho, np.empty((len(at), 3, size)))
            more, read, state = sweep_soles(
                SoleRows(pack.flat, begins, strides, origin, at, held), own, some, D, law, mine,
                SweepRule(omega, rule.wait, min(budget - done, LONG), INNER * target),
                state,
            )  # fmt: skip
            done, rows = done + more, rows + read
            if more == 0:
                break
            forces = take_changes(which, mine, held, factor, stiff.K, first, W, x, d)
            if forces:
                unsure = answer_forces(held, C, W, start, x, most, d)
                known = True
        turn_back(stiff, held, first, scale, d, D, full)
        turn_forces(held, W, full, x, r)
        for k in range(contacts):
            for a in range(3):
                u[k, a] = -x[k, a]
        compute_twists(W, r, new)
        for a in range(size):
            y[a], new[a] = new[a], new[a] - y[a]
        # What the pass neglected: repeated if that is above its share of the tolerance.
        neglected = neglected_motion(held, W, stiff.G0, new, D, u)
        if not neglected > neglect or done >= budget:
            break
    for k in range(contacts):
        for a in range(3):
            x[k, a] = -u[k, a]
    # The end: forces of all contacts, and displacements that they and the velocities agree on.
    s = np.zeros(3 * nodes)
    strain_nodes(held, W, q, x, y, s)
    change = settle_forces(held, body, u, mu, rho, r)
    # Soles swept by velocities follow forces that change by the sweeps' tolerance only.
    little = displace_nodes(
        ComplianceArrays(C.flat, first, other), scale, gather_forces(nodes, node, P, change)
    )
    length = 0.0
    for b in range(bodies):
        if held[b] >= 0:
            for i in range(3 * first[b], 3 * first[b + 1]):
                d[i] = little[i] + s[i]
                length += s[i] * s[i]
    compute_twists(W, r, y)
    u = compute_velocities(W, d, y)
    for k in range(contacts):
        for a in range(3):
            u[k, a] += q[k, a]
    sums, status = sum_law_residuals(r, u, mu, rho)
    parts = (sums[0], sums[1], sums[2], sums[3], sums[4])
    lengths = math.sqrt(length), unsure
    return SolvedSoles(parts, status, r, u, d, lengths, done, rows, state)[:]
