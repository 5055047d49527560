"""What half the mesh size changes of the recommended row, in words and as plain data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sole.studies.checked_rows import CheckedRow
from sole.studies.choice.feasibility import Constraint
from sole.studies.choice.recommended_row import Choice
from sole.studies.choice.values import readable

CHECKED, FAILED, NOT_CHECKED = "checked", "check failed", "not checked"


@dataclass(frozen=True, slots=True)
class Change:
    """A metric of the recommended row: `before` in the table, `after` on the finer mesh.

    Both are means over the repeats if there are any, in `unit`; NaN without a value.
    """

    metric: str
    unit: str
    before: float
    after: float

    @property
    def share(self) -> float | None:
        """(after - before)/|before|; None where that tells nothing: no value, or another sign."""
        if not self.before * self.after > 0:
            return 0.0 if self.before == self.after else None
        return (self.after - self.before) / abs(self.before)

    @property
    def words(self) -> str:
        """The change where it is no share: "roll goes from 0.2 deg to -0.1 deg"."""
        if math.isnan(self.after):
            return f"{self.metric} has no value"
        ends = (readable(v, self.unit) for v in (self.before, self.after))
        return f"{self.metric} goes from {' to '.join(ends)}"


@dataclass(frozen=True, slots=True)
class MeshVerdict:
    """What is known of the recommended row on a mesh of half the size.

    Parameters
    ----------
    state : `CHECKED`, `FAILED` or `NOT_CHECKED`.
    places : of the row in the table, or of the rows behind a mean.
    reason : why it failed, or was not checked and what to do.
    nodes : most vertices of the tread of these rows, in the table and on the finer mesh.
    changes : of goals and of columns with bounds, the worst first.
    broken : bounds that do not hold on the finer mesh, and the value there.
    """

    state: str
    places: tuple[int, ...]
    reason: str = ""
    nodes: tuple[int, int] = (0, 0)
    changes: tuple[Change, ...] = ()
    broken: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.state == NOT_CHECKED:
            return f"{self.state}: {self.reason}"
        coarse, fine = self.nodes
        on = f"{self.state}: on half the mesh size ({fine} tread nodes instead of {coarse})"
        if self.state == FAILED:
            return f"{on}: {self.reason}"
        said = f"{on} {_changes_words(self.changes)}"
        return f"{said}. {' '.join(map(_broken_words, self.broken))}".removesuffix(". ")


def judge_mesh(choice: Choice) -> MeshVerdict | None:
    """Compare the recommended row with the same row on a finer mesh; None without such a row."""
    cases, row = choice.cases, choice.row
    if row is None:
        return None
    places = cases.table_rows(row)
    check = cases.check
    finer = check.of(places) if check is not None else None
    if finer is None and check is not None and check.not_checked:
        return MeshVerdict(NOT_CHECKED, places, check.not_checked)
    if finer is None:
        return MeshVerdict(NOT_CHECKED, places, _how(places, None if check is None else check.rows))
    nodes = max(r.tread_nodes for r in finer), max(r.finer_tread_nodes for r in finer)
    if failed := [r.reason for r in finer if r.reason]:
        return MeshVerdict(FAILED, places, failed[0], nodes)
    deciding = [*(g.metric for g in choice.goals), *(c.column for c in choice.constraints)]
    changes = [
        Change(name, metric.unit, float(metric.values[row]), _mean(finer, name))
        for name in dict.fromkeys(deciding)
        if (metric := cases.metrics.get(name)) is not None
    ]
    changes.sort(key=lambda c: -math.inf if c.share is None else -abs(c.share))
    return MeshVerdict(
        CHECKED, places, "", nodes, tuple(changes), _broken(choice, choice.constraints, finer)
    )


def plain_verdict(verdict: MeshVerdict | None) -> dict[str, Any] | None:
    """Return a verdict as plain data, None without one."""
    if verdict is None:
        return None
    numbers = {
        c.metric: {
            "before": c.before,
            "after": None if math.isnan(c.after) else c.after,
            "share": c.share,
        }
        for c in verdict.changes
    }
    return {
        "state": verdict.state,
        "words": str(verdict),
        "table_rows": list(verdict.places),
        "tread_nodes": verdict.nodes[0] or None,
        "finer_tread_nodes": verdict.nodes[1] or None,
        "changes": numbers,
        "broken": list(verdict.broken),
    }


def _how(places: Sequence[int], rows: Sequence[CheckedRow] | None) -> str:
    """Return why no check of these places is known, and the command for it."""
    options = " ".join(f"--check-row {p}" for p in places)
    others = ", ".join(str(r.place) for r in rows or ())
    why = f"the check was of row {others} of the table" if others else "the table holds no check"
    return f"{why}; give the command that made it once more, with {options}"


def _mean(rows: Sequence[CheckedRow], name: str) -> float:
    values = [r.numbers[name] for r in rows if name in r.numbers]
    return float(np.mean(values)) if values else math.nan


def _broken(
    choice: Choice, constraints: Sequence[Constraint], finer: Sequence[CheckedRow]
) -> tuple[str, ...]:
    """Return the bounds that do not hold on the finer mesh, with the value farthest beyond them.

    Axes are as before, so bounds on them are left out.
    """
    found = []
    for constraint in constraints:
        metric = choice.cases.metrics.get(constraint.column)
        if metric is None:
            continue
        values = [row.numbers.get(constraint.column, math.nan) for row in finer]
        beyond = [v for v in values if not constraint.allows(v)]
        if beyond:
            bound = constraint.bound
            worst = max(beyond, key=lambda v: math.inf if math.isnan(v) else abs(v - bound))
            number = "no value" if math.isnan(worst) else readable(worst, metric.unit)
            found.append(f"{constraint}: {number}")
    return tuple(found)


def _broken_words(broken: str) -> str:
    return f"On the finer mesh it breaks {broken}."


def _changes_words(changes: Sequence[Change]) -> str:
    """Return "pressure_peak changes by +3.1 %, sink by -0.4 %"; zeros that stay are left out."""
    odd = [c.words for c in changes if c.share is None]
    told = [c for c in changes if c.share is not None and (c.before or c.after)]
    shares = [f"{c.metric} {'' if k else 'changes '}by {c.share:+.1%}" for k, c in enumerate(told)]
    return ", ".join([*odd, *(s.replace("%", " %") for s in shares)]) or "nothing changes"
