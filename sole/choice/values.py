"""Numbers of a study for people: readable units, angles in degrees, means with their intervals."""

from __future__ import annotations

import math

import numpy as np

from sole.choice.cases import Cases
from sole.choice.series import Series
from sole.pictures.drawing import display_unit


def scaled(largest: float, unit: str) -> tuple[float, str]:
    """Return (factor, text): values in `unit` times factor are in the readable unit `text`.

    Angles become degrees; other units get a prefix so that `largest` reads well, unless that
    would not be a unit (kg, powers, shares).
    """
    first, *rest = (unit or "1").split()
    factor = 1.0
    if first.startswith("rad"):
        factor, first = math.degrees(1), first.replace("rad", "deg", 1)
    elif first[0].isalpha() and "^" not in first and not first.startswith(("deg", "kg")):
        factor, first = display_unit(largest, first)
    text = " ".join([first, *rest])
    return factor, "" if text == "1" else text


def readable(value: float, unit: str) -> str:
    """Return a number with its unit in a readable prefix: 1.2 MPa."""
    factor, text = scaled(abs(value), unit)
    return f"{value * factor:.4g} {text}".rstrip()


def setting_words(axis: Series, row: int) -> str:
    """Return an axis' value at a row: a word, or a number with its unit."""
    value = axis.setting(row)
    return value if isinstance(value, str) else readable(value, axis.unit)


def metric_words(metric: Series, row: int) -> str:
    """Return a metric at a row; of repeats with the 95 % interval of the mean.

    Such as "0.12 deg (0.11 to 0.13, 4 repeats)".
    """
    value = float(metric.values[row])
    said = readable(value, metric.unit)
    if metric.spread is None:
        return said
    count, half = int(metric.spread.count[row]), float(metric.spread.half[row])
    if count == 1:
        return f"{said} (1 repeat)"
    factor, _ = scaled(abs(value), metric.unit)
    ends = " to ".join(f"{(value + side * half) * factor:.3g}" for side in (-1, 1))
    return f"{said} ({ends}, {count} repeats)" if np.isfinite(half) else said


def fell_words(cases: Cases, row: int | None = None) -> str:
    """Return how many walks fell, of all rows or behind one row: "3 of 96"; '' if none walked."""
    each = cases if cases.repeats is None else cases.repeats.each
    if "fell" not in each.metrics:
        return ""
    group = np.arange(each.size) if cases.repeats is None else cases.repeats.group
    fell = each.metrics["fell"].values[np.isin(group, row) if row is not None else slice(None)]
    known = np.isfinite(fell)
    return f"{int((fell[known] > 0).sum())} of {int(known.sum())}"


def rows_word(cases: Cases) -> str:
    """Return "rows", or "designs" where each is the mean of several rows of the table."""
    return "rows" if cases.repeats is None else "designs"
