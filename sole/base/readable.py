"""Values and names for people: mm, kPa, kN and degrees, columns in words; files stay SI."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = [
    "SHARE",
    "as_title",
    "for_people",
    "in_words",
    "name_in_words",
    "raised",
]

SHARE = "1"  # the unit of a share that people read in per cent
# By SI unit: (from which size on, unit, factor), the largest size first. The last one is also for
# zero and for what has no value.
_SCALES: Mapping[str, Sequence[tuple[float, str, float]]] = {
    "m": ((1.0, "m", 1.0), (0.0, "mm", 1e3)),
    "m^2": ((1.0, "m^2", 1.0), (0.0, "cm^2", 1e4)),
    "m^3": ((1.0, "m^3", 1.0), (0.0, "cm^3", 1e6)),
    "Pa": ((1e9, "GPa", 1e-9), (1e6, "MPa", 1e-6), (0.0, "kPa", 1e-3)),
    "N": ((1e6, "MN", 1e-6), (1e3, "kN", 1e-3), (0.0, "N", 1.0)),
    "N/m": ((1e6, "MN/m", 1e-6), (1e3, "kN/m", 1e-3), (0.0, "N/m", 1.0)),
    "rad": ((0.0, "deg", math.degrees(1)),),
    SHARE: ((0.0, "%", 100.0),),
}


def for_people(value: Any, unit: str) -> tuple[Any, str]:
    """Return a value and its unit as people read them, such as (38.8, "kPa") for 38774 Pa.

    Parameters
    ----------
    value : a number, an array or a list of numbers in `unit`; others are returned unchanged. All
        numbers of a value get the same unit, which suits the largest.
    unit : an SI unit; one without a usual prefix is returned unchanged. "Pa, -, kg/m^3" are those
        of a list of three values.
    """
    if ", " in unit and isinstance(value, list):  # such as E, nu and rho
        pairs = [for_people(v, u) for v, u in zip(value, unit.split(", "), strict=True)]
        return [v for v, _ in pairs], ", ".join(u for _, u in pairs)
    scales = _SCALES.get(unit)
    if scales is None:
        return value, unit
    numbers = _numbers(value)
    if numbers is None:
        return value, unit if value is not None else scales[-1][1]
    size = max((abs(x) for x in numbers if math.isfinite(x)), default=0.0)
    # 999.96 kPa are shown with five digits, as 999.96: no size is rounded up to the next unit.
    symbol, factor = next((s, f) for least, s, f in scales if size >= least)
    return _times(value, factor), symbol


def in_words(numbers: Sequence[float], unit: str, digits: int = 4) -> str:
    """Return numbers with the unit that people read, such as "2.9 to 3.1 MPa", for a remark."""
    values, symbol = for_people([float(x) for x in numbers], unit)
    return f"{' to '.join(f'{v:.{digits}g}' for v in values)} {symbol}".rstrip()


def _numbers(value: Any) -> list[float] | None:
    """Return all numbers of a value, None if it holds anything else."""
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, int | float | np.number):
        return [float(value)]
    if isinstance(value, np.ndarray):
        return value.astype(float).ravel().tolist() if value.dtype.kind in "fiu" else None
    if isinstance(value, list | tuple):
        parts = [_numbers(part) for part in value]
        return None if None in parts else [x for part in parts for x in part or ()]
    return None


def _times(value: Any, factor: float) -> Any:
    if factor == 1.0:
        return value
    if isinstance(value, list | tuple):
        return [_times(part, factor) for part in value]
    return value * factor


LONGEST = 46  # letters of an axis label


def name_in_words(name: str, sentence: str) -> str:
    """Return a short name of a column: its `sentence`, the first clause of it, or its own words.

    "k_z_z" with "foot stiffness: vertical" is that sentence; "waist_tilt" with a longer one is
    "waist tilt"; the ending "_100_hz" is "below 100 Hz".
    """
    clause = re.split(r"[,;:] ", sentence)[0]
    for words in (sentence, clause):
        if 2 < len(words) <= LONGEST and words[0].isalpha() and "|" not in words:
            return words
    return re.sub(r" (\d+) hz$", r" below \1 Hz", name.replace("_", " "))


def as_title(sentence: str) -> str:
    """Return a sentence with a capital letter and raised exponents."""
    text = raised(sentence)
    return text[:1].upper() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def raised(text: str) -> str:
    """Return a text with m² for m^2."""
    return text.replace("^2", "²").replace("^3", "³")
