"""One compiled call from a contact problem of soles to judged forces: set up, sweep, judge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from contact.one_contact_kernels import NUMBERS
from contact.problem import (
    ComplianceArrays,
    SoleArrays,
    compute_twists,
    compute_velocities,
    displace_nodes,
    extrapolate_start,
    gather_forces,
    sum_law_residuals,
)
from contact.sweeps.block_sweeps_kernels import LawArrays, SweepRule
from contact.sweeps.sole_sweeps_kernels import OwnBlocks, sweep_soles, whole_soles
from sole.base.arrays import Bundle, FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel

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
    lengths : |s| of soles swept by velocities, see `contact.solvers.step_sweeps`; of the
        others, the bound of what earlier steps add to d.
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


@inner_kernel
def solve_nothing(nodes: int, state: int) -> SolvedSoles:
    """Return what soles without contacts have."""
    none, nothing = np.zeros((0, 3)), (0.0, 0.0, 0.0, 0.0, 0.0)
    d, status = np.zeros(3 * nodes), np.zeros(0, np.int64)
    return SolvedSoles(nothing, status, none, none.copy(), d, (0.0, 0.0), 0, 0, state)


@kernel
def solve_soles(
    C: ComplianceArrays,
    diagonal: FloatArray,
    W: SoleArrays,
    given: GivenArrays,
    start: FloatArray,
    before: FloatArray,
    rule: SweepRule,
    state: int,
) -> Bundle:
    """Solve u = W r + q by sweeps from the extrapolation of `start` and `before` (K, 3).

    Returns `SolvedSoles` as a plain tuple: see `sole.base.arrays.Bundle`.
    """
    W, given, rule = SoleArrays(*W), GivenArrays(*given), SweepRule(*rule)
    C = ComplianceArrays(*C)
    q, mu, rho = given
    contacts, size, nodes = len(W.node), len(W.S), C.first[-1]
    own = OwnBlocks(diagonal, diagonal, TINY_BLOCK / rho, np.empty((contacts, 3, size)))
    r, y = extrapolate_start(start, before, mu), np.empty(size)
    compute_twists(W, r, y)
    d = displace_nodes(C, W.scale, gather_forces(nodes, W.node, W.P, r))
    at_hand = compute_velocities(W, d, np.zeros(size))
    for k in range(contacts):
        for a in range(3):
            at_hand[k, a] += q[k, a]
    law = LawArrays(np.zeros((contacts, NUMBERS)), at_hand, mu, rho)
    done, rows, state = sweep_soles(whole_soles(C, W), own, W, y, law, r, rule, state)
    d = displace_nodes(C, W.scale, gather_forces(nodes, W.node, W.P, r))
    compute_twists(W, r, y)
    u = compute_velocities(W, d, y)
    for k in range(contacts):
        for a in range(3):
            u[k, a] += q[k, a]
    sums, status = sum_law_residuals(r, u, mu, rho)
    parts = (sums[0], sums[1], sums[2], sums[3], sums[4])
    return SolvedSoles(parts, status, r, u, d, (0.0, 0.0), done, rows, state)[:]
