"""Words of a sweep's pictures: names of its columns with units that read well."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np

from sole.base.arrays import FloatArray
from sole.pictures.drawing import display_unit
from sole.studies import is_text, unit_of

if TYPE_CHECKING:
    from xarray import Dataset

DECADE = 10.0


def readable(dataset: Dataset, name: str, finite: FloatArray) -> tuple[float, str]:
    """Return the factor to a readable unit, and the label.

    The unit is that of the largest value; of positive values over decades that of their middle,
    which has ticks from 0.003 to 300 rather than from 0.00003 to 3.
    """
    first, *rest = (unit_of(dataset, name) or "-").split()
    typical = float(np.abs(finite).max(initial=0.0))
    if len(finite) and 0 < DECADE * finite.min() <= typical:
        typical = float(np.sqrt(finite.min() * typical))
    # No prefix for areas and volumes: it would be squared or cubed.
    factor, unit = (1.0, first) if first == "-" or "^" in first else display_unit(typical, first)
    return factor, f"{name} [{' '.join([unit, *rest])}]"


def short(value: float) -> str:
    """Return three digits, up to a million without an exponent."""
    return f"{float(f'{value:.3g}'):g}"


def full_label(dataset: Dataset, name: str) -> str:
    """Return what a column means, with its unit."""
    unit = unit_of(dataset, name) or "-"
    text = sentence(dataset, name)
    return text if is_text(dataset, name) else f"{text} [{unit}]"


def sentence(dataset: Dataset, name: str) -> str:
    """Return what a column means."""
    return str(dataset[name].attrs.get("long_name", name))


def wrapped(text: str, width: int) -> str:
    """Return a text in lines of at most `width` letters."""
    return "\n".join(textwrap.wrap(text, width))
