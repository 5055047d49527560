"""What is to be said of a design: its objective over the repeats, and what it violates.

A constraint is asked of every repeat; how far it is from holding is that of the worst one. Of two
designs the better one is found by Deb's rules [Deb2000]_: what holds all constraints is better than
what does not, of two that do the one of the lesser objective, of two that do not the one that
violates less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sole.choice.feasibility import Constraint
from sole.design.problem import Search

LEAST = 1e-12  # violation of what is not held though at its bound: a < b with a = b


@dataclass(frozen=True)
class Verdict:
    """What a design is worth.

    Parameters
    ----------
    objective : mean or worst over the repeats; inf where a row failed or lacks the column.
    each : of every repeat; () where a row failed.
    violations : of the constraints in their order, relative to their bounds; 0 where all repeats
        hold one, inf where a row failed or lacks the column.
    worst : of the constraints' columns, the values of the repeats that violate them most, or come
        nearest to it.
    """

    objective: float
    each: tuple[float, ...]
    violations: tuple[float, ...]
    worst: tuple[float, ...]

    @property
    def feasible(self) -> bool:
        """Whether every repeat holds every constraint and has the objective."""
        return math.isfinite(self.objective) and not any(self.violations)


def judge(search: Search, rows: Sequence[dict[str, float] | None]) -> Verdict:
    """Return what the repeats of a design say; a failed row is None, no rows: not worked out."""
    each = [math.nan if r is None else r.get(search.minimise, math.nan) for r in rows]
    whole = bool(each) and all(map(math.isfinite, each))
    objective = math.inf
    if whole:
        objective = max(each) if search.over == "worst" else sum(each) / len(each)
    violations, worst = [], []
    for c in search.constraints:
        values = [math.nan if r is None else r.get(c.column, math.nan) for r in rows]
        sizes = [violation(c, v) for v in values] or [math.inf]
        k = max(range(len(values)), key=lambda i: excess(c, values[i]), default=None)
        violations.append(max(sizes))
        worst.append(math.nan if k is None else values[k])
    return Verdict(objective, tuple(each) if whole else (), tuple(violations), tuple(worst))


def excess(constraint: Constraint, value: float) -> float:
    """Return how far a value is beyond the bound, negative on the good side; inf for NaN."""
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


def violation(constraint: Constraint, value: float) -> float:
    """Return 0 where the constraint holds, else how far it is from that, relative to its bound."""
    far = excess(constraint, value)
    strict = constraint.relation in ("<", ">", "!=")
    if far < 0 or (far == 0 and not strict):
        return 0.0
    return max(far, LEAST)


def rank(verdict: Verdict) -> tuple[float, float]:
    """Return what Deb's rules sort by: (sum of violations, objective of what is feasible)."""
    if verdict.feasible:
        return 0.0, verdict.objective
    return sum(verdict.violations) or math.inf, 0.0
