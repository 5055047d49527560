"""Timing of supports, and the reference of the zero-moment point in them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot.gait import GaitError, Timing
from robot.gait.footsteps import walk
from robot.gait.schedule import Schedule
from robot.gait.zmp import zmp_reference

TIMING = Timing(single=0.7, double=0.1, initial=1.0, final=1.5)
WALK = walk(3, 0.2, width=0.2, timing=TIMING)
PLAN = Schedule.of(WALK)


def test_phases_at_their_edges():
    """Half open: at lift-off the foot is up, at landing it carries again."""
    np.testing.assert_allclose(PLAN.edges, [0, 1, 1.7, 1.8, 2.5, 2.6, 3.3, 3.4, 4.1, 5.6])
    times = [0.0, 0.999, 1.0, 1.699, 1.7, 1.8, 5.6, 99.0, -1.0]
    lifted = [0, 0, 1, 1, 0, 2, 0, 0, 0]
    supports = PLAN.supports(times)
    np.testing.assert_array_equal(supports[:, 0], np.array(lifted) != 1)
    np.testing.assert_array_equal(supports[:, 1], np.array(lifted) != 2)
    np.testing.assert_array_equal(PLAN.steps(times), [-1, -1, 0, 0, -1, 1, -1, -1, -1])
    np.testing.assert_array_equal(PLAN.next_steps(times), [0, 0, 0, 0, 1, 1, 4, 4, 0])


@given(t=st.floats(-1, 7))
def test_progress_rises_from_0_to_1_in_every_phase(t):
    k = int(PLAN.phases(t))
    share = float(PLAN.progress(t))
    assert 0 <= share <= 1
    inside = min(max(t, 0.0), PLAN.end)
    expected = (inside - PLAN.edges[k]) / (PLAN.edges[k + 1] - PLAN.edges[k])
    assert share == pytest.approx(expected, abs=1e-12)


def test_standing_is_one_phase():
    plan = Schedule.of(walk(0, 0.2))
    assert plan.supports([0.0, 1.0]).all()
    assert plan.edges.tolist() == [0.0, 1.6]


def test_times_must_be_finite():
    with pytest.raises(GaitError, match="finite"):
        PLAN.phases([0.0, np.nan])


@pytest.mark.parametrize("smooth", [True, False])
def test_reference_rests_under_the_standing_foot(smooth):
    times = np.linspace(0, PLAN.end, 2001)
    p = zmp_reference(PLAN, times, smooth=smooth)
    for step, stance in zip(WALK.steps, WALK.stances, strict=False):
        during = (times >= step.start) & (times < step.end)
        standing = stance.feet[1 - step.foot]
        np.testing.assert_allclose(p[during], np.tile(standing.place, (during.sum(), 1)))
    np.testing.assert_allclose(p[0], [0, 0, 0], atol=1e-15)
    np.testing.assert_allclose(p[-1], [0.6, 0, 0], atol=1e-15)


def test_reference_in_double_support_is_straight_and_continuous():
    """Linear: constant velocity (0.2 m, 0.2 m) in 0.1 s; smooth: at most 15/8 of it."""
    times = np.linspace(1.7, 1.8, 101)
    p = zmp_reference(PLAN, times, smooth=False)
    np.testing.assert_allclose(np.diff(p, axis=0)[:-1] / 1e-3, [[2.0, 2.0, 0.0]] * 99, atol=1e-9)
    q = zmp_reference(PLAN, times)
    fastest = (np.diff(q, axis=0) / 1e-3).max(axis=0)
    assert fastest[:2] == pytest.approx([3.75, 3.75], rel=1e-3)
    everywhere = zmp_reference(PLAN, np.arange(0, PLAN.end, 1e-4))
    assert np.abs(np.diff(everywhere, axis=0)).max() <= 1e-4 * 3.75 * (1 + 1e-9)


def test_inset_shifts_inward_and_forward_in_the_axes_of_the_foot():
    turned = Schedule.of(walk(2, 0.0, turn=0.5, width=0.3, timing=TIMING))
    p = zmp_reference(turned, np.array([1.3, 2.1]), inset=(0.02, 0.01))
    np.testing.assert_allclose(p[0], [0.02, -0.15 + 0.01, 0], atol=1e-15)  # on the right foot
    left = turned.footsteps.stances[1].left
    np.testing.assert_allclose(p[1], left.at(0.02, -0.01), atol=1e-15)
    assert left.yaw == 0.5


def test_reference_climbs_with_the_feet():
    stairs = Schedule.of(walk(2, 0.25, rise=0.03, timing=TIMING))
    p = zmp_reference(stairs, np.array([0.0, 1.5, 2.3, 3.1, stairs.end]))
    np.testing.assert_allclose(p[:, 2], [0, 0, 0.03, 0.06, 0.06])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"inset": (np.nan, 0.0)}, "inset must be two finite numbers"),
        ({"inset": (0.0,)}, "inset must be two"),
        ({"transfer": 0.0}, "transfer must be positive"),
    ],
)
def test_what_the_reference_refuses(options, words):
    with pytest.raises(GaitError, match=words):
        zmp_reference(PLAN, np.zeros(1), **options)
