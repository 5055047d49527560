"""A design study: a study whose ranges are the space in which an optimiser searches.

    schema = "sole.design/1"          # every key of a study but [sampling], and
    [design]
    minimise = "landing_acceleration_100_hz"
    subject_to = ["fell == 0", "waist_tilt <= 0.035", "strain_p99 <= 0.1"]
    tied = ["thickness_mid = 0.02 - thickness_tread"]
    evaluations = 120

Axes with a range or several values are searched, those with one value are fixed, those with
`ensemble = true` are repeats: every design is worked out at all of them. A tied axis follows from
others and has a range that it must not leave.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from sole.choice.feasibility import Constraint, parse_constraint
from sole.config import STRICT, load
from sole.errors import ConfigError
from sole.studies.axis import Axis, Setting
from sole.studies.sampling import Sampling
from sole.studies.study import Study

SCHEMA = "sole.design/1"
AVERAGES = ("mean", "worst")
LEAST_POPULATION = 5  # of scipy's differential evolution
DIGITS = 3  # of a searched number: no sole is made more exactly, and equal designs recur
_TIE = re.compile(r"\s*(\w+)\s*=\s*(\S+)((?:\s+-\s+[A-Za-z_]\w*)+)\s*")

Values = tuple[Setting, ...]  # of one design: of all axes but the repeats, in their order


@dataclass(frozen=True, kw_only=True)
class Search:
    """What is searched for, and how long.

    Parameters
    ----------
    minimise : a column of the rows. over : its "mean" over the repeats, or the "worst" of them.
    subject_to : constraints as `sole report` takes them; every repeat must hold them.
    tied : "AXIS = NUMBER - AXIS [- AXIS ...]".
    evaluations : designs that are worked out, at most; a search that was interrupted goes on with
        another number, too. population : of a generation.
    start : designs (values by axis; tied axes left out) that the first generation begins with.
    seed : of the optimiser.

    Raises
    ------
    ConfigError
        A value out of range, a text that does not parse.
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
                f"a population has {LEAST_POPULATION} designs or more and no more than there are "
                f"evaluations ({self.evaluations}), got {self.population}"
            )
        if self.seed < 0:
            raise ConfigError(f"seed must not be negative, got {self.seed}")
        if len(self.start) > self.population:
            raise ConfigError(f"{len(self.start)} designs to start with are more than a population")
        _ = self.constraints, self.ties

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """What every repeat of a design must hold."""
        return tuple(map(parse_constraint, self.subject_to))

    @cached_property
    def ties(self) -> dict[str, tuple[float, tuple[str, ...]]]:
        """(total, axes to take off) by the name of the tied axis."""
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
    """A study in whose ranges `design` is searched for; `sampling` is not the user's.

    Raises
    ------
    ConfigError
        Nothing to search, a tie or a start that does not fit the axes.
    """

    sampling: Sampling = field(default_factory=lambda: Sampling(scheme="lhs", number=2), init=False)
    design: Search

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
                        f"tied '{name}': '{other}' is no axis of numbers that is searched; there "
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
        """Return by how much tied axes leave their ranges, relative to these, together."""
        far = 0.0
        for a, value in zip(self.designed, values, strict=True):
            if a.name in self.design.ties:
                low, high = map(float, a.ends)
                # Sums of rounded numbers end a little beside the end of a range.
                beyond = max(low - float(value), float(value) - high) / (high - low)
                far += beyond if beyond > 1e-9 else 0.0
        return far

    def listed(self, designs: Sequence[Values]) -> Study:
        """Return the study of some designs, every one with all repeats."""
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
    """Return the place u in [0, 1] of a value, the inverse of `Axis.at`.

    Raises
    ------
    ConfigError
        The value is not one of the axis.
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
