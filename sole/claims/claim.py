"""A claim of a paper, the criteria on our numbers, and the verdict that follows from them.

reproduced            every criterion holds
reproduced in trend   every criterion of the trend holds, one on the printed figure does not
refuted               a criterion of the trend does not hold
cannot be decided     the text leaves out what a test needs, or a run has too few samples
no verdict            definition, arithmetic or construction decide it: no number could
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from math import inf, isnan
from pathlib import Path
from typing import Any

from sole.base.errors import SoleError

REPRODUCED, IN_TREND, REFUTED = "reproduced", "reproduced in trend", "refuted"
UNDECIDED, NO_VERDICT = "cannot be decided", "no verdict"
NOT_BUILT, FAILED = "not built yet", "experiment failed"
VERDICTS = (REPRODUCED, IN_TREND, REFUTED, UNDECIDED, NO_VERDICT, NOT_BUILT, FAILED)
SOURCES = ("paper: ", "ours: ")
NAN = re.compile(r"[+-]?\bnan\b")
NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper: the `key` that a user types, authors and year, title, key in docs/references.md."""

    key: str
    authors: str
    title: str
    reference: str


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much an experiment may do.

    Parameters
    ----------
    quick : seconds instead of the full ensemble.
    tell : to be called with the finished fraction.
    folder : for tables that a long experiment keeps and resumes; None: nowhere.
    """

    quick: bool = True
    tell: Callable[[float], None] = lambda fraction: None
    folder: Path | None = None


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The result of an experiment.

    Parameters
    ----------
    numbers : name -> number, in the unit that the claim's text states.
    pictures : name -> function that draws a matplotlib figure; see `Claim.picture`.
    """

    numbers: Mapping[str, float]
    pictures: Mapping[str, Callable[[], Any]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A function (Effort) -> Findings by its place, "module:function", loaded when it runs.

    `quick`, `full` : processor time that it takes with and without `--quick` [s], rounded up.
    """

    at: str
    quick: float
    full: float

    def run(self, effort: Effort) -> Findings:
        """Run the experiment."""
        module, _, name = self.at.partition(":")
        found = getattr(import_module(module), name)(effort)
        if not isinstance(found, Findings):
            raise TypeError(f"{self.at} returns {type(found).__name__}, expected Findings")
        return found


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """low <= number <= high for one number of the findings; NaN fails.

    Parameters
    ----------
    number : its name in `Findings.numbers`.
    trend : it states what the paper says in words. Without, it is the printed figure: if only such
        a criterion fails, the claim is reproduced in trend.
    reason : where the bounds come from: "paper: " and what it prints or says, or "ours: " and why.
    """

    number: str
    low: float = -inf
    high: float = inf
    trend: bool = False
    reason: str = ""

    def holds(self, numbers: Mapping[str, float]) -> bool:
        """Return whether the number is within the bounds."""
        value = float(numbers[self.number])
        return not isnan(value) and self.low <= value <= self.high

    def told(self, numbers: Mapping[str, float]) -> str:
        """Return number and bounds in words."""
        low = "" if self.low == -inf else f"{self.low:g} <= "
        high = "" if self.high == inf else f" <= {self.high:g}"
        state = "" if self.holds(numbers) else ": does not hold"
        reason = f" ({self.reason})" if self.reason else ""
        return f"{low}{self.number} = {numbers[self.number]:.6g}{high}{reason}{state}"


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim, figure or experiment of a paper.

    Parameters
    ----------
    paper : the paper. name : what a user types, unique in the paper. order : place in the list.
    place : section, equation or figure. says : what the paper says, in our words.
    printed : the figure that the paper gives; "" if none.
    experiment : None if the claim waits or cannot be decided.
    criteria : at least one with an experiment, unless `undecided` or `given`. Both kinds, trend and
        printed figure, only if the paper prints one.
    least : (number, least value) of samples, such as distinct pairs. A run that has fewer
        cannot decide the claim.
    ours : template of our figures with the names of the findings, e.g. "{depth:.4f} mm".
    picture : name of its picture in the findings; by default the name of the claim.
    undecided : why the text does not allow a verdict. missing : what has to be built first.
    given : why it cannot come out otherwise: a definition, arithmetic, or true by construction.
    remark : what a reader has to know besides, e.g. our reading of a gap in the text.
    """

    paper: Paper
    name: str
    order: int
    place: str
    says: str
    printed: str = ""
    experiment: Experiment | None = None
    criteria: tuple[Criterion, ...] = ()
    least: tuple[tuple[str, float], ...] = ()
    ours: str = ""
    picture: str = ""
    undecided: str = ""
    missing: str = ""
    given: str = ""
    remark: str = ""

    def __post_init__(self) -> None:
        where = f"claim {self.paper.key} {self.name}"
        if not NAME.fullmatch(self.name) or not NAME.fullmatch(self.paper.key):
            raise SoleError(f"{where}: names consist of lower-case letters, digits and _")
        unjudged = [n for n in ("undecided", "missing", "given") if getattr(self, n)]
        if len(unjudged) > 1:
            raise SoleError(f"{where}: give one of {' and '.join(unjudged)}")
        if self.missing and self.experiment:
            raise SoleError(f"{where}: what is missing cannot be tested")
        if unjudged and (self.criteria or self.least):
            raise SoleError(f"{where}: has criteria, so it is not {unjudged[0]}")
        if not unjudged and not (self.experiment and self.criteria):
            raise SoleError(
                f"{where}: give an experiment and criteria, or `undecided`, `given` or `missing`"
            )
        if not self.printed and len({c.trend for c in self.criteria}) == 2:
            raise SoleError(
                f"{where}: some criteria are on a printed figure and some on a trend, but the "
                "paper prints none; give `printed`, or all of them as one kind"
            )

    @property
    def key(self) -> str:
        """Paper and name."""
        return f"{self.paper.key} {self.name}"

    def verdict(self, numbers: Mapping[str, float] | None) -> str:
        """Return the verdict on `numbers`; None: the experiment found none."""
        if self.missing:
            return NOT_BUILT
        if self.undecided:
            return UNDECIDED
        if self.given:
            return NO_VERDICT
        if numbers is None:
            return FAILED
        if self.too_few(numbers):
            return UNDECIDED
        if all(c.holds(numbers) for c in self.criteria):
            return REPRODUCED
        trend = [c.holds(numbers) for c in self.criteria if c.trend]
        return IN_TREND if trend and all(trend) else REFUTED

    def too_few(self, numbers: Mapping[str, float]) -> str:
        """Return which samples are too few for a verdict, "" if there are enough."""
        return "; ".join(
            f"{name.replace('_', ' ')}: {numbers[name]:g}, a verdict needs {least:g}"
            for name, least in self.least
            if not numbers[name] >= least
        )

    def told(self, numbers: Mapping[str, float] | None) -> str:
        """Return our figures, or why there are none."""
        if self.missing:
            return self.missing
        figures = "" if numbers is None else NAN.sub("-", self.ours.format(**numbers))
        few = "" if numbers is None else self.too_few(numbers)
        return "; ".join(part for part in (figures, self.undecided or self.given or few) if part)
