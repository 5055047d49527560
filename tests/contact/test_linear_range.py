"""Results beyond linear elasticity warn once, in Python; commands print a remark of their own."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from box_mesh import box_mesh

from contact.finite_press import press_finite
from contact.ground import Plane
from contact.press import RigidMotion, Wrench, press
from contact.rigid_bodies import RigidBodies, RigidBody
from contact.step import Body
from sole.base.errors import LinearRangeWarning
from sole.condense import (
    STRAIN_LIMIT,
    RangeWatch,
    condense,
    deformation_of,
    describe_error,
    no_range_warnings,
    recover,
)
from sole.condense.linear_range import LINEAR_ERRORS, linear_error
from sole.hyperelastic import FiniteSole
from sole.laws import Hyperfoam, NeoHooke
from sole.material import Material

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
    assert largest < STRAIN_LIMIT and not said
    largest, said = dropped(pad, 3.0)
    assert largest > 1.5 * STRAIN_LIMIT
    assert len(said) == 1 and said[0].filename == __file__


def test_a_press_warns_and_can_be_told_not_to(pad):
    with pytest.warns(LinearRangeWarning, match=SUNK):
        deep = press(pad, RigidMotion(sink=0.5 * pad.thickness), friction=0.5)
    assert deep.deformation > STRAIN_LIMIT
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        press(pad, RigidMotion(sink=0.05 * pad.thickness), friction=0.5)
        with no_range_warnings():
            press(pad, RigidMotion(sink=0.5 * pad.thickness), friction=0.5)


def test_the_watch_knows_every_node_and_warns_once():
    U = np.zeros((3, 3))
    U[:2, 2] = 0.5, 0.05  # the first node is rigid, or of unknown thickness
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


def test_errors_grow_with_the_strain_and_are_larger_for_foams():
    strains = np.linspace(0, 0.4, 60)
    rubber, foam = (np.array([linear_error(s, nu) for s in strains]) for nu in (0.45, 0.1))
    assert (np.diff(rubber) >= 0).all() and (np.diff(foam) >= 0).all()
    assert (foam >= rubber).all() and rubber[0] == 0.0
    assert linear_error(0.05, 0.45) == LINEAR_ERRORS[0.05][0]
    assert linear_error(0.05, 0.1) == LINEAR_ERRORS[0.05][1]
    assert describe_error(1e-3) == ""
    assert "more than 58 %" in describe_error(0.5)


@pytest.mark.parametrize("law", ["rubber", "foam"])
def test_the_table_holds_for_another_press(law):
    """With the centre of pressure near the edge, errors of tilt lie within those of the table."""
    mesh, load = box_mesh(0.24, 0.14, 0.02, (6, 4, 1)), Wrench.standing(400, (0.09, 0.0))
    true, nu = (NeoHooke.of(1e6, 0.4), 0.4) if law == "rubber" else (Hyperfoam.of(1e6, 0.1), 0.1)
    sole = condense(mesh, Material(young_modulus=1e6, poisson_ratio=nu), "p2")
    linear, finite = press(sole, load), press_finite(FiniteSole(mesh, true, "p2"), load)
    error = abs(linear.motion[4] / finite.motion[4] - 1)
    strain = recover(sole, linear.forces).compression
    assert 0.2 * linear_error(strain, nu) < error < linear_error(strain, nu)
