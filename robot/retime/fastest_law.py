"""The fastest x = s'^2 on a grid within rows a u + b x + c <= 0 of u = s'' and x.

Backwards toppra's solver finds the controllable sets [x_low, x_high] of every place [PhamPham2018].
The pass forwards is ours: at x_i the largest u within all rows with x_i + 2 d u controllable,
without toppra's rounding of 1e-8, so that the active row of an interval is met to round-off.
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from robot.retime.time_limits import ConstraintRows
from sole.base.arrays import FloatArray
from sole.base.extras import require_extra

SLANT = 1e-9  # of u in toppra's objective -x, which decides among equal x


def controllable_sets(s: FloatArray, rows: ConstraintRows, end: float) -> FloatArray:
    """Return the controllable sets (N + 1, 2) of x that reach s' = `end` at the last place.

    NaN from the place backwards at which there is none. Where toppra's solver gives up although the
    rows can be met (it does on flat rows, as where a squat turns), a general one decides.
    """
    require_extra("retime", "retiming")
    import toppra
    from toppra.constraint.linear_constraint import LinearConstraint
    from toppra.solverwrapper.cy_seidel_solverwrapper import seidelWrapper

    logging.getLogger("toppra").setLevel(logging.CRITICAL)
    k = rows.a.shape[1]

    def last(values: FloatArray) -> FloatArray:
        return np.vstack([values, values[-1:]])

    bounds = np.column_stack([np.zeros(len(s)), rows.highest])
    given = last(rows.a), last(rows.b), last(rows.c), np.eye(k), np.zeros(k), None, bounds
    constraint = LinearConstraint()
    constraint.identical = True
    constraint.compute_constraint_params = lambda *_, **__: given
    line = toppra.SplineInterpolator(s, s[:, None])
    solver = seidelWrapper([constraint], line, s, solve_lp1d=True)
    sets = np.full((len(s), 2), np.nan)
    sets[-1] = end**2
    solver.setup_solver()
    for i in range(len(s) - 2, -1, -1):
        low, high = sets[i + 1]
        for column, sign in ((0, 1.0), (1, -1.0)):
            goal = sign * np.array([-SLANT, 1.0])
            found = solver.solve_stagewise_optim(i, None, goal, np.nan, np.nan, low, high)[1]
            if not np.isfinite(found):
                found = _extreme(rows, i, 2 * (s[i + 1] - s[i]), (low, high), sign)
            sets[i, column] = max(found, 0.0)
        if not np.isfinite(sets[i]).all():
            sets[i] = np.nan
            break
    solver.close_solver()
    return sets


def _extreme(
    rows: ConstraintRows, i: int, step: float, reach: tuple[float, float], sign: float
) -> float:
    """Return the least (sign 1) or largest (-1) x of an interval; NaN if there is none."""
    from scipy.optimize import linprog

    found: Any = linprog(
        [0.0, sign],
        A_ub=np.vstack([np.column_stack([rows.a[i], rows.b[i]]), [[step, 1.0]], [[-step, -1.0]]]),
        b_ub=np.concatenate([-rows.c[i], [reach[1], -reach[0]]]),
        bounds=[(None, None), (0.0, float(rows.highest[i]))],
        method="highs",
    )
    return float(found.x[1]) if found.status == 0 else np.nan


def fastest_squares(
    s: FloatArray, rows: ConstraintRows, sets: FloatArray, start: float
) -> FloatArray:
    """Return x (N + 1,): from every grid point the largest u that stays controllable."""
    x = np.empty(len(s))
    x[0] = start**2
    for i, d in enumerate(np.diff(s)):
        a, rest = rows.a[i], -(rows.b[i] * x[i] + rows.c[i])
        up, down = a > 0, a < 0
        most = min(
            float((rest[up] / a[up]).min(initial=np.inf)), float(sets[i + 1, 1] - x[i]) / (2 * d)
        )
        least = max(
            float((rest[down] / a[down]).max(initial=-np.inf)),
            float(sets[i + 1, 0] - x[i]) / (2 * d),
        )
        x[i + 1] = max(x[i] + 2 * d * (most if most >= least else (most + least) / 2), 0.0)
    return x
