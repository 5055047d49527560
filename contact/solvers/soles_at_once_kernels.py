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
    compute_motions,
    compute_velocities,
    displace_nodes,
    extrapolate_start,
    gather_forces,
    sum_law_residuals,
)
from contact.solvers.few_contacts_kernels import LARGE, RESIDUALS, SMALL, TINY_BLOCK, fill_sheet
from contact.solvers.force_sweeps_kernels import ForceRoom, sweep_forces
from contact.solvers.gauss_seidel_kernels import LawArrays, SweepRule
from contact.solvers.one_contact_kernels import NUMBERS
from contact.solvers.sticking_kernels import compute_twists
from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import kernel

ROUNDED = 5e-7  # part of |q| from which a start's response in single precision is near enough


class SharedArrays(NamedTuple):
    """What all problems of the same soles share.

    Attributes
    ----------
    flat, single : C of all bodies in double and in single precision. first, position : as in
        `ComplianceArrays`. own : (M, 3, 3) C_ii. body : (M,) of every node.
    """

    flat: FloatArray
    single: FloatArray
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


@kernel(error_model="numpy")
def solve_soles_at_once(
    bodies: SharedArrays,
    feet: OperatorArrays,
    q: FloatArray,
    mu: FloatArray,
    start: FloatArray,
    rule: tuple[float, float, int, float],
    state: int,
    steepest: float,
    tolerance: float,
    sheet: FloatArray,
) -> tuple[bool, bool, int, int]:
    """Sweep over u = W r + q from `start`, and judge the forces by C in double precision.

    `rule` : relaxation, wait, most sweeps, tolerance of the sweeps. Fills the sheet (7K + 5 + 3M,):
    r, u, the statuses, the residuals of `contact.problem.Certificate`, displacements of all nodes.
    Returns whether this is a problem for it (numbers of ordinary size, no friction above
    `steepest`), whether the residuals are at most `tolerance`; the sweeps done and the state of the
    generator.
    """
    bodies, feet = SharedArrays(*bodies), OperatorArrays(*feet)
    flat, single, first, position, own, owner = bodies
    scale, node, P, G, S = feet
    omega, wait, most, share = rule
    K, square, sound, usual, done = len(q), 0.0, 0.0, True, 0
    A, body, trace = compute_motions(node, owner, P, G, scale, S, own)
    for k in range(K):
        usual = usual and mu[k] <= steepest
        for a in range(3):
            square += q[k, a] * q[k, a]
            sound += start[k, a] * start[k, a]
    rho, size = 3 * K / trace, math.sqrt(square)
    usual = usual and SMALL < size < LARGE and SMALL < rho < LARGE and sound < LARGE
    if not usual:
        return False, False, done, state
    exact = ComplianceArrays(flat, first, position)
    rounded = ComplianceArrays(single, first, position)
    W, law = SoleArrays(scale, node, body, P, A, S), LawArrays(np.zeros((K, NUMBERS)), q, mu, rho)
    room = ForceRoom(own, TINY_BLOCK / rho, np.empty((K, 3, len(S))), np.empty(K))
    r, y = extrapolate_start(start, start, mu), np.empty(len(S))
    f = gather_forces(first[-1], node, P, r)
    d = displace_nodes(rounded, scale, f) if share > ROUNDED else displace_nodes(exact, scale, f)
    compute_twists(W, r, y)
    while True:
        more, state = sweep_forces(
            rounded, room, W, d, y, law, r, SweepRule(omega, wait, most - done, share * size), state
        )
        done += more
        d = displace_nodes(exact, scale, gather_forces(first[-1], node, P, r))
        compute_twists(W, r, y)
        u = compute_velocities(W, d, y)
        for k in range(K):
            for a in range(3):
                u[k, a] += q[k, a]
        sums, status = sum_law_residuals(r, u, mu, rho)
        met = math.sqrt(sums[0] + sums[1]) <= rho * size * share
        if met or more == 0 or done >= most:
            break
    parts = (sums[0], sums[1], sums[2], sums[3], sums[4])
    usual = fill_sheet(r, u, status, parts, rho, size, sheet)
    told, moved = sheet[7 * K :], sheet[7 * K + RESIDUALS :]
    for i in range(len(d)):
        moved[i] = d[i]
    return usual, usual and max(told[0], told[1], told[2]) <= tolerance, done, state
