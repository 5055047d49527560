"""Solve the problem of an FCLIB file with any of our methods, timed and on record."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from scipy import sparse

from contact.fclib import FclibFile
from contact.gauss_seidel import GaussSeidel
from contact.problem import Problem
from contact.solution import Outcome, Solution
from contact.solution_file import SolutionRecord, record_of
from sole.arrays import FloatArray
from sole.errors import SoleError

METHODS: tuple[str, ...] = ("auto", "gauss-seidel", "newton", "interior-point")
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
    """Solve and return what is worth keeping, solved or not."""
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
    """Return the solution and the seconds that it took.

    Solved means natural map and Signorini's law below `tolerance` as recomputed, nothing less.
    """
    check_options(method, tolerance, max_sweeps)
    begun = time.perf_counter()
    solution = _solve(problem, method, tolerance, max_sweeps, seed, start)
    seconds = time.perf_counter() - begun
    if solution.outcome is Outcome.SOLVED and not solution.certificate.holds(tolerance):
        solution = replace(solution, outcome=Outcome.STALLED)
    return solution, seconds


def compile_kernels(method: str) -> None:
    """Solve two tiny problems, so that no measured time holds a compilation."""
    W, q = np.eye(6), np.array([0.1, 0.0, -1.0, 2.0, 0.0, -1.0])
    for problem in (Problem.dense(W, q, 0.5), Problem.sparse(sparse.csr_array(W), q, 0.5)):
        solve_problem(problem, method=method)


def check_options(method: str, tolerance: float, max_sweeps: int = MAX_SWEEPS) -> None:
    """Refuse what no solver can make sense of."""
    if method not in METHODS:
        raise SoleError(f"method '{method}' is unknown; known are {', '.join(METHODS)}")
    if not 0 < tolerance < 1:
        raise SoleError(f"the tolerance must be between 0 and 1, got {tolerance:g}")
    if max_sweeps < 1:
        raise SoleError(f"at least one sweep is needed, got {max_sweeps}")


def _solve(
    problem: Problem,
    method: str,
    tolerance: float,
    max_sweeps: int,
    seed: int,
    start: FloatArray | None,
) -> Solution:
    solver = GaussSeidel(tolerance=tolerance / 2, max_sweeps=max_sweeps, seed=seed)
    return solver.solve(problem, start)
