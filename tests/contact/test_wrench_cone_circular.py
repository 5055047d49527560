"""Circular friction cones: the two bounds of the margin, each checked from its proof alone."""

from __future__ import annotations

import numpy as np
import pytest

from contact.wrench_cone import CircularCone, WrenchCone, rectangle_corners
from sole.base.errors import ShapeError, SoleError

MU = 0.4
FAR = np.array([[50, 20, 100, 3, 1, 2], [0, 0, 1e-9, 1, 1, 1], [0, 0, 1e9, 1, 1, 1]])
POLYGONS = {
    "rectangle": rectangle_corners(0.112, 0.065),
    "far from the origin": rectangle_corners(0.1, 0.05) + np.array([0.4, -0.2]),
    "triangle": np.array([[0.1, 0.02], [-0.05, 0.06], [-0.04, -0.05]]),
    "octagon": np.array([[np.cos(a), 0.6 * np.sin(a)] for a in np.pi / 4 * np.arange(8)]) / 10,
}


def wrenches(cone, count=1500, seed=0):
    """Wrenches about the centre of `cone`, in all directions, some of them sparse; about 0."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=(count, 6)) * np.array([25, 25, 0, 3, 4, 1.5])
    w *= rng.random((count, 6)) < 0.8
    w[:, 2] = rng.uniform(50, 150, count)
    x, y = cone.centre
    w[:, 3:] += np.cross(np.array([x, y, 0.0]), w[:, :3])
    return w


@pytest.fixture(params=POLYGONS)
def cone(request):
    return CircularCone(vertices=POLYGONS[request.param], friction=MU)


def test_forces_prove_the_margin(cone):
    w = wrenches(cone)
    found = cone.margin(w)
    points = np.column_stack([cone.vertices, np.zeros(len(cone.vertices))])
    f = found.forces
    summed = np.concatenate([f.sum(axis=1), np.cross(points, f).sum(axis=1)], axis=1)
    assert summed == pytest.approx(w, abs=1e-10)
    inside = found.value >= 0
    assert 0.2 < inside.mean() < 0.95
    room = MU * f[..., 2] - np.linalg.norm(f[..., :2], axis=-1)
    assert room[inside].min() > -1e-12
    # Outside: with the missing load added at the centre, forces in their cones exist.
    x, y = cone.centre
    axis = np.array([0, 0, 1, y, -x, 0])
    rest = w - found.value[:, None] * w[:, 2:3] * axis
    assert (cone.margin(rest[~inside] + 1e-6 * axis).value >= -1e-8).all()


def test_motion_proves_that_there_is_no_more(cone):
    """Every force in Coulomb's cone at a vertex does work >= 0 on the motion."""
    w = wrenches(cone)
    found = cone.margin(w)
    points = np.column_stack([cone.vertices, np.zeros(len(cone.vertices))])
    v = found.motion[:, None, :3] + np.cross(found.motion[:, None, 3:], points)
    least = v[..., 2] - MU * np.linalg.norm(v[..., :2], axis=-1)  # over forces of f_n = 1
    assert least.min() > -1e-12
    x, y = cone.centre
    lift = found.motion @ np.array([0, 0, 1, y, -x, 0])
    assert lift == pytest.approx(1.0, abs=1e-12)
    power = (found.motion * w).sum(axis=1) / w[:, 2]
    assert power == pytest.approx(found.bound, abs=1e-12)


def test_the_bounds_meet(cone):
    found = cone.margin(wrenches(cone))
    gap = found.bound - found.value
    assert gap.min() > -1e-13  # they are proofs, so only round-off may swap them
    assert gap.max() < 1e-8
    assert np.median(gap) < 1e-10


def test_between_the_pyramids(cone):
    w = wrenches(cone)
    found = cone.margin(w)
    outer, inner = (WrenchCone.of_polygon(cone.vertices, MU, p) for p in ("outer", "inner"))
    low, high = inner.margin(w).value, outer.margin(w).value
    assert (low <= found.bound + 1e-12).all()
    assert (found.value <= high + 1e-12).all()
    assert (high - low).max() > 0.05


def test_slides_in_any_direction():
    cone = CircularCone.of_rectangle(0.112, 0.065, MU)
    for angle in np.linspace(0, 2 * np.pi, 17):
        w = [30 * np.cos(angle), 30 * np.sin(angle), 100, 0, 0, 0]
        found = cone.margin(w)
        assert found.value == pytest.approx(0.25, abs=1e-9)
        assert cone.word(found.motion).startswith("slide")
    assert cone.word(cone.margin([3, 0, 10, 0, 0, 0]).motion) == "slide backward"
    assert cone.word(cone.margin([-2, -2, 10, 0, 0, 0]).motion) == "slide forward left"
    assert cone.word(cone.margin([0, 0, 10, 0, 0.5, 0]).motion) == "tilt about heel"
    assert cone.word(cone.margin([0, 0, 10, 0, 0, 0]).motion) == "lift"


def test_pure_yaw_of_four_corners():
    """Each corner's friction is along the circle: tz = mu fz sqrt(X^2 + Y^2)."""
    cone = CircularCone.of_rectangle(0.112, 0.065, MU)
    most = MU * np.hypot(0.112, 0.065) * 100
    for sign, word in ((1, "yaw right"), (-1, "yaw left")):
        found = cone.margin([0, 0, 100, 0, 0, 0.7 * sign * most])
        assert found.value == pytest.approx(0.3, abs=1e-9)
        assert cone.word(found.motion).startswith(word)


def test_without_a_load():
    cone = CircularCone.of_rectangle(0.112, 0.065, MU)
    found = cone.margin([[0, 0, 0, 0, 0, 0], [1, 2, -3, 4, 5, 6], [0, 0, 1, 0, 0, 0]])
    assert found.value.tolist()[:2] == found.bound.tolist()[:2] == [-np.inf, -np.inf]
    assert not found.forces[:2].any()
    assert not found.motion[:2].any()
    assert cone.word(found.motion[0]) == "unloaded"
    assert found.value[2] == pytest.approx(1.0, abs=1e-9)
    assert cone.contains([[0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]]).tolist() == [False, True]
    assert cone.margin(np.zeros((0, 6))).forces.shape == (0, 4, 3)


def test_far_outside_and_hardly_rough():
    """The proofs hold where the numbers are bad, too."""
    for mu in (1e-4, 1e3):
        cone = CircularCone.of_rectangle(0.112, 0.065, mu)
        found = cone.margin(FAR)
        assert np.isfinite(found.value).all()
        assert (found.bound >= found.value - 1e-9 * np.abs(found.value)).all()
        points = np.column_stack([cone.vertices, np.zeros(4)])
        for w, value, bound, f, motion in zip(
            FAR, found.value, found.bound, found.forces, found.motion, strict=True
        ):
            # Lower bound: forces that sum up to the wrench, in their cones once the load that
            # is missing, -value fz, is added at the centre.
            size = np.abs(w).max() + np.abs(f).max()
            summed = np.concatenate([f.sum(axis=0), np.cross(points, f).sum(axis=0)])
            assert summed == pytest.approx(w, abs=1e-12 * size)
            added = f[:, 2] + max(-value, 0.0) * w[2] / 4 * (1 + 1e-9)
            room = mu * added - np.linalg.norm(f[:, :2], axis=1)
            assert room.min() >= -1e-9 * (1 + mu) * np.abs(f).max()
            # Upper bound: no force in its cone works against the motion, which lifts by 1.
            v = motion[:3] + np.cross(motion[3:], points)
            speed = np.abs(v).max()
            least = v[:, 2] - mu * np.linalg.norm(v[:, :2], axis=1)
            assert least.min() >= -1e-12 * (1 + mu) * speed
            assert motion[2] == pytest.approx(1.0, abs=1e-12)
            assert motion @ w / w[2] == pytest.approx(bound, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("mu", [1e-2, 1.0, 1e4])
def test_the_gap_is_relative(mu):
    cone = CircularCone.of_rectangle(0.112, 0.065, mu)
    w = np.random.default_rng(0).normal(size=(200, 6)) * [100, 100, 1, 10, 10, 5]
    w[:, 2] = 400
    found = cone.margin(w)
    assert found.value.min() > -1e4
    assert found.gap.max() < 1e-8
    assert cone.margin([0, 0, -1, 0, 0, 0]).gap == 0


def test_bad_input():
    with pytest.raises(SoleError, match="friction > 0"):
        CircularCone.of_rectangle(0.1, 0.1, 0.0)
    with pytest.raises(SoleError, match="friction"):
        CircularCone.of_rectangle(0.1, 0.1, -1.0)
    with pytest.raises(ShapeError, match="area"):
        CircularCone(vertices=np.array([[0, 0], [1, 0], [2, 0]]), friction=MU)
    with pytest.raises(SoleError, match="finite"):
        CircularCone.of_rectangle(0.1, 0.1, MU).margin([0, 0, np.inf, 0, 0, 0])
