"""A node between three stones or more: none of them is entered."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contact.ground import Bump, CompositeGround, Gravel, Plane, Stairs, Step
from contact.ground.culling import NEARLY, count_overlaps
from contact.rigid_bodies import RigidBodies, RigidBody
from contact.step import Body

DT = 2e-3


def pit(stones: int) -> CompositeGround:
    """Overlapping stones around the origin, as high as the pit between them is wide."""
    angles = [2 * pi * k / stones + 0.1 for k in range(stones)]
    return CompositeGround(
        parts=tuple(
            Bump(rise=0.03, radius=0.02 + 1e-3 * k, x=0.019 * cos(a), y=0.019 * sin(a))
            for k, a in enumerate(angles)
        )
    )


def depth(ground, points) -> float:
    """Return how deep the deepest point is in any piece [m], by each piece alone."""
    gaps, _ = ground.gaps(points, points)
    return float(-gaps.min())


@pytest.mark.parametrize("stones", [4, 5])
def test_a_node_that_falls_into_a_pit_enters_no_stone(stones):
    # One rigid node under a mass, thrown into the pit: it comes to rest on three stones. Stones are
    # convex, so the node of a body that does not turn stays out to the solver's tolerance, about
    # 1e-6 of the 2 mm that it moves in a step; with two surfaces it went in by 0.25 mm.
    ground = pit(stones)
    node = Body(points=np.zeros((1, 3)), friction=0.0)
    body = RigidBody(contact=node, mass=2.0, inertia=[10.0, 10.0, 10.0])
    scene = RigidBodies([body], ground)
    state = scene.at([[0.002, -0.001, 0.05]], twists=[[0.1, 0.3, -1.0, 0, 0, 0]])
    worst, touched = 0.0, 0
    for _ in range(120):
        done = scene.step(state, DT)
        state = done.state
        worst = max(worst, depth(ground, state.places))
        touched = max(touched, int((np.abs(state.soles.forces[0]).sum(axis=1) > 0).sum()))
    assert touched >= 3
    assert worst < 1e-8


def test_surfaces_of_a_query_are_the_nearest_of_all_pieces():
    # Against all pieces, one by one: the slots have the nearest gaps of those that stand out.
    ground = Gravel(count=300, rise=0.02, radius=0.02, length=0.3, width=0.3, seed=4)
    rng = np.random.default_rng(1)
    points = np.column_stack([rng.uniform(-0.1, 0.1, (200, 2)), rng.uniform(0, 0.02, 200)])
    S = ground.compiled.surfaces
    assert S > 2
    gap, normal, solid = ground.compiled.nearest(points, points, S)
    two = ground.query(points, points)
    np.testing.assert_array_equal(gap[:, :2], two.gap)
    np.testing.assert_array_equal(solid[:, :2], two.solid)
    np.testing.assert_array_equal(normal[:, :2], two.normal)
    centres = np.array([p.origin for p in ground.pieces])
    radii = np.array([p.size[0] for p in ground.pieces])
    seen = 0
    for i, p in enumerate(points):
        for s in range(2, S):
            if solid[i, s] < 0:
                assert np.isinf(gap[i, s])
                continue
            k = solid[i, s]
            assert k not in solid[i, :s]
            own = p[2] if k == 0 else np.linalg.norm(p - centres[k]) - radii[k]
            assert gap[i, s] == pytest.approx(own, abs=1e-12)
            assert gap[i, s] >= gap[i, s - 1]
            seen += 1
    assert seen > 50


@pytest.mark.parametrize("ground", [Plane(), Step(rise=0.01), Stairs(), pit(1)])
def test_grounds_without_several_stones_keep_two_surfaces(ground):
    assert ground.compiled.surfaces == 2


def test_sparse_gravel_has_as_many_surfaces_as_may_meet_and_the_floor():
    sparse = [Bump(rise=0.01, radius=0.01, x=0.1 * k) for k in range(5)]
    assert CompositeGround(parts=tuple(sparse)).compiled.surfaces == 2
    beside = Bump(rise=0.01, radius=0.01, x=0.02 + 0.9 * NEARLY)
    assert CompositeGround(parts=(*sparse, beside)).compiled.surfaces == 3
    assert pit(4).compiled.surfaces == 5


@given(st.lists(st.tuples(*[st.integers(0, 12)] * 4), min_size=1, max_size=12), st.integers(1, 20))
def test_overlaps_are_those_counted_point_by_point(boxes, most):
    # Whole numbers of metres: to within half a millimetre of a corner no other box begins or ends.
    low = np.array([box[:2] for box in boxes], dtype=float)
    high = low + np.array([box[2:] for box in boxes])
    bound = np.column_stack([low, np.zeros(len(low)), high, np.ones(len(low))])
    inside = [
        ((low <= (x, y)) & ((x, y) <= high)).all(axis=1).sum() for x, _ in low for _, y in low
    ]
    assert count_overlaps(bound, most) == min(most, max(inside))
