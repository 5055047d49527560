"""Quality of tetrahedra against shapes whose angles are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sole.mesh import mesh_quality, scaled_jacobians
from sole.mesh.quality import dihedral_angles

TET = np.array([[0, 1, 2, 3]])
REGULAR = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=float)
CORNER = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)


def test_regular():
    """Dihedral angle arccos(1/3), scaled Jacobian 1."""
    angles = dihedral_angles(REGULAR, TET)
    assert np.allclose(angles, np.arccos(1 / 3))
    assert abs(scaled_jacobians(REGULAR, TET)[0]) == pytest.approx(1)


def test_corner_of_a_cube():
    """Right angles at the corner, arccos(1/sqrt 3) at the far edges; J = 1/sqrt 2."""
    angles = dihedral_angles(CORNER, TET)[0]
    assert angles[:3] == pytest.approx([np.pi / 2] * 3)
    assert angles[3:] == pytest.approx([np.arccos(1 / np.sqrt(3))] * 3)
    assert scaled_jacobians(CORNER, TET)[0] == pytest.approx(np.sqrt(2) / 2)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3))
def test_neither_size_nor_place_nor_numbering_matters(seed, size):
    rng = np.random.default_rng(seed)
    p = REGULAR + 0.3 * rng.standard_normal((4, 3))
    even = np.array([[1, 2, 0, 3]])
    q = size * p + rng.standard_normal(3)
    assert scaled_jacobians(q, even) == pytest.approx(scaled_jacobians(p, TET), rel=1e-6)
    a, b = np.sort(dihedral_angles(p, TET)), np.sort(dihedral_angles(q, even))
    assert np.allclose(a, b, atol=np.radians(1e-4))


def test_flat_has_none():
    flat = REGULAR.copy()
    flat[:, 2] *= 1e-6
    assert abs(scaled_jacobians(flat, TET)[0]) < 1e-5
    assert dihedral_angles(flat, TET).min() < np.radians(1e-3)


def test_summary_of_a_mesh(box):
    """Six tetrahedra to each brick of 33.3 x 25 x 10 mm."""
    quality = mesh_quality(box)
    assert quality.vertices == 7 * 5 * 3
    assert quality.tetrahedra == 6 * 4 * 2 * 6
    assert quality.tread_vertices == quality.bond_vertices == 35
    assert quality.min_dihedral == dihedral_angles(box.points, box.tets).min()
    assert 0 < quality.min_scaled_jacobian <= quality.mean_scaled_jacobian < 1
    assert np.pi / 3 < quality.max_dihedral < np.pi
