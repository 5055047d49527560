"""Contacts that sweeps do not settle are solved apart from all others."""

from __future__ import annotations

import numpy as np
import pytest
from step_cases import go, small_pad, world

from contact.ground import parse_ground
from contact.problem import Problem, Solution, certify, solution_of
from contact.solvers import GaussSeidel, settle_stubborn, stubborn_contacts
from contact.solvers.stubborn_contacts import measure_errors, restrict
from contact.step import Body
from contact.swept_step import fast_step

TOLERANCE = 1e-8


@pytest.fixture(scope="module")
def problem() -> Problem:
    """The problem of a pad that slides into the corner below a step: nodes touch twice."""
    problems: list[Problem] = []
    scene = world(
        Body.of(small_pad(), friction=0.6),
        parse_ground("step:0.005,0.118"),
        record=lambda p, start, last: problems.append(p),
    )
    twist = [0.5, 0.2, -0.1, 0.0, 0.0, 0.3]
    go(scene, scene.at([0, 0, small_pad().thickness + 1e-4], None, twist), 2e-3, 6)
    return max(problems, key=lambda p: p.contacts)


def exact(problem: Problem) -> np.ndarray:
    return np.array(GaussSeidel(tolerance=1e-13, max_sweeps=20000).solve(problem).reactions)


def spoilt(problem: Problem, contacts: list[int]) -> Solution:
    """Forces that are right but for some contacts."""
    r = exact(problem)
    r[contacts] *= 1.01
    return solution_of(problem, r, TOLERANCE, "gauss-seidel")


def test_the_others_hold_while_a_part_is_solved(problem):
    r = np.random.default_rng(1).normal(size=problem.offset.shape)
    chosen = np.arange(problem.contacts) % 3 == 0
    part = restrict(problem, r, chosen)
    np.testing.assert_allclose(
        part.velocity(r[chosen]), problem.velocity(r)[chosen], atol=1e-12 * problem.size
    )


def test_errors_of_contacts_are_those_of_the_certificate(problem):
    r = 1.1 * exact(problem)
    found = certify(problem, r)
    error = measure_errors(problem, r, problem.velocity(r)) / (problem.rho * problem.size)
    worst = np.linalg.norm(error)  # of two norms, contact by contact the larger
    assert found.worst * (1 - 1e-9) <= worst <= 2**0.5 * found.worst


def test_a_few_are_settled(problem, monkeypatch):
    loaded = np.argsort(-exact(problem)[:, 2])[:2].tolist()
    start = spoilt(problem, loaded)
    assert not start.solved
    sizes = []
    monkeypatch.setattr(
        stubborn_contacts, "restrict",
        lambda p, r, chosen: sizes.append(int(chosen.sum())) or restrict(p, r, chosen),
    )  # fmt: skip
    found = settle_stubborn(problem, start, TOLERANCE, 1)
    assert found is not None
    assert certify(problem, found.reactions).worst <= TOLERANCE
    assert found.method == "gauss-seidel + newton"
    assert found.newton > 0
    assert sizes[0] + sizes[1] == problem.contacts
    assert sizes[0] < problem.contacts


def test_too_many_are_left_alone(problem, monkeypatch):
    monkeypatch.setattr(stubborn_contacts, "MOST", 1)
    loaded = np.argsort(-exact(problem)[:, 2])[:3].tolist()
    assert settle_stubborn(problem, spoilt(problem, loaded), TOLERANCE, 1) is None


def test_a_step_asks_for_it(problem, monkeypatch):

    stepper = fast_step([Body.of(small_pad(), friction=0.6)], parse_ground("plane"))
    loaded = np.argsort(-exact(problem)[:, 2])[:2].tolist()
    solver = stepper.solver
    monkeypatch.setattr(solver, "tolerance", TOLERANCE)
    monkeypatch.setattr(solver, "_swept", lambda *_: spoilt(problem, loaded))
    none = np.zeros(problem.contacts, np.int64)
    found = solver.solve(problem, np.zeros_like(problem.offset), none, 0)
    assert found.solved
    assert found.method == "gauss-seidel + newton"
