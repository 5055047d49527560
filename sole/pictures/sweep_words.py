"""Words of a sweep's pictures: names of its columns with units that read well."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.readable import as_title, name_in_words, raised
from sole.pictures.drawing import display_unit
from sole.studies import is_text, unit_of

if TYPE_CHECKING:
    from xarray import Dataset

DECADE = 10.0
WIDTH = 34  # letters of a line beside an axis
OTHER = {"rad": (180 / np.pi, "deg"), "m^2": (1e4, "cm²")}  # not SI, for people
ROWS = {"walk": "Walks", "press": "Presses", "stiffness": "Stiffness"}


def readable(dataset: Dataset, name: str, finite: FloatArray) -> tuple[float, str]:
    """Return the factor to a readable unit, and the label: words with this unit.

    The unit is that of the largest value; of positive values over decades that of their middle,
    which has ticks from 0.003 to 300 rather than from 0.00003 to 3. Angles are in degrees and
    areas in cm².
    """
    factor, unit = readable_unit(unit_of(dataset, name) or "-", finite)
    words = name_in_words(name, sentence(dataset, name))
    return factor, wrapped(f"{as_title(words)} [{unit}]", WIDTH)


def readable_unit(unit: str, finite: FloatArray) -> tuple[float, str]:
    """Return the factor from `unit` to a readable one, and that unit."""
    first, *rest = unit.split()
    typical = float(np.abs(finite).max(initial=0.0))
    if len(finite) and 0 < DECADE * finite.min() <= typical:
        typical = float(np.sqrt(finite.min() * typical))
    if unit in OTHER:
        return OTHER[unit]
    # No prefix for areas and volumes: it would be squared or cubed.
    factor, text = (1.0, first) if first == "-" or "^" in first else display_unit(typical, first)
    return factor, raised(" ".join([text, *rest]))


def short(value: float) -> str:
    """Return three digits, up to a million without an exponent."""
    return f"{float(f'{value:.3g}'):g}"


def full_label(dataset: Dataset, name: str) -> str:
    """Return what a column means, with its unit."""
    text = as_title(sentence(dataset, name))
    if is_text(dataset, name):
        return text
    values = np.asarray(dataset[name].values, dtype=float)
    return f"{text} [{readable_unit(unit_of(dataset, name) or '-', values)[1]}]"


def sentence(dataset: Dataset, name: str) -> str:
    """Return what a column means."""
    return str(dataset[name].attrs.get("long_name", name))


def wrapped(text: str, width: int) -> str:
    """Return a text in lines of at most `width` letters."""
    return "\n".join(textwrap.wrap(text, width))


def title_of(dataset: Dataset, fixed: str = "") -> str:
    """Return the title of a table: what its rows are, on which sole or robot, and how many."""
    title = str(dataset.attrs.get("title", "sweep"))
    rows, who = str(dataset.attrs.get("rows", "")), title.removeprefix("study of ")
    if who != title and not rows.startswith("{"):
        known = [ROWS.get(kind, f"Rows '{kind}'") for kind in rows.split(", ")]
        places = [label for label in json.loads(dataset.attrs.get("mesh", "{}")) if label]
        title = f"{' and '.join(known)} of {', '.join(places) or who}"
    count = int(np.prod(list(dataset.sizes.values()))) if dataset.sizes else 1
    return f"{as_title(title)}: {count} cases{f', at {fixed}' if fixed else ''}"


def about(dataset: Dataset, varied: list[str]) -> list[str]:
    """Return what varies in a table, and its element."""
    lines = [f"{as_title(sentence(dataset, name))}: {_span(dataset, name)}" for name in varied]
    element = str(dataset.attrs.get("element", ""))
    return [*lines, *([f"Element: {element}"] if element else [])]


def _span(dataset: Dataset, name: str) -> str:
    values = np.unique(dataset[name].values)
    if is_text(dataset, name):
        return ", ".join(map(str, values)) if len(values) <= 6 else f"{len(values)} kinds"
    factor, unit = readable_unit(unit_of(dataset, name) or "-", values[-1:].astype(float))
    low, high = factor * float(values[0]), factor * float(values[-1])
    return f"{len(values)} values, {low:.4g} to {high:.4g}{'' if unit in '-1' else f' {unit}'}"


def constant_sentence(dataset: Dataset, name: str, value: float) -> str:
    """Return the sentence that stands for a column with one value everywhere."""
    factor, unit = readable_unit(unit_of(dataset, name) or "-", np.array([value]))
    shown = f"{factor * value:.4g}{'' if unit in '-1' else f' {unit}'}"
    text = sentence(dataset, name)
    words = name_in_words(name, text)
    told = "" if words == text else f" ({raised(text)})"
    return f"{as_title(words)}: {shown} in every case{told}"
