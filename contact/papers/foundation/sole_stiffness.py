"""U of a condensed sole: all of its tread held, the nodes that now touch, or with slip.

The stiffness of a foot whose nodes c are held by the ground, K6 = G_c' C_cc^-1 G_c (6, 6), is the
wrench that a motion (x, y, z, rx, ry, rz) of the foot takes; C_cc is the block of C = K_c^-1 of the
components held. That is the same as condensing the mesh again with all other nodes free,

    (C_cc)^-1 = K_cc - K_cn K_nn^-1 K_nc,

but needs no mesh. The ground answers with -K6 times the motion, so that U of [SygullaEtAl2017],
equation (8), order (T_x, T_y, F_z) per (alpha_x, alpha_y, z_TCP), is

    U = -K6[(rx, ry, z), (rx, ry, z)],

with x, y and yaw of the foot held, as in a hybrid controller that keeps them in position control.
The TCP is the sole's origin projected on the tread plane.

A node that sticks holds its three components, one that slips only its normal one: exact without
friction, and symmetric. With friction the friction force of a slipping node follows its pressure
and its direction of slip: see `contact.papers.foundation.sole_stiffness`.

Slip
----
The gradient of a pressed foot's wrench, for contacts in frames (t1, t2, n) with forces r and
displacements u since the press began: a small motion dm of the foot changes u by du = W dr + A dm,
W = P C P', A = P G, and as long as no node changes its status

    stick      du = 0
    slip       du_n = 0,   r_t = -mu r_n s,  s = u_t/|u_t|:
               |u_t| (dr_t + mu s dr_n) + mu r_n (1 - s s') du_t = 0.

dw = G'P' dr is then the gradient, in general not symmetric. Forces and displacements of a small
press grow in proportion with the motion, so lambda_f = U x_f holds for this U.

It omits the effect of turning the loaded foot at fixed nodal forces: the forces turn with the
foot's frame in which the wrench is taken, and the lever arms of the load change with the motion of
its points. These terms are of the order f u beside K u^2 and vanish with the load. Against central
differences of presses (pad 0.2 x 0.1 x 0.02 m, nu = 0.45, mu = 0.5, sink 0.8 mm, 4 % of its
thickness) the roll entry of `slipping_U` is off by 1.75 %, at a hundredth of that sink by 0.018 %.
"""

from __future__ import annotations

import numpy as np

from contact.press import PressResult
from contact.problem import ContactStatus
from contact.step import SoleState
from sole.base.arrays import FloatArray, IntArray, frozen
from sole.base.errors import SoleError
from sole.condense import CondensedSole

CONTROLLED = np.array([3, 4, 2])  # rx, ry, z of the six motions: the order of x_f
OPEN, STICK, SLIP = (int(s) for s in (ContactStatus.OPEN, ContactStatus.STICK, ContactStatus.SLIP))


def U_of_motions(K6: FloatArray) -> FloatArray:
    """U (..., 3, 3) from a 6 x 6 foot stiffness (..., 6, 6) in the order (x, y, z, rx, ry, rz).

    Raises
    ------
    SoleError
        Wrong shape or NaN.
    """
    K6 = np.asarray(K6, dtype=float)
    if K6.shape[-2:] != (6, 6) or not np.isfinite(K6).all():
        raise SoleError(f"a foot stiffness is (..., 6, 6) and finite, got shape {K6.shape}")
    return -K6[..., CONTROLLED[:, None], CONTROLLED]


def sole_U(sole: CondensedSole) -> FloatArray:
    """U (3, 3) with the whole tread stuck to the ground."""
    return frozen(U_of_motions(sole.foot_stiffness))


def held_stiffness(
    sole: CondensedSole, status: IntArray, frames: FloatArray | None = None
) -> FloatArray:
    """Foot stiffness K6 (..., 6, 6) with only the nodes in contact held.

    Parameters
    ----------
    status : (..., m) `ContactStatus` of every tread node: OPEN holds nothing, STICK all three
        components, SLIP the normal. Sets that repeat are computed once.
    frames : (m, 3, 3) contact frames, rows t1, t2, n in the sole frame; default the sole's axes
        (flat ground under a level foot).

    Raises
    ------
    SoleError
        Wrong shapes or an unknown status.
    """
    status, frames = _checked(sole, status, frames)
    sets, which = np.unique(status.reshape(-1, status.shape[-1]), axis=0, return_inverse=True)
    each = np.array([_held(sole, s, frames) for s in sets]).reshape(-1, 6, 6)
    return each[which.ravel()].reshape(*status.shape[:-1], 6, 6)


def instantaneous_U(
    sole: CondensedSole, status: IntArray, frames: FloatArray | None = None
) -> FloatArray:
    """U (..., 3, 3) of the nodes now in contact; parameters as in `held_stiffness`.

    Singular if these nodes lie on a line (then see `directions`), zero if there are none.
    """
    return U_of_motions(held_stiffness(sole, status, frames))


def pressed_U(result: PressResult) -> FloatArray:
    """U (3, 3) of the nodes that touch in a press, slipping ones held along the normal only."""
    return instantaneous_U(result.sole, result.status, result.frames)


def status_of_step(state: SoleState) -> IntArray:
    """Status (M,) of every node after a time step: the firmer of its slots (stick before slip)."""
    status = state.status
    slips = (status == SLIP).any(axis=1)
    return np.where((status == STICK).any(axis=1), STICK, np.where(slips, SLIP, OPEN))


def held_rows(status: IntArray) -> IntArray:
    """Rows (k,) of (3m,) that the contacts hold, in contact frames (t1, t2, n)."""
    held = np.zeros((len(status), 3), dtype=bool)
    held[status != OPEN, 2] = True
    held[status == STICK] = True
    return np.flatnonzero(held)


def _held(sole: CondensedSole, status: IntArray, frames: FloatArray) -> FloatArray:
    from scipy.linalg import cho_factor, cho_solve

    node = np.flatnonzero(status != OPEN)
    if len(node) == 0:
        return np.zeros((6, 6))
    C, G = in_frames(sole, node, frames)
    rows = held_rows(status[node])
    G_c = G[rows]
    K6 = G_c.T @ cho_solve(cho_factor(C[np.ix_(rows, rows)]), G_c)
    return np.asarray((K6 + K6.T) / 2)


def in_frames(
    sole: CondensedSole, node: IntArray, frames: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """P C P' (3k, 3k) and P G (3k, 6) of some nodes, P their contact frames."""
    k, P = len(node), frames[node]
    m = len(sole.points)
    G = P @ sole.geometry.reshape(m, 3, 6)[node]
    C = sole.compliance.reshape(m, 3, m, 3)[node][:, :, node]  # (k, 3, k, 3)
    turned = np.einsum("kab,kblc,ldc->kald", P, C, P, optimize=True)
    return turned.reshape(3 * k, 3 * k), G.reshape(3 * k, 6)


def _checked(
    sole: CondensedSole, status: IntArray, frames: FloatArray | None
) -> tuple[IntArray, FloatArray]:
    m = len(sole.points)
    status = np.asarray(status)
    if status.shape[-1:] != (m,) or not np.isin(status, (OPEN, STICK, SLIP)).all():
        raise SoleError(
            f"status must be (..., {m}) of 0 open, 1 stick, 2 slip, got shape {status.shape}"
        )
    if frames is None:
        return status.astype(np.int64), np.broadcast_to(np.eye(3), (m, 3, 3))
    P = np.asarray(frames, dtype=float)
    if P.shape != (m, 3, 3) or not np.allclose(P @ P.transpose(0, 2, 1), np.eye(3), atol=1e-9):
        raise SoleError(f"frames must be ({m}, 3, 3) orthonormal rows t1, t2, n")
    return status.astype(np.int64), P


def motion_gradient(result: PressResult) -> FloatArray:
    """d wrench / d motion (6, 6) of a press on one solid, order (x, y, z, rx, ry, rz)."""
    node = np.flatnonzero(result.status != OPEN)
    if len(node) == 0:
        return np.zeros((6, 6))
    P = result.frames
    W, A = in_frames(result.sole, node, P)
    r = np.einsum("kab,kb->ka", P[node], result.forces[node])
    u_t, mu = result.slip[node], result.friction
    left, right = W.copy(), A.copy()
    for k in np.flatnonzero(result.status[node] == SLIP):
        t, n = slice(3 * k, 3 * k + 2), 3 * k + 2
        way = float(np.linalg.norm(u_t[k]))
        s = u_t[k] / way if way > 0 else np.zeros(2)
        turn = mu * r[k, 2] * (np.eye(2) - np.outer(s, s))
        left[t], right[t] = turn @ W[t], turn @ A[t]
        left[t, t] += way * np.eye(2)
        left[t, n] += way * mu * s
    size = np.abs(left).max(axis=1)  # rows of slip are in N m, the others in m/N
    dr: FloatArray = -np.linalg.solve(left / size[:, None], right / size[:, None])
    return np.asarray(A.T @ dr)


def slipping_U(result: PressResult) -> FloatArray:
    """U (3, 3), the gradient of (T_x, T_y, F_z) by (alpha_x, alpha_y, z_TCP) of a press."""
    return np.asarray(motion_gradient(result)[CONTROLLED[:, None], CONTROLLED])
