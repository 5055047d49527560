"""Figure 5's walks from docs/results/figure5.csv: three repeats of a sole from three numbers."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from robot.papers.experiments.figure5_tables import LINEAR, MEASURES
from robot.papers.experiments.figure5_trends import per_ratio, trends_of_soles
from sole.base.arrays import FloatArray

__all__ = ["SETTINGS", "SolesOfSetting", "numbers_of_file", "soles_of_file"]

SETTINGS = {  # prefix of the numbers -> study and controller
    "pd_flat": ("flat", "plain PD"),
    "flat": ("flat", "stabiliser"),
    "pd_plate": ("plate", "plain PD"),
    "plate": ("plate", "stabiliser"),
}


class SolesOfSetting:
    """Soles of a ground and controller: E (M,) [Pa], nu (N,), measures (M, N, 3), which count.

    Parameters
    ----------
    rows : of the file, each a sole with mean, min and max of three repeats. The third repeat is
        3 mean - min - max, to the file's six digits.
    """

    def __init__(self, rows: Sequence[Mapping[str, str]]) -> None:
        self.young, self.ratios = (
            np.array(sorted({float(row[name]) for row in rows})) for name in ("young", "poisson")
        )
        shape = len(self.young), len(self.ratios)
        self.stands = np.zeros(shape, dtype=bool)
        self.measures = {name: np.full((*shape, 3), np.nan) for name in MEASURES}
        for row in rows:
            at = (
                int(np.searchsorted(self.young, float(row["young"]))),
                int(np.searchsorted(self.ratios, float(row["poisson"]))),
            )
            if row["fallen"] != "0":
                continue
            self.stands[at] = float(row["strain_p99 max"]) <= LINEAR
            for name, metric in MEASURES.items():
                mean, low, high = (float(row[f"{metric} {how}"]) for how in ("mean", "min", "max"))
                self.measures[name][at] = low, 3 * mean - low - high, high

    def trends(self) -> dict[str, float]:
        """Return `trends_of_soles`."""
        return trends_of_soles(self.young, self.measures, self.stands)

    def by_ratio(self, name: str) -> FloatArray:
        """Return the rank correlation of a measure with E at every nu (N,); NaN: too few moduli."""
        return per_ratio(self.young, self.measures[name].mean(axis=-1), self.stands)


def soles_of_file(path: Path) -> dict[str, SolesOfSetting]:
    """Return the soles of each of `SETTINGS`."""
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {
        prefix: SolesOfSetting([r for r in rows if (r["study"], r["controller"]) == wanted])
        for prefix, wanted in SETTINGS.items()
    }


def numbers_of_file(path: Path) -> dict[str, float]:
    """Return the numbers of the claims on figure 5, as `reproduce_figure5` finds them in full."""
    return {
        f"{prefix}_{name}": value
        for prefix, soles in soles_of_file(path).items()
        for name, value in soles.trends().items()
    }
