"""Recovered strain and stress: linear fields, layers, the pressure of the locking-free element."""

import numpy as np
import pytest
from box_mesh import box_mesh

from sole.condense import Condenser, condense, recover
from sole.condense.recovery import _centroid_fields
from sole.material import Material

TREAD = Material(young_modulus=1e6, poisson_ratio=0.4)
MIDSOLE = Material(young_modulus=3e6, poisson_ratio=0.2)


@pytest.mark.parametrize("element", ["p1", "p2", "ccr"])
def test_linear_field_gives_its_strain_and_each_layers_stress(element: str) -> None:
    """u = A x: strain sym A in the order xx yy zz yz xz xy, stress of the layer it is in."""
    mesh = box_mesh(0.2, 0.1, 0.03, (3, 2, 3), (1, 2))
    condenser = Condenser(mesh, element)
    sole = condenser.condense([TREAD, MIDSOLE])
    A = np.array([[1.0, 2.0, 3.0], [-4.0, 5.0, 6.0], [7.0, 8.0, -9.0]]) * 1e-3
    u = condenser.parts.numbering.coordinates @ A.T
    strain, stress = _centroid_fields(condenser.parts, sole, u, 2.0)
    e = (A + A.T) / 2
    order = [e[0, 0], e[1, 1], e[2, 2], e[1, 2], e[0, 2], e[0, 1]]
    assert np.allclose(strain, order, rtol=1e-9, atol=1e-15)
    for layer, m in enumerate(sole.materials):
        lam, mu = m.scaled(2.0).lame
        s = lam * np.trace(e) * np.eye(3) + 2 * mu * e
        expected = [s[0, 0], s[1, 1], s[2, 2], s[1, 2], s[0, 2], s[0, 1]]
        assert np.allclose(stress[mesh.layer_of_tet == layer], expected, rtol=1e-9)


def test_pressure_of_a_nearly_incompressible_pad() -> None:
    """Virtual work with (0, 0, z): int sigma_zz dV = sum f_z z, from the element's own pressure.

    The unprojected divergence times lambda would be off by many times the load.
    """
    rubber = Material(young_modulus=1e6, poisson_ratio=0.4999)
    sole = condense(box_mesh(0.1, 0.06, 0.02, (6, 4, 3)), rubber, "ccr")
    down = np.zeros((len(sole.points), 3))
    down[:, 2] = 1e-5
    forces = (sole.stiffness @ down.ravel()).reshape(-1, 3)
    d = recover(sole, forces)
    work = forces[:, 2] @ sole.points[:, 2]
    assert d.stress[:, 2] @ d.volumes == pytest.approx(work, rel=0.03)


def test_recovery_of_a_stack_is_that_of_its_layers() -> None:
    """Uniform pressure on two layers with nu = 0: strain p/E layer by layer."""
    mesh = box_mesh(0.1, 0.06, 0.03, (3, 2, 3), (1, 2))
    soft, hard = (Material(young_modulus=E, poisson_ratio=0.0) for E in (1e6, 4e6))
    sole = condense(mesh, [soft, hard])
    forces = np.zeros((len(sole.points), 3))
    forces[:, 2] = 1e4 * sole.areas
    d = recover(sole, forces)
    assert np.allclose(d.strain[mesh.layer_of_tet == 0, 2], -1e-2, rtol=1e-9)
    assert np.allclose(d.strain[mesh.layer_of_tet == 1, 2], -2.5e-3, rtol=1e-9)
