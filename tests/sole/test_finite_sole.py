"""A hyperelastic sole: derivatives, its linear limit, the condensed step, a closed form."""

from __future__ import annotations

import numpy as np
import pytest
from box_mesh import box_mesh

from sole.base.errors import MaterialError
from sole.hyperelastic import FiniteSole, InvertedElementError
from sole.hyperelastic.evaluation import evaluate_elements
from sole.laws import Hyperfoam, NeoHooke, Ogden, uniaxial
from sole.material import Material

E, NU = 1e6, 0.45
LAWS = {
    "rubber": NeoHooke.of(E, NU),
    "Ogden": Ogden.of(E, 0.49, (1.3, 5.0, -2.0), (0.4095, 0.003, 0.01)),
    "foam": Hyperfoam.of(E, 0.1),
}
every_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS.keys())
both_elements = pytest.mark.parametrize("element", ["p2", "ccr"])
LAYERS = (NeoHooke.of(E, NU), Hyperfoam.of(2 * E, 0.1))


def block(laws, element, layers=(1.0,)):
    return FiniteSole(box_mesh(0.06, 0.04, 0.02, (2, 2, 2), layers), laws, element)


def matrix(state):
    """The tangent without the node of the residual."""
    return state.tangent.to_csr()[:-3][:, :-3]


@both_elements
@pytest.mark.parametrize("law", [*LAWS.values(), LAYERS], ids=[*LAWS.keys(), "layers"])
def test_residual_and_tangent_are_derivatives(law, element):
    layers = (1.0, 1.0) if isinstance(law, tuple) else (1.0,)
    sole = block(law, element, layers)
    rng, h = np.random.default_rng(1), 1e-4
    u, v = 1.5e-4 * rng.standard_normal((2, sole.nodes, 3))
    at, up, down = (sole.evaluate(u + t * v) for t in (0.0, h, -h))
    slope = (up.energy - down.energy) / (2 * h)
    assert slope == pytest.approx(float((at.residual * v).sum()), rel=1e-7)
    change = (up.residual - down.residual) / (2 * h)
    exact = (matrix(at) @ v.ravel()).reshape(-1, 3)
    assert np.abs(change - exact).max() < 1e-7 * np.abs(exact).max()


@both_elements
def test_tangent_at_rest_is_the_linear_stiffness(element):
    """Neo-Hooke at rest: today's K of (lambda, mu), tread trace and projection included."""
    laws = NeoHooke.of(E, NU), NeoHooke.of(3 * E, 0.3)
    sole = block(laws, element, (1.0, 1.0))
    state = sole.evaluate(np.zeros((sole.nodes, 3)))
    materials = [Material(young_modulus=a, poisson_ratio=b) for a, b in ((E, NU), (3 * E, 0.3))]
    linear = sole.parts.stiffness(materials).blocks
    found = state.tangent.blocks[: len(linear)]
    assert np.abs(found - linear).max() < 1e-14 * np.abs(linear).max()
    assert state.energy == 0.0
    assert np.abs(state.residual).max() == 0.0


@both_elements
def test_condensed_step_solves_the_whole_system(element):
    from scipy.sparse.linalg import splu

    sole = block(NeoHooke.of(E, NU), element)
    rng = np.random.default_rng(2)
    state = sole.evaluate(2e-4 * rng.standard_normal((sole.nodes, 3)))
    force = rng.standard_normal((len(sole.contact), 3))
    right = -state.residual.copy()
    right[sole.contact] += force
    exact = splu(matrix(state).tocsc()).solve(right.ravel()).reshape(-1, 3)
    condensed = sole.condense(state.tangent)
    step = condensed.step(condensed.compliance @ (force.ravel() - condensed.residual))
    assert np.abs(step - exact).max() < 1e-11 * np.abs(exact).max()


@both_elements
@every_law
@pytest.mark.parametrize("stretch", [0.75, 0.5])
def test_uniaxial_block_holds_the_closed_form(law, element, stretch):
    """Homogeneous field of the whole mesh: no free node inside feels a force, energy and stress.

    The bond does not slide, so the field is imposed on all nodes instead of solved for.
    """
    sole = block(law, element)
    P, lateral = uniaxial(law, np.array([stretch]))
    X = sole.parts.numbering.coordinates
    u = X * (np.array([lateral[0], lateral[0], stretch]) - 1)
    nodes = sole.parts.numbering.nodes_of_tet
    state = evaluate_elements(sole.values, sole.laws, sole.mesh.layer_of_tet, u[nodes])
    forces = np.zeros_like(X)
    np.add.at(forces, nodes, state.forces)
    total = P[0] * 0.06 * 0.04
    bottom = np.isclose(X[:, 2], X[:, 2].min())
    assert forces[bottom, 2].sum() == pytest.approx(-total, rel=1e-10)
    sides = np.isclose(X[:, 2], 0) | bottom
    assert np.abs(forces[~sides]).max() < 1e-10 * abs(total)
    assert np.abs(forces[:, :2]).max() < 1e-10 * abs(total)


def test_field_of_a_sheared_and_compressed_sole():
    """Neo-Hooke: sigma = (mu (F F' - 1) + lam/2 (J^2 - 1))/J."""
    law, g, t = NeoHooke.of(E, NU), 0.3, 0.8
    sole = block(law, "ccr")
    F = np.array([[1, 0, -g], [0, 1, 0], [0, 0, t]])  # the bond at z = 0 stays
    field = sole.field(sole.parts.coordinates @ (F - np.eye(3)).T)
    expected = (law.mu * (F @ F.T - np.eye(3)) + law.lam / 2 * (t * t - 1) * np.eye(3)) / t
    assert np.abs(field.cauchy - expected).max() < 1e-11 * law.lam
    s = np.linalg.svd(F, compute_uv=False)[::-1]
    assert np.abs(field.stretches - s).max() < 1e-12
    assert field.strain == pytest.approx(1 - s[0])
    assert field.volumes.sum() == pytest.approx(0.06 * 0.04 * 0.02)


def test_refused():
    mesh = box_mesh(0.06, 0.04, 0.02, (1, 1, 1))
    with pytest.raises(MaterialError, match="got 2 laws for 1 layers"):
        FiniteSole(mesh, LAYERS)
    sole = block(NeoHooke.of(E, NU), "ccr")
    u = np.zeros((sole.nodes, 3))
    u[sole.contact, 2] = 0.03
    with pytest.raises(InvertedElementError, match="inside out"):
        sole.evaluate(u)
