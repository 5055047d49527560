"""Where slip and lift-off of a bonded sole begin: closed forms, and the press itself."""

from __future__ import annotations

import numpy as np
import pytest
from press_cases import LENGTH, WIDTH, pad

from contact.margins import press_margin
from contact.papers.onset import SoleCone
from contact.press import Wrench, press
from contact.problem import ContactStatus
from sole.base.errors import SoleError

NAMES = ("fx", "fy", "fz", "tx", "ty", "tz")
FZ = 600.0
# Directions of load in which slip begins at different nodes: shear, yaw, CoP, all of them.
DIRECTIONS = [
    (1, 0, 0, 0, 0, 0),
    (0, 1, 0, 0, 0, 0),
    (0, 0, 0, 0, 0, 0.1),
    (0, 0, 0, 0, -0.05, 0),
    (1, 0.3, 0, 0.03, 0.05, 0.06),
]


def load(wrench) -> Wrench:
    return Wrench(**dict(zip(NAMES, map(float, wrench), strict=True)))


def test_kern_of_a_sole_that_does_not_bulge_is_winklers():
    """Pressure p (1 + c x) has moment p c I; nodal forces are its integrals over hat functions.

    On the triangle at a corner of the mesh the hat's centroid is h/4 inside, so that this node
    lifts at c = 1/(L/2 - h/4): the CoP is then at L/(6 - 3 h/L), L/6 as h goes to 0.
    """
    cone = SoleCone.of(pad(nu=0.0), 0.7)
    assert cone.friction_needed.max() < 1e-12
    for axis, size, cells in ((4, LENGTH, 8), (3, WIDTH, 6)):
        w = cone.axis.copy()
        w[axis] = 0.01
        kern = 0.01 / (1 - cone.lift(w).value)
        assert kern == pytest.approx(size / (6 - 3 / cells), rel=1e-9)


def test_nodal_forces_add_up():
    cone = SoleCone.of(pad())
    w = np.array([30.0, -20.0, FZ, 4.0, -7.0, 2.0])
    f, x = cone.forces(w), pad().points - pad().origin
    assert f.sum(axis=0) == pytest.approx(w[:3], rel=1e-9)
    assert np.cross(x, f).sum(axis=0) == pytest.approx(w[3:], rel=1e-9)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_press_begins_to_slip_where_and_when_it_is_said(direction):
    sole = pad().scaled(100.0)  # hardly tilts: the cone is that of small displacements
    cone = SoleCone.of(sole, 0.7)
    d, central = np.array(direction), cone.axis * FZ
    value, node = cone.slip(central + d)
    share = 1 / (1 - value)
    inside = central + 0.95 * share * d
    before = press(sole, load(inside))
    assert (before.status == ContactStatus.STICK).all()
    largest = np.abs(before.forces).max()
    assert before.forces == pytest.approx(cone.forces(inside), abs=1e-4 * largest)
    assert cone.margin(inside) == pytest.approx(0.05, abs=1e-9)
    after = press(sole, load(central + 1.05 * share * d))
    assert after.status[node] == ContactStatus.SLIP
    assert (after.status == ContactStatus.STICK).sum() > 0.9 * len(after.status)
    assert press_margin(after).slip > 0.05  # gross slip is far away


def test_the_press_lifts_where_and_when_it_is_said():
    sole = pad().scaled(100.0)
    cone = SoleCone.of(sole, 20.0)  # so rough that nodes lift before they slip
    d, central = np.array([0, 0, 0, 0, -1.0, 0]), cone.axis * FZ
    value, node = cone.lift(central + d)
    share = 1 / (1 - value)
    assert sole.points[node, 0] == -LENGTH / 2  # pressed on the toe, the heel lifts
    before = press(sole, load(central + 0.95 * share * d), friction=20.0)
    after = press(sole, load(central + 1.05 * share * d), friction=20.0)
    assert (before.status != ContactStatus.OPEN).all()
    assert after.status[node] == ContactStatus.OPEN


def test_thin_rubber_that_cannot_bulge_slips_at_once():
    """Near nu = 0.5 the pressure falls to the edge and the shear does not."""
    needed = [SoleCone.of(pad((8, 6, 2), "ccr", nu)).friction_needed for nu in (0.3, 0.45, 0.499)]
    assert needed[0].max() < needed[1].max() < needed[2].max()
    edge = np.abs(pad().points[needed[2].argmax(), :2])
    assert edge == pytest.approx([LENGTH / 2, WIDTH / 2])
    cone = SoleCone.of(pad((8, 6, 2), "ccr", 0.499), 0.7)
    assert not cone.sticks and cone.margin([0, 0, FZ, 0, 0, 0]) == -np.inf
    assert cone.margin(cone.axis * FZ) == -np.inf
    assert np.isfinite(cone.lift([0, 0, FZ, 0, 0, 0]).value)
    pressed = press(pad((8, 6, 2), "ccr", 0.499), load(cone.axis * FZ))
    slips = np.flatnonzero(pressed.status == ContactStatus.SLIP)
    assert len(slips) and np.isin(np.flatnonzero(cone.friction_needed > 0.75), slips).all()


def test_margin_is_one_minus_a_gauge():
    cone = SoleCone.of(pad())
    rng = np.random.default_rng(2)
    w = cone.axis * FZ + rng.normal(size=(50, 6)) * [30, 30, 0, 3, 3, 1]
    slip, lift = cone.slip(w), cone.lift(w)
    assert (slip.value <= lift.value + 1e-12).all()
    # At the share 1/gamma of everything but the central load, a node is at its limit.
    edge = cone.axis * FZ + (w - cone.axis * FZ) / (1 - slip.value)[:, None]
    f = cone.forces(edge)
    room = cone.friction * f[..., 2] - np.hypot(f[..., 0], f[..., 1])
    least = room.min(axis=1)
    assert np.abs(least).max() < 1e-9 * FZ and (room.argmin(axis=1) == slip.node).all()
    np.testing.assert_allclose(cone.slip(7 * w).value, slip.value, rtol=1e-9)
    one = [cone.slip(v).value for v in w]  # a trajectory at once is that one by one
    np.testing.assert_array_equal(one, slip.value)
    assert cone.slip(w.reshape(5, 10, 6)).value.shape == (5, 10)
    assert cone.slip(cone.axis).value == pytest.approx(1.0, abs=1e-12)


def test_without_load_nothing_sticks():
    value, node = SoleCone.of(pad()).slip([[0, 0, 0, 0, 0, 0], [1, 0, -5, 0, 0, 0]])
    assert (value == -np.inf).all() and (node == -1).all()


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"friction": -1.0}, "friction"),
        ({"friction": float("nan")}, "friction"),
        ({"rows": np.zeros((2, 3, 6))}, "rows"),
        ({"axis": np.zeros(6)}, "fz = 1"),
        ({"points": np.zeros((0, 3))}, "points"),
    ],
)
def test_bad_cones_are_refused(change, word):
    good = SoleCone.of(pad())
    fields = {name: getattr(good, name) for name in ("points", "rows", "axis", "friction")}
    with pytest.raises(SoleError, match=word):
        SoleCone(**{**fields, **change})


@pytest.mark.parametrize("wrench", [np.zeros(5), [0, 0, np.nan, 0, 0, 0], 3.0])
def test_bad_wrenches_are_refused(wrench):
    with pytest.raises(SoleError, match="wrenches must"):
        SoleCone.of(pad()).slip(wrench)
