"""Work of a solver, counted instead of timed: a limit that gives the same bits on every machine.

One unit is a multiply-add of a sweep, about a nanosecond on a core of 2.5 GHz. With n = 3K rows

    sweep of Gauss-Seidel       n^2 + SWEEP    (of a sparse W its entries instead of n^2)
    Newton or interior step     n^3/STEPS + STEP
    pivot of Lemke's method     (UNKNOWNS K)^2

SWEEP and STEP are what Python spends per iteration. A factor does STEPS operations in the time of
one of a sweep, which waits for memory. (A sparse factor counts as a dense one and costs less.)
"""

from __future__ import annotations

from contact.problem import Problem, Solution, SparseDelassus

__all__ = ["count_work", "pivot_work", "step_work", "sweep_work"]

SWEEP = 2e4
STEP = 1e6
STEPS = 60.0
UNKNOWNS = 14  # per contact, of a pyramid of twelve facets


def sweep_work(problem: Problem) -> float:
    """Return the work of one sweep of Gauss-Seidel."""
    W = problem.operator
    entries = W.matrix.nnz if isinstance(W, SparseDelassus) else (3.0 * problem.contacts) ** 2
    return float(entries) + SWEEP


def step_work(problem: Problem) -> float:
    """Return the work of one step of Newton or of the interior point method."""
    return (3.0 * problem.contacts) ** 3 / STEPS + STEP


def pivot_work(problem: Problem) -> float:
    """Return the work of one pivot of Lemke's method, whatever the pyramid."""
    return float(UNKNOWNS * problem.contacts) ** 2


def count_work(solution: Solution) -> float:
    """Return the work that led to `solution`."""
    problem, steps = solution.problem, solution.newton + solution.interior
    return (
        solution.sweeps * sweep_work(problem)
        + steps * step_work(problem)
        + solution.pivots * pivot_work(problem)
    )
