"""A design study: a study whose ranges are the space in which an optimiser searches.

    schema = "sole.design/1"          # every key of a study but [sampling], and
    [design]
    minimise = "pressure_p95"
    subject_to = ["sink <= 0.002", "strain_p99 <= 0.1"]
    tied = ["thickness_mid = 0.02 - thickness_tread"]
    evaluations = 120

Axes with a range or several values are searched, axes with one value are fixed, and axes with
`ensemble = true` are repeats: every design runs at all of them. A tied axis follows from others
and has a range that it must not leave.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from sole.base.checks import check_count, check_seed
from sole.base.config import STRICT, load
from sole.base.errors import ConfigError
from sole.studies.axis import Axis, Setting
from sole.studies.choice import Constraint, parse_constraint
from sole.studies.sampling import Sampling
from sole.studies.study import Study

SCHEMA = "sole.design/1"
AVERAGES = ("mean", "worst")
LEAST_POPULATION = 5  # required by scipy's differential evolution
MOST_EVALUATIONS = 10**9
DIGITS = 3  # of a searched number: manufacturing accuracy; equal designs then recur
_TIE = re.compile(r"\s*(\w+)\s*=\s*(\S+)((?:\s+-\s+[A-Za-z_]\w*)+)\s*")

Values = tuple[Setting, ...]  # of one design: all axes but the repeats, in order


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """Objective, constraints and budget of the search.

    Parameters
    ----------
    minimise : a column of the rows. over : its "mean" or "worst" over the repeats.
    subject_to : constraints as in `sole report`; every repeat must satisfy them.
    tied : "AXIS = NUMBER - AXIS [- AXIS ...]".
    evaluations : most designs to compute; a resumed search may have another number.
        population : designs of a generation.
    start : first designs of the first generation (values by axis, without tied axes).
    seed : seed of the optimiser.

    Raises
    ------
    ConfigError
        A value out of range, or a text that does not parse.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    minimise: str
    over: str = "mean"
    subject_to: tuple[str, ...] = ()
    tied: tuple[str, ...] = ()
    evaluations: int = 120
    population: int = 12
    start: tuple[Mapping[str, bool | float | str], ...] = ()
    seed: int = 1

    def __post_init__(self) -> None:
        if self.over not in AVERAGES:
            raise ConfigError(f"over is {' or '.join(AVERAGES)}, got '{self.over}'")
        if not LEAST_POPULATION <= self.population <= self.evaluations:
            raise ConfigError(
                f"a population has from {LEAST_POPULATION} designs to the number of evaluations "
                f"({self.evaluations}), got {self.population}"
            )
        check_seed("seed", self.seed)
        check_count("evaluations", self.evaluations, MOST_EVALUATIONS)
        if len(self.start) > self.population:
            raise ConfigError(
                f"start has {len(self.start)} designs, more than the population {self.population}"
            )
        _ = self.constraints, self.ties

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """Constraints on every repeat of a design."""
        return tuple(map(parse_constraint, self.subject_to))

    @cached_property
    def ties(self) -> dict[str, tuple[float, tuple[str, ...]]]:
        """(total, axes to subtract) by the name of the tied axis."""
        found = {}
        for text in self.tied:
            parts = _TIE.fullmatch(text)
            try:
                if parts is None:
                    raise ValueError
                total = float(parts[2])
            except ValueError as error:
                raise ConfigError(
                    f"tied '{text}': expected AXIS = NUMBER - AXIS, such as "
                    "'thickness_mid = 0.02 - thickness_tread'"
                ) from error
            found[parts[1]] = total, tuple(parts[3].replace("-", " ").split())
        return found


@dataclass(frozen=True, kw_only=True)
class Design(Study):
    """A study with a search `design` over its ranges; the user gives no `sampling`.

    Raises
    ------
    ConfigError
        There is nothing to search, or a tie or a start does not fit the axes.
    """

    sampling: Sampling = field(default_factory=lambda: Sampling(scheme="lhs", number=2), init=False)
    design: SearchOptions

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.searched:
            raise ConfigError("nothing to search: no axis has a range or several values")
        tied, free = self.design.ties, {a.name: a for a in self.searched}
        for name, (_, others) in tied.items():
            axis = next((a for a in self.designed if a.name == name), None)
            if axis is None or axis.range is None:
                raise ConfigError(f"tied '{name}': give an axis of that name with a range")
            for other in others:
                if other not in free or not free[other].numeric:
                    raise ConfigError(
                        f"tied '{name}': '{other}' is not a searched numeric axis; these "
                        f"are {', '.join(free)}"
                    )
        for start in self.design.start:
            if start.keys() != free.keys():
                raise ConfigError(
                    f"start: a design has values of {', '.join(free)}, got {', '.join(start)}"
                )
            for name, value in start.items():
                place_of(free[name], value)

    @cached_property
    def designed(self) -> tuple[Axis, ...]:
        """All axes but the repeats."""
        return tuple(a for a in self.axis if not a.ensemble)

    @cached_property
    def searched(self) -> tuple[Axis, ...]:
        """The axes that the optimiser varies."""
        return tuple(
            a for a in self.designed if a.name not in self.design.ties and len(a.values) != 1
        )

    @property
    def repeats(self) -> int:
        """Rows of one design."""
        count = 1
        for a in self.axis:
            count *= len(a.values) if a.ensemble else 1
        return count

    def values(self, u: Iterable[float]) -> Values:
        """Return the design at a point u of the unit cube, numbers of ranges to three digits."""
        places = dict(zip((a.name for a in self.searched), u, strict=True))
        found: dict[str, Setting] = {}
        for a in self.designed:
            if a.name in places:
                found[a.name] = _rounded(a, a.at(float(places[a.name])))
            elif a.name not in self.design.ties:
                found[a.name] = a.values[0]
        for name, (total, others) in self.design.ties.items():
            left = total - sum(float(found[other]) for other in others)
            found[name] = float(f"{left:.12g}")
        return tuple(found[a.name] for a in self.designed)

    def outside(self, values: Values) -> float:
        """Return the sum of the excesses of tied axes over their ranges, relative to these."""
        far = 0.0
        for a, value in zip(self.designed, values, strict=True):
            if a.name in self.design.ties:
                low, high = map(float, a.ends)
                # Sums of rounded numbers miss the end of a range by round-off.
                beyond = max(low - float(value), float(value) - high) / (high - low)
                far += beyond if beyond > 1e-9 else 0.0
        return far

    def listed(self, designs: Sequence[Values]) -> Study:
        """Return the study of some designs, each with all repeats."""
        columns = iter(zip(*designs, strict=True))
        axes = tuple(
            a
            if a.ensemble
            else replace(a, values=next(columns), range=None, number=None, spacing="")
            for a in self.axis
        )
        own = {f.name: getattr(self, f.name) for f in fields(Study)}
        return Study(**own | {"axis": axes, "sampling": Sampling(scheme="list")})


def place_of(axis: Axis, value: Setting) -> float:
    """Return the position u in [0, 1] of a value, the inverse of `Axis.at`.

    Raises
    ------
    ConfigError
        The axis does not have the value.
    """
    from math import log

    if axis.range is None and value in axis.values:
        return (axis.values.index(value) + 0.5) / len(axis.values)
    if axis.range is None or isinstance(value, bool | str):
        raise ConfigError(f"start: axis {axis.name} has no value {value}")
    low, high = axis.range
    if not low <= value <= high:
        raise ConfigError(f"start: {axis.name} lies in {low:g} to {high:g}, got {value:g}")
    if axis.logarithmic:
        return log(value / low) / log(high / low)
    return (value - low) / (high - low)


def _rounded(axis: Axis, value: Setting) -> Setting:
    if axis.range is None or isinstance(value, bool | str):
        return value
    low, high = axis.range
    return min(max(float(f"{value:.{DIGITS}g}"), low), high)


def load_design(path: Path) -> Design:
    """Read a design study; paths of soles come back relative to the working folder.

    Raises
    ------
    ConfigError
        Not a design study, an unknown key, a value out of range; ``file: key: reason``.
    """
    path = Path(path)
    design = load(path, Design, SCHEMA)
    return replace(design, mesh=str(path.parent / design.mesh) if design.mesh else "")
