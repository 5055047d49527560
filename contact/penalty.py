"""Penalty contact by input-output feedback linearisation [RengifoEtAl2009].

A contact is given the acceleration that stops it and removes its penetration; the force is what
the mechanism needs for that, cut down to what ground can give. With P the positions of n points,
P'' = W F + b their accelerations under the forces F by the ground, equations (15)-(20):

    p''^d = kp [0, 0, epsilon - p_z] - kv [p'_x, p'_y, min(0, p'_z)]       while p_z <= 0   (17)
    W_c F'_c = P''^d - b_c,   the solution of least squares and least norm                  (18)
    f_n = max(0, f'_n),   f_t = f'_t min(1, mu f_n / |f'_t|)                           (19), (20)

So kp [1/s^2] and kv [1/s] belong to the contact alone: masses, inertias and the number of contacts
sit in W and b. In short: `penalty_forces(law, ContactSpace.of_dynamics(...), gaps, velocities)`.

All vectors of contacts are (n, 3) in the contact frames (t1, t2, n), n last and from the ground
into the robot; on flat ground these are the axes of the world. Forces act on the robot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import lapack

from sole.arrays import BoolArray, FloatArray, sealed, shaped
from sole.errors import SoleError

RCOND = 1e-10  # eigenvalues of W below this part of the largest count as zero
SKEW = 1e-8  # how far W may be from symmetric and positive semidefinite, part of its largest entry


@dataclass(frozen=True)
class PenaltyLaw:
    """The numbers of equation (17) and of Coulomb's law; none depends on the mechanism.

    Parameters
    ----------
    kp : >= 0 [1/s^2]; 0: penetration is stopped but stays.
    kv : >= 0 [1/s].
    friction : Coulomb's mu >= 0.
    epsilon : <= 0 [m], height that a contact at rest goes to. The paper prints 1e-6 m, but means a
        steady penetration, which with contact at p_z <= 0 is -1e-6 m.

    Raises
    ------
    SoleError
        For numbers out of these ranges, a positive epsilon among them.
    """

    kp: float
    kv: float
    friction: float = 0.7
    epsilon: float = 0.0

    def __post_init__(self) -> None:
        for name in ("kp", "kv", "friction"):
            _at_least_zero(name, getattr(self, name))
        if not _is_number(self.epsilon):
            raise SoleError(f"epsilon must be a finite number of metres, got {self.epsilon!r}")
        if self.epsilon > 0:
            raise SoleError(
                f"epsilon must not be positive, got {self.epsilon:g} m: a point touches while its "
                "height is at most 0, so every point would be pushed out of contact; a steady "
                f"penetration of that depth is epsilon = {-self.epsilon:g}"
            )


@dataclass(frozen=True, eq=False)
class ContactSpace:
    """A mechanism as its n contacts feel it: P'' = W F + b, equations (15), (16).

    Parameters
    ----------
    operator : W = D^T A^-1 D (3n, 3n) [1/kg], contact by contact in the order t1, t2, n.
    drift : b = D^T A^-1 (Gamma_e - H) + B (3n,) [m/s^2], accelerations without contact forces.

    Raises
    ------
    SoleError
        For shapes that do not fit each other, and for what is not finite.
    """

    operator: FloatArray
    drift: FloatArray

    def __post_init__(self) -> None:
        drift = _finite("drift", self.drift)
        if drift.size % 3:
            raise SoleError(f"drift must have 3 entries per contact, got {drift.size}")
        object.__setattr__(self, "drift", sealed(shaped("drift", drift, (drift.size,))))
        W = shaped("operator", self.operator, (drift.size, drift.size))
        object.__setattr__(self, "operator", sealed(W))

    @classmethod
    def of_dynamics(
        cls, A: ArrayLike, D: ArrayLike, generalized_forces: ArrayLike, bias: ArrayLike
    ) -> ContactSpace:
        """Return W = D^T A^-1 D and b = D^T A^-1 (Gamma_e - H) + B.

        Parameters
        ----------
        A : inertia matrix (v, v), symmetric and positive definite.
        D : (v, 3n), P' = D^T q_v.
        generalized_forces : Gamma_e - H (v,): actuators less Coriolis, centrifugal and weight.
        bias : B (3n,) [m/s^2], what P'' keeps when the generalised accelerations are zero.

        Raises
        ------
        SoleError
            For shapes that do not fit, and for A not symmetric or not positive definite.
        """
        D = _finite("D", D)
        if D.ndim != 2 or not D.shape[0] or D.shape[1] % 3:
            raise SoleError(f"D must have shape (v, 3n), got {D.shape}")
        v, rows = D.shape
        A = shaped("the inertia matrix A", A, (v, v))
        force = shaped("generalized_forces", generalized_forces, (v,))
        B = shaped("bias", bias, (rows,))
        _check_symmetric("the inertia matrix A", A)
        L, failed = lapack.dpotrf(A, lower=1)
        if failed or not _well_conditioned(L, A):
            raise SoleError(
                "the inertia matrix A must be positive definite, got a singular or indefinite one: "
                "is a body without mass or inertia, or a coordinate counted twice?"
            )
        X, _ = lapack.dtrtrs(L, np.column_stack([D, force]), lower=1)  # L^-1 [D, Gamma_e - H]
        J, w = X[:, :rows], X[:, rows]
        return cls(J.T @ J, J.T @ w + B)

    @property
    def contacts(self) -> int:
        """The number n of contacts."""
        return len(self.drift) // 3

    def active(self, mask: ArrayLike) -> ContactSpace:
        """Return the space of the contacts in `mask` (n,) alone, equation (16)."""
        keep = np.asarray(mask)
        if keep.dtype != bool or keep.shape != (self.contacts,):
            raise SoleError(
                f"mask must be {self.contacts} booleans, one per contact, got {keep.dtype} of "
                f"shape {keep.shape}"
            )
        if keep.all():
            return self
        rows = np.flatnonzero(np.repeat(keep, 3))
        return ContactSpace(self.operator[np.ix_(rows, rows)], self.drift[rows])

    def accelerations(self, forces: ArrayLike) -> FloatArray:
        """P'' = W F + b (n, 3) [m/s^2] under `forces` (n, 3) [N], equation (15)."""
        F = shaped("forces", forces, (self.contacts, 3)).ravel()
        return (self.operator @ F + self.drift).reshape(-1, 3)


@dataclass(frozen=True, eq=False)
class PenaltyForces:
    """The forces of one state, and how they came about; rows of open contacts are zero.

    Parameters
    ----------
    forces : F (n, 3) [N], in the cones.
    required : F' (n, 3) [N], before saturation.
    desired : P''^d (n, 3) [m/s^2].
    active : (n,) gap <= 0.
    rank : of W_c, by the threshold `RCOND`.
    residual : |W_c F'_c + b_c - P''^d| [m/s^2]: what no forces could give.
    """

    forces: FloatArray
    required: FloatArray
    desired: FloatArray
    active: BoolArray
    rank: int
    residual: float


def penalty_forces(
    law: PenaltyLaw, space: ContactSpace, gaps: ArrayLike, velocities: ArrayLike
) -> PenaltyForces:
    """Return the contact forces by equations (17)-(20).

    Parameters
    ----------
    law : kp, kv, mu and epsilon.
    space : W and b of all n contacts, active or not.
    gaps : p_z (n,) [m], < 0 where a point is in the ground.
    velocities : p' (n, 3) [m/s].

    Raises
    ------
    SoleError
        For shapes that do not fit, for what is not finite, and for a W not symmetric or not
        positive semidefinite.
    """
    n = space.contacts
    p = shaped("gaps", gaps, (n,))
    v = shaped("velocities", velocities, (n, 3))
    active = p <= 0.0
    forces, required, desired = np.zeros((3, n, 3))
    rank, residual = 0, 0.0
    if active.any():
        part = space.active(active)
        desired[active] = _desired(law, p[active], v[active])
        target = desired[active].ravel() - part.drift
        F, rank, residual = required_forces(part.operator, target)
        required[active] = F.reshape(-1, 3)
        forces = _saturated(required, law.friction)
    return PenaltyForces(
        sealed(forces), sealed(required), sealed(desired), sealed(active), rank, residual
    )


def desired_accelerations(law: PenaltyLaw, gaps: ArrayLike, velocities: ArrayLike) -> FloatArray:
    """p''^d = kp [0, 0, epsilon - p_z] - kv [p'_x, p'_y, min(0, p'_z)], equation (17).

    Equations (3) and (7) are its normal and its tangential part alone. For contacts that touch:
    whether they do is not looked at.

    Parameters
    ----------
    law : kp, kv, epsilon.
    gaps : p_z (..., n) [m]; any number of leading axes, say one of time.
    velocities : p' (..., n, 3) [m/s].

    Returns
    -------
    p''^d (..., n, 3) [m/s^2].
    """
    p, v = _finite("gaps", gaps), _finite("velocities", velocities)
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
    the target is in general not in its range. By eigenvalues W = V diag(w) V^T, of which those
    up to rcond max(w) count as zero.

    Parameters
    ----------
    W : (m, m) [1/kg], symmetric and positive semidefinite.
    target : P''^d - b (m,) [m/s^2].
    rcond : threshold in [0, 1).

    Returns
    -------
    F' (m,) [N], the rank of W, and the residual |W F' - target| [m/s^2].

    Raises
    ------
    SoleError
        For shapes that do not fit, what is not finite, and a W that is no D^T A^-1 D: further
        than 1e-8 of its largest entry from symmetric or from positive semidefinite.
    """
    y = _finite("target", target)
    y = shaped("target", y, (y.size,))
    W = shaped("the operator W", W, (y.size, y.size))
    if not (_is_number(rcond) and 0 <= rcond < 1):
        raise SoleError(f"rcond must be in [0, 1), got {rcond!r}")
    if not y.size:
        return y, 0, 0.0
    _check_symmetric("the operator W", W)
    w, V = np.linalg.eigh(0.5 * (W + W.T))
    if w[0] < -SKEW * abs(w[-1]):
        raise SoleError(
            f"the operator W must be positive semidefinite, got the eigenvalue {w[0]:.3g} beside "
            f"{w[-1]:.3g}: is it D^T A^-1 D?"
        )
    kept = w > max(rcond * w[-1], 0.0)
    w, V = w[kept], V[:, kept]
    c = V.T @ y
    return V @ (c / w), len(w), float(np.linalg.norm(y - V @ c))


def saturated(forces: ArrayLike, friction: float) -> FloatArray:
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
    _at_least_zero("friction", friction)
    f = _finite("forces", forces)
    if f.ndim < 1 or f.shape[-1] != 3:
        raise SoleError(f"forces must have shape (..., n, 3), got {f.shape}")
    return _saturated(f, friction)


def _saturated(f: FloatArray, mu: float) -> FloatArray:
    normal = np.maximum(0.0, f[..., 2])
    tangential = np.hypot(f[..., 0], f[..., 1])
    limit = mu * normal
    shrink = np.divide(limit, tangential, out=np.ones_like(limit), where=tangential > limit)
    return np.stack([f[..., 0] * shrink, f[..., 1] * shrink, normal], axis=-1)


def _check_symmetric(name: str, A: FloatArray) -> None:
    skew, size = float(np.abs(A - A.T).max(initial=0.0)), float(np.abs(A).max(initial=0.0))
    if skew > SKEW * size:
        raise SoleError(
            f"{name} must be symmetric, got a difference of {skew:.3g} beside {size:.3g}"
        )


def _well_conditioned(L: FloatArray, A: FloatArray) -> bool:
    """Whether LAPACK's estimate of the reciprocal condition of A = L L^T is above round-off."""
    rcond, _ = lapack.dpocon(L, float(np.abs(A).sum(axis=0).max(initial=0.0)), uplo="L")
    return bool(rcond > np.finfo(float).eps)


def _finite(name: str, values: ArrayLike) -> FloatArray:
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise SoleError(f"{name} must be numbers ({error})") from error
    if not np.isfinite(array).all():
        raise SoleError(f"{name} must be finite")
    return array


def _is_number(value: object) -> TypeGuard[float]:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        return False
    return math.isfinite(value)


def _at_least_zero(name: str, value: object) -> None:
    if not (_is_number(value) and value >= 0):
        raise SoleError(f"{name} must be a finite number >= 0, got {value!r}")
