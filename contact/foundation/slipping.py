"""The gradient of a pressed foot's wrench with friction: slipping nodes follow Coulomb's law.

For the contacts in contact frames (t1, t2, n), with forces r and displacements u since the press
began, a small motion dm of the foot changes u by du = W dr + A dm, W = P C P', A = P G, and

    stick      du = 0
    slip       du_n = 0,   r_t = -mu r_n s,  s = u_t/|u_t|:
               |u_t| (dr_t + mu s dr_n) + mu r_n (1 - s s') du_t = 0

as long as no node changes its status. dw = G'P' dr is then the gradient of the wrench, in general
not symmetric. Forces and displacements of a small press grow in proportion with the motion, so
lambda_f = U x_f holds for this U.

Left out is what a turn of the loaded foot changes at fixed nodal forces: the forces turn with the
foot's frame in which the wrench is taken, and the lever arms of the load change with the motion of
its points, terms of the order f u beside K u^2. They vanish with the load. Against central
differences of presses (pad 0.2 x 0.1 x 0.02 m, nu = 0.45, mu = 0.5, sink 0.8 mm, that is 4 % of its
thickness) the roll entry of `slipping_U` is off by 1.75 %, at a hundredth of that sink by 0.018 %.
"""

from __future__ import annotations

import numpy as np

from contact.foundation.condensed import CONTROLLED, OPEN, SLIP, in_frames
from contact.pressing.result import PressResult
from sole.arrays import FloatArray


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
