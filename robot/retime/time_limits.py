"""The rows of a retiming: A u + B x + C <= 0 with u = s'', x = s'^2, all in units of their limits.

    wrench:         A_k (a u + b x + c) / (-A_k c_k m g) <= 0,    the margin's denominator,
    torque:         +-tau_j / limit - 1 <= 0                      (one foot on the ground),
    acceleration:   +-(q_j' u + q_j'' x) / limit - 1 <= 0,
    velocity:       x <= (limit / |q_j'|)^2,                      a bound on x alone.

Every row holds at both ends of an interval with the interval's u, where x_{i+1} = x_i + 2 d u: the
interpolating collocation of [PhamPham2018]. Rows at one end alone leave the cone between the
grid points (margin down to -2.2 on a path through eleven postures).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from robot.model import RobotModel
from robot.retime.path_coefficients import PathDynamics, phases_of, wrench_in
from robot.retime.retime_choice import DriveLimits
from robot.retime.support_cones import PhaseCones
from sole.base.arrays import FloatArray, IntArray
from sole.base.constants import GRAVITY

STILL = 1e-9  # joint motion per s below which a velocity limit says nothing
HIGHEST = 1e4  # of x: the largest that toppra knows


@dataclass(frozen=True, eq=False, kw_only=True)
class ConstraintRows:
    """ConstraintRows at given places: a, b, c (N, k), and what each says, by number of the row.

    `highest` (N,) bounds x. ConstraintRows that do not count in a phase are 0 u + 0 x - 1.
    """

    a: FloatArray
    b: FloatArray
    c: FloatArray
    highest: FloatArray

    def values(self, u: FloatArray, x: FloatArray) -> FloatArray:
        """Return A u + B x + C (N, k) for u, x (N,)."""
        return np.asarray(self.a * u[:, None] + self.b * x[:, None] + self.c)


@dataclass(frozen=True, eq=False, kw_only=True)
class RowMaker:
    """Makes rows from coefficients: `wrench_rows` (P, k, 6) are the scaled rows of the phases.

    `extra` : further wrench rows (N, j, 6) from places s (N,) and their phases (N,), in the frames
    of the phases, zero where they do not hold; `extra_word` says what they limit.
    """

    robot: RobotModel
    cones: PhaseCones
    limits: DriveLimits
    wrench_rows: FloatArray
    extra: Callable[[FloatArray, IntArray], FloatArray] | None = None
    extra_word: str = ""

    @classmethod
    def of(cls, robot: RobotModel, cones: PhaseCones, limits: DriveLimits) -> RowMaker:
        """Scale the rows of the cones by their central slack under the robot's weight."""
        most = max(len(cone.rows) for cone in cones.cones)
        rows = np.zeros((len(cones.cones), most, 6))
        for k, cone in enumerate(cones.cones):
            central = -(cone.rows @ cone.axis) * robot.mass * GRAVITY
            rows[k, : len(cone.rows)] = cone.rows / central[:, None]
        return cls(robot=robot, cones=cones, limits=limits, wrench_rows=rows)

    def with_extra(
        self, extra: Callable[[FloatArray, IntArray], FloatArray], word: str
    ) -> RowMaker:
        """Return the same with further wrench rows."""
        return replace(self, extra=extra, extra_word=word)

    @property
    def sides(self) -> tuple[int, ...]:
        """Feet that carry alone in some phase and whose torques are limited."""
        if not self.limits.torque or not np.isfinite(self.robot.torque).any():
            return ()
        found = {self.cones.side(k) for k in range(len(self.cones.cones))}
        return tuple(sorted(side for side in found if side is not None))

    def rows(self, dynamics: PathDynamics, phases: IntArray) -> ConstraintRows:
        """Return the rows at N places, each in one of the `phases` (N,)."""
        wrench = wrench_in(dynamics, phases, self.cones.frames)
        parts = [_products(self.wrench_rows[phases], wrench)]
        if self.extra is not None:
            parts.append(_products(self.extra(dynamics.s, phases), wrench))
        if self.sides:
            parts.append(self._torques(dynamics, phases))
        if self.limits.acceleration is not None:
            share = np.stack([dynamics.V[:, 6:], dynamics.W[:, 6:]]) / self.limits.acceleration
            parts.append(_both_signs(np.concatenate([share, np.zeros((1, *share.shape[1:]))])))
        stacked = np.concatenate(parts, axis=2)
        return ConstraintRows(
            a=stacked[0], b=stacked[1], c=stacked[2], highest=self._highest(dynamics)
        )

    def intervals(self, dynamics: PathDynamics) -> ConstraintRows:
        """Return the rows (N, 2 k) of the intervals between N + 1 places, both ends."""
        s, phases = dynamics.s, phases_of(self.cones.schedule, dynamics.s)
        d = np.diff(s)[:, None]
        left = self.rows(dynamics.part(slice(None, -1)), phases)
        right = self.rows(dynamics.part(slice(1, None)), phases)
        return ConstraintRows(
            a=np.concatenate([left.a, right.a + 2 * d * right.b], axis=1),
            b=np.concatenate([left.b, right.b], axis=1),
            c=np.concatenate([left.c, right.c], axis=1),
            highest=np.append(left.highest, right.highest[-1]),
        )

    def word(self, row: int, phase: int) -> str:
        """Return in words what a row of `rows` limits."""
        k, n = self.wrench_rows.shape[1], len(self.robot.joints)
        if row < k:
            return self.cones.cones[phase].word(row)
        row -= k
        if self.extra is not None:
            given = self.extra(self.cones.schedule.edges[:1], np.array([phase]))
            if row < given.shape[1]:
                return self.extra_word
            row -= given.shape[1]
        if self.sides and row < 2 * n:
            return f"torque of {self.robot.joints[row % n]}"
        return f"acceleration of {self.robot.joints[row % n]}"

    def _torques(self, dynamics: PathDynamics, phases: IntArray) -> FloatArray:
        n, N = len(self.robot.joints), len(phases)
        out = np.zeros((3, N, 2 * n))
        out[2] = -1.0
        for side in self.sides:
            on = np.array([self.cones.side(int(k)) == side for k in range(len(self.cones.cones))])
            on = on[phases]
            share = dynamics.torque[:, on, side] / self.robot.torque
            out[:, on] = _both_signs(share)
        return out

    def _highest(self, dynamics: PathDynamics) -> FloatArray:
        bound = np.full(len(dynamics.s), HIGHEST)
        if self.limits.velocity:
            moved = np.maximum(np.abs(dynamics.V[:, 6:]), STILL)
            bound = np.minimum(bound, ((self.robot.velocity / moved) ** 2).min(axis=1))
        if self.limits.fastest is not None:
            bound = np.minimum(bound, self.limits.fastest**2)
        return bound


def _products(rows: FloatArray, wrench: FloatArray) -> FloatArray:
    """Return rows (N, k, 6) times coefficients (3, N, 6): (3, N, k); -1 for rows of zeros."""
    out = np.asarray(np.einsum("nkj,cnj->cnk", rows, wrench))
    out[2][~rows.any(axis=2)] = -1.0
    return out


def _both_signs(share: FloatArray) -> FloatArray:
    """Return rows (3, N, 2 n) of +-share - 1 <= 0 for shares (3, N, n) of limits."""
    both = np.concatenate([share, -share], axis=2)
    both[2] -= 1.0
    return both
