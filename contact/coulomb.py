"""Coulomb's cone: projections, the De Saxce correction and the natural map.

Contact order (t1, t2, n); n points from the ground into the robot.

    K_mu  = {r : |r_t| <= mu r_n},          K_mu* = {v : v_n >= mu |v_t|},
    law   : K_mu* contains u + g(u), is orthogonal to r in K_mu,   g(u) = mu |u_t| n,
    hence : r = P_K(r - rho (u + g(u)))  for any rho > 0  (De Saxce and Feng 1998).

For mu = 0 the cone is the half line r_n >= 0 and its dual the half space v_n >= 0.
"""

from __future__ import annotations

import numpy as np

from sole.base.arrays import FloatArray

__all__ = ["de_saxce", "distance_to_cone", "natural_map", "project", "project_dual", "residual"]


def project(r: FloatArray, mu: FloatArray | float) -> FloatArray:
    """Nearest point of K_mu to every row of `r`, shape (..., 3)."""
    r = np.asarray(r, dtype=float)
    mu = np.broadcast_to(np.asarray(mu, dtype=float), r.shape[:-1])
    s = np.hypot(r[..., 0], r[..., 1])
    n = r[..., 2]
    inside = (s <= mu * n) & (n >= 0)  # for mu = 0 the first alone lets pulling pass
    polar = mu * s <= -n
    # On the boundary: the foot of the perpendicular in the plane of r and the axis.
    normal = (n + mu * s) / (1 + mu * mu)
    scale = np.divide(mu * normal, s, out=np.zeros_like(s), where=s > 0)
    out = np.stack([scale * r[..., 0], scale * r[..., 1], normal], axis=-1)
    out = np.where(polar[..., None], 0.0, out)
    return np.where(inside[..., None], r, out)


def project_dual(v: FloatArray, mu: FloatArray | float) -> FloatArray:
    """Nearest point of K_mu* to every row of `v` (Moreau): P_K*(v) = v + P_K(-v)."""
    v = np.asarray(v, dtype=float)
    return v + project(-v, mu)


def de_saxce(u: FloatArray, mu: FloatArray | float) -> FloatArray:
    """u + mu |u_t| n for every row of `u`, shape (..., 3)."""
    corrected = np.array(u, dtype=float)
    corrected[..., 2] += mu * np.hypot(corrected[..., 0], corrected[..., 1])
    return corrected


def natural_map(r: FloatArray, u: FloatArray, mu: FloatArray | float, rho: float) -> FloatArray:
    """r - P_K(r - rho (u + g(u))) for every contact, shape (..., 3); zero at a solution."""
    r = np.asarray(r, dtype=float)
    return r - project(r - rho * de_saxce(u, mu), mu)


def residual(r: FloatArray, u: FloatArray, mu: FloatArray | float, rho: float) -> FloatArray:
    """(...,) the larger of |natural map| and |r_n - max(0, r_n - rho u_n)| of every contact [N].

    The second is Signorini's law alone: for large mu the natural map hardly sees a penetration
    (its projection shrinks like 1/mu).
    """
    signorini = np.minimum(np.asarray(r)[..., 2], rho * np.asarray(u)[..., 2])
    size = np.linalg.norm(natural_map(r, u, mu, rho), axis=-1)
    return np.asarray(np.maximum(size, np.abs(signorini)))


def distance_to_cone(r: FloatArray, mu: FloatArray | float) -> FloatArray:
    """Distance of every row of `r` to K_mu, in the unit of `r`; zero inside."""
    return np.asarray(np.linalg.norm(np.asarray(r) - project(r, mu), axis=-1))
