"""What the rows of studies in tests declare of their columns, as those of a package do."""

from __future__ import annotations

from typing import Any

from sole.studies import Column, RowOutcome
from sole.studies.choice.series import Series

WALKED = RowOutcome(
    success="walked", failure="fell", adjective="fallen", noun="walk", nouns="walks"
)
COLUMNS = {
    "fell": Column("", "1: it fell", bound="== 0", outcome=WALKED),
    "strain_p99": Column("", "strain", bound="<= 0.1"),
    "stance_margin": Column("", "margin", goal="greatest", bound="> 0"),
    "landing_acceleration_100_hz": Column("m/s^2", "landing", goal="least"),
    "waist_tilt": Column("rad", "tilt", goal="least"),
}
TRADES = [("landing_acceleration_100_hz", "waist_tilt")]


def declared(name: str, values: Any, unit: str = "") -> Series:
    """Return a metric with what `COLUMNS` says of it, if anything."""
    c = COLUMNS.get(name, Column(unit, ""))
    return Series(
        values, unit, goal=c.goal, bound=c.bound, outcome=c.outcome, of_failures=c.of_failures
    )
