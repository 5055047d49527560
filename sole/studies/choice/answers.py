"""The choice as a terminal table and as plain data for scripts."""

from __future__ import annotations

from typing import Any

import numpy as np

from sole.base.angles import DEGREES, degrees_of
from sole.base.readable import in_words
from sole.base.report import Quantity, Report
from sole.studies.choice.cases import Cases
from sole.studies.choice.material_words import apart_words, constants_of
from sole.studies.choice.mesh_words import judge_mesh, plain_verdict
from sole.studies.choice.recommendation_text import (
    list_failures,
    mesh_dependence,
    recommendation,
    refusals,
    repeats_words,
    sensitivity_words,
)
from sole.studies.choice.recommended_row import Choice, Materials
from sole.studies.choice.sensitivity import Sensitivity
from sole.studies.choice.values import failures_words, metric_words, rows_word

UNIT_OF_DISTANCE = "a factor of two in E or 0.1 in nu"


def describe_choice(choice: Choice, output: str) -> Report:
    """Return the table for the terminal."""
    cases = choice.cases
    rows = {
        rows_word(cases): Quantity(cases.size, "", repeats_words(cases)),
        "failed": Quantity(choice.feasible.failed, "", "; ".join(list_failures(cases))),
        "feasible": Quantity(choice.feasible.count, "", f"of {cases.size} {rows_word(cases)}"),
    }
    if cases.outcome is not None:
        outcome = cases.outcome[1]
        rows[outcome.failure] = Quantity(failures_words(cases), "", outcome.nouns)
    for constraint, count in choice.feasible.refused.items():
        own = "requested" if constraint.own else "by default"
        rows[f"constraint {constraint}"] = Quantity(count, "", f"{rows_word(cases)} refused; {own}")
    rows["front"] = Quantity(int(choice.front.sum()), "", " and ".join(map(str, choice.goals)))
    if choice.row is not None:
        for name, value in choice.settings.items():
            rows[name] = Quantity(value, cases.axes[name].unit, "recommended")
        for goal in choice.goals:
            series = cases.metrics[goal.metric]
            rows[goal.metric] = Quantity(metric_words(series, choice.row), "", series.title)
    tread = cases.elastic.layer if cases.elastic is not None else ""
    for layer, materials in ((tread, choice.materials), *choice.other_materials.items()):
        for material, distance in materials:
            name = f"{layer}: {material.name}" if layer else material.name
            away = apart_words(material, *constants_of(choice, layer))
            rows[name] = Quantity(away, "", f"distance {distance:.2g}; 1: {UNIT_OF_DISTANCE}")
    for found in choice.sensitivities:
        remark = "; ".join(filter(None, (found.estimator, found.remark if found.known else "")))
        rows[f"sensitivity of {found.metric}"] = Quantity(sensitivity_words(found), "", remark)
    rows["recommendation"] = Quantity(_first_words(choice))
    if (verdict := judge_mesh(choice)) is not None:
        rows["mesh check"] = Quantity(str(verdict))
    rows["output"] = Quantity(output)
    return Report("report", rows)


def constraint_hint(choice: Choice) -> str:
    """Return how a bound of one's own is given, for who gave none; '' if none would be of use.

    The example bounds the first goal at its median over the feasible rows.
    """
    refused = choice.feasible.refused
    if any(constraint.own for constraint in refused) or choice.feasible.count < 2:
        return ""
    goal = choice.goals[0]
    series = choice.cases.metrics[goal.metric]
    values = series.values[choice.feasible.mask]
    known = values[~np.isnan(values)]
    if not known.size or not np.isfinite(middle := float(np.median(known))):
        return ""
    name, angle = goal.metric, series.unit == "rad"
    bound = f"{name}{DEGREES * angle} {'>=' if goal.maximise else '<='} "
    bound += (
        f"{degrees_of(middle):.2g}"
        if angle
        else in_words([middle], series.unit, 3 if series.unit else 2)
    )
    held = "only the defaults hold" if refused else "nothing is bounded"
    return f"{held}; add your own bounds, such as --constraint '{bound}'"


def as_json(choice: Choice, output: str) -> dict[str, Any]:
    """Return everything as plain data; unknown values are None."""
    cases, best, row = choice.cases, choice.knee, choice.row
    recommended = None
    if best is not None and row is not None:
        recommended = {
            "row": row,
            "settings": choice.settings,
            "metrics": {g.metric: float(cases.metrics[g.metric].values[row]) for g in choice.goals},
            "intervals": _intervals(choice, row),
            **_failures(cases, row),
            "alike": int(choice.alike.sum()),
            "knee": best.exists,
            "knee_row": best.row,
            "knee_distance": best.distance,
        }
    return {
        "title": cases.title,
        "sampling": cases.sampling,
        "rows": cases.size,
        "mean_over": list(cases.repeats.over) if cases.repeats else [],
        **_failures(cases),
        "failed": choice.feasible.failed,
        "failures": list_failures(cases),
        "feasible": choice.feasible.count,
        "constraints": [
            {"constraint": str(c), "refused": n, "default": not c.own}
            for c, n in choice.feasible.refused.items()
        ],
        "goals": [{"metric": g.metric, "maximise": g.maximise} for g in choice.goals],
        "front": np.flatnonzero(choice.front).tolist(),
        "recommended": recommended,
        "recommendation": recommendation(choice),
        "mesh_check": plain_verdict(judge_mesh(choice)),
        "materials": _plain_materials(choice, "", choice.materials),
        "other_materials": {
            n: _plain_materials(choice, n, m) for n, m in choice.other_materials.items()
        },
        "sensitivities": [_plain(s) for s in choice.sensitivities],
        "units": {n: s.unit for n, s in (*cases.axes.items(), *cases.metrics.items()) if s.unit},
        "output": output,
    }


def _failures(cases: Cases, row: int | None = None) -> dict[str, str]:
    """Return the count of failures by their name, such as {"slipped": "3 of 96"}."""
    if cases.outcome is None:
        return {}
    return {cases.outcome[1].failure: failures_words(cases, row)}


def _intervals(choice: Choice, row: int) -> dict[str, dict[str, float | None]]:
    """Return 95 % interval, extremes and number of repeats by metric; {} without repeats."""
    found = {}
    for goal in choice.goals:
        metric = choice.cases.metrics[goal.metric]
        if metric.spread is not None:
            value, half = float(metric.values[row]), float(metric.spread.half[row])
            known = bool(np.isfinite(half))
            found[goal.metric] = {
                "low": value - half if known else None,
                "high": value + half if known else None,
                "least": float(metric.spread.least[row]),
                "greatest": float(metric.spread.greatest[row]),
                "repeats": int(metric.spread.count[row]),
            }
    return found


def _plain_materials(choice: Choice, layer: str, materials: Materials) -> list[dict[str, Any]]:
    found = []
    for material, distance in materials:
        factor, difference = material.apart(*constants_of(choice, layer))
        found.append(
            {
                "name": material.name,
                "distance": distance,
                "young_factor": factor,
                "poisson_difference": difference,
                "young_range": list(material.young_range),
                "poisson_range": list(material.poisson_range),
                "source": material.source,
            }
        )
    return found


def _plain(found: Sensitivity) -> dict[str, Any]:
    def by_axis(values: Any) -> dict[str, float | None]:
        pairs = zip(found.axes, values, strict=True)
        return {n: None if np.isnan(v) else float(v) for n, v in pairs}

    return {
        "metric": found.metric,
        "estimator": found.estimator,
        "first": by_axis(found.first),
        "total": by_axis(found.total),
        "uncertainty": by_axis(found.uncertainty),
        "rest": found.interaction if found.known else None,
        "remark": found.remark,
    }


def _first_words(choice: Choice) -> str:
    """Return the recommendation and what was refused, or all that is known of why there is none."""
    said = recommendation(choice)
    if choice.row is None:
        return " ".join(said)
    return " ".join([said[0], *refusals(choice), *mesh_dependence(choice.cases, choice.row)])
