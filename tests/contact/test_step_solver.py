"""What `solved` says of a time step, and what a step may cost."""

from __future__ import annotations

import numpy as np
import pytest
from step_cases import go, small_pad, world

from contact.problem import Outcome, Problem, Solution, certify, solution_of
from contact.solvers import GaussSeidel, count_work
from contact.solvers.solver_work import step_work, sweep_work
from contact.step import Body, StepOptions, step_solver
from contact.step.bodies import Bodies
from contact.step.step_solver import StepSolver

TOLERANCE = 1e-6


def recorded() -> Problem:
    """The problem of a pad that slides under load, in its fourth step."""
    problems: list[Problem] = []
    scene = world(
        Body.of(small_pad(), friction=0.4), record=lambda p, start, last: problems.append(p)
    )
    twist = [0.5, 0.2, -0.1, 0.3, 0.0, 1.0]
    go(scene, scene.at([0, 0, small_pad().thickness + 1e-4], None, twist), 2e-3, 4)
    return problems[-1]


def beside(problem: Problem, error: float) -> np.ndarray:
    """Return forces (K, 3) with the residual `error`, near the solution."""
    exact = GaussSeidel(tolerance=1e-13, max_sweeps=5000).solve(problem).reactions
    low, high = 0.0, 1e-3
    for _ in range(60):
        share = 0.5 * (low + high)
        small = certify(problem, (1 + share) * exact).error < error
        low, high = (share, high) if small else (low, share)
    return (1 + low) * exact


class Rough:
    """Sweeps that stop a little above the tolerance, and say that they met it."""

    def __init__(self, problem: Problem, share: float) -> None:
        self.forces, self.share = beside(problem, share * TOLERANCE), share

    def solve(self, problem: Problem, start: np.ndarray | None = None) -> Solution:
        return solution_of(problem, self.forces, 2 * TOLERANCE, "rough")


def solver_with(sweeps: Rough | None = None, given: Rough | None = None) -> StepSolver:
    options = StepOptions(tolerance=TOLERANCE, sticking=False, solver=given)
    solver = StepSolver(Bodies([Body.of(small_pad(), friction=0.4)]), options)
    if sweeps is not None:
        solver.sweeps = sweeps  # type: ignore[assignment]
    return solver


def solve(solver: StepSolver, problem: Problem) -> Solution:
    nothing = np.zeros_like(problem.offset)
    return solver.solve(problem, nothing, np.zeros(len(nothing), dtype=np.int64), 0)


@pytest.mark.parametrize("share", [0.9, 1.1, 1.9])
def test_solved_means_the_tolerance(share):
    problem = recorded()
    rough = Rough(problem, share)
    assert rough.solve(problem).solved
    assert rough.solve(problem).certificate.error == pytest.approx(share * TOLERANCE, rel=1e-3)
    solution = solve(solver_with(rough), problem)
    assert solution.solved and solution.certificate.holds(TOLERANCE)
    assert (solution.method == "rough") == (share < 1)


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_a_solver_of_the_user_is_not_believed(share):
    problem = recorded()
    solution = solve(solver_with(given=Rough(problem, share)), problem)
    assert solution.solved == (share < 1)
    assert solution.certificate.holds(TOLERANCE) == (share < 1)


def test_without_work_left_the_step_is_flagged(monkeypatch):
    monkeypatch.setattr(step_solver, "WORK", 0.0)
    problem = recorded()
    solution = solve(solver_with(Rough(problem, 1.5)), problem)
    assert solution.outcome is Outcome.STALLED and not solution.certificate.holds(TOLERANCE)
    assert solution.certificate.holds(2 * TOLERANCE)  # the best there was


def test_the_solves_of_a_step_share_the_work(monkeypatch):
    """Each costs at least 20 sweeps and a Newton step: the third finds nothing left."""
    problem = recorded()
    once = 20 * sweep_work(problem) + step_work(problem)
    monkeypatch.setattr(step_solver, "WORK", 1.5 * once)
    monkeypatch.setattr(step_solver, "PATIENCE", 1)
    monkeypatch.setattr("sole.base.checks.FINEST", 1e-30)
    solver = solver_with()
    solver.tolerance = 1e-16  # nothing meets it
    solver.begin()
    costs = [count_work(solve(solver, problem)) for _ in range(3)]
    assert costs[0] > 1e-3 * once and costs[2] <= sweep_work(problem)
    assert solver.left <= 0
    solver.begin()
    assert solver.left == 1.5 * once


def test_a_step_without_work_goes_on_and_says_so(monkeypatch):
    """Forces are those of few sweeps, the motion is finite, every row is flagged."""
    monkeypatch.setattr(step_solver, "WORK", 0.0)
    scene = world(Body.of(small_pad(), friction=0.4), tolerance=1e-14, sticking=False)
    twist = [0.5, 0.2, -0.1, 0.3, 0.0, 1.0]
    steps = go(scene, scene.at([0, 0, small_pad().thickness + 1e-4], None, twist), 2e-3, 6)
    pressed = [s for s in steps if s.contact.solution is not None and s.forces[0, 2] > 0]
    assert pressed and not any(s.contact.solved for s in pressed if s.contact.iterations >= 300)
    assert all(np.isfinite(s.forces).all() for s in steps)
    for s in pressed:
        for part in s.contact.solutions:
            assert part.solved == part.certificate.holds(1e-14)
