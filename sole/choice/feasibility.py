"""Which rows may be chosen at all: constraints on columns, and how many rows each refuses.

A row that failed is infeasible, and so is one in which a constrained column is empty: nothing
is known to hold there. A row that is a mean over repeats is feasible only if every one of its
repeats is: the worst one decides, not the mean.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sole.arrays import BoolArray
from sole.choice.cases import Cases
from sole.errors import ConfigError

_RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}
_FORM = re.compile(r"\s*(\w+)\s*(<=|>=|==|!=|<|>)\s*(\S+)\s*")

# Applied where the column exists and the user says nothing about it: the robot stays up, the
# linear law still describes the sole, no foot is at the edge of its wrench cone, the foot
# does not topple by itself.
DEFAULTS = (
    "fell == 0",
    "strain_p99 <= 0.1",
    "stance_margin > 0",
    "margin > 0",
    "standing_margin > 1",
)


@dataclass(frozen=True, slots=True)
class Constraint:
    """`column relation bound`, such as strain_p99 <= 0.1; `own` if the user asked for it."""

    column: str
    relation: str
    bound: float
    own: bool = True

    def __str__(self) -> str:
        return f"{self.column} {self.relation} {self.bound:g}"

    def holds(self, cases: Cases) -> BoolArray:
        """(n,) whether it holds row by row, in every repeat; an empty (NaN) value never does."""
        if cases.repeats is not None:
            kept = np.ones(cases.size, dtype=bool)
            np.logical_and.at(kept, cases.repeats.group, self.holds(cases.repeats.each))
            return kept
        values = cases.column(self.column).values
        return np.asarray(_RELATIONS[self.relation](values, self.bound) & ~np.isnan(values))


def parse_constraint(text: str, *, own: bool = True) -> Constraint:
    """Read ``COLUMN RELATION NUMBER``.

    Raises
    ------
    ConfigError
        Not of this form.
    """
    found = _FORM.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        bound = float(found[3])
    except ValueError as error:
        raise ConfigError(
            f"constraint '{text}': expected COLUMN RELATION NUMBER with one of "
            f"{' '.join(_RELATIONS)}, such as 'strain_p99 <= 0.1'"
        ) from error
    return Constraint(found[1], found[2], bound, own)


def constraints_for(cases: Cases, texts: Sequence[str] = ()) -> tuple[Constraint, ...]:
    """Return the user's constraints, and the defaults for other columns that hold any number.

    Raises
    ------
    ConfigError
        A text is no constraint, or names no column of numbers (those there are are listed).
    """
    own = tuple(map(parse_constraint, texts))
    for constraint in own:
        if cases.column(constraint.column).labels:
            raise ConfigError(
                f"constraint '{constraint}': {constraint.column} is an axis of words; keep "
                f"some of them with --where {constraint.column}=WORD"
            )
    said = {c.column for c in own}
    usual = (parse_constraint(text, own=False) for text in DEFAULTS)
    return own + tuple(c for c in usual if c.column not in said and _known(cases, c.column))


def _known(cases: Cases, name: str) -> bool:
    """Whether any row has the metric: rigid soles have no strain at all."""
    each = cases if cases.repeats is None else cases.repeats.each
    return name in each.metrics and bool(np.isfinite(each.metrics[name].values).any())


@dataclass(frozen=True, eq=False)
class Feasibility:
    """Which rows may be chosen.

    Parameters
    ----------
    mask : (n,) rows that did not fail and hold every constraint.
    failed : number of rows that failed.
    refused : by constraint, how many of the rows that did not fail it refuses.
    """

    mask: BoolArray
    failed: int
    refused: dict[Constraint, int]

    @property
    def count(self) -> int:
        """Number of feasible rows."""
        return int(self.mask.sum())


def feasibility(cases: Cases, constraints: Sequence[Constraint]) -> Feasibility:
    """Ask every constraint of every row."""
    ran = ~cases.failed
    mask = ran.copy()
    refused = {}
    for constraint in constraints:
        kept = constraint.holds(cases)
        refused[constraint] = int((ran & ~kept).sum())
        mask &= kept
    return Feasibility(mask, int(cases.failed.sum()), refused)
