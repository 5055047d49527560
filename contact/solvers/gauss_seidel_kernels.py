"""Compiled loops of the Gauss-Seidel solver: arrays in, arrays out.

Imports numpy and numba only. Plain scalar arithmetic without fast-math, so that
``NUMBA_DISABLE_JIT=1`` gives the same numbers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import kernel

OPEN, STICK, SLIP = 0, 1, 2
Triple = tuple[float, float, float]


class ColumnArrays(NamedTuple):
    """W by the 3x3 blocks of its columns.

    Column k holds the blocks `block[start[k]:start[k + 1]]` in the rows `row[...]`.
    """

    start: IntArray
    row: IntArray
    block: FloatArray


class LawArrays(NamedTuple):
    """A problem for the sweeps: `prepare_blocks` (K, 12), q (K, 3), mu (K,), rho."""

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


@kernel(error_model="numpy")
def next_random(state: int) -> int:
    """Lehmer's generator (Park and Miller 1988): same bits with and without compilation.

    48271 state mod 2^31 - 1, a Mersenne prime: the high bits are folded on the low ones.
    """
    product = state * 48271
    state = (product & 2147483647) + (product >> 31)
    return state - 2147483647 if state >= 2147483647 else state


@kernel(error_model="numpy")
def shuffle(order: IntArray, state: int) -> int:
    """Reshuffle `order` in place (Fisher-Yates); return the new state of the generator."""
    for i in range(len(order) - 1, 0, -1):
        state = next_random(state)
        j = (state * (i + 1)) >> 31  # 0 to i
        kept = order[i]
        order[i] = order[j]
        order[j] = kept
    return state


@kernel(error_model="numpy")
def prepare_blocks(blocks: FloatArray, floor: float) -> FloatArray:
    """(K, 12) numbers of every block W_kk for the local solver: `prepare_block`."""
    out = np.empty((len(blocks), 12))
    for k in range(len(blocks)):
        prepare_block(blocks[k], floor, out[k])
    return out


@kernel(error_model="numpy")
def prepare_block(W: FloatArray, floor: float, p: FloatArray) -> None:
    """Write the numbers p (12,) of one block for the local solver, computed once per problem.

    (w_n, c, s, e0, e1, h0, h1, k0, k1, b00, b01, b11): normal compliance, eigenbasis and
    eigenvalues of the tangential Schur complement A, h = W_tn/w_n, k = W_nt in the eigenbasis
    / w_n, symmetric tangential block. The symmetric part of a block is used, with its
    eigenvalues kept above 1e-10 of its size or `floor`: at a fixed point of the sweeps the
    block drops out, so that any positive definite one leads to the exact law.
    """
    small = max(1e-10 * (W[0, 0] + W[1, 1] + W[2, 2]), floor)
    w_n = max(W[2, 2], small)
    g0, g1 = 0.5 * (W[0, 2] + W[2, 0]), 0.5 * (W[1, 2] + W[2, 1])
    b01 = 0.5 * (W[0, 1] + W[1, 0])
    h0, h1 = g0 / w_n, g1 / w_n
    a00, a11, a01 = W[0, 0] - h0 * g0, W[1, 1] - h1 * g1, b01 - h0 * g1
    mean, half = 0.5 * (a00 + a11), 0.5 * (a00 - a11)
    radius = math.sqrt(half * half + a01 * a01)
    c, s = 1.0, 0.0
    if radius > 1e-14 * abs(mean):  # the larger of c and s first: no cancellation
        larger = math.sqrt(0.5 + 0.5 * abs(half) / radius)
        smaller = 0.5 * a01 / (radius * larger)
        c, s = (larger, smaller) if half >= 0.0 else (smaller, larger)
    p[0], p[1], p[2] = w_n, c, s
    p[3], p[4] = max(mean + radius, small), max(mean - radius, small)
    p[5], p[6] = h0, h1
    p[7], p[8] = c * h0 + s * h1, -s * h0 + c * h1
    # The block that belongs to these numbers: A + w_n h h'.
    e0, e1 = p[3], p[4]
    p[9] = c * c * e0 + s * s * e1 + w_n * h0 * h0
    p[10] = c * s * (e0 - e1) + w_n * h0 * h1
    p[11] = s * s * e0 + c * c * e1 + w_n * h1 * h1


@kernel(error_model="numpy")
def solve_prepared(
    local: FloatArray, j: int, q0: float, q1: float, q2: float, mu: float, guess: float
) -> tuple[int, float, float, float]:
    """Solve one contact u = W r + q with row j of `local`; return (status, r_t1, r_t2, r_n).

    Slip: u_t = -lam r_t, u_n = 0, |r_t| = mu r_n. Eliminating r_n leaves
    (A + lam I) r_t = b with A the 2x2 Schur complement of W, and one equation in lam >= 0,
    |r_t(lam)| = mu r_n(lam): a bracketed Newton iteration in the eigenbasis of A, from `guess`
    where that is positive.
    """
    if q2 >= 0.0:
        return OPEN, 0.0, 0.0, 0.0
    n0 = -q2 / local[j, 0]
    if mu <= 1e-100:  # 1/mu must not overflow
        return SLIP, 0.0, 0.0, n0
    c, s, e0, e1 = local[j, 1], local[j, 2], local[j, 3], local[j, 4]
    k0, k1 = local[j, 7], local[j, 8]
    b0 = -q0 + local[j, 5] * q2
    b1 = -q1 + local[j, 6] * q2
    y0, y1 = c * b0 + s * b1, -s * b0 + c * b1
    # lam = 0 is stick.
    x0, x1 = y0 / e0, y1 / e1
    n = n0 - (k0 * x0 + k1 * x1)
    status = STICK
    if x0 * x0 + x1 * x1 > (mu * n) ** 2 or n < 0.0:
        status = SLIP
        low = 0.0
        # |r_t| <= |y| / (e1 + lam) and r_n >= n0 - |k||r_t| bound lam from above.
        y = math.sqrt(y0 * y0 + y1 * y1)
        k = math.sqrt(k0 * k0 + k1 * k1)
        high = y * (1.0 + mu * k) / (mu * n0)
        lam = guess if 0.0 < guess < high else max(0.0, min(high, y / (mu * max(n, n0)) - e1))
        for _ in range(80):
            i0, i1 = 1.0 / (e0 + lam), 1.0 / (e1 + lam)
            x0, x1 = y0 * i0, y1 * i1
            t = math.sqrt(x0 * x0 + x1 * x1)
            n = n0 - (k0 * x0 + k1 * x1)
            f = t - mu * n
            if f > 0.0:
                low = lam
            else:
                high = lam
            if abs(f) <= 1e-14 * (t + mu * abs(n)) or high - low <= 1e-16 * high:
                break
            slope = -(x0 * x0 * i0 + x1 * x1 * i1) / t - mu * (k0 * x0 * i0 + k1 * x1 * i1)
            trial = lam - f / slope if slope != 0.0 else -1.0
            lam = trial if low < trial < high else 0.5 * (low + high)
        n = max(n, 0.0)
        t = math.sqrt(x0 * x0 + x1 * x1)
        if t > 0.0:
            x0 *= mu * n / t
            x1 *= mu * n / t
    return status, c * x0 - s * x1, s * x0 + c * x1, n


@kernel(error_model="numpy")
def natural_residual(
    r0: float, r1: float, r2: float, u0: float, u1: float, u2: float, mu: float, rho: float
) -> float:
    """Larger of |r - P_K(r - rho (u + mu |u_t| n))|^2 and (r_n - max(0, r_n - rho u_n))^2.

    The second is Signorini's law alone: for large mu the first hardly sees a penetration.
    """
    if r2 == 0.0 and u2 >= 0.0 and r0 == 0.0 and r1 == 0.0:
        return 0.0
    ut = math.sqrt(u0 * u0 + u1 * u1)
    p0 = r0 - rho * u0
    p1 = r1 - rho * u1
    p2 = r2 - rho * (u2 + mu * ut)
    square = p0 * p0 + p1 * p1
    if p2 < 0.0 or square > (mu * p2) ** 2:
        s = math.sqrt(square)
        if mu * s <= -p2:
            p0 = p1 = p2 = 0.0
        else:
            p2 = (p2 + mu * s) / (1.0 + mu * mu)
            scale = mu * p2 / s if s > 0.0 else 0.0
            p0 *= scale
            p1 *= scale
    signorini = min(r2, rho * u2)
    return max((r0 - p0) ** 2 + (r1 - p1) ** 2 + (r2 - p2) ** 2, signorini * signorini)


@kernel(error_model="numpy")
def renew_force(
    local: FloatArray,
    k: int,
    r0: float,
    r1: float,
    r2: float,
    u0: float,
    u1: float,
    u2: float,
    mu: float,
    omega: float,
) -> Triple:
    """Force of contact k from its force r and velocity u, the other contacts held."""
    w_n = local[k, 0]
    g0, g1 = local[k, 5] * w_n, local[k, 6] * w_n
    q0 = u0 - (local[k, 9] * r0 + local[k, 10] * r1 + g0 * r2)
    q1 = u1 - (local[k, 10] * r0 + local[k, 11] * r1 + g1 * r2)
    q2 = u2 - (g0 * r0 + g1 * r1 + w_n * r2)
    # Where the contact slid before, its own lam = |u_t|/|r_t| is close.
    force = r0 * r0 + r1 * r1
    guess = math.sqrt((u0 * u0 + u1 * u1) / force) if force > 0.0 else 0.0
    status, n0, n1, n2 = solve_prepared(local, k, q0, q1, q2, mu, guess)
    if omega != 1.0 and status != OPEN:
        n0 = r0 + omega * (n0 - r0)
        n1 = r1 + omega * (n1 - r1)
        n2 = r2 + omega * (n2 - r2)
        if n2 <= 0.0:
            return 0.0, 0.0, 0.0
        square = n0 * n0 + n1 * n1
        if square > (mu * n2) ** 2:
            scale = mu * n2 / math.sqrt(square)
            n0 *= scale
            n1 *= scale
    return n0, n1, n2


@kernel(error_model="numpy")
def skip_threshold(total: float, target: float, rho: float, wait: float, contacts: int) -> float:
    """Residual squared below which a contact is skipped in the next sweep.

    Half of its share of the target, or the part `wait` of its share of the residual now.
    """
    share = max(0.25 * (target * rho) ** 2, wait * wait * total)
    return share / contacts if contacts > SMALL and wait > 0.0 else 0.0


SMALL = 8  # with so few contacts skipping does not pay


@kernel(nogil=True, error_model="numpy")
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
    order = np.arange(K)
    done, rows = 0, 0
    total = block_residual(r, u, mu, rho)
    while math.sqrt(total) > target * rho and done < most:
        state = shuffle(order, state)
        skip = skip_threshold(total, target, rho, wait, K)
        total = 0.0
        for o in range(K):
            k = order[o]
            f0, f1, f2 = r[k, 0], r[k, 1], r[k, 2]
            res = natural_residual(f0, f1, f2, u[k, 0], u[k, 1], u[k, 2], mu[k], rho)
            total += res
            if res <= skip:
                continue
            n0, n1, n2 = renew_force(local, k, f0, f1, f2, u[k, 0], u[k, 1], u[k, 2], mu[k], omega)
            r[k, 0], r[k, 1], r[k, 2] = n0, n1, n2
            r0, r1, r2 = n0 - f0, n1 - f1, n2 - f2
            rows += 1
            for e in range(start[k], start[k + 1]):
                j = row[e]
                for a in range(3):
                    u[j, a] += block[e, a, 0] * r0 + block[e, a, 1] * r1 + block[e, a, 2] * r2
        done += 1
        if math.sqrt(total) <= 8.0 * target * rho or done == most:
            total = block_residual(r, u, mu, rho)
    return done, math.sqrt(total) / rho, rows, state


@kernel(error_model="numpy")
def block_residual(r: FloatArray, u: FloatArray, mu: FloatArray, rho: float) -> float:
    """Sum of the natural residuals of all contacts, squared."""
    total = 0.0
    for k in range(len(r)):
        total += natural_residual(r[k, 0], r[k, 1], r[k, 2], u[k, 0], u[k, 1], u[k, 2], mu[k], rho)
    return total
