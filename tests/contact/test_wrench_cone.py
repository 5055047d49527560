"""The wrench cone of a rectangle: closed form, margin, yaw interval, words, frames, bad input."""

from __future__ import annotations

import numpy as np
import pytest

from contact.frames import rotation_of, transform_wrenches, wrench_matrix, wrenches_about
from contact.papers.experiments.vertex_forces import lp_margin
from contact.wrench_cone import UNLOADED, WrenchCone, rectangle
from sole.base.errors import SoleError

X, Y, MU = 0.112, 0.065, 0.4
UPRIGHT = np.tile(np.eye(3), (4, 1, 1))


@pytest.fixture
def cone():
    return WrenchCone.of_rectangle(X, Y, MU)


def some_wrenches(count=2000, seed=0):
    rng = np.random.default_rng(seed)
    spread = np.array([80, 80, 0, 15, 25, 12])
    return rng.normal(size=(count, 6)) * spread + np.array([0, 0, 400, 0, 0, 0])


def corners_of(half_length, half_width):
    return np.column_stack([rectangle.rectangle_corners(half_length, half_width), np.zeros(4)])


@pytest.mark.parametrize(
    ("length", "width", "mu"), [(X, Y, MU), (0.05, 0.2, 1.3), (1.0, 1.0, 0.02)]
)
def test_closed_form_is_the_programme_on_vertex_forces(length, width, mu):
    """A wrench holds if and only if vertex forces exist; the margin is the programme's value."""
    cone = WrenchCone.of_rectangle(length, width, mu)
    size = np.array([mu, mu, 0, width, length, mu * (length + width)])
    w = 100 * np.random.default_rng(1).normal(size=(400, 6)) * size * 0.4
    w[:, 2] = np.random.default_rng(2).uniform(50, 150, 400)
    found = lp_margin(w, corners_of(length, width), UPRIGHT, mu, cone)
    assert 0.1 < (found > 0).mean() < 0.9
    assert (rectangle.rectangle_holds_wrench(w, length, width, mu) == (found > 0)).all()
    # 1e-12: a few hundred times the round-off of sums of numbers of order one.
    assert cone.margin(w).value == pytest.approx(found, abs=1e-12)


def test_margin_in_closed_form_is_that_of_the_rows(cone):
    w = some_wrenches()
    value, facet = rectangle.rectangle_margin(w, X, Y, MU)
    by_rows = cone.margin(w)
    assert value == pytest.approx(by_rows.value, abs=1e-13)
    assert (facet == by_rows.facet).all()
    assert set(facet) == set(range(16))
    # By the definition: what is left of the load can be taken away, and no more.
    rest = w - value[:, None] * w[:, 2:3] * cone.axis
    assert cone.slack(rest).min(axis=1) == pytest.approx(0, abs=1e-11)


def test_margin_of_known_wrenches(cone):
    assert cone.margin([0, 0, 350, 0, 0, 0]).value == 1.0
    for w, share, word in (
        ([0.3 * 100, 0, 100, 0, 0, 0], 0.25, "slide backward"),
        ([-0.3 * 100, 0, 100, 0, 0, 0], 0.25, "slide forward"),
        ([0, 0.5 * 100, 100, 0, 0, 0], -0.25, "slide right"),
        ([0, -0.1 * 100, 100, 0, 0, 0], 0.75, "slide left"),
        ([0, 0, 100, 0.5 * Y * 100, 0, 0], 0.5, "tilt about left edge"),
        ([0, 0, 100, -0.5 * Y * 100, 0, 0], 0.5, "tilt about right edge"),
        ([0, 0, 100, 0, 0.5 * X * 100, 0], 0.5, "tilt about heel"),
        ([0, 0, 100, 0, -2 * X * 100, 0], -1.0, "tilt about toe"),
        ([0, 0, 100, 0, 0, -0.2 * MU * (X + Y) * 100], 0.8, "yaw left"),
        ([0, 0, 100, 0, 0, 1.2 * MU * (X + Y) * 100], -0.2, "yaw right"),
    ):
        value, facet = cone.margin(w)
        assert value == pytest.approx(share, abs=1e-14)
        assert cone.word(facet).startswith(word)


def test_words_are_the_motion_that_the_ground_stops_to_resist(cone):
    """The twist -A_k does work >= 0 on every ray; its corner is the one that turns in place."""
    corner = {"front left": (X, Y), "rear left": (-X, Y)}
    corner |= {"rear right": (-X, -Y), "front right": (X, -Y)}
    for row, word in zip(cone.rows, cone.words, strict=True):
        v, omega = -row[:3], -row[3:]
        assert (cone.generators @ -row >= -1e-15).all()
        if word.startswith("yaw"):
            assert omega[2] == (1 if "left about" in word else -1)
            place = corner[word.partition("about ")[2].removesuffix(" corner")]
            turning = v + np.cross(omega, [*place, 0.0])
            assert turning[:2] == pytest.approx(0, abs=1e-16)
    assert len(set(cone.words)) == 16


def test_rows_are_sharp(cone):
    """Each of the 16 rows is a facet: its rays span five dimensions."""
    assert cone.rows.shape == (16, 6)
    for row in cone.rows:
        on = np.abs(cone.generators @ row) < 1e-15
        assert np.linalg.matrix_rank(cone.generators[on], tol=1e-9) == 5


def test_yaw_interval(cone):
    w = some_wrenches()
    yaw, by_rows = rectangle.rectangle_yaw_torque(w, X, Y, MU), cone.yaw_torque(w)
    for name in ("lowest", "highest", "safe", "half_width"):
        assert getattr(yaw, name) == pytest.approx(getattr(by_rows, name), abs=1e-12)
    # tau_safe is the midpoint and the deviation half the width, as derived from (20).
    assert yaw.safe == pytest.approx((yaw.lowest + yaw.highest) / 2, abs=1e-13)
    assert yaw.half_width == pytest.approx((yaw.highest - yaw.lowest) / 2, abs=1e-13)
    # With tau_safe the foot holds wherever another tau^z does, and at the ends it just holds.
    kept = cone.contains(w)
    assert kept.sum() > 500
    for ends, factor in ((yaw.safe, 1.0), (yaw.lowest, 0.0), (yaw.highest, 0.0)):
        w[:, 5] = ends
        margin = cone.margin(w).value[kept]
        assert (margin >= -1e-14).all()
        assert factor or margin == pytest.approx(0, abs=1e-14)


def test_safe_yaw_at_a_corner_is_the_only_one():
    """The ZMP in the corner (X, Y) and forces of the whole friction: one torque is left."""
    w = [0.3 * 100, 0.2 * 100, 100, Y * 100, -X * 100, 0]
    yaw = rectangle.rectangle_yaw_torque(w, X, Y, MU)
    # All force is at that corner: the moment of the friction about the centre.
    assert yaw.safe == pytest.approx(X * 20 - Y * 30)
    assert yaw.half_width == pytest.approx(0, abs=1e-14)


def test_pyramids():
    outer, inner = (WrenchCone.of_rectangle(X, Y, MU, p) for p in ("outer", "inner"))
    assert outer.margin([0.3 * 100, 0, 100, 0, 0, 0]).value == pytest.approx(0.25)
    assert inner.margin([0.3 * 100, 0, 100, 0, 0, 0]).value < 0 < 0.28
    assert inner.margin([0.28 * 100, 0, 100, 0, 0, 0]).value > 0
    tangential = np.linalg.norm(inner.generators[:, :2], axis=1)
    assert tangential == pytest.approx(MU)  # every ray is on Coulomb's cone
    assert np.linalg.norm(outer.generators[:, :2], axis=1) == pytest.approx(MU * np.sqrt(2))


@pytest.mark.parametrize("fz", [0.0, -1e-12, -300.0])
def test_without_a_load_nothing_holds(cone, fz):
    w = np.array([[0, 0, fz, 0, 0, 0], [0, 0, 300.0, 0, 0, 0]])
    value, facet = cone.margin(w)
    closed = rectangle.rectangle_margin(w, X, Y, MU)
    for least, row in ((value, facet), closed):
        assert least[0] == -np.inf
        assert row[0] == UNLOADED
        assert least[1] == 1.0
    assert cone.word(facet[0]) == "unloaded"
    assert cone.contains(w).tolist() == [False, True]
    assert rectangle.rectangle_holds_wrench(w, X, Y, MU).tolist() == [False, True]
    assert rectangle.rectangle_yaw_torque(w, X, Y, MU).half_width[0] <= 0


def test_without_friction():
    cone = WrenchCone.of_rectangle(X, Y, 0.0)
    flat = WrenchCone.of_polygon(rectangle.rectangle_corners(X, Y), 0.0)
    w = np.array(
        [[0, 0, 100, 0.25 * Y * 100, 0, 0], [1e-3, 0, 100, 0, 0, 0], [0, 0, 100, 0, 0, 1e-3]]
    )
    for made in (cone, flat):
        assert made.equations.any()
        assert made.margin(w).value == pytest.approx([0.75, -np.inf, -np.inf])
        assert made.contains(w).tolist() == [True, False, False]
    assert cone.word(cone.margin(w[1]).facet) == "slide backward"
    assert rectangle.rectangle_holds_wrench(w, X, Y, 0.0).tolist() == [True, False, False]
    with pytest.raises(SoleError, match="friction"):
        rectangle.rectangle_margin(w, X, Y, 0.0)


def test_shapes(cone):
    w = some_wrenches(24).reshape(2, 3, 4, 6)
    value, facet = cone.margin(w)
    assert value.shape == facet.shape == cone.contains(w).shape == (2, 3, 4)
    assert cone.slack(w).shape == (2, 3, 4, 16)
    assert cone.margin(w[0, 1, 2]).value == value[0, 1, 2]
    assert cone.margin(np.zeros((0, 6))).value.shape == (0,)


def test_slack_has_units(cone):
    slack = dict(zip(cone.words, cone.slack([30, 10, 400, 5, -8, 3]), strict=True))
    units = dict(zip(cone.words, cone.units, strict=True))
    assert (slack["slide backward"], units["slide backward"]) == (MU * 400 - 30, "N")
    assert slack["tilt about heel"] == pytest.approx(X * 400 + 8)
    assert units["tilt about heel"] == units["yaw left about rear left corner"] == "N m"


def test_another_point_and_another_frame(cone):
    R, p = rotation_of(np.array([0.3, -1.1, 0.7])), np.array([0.4, -0.2, 0.9])
    w = some_wrenches(100)
    there = cone.moved(R, p)
    seen = transform_wrenches(w, R, p)
    assert there.margin(seen).value == pytest.approx(cone.margin(w).value, abs=1e-12)
    assert there.slack(seen) == pytest.approx(cone.slack(w), abs=1e-10)
    assert there.words == cone.words
    assert there.moved(R.T, -R.T @ p).rows == pytest.approx(cone.rows, abs=1e-14)
    # A force f at the point r: its wrench about b's origin, from its definition.
    f, r = np.array([3.0, -2.0, 5.0]), np.array([0.1, 0.2, -0.3])
    in_b = np.concatenate([R @ f, np.cross(R @ r + p, R @ f)])
    assert wrench_matrix(R, p) @ np.concatenate([f, np.cross(r, f)]) == pytest.approx(in_b)
    assert wrenches_about(np.concatenate([f, np.cross(r, f)]), r)[3:] == pytest.approx(0, abs=1e-15)
    assert wrenches_about(w, [0.1, 0, 0]) == pytest.approx(
        transform_wrenches(w, np.eye(3), [-0.1, 0, 0]), abs=1e-12
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((0.0, Y, MU), "half length"),
        ((X, -Y, MU), "half width"),
        ((X, np.nan, MU), "half width"),
        ((X, Y, -0.1), "friction"),
        ((X, Y, np.inf), "friction"),
        ((X, Y, MU, "round"), "round"),
    ],
)
def test_bad_rectangles(arguments, said):
    with pytest.raises(SoleError, match=said):
        WrenchCone.of_rectangle(*arguments)


@pytest.mark.parametrize("w", [[0, 0, 1, 0, 0], [0, 0, np.nan, 0, 0, 0], "fz", 3.0, [[1, 2], [3]]])
def test_bad_wrenches(cone, w):
    with pytest.raises(SoleError, match="wrenches must"):
        cone.margin(w)


def test_bad_cones(cone):
    with pytest.raises(SoleError, match="words"):
        WrenchCone(rows=cone.rows, words=("a",))
    with pytest.raises(SoleError, match="axis"):
        WrenchCone(rows=-cone.rows, words=cone.words)
    with pytest.raises(SoleError, match="generators"):
        WrenchCone(rows=cone.rows, words=cone.words, generators=-cone.generators)
    with pytest.raises(SoleError, match="unit vector"):
        WrenchCone(rows=cone.rows, words=cone.words, up=np.array([0, 0, 2.0]))
    with pytest.raises(SoleError, match="not a rotation"):
        cone.moved(2 * np.eye(3), np.zeros(3))
    with pytest.raises(ValueError, match="read-only"):
        cone.rows[0, 0] = 2.0
