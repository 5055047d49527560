from __future__ import annotations

import numpy as np
import pytest

from sole.fields import recover
from sole.studies.rows import field_metrics, von_mises_strain, weighted_percentile


def test_weighted_percentile():
    values, weights = np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 98.0])
    assert weighted_percentile(values, weights, 0.99) == 2.0
    assert weighted_percentile(values, weights, 1.0) == 3.0
    assert weighted_percentile(values, weights, 0.005) == 1.0


def test_von_mises_strain_of_simple_states():
    tension = np.array([[1.0, -0.5, -0.5, 0, 0, 0]]) * 0.01
    shear = np.array([[0, 0, 0, 0, 0, 1.0]]) * 0.01
    pressure = np.array([[1.0, 1.0, 1.0, 0, 0, 0]]) * 0.01
    assert von_mises_strain(tension)[0] == pytest.approx(0.01)
    assert von_mises_strain(shear)[0] == pytest.approx(0.02 / np.sqrt(3))
    assert von_mises_strain(pressure)[0] == pytest.approx(0.0, abs=1e-18)


def test_field_metrics_are_those_of_the_recovered_field(pad):
    forces = np.zeros((len(pad.points), 3))
    forces[:, 2] = 600.0 * pad.areas / pad.areas.sum()
    deformation = recover(pad, forces)
    found = field_metrics(deformation)
    mu = pad.materials[0].lame[1]
    assert found["von_mises_max"] == pytest.approx(deformation.von_mises.max())
    # sigma_dev = 2 mu e_dev, so von Mises stress = 3 mu times von Mises strain
    assert found["strain_max"] * 3 * mu == pytest.approx(found["von_mises_max"])
    assert found["strain_p99"] <= found["strain_max"]
