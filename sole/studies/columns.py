"""Columns of a table: the declarations of a kind of rows about its numbers.

Everything above the rows (progress, choice, design, pictures) uses these declarations. A table
stores them as attributes of its variables, so that a file explains itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sole.base.errors import ConfigError

GOALS = ("least", "greatest")


@dataclass(frozen=True, slots=True, kw_only=True)
class RowOutcome:
    """The two outcomes of a row: its column is 0 for a success and greater for a failure.

    A failure is a result: the row has its numbers. A row without a result is different; its
    status is "failed".

    Parameters
    ----------
    success, failure : verbs in the past tense, for counts: "held 12, slipped 3".
    adjective : of a row that ended in a failure: "slipped".
    noun, nouns : name of a row: "press", "presses".
    """

    success: str
    failure: str
    adjective: str
    noun: str
    nouns: str

    def count(self, good: int, bad: int) -> str:
        """Return both counts as text."""
        return f"{self.success} {good}, {self.failure} {bad}"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the table.

    Parameters
    ----------
    unit : '' if none.
    title : its description.
    highlight : whether summaries and pictures show it.
    goal : "least" or "greatest", the better end; None if neither is.
    bound : default constraint of a choice, such as "<= 0.1"; '' if none.
    outcome : set for the one column with the outcome of a row, else None.
    of_failures : whether it has a meaning in rows that ended in a failure; otherwise
        sensitivities leave those rows out.
    error_of : the column of which this is the error by the mesh, estimated and relative; '' if it
        is none. Above `sole.base.mesh_dependence.TRUSTED` that column is said to depend on it.
    """

    unit: str
    title: str
    highlight: bool = False
    goal: str | None = None
    bound: str = ""
    outcome: RowOutcome | None = None
    of_failures: bool = False
    error_of: str = ""

    def __post_init__(self) -> None:
        if self.goal not in (*GOALS, None):
            raise ConfigError(f"column '{self.title}': goal is least or greatest, got {self.goal}")

    @property
    def attributes(self) -> dict[str, str | int]:
        """The declarations as attributes of a variable of a file."""
        return {
            "units": self.unit or "1",
            "long_name": self.title,
            "highlight": int(self.highlight),
            "goal": self.goal or "",
            "bound": self.bound,
            "outcome": json.dumps(asdict(self.outcome)) if self.outcome else "",
            "of_failures": int(self.of_failures),
            "error_of": self.error_of,
        }

    @classmethod
    def read(cls, name: str, attributes: Mapping[str, Any]) -> Column:
        """Return the column that the attributes of a variable `name` declare, with defaults."""
        unit = str(attributes.get("units", "1"))
        outcome = str(attributes.get("outcome", ""))
        return cls(
            unit="" if unit == "1" else unit,
            title=str(attributes.get("long_name", name)),
            highlight=bool(attributes.get("highlight", 0)),
            goal=str(attributes.get("goal", "")) or None,
            bound=str(attributes.get("bound", "")),
            outcome=RowOutcome(**json.loads(outcome)) if outcome else None,
            of_failures=bool(attributes.get("of_failures", 0)),
            error_of=str(attributes.get("error_of", "")),
        )


def find_outcome(columns: Mapping[str, Column]) -> tuple[str, RowOutcome] | None:
    """Return the name and the outcome of the outcome column; None if there is none."""
    found = ((name, c.outcome) for name, c in columns.items() if c.outcome is not None)
    return next(found, None)


# Columns to trade off, in order of preference.
Trades = Sequence[tuple[str, ...]]
