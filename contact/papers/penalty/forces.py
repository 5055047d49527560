"""Penalty contact by input-output feedback linearisation [RengifoEtAl2009].

A contact is given the acceleration that stops it and removes its penetration; the force is what
the mechanism needs for that, cut down to what ground can give. With P the positions of n points,
P'' = W F + b their accelerations under the forces F by the ground, equations (15)-(20):

    p''^d = kp [0, 0, epsilon - p_z] - kv [p'_x, p'_y, min(0, p'_z)]       while p_z <= 0   (17)
    W_c F'_c = P''^d - b_c,   the solution of least squares and least norm                  (18)
    f_n = max(0, f'_n),   f_t = f'_t min(1, mu f_n / |f'_t|)                           (19), (20)

For mu = 0 the tangential rows of (18) are left out, see `contact.papers.penalty.law_kernels`.

So kp [1/s^2] and kv [1/s] belong to the contact alone: masses, inertias and the number of contacts
sit in W and b. In short: `penalty_forces(law, ContactSpace.of_dynamics(...), gaps, velocities)`;
`penalty_history` for many states at once.

All vectors of contacts are (n, 3) in the contact frames (t1, t2, n), n last and from the ground
into the robot; on flat ground these are the axes of the world. Forces act on the robot.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from contact.papers.penalty.law import RCOND, PenaltyForces, PenaltyLaw, check_law, check_rcond
from contact.papers.penalty.law_kernels import law_forces, least_norms
from contact.papers.penalty.penalty_checks import require_finite, require_not_negative
from contact.papers.penalty.space import SKEW, ContactSpace, check_symmetric
from sole.base.arrays import BoolArray, FloatArray, IntArray, sealed, shaped
from sole.base.errors import SoleError


def penalty_forces(
    law: PenaltyLaw, space: ContactSpace, gaps: ArrayLike, velocities: ArrayLike
) -> PenaltyForces:
    """Return the contact forces by equations (17)-(20).

    Parameters
    ----------
    law : kp, kv, mu, epsilon and rcond.
    space : W and b of all n contacts, active or not.
    gaps : p_z (n,) [m], < 0 where a point is in the ground.
    velocities : p' (n, 3) [m/s].

    Raises
    ------
    SoleError
        For shapes that do not fit, for values that are not finite, and for a W not symmetric or not
        positive semidefinite.
    """
    check_law(law)
    n = space.contacts
    p = shaped("gaps", require_finite("gaps", gaps), (n,))
    v = shaped("velocities", require_finite("velocities", velocities), (n, 3))
    return forces_in_mode(law, space, p, v, p <= 0.0, v[:, 2] < 0.0)


def forces_in_mode(
    law: PenaltyLaw,
    space: ContactSpace,
    p: FloatArray,
    v: FloatArray,
    touching: BoolArray,
    sinking: BoolArray,
) -> PenaltyForces:
    """Return the same with both switches of (17) given, as an integrator freezes them.

    Parameters
    ----------
    p, v : p_z (n,), p' (n, 3), unchecked.
    touching, sinking : (n,) which contacts count as p_z <= 0, as p'_z < 0.
    """
    W, b = space.operator[None], space.drift[None]
    found = _solved(law, W, b, p[None], v[None], touching[None], sinking[None])
    forces, required, desired, rank, residual = found
    F, wanted, target = (sealed(a[0]) for a in (forces, required, desired))
    mask = sealed(touching.copy())
    return PenaltyForces(F, wanted, target, mask, int(rank[0]), float(residual[0]))


def penalty_history(
    law: PenaltyLaw, operators: ArrayLike, drifts: ArrayLike, gaps: ArrayLike, velocities: ArrayLike
) -> PenaltyForces:
    """Return `penalty_forces` of N states at once.

    Parameters
    ----------
    operators, drifts : W (N, 3n, 3n), b (N, 3n), see `ContactSpace`.
    gaps, velocities : (N, n) [m], (N, n, 3) [m/s].
    """
    check_law(law)
    p = require_finite("gaps", gaps)
    if p.ndim != 2:
        raise SoleError(f"gaps must have shape (N, n), got {p.shape}")
    N, n = p.shape
    W = _exactly("operators", operators, (N, 3 * n, 3 * n))
    b = _exactly("drifts", drifts, (N, 3 * n))
    v = _exactly("velocities", velocities, (N, n, 3))
    touching = p <= 0.0
    found = _solved(law, W, b, p, v, touching, v[:, :, 2] < 0.0)
    forces, required, desired, rank, residual = (sealed(a) for a in found)
    return PenaltyForces(forces, required, desired, sealed(touching), rank, residual)


def _solved(
    law: PenaltyLaw,
    W: FloatArray,
    b: FloatArray,
    p: FloatArray,
    v: FloatArray,
    touching: BoolArray,
    sinking: BoolArray,
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray, FloatArray]:
    numbers = np.array([law.kp, law.kv, law.friction, law.epsilon, law.rcond])
    forces, required, desired, rank, residual, lowest, skew = law_forces(
        numbers,
        np.ascontiguousarray(W),
        np.ascontiguousarray(b),
        np.ascontiguousarray(p),
        np.ascontiguousarray(v),
        np.ascontiguousarray(touching),
        np.ascontiguousarray(sinking),
    )
    if skew.max(initial=0.0) > SKEW:
        raise SoleError(
            f"the operator W must be symmetric, got a difference of {skew.max():.3g} times its "
            "largest entry"
        )
    _check_semidefinite(lowest)
    return forces, required, desired, rank, residual


def desired_accelerations(law: PenaltyLaw, gaps: ArrayLike, velocities: ArrayLike) -> FloatArray:
    """p''^d = kp [0, 0, epsilon - p_z] - kv [p'_x, p'_y, min(0, p'_z)], equation (17).

    Equations (3) and (7) are its normal and its tangential part alone. For contacts that
    touch, which is not checked.

    Parameters
    ----------
    law : kp, kv, epsilon.
    gaps : p_z (..., n) [m]; any number of leading axes, say one of time.
    velocities : p' (..., n, 3) [m/s].

    Returns
    -------
    p''^d (..., n, 3) [m/s^2].
    """
    p, v = require_finite("gaps", gaps), require_finite("velocities", velocities)
    if v.shape != (*p.shape, 3):
        raise SoleError(
            f"velocities must have the shape of gaps and 3 components, {(*p.shape, 3)}, "
            f"got {v.shape}"
        )
    return _desired(law, p, v)


def _desired(law: PenaltyLaw, p: FloatArray, v: FloatArray) -> FloatArray:
    a = -law.kv * v
    a[..., 2] = law.kp * (law.epsilon - p) - law.kv * np.minimum(0.0, v[..., 2])
    return a


def required_forces(
    W: ArrayLike, target: ArrayLike, rcond: float = RCOND
) -> tuple[FloatArray, int, float]:
    """Return F' of least norm among those of least |W F' - target|, equation (18).

    Four vertices of a rigid foot have 12 components of force and 6 of motion: W is singular, and
    the target is in general not in its range.

    Parameters
    ----------
    W : (m, m) [1/kg], symmetric and positive semidefinite.
    target : P''^d - b (m,) [m/s^2].
    rcond : threshold in [0, 1): eigenvalues up to rcond max(w) count as zero.

    Returns
    -------
    F' (m,) [N], the rank of W, and the residual |W F' - target| [m/s^2].

    Raises
    ------
    SoleError
        Shapes that do not fit, values that are not finite, or a W that is not D^T A^-1 D: further
        than 1e-8 of its largest entry from symmetric or from positive semidefinite.
    """
    y = require_finite("target", target)
    y = shaped("target", y, (y.size,))
    W = shaped("the operator W", require_finite("the operator W", W), (y.size, y.size))
    F, rank, residual = required_forces_of_states(W[None], y[None], rcond)
    return F[0], int(rank[0]), float(residual[0])


def required_forces_of_states(
    W: ArrayLike, targets: ArrayLike, rcond: float = RCOND
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return `required_forces` of N states: (N, m, m), (N, m) -> (N, m), ranks, residuals (N,)."""
    y = require_finite("targets", targets)
    if y.ndim != 2:
        raise SoleError(f"targets must have shape (N, m), got {y.shape}")
    W = _exactly("the operators W", W, (*y.shape, y.shape[1]))
    check_rcond(rcond)
    check_symmetric("the operator W", W)
    F, rank, residual, lowest = least_norms(
        np.ascontiguousarray(W), np.ascontiguousarray(y), float(rcond)
    )
    _check_semidefinite(lowest)
    return F, rank, residual


def saturate_forces(forces: ArrayLike, friction: float) -> FloatArray:
    """f_n = max(0, f'_n) and f_t = f'_t min(1, mu f_n / |f'_t|), equations (19) and (20).

    The paper bounds |f_x| by mu f_n cos(theta) and |f_y| by mu f_n sin(theta), theta = atan2(f'_y,
    f'_x); it must read |cos|, |sin|, or the bound is negative outside the first quadrant. Then
    both components shrink alike: the radial projection.

    Parameters
    ----------
    forces : f' (..., n, 3) [N]; any number of leading axes.
    friction : mu >= 0.

    Returns
    -------
    f (..., n, 3) [N], each in its cone.
    """
    require_not_negative("friction", friction)
    f = require_finite("forces", forces)
    if f.ndim < 1 or f.shape[-1] != 3:
        raise SoleError(f"forces must have shape (..., n, 3), got {f.shape}")
    return _saturated(f, friction)


def _saturated(f: FloatArray, mu: float) -> FloatArray:
    normal = np.maximum(0.0, f[..., 2])
    tangential = np.hypot(f[..., 0], f[..., 1])
    with np.errstate(over="ignore"):  # a cone beyond the floats is no cone
        limit = mu * normal
    shrink = np.divide(limit, tangential, out=np.ones_like(limit), where=tangential > limit)
    return np.stack([f[..., 0] * shrink, f[..., 1] * shrink, normal], axis=-1)


def _check_semidefinite(lowest: FloatArray) -> None:
    if lowest.min(initial=0.0) < -SKEW:
        raise SoleError(
            "the operator W must be positive semidefinite, got an eigenvalue of "
            f"{lowest.min():.3g} times the largest: is it D^T A^-1 D?"
        )


def _exactly(name: str, values: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    array = require_finite(name, values)
    if array.shape != shape:
        raise SoleError(f"{name} must have shape {shape}, got {array.shape}")
    return array
