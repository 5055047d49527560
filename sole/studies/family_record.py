"""How the soles of a family are made, what that may cost in accuracy, and who keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sole.base.arrays import FloatArray
from sole.studies.poisson_interpolation import weighted_sum


@dataclass(frozen=True, kw_only=True)
class FamilyRecord:
    """The way the soles of a family are made, and its error.

    Parameters
    ----------
    count : nodes of the interpolation, 0 if every nu is condensed.
    low, high : range of nu.
    foot : (count, 6, 6) foot stiffness / mu at the nodes.
    inverse : whether its inverse is interpolated instead, whichever is better at the checks.
    compliance_error : largest relative Frobenius error of C at the verification points.
    stiffness_error : largest |error of K_ij| / sqrt(K_ii K_jj) there, K the foot stiffness.
    condensations : number done or to be done for this family.
    """

    count: int
    low: float
    high: float
    condensations: int
    foot: list[Any]
    compliance_error: float = 0.0
    stiffness_error: float = 0.0
    inverse: bool = False


class NoteStore(Protocol):
    """Storage of small results: the journal, or the part of it that a worker received."""

    def get_shared(self, key: str) -> Any:
        """Return the stored data, None if there is none."""

    def put_shared(self, key: str, value: Any) -> None:
        """Store JSON-serialisable data."""


def interpolated_stiffness(
    weights: FloatArray, foot: Sequence[FloatArray], mu: float, inverse: bool
) -> FloatArray:
    """Interpolate the foot stiffness, or its inverse, which stays bounded as nu -> 1/2.

    Without locking the inverse is smoother in nu, with locking the stiffness.
    """
    if not inverse:
        return mu * weighted_sum(weights, foot)
    soft = [np.asarray(np.linalg.inv(k), dtype=np.float64) for k in foot]
    K: FloatArray = np.asarray(mu * np.linalg.inv(weighted_sum(weights, soft)), dtype=np.float64)
    result: FloatArray = (K + K.T) / 2
    return result
