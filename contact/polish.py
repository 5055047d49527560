"""Semi-smooth Newton steps on forces and pose together: the last digits of a press.

Alart and Curnier's equations, tau = r - rho u, active where tau_n > 0:

    u_n = 0;   u_t = 0 (stick, |tau_t| <= mu r_n)   or   r_t = mu r_n tau_t/|tau_t| (slip);
    G' f = w in load control.

Only tried from an iterate of Gauss-Seidel, and kept only if the residual falls.
"""

from __future__ import annotations

import numpy as np

from contact.state import State, View
from sole.arrays import BoolArray, FloatArray

PROXIMAL = 1e-8  # fraction of the foot stiffness that keeps undetermined motions in place


def newton_step(view: View, wrench: FloatArray | None, free: BoolArray) -> State | None:
    """Return the state after one Newton step from `view`, or None where there is none.

    `wrench` (6,) is the load in load control, None when the foot is held; `free` (6,) tells
    which motions of the foot follow it.
    """
    setting, sole = view.setting, view.setting.sole
    mu, rho = setting.friction, setting.rho
    active = view.reactions[:, 2] - rho * view.velocity[:, 2] > 0
    if not active.any():
        return None
    forces = np.where(active[:, None], view.state.forces, 0.0)
    if not np.array_equal(forces, view.state.forces):
        state = view.state
        view = View(
            setting,
            State(forces=forces, rotation=state.rotation, place=state.place, start=state.start),
        )
    k = np.flatnonzero(active)
    P, r, u = view.frames[k], view.reactions[k], view.velocity[k]
    node, n = setting.node[k], 3 * len(k)
    m = len(setting.arms)
    C = sole.compliance.reshape(m, 3, m, 3)[node][:, :, node]
    half = (P @ C.reshape(len(k), 3, n)).reshape(n, len(k), 3)
    M = (half.transpose(1, 0, 2) @ P.transpose(0, 2, 1)).transpose(1, 0, 2).reshape(n, n)
    B = (P @ _motions(view.local[node])).reshape(n, 6)
    B = B[:, free]
    du = np.hstack([M, B]) if wrench is not None else M
    A = du.copy()
    b = -u.ravel()

    tau = r - rho * u
    size = np.hypot(tau[:, 0], tau[:, 1])
    slip = np.flatnonzero(size > mu * np.maximum(r[:, 2], 0.0))
    e = tau[slip, :2] / np.maximum(size[slip], 1e-300)[:, None]
    r_n = np.maximum(r[slip, 2], 0.0)
    H = (mu * r_n / np.maximum(size[slip], 1e-300))[:, None, None] * (
        np.eye(2) - e[:, :, None] * e[:, None, :]
    )
    rows = 3 * slip[:, None] + np.arange(2)
    A[rows] = rho * np.einsum("kab,kbj->kaj", H, du[rows])
    for a in range(2):
        for c in range(2):
            A[rows[:, a], rows[:, c]] += float(a == c) - H[:, a, c]
        A[rows[:, a], 3 * slip + 2] -= mu * e[:, a]
    b[rows] = mu * r_n[:, None] * e - r[slip, :2]
    # Units: make the rows of slip commensurate with those of displacement.
    A[rows] /= rho
    b[rows] /= rho

    if wrench is not None:
        G = sole.geometry.reshape(m, 3, 6)[node]
        GP = (P @ G).reshape(n, 6).T
        scale = 1 / (rho * np.array([1.0] * 3 + [setting.length] * 3))
        bottom = np.hstack([GP[free], -PROXIMAL * sole.foot_stiffness[np.ix_(free, free)]])
        A = np.vstack([A, scale[free, None] * bottom])
        b = np.concatenate([b, (scale * (wrench - view.wrench))[free]])
    try:
        x = np.linalg.solve(A, b)
    except np.linalg.LinAlgError:
        return None
    if not np.isfinite(x).all():
        return None
    updated = forces.copy()
    updated[k] += np.einsum("kab,ka->kb", P, x[:n].reshape(-1, 3))
    rotation, place = view.state.rotation, view.state.place
    if wrench is not None:
        delta = np.zeros(6)
        delta[free] = x[n:]
        if float(np.abs(delta[3:]).max()) > 0.1 or np.abs(delta[:3]).max() > setting.length:
            return None
        rotation, place = view.state.moved(delta)
    return State(forces=updated, rotation=rotation, place=place, start=view.state.start)


def _motions(x: FloatArray) -> FloatArray:
    """(k, 3, 6) displacement at x (k, 3) of a motion (translation, rotation) about zero."""
    B = np.zeros((len(x), 3, 6))
    B[:, [0, 1, 2], [0, 1, 2]] = 1.0
    B[:, 0, 4], B[:, 0, 5] = x[:, 2], -x[:, 1]
    B[:, 1, 3], B[:, 1, 5] = -x[:, 2], x[:, 0]
    B[:, 2, 3], B[:, 2, 4] = x[:, 1], -x[:, 0]
    return B
