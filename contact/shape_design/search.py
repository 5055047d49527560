"""The search for a shape: SLSQP with gradients, or differential evolution without.

    min  ln(mean of the peaks)
    s.t. sinks, squared tilts and, if it has a limit, pressures within their limits, one by one,

over the heights and ln e, all scaled to [0, 1]. The flat pad is the shape of the mesh with its best
e: a softer pad has lower peaks and tilts more, so the best is the softest within the margins.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from contact.shape_design.design_file import ShapeDesign
from contact.shape_design.evaluation import ShapeProblem, ShapeWorth
from sole.base.archive import replacing
from sole.base.arrays import FloatArray
from sole.base.errors import ConfigError, SoleError
from sole.condense import CondensedSole

FEASIBLE = 1e-4  # relative excess over a limit that counts as none
SCANNED, BISECTIONS = 31, 30  # factors of E of the flat pad
REPAIRS = (1.01, 1.03, 1.1, 1.25)  # factors of E tried on a shape that exceeds a limit
WORTH_REPAIR = 0.5  # excess beyond which none is tried
FAR = 1e6  # stands in for a shape that cannot be computed
CLOSE = 1e-5  # SLSQP ends when ln(peak) changes by less

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


@dataclass(frozen=True, eq=False, kw_only=True)
class ShapeResult:
    """The result of a search.

    Parameters
    ----------
    problem : what was searched. flat : the best flat pad. best : the best shape.
    flat_worth, best_worth : their outcomes. trials : all shapes, in order.
    words : how the optimiser ended.
    """

    problem: ShapeProblem
    flat: ShapeTrial
    best: ShapeTrial
    flat_worth: ShapeWorth
    best_worth: ShapeWorth
    trials: tuple[ShapeTrial, ...]
    words: str
    FEASIBLE: ClassVar[float] = FEASIBLE

    @property
    def evaluations(self) -> int:
        """Shapes that were condensed, the flat pad included."""
        return self.trials[-1].number

    @property
    def sole(self) -> CondensedSole:
        """The best shape, condensed, its materials at the factor of E."""
        derivatives = self.problem.derivatives(self.best.heights)
        sole = derivatives.sole.scaled(self.best.factor)
        return replace(sole, mesh=replace(sole.mesh, materials=sole.materials))

    @property
    def gain(self) -> float:
        """Part by which the mean peak is below that of the best flat pad."""
        return 1 - self.best.peak / self.flat.peak


class _Searched:
    """Objective, limits and their gradients over the unit cube; keeps all trials."""

    def __init__(self, problem: ShapeProblem, tell: Listener, tilts: FloatArray) -> None:
        self.problem, self.tell, self.tilts = problem, tell, tilts
        s = problem.design.search
        f = problem.fields
        self.low = np.append(f.low, math.log(s.stiffness[0]))
        self.span = np.append(f.high, math.log(s.stiffness[1])) - self.low
        self.trials: list[ShapeTrial] = []
        self.best: ShapeTrial | None = None
        self._last: tuple[bytes, ShapeWorth | None, FloatArray | None] = (b"", None, None)

    def place(self, heights: FloatArray, factor: float) -> FloatArray:
        return (np.append(heights, math.log(factor)) - self.low) / self.span

    def parameters(self, u: FloatArray) -> tuple[FloatArray, float]:
        x = self.low + np.clip(u, 0.0, 1.0) * self.span
        return x[:-1], math.exp(x[-1])

    def worth(self, u: FloatArray) -> ShapeWorth:
        key = u.tobytes()
        if self._last[0] != key or self._last[1] is None:
            worth = self.problem.worth(*self.parameters(u))
            self._last = key, worth, None
            self._keep(u, worth)
        assert self._last[1] is not None
        return self._last[1]

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
        return math.log(self.worth(u).peaks.mean())

    def limits(self, u: FloatArray) -> FloatArray:
        return self.limits_of(self.worth(u))

    def _jacobian(self, u: FloatArray) -> FloatArray:
        worth = self.worth(u)
        if self._last[2] is None:
            heights, factor = self.parameters(u)
            rows = self.problem.gradients(heights, factor, worth) * self.span
            self._last = self._last[0], worth, rows
        found: FloatArray | None = self._last[2]
        assert found is not None
        return found

    def gradient(self, u: FloatArray) -> FloatArray:
        J, peaks = self._jacobian(u), self.worth(u).peaks
        mass = self.problem.design.stop.mass
        return np.asarray(J[: len(peaks)].mean(axis=0) / mass / peaks.mean())

    def limit_gradients(self, u: FloatArray) -> FloatArray:
        s, J, worth = self.problem.design.search, self._jacobian(u), self.worth(u)
        n, count = len(worth.peaks), len(worth.tilts)
        thickness = self.problem.fields.mesh.thickness
        rows = [-J[n : 2 * n] / (thickness * s.sink), -J[2 * n : 2 * n + count] / self.tilts[:, None] ** 2]
        if s.pressure:
            rows.append(-J[2 * n + count :] / s.pressure)
        return np.vstack(rows)


def search_shape(problem: ShapeProblem, tell: Listener = lambda number, peak: None) -> ShapeResult:
    """Search for the best shape by the method of the design; `tell` hears (evaluations, peak).

    Raises
    ------
    ConfigError
        No flat pad is within the limits, even at the largest factor of E.
    """
    flat, flat_worth = best_flat(problem)
    tilts = equal_margins(flat_worth, len(problem.heights_below))
    searched = _Searched(problem, tell, tilts)
    problem.evaluations = 1
    method = _descend if problem.design.search.method == "gradient" else _evolve
    start = searched.place(flat.heights, flat.factor)
    words = method(searched, start)
    best = min(searched.trials, key=lambda t: t.rank)
    count = problem.evaluations
    worth = problem.worth(best.heights, best.factor)
    problem.evaluations = count
    return ShapeResult(
        problem=problem, flat=flat, best=best, flat_worth=flat_worth, best_worth=worth,
        trials=tuple(searched.trials), words=words,
    )  # fmt: skip


def best_flat(problem: ShapeProblem) -> tuple[ShapeTrial, ShapeWorth]:
    """Return the flat pad with the smallest factor of E that is within the limits: one shape.

    Raises
    ------
    ConfigError
        There is none.
    """
    count = len(problem.heights_below) * len(problem.wrenches)
    tilts = np.full(count, problem.design.search.tilt)
    searched = _Searched(problem, lambda number, peak: None, tilts)
    flat = np.zeros(problem.fields.size)
    low, high = map(math.log, problem.design.search.stiffness)

    def holds(log_factor: float) -> bool:
        try:
            worth = problem.worth(flat, math.exp(log_factor))
        except SoleError:
            return False
        return bool(searched.limits_of(worth).min() >= 0)

    scanned = np.linspace(low, high, SCANNED)  # limits may hold in between only: no bisection yet
    good = next((k for k, x in enumerate(scanned) if holds(float(x))), None)
    if good is None:
        raise ConfigError(
            f"the flat pad exceeds the limits at every factor of E from {math.exp(low):g} to "
            f"{math.exp(high):g}: {_excesses(problem, flat)}; raise a limit, lower reach or speed, "
            "or widen stiffness"
        )
    high = float(scanned[good])
    if good > 0:
        low = float(scanned[good - 1])
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            low, high = (low, middle) if holds(middle) else (middle, high)
    factor = math.exp(high)
    worth = problem.worth(flat, factor)
    trial = ShapeTrial(
        number=1, heights=flat, factor=factor, peak=float(worth.peaks.mean()), excess=0.0
    )
    return trial, worth


def equal_margins(flat: ShapeWorth, grounds: int) -> FloatArray:
    """Return the limits (T,) of tilts [rad]: on every ground the largest of the flat pad."""
    tilts = flat.tilts.reshape(grounds, -1)
    return np.repeat(tilts.max(axis=1), tilts.shape[1])


def _excesses(problem: ShapeProblem, flat: FloatArray) -> str:
    """Return what is exceeded in the middle of the range of E."""
    s = problem.design.search
    worth = problem.worth(flat, math.sqrt(s.stiffness[0] * s.stiffness[1]))
    told = f"in the middle tilt {math.degrees(worth.tilts.max()):.3g} of {math.degrees(s.tilt):.3g}"
    told += f" degrees, sink {worth.sinks.max():.3g} of {s.sink:g}"
    if s.pressure:
        told += f", pressure {worth.pressures.max():.4g} of {s.pressure:.4g} Pa"
    return told


class _Spent(Exception):
    """The budget is spent."""


def _descend(searched: _Searched, start: FloatArray) -> str:
    from scipy.optimize import minimize

    budget = searched.problem.design.search.evaluations

    def within(u: FloatArray) -> FloatArray:
        if searched.problem.evaluations >= budget and searched._last[0] != u.tobytes():
            raise _Spent
        return u

    def attempted(
        work: Callable[[FloatArray], FloatArray | float], u: FloatArray, failed: float
    ) -> FloatArray:
        """Return `work` at u; `failed` for all if the foot finds no rest on that shape."""
        try:
            return np.asarray(work(within(u)))
        except SoleError:
            return np.full_like(work(start), failed)

    try:
        told = minimize(
            lambda u: float(attempted(searched.objective, u, math.log(FAR))),
            start,
            jac=lambda u: attempted(searched.gradient, u, 0.0),
            method="SLSQP",
            bounds=[(0.0, 1.0)] * len(start),
            constraints={
                "type": "ineq",
                "fun": lambda u: attempted(searched.limits, u, -FAR),
                "jac": lambda u: attempted(searched.limit_gradients, u, 0.0),
            },
            options={"maxiter": 10 * budget, "ftol": CLOSE},
        )
    except _Spent:
        return f"the budget of {budget} evaluations is spent"
    return str(told.message)


def _evolve(searched: _Searched, start: FloatArray) -> str:
    from scipy.optimize import Bounds, NonlinearConstraint, differential_evolution

    s, n = searched.problem.design.search, len(start)

    def value(u: FloatArray) -> float:
        try:
            return searched.objective(u)
        except SoleError:
            return FAR

    def excess(u: FloatArray) -> FloatArray:
        try:
            return np.asarray(searched.limits(u))
        except SoleError:
            return np.full(len(searched.limits(start)), -FAR)

    rng = np.random.default_rng(s.seed)
    first = np.vstack([start, rng.random((s.population - 1, n))])
    differential_evolution(
        value,
        Bounds(np.zeros(n), np.ones(n)),
        init=first,
        maxiter=max(s.evaluations // s.population - 1, 0),
        tol=0.0,
        atol=-1.0,  # never converge: the budget decides
        polish=False,
        constraints=NonlinearConstraint(excess, 0.0, np.inf),
        rng=s.seed,
    )
    return f"the budget of {s.evaluations} evaluations is spent"


def write_trials(path: Path, found: ShapeResult) -> None:
    """Write a row for every shape: evaluations, peak, excess, factor and heights."""
    import csv

    names = [
        f"{grid.surface}_{i}_{j} [m]".replace(" ", "_", 2)
        for grid in found.problem.fields.grids
        for i in range(grid.grid[0])
        for j in range(grid.columns)
    ]
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["evaluations", "peak [m/s^2]", "excess", "factor_of_E", *names])
        for t in found.trials:
            writer.writerow([t.number, t.peak, t.excess, t.factor, *t.heights.tolist()])
