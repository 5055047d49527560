"""The choice: goals, feasible rows, the Pareto front, its knee and the nearest materials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sole.base.arrays import BoolArray
from sole.base.errors import ConfigError
from sole.studies.choice.cases import Cases
from sole.studies.choice.elastic import Elastic
from sole.studies.choice.feasibility import Constraint, Feasibility, constraints_for, feasibility
from sole.studies.choice.materials import SoleMaterial, nearest_materials, rank, sole_materials
from sole.studies.choice.pareto import Knee, knee, pareto_front
from sole.studies.choice.sensitivity import Sensitivity, sensitivities

Materials = tuple[tuple[SoleMaterial, float], ...]  # with their distances
NEAR = 1.0  # largest distance of a row that represents a material, in factors of two in E


@dataclass(frozen=True, slots=True)
class Goal:
    """A metric to minimise or maximise."""

    metric: str
    maximise: bool = False

    def __str__(self) -> str:
        return f"{'largest' if self.maximise else 'least'} {self.metric}"

    @property
    def sign(self) -> float:
        """The factor, +1 or -1, that makes the goal a minimum."""
        return -1.0 if self.maximise else 1.0


def parse_goals(cases: Cases, texts: Sequence[str] = ()) -> tuple[Goal, ...]:
    """Parse two or three of ``METRIC``, ``min:METRIC`` or ``max:METRIC``, also comma-separated.

    The default is the first of `Cases.trades` in the study, else its first two highlights. A
    metric without `min:` or `max:` is minimised unless its rows declare the goal "greatest".

    Raises
    ------
    ConfigError
        An unknown metric (the message lists all), a repeated one, or not two or three.
    """
    words = [w.strip() for text in texts for w in text.split(",") if w.strip()]
    if not words:
        words = _usual(cases)
    goals = []
    for word in words:
        way, colon, name = word.rpartition(":")
        if colon and way not in ("min", "max"):
            raise ConfigError(f"metric '{word}': expected METRIC, min:METRIC or max:METRIC")
        cases.metric(name)
        largest = way == "max" or (not way and cases.metrics[name].goal == "greatest")
        goals.append(Goal(name, largest))
    names = [g.metric for g in goals]
    if len(set(names)) < len(names):
        raise ConfigError(f"metric '{max(names, key=names.count)}' is given twice")
    if not 2 <= len(goals) <= 3:
        raise ConfigError(
            f"a choice needs two or three metrics, got {', '.join(names) or 'none'}; the study "
            f"has {', '.join(cases.metrics)}"
        )
    return tuple(goals)


def _usual(cases: Cases) -> list[str]:
    for pair in cases.trades:
        if all(name in cases.metrics for name in pair):
            return list(pair)
    marked = [n for n, m in cases.metrics.items() if m.highlight]
    return [*marked, *(n for n in cases.metrics if n not in marked)][:2]


@dataclass(frozen=True, eq=False)
class Choice:
    """The choice of a sole from a study, with its reasons.

    Parameters
    ----------
    cases, goals, constraints, feasible : the rows, the request and the feasible rows.
    front : (n,) feasible rows that no feasible row dominates.
    row : the recommended row; None if no row is feasible.
    knee : knee of the front; None if no row is feasible.
    alike : (n,) other feasible rows within the 95 % intervals of the knee, not distinguishable.
    sensitivities : sensitivities of every goal's metric.
    materials : the materials nearest to the recommended (E, nu), with their distance; of a sole
        with layers, of the one at the tread. other_materials : the same of the other layers.
    places : materials that a row of the study represents, with that row, by its E;
        those of one row the nearest first.
    """

    cases: Cases
    goals: tuple[Goal, ...]
    constraints: tuple[Constraint, ...]
    feasible: Feasibility
    front: BoolArray
    row: int | None
    knee: Knee | None
    alike: BoolArray
    sensitivities: tuple[Sensitivity, ...]
    materials: Materials
    places: tuple[tuple[SoleMaterial, int], ...]
    other_materials: Mapping[str, Materials] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, float | str]:
        """Return the recommended value of every axis, empty without a recommendation."""
        if self.row is None:
            return {}
        return {n: a.setting(self.row) for n, a in self.cases.axes.items()}

    @property
    def at_edge(self) -> dict[str, str]:
        """Return the varied axes whose recommended value is an end of its range, with the end.

        Text axes have no ends.
        """
        found = {}
        for name in self.cases.varied if self.row is not None else []:
            axis = self.cases.axes[name]
            if not axis.labels and self.settings[name] in (axis.values.min(), axis.values.max()):
                found[name] = "least" if self.settings[name] == axis.values.min() else "greatest"
        return found


def choose(cases: Cases, metrics: Sequence[str] = (), constraints: Sequence[str] = ()) -> Choice:
    """Choose among the rows of a study.

    Parameters
    ----------
    metrics : two or three, see `parse_goals`.
    constraints : such as "strain_p99 <= 0.1"; they replace the default of the same column.

    Raises
    ------
    ConfigError
        Invalid metrics or constraints, or ones that the study lacks.
    """
    goals = parse_goals(cases, metrics)
    asked = constraints_for(cases, constraints)
    feasible = feasibility(cases, asked)
    values = np.column_stack([g.sign * cases.metrics[g.metric].values for g in goals])
    front = pareto_front(values, feasible.mask)
    best = knee(values, front) if front.any() else None
    alike = np.zeros(cases.size, dtype=bool) if best is None else _alike(cases, goals, best.row)
    alike &= feasible.mask
    elastic = cases.elastic
    row = None if best is None else _recommended(elastic, best.row, alike)
    near: Materials = ()
    others: dict[str, Materials] = {}
    places: list[tuple[SoleMaterial, int]] = []
    if elastic is not None:
        known = np.isfinite(values).all(axis=1) & np.isfinite(elastic.young + elastic.poisson)
        if row is not None:
            if known[row]:
                near = _nearest(elastic, row)
            others = {
                n: near_it for n, e in elastic.others.items() if (near_it := _nearest(e, row))
            }
            known &= _like(cases, elastic, row)
        chosen = None if row is None or not near else (near[0][0], row)
        places = _places(elastic, np.asarray(known), chosen)
    found = sensitivities(cases, [g.metric for g in goals])
    return Choice(
        cases, goals, asked, feasible, front, row, best, alike,
        tuple(found), near, tuple(places), others,
    )  # fmt: skip


def _nearest(elastic: Elastic, row: int) -> Materials:
    young, poisson = float(elastic.young[row]), float(elastic.poisson[row])
    return tuple(nearest_materials(young, poisson)) if np.isfinite(young + poisson) else ()


def _alike(cases: Cases, goals: Sequence[Goal], row: int) -> BoolArray:
    """Return (n,) the other rows within the 95 % interval of `row` in every metric.

    Their own intervals do not count: rows with much scatter would match everything.
    """
    same = np.arange(cases.size) != row
    for goal in goals:
        metric = cases.metrics[goal.metric]
        half = np.nan if metric.spread is None else metric.spread.half[row]
        same &= np.abs(metric.values - metric.values[row]) <= half
    return np.asarray(same)


def _recommended(elastic: Elastic | None, row: int, alike: BoolArray) -> int:
    """Return the knee's row, or a row like it that is nearer to a real material."""
    if elastic is None:
        return row
    away = {
        r: round(nearest_materials(float(elastic.young[r]), float(elastic.poisson[r]), 1)[0][1], 2)
        for r in (row, *map(int, np.flatnonzero(alike)))
        if np.isfinite(elastic.young[r] + elastic.poisson[r])
    }
    return min(away, key=lambda r: away[r]) if row in away else row  # the first of equals


def _like(cases: Cases, elastic: Elastic, row: int) -> BoolArray:
    """Return (n,) rows equal to `row` in all but E and nu; for samples, in text axes only."""
    same = np.ones(cases.size, dtype=bool)
    for name, axis in cases.axes.items():
        if (cases.shape or axis.labels) and name not in elastic.axes:
            same &= axis.values == axis.values[row]
    return same


def _places(
    elastic: Elastic, known: BoolArray, chosen: tuple[SoleMaterial, int] | None
) -> list[tuple[SoleMaterial, int]]:
    """Return the materials that a row represents, each with the row nearest to it.

    They are in the order of the rows' E, those of one row by their distance from it.

    The distances are those of `nearest_materials`, so that a row is labelled by the material that
    the text names; the recommended row stands for that one (`chosen`) though another be as near.
    """
    rows = np.flatnonzero(known)
    found = []
    for material in sole_materials() if len(rows) else ():
        away = [rank(material, float(elastic.young[r]), float(elastic.poisson[r])) for r in rows]
        best = min(range(len(rows)), key=away.__getitem__)
        row = int(rows[best])
        if chosen is not None and material is chosen[0]:
            row = chosen[1]
            best = int(np.flatnonzero(rows == row)[0])
        if away[best][0] <= NEAR:
            found.append((away[best], material, row))
    found.sort(key=lambda each: (elastic.young[each[2]], each[2], each[0]))
    return [(material, row) for _, material, row in found]
