"""Compiled law of one contact: its own block of W, its force with all others held, its residual.

With W its 3x3 block and q all that the other forces do, u = W r + q, n the normal and t the rest,

    open    r = 0,                               u_n >= 0,
    stick   u = 0,                               |r_t| <= mu r_n,
    slip    u_n = 0,   u_t = -lam r_t, lam > 0,  |r_t| = mu r_n          (Signorini and Coulomb).

`solve_prepared` finds r; `natural_residual` measures how far a pair r, u is from the law.

Imports numpy and numba only. Plain scalar arithmetic without fast-math, so that
``NUMBA_DISABLE_JIT=1`` gives the same numbers.
"""

from __future__ import annotations

import math

import numpy as np

from sole.base.arrays import FloatArray, Index
from sole.base.compiled import inner_kernel, kernel

__all__ = [
    "EXACT",
    "NUMBERS",
    "OPEN",
    "SLIP",
    "STICK",
    "Triple",
    "natural_residual",
    "prepare_block",
    "prepare_blocks",
    "prepare_entries",
    "relax_force",
    "renew_force",
    "slide_on",
    "solve_contact",
    "solve_prepared",
]

OPEN, STICK, SLIP = 0, 1, 2
LITTLE, ROUND, WEAK = 0.1, 2.5, 0.5  # see `slide_on`
NUMBERS = 18  # of `prepare_block`
EXACT = 2e-7  # a relative step of Newton after which its error is round-off
NEAR = 1e-3  # one after which it is far below what the next sweep changes
Triple = tuple[float, float, float]


@kernel
def prepare_blocks(blocks: FloatArray, floor: float) -> FloatArray:
    """(K, 18) numbers of every block W_kk for the local solver: `prepare_block`."""
    out = np.empty((len(blocks), NUMBERS))
    for k in range(len(blocks)):
        prepare_block(blocks[k], floor, out[k])
    return out


@inner_kernel
def prepare_block(W: FloatArray, floor: float, p: FloatArray) -> None:
    """Write the numbers p (18,) of one block W (3, 3), whose symmetric part is used."""
    w10, w20, w21 = 0.5 * (W[0, 1] + W[1, 0]), 0.5 * (W[0, 2] + W[2, 0]), 0.5 * (W[1, 2] + W[2, 1])
    prepare_entries((W[0, 0], w10, W[1, 1]), (w20, w21, W[2, 2]), floor, p)


@inner_kernel
def prepare_entries(tangential: Triple, normal: Triple, floor: float, p: FloatArray) -> None:
    """Write the numbers p (18,) of one block for the local solver, computed once per problem.

    The symmetric block has W_00, W_10, W_11 and W_20, W_21, W_22. Its numbers are
    (w_n, c, s, e0, e1, h0, h1, k0, k1, b00, b01, b11, i00, i01, i11, i02, i12, i22): normal
    compliance, eigenbasis and eigenvalues of the tangential Schur complement A, h = W_tn/w_n,
    k = W_nt in the eigenbasis / w_n, symmetric tangential block, inverse of the block. Eigenvalues
    are kept above 1e-10 of its size or `floor`: at a fixed point of the sweeps the block drops out,
    so that any positive definite one leads to the exact law.
    """
    w00, b01, w11 = tangential
    g0, g1, w22 = normal
    small = max(1e-10 * (w00 + w11 + w22), floor)
    w_n = max(w22, small)
    h0, h1 = g0 / w_n, g1 / w_n
    a00, a11, a01 = w00 - h0 * g0, w11 - h1 * g1, b01 - h0 * g1
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
    # Its inverse: that of A, -A^-1 h and 1/w_n + h'A^-1 h.
    i0, i1 = 1.0 / e0, 1.0 / e1
    p[12], p[13], p[14] = c * c * i0 + s * s * i1, c * s * (i0 - i1), s * s * i0 + c * c * i1
    p[15] = -(p[12] * h0 + p[13] * h1)
    p[16] = -(p[13] * h0 + p[14] * h1)
    p[17] = 1.0 / w_n - (p[15] * h0 + p[16] * h1)


@inner_kernel
def solve_prepared(
    local: FloatArray,
    j: Index,
    q0: float,
    q1: float,
    q2: float,
    mu: float,
    guess: float,
    close: float,
) -> tuple[int, float, float, float]:
    """Solve one contact u = W r + q with row j of `local`; return (status, r_t1, r_t2, r_n).

    Slip: u_t = -lam r_t, u_n = 0, |r_t| = mu r_n. Eliminating r_n leaves
    (A + lam I) r_t = b with A the 2x2 Schur complement of W, and one equation in lam >= 0,
    |r_t(lam)| = mu r_n(lam): a bracketed Newton iteration in the eigenbasis of A, from `guess`
    where that is positive. It ends after a step of lam below `close` (e1 + lam).
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
        status, near = SLIP, False
        low = 0.0
        # |r_t| <= |y| / (e1 + lam) and r_n >= n0 - |k||r_t| bound lam from above.
        y = math.sqrt(y0 * y0 + y1 * y1)
        k = math.sqrt(k0 * k0 + k1 * k1)
        high = y * (1.0 + mu * k) / (mu * n0)
        lam = guess if 0.0 < guess < high else max(0.0, min(high, y / (mu * max(n, n0)) - e1))
        for _ in range(80):
            inverse = 1.0 / ((e0 + lam) * (e1 + lam))
            i0, i1 = (e1 + lam) * inverse, (e0 + lam) * inverse
            x0, x1 = y0 * i0, y1 * i1
            square = x0 * x0 + x1 * x1
            t = math.sqrt(square)
            n = n0 - (k0 * x0 + k1 * x1)
            f = t - mu * n
            if near or abs(f) <= 1e-14 * (t + mu * abs(n)) or high - low <= 1e-16 * high:
                break
            if f > 0.0:
                low = lam
            else:
                high = lam
            # Newton for mu r_n/|r_t| = 1, linear in lam where e0 = e1 and k = 0.
            slope = n * (x0 * x0 * i0 + x1 * x1 * i1) + square * (k0 * x0 * i0 + k1 * x1 * i1)
            trial = lam + f * square / (mu * slope) if slope > 0.0 else -1.0
            if not low < trial < high:
                trial = 0.5 * (low + high)
            else:
                near = abs(trial - lam) <= close * (e1 + lam)
            lam = trial
        n = max(n, 0.0)
        t = math.sqrt(x0 * x0 + x1 * x1)
        if t > 0.0:
            x0 *= mu * n / t
            x1 *= mu * n / t
    return status, c * x0 - s * x1, s * x0 + c * x1, n


@inner_kernel
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


@inner_kernel
def slide_on(
    local: FloatArray,
    k: Index,
    r0: float,
    r1: float,
    r2: float,
    u0: float,
    u1: float,
    u2: float,
    mu: float,
) -> tuple[bool, float, float, float]:
    """Renew the force of a contact that goes on sliding, without an iteration.

    u_n = 0 gives r_n; r_t - u_t/e, with e the mean of e0 and e1, is cut to mu r_n; u_n = 0 gives
    r_n again. That is exact where e0 = e1 and r_n stays, and where it changes nothing. Returns
    False first where it would change r by more than `LITTLE`, where the block is far from round, or
    where r_t changes r_n much: mu |h| beyond `WEAK`.
    """
    # What does not wait for u comes first: divisions and roots take as long as all else.
    e0, e1, h0, h1 = local[k, 3], local[k, 4], local[k, 5], local[k, 6]
    soft, e = 1.0 / local[k, 0], 2.0 / (e0 + e1)
    most, weak = LITTLE * min(mu, 1.0) * r2, mu * mu * (h0 * h0 + h1 * h1) <= WEAK * WEAK
    round_block = weak and e0 <= ROUND * e1
    fall = soft * u2
    n = r2 - fall
    u0, u1 = u0 - h0 * u2, u1 - h1 * u2
    t0, t1 = r0 - e * u0, r1 - e * u1
    up, cut = 1.0 / n, mu * n / math.sqrt(t0 * t0 + t1 * t1)
    t0, t1 = cut * t0, cut * t1
    d0, d1 = t0 - r0, t1 - r1
    again = n - (h0 * d0 + h1 * d1)
    near = round_block and d0 * d0 + d1 * d1 + fall * fall <= most * most and cut < 1.0
    ratio = again * up
    return near, ratio * t0, ratio * t1, again


@inner_kernel
def solve_contact(
    local: FloatArray,
    k: Index,
    r0: float,
    r1: float,
    r2: float,
    u0: float,
    u1: float,
    u2: float,
    mu: float,
) -> tuple[int, float, float, float]:
    """State and force of contact k from its force r and velocity u, the other contacts held."""
    w_n = local[k, 0]
    g0, g1 = local[k, 5] * w_n, local[k, 6] * w_n
    q2 = u2 - (g0 * r0 + g1 * r1 + w_n * r2)
    if q2 >= 0.0:
        return OPEN, 0.0, 0.0, 0.0
    n0 = r0 - (local[k, 12] * u0 + local[k, 13] * u1 + local[k, 15] * u2)
    n1 = r1 - (local[k, 13] * u0 + local[k, 14] * u1 + local[k, 16] * u2)
    n2 = r2 - (local[k, 15] * u0 + local[k, 16] * u1 + local[k, 17] * u2)
    if n2 >= 0.0 and n0 * n0 + n1 * n1 <= (mu * n2) ** 2:
        return STICK, n0, n1, n2
    near, n0, n1, n2 = slide_on(local, k, r0, r1, r2, u0, u1, u2, mu)
    if not near:
        n0, n1, n2 = slide_anew(local, k, r0, r1, r2, u0, u1, u2, mu)
    return SLIP, n0, n1, n2


@inner_kernel
def slide_anew(
    local: FloatArray,
    k: Index,
    r0: float,
    r1: float,
    r2: float,
    u0: float,
    u1: float,
    u2: float,
    mu: float,
) -> Triple:
    """Force of contact k, which slides, from its force r and velocity u: by `solve_prepared`."""
    w_n = local[k, 0]
    g0, g1 = local[k, 5] * w_n, local[k, 6] * w_n
    q0 = u0 - (local[k, 9] * r0 + local[k, 10] * r1 + g0 * r2)
    q1 = u1 - (local[k, 10] * r0 + local[k, 11] * r1 + g1 * r2)
    q2 = u2 - (g0 * r0 + g1 * r1 + w_n * r2)
    # Where the contact slid before, its own lam = |u_t|/|r_t| is close.
    force = r0 * r0 + r1 * r1
    guess = math.sqrt((u0 * u0 + u1 * u1) / force) if force > 0.0 else 0.0
    _, n0, n1, n2 = solve_prepared(local, k, q0, q1, q2, mu, guess, NEAR)
    return n0, n1, n2


@inner_kernel
def relax_force(
    n0: float, n1: float, n2: float, r0: float, r1: float, r2: float, mu: float, omega: float
) -> Triple:
    """r + omega (n - r), cut to the cone: n is the new force, r the one before."""
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


@inner_kernel
def renew_force(
    local: FloatArray,
    k: Index,
    r0: float,
    r1: float,
    r2: float,
    u0: float,
    u1: float,
    u2: float,
    mu: float,
    omega: float,
) -> Triple:
    """Relaxed force of contact k from its force r and velocity u, the other contacts held."""
    state, n0, n1, n2 = solve_contact(local, k, r0, r1, r2, u0, u1, u2, mu)
    if state == OPEN or omega == 1.0:
        return n0, n1, n2
    return relax_force(n0, n1, n2, r0, r1, r2, mu, omega)
