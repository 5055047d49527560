"""One compiled call that solves a few contacts with a full matrix W and judges the result.

A call of the sweeps over soles carries thirty arrays and takes longer than all arithmetic here.
"""

from __future__ import annotations

import math

import numpy as np

from contact.problem import extrapolate_start, sum_law_residuals
from contact.solvers.gauss_seidel_kernels import (
    SweepRule,
    measure_blocks,
    shuffle,
    skip_threshold,
)
from contact.solvers.one_contact_kernels import NUMBERS, prepare_block, renew_force
from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import kernel

FEW = 12  # contacts
RESIDUALS = 5  # of a certificate
TINY_BLOCK = 1e-12  # as in `solve_soles_kernels`
SMALL, LARGE = 1e-100, 1e100  # numbers whose squares are numbers, too


@kernel(error_model="numpy")
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


@kernel(error_model="numpy")
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
    """Sweep over W (3K, 3K) by its columns, as `sweep_blocks`; `least` as for `prepare_block`.

    Returns the sums of `sum_law_residuals` and the statuses, r and u (K, 3), the sweeps done and
    the state of the generator.
    """
    omega, wait, most, target = rule
    K = len(q)
    local, block = np.empty((K, NUMBERS)), np.empty((3, 3))
    order, residual, u = np.arange(K), np.empty(K), np.empty((K, 3))
    for k in range(K):
        for a in range(3):
            for b in range(3):
                block[a, b] = W[3 * k + a, 3 * k + b]
        prepare_block(block, least, local[k])
    r = extrapolate_start(start, before, mu)
    multiply_matrix(W, r, q, u)
    total, done = measure_blocks(r, u, mu, rho, residual), 0
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
            n0, n1, n2, i = n0 - f0, n1 - f1, n2 - f2, 3 * k
            for j in range(K):
                for a in range(3):
                    row = 3 * j + a
                    u[j, a] += W[row, i] * n0 + W[row, i + 1] * n1 + W[row, i + 2] * n2
        done += 1
        total = measure_blocks(r, u, mu, rho, residual)
    multiply_matrix(W, r, q, u)
    s, status = sum_law_residuals(r, u, mu, rho)
    return (s[0], s[1], s[2], s[3], s[4]), status, r, u, done, state


@kernel(error_model="numpy")
def solve_few_at_once(
    W: FloatArray, q: FloatArray, mu: FloatArray, start: FloatArray,
    rule: tuple[float, float, int, float], state: int, steepest: float, tolerance: float,
    sheet: FloatArray,
) -> tuple[bool, int, int]:  # fmt: skip
    """Solve as `solve_few_contacts`, and scale the residuals as `contact.problem.Certificate`.

    `rule` as there, with the tolerance in the place of the target. Fills the sheet (7K + 5,): r, u,
    the statuses, natural map, Signorini's law, cone, dual cone and complementarity. Returns whether
    this is a problem for it (numbers of ordinary size, no friction above `steepest`), solved to
    `tolerance`; then the sweeps done and the state of the generator.
    """
    K, trace, square, sound = len(q), 0.0, 0.0, 0.0
    usual = True
    for k in range(K):
        usual = usual and mu[k] <= steepest
        for a in range(3):
            trace += W[3 * k + a, 3 * k + a]
            square += q[k, a] * q[k, a]
            sound += start[k, a] * start[k, a]
    rho, size = 3 * K / trace, math.sqrt(square)
    usual = usual and SMALL < size < LARGE and SMALL < rho < LARGE and sound < LARGE
    omega, wait, most, target = rule
    sums, status, r, u, done, state = solve_few_contacts(
        W, q, mu, rho, start, start, SweepRule(omega, wait, most if usual else 0, target * size),
        TINY_BLOCK / rho, state,
    )  # fmt: skip
    usual = fill_sheet(r, u, status, sums, rho, size, sheet) and usual
    return usual and max(sheet[7 * K], sheet[7 * K + 1], sheet[7 * K + 2]) <= tolerance, done, state


@kernel(error_model="numpy")
def fill_sheet(
    r: FloatArray,
    u: FloatArray,
    status: IntArray,
    sums: tuple[float, float, float, float, float],
    rho: float,
    size: float,
    sheet: FloatArray,
) -> bool:
    """Write r, u (K, 3), status (K,) and the residuals of `contact.problem.Certificate` in a row.

    `sums` : of `sum_law_residuals`; `size`: |q|. Returns whether the residuals are numbers.
    """
    K, scale = len(r), rho * size
    for k in range(K):
        for a in range(3):
            sheet[3 * k + a], sheet[3 * K + 3 * k + a] = r[k, a], u[k, a]
        sheet[6 * K + k] = status[k]
    told = sheet[7 * K :]
    told[0], told[1] = math.sqrt(sums[0]) / scale, math.sqrt(sums[1]) / scale
    told[2], told[3] = math.sqrt(sums[2]) / scale, rho * math.sqrt(sums[3]) / scale
    told[4] = rho * sums[4] / (scale * scale)
    return math.isfinite(told[0] + told[1] + told[2] + told[3] + told[4])
