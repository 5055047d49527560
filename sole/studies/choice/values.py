"""Numbers of a study as text: readable units, angles in degrees, means with intervals."""

from __future__ import annotations

import math

import numpy as np

from sole.pictures import display_unit
from sole.studies.choice.cases import Cases
from sole.studies.choice.series import Series


def scaled(largest: float, unit: str) -> tuple[float, str]:
    """Return (factor, text): values in `unit` times `factor` are in the readable unit `text`.

    Angles become degrees; other units get a prefix that suits `largest`, except those that take
    none (kg, powers, shares).
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
    """Return the value of an axis in a row: a text, or a number with its unit."""
    value = axis.setting(row)
    return value if isinstance(value, str) else readable(value, axis.unit)


def metric_words(metric: Series, row: int) -> str:
    """Return a metric in a row; for repeats with the 95 % interval of the mean.

    For example "0.12 deg (0.11 to 0.13, 4 repeats)".
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


def failures_words(cases: Cases, row: int | None = None) -> str:
    """Return the count of failures, "3 of 96", in all rows or one row's repeats; '' if unknown.

    Failed rows, which have no result, do not count.
    """
    each = cases.each
    if each.outcome is None:
        return ""
    group = np.arange(each.size) if cases.repeats is None else cases.repeats.group
    mine = np.isin(group, row) if row is not None else np.ones(each.size, dtype=bool)
    mine &= np.isfinite(each.metrics[each.outcome[0]].values)
    return f"{int(each.bad[mine].sum())} of {int(mine.sum())}"


def rows_word(cases: Cases) -> str:
    """Return "rows", or "designs" if each is the mean of several rows of the table."""
    return "rows" if cases.repeats is None else "designs"
