"""Stiffness rows of a study: the 6x6 foot stiffness, and the E below which the foot topples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from sole.base.errors import ConfigError
from sole.base.units import is_number, read_quantity
from sole.studies.axis import AxisQuantity
from sole.studies.columns import Column
from sole.studies.rows import HERE, Case, SharedSole

GRAVITY = 9.80665  # [m/s^2]
MOTIONS = ("x", "y", "z", "rx", "ry", "rz")
_WORDS = ("forward", "sideways", "vertical", "roll", "pitch", "yaw")


class StiffnessRows:
    """The 6x6 stiffness of the foot while its tread sticks to the ground, and the critical E.

    Options are `mass` m [kg] on this one foot and `com_height` h_c [m] of its centre of mass above
    the tread plane. Standing needs k_theta > m g h_c about both horizontal axes. k_theta is
    proportional to E if all layers have this E, so the critical E is

        E_crit = max over roll and pitch of m g h_c / (k_theta / E)

    and NaN if layers differ in E. Then `standing_margin` = k_theta / (m g h_c) says how much softer
    all layers together may be.
    """

    quantities: Mapping[str, AxisQuantity] = MappingProxyType({})
    needs_sole = False
    fingerprint = None

    def __init__(self, options: Mapping[str, Any], folder: Path = HERE) -> None:
        known = {"mass": "kg", "com_height": "m"}
        for name in options:
            if name not in known:
                raise ConfigError(
                    f"stiffness rows have no option '{name}'; known: mass, com_height"
                )
        values = [_positive(name, options[name], known[name]) for name in known if name in options]
        if len(values) == 1:
            raise ConfigError("the critical E needs both mass and com_height")
        self.moment = GRAVITY * values[0] * values[1] if values else None
        self.columns = dict(_STIFFNESS_COLUMNS)
        if self.moment is not None:
            for name in ("k_rx_rx", "k_ry_ry"):  # the critical E replaces them
                self.columns[name] = replace(self.columns[name], highlight=False)
            self.columns |= _TOPPLING_COLUMNS

    @classmethod
    def declare(cls) -> dict[str, Column]:
        """Return all possible columns."""
        return _STIFFNESS_COLUMNS | _TOPPLING_COLUMNS

    def row(self, shared: SharedSole, case: Case) -> dict[str, float]:
        """Return the 21 independent stiffnesses, the sole's mass and the critical E."""
        K = (shared.foot_stiffness * case.scale)[_UPPER].tolist()
        row = dict(zip(_STIFFNESS_NAMES, K, strict=True))
        row["sole_mass"] = shared.inertia.mass
        if self.moment is not None:
            softest = min(row["k_rx_rx"], row["k_ry_ry"])
            # k is proportional to E only if all layers have this E, here and in the other rows.
            differ = any(m.young_modulus != case.young for m in case.materials)
            alone = any(name.startswith("young_") for name in case.settings)
            row["critical_young"] = (
                np.nan if differ or alone else self.moment / (softest / case.young)
            )
            row["standing_margin"] = softest / self.moment
        return row


def _stiffness_unit(i: int, j: int) -> str:
    return ("N/m", "N", "N m")[(i > 2) + (j > 2)]


def _stiffness_words(i: int, j: int) -> str:
    if i == j:
        return f"foot stiffness: {_WORDS[i]}"
    effort = f"{_WORDS[i]} {'force' if i < 3 else 'moment'}"
    return f"foot stiffness: {effort} per {_WORDS[j]} motion"


_UPPER = np.triu_indices(6)
_PAIRS = [(i, j) for i in range(6) for j in range(i, 6)]
_STIFFNESS_NAMES = tuple(f"k_{MOTIONS[i]}_{MOTIONS[j]}" for i, j in _PAIRS)
_STIFFNESS_COLUMNS = {
    name: Column(
        _stiffness_unit(i, j),
        _stiffness_words(i, j),
        i == j and MOTIONS[i] in ("z", "rx", "ry"),
    )
    for name, (i, j) in zip(_STIFFNESS_NAMES, _PAIRS, strict=True)
} | {"sole_mass": Column("kg", "mass of the sole", goal="least")}
_TOPPLING_COLUMNS = {
    "critical_young": Column(
        "Pa", "Young's modulus below which the foot topples", highlight=True, goal="least"
    ),
    "standing_margin": Column(
        "",
        "stiffness over the toppling moment: above 1 the foot stands",
        highlight=True,
        goal="greatest",
        bound="> 1",
    ),
}


def _positive(name: str, value: object, unit: str) -> float:
    if isinstance(value, str) and not is_number(value):
        value = read_quantity(value, unit)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < np.inf:
        raise ConfigError(f"{name} must be a positive number, got {value!r}")
    return float(value)
