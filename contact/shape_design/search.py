"""The search for a shape: SLSQP with gradients, or differential evolution without."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from contact.shape_design.evaluation import ShapeProblem, ShapeWorth
from contact.shape_design.flat_pad import best_flat, equal_margins
from contact.shape_design.unit_cube import FEASIBLE, Listener, ShapeTrial, UnitCube
from sole.base.archive import replacing
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError
from sole.condense import CondensedSole

FAR = 1e6  # stands in for a shape that cannot be computed
CLOSE = 1e-5  # SLSQP ends when ln(peak) changes by less


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


def search_shape(problem: ShapeProblem, tell: Listener = lambda number, peak: None) -> ShapeResult:
    """Search for the best shape by the method of the design; `tell` hears (evaluations, peak).

    Raises
    ------
    ConfigError
        No flat pad is within the limits, even at the largest factor of E.
    """
    flat, flat_worth = best_flat(problem)
    tilts = equal_margins(flat_worth, len(problem.heights_below))
    searched = UnitCube(problem, tell, tilts)
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


class _Spent(Exception):
    """The budget is spent."""


def _descend(searched: UnitCube, start: FloatArray) -> str:
    from scipy.optimize import minimize

    budget = searched.problem.design.search.evaluations

    def within(u: FloatArray) -> FloatArray:
        if searched.problem.evaluations >= budget and searched.last[0] != u.tobytes():
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
        told: Any = minimize(  # type: ignore[call-overload]
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


def _evolve(searched: UnitCube, start: FloatArray) -> str:
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
