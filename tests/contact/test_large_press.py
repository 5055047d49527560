"""What presses of many nodes do otherwise: iterated Newton steps, sweeps in pieces, interrupts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from press_cases import CASES, pad

from contact.ground import Plane, Step
from contact.press import PressOptions, RigidMotion, Wrench, increment, newton_equations, press
from contact.press.press_state import PressView
from contact.problem import ContactStatus
from contact.solvers import GaussSeidel, gauss_seidel

LOADS = CASES | {
    "held": (RigidMotion(sink=1e-3, roll=0.01), Plane()),
    "step, several increments": (Wrench.standing(570), Step(rise=0.01)),
}


@pytest.fixture
def iterated(monkeypatch):
    """Let every Newton step iterate; return the equations that were solved."""
    seen, iterate = [], newton_equations.NewtonEquations.iterate
    monkeypatch.setattr(newton_equations, "DIRECT", 0)

    def record(self, accuracy):
        seen.append(self)
        return iterate(self, accuracy)

    monkeypatch.setattr(newton_equations.NewtonEquations, "iterate", record)
    return seen


@pytest.mark.parametrize("name", LOADS)
def test_iterations_solve_the_equations_and_the_press(name, iterated, monkeypatch):
    load, ground = LOADS[name]
    increments = 3 if "several" in name else 1
    found = press(pad(), load, ground, increments=increments)
    assert found.certificate.holds(1e-8) and iterated
    for equations in list(iterated):
        x, expected = equations.iterate(1e-12), equations.direct()
        # The condition of the equations is below 1e4.
        assert np.linalg.norm(x - expected) <= 1e-8 * np.linalg.norm(expected)
    assert max(len(e.right) for e in iterated) > 50
    monkeypatch.setattr(newton_equations, "DIRECT", 10**6)
    known = press(pad(), load, ground, increments=increments)
    np.testing.assert_array_equal(found.status, known.status)
    largest = np.abs(known.forces).max()
    np.testing.assert_allclose(found.forces, known.forces, atol=1e-6 * largest)


def test_iterations_follow_a_whole_sole_that_slips(iterated):
    found = press(pad(), Wrench.standing(600, shear=(270, 0)), None, 0.5)
    assert found.certificate.holds(1e-8) and iterated
    assert (found.status == ContactStatus.SLIP).sum() > len(found.status) / 2


def test_few_nodes_of_many_are_solved_alone(iterated):
    found = press(pad(), Wrench.standing(100, cop=(0.09, 0.05)), None)
    touching = len({int(i) for e in iterated for i in e.node})
    assert 0 < touching < newton_equations.CROWDED * len(found.status)
    assert found.certificate.holds(1e-8)


def test_newton_steps_tell_their_residual_and_may_be_interrupted():
    told: list[float] = []
    load = Wrench.standing(570, cop=(0.05, 0.02))
    done = press(pad(), load, progress=lambda i, n, residual: told.append(residual))
    assert len(told) >= done.outer + done.newton - 1 and told[-1] <= 1e-10

    def interrupt(number: int, of: int, residual: float) -> None:
        told.append(residual)
        if len(told) == 3:
            raise KeyboardInterrupt

    told.clear()
    with pytest.raises(KeyboardInterrupt):
        press(pad(), load, progress=interrupt)
    assert len(told) == 3


def test_a_step_that_throws_the_foot_away_is_not_kept(monkeypatch):
    # Residuals are relative to |q|, which is large where the foot slid far: with the friction in
    # the wrong direction such a state looked better than the one before.
    load = Wrench.standing(600, shear=(150, 0))
    loose = PressOptions(tolerance=0.05, polish=False)
    view = press(pad(), load, None, 0.5, options=loose, check=False).view
    far = replace(view.state, place=view.state.place + np.array([1.0, 0.0, 0.0]))
    assert PressView(view.setting, far).residual < 0.5 * view.residual
    monkeypatch.setattr(increment, "newton_step", lambda *_: far)
    control = increment.IncrementControl(wrench=load.vector)
    errors = (view.residual, view.residual)
    kept, after, steps = increment._polish(view, control, errors, PressOptions(), None)
    assert kept is view and after == errors and steps == 1


@pytest.mark.parametrize("tolerance", [1e-5, 1e-10])
def test_sweeps_in_pieces_find_the_same_forces(tolerance, monkeypatch):
    options = PressOptions(tolerance=1e-5, polish=False)
    problems = []
    solve = GaussSeidel.solve

    def record(self, problem, start=None, previous=None):
        problems.append((problem, start))
        return solve(self, problem, start, previous)

    monkeypatch.setattr(GaussSeidel, "solve", record)
    press(pad(), Wrench.standing(570, cop=(0.05, 0.02)), None, options=options)
    monkeypatch.setattr(GaussSeidel, "solve", solve)
    problem, start = problems[0]
    solver = GaussSeidel(tolerance=tolerance, wait=0.0)
    whole = solver.solve(problem, start)
    monkeypatch.setattr(gauss_seidel, "PIECE", 2.0 * 9 * problem.contacts**2)
    pieces = solver.solve(problem, start)
    assert whole.sweeps > 6
    assert whole.solved and pieces.solved
    assert pieces.sweeps < 1.5 * whole.sweeps  # in another order
    largest = np.abs(whole.reactions).max()
    # W of the foot's motion is large: the answers differ by their tolerance times its condition.
    np.testing.assert_allclose(
        pieces.reactions, whole.reactions, atol=max(1e-9, 100 * tolerance) * largest
    )
