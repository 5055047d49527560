"""In free fall, on the ground, or with both feet at one place, control is finite."""

from __future__ import annotations

import numpy as np
import pytest
from doors import compiled_door

from robot.control.balance_kernels import share_load
from robot.control.force_kernels import Felt, ForceLimits, upright_point
from robot.control.stabiliser_kernels import FeetArrays, Tuning, balance_body, share_wrench
from robot.gait import PlanArrays
from robot.online.rows import write_balance
from robot.online.timeline import StepRows
from robot.online.zmp_ahead import write_reference
from sole.base.constants import GRAVITY

MASS, HEIGHT = 60.0, 0.8
POSES = np.tile(np.eye(4), (2, 1, 1))
POSES[:, :3, 3] = [[0.0, 0.1, 0.02], [0.0, -0.1, 0.02]]
SOLES = FeetArrays(
    np.array([[[-0.1, -0.05], [0.1, 0.05]]] * 2), np.zeros((2, 6, 6)), np.full(2, 0.02),
    np.zeros((2, 6), np.int64),
)  # fmt: skip
TUNING = Tuning(MASS, 1e-3, 3.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.9)


def plan_of(supports=(True, True), rise=0.0, height=HEIGHT):
    """A plan of one tick, whose centre of mass is accelerated upwards by `rise`."""
    q = np.zeros((1, 8))
    q[0, 6] = 1.0
    com, acceleration = np.array([[0.01, 0.02, height]]), np.array([[0.3, 0.2, rise]])
    point = np.array([[0.02, 0.03]])
    carried = np.array([supports])
    return PlanArrays(q, np.zeros((1, 7)), com, acceleration, point, point, POSES[None], carried)


def balanced(plan, speed=0.1):
    """The zero-moment point and force of the stabiliser for a moving centre of mass."""
    p, force, drift = np.empty(2), np.empty(3), np.zeros(2)
    c = plan.com[0] + [0.01, -0.01, 0.0]
    compiled_door(balance_body)(c, np.full(3, speed), 0, 0, plan, SOLES, TUNING, drift, p, force)
    assert np.isfinite(drift).all()
    return p, force


def test_a_body_that_stands_on_no_foot_is_balanced_about_the_floor():
    p, force = balanced(plan_of((False, False)))
    assert np.isfinite(p).all() and np.isfinite(force).all()
    both = balanced(plan_of((True, True)))  # whose treads are on the floor
    np.testing.assert_array_equal(p, both[0])
    np.testing.assert_array_equal(force, both[1])


@pytest.mark.parametrize(
    ("rise", "height"), [(-GRAVITY, HEIGHT), (-1.1 * GRAVITY, HEIGHT), (0.0, 0.0), (0.0, -0.1)],
    ids=["falls", "pulled down", "lies", "below"],
)  # fmt: skip
def test_where_no_zmp_moves_the_body_the_force_is_that_of_the_plan(rise, height):
    p, force = balanced(plan_of(rise=rise, height=height))
    assert np.isfinite(p).all()
    assert force == pytest.approx([MASS * 0.3, MASS * 0.2, MASS * (rise + GRAVITY)])


def test_feet_at_one_place_share_a_wrench_by_halves():
    feet, out = POSES.copy(), np.empty((2, 6))
    feet[1] = feet[0]
    force, p = np.array([20.0, -10.0, 500.0]), np.array([0.05, 0.1])
    compiled_door(share_wrench)(p, force, feet, np.array([True, True]), out)
    np.testing.assert_allclose(out[:, :3], np.tile(force / 2, (2, 1)))
    assert np.isfinite(out).all()


PLACES = np.array([[0.0, 0.1, 0.0], [0.0, -0.1, 0.0]])


@pytest.mark.parametrize(
    ("p", "up"), [(PLACES[[0, 0]], 500.0), (PLACES, 0.0)], ids=["one place", "no weight"]
)
def test_a_load_without_a_point_is_shared_by_halves(p, up):
    shares, c = np.empty(2), np.array([0.1, 0.05, HEIGHT])
    force, moment = np.array([30.0, 20.0, up]), np.array([5.0, 3.0, 1.0])
    compiled_door(share_load)(c, p, np.array([True, True]), force, moment, shares)
    np.testing.assert_array_equal(shares, [0.5, 0.5])


def test_in_free_fall_no_point_turns_the_body():
    plan = plan_of(rise=-GRAVITY)
    still, base = np.zeros(3), np.array([0.0, 0, 0, 0.05, 0.05, 0.0, 1.0])
    felt = Felt(plan.com[0], still, base, still, np.zeros((2, 6)), np.tile(np.eye(3), (2, 1, 1)))
    limits = ForceLimits(*[1.0] * len(ForceLimits._fields))
    p, force = np.empty(2), np.empty(3)
    compiled_door(upright_point)(felt, plan, 0, SOLES, limits, MASS, p, force)
    np.testing.assert_array_equal(p, plan.zmp[0])
    assert force == pytest.approx([MASS * 0.3, MASS * 0.2, 0.0])


@pytest.mark.parametrize(
    ("rise", "height"), [(-GRAVITY, HEIGHT), (-2 * GRAVITY, HEIGHT), (0.0, 0.1)],
    ids=["falls", "pulled down", "lies"],
)  # fmt: skip
def test_a_row_of_a_body_that_falls_has_its_dcm_and_zmp_at_its_centre(rise, height):
    q = np.zeros(7)
    q[6] = 1.0
    com = np.array([[0.1, 0.2], [0.3, -0.4], [0.5, 0.6]])
    c, ddc, dcm, zmp, feet = (np.full(n, np.nan) for n in (3, 3, 2, 2, (2, 4, 4)))
    write_balance(
        q, np.zeros(6), com, np.array([height, 0.0, rise]), 0.1, POSES[:, :3, 3].copy(),
        POSES[:, :3, :3].copy(), c, ddc, dcm, zmp, feet,
    )  # fmt: skip
    np.testing.assert_array_equal(c, [0.1, 0.2, height])
    np.testing.assert_array_equal(dcm, com[0])
    np.testing.assert_array_equal(zmp, com[0])
    np.testing.assert_array_equal(feet, POSES)


def test_a_walk_that_ends_with_its_last_step_has_a_reference():
    """No time to stand: the shift is that at the beginning of the last phase."""
    hold = np.array([[0.2, 0.1, 0.0, 0.0], [0.0, -0.1, 0.0, 0.0]])
    rows = StepRows(
        np.array([0]), hold[:1], np.array([0.3]), np.array([0.9]), np.array([0]), np.ones(1)
    )
    table, out = np.zeros((2, 2, 5, 2)), np.full((2, 3), np.nan)
    table[1, 0] = np.linspace(0.01, 0.05, 5)[:, None]
    write_reference(0.9, 1e-3, np.zeros(2), 0.0, True, 0, hold, 0.0, tuple(rows), table, out)
    np.testing.assert_allclose(out[:, 0], [-0.01, -0.1 - 0.01], atol=1e-12)
    assert np.isfinite(out).all()
