"""The contact wrench cone by a linear programme on the forces of all contact points.

    max lambda   with   sum_i (f_i, p_i x f_i) + lambda (f . up) c = w,
                        f_i^n >= 0,  |f_i^t1|, |f_i^t2| <= mu f_i^n          (13)-(14)

[CaronPhamNakamura2015]; its value is the margin of `contact.wrench_cone`. It is slow, but
independent of facets and generators: the reference for both and for closed forms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from contact.frames import wrenches_of
from contact.wrench_cone import WrenchCone, checked_contacts, checked_friction
from sole.base.arrays import FloatArray
from sole.base.errors import ConvergenceError, SoleError

__all__ = ["lp_margin"]

BLOCK = 100  # independent wrenches in one programme, which saves calls
TOLERANCE = 1e-10  # of the solver, on scaled rows of order one: the smallest that HiGHS accepts


def lp_margin(
    wrenches: ArrayLike,
    points: ArrayLike,
    frames: ArrayLike,
    friction: float,
    cone: WrenchCone,
    *,
    block: int = BLOCK,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> FloatArray:
    """Return the margins (N,) of wrenches (N, 6) with a load, by HiGHS' dual simplex method.

    Parameters
    ----------
    points, frames, friction : (n, 3) [m], (n, 3, 3) with rows t1, t2, n, mu > 0, as for
        `WrenchCone.of_contacts`.
    cone : gives the central wrench c and `up`; its rows are not used.

    The optimum is a vertex of the feasible set, so that its error is round-off, and `TOLERANCE`
    at most.

    Raises
    ------
    ConvergenceError
        HiGHS finds no optimum.
    """
    from scipy import optimize
    from scipy.sparse import csr_array, eye_array, kron

    w = wrenches_of(wrenches).reshape(-1, 6)
    p, R = checked_contacts(points, frames)
    mu = checked_friction(friction)
    load = w[:, :3] @ cone.up
    if mu == 0 or not (load > 0).all():
        raise SoleError("the programme needs friction > 0 and wrenches with a load")
    length = float(np.linalg.norm(p - p.mean(axis=0), axis=1).max()) or 1.0
    n = len(p)
    units = np.array([mu, mu, 1.0])[:, None] * R  # rows: what one unit of each unknown pushes
    sums = np.zeros((6, 3 * n + 1))
    sums[:3, :-1] = units.transpose(2, 0, 1).reshape(3, -1)
    sums[3:, :-1] = np.cross(p[:, None, :], units).transpose(2, 0, 1).reshape(3, -1) / length
    balanced = w / load[:, None]
    balanced[:, 3:] /= length
    sums[:, -1] = cone.axis
    sums[3:, -1] /= length
    signs = np.array([[1, 0, -1], [-1, 0, -1], [0, 1, -1], [0, -1, -1]])
    limits = np.hstack([np.kron(np.eye(n), signs), np.zeros((4 * n, 1))])
    solve: Any = optimize.linprog  # takes sparse matrices, unlike its stubs
    cost = np.append(np.zeros(3 * n), -1.0)
    found = []
    for start in range(0, len(w), block):
        part = balanced[start : start + block]
        count = len(part)
        lowest = np.full((count, 3 * n + 1), -np.inf)
        lowest[:, 2:-1:3] = 0.0
        done = solve(
            np.tile(cost, count),
            A_ub=kron(eye_array(count), csr_array(limits)).tocsc(),
            b_ub=np.zeros(4 * n * count),
            A_eq=kron(eye_array(count), csr_array(sums)).tocsc(),
            b_eq=part.ravel(),
            bounds=np.column_stack([lowest.ravel(), np.full(lowest.size, np.inf)]),
            method="highs-ds",
            options={
                "primal_feasibility_tolerance": TOLERANCE,
                "dual_feasibility_tolerance": TOLERANCE,
            },
        )
        if done.status != 0:
            raise ConvergenceError(f"HiGHS found no optimum on vertex forces: {done.message}")
        found.append(np.asarray(done.x)[3 * n :: 3 * n + 1])
        progress(start + count, len(w))
    return np.concatenate(found) if found else np.zeros(0)
