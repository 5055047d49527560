"""What a world of feet refuses: every wrong input is one clear sentence, never numpy's."""

from __future__ import annotations

import numpy as np
import pytest
from step_cases import CORNERS, INERTIA, MASS, small_pad, world

from contact.ground import Plane, Step
from contact.rigid_bodies import RigidBodies, RigidBody, WorldState
from contact.step import Body, StepOptions
from sole.base.errors import ConfigError, SoleError

HIGH = [0.0, 0.0, 0.1]


def rigid(**options) -> RigidBodies:
    return world(Body(points=CORNERS), **options)


def test_a_start_inside_the_ground_is_refused():
    """Allowed, the ground pushes the pad out, which never gains more than the work of that."""
    scene = world(Body.of(small_pad()))
    with pytest.raises(SoleError, match=r"body 0 starts 3 mm inside the ground.*inside=True"):
        scene.at([0, 0, 0.017])
    state = scene.at([0, 0, 0.017], inside=True)
    before, pushed = scene.energy(state), 0.0
    for _ in range(30):
        done = scene.step(state, 1e-3)
        state, pushed = done.state, pushed + done.contact.energy.push
    gained = done.energy - before
    assert gained <= max(pushed, 0.0) + 1e-9
    assert scene.at([0, 0, 0.02 - 1e-7]).places[0, 2] < 0.02  # round-off is no penetration


def test_a_start_in_the_side_of_a_step_is_seen():
    scene = world(Body(points=CORNERS), ground=Step(rise=0.05, x=0.09))
    with pytest.raises(SoleError, match="inside the ground"):
        scene.at([0, 0, 0.021])
    scene.at([-0.02, 0, 0.021])


@pytest.mark.parametrize(
    ("R", "message"),
    [
        (np.zeros((3, 3)), r"body 0 is not a rotation: R'R differs from 1 by 1"),
        (1.01 * np.eye(3), "is not a rotation: R'R differs"),
        (np.diag([1.0, 1.0, -1.0]), "reflection"),
        (np.full((3, 3), np.nan), "rotations must be finite"),
        (np.eye(2), r"rotations must have shape \(1, 3, 3\), got \(2, 2\)"),
    ],
)
def test_rotations_are_rotations(R, message):
    with pytest.raises(SoleError, match=message):
        rigid().at(HIGH, R)


def test_shapes_are_named():
    scene = rigid()
    with pytest.raises(SoleError, match=r"places must have shape \(1, 3\), got \(2,\)"):
        scene.at([0, 0])
    with pytest.raises(SoleError, match=r"places must be numbers"):
        scene.at("here")
    with pytest.raises(SoleError, match=r"twists must have shape \(1, 6\), got \(3,\)"):
        scene.at(HIGH, twists=np.zeros(3))
    with pytest.raises(SoleError, match=r"wrenches must have shape \(1, 6\), got \(3,\)"):
        scene.step(scene.at(HIGH), 1e-3, np.zeros(3))
    for dt in (0.0, -1e-3, np.nan, np.inf):
        with pytest.raises(ConfigError, match="dt must be positive"):
            scene.step(scene.at(HIGH), dt)
    with pytest.raises(SoleError, match="gravity must have shape"):
        rigid(gravity=(0.0, -9.81))
    with pytest.raises(SoleError, match=r"com must have shape \(3,\), got \(2,\)"):
        RigidBody(contact=Body(points=CORNERS), mass=1.0, inertia=INERTIA, com=[0, 0])


def test_a_state_of_another_world_is_refused():
    foot = RigidBody(contact=Body(points=CORNERS), mass=MASS, inertia=INERTIA)
    two = RigidBodies([foot, foot], Plane())
    state = two.at([HIGH, [1, 0, 0.1]])
    with pytest.raises(SoleError, match="state is of 2 bodies, this world has 1"):
        rigid().step(state, 1e-3)
    with pytest.raises(SoleError, match=r"state has \(8, 2\).*expected \(15, 2\)|nodes"):
        pads = world(Body.of(small_pad()))
        pads.step(rigid().at(HIGH), 1e-3)


def test_a_state_that_is_not_whole_is_named():
    with pytest.raises(SoleError, match=r"rotations, places, twists, time missing.*got nothing"):
        WorldState.from_arrays({})
    arrays = rigid().at(HIGH).arrays()
    del arrays["soles.forces"]
    with pytest.raises(SoleError, match="forces missing"):
        WorldState.from_arrays(arrays)


def test_a_compliance_is_symmetric_positive_definite():
    C = small_pad().compliance
    with pytest.raises(SoleError, match="positive definite"):
        Body(points=small_pad().points, compliance=-C)
    with pytest.raises(SoleError, match="symmetric"):
        Body(points=small_pad().points, compliance=C + np.triu(1e-3 * C.max() * np.ones(C.shape)))
    with pytest.raises(SoleError, match="finite"):
        Body(points=small_pad().points, compliance=np.full(C.shape, np.nan))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"substeps": 100}, "max_substeps = 64, got 100"),
        ({"error": np.nan}, "error must be finite and not negative, got nan"),
        ({"push_out": -1.0}, "push_out must be finite"),
        ({"tolerance": 0.0}, "tolerance must be from 1e-14 to below 1, got 0"),
        ({"theta": 0.4}, "theta must be in"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ConfigError, match=message):
        StepOptions(**options)
