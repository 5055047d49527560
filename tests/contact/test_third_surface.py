"""A node between three stones or more: none of them is entered."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest

from contact.ground import Bump, CompositeGround, Gravel, Plane, Stairs, Step
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
