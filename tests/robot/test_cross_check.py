"""Independent engines: an unreduced finite element pad under a falling block, MuJoCo's feet."""

from __future__ import annotations

import numpy as np
import pytest
from box_mesh import box_mesh
from unreduced_pad import UnreducedPad

from contact.frames import rotation_of
from contact.ground import Plane
from contact.rigid_bodies import RigidBodies, RigidBody
from contact.step import Body, StepOptions
from sole.condense import condense
from sole.material import Material

G, MASS, I = 9.81, 58.0, 0.8
RUBBER = Material(young_modulus=1e6, poisson_ratio=0.4)
FALL = np.sqrt(2 * G * 0.005)  # m/s after 5 mm


@pytest.mark.parametrize(
    ("element", "cells", "theta", "friction", "turn", "speed"),
    [
        ("p1", (5, 3, 2), 1.0, 0.7, (0.0, 0.0, 0.0), 0.0),  # flat: lands, bulges, rebounds
        ("p1", (5, 3, 2), 0.6, 0.3, (0.01, 0.02, 0.0), 0.4),  # on an edge, sliding, midpoint-like
        ("p2", (3, 2, 1), 1.0, 0.3, (-0.02, 0.01, 0.1), 0.4),
    ],
)
def test_the_condensed_pad_moves_as_the_unreduced_one(element, cells, theta, friction, turn, speed):
    mesh, com, dt = box_mesh(0.23, 0.13, 0.02, cells), np.array([0.01, 0.005, 0.1]), 1e-3
    sole = condense(mesh, RUBBER, element)
    body = RigidBody(
        contact=Body.of(sole, friction=friction), mass=MASS, inertia=np.full(3, I), com=com
    )
    options = StepOptions(theta=theta, tolerance=1e-12)
    world = RigidBodies([body], Plane(), options)
    pad = UnreducedPad(mesh, RUBBER, element, MASS, I, com, friction, theta)
    R = rotation_of(np.array(turn))
    place = np.array([0.0, 0.0, -(sole.points @ R.T)[:, 2].min()])
    V = np.array([speed, 0.0, -FALL])
    pad.R, pad.centre, pad.V = R, place + R @ com, V
    state = world.at(place[None], R[None], np.r_[R.T @ V, np.zeros(3)][None])
    slid, peak = 0.0, 0.0
    for _ in range(60):
        pad.step(dt)
        done = world.step(state, dt)
        state = done.state
        # Both solvers stop at 1e-12; 60 steps of a motion that is no chaos leave 1e-9.
        assert np.abs(pad.place - state.places[0]).max() < 1e-9 * 0.005
        assert np.abs(pad.R - state.rotations[0]).max() < 1e-10
        assert np.abs(pad.f.sum(axis=0) - done.forces[0]).max() < 1e-9 * MASS * G
        peak = max(peak, done.forces[0, 2])
        slid = max(slid, abs(state.places[0, 0]))
    assert peak > 5 * MASS * G
    assert (slid > 0.01) == (speed > 0)
    # Every node, not only the sums.
    displacement = (pad.S @ pad.U).reshape(-1, 3)
    assert np.abs(displacement - state.soles.displacement).max() < 1e-9 * 0.005
