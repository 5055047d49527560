from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from sole.condense import recover
from sole.studies import Case, StiffnessRows, field_metrics, weighted_percentile
from sole.studies.strain_columns import von_mises_strain


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
    strain = von_mises_strain(deformation.strain)
    light = deformation.volumes[strain > found["strain_p99"]].sum() / deformation.volumes.sum()
    heavy = deformation.volumes[strain >= found["strain_p99"]].sum() / deformation.volumes.sum()
    assert light <= 0.01 <= heavy  # by volume, not by number of elements


def test_field_percentiles_are_weighted_by_volume():
    """Nine small elements at high strain are 0.9 % of the volume: beyond the 99th percentile."""
    strain = np.zeros((10, 6))
    strain[:, 5] = 0.01 * np.arange(10, 0, -1)
    volumes = np.array([1.0] * 9 + [991.0])
    fields = SimpleNamespace(strain=strain, volumes=volumes, von_mises=strain[:, 5] * 1e6)
    found = field_metrics(fields)
    assert found["strain_p99"] == pytest.approx(0.02 / np.sqrt(3))
    assert found["von_mises_p99"] == pytest.approx(1e4)
    assert found["von_mises_max"] == pytest.approx(1e5)


def test_one_layer_varied_alone_has_no_critical_modulus(pad):
    """k is not proportional to E then; with all layers scaled together it is."""
    rows = StiffnessRows({"mass": 58.0, "com_height": 0.8})
    shared = SimpleNamespace(foot_stiffness=pad.foot_stiffness, inertia=pad.inertia)
    E = pad.materials[0].young_modulus
    together, alone = (
        rows.row(
            shared,
            Case(index=0, settings=s, materials=pad.materials, scale=1.0, young=E),
        )
        for s in ({"young": E}, {"young_tread": E})
    )
    softest = min(pad.foot_stiffness[3, 3], pad.foot_stiffness[4, 4])
    assert together["critical_young"] == pytest.approx(9.80665 * 58 * 0.8 * E / softest, rel=1e-3)
    assert np.isnan(alone["critical_young"])
    assert alone["standing_margin"] == together["standing_margin"]
