"""One compiled call from a contact problem of soles to judged forces, by sweeps over forces.

Arrays come in as a problem holds them; nothing else is looked up, made or checked in Python.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from contact.problem import (
    ComplianceArrays,
    SoleArrays,
    displace_nodes,
    extrapolate_start,
    gather_forces,
    sum_laws,
)
from contact.solvers.few_contacts_kernels import LARGE, SMALL, TINY_BLOCK, TOLD, fill_told
from contact.solvers.force_setup_kernels import (
    ROW,
    prepare_all_entries,
    prepare_motions,
    write_velocities,
)
from contact.solvers.force_sweeps_kernels import ForceRoom, sweep_forces
from contact.solvers.gauss_seidel_kernels import LawArrays, SweepRule
from contact.solvers.one_contact_kernels import NUMBERS
from contact.solvers.sticking_kernels import compute_twists
from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import kernel


class SharedArrays(NamedTuple):
    """What all problems of the same soles share.

    Attributes
    ----------
    flat, first, position : as in `ComplianceArrays`. own : (M, 3, 3) C_ii.
    body : (M,) of every node.
    """

    flat: FloatArray
    first: IntArray
    position: IntArray
    own: FloatArray
    body: IntArray


class OperatorArrays(NamedTuple):
    """W of one problem: fields of `contact.problem.SoleDelassus` of the same names."""

    scale: FloatArray
    node: IntArray
    frames: FloatArray
    geometry: FloatArray
    support: FloatArray


@kernel
def solve_soles_at_once(
    bodies: SharedArrays,
    feet: OperatorArrays,
    q: FloatArray,
    mu: FloatArray,
    start: FloatArray,
    rule: FloatArray,
    sheet: FloatArray,
) -> tuple[bool, bool]:
    """Sweep over u = W r + q from `start`, and judge the forces.

    `rule` : see `solve_few_at_once`. Fills the sheet: rows of r, of u, then statuses, what
    `fill_told` writes, and displacements of all nodes. Returns whether this is a problem for it
    (numbers of ordinary size, no friction above the largest), and whether it is solved.
    """
    bodies, feet = SharedArrays(*bodies), OperatorArrays(*feet)
    flat, first, position, own, owner = bodies
    scale, node, P, G, S = feet
    omega, wait, most, share = rule[0], rule[1], int(rule[2]), rule[3]
    state = int(rule[6])
    K, square, sound, usual, done = len(q), 0.0, 0.0, True, 0
    A, body, local = np.empty((K, 3, 6)), np.empty(K, np.int64), np.empty((K, NUMBERS))
    turned = np.empty((K * (len(S) // 6) * 3, ROW))
    trace = prepare_motions(node, owner, P, G, scale, S, own, body, A.reshape(-1), turned, local)
    for k in range(K):
        usual = usual and mu[k] <= rule[5]
        for a in range(3):
            square += q[k, a] * q[k, a]
            sound += start[k, a] * start[k, a]
    rho, size = 3 * K / trace, math.sqrt(square)
    usual = usual and SMALL < size < LARGE and SMALL < rho < LARGE and sound < LARGE
    if not usual:
        return False, False
    C = ComplianceArrays(flat, first, position)
    prepare_all_entries(TINY_BLOCK / rho, local)
    W, law = SoleArrays(scale, node, body, P, A, S), LawArrays(local, q, mu, rho)
    room, u = ForceRoom(turned, np.empty(K)), np.empty((K, 3))
    r, y = extrapolate_start(start, start, mu), np.empty(len(S))
    d = displace_nodes(C, scale, gather_forces(first[-1], node, P, r))
    compute_twists(W, r, y)
    status = np.empty(K, np.int64)
    while True:
        more, state = sweep_forces(
            C, room, W, d, y, law, r, SweepRule(omega, wait, most - done, share * size), state
        )
        done += more
        d = displace_nodes(C, scale, gather_forces(first[-1], node, P, r))
        compute_twists(W, r, y)
        write_velocities(node, body, P.reshape(-1), A.reshape(-1), d, y, q, u)
        sums = sum_laws(r, u, mu, rho, status)
        met = math.sqrt(sums[0] + sums[1]) <= rho * size * share
        if met or more == 0 or done >= most:
            break
    for k in range(K):
        for a in range(3):
            sheet[k, a], sheet[K + k, a] = r[k, a], u[k, a]
    flat = sheet[2 * K :].reshape(-1)
    for k in range(K):
        flat[k] = status[k]
    worst = fill_told(sums, rho, size, done, state, flat[K:])
    for i in range(len(d)):
        flat[K + 3 * TOLD + i] = d[i]
    return math.isfinite(worst), worst <= rule[4]
