"""Semi-smooth Newton steps on forces and pose together: the last digits of a press.

Alart and Curnier's equations, tau = r - rho u, active where tau_n > 0:

    u_n = 0;   u_t = 0 (stick, |tau_t| <= mu r_n)   or   r_t = mu r_n tau_t/|tau_t| (slip);
    G' f = w in load control; w turns against the foot, dw = w x d(theta).

On round ground the contact frames turn with the motion, and the forces turn with the foot. With
both linearised, convergence is quadratic once the statuses are right. A step starts from an
iterate of Gauss-Seidel and is kept only if the residual falls. Many contacts are solved by
iteration (`contact.press.newton_equations`), only as exactly as a step is worth.
"""

from __future__ import annotations

import numpy as np

from contact.press.newton_equations import NewtonEquations
from contact.press.press_state import PressState, PressView
from sole.base.arrays import BoolArray, FloatArray

PROXIMAL = 1e-8  # fraction of the foot stiffness that keeps undetermined motions in place
WORTH = 1e-8, 1e-2  # accuracy asked of iterations: residual / 10, between these


def newton_step(view: PressView, wrench: FloatArray | None, free: BoolArray) -> PressState | None:
    """Return the state after one Newton step from `view`, or None if there is no usable one.

    `wrench` (6,), in axes of the ground's frame, is the load in load control, None when the foot
    is held; `free` (6,) tells which motions of the foot follow it.
    """
    setting, sole = view.setting, view.setting.sole
    mu, rho = setting.friction, setting.rho
    active = view.reactions[:, 2] - rho * view.velocity[:, 2] > 0
    if not active.any():
        return None
    forces = np.where(active[:, None], view.state.forces, 0.0)
    if not np.array_equal(forces, view.state.forces):
        state = view.state
        view = PressView(
            setting,
            PressState(
                forces=forces, rotation=state.rotation, place=state.place, start=state.start
            ),
        )
    k = np.flatnonzero(active)
    P, r, u = view.frames[k], view.reactions[k], view.velocity[k]
    node, n = setting.node[k], 3 * len(k)
    # Row by row T du + D dr = b; T = 1, D = 0 for contact and stick.
    T, D, b = _tangents(r, u, mu, rho)
    U, V = (bend[k] for bend in view.bends)
    TP = (T @ U + D @ V) @ P
    w = view.wrench if wrench is None else view.load(wrench)
    follow = free & (wrench is not None)  # (6,) motions of the foot that are unknown
    G = sole.geometry.reshape(-1, 3, 6)[node]
    scale = 1 / (rho * np.array([1.0] * 3 + [setting.length] * 3))
    moved = TP @ _motions(view.local[node])
    moved[:, :, 3:] -= D @ P @ _cross(view.state.forces[k])  # the force turns with the foot
    turned = np.zeros((6, 6))  # the load keeps its direction while the foot turns
    turned[:, 3:] = _cross(w.reshape(2, 3)).reshape(6, 3)
    held = PROXIMAL * sole.foot_stiffness + turned
    equations = NewtonEquations(
        sole=sole,
        node=node,
        left=TP,
        frames=P,
        diagonal=D,
        moved=moved.reshape(n, 6)[:, follow],
        balance=((P @ G).reshape(n, 6) * scale).T[follow],
        proximal=-(scale[:, None] * held)[np.ix_(follow, follow)],
        right=np.concatenate([b, (scale * (w - view.wrench))[follow]]),
    )
    least, most = WORTH
    try:
        x = equations.solve(accuracy=min(max(view.residual / 10, least), most))
    except np.linalg.LinAlgError:
        return None
    if not np.isfinite(x).all():
        return None
    updated = forces.copy()
    updated[k] += np.einsum("kab,ka->kb", P, x[:n].reshape(-1, 3))
    rotation, place = view.state.rotation, view.state.place
    if wrench is not None:
        delta = np.zeros(6)
        delta[follow] = x[n:]
        if float(np.abs(delta[3:]).max()) > 0.1 or np.abs(delta[:3]).max() > setting.length:
            return None
        rotation, place = view.state.moved(delta)
    return PressState(forces=updated, rotation=rotation, place=place, start=view.state.start)


def _tangents(
    r: FloatArray, u: FloatArray, mu: float, rho: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Linearise the laws of active contacts: T (k, 3, 3) and D (k, 3, 3) and b (3k,).

    Slip, with e = tau_t/|tau_t| and H = mu r_n/|tau_t| (1 - e e'):
    dr_t - mu e dr_n - H (dr_t - rho du_t) = mu r_n e - r_t, divided by rho.
    """
    T = np.broadcast_to(np.eye(3), (len(r), 3, 3)).copy()
    D = np.zeros_like(T)
    b = -u
    tau = r - rho * u
    length = np.hypot(tau[:, 0], tau[:, 1])
    r_n = np.maximum(r[:, 2], 0.0)
    slip = np.flatnonzero(length > mu * r_n)
    e = tau[slip, :2] / np.maximum(length[slip], 1e-300)[:, None]
    ratio = mu * r_n[slip] / np.maximum(length[slip], 1e-300)
    H = ratio[:, None, None] * (np.eye(2) - e[:, :, None] * e[:, None, :])
    T[slip, :2, :2] = H
    D[slip, :2, :2] = (np.eye(2) - H) / rho
    D[slip, :2, 2] = -mu * e / rho
    b[slip, :2] = (mu * r_n[slip, None] * e - r[slip, :2]) / rho
    return T, D, b.ravel()


def _motions(x: FloatArray) -> FloatArray:
    """(k, 3, 6) displacement at x (k, 3) of a motion (translation, rotation) about zero."""
    B = np.zeros((len(x), 3, 6))
    B[:, [0, 1, 2], [0, 1, 2]] = 1.0
    B[:, :, 3:] = -_cross(x)
    return B


def _cross(x: FloatArray) -> FloatArray:
    """(k, 3, 3) with _cross(x) a = x cross a."""
    X = np.zeros((len(x), 3, 3))
    X[:, 0, 1], X[:, 0, 2] = -x[:, 2], x[:, 1]
    X[:, 1, 0], X[:, 1, 2] = x[:, 2], -x[:, 0]
    X[:, 2, 0], X[:, 2, 1] = -x[:, 1], x[:, 0]
    return X
