"""Solve the problem of an FCLIB file with any of our methods, timed and on record."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from scipy import sparse

from contact.fclib.fclib_file import FclibFile
from contact.fclib.solution_archive import SolutionRecord, record_of
from contact.problem import Outcome, Problem, Solution
from contact.solvers import check_direction, check_options, solve
from sole.base.arrays import FloatArray

MAX_SWEEPS = 10000


def solve_file(
    source: FclibFile,
    *,
    method: str = "auto",
    tolerance: float = 1e-8,
    max_sweeps: int = MAX_SWEEPS,
    seed: int = 1,
    start: FloatArray | None = None,
) -> SolutionRecord:
    """Solve and return a record, solved or not."""
    check_options(method, tolerance, max_sweeps)
    compile_kernels(method)
    solution, seconds = solve_problem(
        source.problem,
        method=method,
        tolerance=tolerance,
        max_sweeps=max_sweeps,
        seed=seed,
        start=start,
    )
    return record_of(source, solution, tolerance=tolerance, seed=seed, seconds=seconds)


def solve_problem(
    problem: Problem,
    *,
    method: str = "auto",
    tolerance: float = 1e-8,
    max_sweeps: int = MAX_SWEEPS,
    seed: int = 1,
    start: FloatArray | None = None,
) -> tuple[Solution, float]:
    """Return the solution and its time [s]; see `contact.solvers.solve`.

    A proof that there is no solution is checked again from problem and direction alone; one that
    fails counts as not solved.
    """
    begun = time.perf_counter()
    solution = solve(problem, method, tolerance, start, max_sweeps=max_sweeps, seed=seed)
    seconds = time.perf_counter() - begun
    if solution.outcome is Outcome.INFEASIBLE and not _proved(solution, tolerance):
        solution = replace(solution, outcome=Outcome.STALLED, direction=None)
    return solution, seconds


def _proved(solution: Solution, tolerance: float) -> bool:
    z = solution.direction
    return z is not None and check_direction(solution.problem, z).holds(tolerance)


def compile_kernels(method: str) -> None:
    """Solve two tiny problems, so that no measured time holds a compilation."""
    W, q = np.eye(6), np.array([0.1, 0.0, -1.0, 2.0, 0.0, -1.0])
    for problem in (Problem.dense(W, q, 0.5), Problem.sparse(sparse.csr_array(W), q, 0.5)):
        solve_problem(problem, method=method)
