"""The last digits for singular W: Newton steps on Alart and Curnier's equations, regularised.

With tau = r - u in scaled variables, W of unit diagonal blocks [AlartCurnier1991]:

    open   tau_n <= 0:              r = 0
    stick  |tau_t| <= mu r_n:       u = 0
    slip   otherwise:               u_n = 0,   r_t = mu r_n tau_t/|tau_t|

The residual is exact; only the matrix has W + delta 1 in place of W. That makes it regular where
forces are not unique (several contacts on one rigid body), keeps the steps out of the null
space of W, and costs a factor of about delta/lambda in the rate, lambda the smallest positive
eigenvalue: the proximal point method [Rockafellar1976] with one Newton step per point.
"""

from __future__ import annotations

import numpy as np

from contact.block_system import Blocks, SingularSystem
from sole.arrays import FloatArray

DELTA = 1e-9  # of the unit diagonal of W: above round-off, far below what a digit costs


def proximal_step(
    W: Blocks, q: FloatArray, mu: FloatArray, r: FloatArray, delta: float = DELTA
) -> FloatArray:
    """Return r (K, 3) after one step; scaled variables as above.

    Raises
    ------
    SingularSystem
        No step exists.
    """
    u = W.apply(r) + q
    T, D, phi = _linearised(r, u, mu)
    with np.errstate(all="ignore"):
        dr = W.factor(T, D, delta)(-phi)
    if not np.isfinite(dr).all():
        raise SingularSystem
    return np.asarray(r + dr)


def _linearised(
    r: FloatArray, u: FloatArray, mu: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """T, D (K, 3, 3) and phi (K, 3) of the rows T du + D dr = -phi."""
    K = len(mu)
    tau = r - u
    touching = tau[:, 2] > 0
    reach = mu * np.maximum(r[:, 2], 0.0)
    size = np.hypot(tau[:, 0], tau[:, 1])
    slips = touching & (size > reach)
    sticks = touching & ~slips & (mu > 0)
    bare = touching & (mu == 0)
    T, D = np.zeros((K, 3, 3)), np.zeros((K, 3, 3))
    phi = r.copy()
    D[~touching] = np.eye(3)
    T[touching, 2, 2] = 1.0
    phi[touching, 2] = u[touching, 2]
    T[sticks, 0, 0] = T[sticks, 1, 1] = 1.0
    phi[sticks, :2] = u[sticks, :2]
    s = slips & ~bare
    unit = tau[s, :2] / size[s, None]
    turn = np.eye(2) - unit[:, :, None] * unit[:, None, :]
    turn *= (reach[s] / size[s])[:, None, None]
    phi[s, :2] = r[s, :2] - reach[s, None] * unit
    T[s, :2, :2] = turn
    D[s, :2, :2] = np.eye(2) - turn
    D[s, :2, 2] = -mu[s, None] * unit
    D[bare, 0, 0] = D[bare, 1, 1] = 1.0
    return T, D, phi
