"""Reports of a design study: the search space, and the best design."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.readable import in_words
from sole.base.report import Quantity, Report
from sole.studies.axis import SOLE_QUANTITIES, Axis
from sole.studies.design.campaign import SearchResult
from sole.studies.design.design_study import Design, load_design
from sole.studies.design.search import best_of
from sole.studies.summary import count_outcomes, for_scripts, name_files


def describe_file(path: Path) -> Report:
    """Describe the file of a design study for `sole info`."""
    return Report("design study", search_rows(load_design(path)))


def search_rows(design: Design) -> dict[str, Quantity]:
    """Return the search: axes with their roles, objective, constraints, budget."""
    s = design.design
    rows = {f"axis {a.name}": _axis(design, a) for a in design.axis}
    rows["minimise"] = Quantity(s.minimise, "", f"{s.over} of {design.repeats} repeats")
    rows["subject to"] = Quantity(list(s.subject_to), "", "every repeat")
    rows["evaluations"] = Quantity(
        s.evaluations, "", f"designs, {s.population} in a generation, {design.repeats} rows each"
    )
    return rows


def _axis(design: Design, axis: Axis) -> Quantity:
    part = "searched" if axis in design.searched else "fixed"
    if axis.ensemble:
        part = "repeats"
    elif axis.name in design.design.ties:
        total, others = design.design.ties[axis.name]
        part = f"{total:g} - {' - '.join(others)}"
    known = SOLE_QUANTITIES.get(axis.quantity)
    ends = list(axis.ends) if axis.numeric else list(map(str, axis.values))
    return Quantity(ends, known.unit if known else "", part, ends=axis.numeric)


def describe_best(design: Design, told: SearchResult) -> Report:
    """Return the best design, its objective and constraints, and counts of the search."""
    values, verdict = best_of(told)
    s, summary = design.design, told.summary
    rows = {
        f"best {a.name}": Quantity(v, told.units.get(a.name, ""))
        for a, v in zip(design.designed, values, strict=True)
    }
    each = np.array(verdict.each)
    rows[s.minimise] = Quantity(
        verdict.objective if len(each) else None,
        told.units.get(s.minimise, ""),
        _repeats(s.over, each, told.units.get(s.minimise, "")),
    )
    worst_of = "worst repeat; " if len(each) > 1 else ""
    for c, worst in zip(s.constraints, verdict.worst, strict=True):
        value = worst if np.isfinite(worst) else None
        rows[c.column] = Quantity(value, told.units.get(c.column, ""), f"{worst_of}{c}")
    rows |= {
        "feasible": Quantity(verdict.feasible, "", "all constraints hold in every repeat"),
        "designs": Quantity(len(told.verdicts), "", "computed"),
        "feasible designs": Quantity(sum(v.feasible for v in told.verdicts.values())),
        "rows": Quantity(summary.rows),
        "resumed": Quantity(summary.resumed, "", "found in the journal of an earlier run"),
        "failed": Quantity(summary.failed, "", "see the column `reason`" if summary.failed else ""),
    }
    rows |= count_outcomes(summary)
    rows["time"] = Quantity(summary.seconds, "s")
    rows |= name_files(summary)
    notes = summary.warnings
    if not verdict.feasible:
        notes = (*notes, "no design satisfies all constraints: this one violates them least")
    return Report("design", rows, notes, for_scripts(summary, rows))


def _repeats(over: str, each: FloatArray, unit: str) -> str:
    """Return what the objective is of its repeats, if there are several."""
    if len(each) < 2:
        return "minimised" if len(each) else "a row failed"
    return f"{over} of {len(each)} repeats, {in_words([each.min(), each.max()], unit)}"
