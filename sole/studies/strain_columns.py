"""Strain and stress of a deformed sole as columns, for every kind of rows that loads a sole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sole.base.arrays import FloatArray
from sole.condense import STRAIN_LIMIT
from sole.studies.columns import Column

if TYPE_CHECKING:
    from sole.condense import Deformation

FIELD_COLUMNS = {
    "strain_p99": Column(
        "",
        "least principal strain, 99th percentile by volume; depends on the mesh on uneven ground",
        highlight=True,
        goal="least",
        bound=f"<= {STRAIN_LIMIT:g}",  # the sole is modelled as linear
    ),
    "strain_max": Column(
        "", "least principal strain, largest: depends on the mesh at bonded corners", goal="least"
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
    V, s = deformation.volumes, deformation.von_mises
    return {
        "strain_p99": deformation.compression,
        "strain_max": float(deformation.shortening.max()),
        "von_mises_p99": weighted_percentile(s, V, 0.99),
        "von_mises_max": float(s.max()),
    }


def weighted_percentile(values: FloatArray, weights: FloatArray, fraction: float) -> float:
    """Return the smallest value with at least `fraction` of the weight at or below it."""
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    k = int(np.searchsorted(total, fraction * total[-1] * (1 - 1e-12)))
    return float(values[order[min(k, len(order) - 1)]])
