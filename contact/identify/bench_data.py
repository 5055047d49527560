"""Readings of a bench, from a CSV whose header names units.

    test, tool, press [kg], shear [kg], torque [N m], offset [mm], reading [mm], turn [deg]

Every row is one reading at rest. `test` says what was read and along which load:

    press           sink of the tool under `press`
    shear x, y      motion along x or y under the force `shear`, pressed down by `press`
    tilt x, y       turn about x or y of the tool pressed off its centre by `offset`
    torsion         turn about z under the moment `torque`, pressed down by `press`
    creep           sink under `press` a `time` after it was put on

and `time [s]` for creep. `sd [%]` may give the standard deviation of a reading. A column that no
row needs may be left out. A force in g or kg is the weight of that mass.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from contact.identify.bench_tool import BenchTool, parse_tool
from sole.base.arrays import FloatArray
from sole.base.constants import GRAVITY
from sole.base.errors import ConfigError
from sole.base.files import LARGEST_TEXT, existing_file

TESTS = {"press": 2, "shear x": 0, "shear y": 1, "tilt x": 3, "tilt y": 4, "torsion": 5, "creep": 2}
UNITS = {
    "force": {"N": 1.0, "kN": 1e3, "kg": GRAVITY, "g": GRAVITY / 1e3},
    "moment": {"N m": 1.0, "N mm": 1e-3, "N cm": 1e-2},
    "length": {"m": 1.0, "mm": 1e-3, "um": 1e-6},
    "angle": {"rad": 1.0, "mrad": 1e-3, "deg": math.pi / 180},
    "time": {"s": 1.0, "ms": 1e-3, "min": 60.0},
    "share": {"%": 0.01},
}
KINDS = {  # what every column measures
    "press": "force",
    "shear": "force",
    "torque": "moment",
    "offset": "length",
    "reading": "length",
    "turn": "angle",
    "time": "time",
    "sd": "share",
}
LARGEST_SHEAR = 1.0  # shear over press; beyond, no tool holds without slipping


MOST_PRESS = 1e7  # N
SMALLEST, LARGEST = 1e-9, 10.0  # m or rad: of a reading


@dataclass(frozen=True, kw_only=True)
class BenchReading:
    """One reading in SI units, loads as forces of the tool on the sole's tread.

    Parameters
    ----------
    test : a key of `TESTS`.
    tool : what pressed.
    press : normal force > 0 [N].
    load : shear force [N], moment of a torsion or of a tilt [N m]; 0 for press and creep.
    value : sink, motion [m] or turn [rad] of the tool along its load, > 0.
    time : since the load was put on [s]; infinite but for creep.
    sd : standard deviation over value; 0: not given.
    row : line of the file, 0 if there is none.
    """

    test: str
    tool: BenchTool
    press: float
    value: float
    load: float = 0.0
    time: float = math.inf
    sd: float = 0.0
    row: int = 0

    def __post_init__(self) -> None:
        where = f"row {self.row}: " if self.row else ""
        if self.test not in TESTS:
            raise ConfigError(f"{where}unknown test '{self.test}'; known are {', '.join(TESTS)}")
        for name in ("press", "value", "time"):
            if not getattr(self, name) > 0:
                raise ConfigError(
                    f"{where}{name} must be positive, got {getattr(self, name):g}: loads press, "
                    "and readings count along the load"
                )
        if not (self.press <= MOST_PRESS and SMALLEST <= self.value <= LARGEST):
            raise ConfigError(
                f"{where}a press of {self.press:g} N that moves the tool by {self.value:g} "
                f"{self.unit}: expected at most {MOST_PRESS:g} N, and {SMALLEST:g} to {LARGEST:g} "
                f"{self.unit}; check the units"
            )
        if (self.test == "creep") != math.isfinite(self.time):
            raise ConfigError(f"{where}creep, and no other test, has a time")
        if (self.axis == 2) != (self.load == 0) or not 0 <= self.load < math.inf:
            rule = "takes no load besides the press" if self.axis == 2 else "needs a positive load"
            raise ConfigError(f"{where}{self.test} {rule}, got {self.load:g}")
        if self.axis < 2 and self.load > LARGEST_SHEAR * self.press:
            raise ConfigError(
                f"{where}shear of {self.load:.4g} N under a press of {self.press:.4g} N: the tool "
                "slips. Press harder, or check the units"
            )
        if not 0 <= self.sd < 1:
            raise ConfigError(f"{where}sd must be from 0 to 100 %, got {100 * self.sd:g} %")

    @property
    def axis(self) -> int:
        """Component of wrench and motion that is read: 0 to 5 of (x, y, z, rx, ry, rz)."""
        return TESTS[self.test]

    @property
    def unit(self) -> str:
        """Unit of `value`."""
        return "m" if self.axis < 3 else "rad"

    @property
    def wrench(self) -> FloatArray:
        """(6,) of the tool on the sole about the tool's centre on the tread [N, N m]."""
        w = np.zeros(6)
        w[2] = self.press
        if self.axis != 2:
            w[self.axis] = self.load
        return w


@dataclass(frozen=True)
class BenchData:
    """The readings of a file, in its order."""

    readings: tuple[BenchReading, ...]

    def __post_init__(self) -> None:
        if not self.readings:
            raise ConfigError("no readings: a bench file has one row per reading")

    @property
    def values(self) -> FloatArray:
        """(n,) readings [m or rad]."""
        return np.array([r.value for r in self.readings])

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests that were made, in the order of `TESTS`."""
        made = {r.test for r in self.readings}
        return tuple(t for t in TESTS if t in made)


def read_bench(path: Path) -> BenchData:
    """Read a CSV of readings; lines that begin with # are comments.

    Raises
    ------
    ConfigError
        A column without a unit or of another kind, a cell that is no number, a test that lacks
        its columns, a wrong sign: file, row and what to do.
    """
    existing_file(path, ConfigError, most=LARGEST_TEXT, padding=0)
    with open(path, newline="", encoding="utf-8-sig") as file:
        try:
            lines = [(n, line) for n, line in enumerate(file, 1) if _counts(line)]
        except UnicodeDecodeError as error:
            raise ConfigError(
                f"{path}: not a text in UTF-8 ({error.reason}): save it as CSV UTF-8"
            ) from error
    if not lines:
        raise ConfigError(f"{path}: empty; the first line names the columns, test and tool first")
    try:
        rows = list(csv.reader(line for _, line in lines))
        if len(rows) != len(lines):
            raise ConfigError("a cell in quotes runs over several lines")
        if len(rows[0]) == 1 and ";" in rows[0][0]:
            raise ConfigError("separate the cells by commas, not by semicolons")
        columns, width = _columns([cell.strip() for cell in rows[0]]), len(rows[0])
        found = []
        for (number, _), row in zip(lines[1:], rows[1:], strict=True):
            cells = [cell.strip() for cell in row]
            if any(cells[width:]):
                raise ConfigError(
                    f"row {number} has {len(cells)} cells, the first line names {width}: a decimal "
                    "comma? write 70.8, not 70,8"
                )
            found.append(_reading(number, columns, cells))
        return BenchData(tuple(found))
    except (ConfigError, csv.Error) as error:
        raise ConfigError(f"{path}: {error}") from error


def _counts(line: str) -> bool:
    return bool(line.strip(" ,;\r\n\t")) and not line.lstrip().startswith("#")


def _columns(header: Sequence[str]) -> dict[str, tuple[int, float]]:
    """Return name -> (place, unit in SI) of the columns."""
    columns: dict[str, tuple[int, float]] = {}
    for place, cell in enumerate(header):
        found = re.fullmatch(r"(\w+)\s*(?:\[(.+)\])?", cell)
        name, unit = (found[1].lower(), found[2]) if found else (cell, None)
        if name in ("test", "tool"):
            columns[name] = (place, 1.0)
            continue
        if name not in KINDS:
            known = ", ".join(["test", "tool", *KINDS])
            raise ConfigError(f"unknown column '{cell}'; known are {known}")
        units = UNITS[KINDS[name]]
        if unit not in units:
            raise ConfigError(
                f"column '{cell}' needs a unit in brackets: {name} [{'|'.join(units)}]"
            )
        if name in columns:
            raise ConfigError(f"column '{name}' is there twice")
        columns[name] = (place, units[unit])
    for name in ("test", "press"):
        if name not in columns:
            raise ConfigError(f"column '{name}' is missing")
    return columns


def _reading(
    row: int, columns: Mapping[str, tuple[int, float]], cells: Sequence[str]
) -> BenchReading:
    def text(name: str) -> str:
        place = columns[name][0] if name in columns else len(cells)
        return cells[place] if place < len(cells) else ""

    def needed(name: str) -> float:
        used.add(name)
        if not text(name):
            units = "|".join(UNITS[KINDS[name]])
            lack = f"a value of {name}" if name in columns else f"a column {name} [{units}]"
            raise ConfigError(f"row {row}: {test} needs {lack}")
        try:
            value = float(text(name))
        except ValueError:
            raise ConfigError(f"row {row}: {name} is '{text(name)}', expected a number") from None
        return value * columns[name][1]

    test = " ".join(text("test").lower().split())
    if test not in TESTS:
        raise ConfigError(f"row {row}: unknown test '{test}'; known are {', '.join(TESTS)}")
    axis, used = TESTS[test], {"test", "tool"}
    try:
        tool = parse_tool(text("tool") or "plate")
    except ConfigError as error:
        raise ConfigError(f"row {row}: {error}") from error
    press = needed("press")
    load = 0.0
    if axis < 2:
        load = needed("shear")
    elif axis == 5:
        load = needed("torque")
    elif axis in (3, 4):
        load = needed("offset") * press
    reading = BenchReading(
        test=test,
        tool=tool,
        press=press,
        load=load,
        value=needed("reading") if axis < 3 else needed("turn"),
        time=needed("time") if test == "creep" else math.inf,
        sd=needed("sd") if text("sd") else 0.0,
        row=row,
    )
    if more := [name for name in columns if name not in used and text(name)]:
        raise ConfigError(f"row {row}: {test} takes no {more[0]}, got '{text(more[0])}'")
    return reading
