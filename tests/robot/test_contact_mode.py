"""Air, point, edge, surface: from the hull of the loaded nodes, and in a run."""

from __future__ import annotations

import numpy as np
import pytest
from doors import door
from hypothesis import given
from hypothesis import strategies as st
from robot_cases import run_of
from scipy.spatial import ConvexHull

from robot.gait import Balancing
from robot.recorder.contact_mode_kernels import (
    AIR,
    EDGE,
    POINT,
    SURFACE,
    contact_mode,
    convex_hull,
    find_corners,
)
from robot.walk import Scenario, SoleChoice

x, y = np.meshgrid(np.linspace(-0.1, 0.1, 5), np.linspace(-0.06, 0.06, 3), indexing="ij")
GRID = np.column_stack([x.ravel(), y.ravel()])


def mode(loaded, slight=()):
    """Mode of a body some of whose nodes carry 40 N, others 1 mN."""
    load = np.zeros(len(GRID))
    load[np.array(loaded, dtype=int)] = 40.0
    load[np.array(slight, dtype=int)] = 1e-3
    return door(contact_mode)(GRID, load, load.sum(), find_corners(GRID, len(GRID)), 0.012)


@pytest.mark.parametrize(
    ("loaded", "expected"),
    [
        ([], AIR),
        ([0], POINT),
        ([14], POINT),
        ([0, 3, 6, 9, 12], EDGE),  # the right side
        ([12, 13, 14], EDGE),  # the toe
        ([0, 14], EDGE),  # a diagonal
        ([0, 7, 14], EDGE),
        ([0, 1, 3], SURFACE),
        ([0, 2, 12, 14], SURFACE),
        (range(15), SURFACE),
    ],
)
def test_what_the_hull_says(loaded, expected):
    assert mode(list(loaded)) == expected


def test_slight_loads_do_not_count():
    assert mode([0, 3], slight=[14]) == EDGE
    assert mode([0], slight=[2, 14]) == POINT


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=3, max_size=20))
def test_the_hull_is_that_of_qhull(points):
    p = np.array(points, dtype=float)
    if np.linalg.matrix_rank(p - p[0]) < 2:
        hull = p[door(convex_hull)(p, len(p))]
        ends = {tuple(min(points)), tuple(max(points))}
        assert {tuple(v) for v in hull} == ends
        return
    own = p[door(convex_hull)(p, len(p))]
    theirs = p[ConvexHull(p).vertices]
    assert {tuple(v) for v in own} == {tuple(v) for v in theirs}


def test_a_run_knows_when_a_foot_is_in_the_air():
    pad = SoleChoice(size=0.06, element="p1", rigid=True)
    gait = Balancing(hold=0.1, lift=0.02, initial=1.0, final=1.0)
    run, _ = run_of(Scenario(sole=pad, gait=gait, settle=0.1))
    modes = run["contact_mode"]
    assert modes.dtype == np.int64
    assert (modes[:, 0] == SURFACE).all()
    lifted = run["wrench_world"][:, 1, 2] == 0.0
    assert lifted.any()
    assert ((modes[:, 1] == AIR) == lifted).all()
