"""The entry to all contact solvers: `solve(problem)` picks, combines and certifies them.

It returns the best iterate, not the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from math import inf
from typing import NamedTuple, Protocol

import numpy as np

from contact.problem import (
    ASYMMETRY,
    Outcome,
    Problem,
    Solution,
    Solver,
    check_finite,
    solution_of,
)
from contact.solvers.automatic import CHUNK, AutomaticSolver
from contact.solvers.gauss_seidel import GaussSeidel
from contact.solvers.newton import NewtonSolver
from contact.sweeps import solve_few, sweep_rule
from sole.base.arrays import FloatArray
from sole.base.checks import check_count, check_tolerance
from sole.base.errors import SoleError

METHODS = {
    "auto": "Gauss-Seidel, Newton, interior point and proximal Newton in turn",
    "gauss-seidel": "one exact contact at a time, in random order",
    "newton": "semi-smooth Newton with proximal points",
    "interior-point": "primal-dual interior point; symmetric W only",
    "lcp-4": "pyramid of 4 facets by Lemke's method, for comparison",
    "lcp-8": "pyramid of 8 facets by Lemke's method, for comparison",
    "lcp-16": "pyramid of 16 facets by Lemke's method, for comparison",
}
SYMMETRIC_ONLY = ("interior-point",)
MOST_SWEEPS = 1_000_000_000
STICKY = 1e6  # larger friction counts as this: else round-off of |u_t| times mu decides


class ShortWay(Protocol):
    """A way to solve a kind of problem sooner than by the general way of `solve`."""

    def __call__(
        self, problem: Problem, start: FloatArray | None, rule: FloatArray
    ) -> Solution | None:
        """Return a solution that meets the tolerance, or None: the general way is to be taken.

        rule : how to sweep, and the tolerance: `contact.sweeps.sweep_rule`.
        """


SHORT_WAYS: tuple[ShortWay, ...] = (solve_few,)


def solve(
    problem: Problem,
    method: str = "auto",
    tolerance: float = 1e-8,
    start: FloatArray | None = None,
    *,
    max_sweeps: int = 2000,
    seed: int = 1,
    check: bool = False,
    max_work: float = inf,
    ways: Sequence[ShortWay] = SHORT_WAYS,
) -> Solution:
    """Solve u = W r + q with Coulomb's cones.

    Parameters
    ----------
    method : a key of `METHODS`.
    tolerance : natural map, Signorini's law and cone divided by rho |q|, recomputed outside the
        method (`contact.problem.certify`).
    start : reactions (K, 3) to start from.
    max_sweeps : of Gauss-Seidel at most.
    seed : of the random order of the sweeps; same seed, same bits.
    check : raise if the tolerance is not met.
    max_work : of "auto": about this many nanoseconds, counted in iterations, so that the same
        problem ends with the same bits on every machine.
    ways : short ways that "auto" asks first, in turn; (): the general way alone.

    Friction above 1e6 counts as 1e6, and `problem` of the solution says so: forces that stick
    with less friction also stick with more, and what slips at 1e6 carries a millionth of it.

    Raises
    ------
    SoleError
        Unknown method, bad option, or a method that needs a symmetric W.
    ConvergenceError
        With `check`: not solved; `best` is the solution that would have been returned.
    """
    if not max_work > 0:
        raise SoleError(f"the work of a solve must be positive, got {max_work:g}")
    if method == "auto":
        first = _first_sweeps(tolerance, max_sweeps, seed)
        for way in ways:
            if (found := way(problem, start, first.rule)) is not None:
                return found
    else:
        check_options(method, tolerance, max_sweeps)
    _check(problem, method, start)
    if problem.steepest > STICKY:
        problem = replace(problem, friction=np.minimum(problem.friction, STICKY))
    if problem.size == 0.0 and not problem.offset.any():
        solution = solution_of(problem, np.zeros_like(problem.offset), tolerance, method)
    elif method == "auto":
        # Most problems of a simulation end here: nothing is computed twice for them.
        solution = first.sweeps.solve(problem, start)
        if not solution.certificate.holds(tolerance):
            solution = AutomaticSolver(problem, tolerance, max_sweeps, seed, max_work).solve(
                solution, start
            )
    else:
        solver = solver_of(method, tolerance, max_sweeps=max_sweeps, seed=seed)
        solution = solver.solve(problem, start)
        held = solution.certificate.holds(tolerance)
        if solution.outcome is not Outcome.INFEASIBLE:
            solution = replace(solution, outcome=Outcome.SOLVED if held else Outcome.STALLED)
    return solution.required() if check else solution


class FirstSweeps(NamedTuple):
    """What "auto" begins with: sweeps, and the same as the rule of short ways."""

    sweeps: GaussSeidel
    rule: FloatArray


@cache
def _first_sweeps(tolerance: float, max_sweeps: int, seed: int) -> FirstSweeps:
    """Check the options; return the first sweeps."""
    check_options("auto", tolerance, max_sweeps)
    sweeps = GaussSeidel(tolerance=0.9 * tolerance, max_sweeps=min(CHUNK, max_sweeps), seed=seed)
    s = sweeps
    rule = sweep_rule(
        s.relaxation, s.wait, s.max_sweeps, s.tolerance,
        tolerance=tolerance, steepest=STICKY, seed=s.seed,
    )  # fmt: skip
    return FirstSweeps(sweeps, rule)


def solver_of(method: str, tolerance: float, *, max_sweeps: int = 2000, seed: int = 1) -> Solver:
    """Return the solver behind a key of `METHODS` other than "auto"."""
    if method == "gauss-seidel":
        return GaussSeidel(tolerance=tolerance / 2, max_sweeps=max_sweeps, seed=seed)
    if method == "newton":
        return NewtonSolver(tolerance=tolerance, seed=seed)
    if method == "interior-point":
        from contact.solvers.interior_point import InteriorPoint

        return InteriorPoint(tolerance=tolerance)
    if method.startswith("lcp-") and method in METHODS:
        from contact.solvers.lcp import PolyhedralLcp

        return PolyhedralLcp(facets=int(method[4:]), tolerance=tolerance)
    raise SoleError(f"method '{method}' is unknown; known are {', '.join(METHODS)}")


def check_options(method: str, tolerance: float, max_sweeps: int = 1) -> None:
    """Refuse options that no solver can use."""
    if method not in METHODS:
        raise SoleError(f"method '{method}' is unknown; known are {', '.join(METHODS)}")
    check_tolerance("the tolerance", tolerance)
    check_count("the number of sweeps", max_sweeps, MOST_SWEEPS)


def _check(problem: Problem, method: str, start: FloatArray | None) -> None:
    if start is not None:
        shape = np.shape(start)
        if shape != problem.offset.shape:
            raise SoleError(f"the start has shape {shape}, expected {problem.offset.shape}")
        check_finite(np.asarray(start), "the start")
    if method in SYMMETRIC_ONLY and not problem.symmetric:
        raise SoleError(
            f"W is asymmetric by {problem.operator.asymmetry:.1e} and '{method}' takes at most "
            f"{ASYMMETRY:g}; use auto, gauss-seidel or newton"
        )
