from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from sole.condense import Deformation, recover
from sole.studies import Case, StiffnessRows, field_metrics, weighted_percentile


def test_weighted_percentile():
    values, weights = np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 98.0])
    assert weighted_percentile(values, weights, 0.99) == 2.0
    assert weighted_percentile(values, weights, 1.0) == 3.0
    assert weighted_percentile(values, weights, 0.005) == 1.0


def fields_of(strain, volumes):
    nothing = np.zeros(len(strain))
    return Deformation(np.zeros((1, 3)), strain, strain, nothing, volumes, 0.0)


def test_compression_is_the_least_principal_strain_of_simple_states():
    tension = [0.01, -0.005, -0.005, 0, 0, 0]
    shear = [0, 0, 0, 0, 0, 0.01]  # principal strains +-0.01
    swollen = [0.01, 0.01, 0.01, 0, 0, 0]
    strain = np.array([tension, shear, swollen])
    found = fields_of(strain, np.array([1.0, 1.0, 98.0]))
    assert found.shortening == pytest.approx([0.005, 0.01, 0.0])
    assert found.compression == pytest.approx(0.005)  # 1 % of the volume is shorter than that


def test_field_metrics_are_those_of_the_recovered_field(pad):
    forces = np.zeros((len(pad.points), 3))
    forces[:, 2] = 600.0 * pad.areas / pad.areas.sum()
    deformation = recover(pad, forces)
    found = field_metrics(deformation)
    lam, mu = pad.materials[0].lame
    assert found["von_mises_max"] == pytest.approx(deformation.von_mises.max())
    # sigma = lam tr(e) 1 + 2 mu e, so both have their least principal value in one direction
    matrix = deformation.stress[:, [0, 5, 4, 5, 1, 3, 4, 3, 2]].reshape(-1, 3, 3)
    trace = deformation.strain[:, :3].sum(axis=1)
    strain = (lam * trace - np.linalg.eigvalsh(matrix)[:, 0]) / (2 * mu)
    assert found["strain_max"] == pytest.approx(strain.max(), rel=1e-3)
    V, p99 = deformation.volumes / deformation.volumes.sum(), found["strain_p99"]
    light, heavy = V[strain > p99 * (1 + 1e-9)].sum(), V[strain >= p99 * (1 - 1e-9)].sum()
    assert light <= 0.01 <= heavy  # by volume, not by number of elements


def test_field_percentiles_are_weighted_by_volume():
    """Nine small elements at high strain are 0.9 % of the volume: beyond the 99th percentile."""
    strain = np.zeros((10, 6))
    strain[:, 5] = 0.01 * np.arange(10, 0, -1)
    volumes = np.array([1.0] * 9 + [991.0])
    fields = Deformation(np.zeros((1, 3)), strain, strain, strain[:, 5] * 1e6, volumes, 0.0)
    found = field_metrics(fields)
    assert found["strain_p99"] == pytest.approx(0.01)
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
