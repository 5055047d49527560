"""Footsteps: where `walk` puts them, and what is refused."""

from __future__ import annotations

from math import hypot, inf, nan, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robot.gait import Foothold, GaitError, Timing, foot_corners, listed
from robot.gait.footholds import Stance, overlap
from robot.gait.footsteps import Footstep, Footsteps, walk


def places(steps):
    return np.array([s.foothold.values for s in steps.steps])


def test_six_steps_forward_and_one_to_close():
    """The first and the last foot travel one step length, the others two."""
    steps = walk(6, 0.2, width=0.19)
    np.testing.assert_allclose(places(steps)[:, 0], 0.2 * np.array([1, 2, 3, 4, 5, 6, 6]))
    np.testing.assert_allclose(places(steps)[:, 1], 0.095 * (-1.0) ** np.arange(7))
    assert [s.side for s in steps.steps] == ["left", "right"] * 3 + ["left"]
    last = steps.stances[-1]
    assert last.left.x == last.right.x == pytest.approx(1.2)


def test_times_follow_the_timing():
    steps = walk(3, 0.1, timing=Timing(single=0.6, double=0.2, initial=1.0, final=0.5))
    np.testing.assert_allclose([s.start for s in steps.steps], [1.0, 1.8, 2.6, 3.4])
    assert steps.end == pytest.approx(3.4 + 0.6 + 0.5)


def test_stairs_rise_with_every_step():
    steps = walk(3, 0.25, rise=(0.03, 0.03, 0.0))
    np.testing.assert_allclose(places(steps)[:, 2], [0.03, 0.06, 0.06, 0.06])


@settings(max_examples=30)
@given(
    forward=st.floats(-0.2, 0.2),
    sideways=st.floats(0.0, 0.1),
    turn=st.floats(0.0, 0.2),
    right=st.booleans(),
    count=st.integers(2, 7),
)
def test_the_feet_end_side_by_side(forward, sideways, turn, right, count):
    """As far apart as at the start, parallel; to the right everything is the mirror image."""
    sign = -1 if right else 1
    steps = walk(count, forward, sideways=sign * sideways, turn=sign * turn, width=0.25)
    left, right_ = steps.stances[-1].feet
    assert left.yaw == pytest.approx(right_.yaw)
    assert hypot(left.x - right_.x, left.y - right_.y) == pytest.approx(0.25)
    np.testing.assert_allclose(left.at(0.0, -0.25), right_.place, atol=1e-12)
    mirrored = walk(
        count, forward, sideways=-sign * sideways, turn=-sign * turn, width=0.25,
        first="left" if steps.steps[0].side == "right" else "right",
    )  # fmt: skip
    np.testing.assert_allclose(places(steps) * (1, -1, 1, -1), places(mirrored), atol=1e-12)


def test_a_turn_goes_round_the_circle():
    """Eight steps of the leading foot by 45 degrees each lead back to where it started."""
    steps = walk(16, 0.0, turn=pi / 8, width=0.3)
    assert places(steps)[-1, 3] == pytest.approx(pi)
    middle = steps.stances[-1].middle
    np.testing.assert_allclose(middle.place, 0.0, atol=1e-12)


def test_a_list_of_footholds():
    stance = Stance.parallel(0.2)
    steps = listed([("right", Foothold(0.1, -0.1)), ("left", Foothold(0.1, 0.12))], stance=stance)
    assert [s.side for s in steps.steps] == ["right", "left"]
    assert steps.stances[1].right.x == 0.1
    assert steps.stances[1].left == stance.left


@given(
    x=st.floats(-0.3, 0.3), y=st.floats(-0.3, 0.3), yaw=st.floats(-pi, pi), seed=st.integers(0, 99)
)
def test_overlap_agrees_with_points_of_the_rectangles(x, y, yaw, seed):
    """A point inside both proves the overlap; without overlap there is none."""
    rng, size = np.random.default_rng(seed), (0.24, 0.14)
    one, other = Foothold(0.0, 0.0), Foothold(x, y, 0.0, yaw)
    points = rng.uniform(-0.5, 0.5, (400, 2)) * size
    inside = [
        abs(p[0] * np.cos(yaw) + p[1] * np.sin(yaw)) < 0.12
        and abs(p[1] * np.cos(yaw) - p[0] * np.sin(yaw)) < 0.07
        for p in points - (x, y)
    ]
    touching = overlap(foot_corners(one, size), foot_corners(other, size))
    assert touching or not any(inside)
    assert touching == overlap(foot_corners(other, size), foot_corners(one, size))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: walk(4, 0.2, width=0.1), "feet overlap before the first step"),
        (lambda: walk(4, 0.7), r"step 1 \(left\) is out of reach: 0.728 m .*, more than 0.6 m"),
        (lambda: walk(4, 0.0, sideways=0.5), r"step 1 \(left\) is out of reach"),
        (lambda: walk(2, nan), "forward must be finite"),
        (lambda: walk(-1), "whole number"),
        (lambda: walk(2.0), "whole number"),
        (lambda: walk(2, 0.1, rise=(0.1,)), "rise must be one finite number or 2"),
        (lambda: walk(2, 0.1, turn=0.1, sideways=-0.1), "same sign"),
        (lambda: walk(2, first="middle"), "'left' or 'right', got 'middle'"),
        (lambda: Foothold(nan, 0.0), "x of a foothold must be a finite number"),
        (lambda: Foothold("a", 0.0), "x of a foothold"),
        (lambda: Stance.parallel(-0.2), "width of a stance"),
        (lambda: Timing(single=0.0), "single of the timing must be positive"),
        (lambda: Timing(double=inf), "double of the timing"),
        (
            lambda: Footstep(side="left", foothold=Foothold(0, 0), start=0.0, duration=1.0),
            "start of a step",
        ),
        (
            lambda: Footstep(side="left", foothold=Foothold(0, 0), start=1.0, duration=-1.0),
            "duration",
        ),
        (
            lambda: Footstep(side="left", foothold=Foothold(0, 0), start=1, duration=1, lift=0.0),
            "lift",
        ),
        (lambda: two((0.2, 0.0), 0.0), r"step 2 \(right\) lands on the standing foot"),
        (lambda: two((0.0, 0.1), 0.0, 1.5), "step 2 lifts off at 1.5 s, not after"),
        (lambda: two((0.3, 0.1), 0.0, yaw=3.0), r"step 2 \(right\) is out of reach: yaw 3 rad"),
        (lambda: two((0.0, 0.25), 0.0), r"step 2 \(right\) crosses the legs"),
        (lambda: two((0.5, 0.1), -0.5), r"step 2 \(right\) passes through the standing foot"),
    ],
)
def test_what_is_refused(make, words):
    with pytest.raises(GaitError, match=words):
        make()


def two(where, x, start=2.5, yaw=0.0):
    """Left steps in place, then right to `where`, from x."""
    stance = Stance(Foothold(0.0, 0.1), Foothold(x, -0.1))
    if where == (0.5, 0.1):  # from behind one side to in front of the other
        stance = Stance(Foothold(0.0, 0.1), Foothold(-0.3, -0.04))
        where = (0.3, 0.1)
    steps = (
        Footstep(side="left", foothold=Foothold(0.0, 0.1), start=1.0, duration=1.0),
        Footstep(
            side="right", foothold=Foothold(where[0], where[1], yaw=yaw), start=start, duration=1.0
        ),
    )
    return Footsteps(stance=stance, steps=steps)
