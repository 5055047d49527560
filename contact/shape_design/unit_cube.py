"""The search space, scaled: objective, limits, their gradients, and every shape that was tried.

    min  ln(mean of the peaks)
    s.t. sinks, squared tilts and, if it has a limit, pressures within their limits, one by one,

over the heights and ln e, all in [0, 1].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from contact.shape_design.evaluation import ShapeProblem, ShapeWorth
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError

FEASIBLE = 1e-4  # relative excess over a limit that counts as none
REPAIRS = (1.01, 1.03, 1.1, 1.25)  # factors of E tried on a shape that exceeds a limit
WORTH_REPAIR = 0.5  # excess beyond which none is tried

Listener = Callable[[int, float], None]


@dataclass(frozen=True, eq=False, kw_only=True)
class ShapeTrial:
    """One shape of a search.

    Parameters
    ----------
    number : condensations until then. heights : (P,) [m]. factor : e of all E.
    peak : mean of the peaks [m/s^2]. excess : largest relative excess over a limit, 0: none.
    """

    number: int
    heights: FloatArray
    factor: float
    peak: float
    excess: float

    @property
    def rank(self) -> tuple[float, float]:
        """Sort key: what satisfies the limits first, then by peak or excess."""
        return (0.0, self.peak) if self.excess <= FEASIBLE else (self.excess, self.peak)


class UnitCube:
    """Objective, limits and their gradients over the unit cube; keeps all trials."""

    def __init__(self, problem: ShapeProblem, tell: Listener, tilts: FloatArray) -> None:
        self.problem, self.tell, self.tilts = problem, tell, tilts
        s = problem.design.search
        f = problem.fields
        self.low = np.append(f.low, math.log(s.stiffness[0]))
        self.span = np.append(f.high, math.log(s.stiffness[1])) - self.low
        self.trials: list[ShapeTrial] = []
        self.best: ShapeTrial | None = None
        self.last: tuple[bytes, ShapeWorth | None, FloatArray | None] = (b"", None, None)

    def place(self, heights: FloatArray, factor: float) -> FloatArray:
        """Return the point u (P + 1,) of heights [m] and a factor of E."""
        return np.asarray((np.append(heights, math.log(factor)) - self.low) / self.span)

    def parameters(self, u: FloatArray) -> tuple[FloatArray, float]:
        """Return heights and factor at u."""
        x = self.low + np.clip(u, 0.0, 1.0) * self.span
        return x[:-1], math.exp(x[-1])

    def worth(self, u: FloatArray) -> ShapeWorth:
        """Return the outcomes at u; keeps the trial."""
        key = u.tobytes()
        if self.last[0] != key or self.last[1] is None:
            worth = self.problem.worth(*self.parameters(u))
            self.last = key, worth, None
            self._keep(u, worth)
        assert self.last[1] is not None
        return self.last[1]

    def _keep(self, u: FloatArray, worth: ShapeWorth) -> None:
        """Keep the trial; where it exceeds a limit, also one that a stiffer material brings back.

        That takes no condensation: C(e) = C(1)/e.
        """
        heights, factor = self.parameters(u)
        most = self.problem.design.search.stiffness[1]
        excess = self._keep_one(heights, factor, worth)
        if not FEASIBLE < excess < WORTH_REPAIR:
            return
        for growth in REPAIRS:
            if factor * growth > most:
                break
            try:
                better = self.problem.worth(heights, factor * growth)
            except SoleError:
                break
            if self._keep_one(heights, factor * growth, better) <= FEASIBLE:
                break

    def _keep_one(self, heights: FloatArray, factor: float, worth: ShapeWorth) -> float:
        excess = max(0.0, -float(self.limits_of(worth).min()))
        peak, number = float(worth.peaks.mean()), self.problem.evaluations
        self.trials.append(
            ShapeTrial(number=number, heights=heights, factor=factor, peak=peak, excess=excess)
        )
        self.best = min(self.best or self.trials[-1], self.trials[-1], key=lambda t: t.rank)
        self.tell(number, self.best.peak)
        return excess

    def limits_of(self, worth: ShapeWorth) -> FloatArray:
        """Return 1 - sink/limit, 1 - (tilt/limit)^2 and 1 - pressure/limit: 0 or more is good."""
        s = self.problem.design.search
        rows = [1 - worth.sinks / s.sink, 1 - (worth.tilts / self.tilts) ** 2]
        if s.pressure:
            rows.append(1 - worth.pressures / s.pressure)
        return np.concatenate(rows)

    def objective(self, u: FloatArray) -> float:
        """Return ln(mean of the peaks)."""
        return math.log(self.worth(u).peaks.mean())

    def limits(self, u: FloatArray) -> FloatArray:
        """Return `limits_of` at u."""
        return self.limits_of(self.worth(u))

    def _jacobian(self, u: FloatArray) -> FloatArray:
        worth = self.worth(u)
        if self.last[2] is None:
            heights, factor = self.parameters(u)
            rows = self.problem.gradients(heights, factor, worth) * self.span
            self.last = self.last[0], worth, rows
        found: FloatArray | None = self.last[2]
        assert found is not None
        return found

    def gradient(self, u: FloatArray) -> FloatArray:
        """Return the gradient (P + 1,) of the objective."""
        J, peaks = self._jacobian(u), self.worth(u).peaks
        mass = self.problem.design.stop.mass
        return np.asarray(J[: len(peaks)].mean(axis=0) / mass / peaks.mean())

    def limit_gradients(self, u: FloatArray) -> FloatArray:
        """Return the gradients (n, P + 1) of the limits."""
        s, J, worth = self.problem.design.search, self._jacobian(u), self.worth(u)
        n, count = len(worth.peaks), len(worth.tilts)
        thickness = self.problem.fields.mesh.thickness
        rows = [
            -J[n : 2 * n] / (thickness * s.sink),
            -J[2 * n : 2 * n + count] / self.tilts[:, None] ** 2,
        ]
        if s.pressure:
            rows.append(-J[2 * n + count :] / s.pressure)
        return np.vstack(rows)
