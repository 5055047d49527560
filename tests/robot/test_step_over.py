"""A swing foot steps over what holds it back, but not if friction or a short way may explain it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot.online.obstacle import AWAY, BACK, SHORT, draw_back, is_in_the_way

HERE = np.array([0.7, 0.1, 0.05, 0.0])
angles = st.floats(-math.pi, math.pi)


def wrench(back: float, up: float, heading: float) -> np.ndarray:
    """Return a wrench in axes of the foot that holds it back, `heading` from its x axis."""
    return np.array([-back * math.cos(heading), -back * math.sin(heading), up, 0.0, 0.0, 0.0])


def ahead(way: float, angle: float) -> np.ndarray:
    """Return a foothold that lies `way` from `HERE` in the direction `angle` of the world."""
    return HERE + np.array([way * math.cos(angle), way * math.sin(angle), 0.0, 0.0])


@given(angle=angles, yaw=angles, up=st.floats(1.0, 1e3), way=st.floats(1.01 * SHORT, 0.5))
def test_more_than_the_bound_is_in_the_way_in_any_direction(angle, yaw, up, way):
    here = HERE + np.array([0.0, 0.0, 0.0, yaw])
    for share, met in ((1.001, True), (0.999, False)):
        w = wrench(share * BACK * up, up, angle - yaw)
        assert is_in_the_way(w, here, ahead(way, angle)) is met
        assert not is_in_the_way(wrench(-back_of(w), up, angle - yaw), here, ahead(way, angle))


def back_of(w: np.ndarray) -> float:
    return math.hypot(w[0], w[1])


@given(friction=st.floats(0.0, 0.95), slides=angles, angle=angles)
def test_friction_alone_is_no_obstacle(friction, slides, angle):
    """A sole that scuffs the ground is held back by at most mu F_z; mu < 1 for rubber here."""
    w = wrench(friction * 50.0, 50.0, slides)
    assert not is_in_the_way(w, HERE, ahead(0.3, angle))


def test_a_foot_that_is_almost_there_lands():
    w = wrench(200.0, 10.0, 0.0)
    assert is_in_the_way(w, HERE, ahead(1.01 * SHORT, 0.0))
    assert not is_in_the_way(w, HERE, ahead(0.99 * SHORT, 0.0))


@given(angle=angles)
def test_it_draws_back_along_its_way(angle):
    way = HERE - draw_back(HERE, ahead(0.2, angle))
    assert way == pytest.approx([AWAY * math.cos(angle), AWAY * math.sin(angle), 0, 0], abs=1e-15)
