"""One compiled call from a contact problem of soles to certified forces: set up, sweep, judge.

The symbols are those of `contact.solvers.velocity_sweeps`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from contact.problem import (
    ComplianceArrays,
    SoleArrays,
    compute_velocities,
    displace_nodes,
    extrapolate_start,
    gather_forces,
    sum_law_residuals,
)
from contact.solvers.gauss_seidel_kernels import LawArrays, SweepRule
from contact.solvers.one_contact_kernels import NUMBERS
from contact.solvers.sole_sweeps_kernels import OwnBlocks, StiffRows, sweep_soles
from contact.solvers.sticking_kernels import compute_twists
from contact.solvers.velocity_sweeps_kernels import (
    StartArrays,
    StiffnessArrays,
    couple_twists,
    guess_unknowns,
    mirror_motions,
    multiply_held,
    strain_nodes,
)
from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import kernel

PASSES = 4  # over K: mostly one
TINY_BLOCK = 1e-12  # part of the mean diagonal that a block without compliance is given


class GivenArrays(NamedTuple):
    """A problem's q (K, 3), mu (K,), rho."""

    q: FloatArray
    mu: FloatArray
    rho: float


class SolvedSoles(NamedTuple):
    """What a solve finds.

    Attributes
    ----------
    sums : of `contact.problem.sum_law_residuals`. status : (K,). r, u : (K, 3).
    d : (3M,) scale C f.
    lengths : |s| of the soles swept by velocities, |dx| of the last sweeps over them.
    sweeps, rows : done. state : of the generator.
    """

    sums: tuple[float, ...]
    status: IntArray
    r: FloatArray
    u: FloatArray
    d: FloatArray
    lengths: tuple[float, float]
    sweeps: int
    rows: int
    state: int


@kernel(error_model="numpy")
def split_forces(held: IntArray, body: IntArray, x: FloatArray) -> FloatArray:
    """r (K, 3): x where bodies are swept by forces, else 0."""
    r = x.copy()
    for k in range(len(body)):
        if held[body[k]] >= 0:
            r[k, 0] = r[k, 1] = r[k, 2] = 0.0
    return r


@kernel(error_model="numpy")
def settle_forces(
    held: IntArray, body: IntArray, u: FloatArray, mu: FloatArray, rho: float, r: FloatArray
) -> FloatArray:
    """Put r (K, 3) of soles swept by velocities into the cones, 0 where open; return the change.

    Where bodies are swept by forces, r stays and is returned.
    """
    change = r.copy()
    for k in range(len(body)):
        if held[body[k]] < 0:
            continue
        n, t = r[k, 2], math.sqrt(r[k, 0] * r[k, 0] + r[k, 1] * r[k, 1])
        if n <= max(rho * u[k, 2], 0.0):
            r[k, 0] = r[k, 1] = r[k, 2] = 0.0
        elif t > mu[k] * n:
            r[k, 0] *= mu[k] * n / t
            r[k, 1] *= mu[k] * n / t
        for a in range(3):
            change[k, a] = r[k, a] - change[k, a]
    return change


@kernel(error_model="numpy")
def neglected_motion(
    held: IntArray, W: SoleArrays, G0: FloatArray, change: FloatArray, D: FloatArray, u: FloatArray
) -> float:
    """Add A (y_new - y) - P G0 D to u (K, 3) of soles swept by velocities; return its size."""
    _, node, body, P, A, _ = W
    total = 0.0
    for k in range(len(node)):
        i, t = 3 * node[k], 6 * body[k]
        if held[body[k]] < 0:
            continue
        for a in range(3):
            moved = 0.0
            for c in range(6):
                turned = (
                    P[k, a, 0] * G0[i, c] + P[k, a, 1] * G0[i + 1, c] + P[k, a, 2] * G0[i + 2, c]
                )
                moved += A[k, a, c] * change[t + c] - turned * D[t + c]
            u[k, a] += moved
            total += moved * moved
    return math.sqrt(total)


@kernel(error_model="numpy")
def solve_soles(
    stiff: StiffnessArrays,
    held: IntArray,
    swept: ComplianceArrays,
    first: ComplianceArrays,
    exact: ComplianceArrays,
    diagonal: FloatArray,
    W: SoleArrays,
    given: GivenArrays,
    start: StartArrays,
    rule: SweepRule,
    enough: float,
    state: int,
) -> SolvedSoles:
    """Solve u = W r + q by sweeps, the bodies `held` by velocities, the others by forces.

    C is read as `swept` in the sweeps, as `first` for the response to the start, as `exact` for the
    certificate. Velocities that the sweeps neglect end it once they are at most `enough`.
    """
    stiff, start, W, given, rule = (
        StiffnessArrays(*stiff),
        StartArrays(*start),
        SoleArrays(*W),
        GivenArrays(*given),
        SweepRule(*rule),
    )
    swept, first, exact = (
        ComplianceArrays(*swept),
        ComplianceArrays(*first),
        ComplianceArrays(*exact),
    )
    scale, node, body, P, A, _ = W
    q, mu, rho = given
    contacts, size, nodes = len(node), len(W.S), swept.first[-1]
    inverse, S = couple_twists(held, W, stiff.N0)
    H, local = mirror_motions(held, stiff.V0, W), np.zeros((contacts, NUMBERS))
    own = OwnBlocks(diagonal, stiff.own, TINY_BLOCK / rho, np.empty((contacts, 3, size)))
    place, other, factor = swept.position.copy(), swept.position.copy(), scale.copy()
    for b in range(len(held)):
        if held[b] >= 0:
            place[b], factor[b] = -1, -1.0 / scale[b]
        else:
            other[b] = -1
    mirrored = SoleArrays(factor, node, body, P, H, S)
    r = extrapolate_start(start.r, start.before, mu)
    y, new, D = np.empty(size), np.empty(size), np.empty(size)
    compute_twists(W, r, y)
    x = guess_unknowns(held, W, q, start, r, y)
    d = displace_nodes(
        ComplianceArrays(first.flat, first.first, place),
        scale,
        gather_forces(nodes, node, P, split_forces(held, body, x)),
    )
    s, u, offset = np.zeros(3 * nodes), np.empty(x.shape), np.zeros(x.shape)
    begun, done, rows = x, 0, 0
    for _ in range(PASSES):
        strain_nodes(held, W, q, x, y, s)
        multiply_held(stiff, held, swept.first, scale, s, d)
        begun = x.copy()
        for k in range(contacts):
            i, t = 3 * node[k], 6 * body[k]
            for a in range(3):
                if held[body[k]] >= 0:
                    r[k, a] = P[k, a, 0] * d[i] + P[k, a, 1] * d[i + 1] + P[k, a, 2] * d[i + 2]
                else:
                    r[k, a], offset[k, a] = x[k, a], q[k, a]
                    for c in range(6):
                        offset[k, a] += A[k, a, c] * y[t + c]
        compute_twists(W, r, new)
        for a in range(size):
            D[a] = 0.0
            for b in range(size):
                D[a] += inverse[a, b] * (new[b] - y[b])
        more, _, read, state = sweep_soles(
            ComplianceArrays(swept.flat, swept.first, place),
            StiffRows(stiff.compact, held),
            own,
            mirrored,
            d,
            D,
            LawArrays(local, offset, mu, rho),
            x,
            SweepRule(rule.omega, rule.wait, rule.most - done, rule.target),
            state,
        )
        done, rows = done + more, rows + read
        conjugate = compute_velocities(mirrored, d, D)
        for k in range(contacts):
            for a in range(3):
                r[k, a] = conjugate[k, a] if held[body[k]] >= 0 else x[k, a]
                u[k, a] = -x[k, a]
        compute_twists(W, r, new)
        for a in range(size):
            y[a], new[a] = new[a], new[a] - y[a]
        neglected = neglected_motion(held, W, stiff.G0, new, D, u)
        if not neglected > enough or done >= rule.most:
            break
    for k in range(contacts):
        for a in range(3):
            x[k, a] = -u[k, a]
    strain_nodes(held, W, q, x, y, s)
    moved = 0.0
    for k in range(contacts):
        for a in range(3):
            if held[body[k]] >= 0:
                moved += (x[k, a] - begun[k, a]) ** 2
    change = gather_forces(nodes, node, P, settle_forces(held, body, u, mu, rho, r))
    d = displace_nodes(ComplianceArrays(exact.flat, exact.first, place), scale, change)
    # Soles swept by velocities follow forces that change by the sweeps' tolerance only.
    little = displace_nodes(ComplianceArrays(swept.flat, swept.first, other), scale, change)
    length = 0.0
    for b in range(len(held)):
        if held[b] >= 0:
            for i in range(3 * swept.first[b], 3 * swept.first[b + 1]):
                d[i] += little[i] + s[i]
                length += s[i] * s[i]
    compute_twists(W, r, y)
    u = compute_velocities(W, d, y)
    for k in range(contacts):
        for a in range(3):
            u[k, a] += q[k, a]
    sums, status = sum_law_residuals(r, u, mu, rho)
    parts = (sums[0], sums[1], sums[2], sums[3], sums[4])
    lengths = math.sqrt(length), math.sqrt(moved)
    return SolvedSoles(parts, status, r, u, d, lengths, done, rows, state)
