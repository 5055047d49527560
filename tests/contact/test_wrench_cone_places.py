"""The cone does not depend on where the origin is, nor on how the world is turned."""

from __future__ import annotations

import numpy as np
import pytest

from contact.frames import rotation_of, transform_wrenches
from contact.wrench_cone import CircularCone, WrenchCone, rectangle, rectangle_corners
from contact.wrench_cone.polyhedral_cone import together
from sole.base.errors import SoleError

X, Y, MU = 0.112, 0.065, 0.4  # HRP-4
TURN = rotation_of(np.array([0.4, -0.3, 1.1]))
# Moments of 400 N at 1000 m carry 6e-11 N m of round-off, the least lever is 0.026 m: 6e-12.
EXACT = 1e-9


def states(count=400):
    rng = np.random.default_rng(3)
    w = rng.normal(size=(count, 6)) * np.array([80, 80, 0, 15, 25, 12])
    w[:, 2] = 400.0
    return w


def two_feet(tilt):
    flat = np.column_stack([rectangle_corners(X, Y), np.zeros(4)])
    R = rotation_of(np.array([0.2 * tilt, -tilt, 0.3]))
    points = np.vstack([flat, flat @ R.T + [0.25, -0.2, 0.1 * (tilt > 0)]])
    return points, np.concatenate([np.tile(np.eye(3), (4, 1, 1)), np.tile(R.T, (4, 1, 1))])


@pytest.mark.parametrize("far", [8.0, 30.0, 100.0, 1000.0])
def test_a_rectangle_anywhere_has_its_sixteen_rows(far):
    place = far * np.array([np.cos(0.7), np.sin(0.7)])
    cone = WrenchCone.of_polygon(rectangle_corners(X, Y) + place, MU)
    assert len(cone.rows) == 16
    w = states()
    there = transform_wrenches(w, np.eye(3), [*place, 0.0])
    here = WrenchCone.of_rectangle(X, Y, MU)
    assert cone.margin(there).value == pytest.approx(here.margin(w).value, abs=EXACT)
    assert sum(word.startswith("slide") for word in cone.words) == 4
    assert f"{place[0] + X:.3g}" in " ".join(cone.words)  # they turn about its corners


@pytest.mark.parametrize("tilt", [0.0, 0.3])
@pytest.mark.parametrize("far", [8.0, 1000.0])
@pytest.mark.parametrize("turn", [np.eye(3), TURN], ids=["level", "turned"])
def test_two_feet_anywhere_have_the_same_rows(tilt, far, turn):
    points, frames = two_feet(tilt)
    here = WrenchCone.of_contacts(points, frames, MU)
    p = far * np.array([0.6, 0.64, 0.48])
    there = WrenchCone.of_contacts(points @ turn.T + p, frames @ turn.T, MU)
    w = states()
    cones = [there]
    if far < 100:  # generators about an origin 1000 m away have lost the digits, contacts not
        cones.append(WrenchCone.of_generators(there.generators, axis=there.axis, up=there.up))
    for cone in cones:
        assert len(cone.rows) == len(here.rows)
        seen = transform_wrenches(w, turn, p)
        assert cone.margin(seen).value == pytest.approx(here.margin(w).value, abs=EXACT)


def test_contacts_without_a_lever_stay_points_far_away():
    for place in (np.zeros(3), np.array([700.0, -300.0, 20.0])):
        point = WrenchCone.of_contacts([place], [np.eye(3)], MU)
        cone = WrenchCone.of_generators(point.generators)
        assert cone.equations.sum() == 6
        w = transform_wrenches([10, 0, 100, 0, 0, 0], np.eye(3), place)
        assert cone.margin(w).value == pytest.approx(1 - 10 / (MU * 100), abs=EXACT)


@pytest.mark.parametrize("mu", [1e-45, 1e-13, 1e-11, 1e-3, 30.0, 1e6])
def test_any_friction(mu):
    """Closed form, its rows and double description agree however slippery the ground is."""
    w = states() * np.array([mu, mu, 1, 1, 1, mu])
    expected = rectangle.rectangle_margin(w, X, Y, mu)
    assert np.isfinite(expected.value).all()
    for cone in (
        WrenchCone.of_rectangle(X, Y, mu),
        WrenchCone.of_polygon(rectangle_corners(X, Y), mu),
    ):
        assert not cone.equations.any()
        assert cone.margin(w).value == pytest.approx(expected.value, rel=1e-12, abs=1e-12)


def test_together_takes_axis_and_up():
    points, frames = two_feet(0.0)
    left, right = (
        WrenchCone.of_contacts(points[s], frames[s], MU) for s in (slice(4), slice(4, 8))
    )
    given = np.array([0, 0, 2.0, 0, -0.2, 0])
    cone = together([left, right], axis=given)
    assert cone.margin([0, 0, 30, 0, -3, 0]).value == pytest.approx(1.0)
    assert {word.split()[0] for word in cone.words} == {"tilt", "slide", "yaw"}
    higher = together([left, right.moved(np.eye(3), [0, 0, 0.1])])
    assert "turn" in {word.split()[0] for word in higher.words}
    with pytest.raises(SoleError, match="inside"):
        together([left, right], axis=[0, 0, 1.0, 0, 1.0, 0])
    tilted = left.moved(rotation_of(np.array([0, 0.4, 0])), np.zeros(3))
    both = together([left, tilted], up=[0, 0, 1])
    assert both.up == pytest.approx([0, 0, 1])
    assert both.load([3, 4, 5, 0, 0, 0]) == pytest.approx(5.0)


@pytest.mark.parametrize("sides", [24, pytest.param(40, marks=pytest.mark.nightly)])
def test_polygons_of_many_corners(sides):
    """Between the circles: the margin under shear is that of sliding, and rows are sharp."""
    a = 2 * np.pi * np.arange(sides) / sides
    vertices = np.column_stack([0.1 * np.cos(a), 0.06 * np.sin(a)])
    cone = WrenchCone.of_polygon(vertices, MU)
    assert cone.margin([20, 0, 100, 0, 0, 0]).value == pytest.approx(0.5)
    # Yaw at the centre: all load at the vertices where |x| + |y| is most.
    most = MU * 100 * np.abs(vertices).sum(axis=1).max()
    w = [0, 0, 100, 0, 0, 0.3 * most]
    assert cone.margin(w).value >= 0.7 - 1e-12
    outer = WrenchCone.of_polygon(vertices, MU).margin(states()).value
    circular = CircularCone(vertices=vertices, friction=MU).margin(states()).value
    assert (circular <= outer + 1e-8 * np.maximum(1, np.abs(outer))).all()


def test_too_many_corners_are_refused():
    a = 2 * np.pi * np.arange(100) / 100
    with pytest.raises(SoleError, match="at most 40 corners"):
        WrenchCone.of_polygon(np.column_stack([np.cos(a), np.sin(a)]), MU)


@pytest.mark.parametrize("mu", ["a", [0.1, 0.2], 1e308, 1e-310, None, [[1], [1, 2]]])
def test_friction_that_is_none(mu):
    for make in (WrenchCone.of_rectangle, CircularCone.of_rectangle):
        with pytest.raises(SoleError, match="friction"):
            make(X, Y, mu)
    with pytest.raises(SoleError, match="friction"):
        rectangle.rectangle_margin([0, 0, 1, 0, 0, 0], X, Y, mu)


@pytest.mark.parametrize("length", ["a", [0.1, 0.2], 1e160, 1e-160, None])
def test_sizes_that_are_none(length):
    with pytest.raises(SoleError, match="rectangle"):
        WrenchCone.of_rectangle(length, Y, MU)
    with pytest.raises(SoleError, match="rectangle"):
        rectangle.rectangle_margin([0, 0, 1, 0, 0, 0], length, Y, MU)
