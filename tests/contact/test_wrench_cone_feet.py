"""Wrench cones by double description: polygons, several feet, flat cones, the whole space."""

from __future__ import annotations

import numpy as np
import pytest

from contact.frames import frames_of, rotation_of
from contact.papers.experiments.vertex_forces import lp_margin
from contact.wrench_cone import WrenchCone, rectangle_corners
from contact.wrench_cone.polygon import centroid_of, checked_polygon, convex_hull
from contact.wrench_cone.polyhedral_cone import together
from contact.wrench_cone.rectangle import rectangle_rows
from sole.base.errors import ShapeError, SoleError

MU = 0.5
FOOT = np.array([[0.12, 0.03], [0.1, 0.05], [-0.1, 0.04], [-0.11, -0.03], [0.11, -0.05]])


def flat_points(vertices):
    points = np.column_stack([vertices, np.zeros(len(vertices))])
    return points, np.tile(np.eye(3), (len(vertices), 1, 1))


def near(cone, count, seed=0, spread=2.0):
    """Wrenches on both sides of the boundary: from the axis to sums of rays, and beyond."""
    rng = np.random.default_rng(seed)
    rays = rng.exponential(1, (count, len(cone.generators))) ** 4 @ cone.generators
    centre = (rays[:, :3] @ cone.up)[:, None] * cone.axis
    return centre + rng.uniform(0.5, spread, (count, 1)) * (rays - centre)


def two_feet(tilt=0.0):
    """Corners and frames of two feet; the right one on a slope of `tilt` rad, ahead and higher."""
    left, frames = flat_points(rectangle_corners(0.11, 0.06) + np.array([0, 0.1]))
    R = rotation_of(np.array([0.3 * tilt, -tilt, 0.2]))
    right = flat_points(rectangle_corners(0.11, 0.06))[0] @ R.T + [0.25, -0.1, 0.2 * tilt]
    return np.vstack([left, right]), np.concatenate([frames, np.tile(R.T, (4, 1, 1))])


def matched(rows, others):
    """Return the largest distance of a row to the other set's nearest, both ways."""
    apart = np.linalg.norm(rows[:, None] - others[None], axis=2)
    return max(apart.min(axis=0).max(), apart.min(axis=1).max())


@pytest.mark.parametrize(
    ("X", "Y", "mu"), [(0.112, 0.065, 0.4), (0.1, 0.1, 1.0), (0.5, 0.01, 0.02)]
)
def test_qhull_finds_the_sixteen_rows(X, Y, mu):
    found = WrenchCone.of_polygon(rectangle_corners(X, Y), mu)
    assert found.rows.shape == (16, 6)
    # 1e-12: round-off of the whitening, times the condition 1/mu of the worst case.
    assert matched(found.rows, rectangle_rows(X, Y, mu)) < 1e-12


@pytest.mark.parametrize("sides", [3, 5, 8])
def test_polygons_against_vertex_forces(sides):
    angle = 2 * np.pi * np.arange(sides) / sides + 0.3
    vertices = np.column_stack([0.12 * np.cos(angle) + 0.02, 0.07 * np.sin(angle)])
    cone = WrenchCone.of_polygon(vertices, MU)
    w = near(cone, 200)
    found = lp_margin(w, *flat_points(vertices), MU, cone)
    assert 0.05 < (found > 0).mean() < 0.95
    assert cone.margin(w).value == pytest.approx(found, abs=1e-11)


@pytest.mark.parametrize("tilt", [0.0, 0.4])
def test_two_feet_against_vertex_forces(tilt):
    points, frames = two_feet(tilt)
    cone = WrenchCone.of_contacts(points, frames, MU)
    w = near(cone, 200)
    found = lp_margin(w, points, frames, MU, cone)
    assert 0.05 < (found > 0).mean() < 0.95
    assert cone.margin(w).value == pytest.approx(found, abs=1e-11)
    assert cone.presses


def test_two_coplanar_feet_are_minkowskis_sum():
    """Rows of the summed cones are those of all contacts; it holds sums of what both hold."""
    points, frames = two_feet()
    left, right = (
        WrenchCone.of_contacts(p, f, MU)
        for p, f in zip((points[:4], points[4:]), (frames[:4], frames[4:]), strict=True)
    )
    both = WrenchCone.of_contacts(points, frames, MU)
    summed = together([left, right])
    # Flat contacts are solved for friction 1, the sum for MU: round-off of two calculations.
    assert matched(summed.rows, both.rows) < 1e-11
    assert sorted(summed.words) == sorted(both.words)  # of flat contacts, here too
    w = near(left, 500) * 3 + near(right, 500, seed=1)
    held = left.contains(near(left, 500)) & right.contains(near(right, 500, seed=1))
    assert 20 < held.sum() < 480
    assert both.contains(w[held], tolerance=1e-12).all()


def test_two_turned_feet_hold_more_than_their_hull():
    """Square pyramids turn with the foot: corners of both count where the frames differ."""
    points, frames = two_feet()
    straight = WrenchCone.of_contacts(points, np.tile(np.eye(3), (8, 1, 1)), MU)
    hull = WrenchCone.of_polygon(convex_hull(points[:, :2]), MU)
    w = near(hull, 300)
    common = hull.contains(w)
    assert (straight.contains(w) == common).all()  # Proposition 1: inner vertices add nothing
    turned = WrenchCone.of_contacts(points, frames, MU)
    assert (turned.contains(w) != common).any()


def test_a_cone_seen_from_elsewhere_is_the_cone_of_contacts_elsewhere():
    points, frames = two_feet(0.3)
    R, p = rotation_of(np.array([0.1, 0.5, -0.4])), np.array([0.3, -2.0, 1.0])
    there = WrenchCone.of_contacts(points @ R.T + p, frames @ R.T, MU)
    cone = WrenchCone.of_contacts(points, frames, MU).moved(R, p)
    w = near(there, 300)
    assert there.margin(w).value == pytest.approx(cone.margin(w).value, abs=1e-10)


@pytest.mark.parametrize("case", ["polygon", "two feet", "tilted feet"])
def test_every_facet_against_vertex_forces(case):
    """Wrenches 1e-4 inside and outside every facet: programme and rows agree on each side."""
    if case == "polygon":
        points, frames = flat_points(FOOT)
    else:
        points, frames = two_feet(0.0 if case == "two feet" else 0.4)
    cone = WrenchCone.of_contacts(points, frames, MU)
    rng = np.random.default_rng(4)
    w, active = [], []
    for k, row in enumerate(cone.rows):
        on = np.abs(cone.generators @ row) < 1e-9
        assert np.linalg.matrix_rank(cone.generators[on], tol=1e-7) == 5
        ray = rng.uniform(0.2, 1, on.sum()) @ cone.generators[on]
        central = ray[:3] @ cone.up * cone.axis
        for side in (-1e-4, 1e-4):
            w.append(central + (1 + side) * (ray - central))
            active.append(k)
    value, facet = cone.margin(np.array(w))
    assert (np.sign(value) == np.tile([1, -1], len(cone.rows))).all()
    assert set(facet) == set(range(len(cone.rows)))
    assert (facet == active).all()
    found = lp_margin(np.array(w), points, frames, MU, cone)
    assert value == pytest.approx(found, abs=1e-10)


def test_polygons_give_way_at_their_edges():
    cone = WrenchCone.of_polygon(FOOT, MU)
    x, y = centroid_of(FOOT)
    assert cone.margin([0, 0, 10, 10 * y, -10 * x, 0]).value == pytest.approx(1.0)
    for zmp, word in (
        ((0.116, -0.01), "tilt about toe"),
        ((0.0, 0.044), "tilt about left edge"),
        ((-0.106, 0.0), "tilt about heel"),
        ((0.11, 0.039), "tilt about front left edge"),
    ):
        w = [0, 0, 10, 10 * zmp[1], -10 * zmp[0], 0]
        margin, facet = cone.margin(w)
        assert cone.word(facet) == word
        assert -0.15 < margin < 0.15
    assert cone.word(cone.margin([4, 0, 10, 0, 0, 0]).facet) == "slide backward"


def test_order_and_orientation_do_not_matter():
    cone = WrenchCone.of_polygon(FOOT, MU)
    split = np.insert(FOOT, 1, FOOT[:2].mean(axis=0), axis=0)
    for vertices in (FOOT[::-1], np.roll(FOOT, 2, axis=0), split, np.repeat(FOOT, 2, axis=0)):
        assert matched(WrenchCone.of_polygon(vertices, MU).rows, cone.rows) < 1e-12
    assert checked_polygon(split).shape == FOOT.shape
    assert centroid_of(rectangle_corners(0.2, 0.1) + np.array([1, 2])) == pytest.approx([1, 2])
    assert centroid_of(np.array([[0, 0], [3, 0], [0, 3.0]])) == pytest.approx([1, 1])


@pytest.mark.parametrize(
    ("vertices", "said"),
    [
        ([[0, 0], [1, 0]], "at least 3"),
        ([[0, 0], [1, 0], [2, 0]], "needs an area"),
        ([[0, 0], [0, 0], [0, 0]], "needs an area"),
        ([[0, 0], [1, 0], [np.nan, 1]], "finite"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "shape"),
        ([[0, 0], [2, 0], [0.5, 0.5], [0, 2]], "not convex"),
        ([[0, 0], [3, 3], [3, 0], [0, 1]], "not convex"),
        ("abc", "numbers"),
    ],
)
def test_bad_polygons(vertices, said):
    with pytest.raises(ShapeError, match=said):
        WrenchCone.of_polygon(vertices, MU)


def test_a_star_winds_twice():
    angle = 2 * np.pi * 2 * np.arange(5) / 5
    with pytest.raises(ShapeError, match="cross"):
        checked_polygon(np.column_stack([np.cos(angle), np.sin(angle)]))


def test_the_hull_of_a_shape_that_is_not_convex():
    dented = np.array([[0, 0], [2, 0], [0.5, 0.5], [0, 2.0]])
    assert len(checked_polygon(convex_hull(dented))) == 3
    with pytest.raises(ShapeError, match="line"):
        convex_hull([[0, 0], [1, 1], [2, 2]])


@pytest.mark.parametrize(("count", "equations"), [(1, 3), (2, 1)])
def test_a_point_and_a_line_have_no_interior(count, equations):
    """A point transmits no moment, a line none about itself; said by pairs of rows."""
    points, frames = flat_points(np.array([[0.1, 0.0], [-0.1, 0.0]])[:count])
    cone = WrenchCone.of_contacts(points, frames, MU)
    assert cone.equations.sum() == 2 * equations
    rays = near(cone, 200)
    found = lp_margin(rays, points, frames, MU, cone)
    assert cone.margin(rays).value == pytest.approx(found, abs=1e-9)
    beside = rays + np.array([0, 0, 0, 1e-3, 0, 0])
    assert (cone.margin(beside).value == -np.inf).all()
    assert not cone.contains(beside).any()


def test_a_single_ray():
    cone = WrenchCone.of_contacts([[0, 0, 0]], [np.eye(3)], 0.0)
    assert cone.margin([0, 0, 5, 0, 0, 0]).value == pytest.approx(1.0)
    assert not cone.contains([0, 0, -5, 0, 0, 0])
    assert not cone.contains([0, 1, 5, 0, 0, 0])


def walls(mu):
    """Two hands with four points each press on two walls that face each other."""
    square = [(y, z) for y in (-0.05, 0.05) for z in (-0.05, 0.05)]
    points = np.array([[x, y, z] for x in (-0.5, 0.5) for y, z in square])
    normals = np.array([[-np.sign(x), 0, 0] for x in points[:, 0]])
    return points, frames_of(normals)


def test_hands_between_walls_hold_every_wrench():
    points, frames = walls(MU)
    with pytest.raises(SoleError, match="opposite directions"):
        WrenchCone.of_contacts(points, frames, MU)
    cone = WrenchCone.of_contacts(points, frames, MU, up=[0, 0, 1], axis=[0, 0, 1, 0, 0, 0])
    assert cone.whole
    assert cone.word(cone.margin([0, 0, -9, 0, 1, 3]).facet) == "nothing limits"
    assert cone.margin(np.ones((3, 6))).value.tolist() == [np.inf] * 3
    assert cone.contains(-np.ones(6))


def test_a_squeeze_without_friction_in_one_plane():
    """Smooth walls: pushes balance, x and moments are limited by nothing, y and z not held."""
    points, frames = walls(0.0)
    axis = [1, 0, 0, 0, 0, 0]
    with pytest.raises(SoleError, match="opposite"):
        WrenchCone.of_contacts(points, frames, 0.0)
    cone = WrenchCone.of_contacts(points, frames, 0.0, up=[1, 0, 0], axis=axis)
    assert not cone.presses
    assert not cone.whole
    assert cone.contains([-70, 0, 0, 0, 0.3, -0.2])  # against `up`, too
    assert not cone.contains([70, 1, 0, 0, 0, 0])
    assert not cone.contains([70, 0, 0, 0.1, 0, 0])


@pytest.mark.parametrize(
    ("points", "frames", "said"),
    [
        (np.zeros((0, 3)), np.zeros((0, 3, 3)), "n > 0"),
        (np.zeros((2, 2)), np.zeros((2, 3, 3)), "shape"),
        (np.zeros((1, 3)), [np.diag([1, 1, -1.0])], "reflection"),
        (np.zeros((1, 3)), [2 * np.eye(3)], "not a rotation"),
        (np.full((1, 3), np.nan), [np.eye(3)], "finite"),
    ],
)
def test_bad_contacts(points, frames, said):
    with pytest.raises(SoleError, match=said):
        WrenchCone.of_contacts(points, frames, MU)


def test_the_axis_is_inside():
    points, frames = flat_points(FOOT)
    heel = [0, 0, 2.0, 0, 0.22, 0]
    with pytest.raises(SoleError, match="inside"):
        WrenchCone.of_contacts(points, frames, MU, axis=heel)
    ahead = WrenchCone.of_contacts(points, frames, MU, axis=[0, 0, 2.0, 0, -0.1, 0])
    assert ahead.margin([0, 0, 30, 0, -1.5, 0]).value == pytest.approx(1.0)
    assert ahead.margin([0, 0, 30, 0, 0, 0]).value < 1.0
    with pytest.raises(SoleError, match="generators"):
        WrenchCone.of_generators(np.zeros((0, 6)))


@pytest.mark.parametrize("bump", [1e-3, 1e-5, 1e-7, 1e-9, 1e-12])
def test_a_vertex_that_hardly_bulges(bump):
    """However flat the corner, the cone is that of the vertex forces."""
    vertices = np.insert(rectangle_corners(0.1, 0.05), 1, [0.03, 0.05 + bump], axis=0)
    cone = WrenchCone.of_polygon(vertices, MU)
    w = near(cone, 60)
    found = lp_margin(w, *flat_points(vertices), MU, cone)
    # Facets that meet at an angle of 1e-9 may count as one: an error of that size.
    assert cone.margin(w).value == pytest.approx(found, abs=2e-9)
