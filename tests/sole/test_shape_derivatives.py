"""Derivatives of condensed matrices by the shape: differences, closed forms, scaling."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from box_mesh import box_mesh

from sole.base.errors import SoleError
from sole.condense import Condenser, differentiate_shape, thickness_motion
from sole.material import Material

pytestmark = pytest.mark.filterwarnings("ignore:layer")
MATERIALS = [
    Material(young_modulus=1e6, poisson_ratio=0.48),
    Material(young_modulus=3e6, poisson_ratio=0.3),
]
MESH = box_mesh(0.2, 0.1, 0.02, (3, 2, 2), layers=(1, 1))


def moved(motion, h):
    return replace(MESH, points=MESH.points + h * motion)


def stiffness_about(sole, origin):
    r = sole.points - origin
    G = np.zeros((len(r), 3, 6))
    G[:, :, :3] = np.eye(3)
    for j in range(3):
        G[:, :, 3 + j] = np.cross(np.eye(3)[j], r)
    G = G.reshape(-1, 6)
    return G.T @ sole.stiffness @ G


def motions():
    """Thickness, the interface between the layers, and all vertices anywhere, bond included."""
    between = np.zeros_like(MESH.points)
    between[np.isclose(MESH.points[:, 2], -0.01), 2] = 1.0
    anywhere = np.random.default_rng(1).uniform(-1, 1, MESH.points.shape)
    return {"thickness": thickness_motion(MESH.points), "between": between, "any": anywhere}


@pytest.fixture(scope="module", params=["p1", "p2", "ccr"])
def derived(request):
    return differentiate_shape(Condenser(MESH, request.param), MATERIALS)


@pytest.mark.parametrize("name", motions())
def test_they_are_the_limits_of_differences(derived, name):
    motion, h = motions()[name], 2e-6  # m; central differences err by (h/size)^2 ~ 1e-7
    element = derived.sole.element
    up, down = (Condenser(moved(motion, s * h), element).condense(MATERIALS) for s in (1, -1))
    change, found = (up.stiffness - down.stiffness) / (2 * h), derived.of_stiffness(motion)
    assert np.linalg.norm(change - found) < 1e-6 * np.linalg.norm(change)
    change, found = (up.compliance - down.compliance) / (2 * h), derived.of_compliance(motion)
    assert np.linalg.norm(change - found) < 1e-6 * np.linalg.norm(change)
    origin = derived.sole.origin
    change = (stiffness_about(up, origin) - stiffness_about(down, origin)) / (2 * h)
    found = np.einsum("ijnx,nx->ij", derived.of_foot_stiffness, motion)
    assert np.linalg.norm(change - found) < 1e-6 * np.linalg.norm(change)


def test_a_sole_of_twice_the_size_is_twice_as_stiff(derived):
    """K_c is homogeneous of degree one in all lengths together: dK_c = K_c for w = x."""
    K = derived.sole.stiffness
    assert derived.of_stiffness(MESH.points) == pytest.approx(K, abs=1e-10 * K.max())


def test_a_rigid_motion_changes_nothing_but_the_arms(derived):
    K = derived.sole.stiffness
    shift = np.tile([0.3, -0.2, 0.5], (len(MESH.points), 1))
    assert np.abs(derived.of_stiffness(shift)).max() < 1e-9 * K.max()
    turn = np.cross([0.1, 0.2, -0.3], MESH.points)  # turns K_c with it: its trace stays
    assert abs(np.trace(derived.of_stiffness(turn))) < 1e-9 * np.trace(K)


def test_the_gradient_is_symmetric(derived):
    g = derived.of_foot_stiffness
    assert np.array_equal(g, g.transpose(1, 0, 2, 3))


def test_bad_input_is_refused(derived):
    with pytest.raises(SoleError, match="motion of the vertices"):
        derived.of_stiffness(np.zeros((3, 3)))
    with pytest.raises(SoleError, match="motion of the vertices"):
        derived.of_stiffness(np.full(MESH.points.shape, np.nan))
