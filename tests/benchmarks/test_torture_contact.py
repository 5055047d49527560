"""The torture of the contact solvers: a small sample, and that it would notice a wrong answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from torture import contact_problems as torture
from torture.contact_families import FAMILIES, TorturedProblem
from torture.ill_conditioned import main as ill_conditioned

from contact.problem import Outcome, Problem
from contact.solvers import solve


def test_thirty_problems_have_no_wrong_answer():
    counts = torture.torture(30, seed=3)
    assert [count.family for count in counts] == list(FAMILIES)
    assert sum(count.problems for count in counts) == 30
    assert not any(count.faults for count in counts)
    assert sum(count.solved + count.infeasible for count in counts) >= 22
    assert {len(count.row) for count in counts} == {len(torture.HEAD)}


def sample(known: str) -> TorturedProblem:
    W = np.diag([1.0, 1.0, 2.0, 1.0, 1.0, 2.0])
    q = np.array([[0.1, 0.0, -1.0], [0.5, 0.0, -0.2]])
    return TorturedProblem(W, q, np.full(2, 0.3), known)


def test_a_wrong_success_is_noticed():
    problem = sample("open")
    solution = solve(Problem.dense(problem.W, problem.q, problem.mu))
    assert torture.residual(problem, solution.reactions)[0] <= 1e-8
    for factor, faults in ((1.0, 0), (1 + 1e-6, 1), (np.nan, 2)):
        count = torture.FamilyCount("sample")
        torture.judge(problem, replace(solution, reactions=factor * solution.reactions), count)
        assert count.faults == faults
    count = torture.FamilyCount("sample")
    torture.judge(replace(problem, known="impossible"), solution, count)
    assert count.false_successes == 1


@pytest.mark.parametrize(("known", "false"), [("open", True), ("nothing", True)])
def test_a_proof_against_a_definite_w_is_noticed(known, false):
    z = np.array([[0, 0, 1.0], [0, 0, 0]])
    assert torture.proof_is_false(sample(known), z) == false


def test_a_right_proof_passes_and_its_neighbours_do_not():
    """Two contacts on one axis, pressed against each other."""
    W, z = np.zeros((6, 6)), np.array([[0, 0, 1.0], [0, 0, 1.0]])
    W[np.ix_([2, 5], [2, 5])] = [[1, -1], [-1, 1]]
    W[np.ix_([0, 1, 3, 4], [0, 1, 3, 4])] = np.eye(4)
    problem = TorturedProblem(W, np.array([[0, 0, -1.0], [0, 0, 0]]), np.full(2, 0.3), "impossible")
    assert not torture.proof_is_false(problem, z)
    assert torture.proof_is_false(problem, -z)
    assert torture.proof_is_false(problem, z * [[1 + 1e-9], [1.0]])
    assert torture.proof_is_false(problem, z * np.nan)
    assert torture.proof_is_false(replace(problem, known="solvable"), z)
    solution = solve(Problem.dense(W, problem.q, problem.mu))
    assert solution.outcome is Outcome.INFEASIBLE


def test_ill_conditioned_problems_are_solved():
    (_, row) = ill_conditioned(4, 20, contacts=(5,))
    assert row[:3] == ("5", "4", "4")
