"""Compiled loops of the Gauss-Seidel solver: arrays in, arrays out.

Imports numpy and numba only. Plain scalar arithmetic without fast-math, so that
``NUMBA_DISABLE_JIT=1`` gives the same numbers.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

OPEN, STICK, SLIP = 0, 1, 2


@njit(cache=True)
def next_random(state):  # type: ignore[no-untyped-def]
    """Lehmer's generator (Park and Miller 1988): same bits with and without compilation."""
    return (state * 48271) % 2147483647


@njit(cache=True)
def shuffle(order, state):  # type: ignore[no-untyped-def]
    """Reshuffle `order` in place (Fisher-Yates); return the new state of the generator."""
    for i in range(len(order) - 1, 0, -1):
        state = next_random(state)
        j = state % (i + 1)
        kept = order[i]
        order[i] = order[j]
        order[j] = kept
    return state


@njit(cache=True)
def solve_contact(W, q, mu, r):  # type: ignore[no-untyped-def]
    """Solve one contact: u = W r + q, Signorini and Coulomb, for r (3,); return its status.

    Slip: u_t = -lam r_t, u_n = 0, |r_t| = mu r_n. Eliminating r_n leaves
    (A + lam I) r_t = b with A the 2x2 Schur complement of W, and one equation in lam >= 0,
    |r_t(lam)| = mu r_n(lam): a bracketed Newton iteration in the eigenbasis of A.
    """
    if q[2] >= 0.0:
        r[0] = r[1] = r[2] = 0.0
        return OPEN
    w_n = W[2, 2]
    if mu <= 0.0:
        r[0] = r[1] = 0.0
        r[2] = -q[2] / w_n
        return SLIP
    h0, h1 = W[0, 2] / w_n, W[1, 2] / w_n
    a00 = W[0, 0] - h0 * W[2, 0]
    a11 = W[1, 1] - h1 * W[2, 1]
    a01 = 0.5 * ((W[0, 1] - h0 * W[2, 1]) + (W[1, 0] - h1 * W[2, 0]))
    b0 = -q[0] + h0 * q[2]
    b1 = -q[1] + h1 * q[2]
    # Eigenbasis of A.
    mean = 0.5 * (a00 + a11)
    half = 0.5 * (a00 - a11)
    radius = math.sqrt(half * half + a01 * a01)
    if radius > 1e-14 * mean:
        angle = 0.5 * math.atan2(a01, half)
        c, s = math.cos(angle), math.sin(angle)
    else:
        c, s = 1.0, 0.0
    e0, e1 = mean + radius, mean - radius
    y0, y1 = c * b0 + s * b1, -s * b0 + c * b1
    k0, k1 = c * W[2, 0] + s * W[2, 1], -s * W[2, 0] + c * W[2, 1]
    n0 = -q[2] / w_n
    # lam = 0 is stick.
    x0, x1 = y0 / e0, y1 / e1
    n = n0 - (k0 * x0 + k1 * x1) / w_n
    status = STICK
    if x0 * x0 + x1 * x1 > (mu * n) ** 2 or n < 0.0:
        status = SLIP
        low = 0.0
        # |r_t| <= |y| / (e1 + lam) and r_n >= n0 - |k||r_t|/w_n bound lam from above.
        y = math.sqrt(y0 * y0 + y1 * y1)
        k = math.sqrt(k0 * k0 + k1 * k1) / w_n
        high = y * (1.0 + mu * k) / (mu * n0)
        lam = max(0.0, min(high, y / (mu * max(n, n0)) - e1))
        for _ in range(80):
            d0, d1 = e0 + lam, e1 + lam
            x0, x1 = y0 / d0, y1 / d1
            t = math.sqrt(x0 * x0 + x1 * x1)
            n = n0 - (k0 * x0 + k1 * x1) / w_n
            f = t - mu * n
            if f > 0.0:
                low = lam
            else:
                high = lam
            if abs(f) <= 1e-15 * (t + mu * abs(n)) or high - low <= 1e-16 * high:
                break
            slope = -(x0 * x0 / d0 + x1 * x1 / d1) / t - mu * (k0 * x0 / d0 + k1 * x1 / d1) / w_n
            trial = lam - f / slope if slope != 0.0 else -1.0
            lam = trial if low < trial < high else 0.5 * (low + high)
        n = max(n, 0.0)
        t = math.sqrt(x0 * x0 + x1 * x1)
        if t > 0.0:
            x0 *= mu * n / t
            x1 *= mu * n / t
    r[0] = c * x0 - s * x1
    r[1] = s * x0 + c * x1
    r[2] = n
    return status


@njit(cache=True)
def natural_residual(r, u, mu, rho):  # type: ignore[no-untyped-def]
    """Larger of |r - P_K(r - rho (u + mu |u_t| n))|^2 and (r_n - max(0, r_n - rho u_n))^2.

    The second is Signorini's law alone: for large mu the first hardly sees a penetration.
    """
    ut = math.sqrt(u[0] * u[0] + u[1] * u[1])
    p0 = r[0] - rho * u[0]
    p1 = r[1] - rho * u[1]
    p2 = r[2] - rho * (u[2] + mu * ut)
    s = math.sqrt(p0 * p0 + p1 * p1)
    if s > mu * p2 or p2 < 0.0:
        if mu * s <= -p2:
            p0 = p1 = p2 = 0.0
        else:
            p2 = (p2 + mu * s) / (1.0 + mu * mu)
            scale = mu * p2 / s if s > 0.0 else 0.0
            p0 *= scale
            p1 *= scale
    signorini = min(r[2], rho * u[2])
    return max((r[0] - p0) ** 2 + (r[1] - p1) ** 2 + (r[2] - p2) ** 2, signorini * signorini)


@njit(cache=True)
def local_velocity(k, i, P, G, d, y, q, u):  # type: ignore[no-untyped-def]
    """u_k = P_k (d_i + G_i y) + q_k for contact k on node i."""
    v0, v1, v2 = d[3 * i], d[3 * i + 1], d[3 * i + 2]
    for j in range(6):
        v0 += G[3 * i, j] * y[j]
        v1 += G[3 * i + 1, j] * y[j]
        v2 += G[3 * i + 2, j] * y[j]
    for a in range(3):
        u[a] = P[k, a, 0] * v0 + P[k, a, 1] * v1 + P[k, a, 2] * v2 + q[k, a]


@njit(cache=True)
def sweeps(C, node, P, G, S, blocks, q, mu, rho, r, omega, count, target, state):  # type: ignore[no-untyped-def]
    """Sweep at most `count` times in a new random order each; `r` (K, 3) is updated in place.

    The operator is W = P (C + G S G') P' by contacts, never formed: the nodal displacement
    d = C f and the motion y = S G' f are kept up to date, a changed contact costs one read of
    three rows of C, an open one next to nothing. Returns (sweeps done, residual, status (K,),
    generator state); the residual is the natural map sqrt(sum of squares)/rho [m].
    """
    n_contacts = len(node)
    size = C.shape[0]
    d = np.zeros(size)
    y = np.zeros(6)
    u = np.empty(3)
    ql = np.empty(3)
    new = np.empty(3)
    g = np.empty(3)
    status = np.zeros(n_contacts, dtype=np.int64)
    order = np.arange(n_contacts)
    for k in range(n_contacts):
        if r[k, 0] != 0.0 or r[k, 1] != 0.0 or r[k, 2] != 0.0:
            _add(C, P, G, S, k, node[k], r[k], g, d, y)
    done = 0
    residual = 0.0
    while True:
        total = 0.0
        for k in range(n_contacts):
            local_velocity(k, node[k], P, G, d, y, q, u)
            total += natural_residual(r[k], u, mu[k], rho)
        residual = math.sqrt(total) / rho
        if residual <= target or done == count:
            break
        state = shuffle(order, state)
        for o in range(n_contacts):
            k = order[o]
            i = node[k]
            local_velocity(k, i, P, G, d, y, q, u)
            if u[2] >= 0.0 and r[k, 2] == 0.0:
                status[k] = OPEN
                continue
            W = blocks[k]
            for a in range(3):
                ql[a] = u[a] - (W[a, 0] * r[k, 0] + W[a, 1] * r[k, 1] + W[a, 2] * r[k, 2])
            status[k] = solve_contact(W, ql, mu[k], new)
            if omega != 1.0 and status[k] != OPEN:
                for a in range(3):
                    new[a] = r[k, a] + omega * (new[a] - r[k, a])
                if new[2] <= 0.0:
                    new[0] = new[1] = new[2] = 0.0
                t = math.sqrt(new[0] * new[0] + new[1] * new[1])
                if t > mu[k] * new[2]:
                    new[0] *= mu[k] * new[2] / t
                    new[1] *= mu[k] * new[2] / t
            for a in range(3):
                kept = new[a]
                new[a] -= r[k, a]
                r[k, a] = kept
            if new[0] != 0.0 or new[1] != 0.0 or new[2] != 0.0:
                _add(C, P, G, S, k, i, new, g, d, y)
        done += 1
    return done, residual, status, state


@njit(cache=True)
def _add(C, P, G, S, k, i, dr, g, d, y):  # type: ignore[no-untyped-def]
    """Add the response to a change `dr` of contact k on node i to d and y."""
    for a in range(3):
        g[a] = P[k, 0, a] * dr[0] + P[k, 1, a] * dr[1] + P[k, 2, a] * dr[2]
    g0, g1, g2 = g[0], g[1], g[2]
    row0, row1, row2 = C[3 * i], C[3 * i + 1], C[3 * i + 2]
    for j in range(len(d)):
        d[j] += g0 * row0[j] + g1 * row1[j] + g2 * row2[j]
    for a in range(6):
        w = G[3 * i, a] * g0 + G[3 * i + 1, a] * g1 + G[3 * i + 2, a] * g2
        if w != 0.0:
            for b in range(6):
                y[b] += S[b, a] * w


@njit(cache=True)
def fill_newton(C, node, L, P, D, A):  # type: ignore[no-untyped-def]
    """A[3k:3k+3, 3l:3l+3] = L_k C_kl P_l' + D_k delta_kl for the contacts k, l on their nodes."""
    n = len(node)
    left = np.empty((3, 3))
    for k in range(n):
        i = 3 * node[k]
        for l in range(n):
            j = 3 * node[l]
            for a in range(3):
                for c in range(3):
                    left[a, c] = (
                        L[k, a, 0] * C[i, j + c]
                        + L[k, a, 1] * C[i + 1, j + c]
                        + L[k, a, 2] * C[i + 2, j + c]
                    )
            for a in range(3):
                for b in range(3):
                    A[3 * k + a, 3 * l + b] = (
                        left[a, 0] * P[l, b, 0] + left[a, 1] * P[l, b, 1] + left[a, 2] * P[l, b, 2]
                    )
        for a in range(3):
            for b in range(3):
                A[3 * k + a, 3 * k + b] += D[k, a, b]
