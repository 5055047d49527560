"""Results beyond linear elasticity warn once, in Python; commands print a remark of their own."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from contact.ground import Plane
from contact.press import RigidMotion, press
from contact.rigid_bodies import RigidBodies, RigidBody
from contact.step import Body
from sole.base.errors import LinearRangeWarning
from sole.condense import LINEAR_LIMIT, RangeWatch, deformation_of, no_range_warnings

SUNK = "beyond linear elasticity .*of the thickness"


def dropped(pad, speed, steps=40, dt=1e-3):
    """A foot of 30 kg that hits the ground at a speed [m/s]; the largest deformation, warnings."""
    foot = RigidBody(contact=Body.of(pad, eta=0.002), mass=30, inertia=[0.3, 0.4, 0.4])
    world = RigidBodies([foot], Plane())
    state = world.at([0, 0, pad.thickness], twists=[0, 0, -speed, 0, 0, 0])
    largest = 0.0
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(steps):
            state = world.step(state, dt=dt).state
            largest = max(largest, deformation_of(state.soles.displacement, pad.thickness))
    return largest, [one for one in said if one.category is LinearRangeWarning]


def test_a_drop_warns_once_and_only_beyond_the_range(pad):
    largest, said = dropped(pad, 0.02)
    assert largest < LINEAR_LIMIT and not said
    largest, said = dropped(pad, 3.0)
    assert largest > 1.5 * LINEAR_LIMIT
    assert len(said) == 1 and said[0].filename == __file__


def test_a_press_warns_and_can_be_told_not_to(pad):
    with pytest.warns(LinearRangeWarning, match=SUNK):
        deep = press(pad, RigidMotion(sink=0.5 * pad.thickness), friction=0.5)
    assert deep.deformation > LINEAR_LIMIT
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        press(pad, RigidMotion(sink=0.05 * pad.thickness), friction=0.5)
        with no_range_warnings():
            press(pad, RigidMotion(sink=0.5 * pad.thickness), friction=0.5)


def test_the_watch_knows_every_node_and_warns_once():
    U = np.zeros((3, 3))
    U[:2, 2] = 0.5, 0.18  # the first node is rigid, or of unknown thickness
    watch = RangeWatch(np.array([0.0, 1.0, 1.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        watch.look(U)
    U[2, 0] = -0.3
    with pytest.warns(LinearRangeWarning, match=r"the sole deforms beyond .*deformation 0\.3 "):
        watch.look(U)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        watch.look(U)
        RangeWatch(np.zeros(3)).look(U)
