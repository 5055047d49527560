"""Torque limits while both feet carry: rows of u = s'' and x = s'^2 from a linear program.

The motion does not determine how two feet share the load. The least share of the drives' limits
that some wrenches w_k within the cones leave, with g = a u + b x + c from inverse dynamics,

    rho(u, x) = min rho:    sum_k J_b,k' w_k = g_b,    A_k w_k <= 0,
                            |g_j - sum_k J_j,k' w_k| <= rho limit_j,

is convex in u and x. So its tangents, whose slopes are prices of the program, are rows that every
time law within the limits meets:

    rho_0 + rho_u (u - u_0) + rho_x (x - x_0) <= 1.

They are added where a law asks for more than the limits, and the law is found anew until it does
not (the method of cutting planes). Nothing is lost: no share of the load is chosen beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from robot.gait import BodyPath
from robot.retime.path_coefficients import PathDynamics
from robot.retime.time_limits import ConstraintRows, RowMaker
from robot.retime.torque_program import TorqueProgram
from sole.base.arrays import FloatArray, IntArray
from sole.base.constants import GRAVITY

BOTH = (0, 1)
STRIDE = 8  # intervals of which one is looked at while torques are far from their limits
NEAR_LIMIT = 0.8  # share of a limit above which neighbours are looked at, too
BESIDE = 12  # intervals on either side of one above the limits that get rows beforehand
KEPT_WITHIN = 1e-6  # of a limit
SLACK = 1e-6  # of the weight in the cones' rows: a time law touches them to round-off


class LeastShare(NamedTuple):
    """The least largest share of a limit at a place, its slopes in u and x, and the joint."""

    share: float
    slope_u: float
    slope_x: float
    joint: int


@dataclass(eq=False)
class SharedTorques:
    """Torque limits in the intervals of a grid in which both feet carry; collects rows.

    Parameters
    ----------
    path, maker : see `robot.retime.retiming`. dynamics : coefficients at the N + 1 places.
    phases : (N,) of the intervals.
    """

    path: BodyPath
    maker: RowMaker
    dynamics: PathDynamics
    phases: IntArray
    rows: dict[int, list[tuple[float, float, float, int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        cones, robot = self.maker.cones, self.path.robot
        self.program = TorqueProgram(robot, cones.choice, self.path.thickness, cones.edges)
        both = np.array([cones.side(p) is None for p in range(len(cones.cones))])
        limited = self.maker.limits.torque and bool(len(self.program.limited))
        self.intervals = np.flatnonzero(both[self.phases]) if limited else np.empty(0, int)

    def tighten(self, u: FloatArray, x: FloatArray) -> bool:
        """Add rows where a law u (N,), x (N + 1,) exceeds the limits; return whether any does.

        Of `STRIDE` intervals the one with the largest |u| is looked at; if it needs more than
        `NEAR_LIMIT` it gets rows beforehand, and its neighbours are looked at, too.
        """
        seen, over = set[int](), list[int]()
        waiting = [
            int(block[np.abs(u[block]).argmax()])
            for block in np.split(self.intervals, range(STRIDE, len(self.intervals), STRIDE))
            if len(block)
        ] + list(self.rows)
        inside = set(self.intervals.tolist())
        while waiting:
            i = waiting.pop()
            if i in seen:
                continue
            seen.add(i)
            for end in (0, 1):
                least = self.least(i + end, float(u[i]), float(x[i + end]))
                if least.share > 1 + KEPT_WITHIN:
                    over.append(i)
                if least.share < NEAR_LIMIT:
                    break
                self._add(i, end, float(u[i]), float(x[i + end]), least)
                waiting += [k for k in (i - 1, i + 1) if k in inside]
        for i in over:  # the next law will exceed them beside these, with the like of their u
            for k in range(i - BESIDE, i + BESIDE + 1):
                if k in inside and k not in self.rows:
                    least = self.least(k, float(u[i]), float(x[k]))
                    self._add(k, 0, float(u[i]), float(x[k]), least)
        return bool(over)

    def with_rows(self, rows: ConstraintRows) -> ConstraintRows:
        """Return `rows` (N, k) with all that was collected as further columns."""
        most = max((len(own) for own in self.rows.values()), default=0)
        if not most:
            return rows
        a, b = np.zeros((2, len(self.phases), most))
        c = np.full_like(a, -1.0)
        for i, own in self.rows.items():
            a[i, : len(own)], b[i, : len(own)], c[i, : len(own)] = np.array(own)[:, :3].T
        return ConstraintRows(
            a=np.hstack([rows.a, a]),
            b=np.hstack([rows.b, b]),
            c=np.hstack([rows.c, c]),
            highest=rows.highest,
        )

    def joint(self, i: int, column: int) -> int:
        """Return the joint of one of the further columns of an interval."""
        return self.rows[i][column][3]

    def least(self, place: int, u: float, x: float) -> LeastShare:
        """Return the least share of a limit at a place of the grid, u and x."""
        return self.least_of(self.dynamics.part(slice(place, place + 1)), u, x)

    def least_of(self, one: PathDynamics, u: float, x: float) -> LeastShare:
        """Return the least share of a limit with the coefficients of one place."""
        from scipy.optimize import linprog

        program, robot = self.program, self.path.robot
        J = program.jacobian(one.q[0], BOTH)
        some, limit = program.limited, robot.torque[program.limited]
        held = J[:, 6:][:, some].T / limit[:, None]
        base, joints = one.wrench[:, 0], one.joints[:, 0][:, some] / limit
        factors = np.array([u, x, 1.0])
        asked = factors @ joints
        cones = [(cone.rows, -(cone.rows @ cone.axis)) for cone in program.cones]
        weight = robot.mass * GRAVITY
        n, most = len(some), sum(len(A) for A, _ in cones)
        A_ub = np.zeros((most + 2 * n, 13))
        b_ub = np.zeros(most + 2 * n)
        row = 0
        for foot, (A, central) in enumerate(cones):
            own = slice(row, row + len(A))
            A_ub[own, 6 * foot : 6 * foot + 6] = A / central[:, None]
            b_ub[own] = SLACK * weight
            row += len(A)
        A_ub[most:, :12] = np.vstack([-held, held])
        A_ub[most:, 12] = -1.0
        b_ub[most:] = np.concatenate([-asked, asked])
        done: Any = linprog(
            np.append(np.zeros(12), 1.0),
            A_ub=A_ub,
            b_ub=b_ub,
            A_eq=np.column_stack([J[:, :6].T, np.zeros(6)]),
            b_eq=factors @ base,
            bounds=[(None, None)] * 12 + [(0.0, None)],
            method="highs",
        )
        if done.status != 0:  # outside the cones: their own rows rule that out
            return LeastShare(0.0, 0.0, 0.0, 0)
        prices = np.asarray(done.ineqlin.marginals)[most:]
        slope = np.asarray(done.eqlin.marginals) @ base.T + (prices[n:] - prices[:n]) @ joints.T
        joint = int(some[int(prices.argmin()) % n])
        return LeastShare(float(done.fun), float(slope[0]), float(slope[1]), joint)

    def at_rest(self) -> tuple[int, LeastShare] | None:
        """Return place and share where standing on both feet asks most; None if within limits."""
        found = [(int(i), self.least(int(i), 0.0, 0.0)) for i in self.intervals[::STRIDE]]
        worst = max(found, key=lambda one: one[1].share, default=None)
        return worst if worst is not None and worst[1].share > 1 else None

    def _add(self, i: int, end: int, u: float, x: float, least: LeastShare) -> None:
        """Add the tangent at an end of an interval; at the far end x is x + 2 d u."""
        d = float(self.dynamics.s[i + 1] - self.dynamics.s[i])
        constant = least.share - 1 - least.slope_u * u - least.slope_x * x
        a = least.slope_u + 2 * d * least.slope_x * end
        self.rows.setdefault(i, []).append((a, least.slope_x, constant, least.joint))
