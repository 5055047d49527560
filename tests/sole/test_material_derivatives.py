"""Derivatives of condensed matrices for E and nu of each layer: differences, sums, identities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from box_mesh import box_mesh

from sole.condense import Condenser, differentiate_condensation
from sole.material import Material

pytestmark = pytest.mark.filterwarnings("ignore:layer")


@pytest.mark.parametrize("element", ["p1", "p2", "ccr"])
def test_they_are_the_limits_of_differences(element):
    condenser = Condenser(box_mesh(0.2, 0.1, 0.02, (3, 2, 2), layers=(1, 1)), element)
    soft = Material(young_modulus=1e6, poisson_ratio=0.4)
    materials = [soft, Material(young_modulus=3e6, poisson_ratio=0.3)]
    d = differentiate_condensation(condenser, materials)
    # The sum over layers of E dK/dE is K: K_c is homogeneous of degree one in all E together.
    np.testing.assert_allclose(
        d.by_modulus.sum(axis=0), d.sole.stiffness, atol=1e-12 * d.sole.stiffness.max()
    )
    h = 1e-4
    for layer, material in enumerate(materials):

        def at(layer=layer, **changes):
            return condenser.condense(
                [replace(m, **changes) if k == layer else m for k, m in enumerate(materials)]
            )

        E, nu = material.young_modulus, material.poisson_ratio
        pairs = [
            (at(young_modulus=E * (1 + h)), at(young_modulus=E * (1 - h)), d.by_modulus[layer]),
            (at(poisson_ratio=nu + h), at(poisson_ratio=nu - h), d.by_poisson[layer]),
        ]
        for up, down, dK in pairs:
            # Central differences err by h^2/6 of the third derivative: (h/(1 - 2 nu))^2 ~ 3e-7.
            change = (up.stiffness - down.stiffness) / (2 * h)
            assert np.linalg.norm(change - dK) < 1e-6 * np.linalg.norm(dK)
            change = (up.compliance - down.compliance) / (2 * h)
            dC = d.of_compliance(dK)
            assert np.linalg.norm(change - dC) < 1e-6 * np.linalg.norm(dC)


def test_what_they_do_to_loads_needs_no_matrix():
    condenser = Condenser(box_mesh(0.2, 0.1, 0.02, (3, 2, 2), layers=(1, 1)), "ccr")
    materials = [Material(young_modulus=E, poisson_ratio=nu) for E, nu in ((1e6, 0.4), (3e6, 0.3))]
    d = differentiate_condensation(condenser, materials)
    rng = np.random.default_rng(3)
    left, forces = rng.standard_normal((2, len(d.sole.stiffness), 5))
    dC = d.of_compliance(np.concatenate([d.by_modulus, d.by_poisson]))
    expected = np.einsum("in,pij,jn->pn", left, dC, forces)
    np.testing.assert_allclose(
        d.between(left, forces), expected, atol=1e-12 * np.abs(expected).max()
    )
