"""The certificate of a press: its laws checked in world axes, apart from the solver.

    p_i = R (x_i + C f) + t,   F = R f,   F = F_n n + F_t,   v = (p - p_start)_t + gap n,
    F = P_K(F - rho (v + mu |v_t| n)),   sum f = Q w_f,   sum (x - o) x f = Q w_m,   Q = R' A.

World vectors replace contact frames, so an error in the solver's kinematics shows here. The load
w = (w_f, w_m) keeps the axes A of the ground's frame, whatever the foot's pose (R, t).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from contact.ground import Ground
from sole.base.arrays import FloatArray
from sole.condense import CondensedSole


@dataclass(frozen=True, eq=False, kw_only=True)
class PressCertificate:
    """Residuals recomputed from the result alone; all but `finite` are dimensionless.

    Parameters
    ----------
    natural_map : |r - P_K(r - rho (u + g))| / (rho |q|) with rho = 1/mean W_ii, or Signorini's
        part of it alone where that is larger (`contact.coulomb.residual`).
    cone : largest distance of a contact force to its cone / largest force.
    equilibrium : largest of |force error|/|force| and |moment error|/(|force| x foot length).
    finite : no NaN and no infinity anywhere.
    """

    natural_map: float
    cone: float
    equilibrium: float
    finite: bool

    def __str__(self) -> str:
        finite = "" if self.finite else ", not all numbers finite"
        return (
            f"natural map {self.natural_map:.2g}, equilibrium {self.equilibrium:.2g}, "
            f"cone {self.cone:.2g}{finite}"
        )

    def holds(self, tolerance: float) -> bool:
        """Return whether every condition is met to `tolerance`."""
        worst = max(self.natural_map, self.cone, self.equilibrium)
        return self.finite and worst <= tolerance


def certify_press(
    *,
    sole: CondensedSole,
    ground: Ground,
    friction: float,
    wrench: FloatArray | None,
    contact_forces: FloatArray,
    pose: FloatArray,
    start: FloatArray,
) -> PressCertificate:
    """Return the residuals of a state of rest.

    Parameters
    ----------
    sole, ground, friction : of the press.
    wrench : (6,) the load about the projected origin, axes of the ground's frame; None if the
        foot was held.
    contact_forces : (faces, m, 3) ground on sole [N], sole frame, per solid of the ground.
    pose : (4, 4) sole to world.
    start : (m, 3) nodes at the beginning of the increment, world [m].
    """
    C = sole.compliance
    u = (C @ contact_forces.sum(axis=0).ravel()).reshape(-1, 3)
    return certify_contact(
        points=sole.points,
        u=u,
        arms=sole.points - sole.origin,
        rho=len(C) / float(np.trace(C)),
        ground=ground,
        friction=friction,
        wrench=wrench,
        contact_forces=contact_forces,
        pose=pose,
        start=start,
    )


def certify_contact(
    *,
    points: FloatArray,
    u: FloatArray,
    arms: FloatArray,
    rho: float,
    ground: Ground,
    friction: float,
    wrench: FloatArray | None,
    contact_forces: FloatArray,
    pose: FloatArray,
    start: FloatArray,
) -> PressCertificate:
    """Return the residuals of nodes at points + u, whatever law made u.

    Parameters
    ----------
    points, u : (m, 3) undeformed nodes and their displacement, sole frame [m].
    arms : (m, 3) nodes from the origin at which forces turn the foot [m].
    rho : of the natural map [N/m].
    ground, friction, wrench, contact_forces, pose, start : as in `certify_press`.
    """
    mu, R = friction, pose[:3, :3]
    f = contact_forces.sum(axis=0)
    p = (points + u) @ R.T + pose[:3, 3]
    gap, n = ground.gaps(p, start)
    F = contact_forces @ R.T
    F_n, moved = _along(F, n), np.broadcast_to(p - start, n.shape)
    v_t = moved - _along(moved, n)[..., None] * n
    v = v_t + gap[..., None] * n
    corrected = v + mu * np.linalg.norm(v_t, axis=-1, keepdims=True) * n
    natural = np.linalg.norm(F - _nearest(F - rho * corrected, n, mu), axis=-1)
    # Signorini's law alone: for large mu the natural map hardly sees a penetration.
    signorini = np.abs(np.minimum(F_n, rho * gap))
    error = float(np.linalg.norm(np.maximum(natural, signorini)))
    carrying = np.abs(F).max(axis=-1) > 0
    scale = rho * float(np.linalg.norm((v - u @ R.T)[carrying]))
    relative = error / scale if scale > 0 else (0.0 if error == 0 else np.inf)
    outside = np.linalg.norm(F - _nearest(F, n, mu), axis=-1)
    balance = 0.0
    if wrench is not None:
        Q = R.T @ ground.frame
        force = f.sum(axis=0) - Q @ wrench[:3]
        moment = np.cross(arms, f).sum(axis=0) - Q @ wrench[3:]
        if friction == 0:  # the foot is guided: x, y and yaw are held
            force, moment = force[2:], moment[:2]
        length = float(np.hypot(*np.ptp(points[:, :2], axis=0))) / 2
        size = float(np.linalg.norm(wrench[:3]))
        balance = float(max(np.linalg.norm(force), np.linalg.norm(moment) / length)) / size
    return PressCertificate(
        natural_map=relative,
        cone=float(outside.max(initial=0.0)) / (float(np.abs(F).max(initial=0.0)) or 1.0),
        equilibrium=balance,
        finite=all(bool(np.isfinite(a).all()) for a in (F, p, gap, pose)),
    )


def _along(a: FloatArray, n: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("...i,...i->...", a, n))


def _nearest(F: FloatArray, n: FloatArray, mu: float) -> FloatArray:
    """Nearest point of the cone |F_t| <= mu F_n about the axes `n`, vectors (..., 3)."""
    F_n = _along(F, n)
    F_t = F - F_n[..., None] * n
    s = np.linalg.norm(F_t, axis=-1)
    axial = np.maximum((F_n + mu * s) / (1 + mu * mu), 0.0)
    side = mu * axial / np.maximum(s, 1e-300)
    onto = side[..., None] * F_t + axial[..., None] * n
    inside = (s <= mu * F_n) & (F_n >= 0)
    return np.where(inside[..., None], F, onto)
