"""Compiled loops of the Gauss-Seidel solver: arrays in, arrays out.

Plain scalar arithmetic without fast-math, so that
``NUMBA_DISABLE_JIT=1`` gives the same numbers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from contact.one_contact_kernels import natural_residual, renew_force
from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel


class ColumnArrays(NamedTuple):
    """W by the 3x3 blocks of its columns.

    Column k holds the blocks `block[start[k]:start[k + 1]]` in the rows `row[...]`.
    """

    start: IntArray
    row: IntArray
    block: FloatArray


class LawArrays(NamedTuple):
    """A problem for the sweeps: `prepare_blocks` (K, 18), q (K, 3), mu (K,), rho."""

    local: FloatArray
    q: FloatArray
    mu: FloatArray
    rho: float


class SweepRule(NamedTuple):
    """Options of the sweeps, see `contact.solvers.GaussSeidel`.

    Attributes
    ----------
    omega : relaxation. wait : see `skip_threshold`. most : sweeps.
    target : residual [u] that ends them.
    """

    omega: float
    wait: float
    most: int
    target: float


@inner_kernel
def next_random(state: int) -> int:
    """Lehmer's generator (Park and Miller 1988): same bits with and without compilation.

    48271 state mod 2^31 - 1, a Mersenne prime: the high bits are folded on the low ones.
    """
    product = state * 48271
    state = (product & 2147483647) + (product >> 31)
    return state - 2147483647 if state >= 2147483647 else state


@inner_kernel
def shuffle(order: IntArray | FloatArray, state: int) -> int:
    """Reshuffle `order` in place (Fisher-Yates); return the new state of the generator."""
    for i in range(len(order) - 1, 0, -1):
        state = next_random(state)
        j = (state * (i + 1)) >> 31  # 0 to i
        kept = order[i]
        order[i] = order[j]
        order[j] = kept
    return state


@inner_kernel
def skip_threshold(total: float, target: float, rho: float, wait: float, contacts: int) -> float:
    """Residual squared below which a contact is skipped in the next sweep.

    Half of its share of the target, or the part `wait` of its share of the residual now.
    """
    share = max(0.25 * (target * rho) ** 2, wait * wait * total)
    return share / contacts if contacts > SMALL and wait > 0.0 else 0.0


SMALL = 8  # with so few contacts skipping does not pay


@kernel(nogil=True)
def sweep_blocks(
    columns: ColumnArrays,
    u: FloatArray,
    law: LawArrays,
    r: FloatArray,
    rule: SweepRule,
    state: int,
) -> tuple[int, float, int, int]:
    """As `sweep_soles`, with W given by its columns; u = W r + q comes in."""
    start, row, block = columns
    local, _, mu, rho = law
    omega, wait, most, target = rule
    K = len(start) - 1
    order, residual = np.arange(K), np.empty(K)
    done, rows = 0, 0
    total = measure_blocks(r, u, mu, rho, residual)
    while math.sqrt(total) > target * rho and done < most:
        state = shuffle(order, state)
        skip = skip_threshold(total, target, rho, wait, K)
        for o in range(K):
            k = order[o]
            if residual[k] <= skip:
                continue
            f0, f1, f2 = r[k, 0], r[k, 1], r[k, 2]
            n0, n1, n2 = renew_force(local, k, f0, f1, f2, u[k, 0], u[k, 1], u[k, 2], mu[k], omega)
            r[k, 0], r[k, 1], r[k, 2] = n0, n1, n2
            r0, r1, r2 = n0 - f0, n1 - f1, n2 - f2
            rows += 1
            for e in range(start[k], start[k + 1]):
                j = row[e]
                for a in range(3):
                    u[j, a] += block[e, a, 0] * r0 + block[e, a, 1] * r1 + block[e, a, 2] * r2
        done += 1
        total = measure_blocks(r, u, mu, rho, residual)
    return done, math.sqrt(total) / rho, rows, state


@inner_kernel
def measure_blocks(
    r: FloatArray, u: FloatArray, mu: FloatArray, rho: float, residual: FloatArray
) -> float:
    """Write the natural residual of every contact, squared, into (K,); return their sum."""
    total = 0.0
    for k in range(len(r)):
        residual[k] = natural_residual(
            r[k, 0], r[k, 1], r[k, 2], u[k, 0], u[k, 1], u[k, 2], mu[k], rho
        )
        total += residual[k]
    return total


def generator_state(seed: int) -> int:
    """Map any integer to a valid, well-mixed state of Lehmer's generator."""
    return (int(seed) * 2654435761 + 12345) % 2147483646 + 1
