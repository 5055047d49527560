"""The verdict on a design: its objective over the repeats, and its violations.

A constraint applies to every repeat; its violation is the worst repeat's. Two designs compare by
Deb's rules [Deb2000]_: a feasible design is better than an infeasible one, of two feasible ones the
one with the lower objective, of two infeasible ones the one with the smaller violation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sole.studies.choice import Constraint
from sole.studies.design.design_study import SearchOptions

LEAST = 1e-12  # violation of a strict constraint at its bound: a < b with a = b


@dataclass(frozen=True)
class Verdict:
    """The objective and the violations of a design.

    Parameters
    ----------
    objective : mean or worst over the repeats; inf if a row failed or lacks the column.
    each : the objective of every repeat; () if a row failed.
    violations : by constraint, relative to its bound; 0 if all repeats satisfy it, inf if a row
        failed or lacks the column.
    worst : by constraint, the column's value in the repeat that violates it most or comes nearest
        to that.
    """

    objective: float
    each: tuple[float, ...]
    violations: tuple[float, ...]
    worst: tuple[float, ...]

    @property
    def feasible(self) -> bool:
        """Whether every repeat satisfies every constraint and has the objective."""
        return math.isfinite(self.objective) and not any(self.violations)


def judge(search: SearchOptions, rows: Sequence[dict[str, float] | None]) -> Verdict:
    """Return the verdict of a design's repeats; None is a failed row, () a design not computed."""
    each = [math.nan if r is None else r.get(search.minimise, math.nan) for r in rows]
    whole = bool(each) and all(map(math.isfinite, each))
    objective = math.inf
    if whole:
        objective = max(each) if search.over == "worst" else sum(each) / len(each)
    violations, worst = [], []
    for c in search.constraints:
        values = [math.nan if r is None else r.get(c.column, math.nan) for r in rows]
        sizes = [measure_violation(c, v) for v in values] or [math.inf]
        k = max(range(len(values)), key=lambda i: measure_excess(c, values[i]), default=None)
        violations.append(max(sizes))
        worst.append(math.nan if k is None else values[k])
    return Verdict(objective, tuple(each) if whole else (), tuple(violations), tuple(worst))


def measure_excess(constraint: Constraint, value: float) -> float:
    """Return the excess of a value over the bound, negative on the good side; inf for NaN."""
    if math.isnan(value):
        return math.inf
    far = value - constraint.bound
    if constraint.relation in (">=", ">"):
        far = -far
    elif constraint.relation == "==":
        far = abs(far)
    elif constraint.relation == "!=":
        far = -abs(far)
    return far / (abs(constraint.bound) or 1.0)


def measure_violation(constraint: Constraint, value: float) -> float:
    """Return 0 if the constraint holds, else the excess relative to its bound."""
    far = measure_excess(constraint, value)
    strict = constraint.relation in ("<", ">", "!=")
    if far < 0 or (far == 0 and not strict):
        return 0.0
    return max(far, LEAST)


def rank(verdict: Verdict) -> tuple[float, float]:
    """Return the sort key of Deb's rules: (sum of violations, objective if feasible)."""
    if verdict.feasible:
        return 0.0, verdict.objective
    return sum(verdict.violations) or math.inf, 0.0
