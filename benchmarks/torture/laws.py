"""What a step of the time stepping must fulfil, recomputed from what it returned.

Let r, u be the forces and velocities of a (sub-)step, e = residual rho |q| the norm of the error of
the natural map, h the length of the sub-step. docs/theory.md derives the bounds:

    energy     gained <= h e (|u| + |r|/rho), and twice that of the step before,
    friction   sum h r_t.u_t <= h e ((2 + mu) |r|/rho + (1 + mu) |u| + e/rho),
    cone       |r_t| - mu r_n <= sqrt(1 + mu^2) e,
    depth      grows by <= phi^2/2 r + phi |dU| + (1 + mu) e dt/rho, phi = |omega| dt.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from contact.problem import Solution
from contact.step import StepResult
from sole.base.arrays import FloatArray


class StepBounds(NamedTuple):
    """What the residuals of a step allow: energy, friction work [J], force [N], gap [m]."""

    energy: float
    friction: float
    force: float
    gap: float


def natural_map(s: Solution) -> float:
    """Return |r - P_K(r - rho (u + mu |u_t| n))|/(rho |q|), u = W r + q with a dense W."""
    p = s.problem
    W, q, rho = np.asarray(p.operator.dense()), np.asarray(p.offset), p.rho
    mu = np.broadcast_to(p.friction, len(q))
    r = s.reactions
    u = (W @ r.ravel()).reshape(-1, 3) + q
    shifted = u.copy()
    shifted[:, 2] += mu * np.linalg.norm(u[:, :2], axis=1)
    scale = rho * float(np.linalg.norm(q))
    if scale == 0.0:
        return 0.0
    return float(np.linalg.norm(r - on_cone(r - rho * shifted, mu))) / scale


def on_cone(x: FloatArray, mu: FloatArray) -> FloatArray:
    """Return the nearest points of the cones |x_t| <= mu x_n to x (K, 3)."""
    t, n = np.linalg.norm(x[:, :2], axis=1), x[:, 2]
    inside, polar = t <= mu * n, mu * t <= -n
    size = np.maximum((mu * t + n) / (1 + mu**2), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        along = np.where(t[:, None] > 0, x[:, :2] / t[:, None], 0.0)
    edge = np.column_stack([along * (mu * size)[:, None], size])
    return np.where(inside[:, None], x, np.where(polar[:, None], 0.0, edge))


def bounds_of(done: StepResult, dt: float) -> StepBounds:
    """Return what the certificates of a step allow."""
    energy = friction = force = gap = 0.0
    h = dt / max(len(done.solutions), 1)
    for s in done.solutions:
        c, rho = s.certificate, s.problem.rho
        mu = float(np.max(s.problem.friction, initial=0.0))
        e = max(c.natural_map, c.signorini, c.cone) * rho * float(np.linalg.norm(s.problem.offset))
        u, r = float(np.linalg.norm(s.velocity)), float(np.linalg.norm(s.reactions))
        energy += h * e * (u + r / rho)
        friction += h * e * ((2 + mu) * r / rho + (1 + mu) * u + e / rho)
        force = max(force, np.sqrt(1 + mu**2) * e)
        gap += h * (1 + mu) * e / rho
    return StepBounds(energy, friction, float(force), gap)


def cone_excess(forces: FloatArray, normals: FloatArray, mu: float) -> float:
    """Return the largest |f_t| - mu f_n, or -f_n, of forces (..., 3) [N] and unit normals."""
    n = (forces * normals).sum(axis=-1)
    t = np.linalg.norm(forces - n[..., None] * normals, axis=-1)
    return float(np.maximum(t - mu * n, -n).max(initial=0.0))
