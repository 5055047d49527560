"""Inverse kinematics: exact places, exact rates, and words when there is no way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares

from robot.gait import BodyKinematics, GaitError, Targets, factor_lu, solve_lu, stance_of
from robot.gait.inverse_kinematics import TOLERANCE, OutOfReachError
from robot.model import load_robot

ROBOT = load_robot("hrp2-like")
SOLVER = BodyKinematics(ROBOT)
COM = pin.centerOfMass(ROBOT.model, ROBOT.model.createData(), ROBOT.q0).copy()
HALF = stance_of(ROBOT).left.y


def vertical(yaw):
    """Return the rotation (3, 3) about z by `yaw` [rad]."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def tasks(q, robot=ROBOT):
    """Places and turns of the sole frames, centre of mass, turn of the waist: plain kinematics."""
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, q)
    feet = [data.oMf[foot.frame] for foot in robot.feet]
    return (
        np.array([f.translation for f in feet]),
        np.array([f.rotation for f in feet]),
        pin.centerOfMass(robot.model, data, q).copy(),
        data.oMf[robot.waist].rotation.copy(),
    )


def moved(s):
    """Targets that depend smoothly on s: everything moves and turns."""
    return Targets(
        np.array([[0.1 * np.sin(s), HALF + 0.02 * s, 0.05 * s**2], [-0.05 * s, -HALF, 0.01 * s]]),
        np.stack([vertical(0.2 * s), vertical(-0.3 * np.sin(s))]),
        COM + np.array([0.02 * s, 0.03 * np.sin(s), -0.05 - 0.02 * s]),
        vertical(0.1 * s**2),
    )


@settings(max_examples=25)
@given(
    step=st.floats(-0.2, 0.2),
    lift=st.floats(0.0, 0.1),
    yaw=st.floats(-0.4, 0.4),
    turn=st.floats(-0.3, 0.3),
    shift=st.tuples(st.floats(-0.05, 0.05), st.floats(-0.1, 0.1), st.floats(-0.15, -0.04)),
)
def test_reaches_its_targets(step, lift, yaw, turn, shift):
    """Every component to 1e-11 by the solver's own account; here by plain forward kinematics."""
    wanted = Targets(
        np.array([[step, HALF, lift], [-step / 2, -HALF, 0.0]]),
        np.stack([vertical(yaw), vertical(0.0)]),
        COM + shift,
        vertical(turn),
    )
    q = SOLVER.solve(wanted, ROBOT.q0)
    places, turns, com, waist = tasks(q)
    assert np.abs(places - wanted.places).max() <= 2 * TOLERANCE
    assert np.abs(com - wanted.com).max() <= 2 * TOLERANCE
    np.testing.assert_allclose(turns, wanted.turns, atol=1e-10)
    np.testing.assert_allclose(waist, wanted.waist, atol=1e-10)
    still = np.setdiff1d(np.arange(7, ROBOT.model.nq), SOLVER.places_in_q)
    np.testing.assert_array_equal(q[still], ROBOT.q0[still])


def test_agrees_with_a_general_solver():
    """scipy's least squares on the same 18 unknowns, from the same start."""
    wanted = moved(0.8)

    def miss(x):
        step = np.zeros(ROBOT.model.nv)
        step[SOLVER.moving] = x
        places, turns, com, waist = tasks(pin.integrate(ROBOT.model, ROBOT.q0, step))
        turned = [pin.log3(a @ b.T) for a, b in zip(wanted.turns, turns, strict=True)]
        rest = (com - wanted.com, pin.log3(wanted.waist @ waist.T))
        return np.concatenate([(places - wanted.places).ravel(), *turned, *rest])

    x = least_squares(miss, np.zeros(18), xtol=1e-15, ftol=1e-15, gtol=1e-15).x
    step = np.zeros(ROBOT.model.nv)
    step[SOLVER.moving] = x
    other = pin.integrate(ROBOT.model, ROBOT.q0, step)
    q = SOLVER.solve(wanted, ROBOT.q0)
    np.testing.assert_allclose(pin.difference(ROBOT.model, other, q), 0, atol=1e-7)


def test_newton_converges_quadratically():
    """From 1e-3 away two iterations reach the tolerance: 1e-3, about 1e-6, about 1e-12."""
    q = SOLVER.solve(moved(0.5), ROBOT.q0)
    SOLVER.solve(moved(0.502), q)
    assert SOLVER.iterations <= 2


@pytest.mark.parametrize("order", [1, 2])
def test_rates_are_the_derivatives(order):
    """Central differences in s; their error falls by 4 when h is halved, and is small."""
    h, errors = 4e-3, []
    exact = SOLVER.solve(moved(0.6), ROBOT.q0)
    first, second = derivatives(0.6)
    v, a = SOLVER.rates(exact, first, second)
    for step in (h, h / 2):
        q = [SOLVER.solve(moved(0.6 + x), exact) for x in (-step, step)]
        d = [pin.difference(ROBOT.model, exact, x) for x in q]
        # q = exact (+) (s v + s^2/2 w + ...): w = a, as the left-trivialised rate of v
        got = (d[1] - d[0]) / (2 * step) if order == 1 else (d[1] + d[0]) / step**2
        errors.append(np.abs(got - (v if order == 1 else a)).max())
    assert errors[0] < 1e-2 * np.abs(v if order == 1 else a).max()
    assert 3.5 < errors[0] / errors[1] < 4.5


def derivatives(s):
    """First and second derivative (18,) of `moved`, by hand."""
    first, second = np.zeros(18), np.zeros(18)
    first[:3], second[:3] = (0.1 * np.cos(s), 0.02, 0.1 * s), (-0.1 * np.sin(s), 0, 0.1)
    first[5] = 0.2
    first[6:9] = -0.05, 0, 0.01
    first[11], second[11] = -0.3 * np.cos(s), 0.3 * np.sin(s)
    first[12:15], second[13] = (0.02, 0.03 * np.cos(s), -0.02), -0.03 * np.sin(s)
    first[17], second[17] = 0.2 * s, 0.2
    return first, second


@given(seed=st.integers(0, 1000))
def test_small_lu_against_lapack(seed):
    """Backward stable: relative to the condition number."""
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(18, 18)), rng.normal(size=18)
    lu = A.copy()
    pivots = factor_lu(lu)
    expected = np.linalg.solve(A, b)
    bound = 1e-14 * np.linalg.cond(A) * np.abs(expected).max()
    np.testing.assert_allclose(solve_lu(lu, pivots, b), expected, rtol=0, atol=bound)


def test_a_singular_matrix_is_noticed():
    A = np.ones((18, 18))
    assert factor_lu(A)[0] == -1


def test_too_far_says_what_is_missed():
    """Legs of some 0.6 m cannot span 2 m."""
    wanted = moved(0.0)
    far = replace(wanted, places=wanted.places + np.array([[1.0, 0, 0], [-1.0, 0, 0]]))
    with pytest.raises(OutOfReachError, match=r"out of reach: .* misses by \d+ mm"):
        SOLVER.solve(far, ROBOT.q0)


def test_three_joints_are_not_enough():
    short = replace(ROBOT, legs=(ROBOT.legs[0][:3], ROBOT.legs[1]))
    with pytest.raises(GaitError, match="left leg has 3 joints; four are needed"):
        BodyKinematics(short)


def test_of_seven_joints_six_are_used():
    robot = load_robot("rengifo14")
    solver = BodyKinematics(robot)
    assert [len(leg) for leg in robot.legs] == [7, 7]
    assert len(set(solver.joints)) == 12
    assert set(solver.joints) <= set(robot.legs[0] + robot.legs[1])
