"""Strain and stress of a deformed sole as columns, for every kind of rows that loads a sole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sole.base.arrays import FloatArray
from sole.studies.columns import Column

if TYPE_CHECKING:
    from sole.condense import Deformation

FIELD_COLUMNS = {
    "strain_p99": Column(
        "",
        "von Mises strain, 99th percentile by volume; depends on the mesh on uneven ground",
        highlight=True,
        goal="least",
        bound="<= 0.1",  # the sole is modelled as linear
    ),
    "strain_max": Column(
        "", "von Mises strain, maximum: depends on the mesh at bonded corners", goal="least"
    ),
    "von_mises_p99": Column(
        "Pa",
        "von Mises stress, 99th percentile by volume; depends on the mesh on uneven ground",
        goal="least",
    ),
    "von_mises_max": Column("Pa", "von Mises stress, maximum: depends on the mesh", goal="least"),
}


def field_metrics(deformation: Deformation) -> dict[str, float]:
    """Return the columns `FIELD_COLUMNS` of a recovered deformation."""
    strain = von_mises_strain(deformation.strain)
    V, s = deformation.volumes, deformation.von_mises
    return {
        "strain_p99": weighted_percentile(strain, V, 0.99),
        "strain_max": float(strain.max()),
        "von_mises_p99": weighted_percentile(s, V, 0.99),
        "von_mises_max": float(s.max()),
    }


def von_mises_strain(strain: FloatArray) -> FloatArray:
    """Return sqrt(2/3 e_dev : e_dev) of (e, 6) tensor components xx, yy, zz, yz, xz, xy.

    An incompressible bar under axial strain e has the value e.
    """
    deviator = strain.copy()
    deviator[:, :3] -= strain[:, :3].mean(axis=1, keepdims=True)
    squared = (deviator**2) @ np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
    result: FloatArray = np.sqrt(2 / 3 * squared)
    return result


def weighted_percentile(values: FloatArray, weights: FloatArray, fraction: float) -> float:
    """Return the smallest value with at least `fraction` of the weight at or below it."""
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    k = int(np.searchsorted(total, fraction * total[-1] * (1 - 1e-12)))
    return float(values[order[min(k, len(order) - 1)]])
