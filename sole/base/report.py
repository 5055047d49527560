"""The output of a command: a table for people, one JSON object for scripts."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sole.base.mesh_dependence import ACCURACY
from sole.base.readable import SHARE, for_people
from sole.base.standard_output import printable

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["Quantity", "Report", "emit", "plain", "shown"]


SENTENCE = 60  # letters: a longer text of several words does not fit into a cell


@dataclass(frozen=True, slots=True)
class Quantity:
    """One line of a report: a value, its unit ('' if none) and an optional remark.

    unit : of the value, in SI; SHARE of one that people read in per cent.
    ends : the value is [least, greatest], which people read as "0.65 to 14.4", or once if equal.
    """

    value: Any
    unit: str = ""
    remark: str = ""
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """A titled list of named quantities.

    Quantities that are sentences are printed below the table.

    warnings : printed below the table. One that begins with "accuracy: " says how exact a good
        result is; it comes last and is called a note.
    json_only : quantities that only scripts get.
    """

    title: str
    quantities: Mapping[str, Quantity]
    warnings: tuple[str, ...] = field(default=())
    json_only: frozenset[str] = frozenset()

    def as_json(self) -> dict[str, Any]:
        """Return plain data: {"title", name: value, ..., "units", "warnings"}; None for NaN."""
        return {
            "title": self.title,
            **{_key(name): _finite(plain(q.value)) for name, q in self.quantities.items()},
            "units": {
                _key(name): q.unit
                for name, q in self.quantities.items()
                if q.unit not in ("", SHARE)
            },
            "warnings": list(self.warnings),
        }


def _key(name: str) -> str:
    return name.lower().replace(" ", "_").replace("-", "_")


def plain(value: Any) -> Any:
    """Return `value` as JSON-serialisable data."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    return str(value)


def _finite(value: Any) -> Any:
    """Return plain data with None for NaN and infinity, which JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    return [_finite(v) for v in value] if isinstance(value, list) else value


def emit(report: Report, *, as_json: bool, quiet: bool) -> None:
    """Print a report: one JSON object in SI units, a table in mm, kPa, kN and deg, or nothing."""
    if as_json:
        print(json.dumps(report.as_json(), allow_nan=False))
        return
    if quiet:
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=shown(report.title), title_justify="left", show_header=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)  # a pipe has no width: do not wrap lines
    quantities = {n: q for n, q in report.quantities.items() if n not in report.json_only}
    matrices = {
        n: q for n, q in quantities.items() if isinstance(q.value, np.ndarray) and q.value.ndim == 2
    }
    sentences = {n: q for n, q in quantities.items() if _is_sentence(q.value)}
    below = matrices.keys() | sentences.keys()
    rows = [(n, _readable(q)) for n, q in quantities.items() if n not in below]
    units, remarks = any(q.unit for _, q in rows), any(q.remark for _, q in rows)
    if units:
        table.add_column(style="cyan")
    if remarks:
        table.add_column(style="dim")
    for name, q in rows:
        more = [q.unit] * units + [q.remark] * remarks
        text = _between(q.value) if q.ends and isinstance(q.value, list) else _text(q.value)
        table.add_row(*map(shown, (name, text, *more)))
    console.print(table)
    for name, q in sentences.items():
        remark = f" ({q.remark})" if q.remark else ""
        console.print(shown(f"{name}{remark}: {q.value}"))
    for name, q in matrices.items():
        unit = f" [{q.unit}]" if q.unit else ""
        remark = f" ({q.remark})" if q.remark else ""
        console.print(shown(f"{name}{unit}{remark}"))
        for row in _tidy(np.asarray(q.value, dtype=float)):
            console.print("  " + "".join(f"{v:12.5g}" for v in row), highlight=False)
    for warning in sorted(report.warnings, key=lambda text: text.startswith(ACCURACY)):
        label, color, text = "warning:", "yellow", warning
        if warning.startswith(ACCURACY):
            label, color, text = "note on accuracy:", "cyan", warning.removeprefix(ACCURACY)
        console.print(Text.assemble((label, color), " ", shown(text)))


def _readable(quantity: Quantity) -> Quantity:
    value, unit = for_people(quantity.value, quantity.unit)
    return replace(quantity, value=value, unit=unit)


def _is_sentence(value: Any) -> bool:
    return isinstance(value, str) and len(value) > SENTENCE and value.count(" ") > 4


def _between(ends: list[Any]) -> str:
    """Return "0.65 to 14.4", or one number if both are shown alike."""
    return " to ".join(dict.fromkeys(_text(v) for v in ends))


def shown(text: str) -> Text:
    """Return `text` for a terminal: brackets and colons are literal, controls become '?'.

    Names and titles may come from foreign files.
    """
    from rich.text import Text

    return Text(printable(text))


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float | np.floating):
        return f"{value:.5g}"
    if isinstance(value, np.ndarray):
        return "  ".join(_text(v) for v in (_tidy(value) if value.dtype.kind == "f" else value))
    if isinstance(value, list | tuple):
        return ", ".join(_text(v) for v in value)
    return str(value)


def _tidy(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return `values` with round-off beside large entries set to zero, for display only."""
    return np.where(np.abs(values) < 1e-12 * np.abs(values).max(initial=0.0), 0.0, values)
