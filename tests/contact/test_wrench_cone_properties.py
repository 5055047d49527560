"""What must hold for any foot and any wrench: convexity, scaling, frames, mirror images."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contact.frames import rotation_of, transform_wrenches
from contact.papers.experiments.vertex_forces import lp_margin
from contact.wrench_cone import CircularCone, WrenchCone, rectangle_corners, rectangle_yaw_torque
from contact.wrench_cone.polygon import convex_hull
from sole.base.errors import ShapeError

sizes = st.floats(0.01, 0.5)
frictions = st.floats(0.05, 2.0)
parts = st.lists(st.floats(-1.5, 1.5), min_size=5, max_size=5)
shifts = st.lists(st.floats(-2, 2), min_size=3, max_size=3).map(np.array)
ROUND_OFF = 1e-10  # numbers of order one to a thousand, a few dozen operations
WORDS = {"left": "right", "right": "left"}


def wrench_of(X, Y, mu, shares, load=100.0):
    """A wrench with these shares of what the rectangle holds of each component alone."""
    fx, fy, tx, ty, tz = load * np.array(shares) * [mu, mu, Y, X, mu * (X + Y)]
    return np.array([fx, fy, load, tx, ty, tz])


def programme(cone, w, X, Y, mu):
    """The margin by a linear programme on vertex forces: no rows, no facets."""
    points = np.column_stack([rectangle_corners(X, Y), np.zeros(4)])
    return float(lp_margin(w[None], points, np.tile(np.eye(3), (4, 1, 1)), mu, cone)[0])


@given(sizes, sizes, frictions, st.lists(st.floats(0.01, 1), min_size=16, max_size=16))
def test_rays_of_a_facet_have_no_margin(X, Y, mu, weights):
    """Sums of the rays on one facet lie on the boundary, and there that row is active."""
    cone = WrenchCone.of_rectangle(X, Y, mu)
    on = np.abs(cone.generators @ cone.rows.T) <= 1e-12 * np.abs(cone.rows).max(axis=1)
    for k in range(16):
        w = np.array(weights)[on[:, k]] @ cone.generators[on[:, k]]
        value, facet = cone.margin(w)
        assert value == pytest.approx(0, abs=ROUND_OFF)
        assert facet == k or cone.slack(w)[facet] == pytest.approx(0, abs=ROUND_OFF)


@given(sizes, sizes, frictions, parts, parts, st.floats(0, 1))
def test_convexity(X, Y, mu, one, other, share):
    """The margin is a concave function of the wrench over its load."""
    cone = WrenchCone.of_rectangle(X, Y, mu)
    a, b = wrench_of(X, Y, mu, one), wrench_of(X, Y, mu, other)
    between = cone.margin(share * a + (1 - share) * b).value
    assert between >= share * cone.margin(a).value + (1 - share) * cone.margin(b).value - ROUND_OFF


@given(sizes, sizes, frictions, parts, st.floats(1e-6, 1e6))
def test_scaling(X, Y, mu, shares, factor):
    """A cone: the margin of a multiple is the same; metres and millimetres agree."""
    cone, w = WrenchCone.of_rectangle(X, Y, mu), wrench_of(X, Y, mu, shares)
    margin = cone.margin(w).value
    assert cone.margin(factor * w).value == pytest.approx(margin, abs=ROUND_OFF)
    in_mm = WrenchCone.of_rectangle(1e3 * X, 1e3 * Y, mu)
    assert in_mm.margin(w * [1, 1, 1, 1e3, 1e3, 1e3]).value == pytest.approx(margin, abs=ROUND_OFF)


@given(sizes, sizes, frictions, parts)
def test_mirror_images(X, Y, mu, shares):
    """y -> -y: left and right change places, the margin stays; so for x -> -x and x <-> y."""
    cone, w = WrenchCone.of_rectangle(X, Y, mu), wrench_of(X, Y, mu, shares)
    margin, facet = cone.margin(w)
    assert margin == pytest.approx(programme(cone, w, X, Y, mu), abs=1e-9 * (1 + abs(margin)))
    seen, mirrored = cone.margin(w * [1, -1, 1, -1, 1, -1])
    assert seen == margin
    if np.sort(cone.slack(w) / -(cone.rows @ cone.axis))[1] > margin * w[2] + 1e-9 * w[2]:
        swapped = " ".join(WORDS.get(word, word) for word in cone.word(facet).split())
        assert cone.word(mirrored) == swapped
    assert cone.margin(w * [-1, 1, 1, 1, -1, -1]).value == margin
    turned = WrenchCone.of_rectangle(Y, X, mu)
    quarter = np.array([-w[1], w[0], w[2], -w[4], w[3], w[5]])
    assert turned.margin(quarter).value == pytest.approx(margin, abs=ROUND_OFF)
    yaw, left = (
        rectangle_yaw_torque(w, X, Y, mu),
        rectangle_yaw_torque(w * [1, -1, 1, -1, 1, -1], X, Y, mu),
    )
    assert (left.lowest, left.highest, left.safe) == (-yaw.highest, -yaw.lowest, -yaw.safe)


@given(sizes, sizes, frictions, parts, shifts, shifts)
def test_moved_frames(X, Y, mu, shares, turn, shift):
    cone, w = WrenchCone.of_rectangle(X, Y, mu), wrench_of(X, Y, mu, shares)
    R = rotation_of(turn)
    there = cone.moved(R, shift)
    assert there.margin(transform_wrenches(w, R, shift)).value == pytest.approx(
        cone.margin(w).value, rel=1e-8, abs=1e-8 / min(1, mu * min(X, Y))
    )


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.floats(-0.2, 0.2), st.floats(-0.2, 0.2)), min_size=3, max_size=7),
    st.floats(0.1, 1.0),
    st.lists(st.floats(0, 1), min_size=28, max_size=28),
)
def test_random_polygons(points, mu, weights):
    """Sums of vertex forces are held by the cone; inner, circular and outer enclose each other."""
    try:
        vertices = convex_hull(points)
        if np.linalg.norm(vertices - np.roll(vertices, 1, axis=0), axis=1).min() < 1e-3:
            return
        cones = [WrenchCone.of_polygon(vertices, mu, p) for p in ("inner", "outer")]
        circular = CircularCone(vertices=vertices, friction=mu)
    except ShapeError:
        return
    rays = np.array(weights)[: len(cones[0].generators), None]
    w = (rays * cones[0].generators).sum(axis=0) + 1e-3 * cones[0].axis
    inner, outer = (cone.margin(w).value for cone in cones)
    assert inner > -1e-9
    points = np.column_stack([vertices, np.zeros(len(vertices))])
    frames = np.tile(np.eye(3), (len(vertices), 1, 1))
    exact = lp_margin(w[None], points, frames, mu, cones[1])[0]
    assert outer == pytest.approx(exact, abs=1e-8)
    found = circular.margin(w)
    assert inner <= found.bound + 1e-9
    assert found.value <= outer + 1e-9
