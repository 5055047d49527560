"""Feasible rows: constraints on columns, and the number of rows that each refuses.

Bounds are in SI units or state theirs: ``pressure_peak <= 400 kPa``. Bounds on angles are in
degrees, with the unit in the key or after the number: ``turn_deg <= 2.5``.

A failed row is infeasible, and so is a row without a value in a constrained column. A mean over
repeats is feasible only if every repeat is: the worst one decides, not the mean.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sole.base.angles import DEGREES, degrees_of
from sole.base.arrays import BoolArray
from sole.base.errors import ConfigError
from sole.base.readable import in_words
from sole.base.units import any_quantity, is_number
from sole.studies.choice.cases import Cases

_RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}
_FORM = re.compile(r"\s*(\w+)\s*(<=|>=|==|!=|<|>)\s*(\S.*)")


@dataclass(frozen=True, slots=True)
class Constraint:
    """`column relation bound`, such as strain_p99 <= 0.1.

    Parameters
    ----------
    bound : in the column's unit. own : whether the user requested it.
    degrees : whether it was written in degrees. unit : SI unit of the one it was written in; '' if
        it had none.
    """

    column: str
    relation: str
    bound: float
    own: bool = True
    degrees: bool = False
    unit: str = ""

    def __str__(self) -> str:
        if self.unit:
            return f"{self.column} {self.relation} {in_words([self.bound], self.unit)}"
        if not self.degrees:
            return f"{self.column} {self.relation} {self.bound:g}"
        return f"{self.column}{DEGREES} {self.relation} {degrees_of(self.bound):g}"

    def refuse(self, unit: str) -> None:
        """Raise ConfigError if the bound has another unit than a column in `unit`.

        Bounds of angles need one: this prevents a confusion of radians with degrees.
        """
        if self.unit and self.unit != unit:
            raise ConfigError(
                f"constraint '{self}': {self.column} is in {unit or 'no unit'}, not {self.unit}"
            )
        if unit == "rad" and not self.degrees:
            raise ConfigError(
                f"constraint '{self}': {self.column}: write {self.column}{DEGREES} (degrees)"
            )
        if self.degrees and unit != "rad":
            raise ConfigError(
                f"constraint '{self}': {self.column} is not an angle in rad: write {self.column}"
            )

    def holds(self, cases: Cases) -> BoolArray:
        """Return (n,) whether it holds in each row and all its repeats; never for NaN."""
        if cases.repeats is not None:
            kept = np.ones(cases.size, dtype=bool)
            np.logical_and.at(kept, cases.repeats.group, self.holds(cases.repeats.each))
            return kept
        return np.asarray(self.allows(cases.column(self.column).values))

    def allows(self, values: Any) -> Any:
        """Return whether it holds for a number or for each of an array of them; never for NaN."""
        return _RELATIONS[self.relation](values, self.bound) & ~np.isnan(values)


def parse_constraint(text: str, *, own: bool = True) -> Constraint:
    """Parse ``COLUMN RELATION NUMBER [UNIT]``, or ``COLUMN_deg RELATION DEGREES`` for an angle.

    Raises
    ------
    ConfigError
        Another form.
    """
    found = _FORM.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        bound, unit = _bound(found[3])
    except ValueError as error:
        raise ConfigError(
            f"constraint '{text}': expected COLUMN RELATION NUMBER with one of "
            f"{' '.join(_RELATIONS)}, such as 'strain_p99 <= 0.1'"
        ) from error
    column = found[1].removesuffix(DEGREES)
    if column == found[1] and unit != "deg":
        return Constraint(column, found[2], bound, own, unit=unit)
    if unit not in ("", "deg"):
        raise ConfigError(f"constraint '{text}': {found[1]} is in degrees, not {unit}")
    return Constraint(column, found[2], math.radians(bound), own, degrees=True)


def _bound(text: str) -> tuple[float, str]:
    """Return the number of a bound and its SI unit, '' if it has none; ValueError: no number."""
    known = any_quantity(text)
    if known is not None:
        return known
    number, *unit = text.split(maxsplit=1)
    if unit and is_number(unit[0]):
        raise ValueError
    return float(number), "".join(unit).strip()


def constraints_for(cases: Cases, texts: Sequence[str] = ()) -> tuple[Constraint, ...]:
    """Return the user's constraints and the declared bounds of other columns with numbers.

    Declared bounds come in this order: the outcome's, upper bounds, lower bounds.

    Raises
    ------
    ConfigError
        A text is not a constraint, or names no numeric column (the message lists all).
    """
    own = tuple(_as_named(parse_constraint(text), cases) for text in texts)
    for constraint in own:
        constraint.refuse(cases.column(constraint.column).unit)
        if cases.column(constraint.column).labels:
            raise ConfigError(
                f"constraint '{constraint}': {constraint.column} is a text axis; keep "
                f"some of its values with --where {constraint.column}=TEXT"
            )
    said = {c.column for c in own}
    usual = [
        parse_constraint(f"{name} {metric.bound}", own=False)
        for name, metric in cases.metrics.items()
        if metric.bound and name not in said and _known(cases, name)
    ]
    return own + tuple(sorted(usual, key=lambda c: (c.relation != "==", c.relation in (">", ">="))))


def _as_named(constraint: Constraint, cases: Cases) -> Constraint:
    """Correct a constraint on an axis whose own name ends in _deg, such as turn_deg."""
    name = constraint.column + DEGREES
    if not constraint.degrees or name not in cases.axes:
        return constraint
    bound = degrees_of(constraint.bound)
    return Constraint(name, constraint.relation, bound, constraint.own)


def _known(cases: Cases, name: str) -> bool:
    """Return whether any row has the metric; rigid soles, for example, have no strain."""
    return bool(np.isfinite(cases.each.metrics[name].values).any())


@dataclass(frozen=True, eq=False)
class Feasibility:
    """The feasible rows.

    Parameters
    ----------
    mask : (n,) rows that did not fail and satisfy every constraint.
    failed : number of rows that failed.
    refused : by constraint, the number of rows with a result that violate it.
    """

    mask: BoolArray
    failed: int
    refused: dict[Constraint, int]

    @property
    def count(self) -> int:
        """Number of feasible rows."""
        return int(self.mask.sum())


def feasibility(cases: Cases, constraints: Sequence[Constraint]) -> Feasibility:
    """Check every constraint in every row."""
    ran = ~cases.failed
    mask = ran.copy()
    refused = {}
    for constraint in constraints:
        kept = constraint.holds(cases)
        refused[constraint] = int((ran & ~kept).sum())
        mask &= kept
    return Feasibility(mask, int(cases.failed.sum()), refused)
