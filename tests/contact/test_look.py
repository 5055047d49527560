"""One compiled call places all nodes and asks the ground: the same as one after the other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from step_cases import small_pad

from contact.frames import rotation_of
from contact.ground import Box, CompositeGround, Gravel, parse_ground
from contact.step import Body
from contact.step.step_frame import look_near
from contact.swept_step import fast_step

GROUNDS = [
    parse_ground("step:0.005,0.02"),
    Gravel(count=300, rise=0.01, radius=0.02, length=0.3, width=0.3),
    CompositeGround(parts=(Box(length=0.1, width=0.1, rise=0.02, x=0.05),)),
]


@pytest.mark.parametrize("ground", GROUNDS, ids=str)
@pytest.mark.parametrize("first", [True, False])
def test_a_look_is_places_and_surfaces(ground, first):
    stepper = fast_step([Body.of(small_pad())], ground)
    rng = np.random.default_rng(2)
    state, M = stepper.start(), stepper.bodies.nodes
    state = replace(state, displacement=1e-4 * rng.standard_normal((M, 3)))
    R, p = rotation_of(0.05 * rng.standard_normal(3))[None], np.array([[0.01, 0.0, 0.021]])
    expected = (stepper.bodies.points + state.displacement) @ R[0].T + p
    before = expected
    if not first:
        before = expected + np.array([0.05, 0.0, 0.001])  # they came from the front
        solid = np.zeros(state.solid.shape, np.int64)
        state = replace(state, outside=before, solid=solid)
    world, near = look_near(stepper.bodies, stepper.surfaces, state, R, p)
    np.testing.assert_allclose(world, expected, atol=1e-15)
    gaps, normals, solid = ground.compiled.nearest(world, before, stepper.surfaces.slots)
    np.testing.assert_array_equal(near.gaps, gaps)
    np.testing.assert_array_equal(near.normals, normals)
    np.testing.assert_array_equal(near.solid, solid)
    assert (gaps[:, 0] < 0).any()  # some are inside
    assert np.isfinite(gaps[:, 1]).any()  # some near two pieces
