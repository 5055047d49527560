"""Compiled loops over Coulomb's law: how far forces and velocities are from it, and its cone.

    v = u + mu |u_t| n,    natural map  r - P_K(r - rho v),    Signorini  min(r_n, rho u_n),
    distance to the cone  r - P_K(r),    of v to the dual cone  P_K(-v),    power  r . v

Written with the projection on the cone alone, apart from the kernels of the solvers.
"""

from __future__ import annotations

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel


@kernel
def sum_law_residuals(
    r: FloatArray, u: FloatArray, mu: FloatArray, rho: float
) -> tuple[FloatArray, IntArray]:
    """Return the sums over contacts of the laws of `contact.coulomb`, squared, and the statuses.

    Returns ([natural map^2, signorini^2, distance to the cone^2, distance of v to the dual
    cone^2, |r . v|], status (K,)) with v = u + mu |u_t| n; written with the projection alone,
    apart from the solver's kernels.
    """
    status = np.zeros(len(r), dtype=np.int64)
    return np.array(sum_laws(r, u, mu, rho, status)), status


@inner_kernel
def sum_laws(
    r: FloatArray, u: FloatArray, mu: FloatArray, rho: float, status: FloatArray | IntArray
) -> tuple[float, float, float, float, float]:
    """Return the sums of `sum_law_residuals`; write the statuses into (K,)."""
    natural = signorini = cone = dual = power = 0.0
    for k in range(np.uint64(len(r))):
        m, r0, r1, r2 = mu[k], r[k, 0], r[k, 1], r[k, 2]
        v0, v1 = u[k, 0], u[k, 1]
        v2 = u[k, 2] + m * np.sqrt(v0 * v0 + v1 * v1)
        a0, a1, a2 = r0 - rho * v0, r1 - rho * v1, r2 - rho * v2
        b0, b1, b2 = project(a0, a1, a2, m)
        natural += (r0 - b0) ** 2 + (r1 - b1) ** 2 + (r2 - b2) ** 2
        signorini += min(r2, rho * u[k, 2]) ** 2
        b0, b1, b2 = project(r0, r1, r2, m)
        cone += (r0 - b0) ** 2 + (r1 - b1) ** 2 + (r2 - b2) ** 2
        b0, b1, b2 = project(-v0, -v1, -v2, m)  # Moreau: v + P_K(-v) is in the dual cone
        dual += b0 * b0 + b1 * b1 + b2 * b2
        power += abs(r0 * v0 + r1 * v1 + r2 * v2)
        status[k] = 0
        if r2 > max(rho * u[k, 2], 0.0):
            status[k] = 2 if a0 * a0 + a1 * a1 > (m * r2) ** 2 else 1
    return natural, signorini, cone, dual, power


@kernel
def extrapolate_start(start: FloatArray, previous: FloatArray, mu: FloatArray) -> FloatArray:
    """P_K(start + (start - previous)) for every contact (K, 3)."""
    r = np.empty(start.shape)
    write_start(start, previous, mu, r)
    return r


@inner_kernel
def write_start(start: FloatArray, previous: FloatArray, mu: FloatArray, r: FloatArray) -> None:
    """Write `extrapolate_start` into r (K, 3)."""
    for k in range(np.uint64(len(start))):
        a0, a1, a2 = start[k, 0], start[k, 1], start[k, 2]
        b0, b1, b2 = previous[k, 0], previous[k, 1], previous[k, 2]
        r[k, 0], r[k, 1], r[k, 2] = project(a0 + (a0 - b0), a1 + (a1 - b1), a2 + (a2 - b2), mu[k])


@inner_kernel
def project(p0: float, p1: float, p2: float, mu: float) -> tuple[float, float, float]:
    """Project a point on the cone |p_t| <= mu p_n."""
    s = np.sqrt(p0 * p0 + p1 * p1)
    if s <= mu * p2 and p2 >= 0.0:
        return p0, p1, p2
    if mu * s <= -p2:
        return 0.0, 0.0, 0.0
    n = (p2 + mu * s) / (1.0 + mu * mu)
    scale = mu * n / s if s > 0.0 else 0.0
    return scale * p0, scale * p1, n
