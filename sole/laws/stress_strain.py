"""Measured stress and strain, from a CSV whose header names units.

    test, strain [%], stress [kPa]

`test` is uniaxial (the default), planar or shear. Stress is nominal, force per undeformed area.
It is negative in compression, as the strain is: change of length over length. In simple shear the
strain is the displacement of the upper face over the thickness. `stretch`, 1 + strain, may replace
`strain`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sole.base.arrays import BoolArray, FloatArray, frozen
from sole.base.errors import ConfigError
from sole.base.files import LARGEST_TEXT, existing_file

TESTS = ("uniaxial", "planar", "shear")
UNITS: Mapping[str, Mapping[str, float]] = {
    "strain": {"%": 0.01, "-": 1.0},
    "stretch": {"-": 1.0},
    "stress": {"Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "N/mm^2": 1e6},
}
LEAST, MOST = 0.02, 20.0  # stretches that can be meant


@dataclass(frozen=True, eq=False, kw_only=True)
class StressStrain:
    """Points of a material's curves.

    Parameters
    ----------
    test : of every point, one of `TESTS`.
    strain : (n,) stretch - 1; of a shear its angle gamma.
    stress : (n,) nominal [Pa].
    """

    test: tuple[str, ...]
    strain: FloatArray
    stress: FloatArray

    def __post_init__(self) -> None:
        for name in ("strain", "stress"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        if not len(self.test) == len(self.strain) == len(self.stress) > 0:
            raise ConfigError("a fit needs points, each with a strain and a stress")
        if not (np.isfinite(self.strain).all() and np.isfinite(self.stress).all()):
            raise ConfigError("strains and stresses must be finite")
        bad = ~((self.strain + 1 > LEAST) & (self.strain + 1 < MOST)) & ~self.of("shear")
        if bad.any():
            raise ConfigError(
                f"a stretch of {1 + self.strain[bad][0]:g} cannot be meant, expected {LEAST:g} to "
                f"{MOST:g}: compression has negative strains; check the unit of the strain"
            )
        wrong = self.strain * self.stress < 0
        if wrong.any():
            raise ConfigError(
                f"strain {self.strain[wrong][0]:g} has the stress {self.stress[wrong][0]:g} Pa: "
                "both are negative in compression"
            )
        if not self.stress.any():
            raise ConfigError("all stresses are 0")

    def of(self, test: str) -> BoolArray:
        """(n,) whether a point is of this test."""
        return np.array([t == test for t in self.test])

    @property
    def stretches(self) -> tuple[float, float]:
        """Least and largest principal stretch of all points, 1 included.

        A simple shear gamma has the stretch exp(asinh(gamma/2)) and its inverse.
        """
        along = 1 + self.strain[~self.of("shear")]
        turned = np.exp(np.arcsinh(np.abs(self.strain[self.of("shear")]) / 2))
        found = np.concatenate([[1.0], along, turned, 1 / turned])
        return float(found.min()), float(found.max())


def read_stress_strain(path: Path) -> StressStrain:
    """Read a CSV; lines that begin with # are comments.

    Raises
    ------
    ConfigError
        No such file, a column without its unit, a cell that is no number, values that cannot be
        meant: file, row and what to do.
    """
    existing_file(path, ConfigError, most=LARGEST_TEXT, padding=0)
    try:
        text = path.read_text(encoding="utf-8-sig")
        rows = [
            (number, [cell.strip() for cell in row])
            for number, row in enumerate(csv.reader(text.splitlines()), 1)
            if any(cell.strip() for cell in row) and not row[0].lstrip().startswith("#")
        ]
        if not rows:
            raise ConfigError("empty; the first line names the columns: strain [%], stress [kPa]")
        columns = _columns(rows[0][1])
        points = [_point(number, columns, row, len(rows[0][1])) for number, row in rows[1:]]
        return StressStrain(
            test=tuple(p[0] for p in points),
            strain=np.array([p[1] for p in points]),
            stress=np.array([p[2] for p in points]),
        )
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path}: not a text in UTF-8 ({error.reason}): save it as CSV UTF-8"
        ) from error
    except (ConfigError, csv.Error) as error:
        raise ConfigError(f"{path}: {error}") from error


def _columns(header: Sequence[str]) -> dict[str, tuple[int, float]]:
    """Return name -> (place, unit in SI)."""
    columns: dict[str, tuple[int, float]] = {}
    for place, cell in enumerate(header):
        found = re.fullmatch(r"(\w+)\s*(?:\[(.+)\])?", cell)
        name, unit = (found[1].lower(), found[2]) if found else (cell, None)
        if name not in UNITS and name != "test":
            raise ConfigError(f"unknown column '{cell}'; known are test, {', '.join(UNITS)}")
        if name in columns:
            raise ConfigError(f"column '{name}' is there twice")
        units = {"": 1.0} if name == "test" else UNITS[name]
        unit = ("-" if name == "stretch" else "") if unit is None else unit
        if unit not in units:
            raise ConfigError(
                f"column '{cell}' needs a unit in brackets: {name} [{'|'.join(units)}]"
            )
        columns[name] = (place, units[unit])
    if "stress" not in columns or ("strain" in columns) == ("stretch" in columns):
        raise ConfigError(
            f"the columns are {', '.join(columns)}; expected stress [kPa] and strain [%] or stretch"
        )
    return columns


def _point(
    row: int, columns: Mapping[str, tuple[int, float]], cells: Sequence[str], width: int
) -> tuple[str, float, float]:
    if len(cells) != width:
        raise ConfigError(
            f"row {row} has {len(cells)} cells, the first line names {width}: a decimal comma? "
            "write 70.8, not 70,8"
        )

    def number(name: str) -> float:
        place, unit = columns[name]
        try:
            return float(cells[place]) * unit
        except ValueError:
            raise ConfigError(f"row {row}: {name} is '{cells[place]}', expected a number") from None

    test = cells[columns["test"][0]].lower() if "test" in columns else "uniaxial"
    if test not in TESTS:
        raise ConfigError(f"row {row}: unknown test '{test}'; known are {', '.join(TESTS)}")
    if "stretch" in columns and test == "shear":
        raise ConfigError(f"row {row}: a shear has a strain, not a stretch")
    strain = number("strain") if "strain" in columns else number("stretch") - 1
    return test, strain, number("stress")
