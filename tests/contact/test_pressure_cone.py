"""The wrench cone of a pressure of fixed shape: against its limit surface, hull and rigid cone."""

from __future__ import annotations

import numpy as np
import pytest

from contact.margins import LimitSurface, PressureCone
from contact.margins.sole_margin import sole_margin
from contact.wrench_cone import WrenchCone, rectangle_corners
from contact.wrench_cone.polyhedral_cone import together
from sole.base.errors import SoleError

X, Y, MU = 0.112, 0.065, 0.4


@pytest.fixture
def cone():
    t = np.linspace(-1, 1, 9)
    x = np.stack(np.meshgrid(X * t, Y * t), axis=-1).reshape(-1, 2)
    p = np.random.default_rng(0).uniform(0, 1, len(x)) * (1 + x[:, 0] / X) * (1 + x[:, 1] / Y)
    return PressureCone(points=x, forces=p, friction=MU)


def states(count=200):
    rng = np.random.default_rng(1)
    w = rng.normal(size=(count, 6)) * np.array([40, 40, 0, 9, 15, 2.5])
    w[:, 2] = rng.uniform(200, 600, count)
    return w


def test_slip_is_the_gauge_of_the_scaled_limit_surface(cone):
    w = states()
    found = cone.margin(w)
    for one, slip in zip(w[:20], found.slip, strict=False):
        s = cone.surface
        scaled = LimitSurface(s.points, one[2] * s.normal_forces, MU)
        # 1e-8: how near the bounds of a gauge are, relative.
        assert 1 - scaled.slip(one[[0, 1, 5]]).gauge == pytest.approx(slip, abs=1e-7)


def test_a_state_of_the_sole_has_the_margins_of_its_own_forces(cone):
    """Forces made of the cone's pressure, the load at its centre: `sole_margin` says the same."""
    s = cone.surface
    r = np.random.default_rng(2).uniform(-1, 1, (len(s.points), 2)) * MU / 2
    r += np.array([0.1, 0.0])
    f = 500 * s.normal_forces[:, None] * np.column_stack([r, np.ones(len(r))])
    w = np.concatenate([f.sum(axis=0), np.cross(s.points, f).sum(axis=0)])
    expected, found = sole_margin(s.points, f, MU), cone.margin(w)
    assert found.slip == pytest.approx(expected.slip, abs=1e-7)
    assert found.tilt == pytest.approx(expected.tilt, abs=1e-12)
    assert cone.word(w).split()[0] in expected.first
    unit = found.motion / np.linalg.norm(found.motion)
    assert unit == pytest.approx(expected.motion / np.linalg.norm(expected.motion), abs=1e-3)


def test_it_is_inside_the_rigid_cone_and_tilts_like_it(cone):
    """[CaronPhamNakamura2015], Proposition 1, for slip about the pressure's own centre."""
    w = states()
    x, y = cone.cop
    w[:, 3], w[:, 4] = y * w[:, 2], -x * w[:, 2]
    rigid = WrenchCone.of_rectangle(X, Y, MU)
    held = cone.contains(w)
    assert 10 < held.sum() < 190
    assert rigid.contains(w[held], tolerance=1e-9).all()
    tipping = [0, 0, 100, 0, 0.6 * X * 100, 0]
    assert cone.margin(tipping).tilt == pytest.approx(rigid.margin(tipping).value)
    assert cone.word(tipping) == "tilt about heel"
    assert cone.word([-0.3 * 100, 0, 100, 0, -x * 100, 0.3 * 100 * y]).startswith("slide forward")


def test_the_polyhedron_is_inside(cone):
    inner = cone.polyhedron()
    g = inner.generators
    w = np.random.default_rng(3).dirichlet(np.full(len(g), 0.02), 300) @ g
    assert (cone.margin(w).value > -1e-7).all()
    on = cone.margin(g)
    assert on.slip == pytest.approx(0, abs=1e-7)
    assert on.tilt == pytest.approx(0, abs=1e-9)
    w = states()
    assert (inner.margin(w).value <= cone.margin(w).value + 1e-7).all()


def test_a_compliant_foot_and_a_rigid_one(cone):
    other = WrenchCone.of_polygon(rectangle_corners(X, Y) + np.array([0.2, -0.2]), MU)
    alone = cone.polyhedron()
    both = together([alone, other])
    w = states(50)
    w[:, 3:5] *= 0.3
    held = alone.contains(w)
    assert held.any()
    assert both.contains(w[held] + 300 * other.axis, tolerance=1e-9).all()
    between = 600 * (alone.axis + other.axis) / 2
    assert both.contains(between)
    assert not alone.contains(between)


def test_shapes_scale_and_no_load(cone):
    w = states(12)
    whole = cone.margin(w)
    parts = cone.margin(3.0 * w.reshape(3, 4, 6))
    assert parts.value.shape == (3, 4)
    assert parts.motion.shape == (3, 4, 3)
    assert parts.value.ravel() == pytest.approx(whole.value, abs=1e-7)
    none = cone.margin([[1, 0, 0, 0, 0, 0], [0, 0, -5, 0, 0, 0]])
    assert (none.value == -np.inf).all()
    assert cone.word([1, 0, 0, 0, 0, 0]) == "unloaded"
    assert cone.margin(np.zeros((0, 6))).value.shape == (0,)


@pytest.mark.parametrize(
    "change",
    [
        {"points": "abc"},
        {"points": [[0, 0, 0]]},
        {"forces": [-1.0, 1, 1, 1]},
        {"forces": np.zeros(4)},
        {"friction": 0.0},
        {"friction": [0.1, 0.2]},
        {"support": [[0, 0], [1]]},
    ],
)
def test_bad_input(change):
    good = {"points": rectangle_corners(X, Y), "forces": np.ones(4), "friction": MU}
    with pytest.raises(SoleError):
        PressureCone(**(good | change))
