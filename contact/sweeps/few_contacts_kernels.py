"""One compiled call that solves a few contacts with a full matrix W and judges the result.

A call of the sweeps over soles carries thirty arrays and takes longer than all arithmetic here. So
does making arrays: all that a solve needs is in one sheet that comes in.
"""

from __future__ import annotations

import math

import numpy as np

from contact.one_contact_kernels import NUMBERS, STICK, prepare_entries, relax_force, solve_contact
from contact.problem import sum_laws, write_start
from contact.sweeps.block_sweeps_kernels import SweepRule, measure_blocks, shuffle, skip_threshold
from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel

FEW = 12  # contacts
RULE = 7  # numbers of a rule, see `solve_few_at_once`
TOLD = 3  # rows of a sheet for residuals and counters
ROOM = 9  # rows of a sheet per contact: r, u, and 21 numbers
TINY_BLOCK = 1e-12  # as in `solve_soles_kernels`
SMALL, LARGE = 1e-100, 1e100  # numbers whose squares are numbers, too


@inner_kernel
def multiply_matrix(W: FloatArray, r: FloatArray, q: FloatArray, u: FloatArray) -> None:
    """Write u (K, 3) = W r + q."""
    for k in range(len(q)):
        for a in range(3):
            total = q[k, a]
            for j in range(len(q)):
                i = 3 * j
                total += (
                    W[3 * k + a, i] * r[j, 0]
                    + W[3 * k + a, i + 1] * r[j, 1]
                    + W[3 * k + a, i + 2] * r[j, 2]
                )
            u[k, a] = total


@inner_kernel
def sweep_few(
    W: FloatArray,
    q: FloatArray,
    mu: FloatArray,
    rho: float,
    r: FloatArray,
    u: FloatArray,
    local: FloatArray,
    order: FloatArray | IntArray,
    residual: FloatArray,
    rule: SweepRule,
    least: float,
    state: int,
) -> tuple[int, int]:
    """Sweep over W (3K, 3K) by its columns, as `sweep_blocks`; r and u (K, 3) in place.

    `least` as for `prepare_block`. Room: local (K, 18), order and residual (K,). Returns the sweeps
    done and the state of the generator.
    """
    omega, wait, most, target = rule
    K = len(q)
    for k in range(K):
        i, j, l = 3 * k, 3 * k + 1, 3 * k + 2
        w10, w20, w21 = W[j, i] + W[i, j], W[l, i] + W[i, l], W[l, j] + W[j, l]
        tangential, normal = (W[i, i], 0.5 * w10, W[j, j]), (0.5 * w20, 0.5 * w21, W[l, l])
        prepare_entries(tangential, normal, least, local[k])
        order[k] = k
    multiply_matrix(W, r, q, u)
    total, done = measure_blocks(r, u, mu, rho, residual), 0
    while math.sqrt(total) > target * rho and done < most:
        state = shuffle(order, state)
        skip = skip_threshold(total, target, rho, wait, K)
        for o in range(K):
            k = int(order[o])
            if residual[k] <= skip:
                continue
            f0, f1, f2 = r[k, 0], r[k, 1], r[k, 2]
            u0, u1, u2 = u[k, 0], u[k, 1], u[k, 2]
            now, n0, n1, n2 = solve_contact(local, k, f0, f1, f2, u0, u1, u2, mu[k])
            if now == STICK and omega != 1.0:  # relaxation where it slides saves no sweep
                n0, n1, n2 = relax_force(n0, n1, n2, f0, f1, f2, mu[k], omega)
            r[k, 0], r[k, 1], r[k, 2] = n0, n1, n2
            n0, n1, n2, i = n0 - f0, n1 - f1, n2 - f2, 3 * k
            for j in range(K):
                for a in range(3):
                    row = 3 * j + a
                    u[j, a] += W[row, i] * n0 + W[row, i + 1] * n1 + W[row, i + 2] * n2
        done += 1
        total = measure_blocks(r, u, mu, rho, residual)
    multiply_matrix(W, r, q, u)
    return done, state


@kernel
def solve_few_contacts(
    W: FloatArray,
    q: FloatArray,
    mu: FloatArray,
    rho: float,
    start: FloatArray,
    before: FloatArray,
    rule: SweepRule,
    least: float,
    state: int,
) -> tuple[tuple[float, float, float, float, float], IntArray, FloatArray, FloatArray, int, int]:
    """Sweep as `sweep_few` from the extrapolated start.

    Returns the sums of `sum_law_residuals` and the statuses, r and u (K, 3), the sweeps done and
    the state of the generator.
    """
    K = len(q)
    r, u, status = np.empty((K, 3)), np.empty((K, 3)), np.empty(K, np.int64)
    write_start(start, before, mu, r)
    local, order, residual = np.empty((K, NUMBERS)), np.empty(K, np.int64), np.empty(K)
    done, state = sweep_few(W, q, mu, rho, r, u, local, order, residual, rule, least, state)
    return sum_laws(r, u, mu, rho, status), status, r, u, done, state


@kernel
def solve_few_at_once(
    W: FloatArray,
    q: FloatArray,
    mu: FloatArray,
    start: FloatArray,
    rule: FloatArray,
    sheet: FloatArray,
) -> bool:
    """Solve as `solve_few_contacts`, and scale the residuals as `contact.problem.Certificate`.

    `rule` (7,) : relaxation, wait, most sweeps, their tolerance, that of the result, largest
    friction, state of the generator. Fills the sheet (ROOM K + TOLD, 3): rows of r, of u, then
    statuses, what `fill_told` writes, and room. Returns whether this is a problem for it (a start
    that fits, numbers of ordinary size, no friction above the largest) and solved.
    """
    K, trace, square, sound = len(q), 0.0, 0.0, 0.0
    if start.shape != (K, 3):
        return False
    usual = True
    for k in range(K):
        usual = usual and mu[k] <= rule[5]
        for a in range(3):
            trace += W[3 * k + a, 3 * k + a]
            square += q[k, a] * q[k, a]
            sound += start[k, a] * start[k, a]
    rho, size = 3 * K / trace, math.sqrt(square)
    usual = usual and SMALL < size < LARGE and SMALL < rho < LARGE and sound < LARGE
    if not usual:
        return False
    r, u, flat = sheet[:K], sheet[K : 2 * K], sheet[2 * K :].reshape(-1)
    status, order, room = flat[:K], flat[K + 3 * TOLD : 2 * K + 3 * TOLD], flat[2 * K + 3 * TOLD :]
    residual, local = room[:K], room[K : (1 + NUMBERS) * K].reshape(K, NUMBERS)
    write_start(start, start, mu, r)
    omega = rule[0] if K > 1 else 1.0
    sweeps = SweepRule(omega, rule[1], int(rule[2]), rule[3] * size)
    done, state = sweep_few(
        W, q, mu, rho, r, u, local, order, residual, sweeps, TINY_BLOCK / rho, int(rule[6])
    )
    sums = sum_laws(r, u, mu, rho, status)
    worst = fill_told(sums, rho, size, done, state, flat[K:])
    solved: bool = worst <= rule[4]
    return solved


@inner_kernel
def fill_told(
    sums: tuple[float, float, float, float, float],
    rho: float,
    size: float,
    done: int,
    state: int,
    told: FloatArray,
) -> float:
    """Write the residuals of `contact.problem.Certificate`, sweeps and state of the generator.

    `sums` : of `sum_law_residuals`; `size`: |q|. Returns what a tolerance bounds, infinite where
    residuals are no numbers.
    """
    scale = rho * size
    told[0], told[1] = math.sqrt(sums[0]) / scale, math.sqrt(sums[1]) / scale
    told[2], told[3] = math.sqrt(sums[2]) / scale, rho * math.sqrt(sums[3]) / scale
    told[4] = rho * sums[4] / (scale * scale)
    told[5], told[6] = done, state
    worst = max(told[0], told[1], told[2])
    return worst if math.isfinite(worst + told[3] + told[4]) else math.inf
