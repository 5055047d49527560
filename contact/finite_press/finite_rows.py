"""Press rows at finite strain, for sweeps and studies.

The laws are neo-Hooke, whose stress is linear in E at constant nu. So a press depends on F/E only:
a case whose E is s times that of its shared sole is that sole under F/s, with forces, pressures and
energy times s. One assembly serves all E.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from contact.finite_press.pressing import press_finite
from contact.press import PressRows, Wrench, press_metrics
from sole.base.errors import ConfigError
from sole.hyperelastic import FiniteSole
from sole.studies import FIELD_COLUMNS, HERE, Case, Column, SharedSole

_STRAINS = {
    "strain": Column(
        "", "compression that 99 % of the volume stay below: 1 - least principal stretch",
        highlight=True, goal="least",
    ),
    "least_stretch": Column("", "least principal stretch: depends on the mesh", goal="greatest"),
}  # fmt: skip
_FORCES = ("pressure_peak", "pressure_p95", "pressure_max", "energy")  # in proportion to E


class FinitePressRows(PressRows):
    """One press at finite strain per case; options as of press rows, but for `fields`."""

    def __init__(self, options: Mapping[str, Any], folder: Path = HERE) -> None:
        if "fields" in options:
            raise ConfigError("finite_press rows have no option 'fields': they always give strains")
        super().__init__({**options, "fields": False}, folder)
        self.columns = self.declare()
        self._last: tuple[SharedSole, FiniteSole] | None = None

    @classmethod
    def declare(cls) -> dict[str, Column]:
        """Return all possible columns."""
        linear = PressRows.declare()
        linear.pop("deformation")
        return {n: c for n, c in linear.items() if n not in FIELD_COLUMNS} | _STRAINS

    def row(self, shared: SharedSole, case: Case) -> dict[str, float]:
        """Return the numbers of one case; raises SoleError where there is no equilibrium."""
        if self._last is None or self._last[0] is not shared:
            sole = shared.sole
            self._last = shared, FiniteSole(sole.mesh, sole.materials, sole.element)
        load = Wrench(**{name: v / case.scale for name, v in asdict(self.load).items()})
        friction = float(case.settings.get("friction", self.friction))
        done = press_finite(self._last[1], load, self.ground, friction, increments=self.increments)
        row = press_metrics(done, done.certificate.contact.natural_map)
        row |= {"strain": done.field.strain, "least_stretch": float(np.min(done.field.stretches))}
        row |= {name: row[name] * case.scale for name in _FORCES}
        return {name: value for name, value in row.items() if name in self.columns}
