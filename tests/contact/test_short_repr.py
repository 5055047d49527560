"""What a script prints of a problem and its solution is one line."""

from __future__ import annotations

import numpy as np

from contact.problem import Problem
from contact.solvers import solve


def test_a_problem_and_its_solution_are_one_line():
    q = np.tile([0.1, 0.0, -1.0], (50, 1))
    problem = Problem.dense(np.eye(150), q, np.linspace(0.1, 0.5, 50))
    assert repr(problem) == "<Problem: 50 contacts, friction 0.1 to 0.5>"
    solution = solve(problem, "gauss-seidel", tolerance=1e-10)
    told = repr(solution)
    assert told.startswith("<Solution: 50 contacts, solved, residual ") and len(told) < 120
    assert f"gauss-seidel, {solution.iterations} iterations>" in told
    assert repr(Problem.dense(np.eye(3), q[:1], 0.5)) == "<Problem: 1 contacts, friction 0.5>"
