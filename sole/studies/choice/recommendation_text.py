"""The choice as text: the study, the recommendation with its reasons, sensitivities."""

from __future__ import annotations

import re
import textwrap

import numpy as np

from sole.base.mesh_dependence import dependence_words
from sole.studies.choice.cases import SCHEMES, Cases
from sole.studies.choice.material_words import apart_words, constants_of, material_words
from sole.studies.choice.materials import nearest_materials
from sole.studies.choice.mesh_words import judge_mesh
from sole.studies.choice.recommended_row import Choice, Materials
from sole.studies.choice.sensitivity import Sensitivity
from sole.studies.choice.series import Series
from sole.studies.choice.values import (
    failures_words,
    metric_words,
    readable,
    rows_word,
    setting_words,
)

MOST_REASONS = 3
WIDTH = 120  # letters of a reason
_NUMBER = re.compile(r"\d[\d.e+-]*")


def describe_study(cases: Cases) -> str:
    """Return a description of the study: axes with their ranges, and sampling."""
    each = cases if cases.repeats is None else cases.repeats.each
    said = [_range(name, axis, bool(cases.shape)) for name, axis in each.axes.items()]
    return f"{cases.title}: {SCHEMES.get(cases.sampling, cases.sampling)} over {', '.join(said)}"


def _range(name: str, axis: Series, counted: bool) -> str:
    different = np.unique(axis.values)
    if axis.labels:
        return f"{name} {' or '.join(axis.labels[int(v)] for v in different)}"
    low, high = (readable(float(v), axis.unit) for v in (different[0], different[-1]))
    if len(different) == 1:
        return f"{name} = {low}"
    return f"{name} {low} to {high}" + (f" ({len(different)} values)" if counted else "")


def list_failures(cases: Cases) -> list[str]:
    """Return the most frequent reasons of failed rows with their counts, in that order.

    Reasons that differ only in numbers count as one; the first represents all.
    """
    alike: dict[str, list[str]] = {}
    for reason in filter(None, cases.reasons):
        alike.setdefault(_NUMBER.sub("#", reason), []).append(reason)
    ranked = sorted(alike.values(), key=len, reverse=True)
    said = [f"{len(same)} x {textwrap.shorten(same[0], WIDTH)}" for same in ranked[:MOST_REASONS]]
    if len(ranked) > MOST_REASONS:
        said.append(f"and {len(ranked) - MOST_REASONS} more")
    return said


def recommendation(choice: Choice) -> list[str]:
    """Return the recommendation in sentences: settings, metrics, reasons, materials, warnings."""
    cases, row = choice.cases, choice.row
    if row is None:
        return _none(choice)
    said = [f"Take {_settings(cases, row)}.", *refusals(choice)]
    said += [_goal(choice, k, row) for k in range(len(choice.goals))]
    said += [*_instead(choice), _why(choice), *_chosen_words(cases), *_repeats(choice)]
    said.append(_mesh(choice))
    said += mesh_dependence(cases, row)
    layer = cases.elastic.layer if cases.elastic is not None else ""
    said += _name_materials(choice, layer, choice.materials)
    for name, materials in choice.other_materials.items():
        said += _name_materials(choice, name, materials)
    for name, end in choice.at_edge.items():
        said.append(f"{name} is the {end} value studied: a wider study may find a better sole.")
    return said


def mesh_dependence(cases: Cases, row: int) -> list[str]:
    """Return which metrics of a row depend on the mesh, and by how much.

    That is estimated from the mesh of the row; the check on a finer one tells what it is.
    """
    errors = [s for s in cases.metrics.values() if s.error_of]
    told = [(s.error_of, dependence_words(float(s.values[row]))) for s in errors]
    return [f"{name} {words} (estimated from one mesh)." for name, words in told if words]


def refusals(choice: Choice) -> list[str]:
    """Return how many rows are feasible and by which bound the others failed; [] if all are."""
    feasible, rows = choice.feasible, rows_word(choice.cases)
    out = choice.cases.size - feasible.count
    if not out:
        return []
    counts = [feasible.failed, *feasible.refused.values()]
    said = [f"{feasible.failed} failed"] if feasible.failed else []
    said += [f"{c} refuses {n}" for c, n in feasible.refused.items() if n]
    more = " (some fail by several)" if sum(counts) > out else ""
    first = f"{feasible.count} of {choice.cases.size} {rows} are feasible"
    if feasible.count == 1:
        first = f"It is the only feasible one of {choice.cases.size} {rows}"
    return [f"{first}: {', '.join(said)}{more}."]


def _name_materials(choice: Choice, layer: str, materials: Materials) -> list[str]:
    """Return the materials nearest to a layer of the recommended sole; '' is its only layer."""
    inside = [m for m, d in materials if d == 0]
    outside = [
        f"{material_words(m)}: {apart_words(m, *constants_of(choice, layer))}"
        for m, d in materials
        if d > 0
    ]
    of = f", for its layer {layer}" if layer else ""
    said = []
    if inside:
        within = f"Its layer {layer} is within" if layer else "Within"
        said.append(f"{within} the range of {'; '.join(map(material_words, inside))}.")
    if outside:
        said.append(f"{'Next' if inside else 'Nearest'}{of}: {'; '.join(outside)}.")
    return said


def _settings(cases: Cases, row: int) -> str:
    return ", ".join(f"{n} = {setting_words(a, row)}" for n, a in cases.axes.items())


def _goal(choice: Choice, k: int, row: int) -> str:
    """Return a metric of the recommended row, and its position between the front's ends."""
    best, goal = choice.knee, choice.goals[k]
    assert best is not None
    series = choice.cases.metrics[goal.metric]
    value, front = metric_words(series, row), series.values[best.front]
    if len(best.front) == 1:
        return f"{goal.metric} = {value}."
    if not best.normalised[:, k].any():
        return f"{goal.metric} = {value}, constant on the front."
    ends = sorted((float(front.min()), float(front.max())), reverse=goal.maximise)
    way = round(100 * (float(series.values[row]) - ends[0]) / (ends[1] - ends[0]))
    span = " to ".join(readable(e, series.unit) for e in ends)
    where = f"this is {way} % of the way" if 0 <= way <= 100 else "this lies beyond"
    return f"{goal.metric} = {value}; the front goes from {span}, {where}."


def _instead(choice: Choice) -> list[str]:
    """Return why the recommended row is not the knee."""
    best, elastic = choice.knee, choice.cases.elastic
    if best is None or choice.row == best.row or elastic is None:
        return []
    at = float(elastic.young[best.row]), float(elastic.poisson[best.row])
    ((far, _),) = nearest_materials(*at, 1)
    near, _ = choice.materials[0]
    return [
        f"The repeats do not distinguish it from {_settings(choice.cases, best.row)}, but it is "
        f"nearer to a real material: {near.name}, {apart_words(near, *constants_of(choice))}; not "
        f"{far.name}, {apart_words(far, *at)}."
    ]


def _why(choice: Choice) -> str:
    best, rows = choice.knee, rows_word(choice.cases)
    assert best is not None
    own = choice.row == best.row
    it, this = ("It", f"This {rows[:-1]}") if own else ("That one", f"That {rows[:-1]}")
    count, feasible = len(best.front), f"{choice.feasible.count} feasible {rows}"
    goals = " and ".join(map(str, choice.goals))
    if choice.feasible.count == 1:
        return f"There is nothing to weigh: {goals} are those of the only feasible {rows[:-1]}."
    if count == 1:
        return f"{it} is the only {rows[:-1]} on the Pareto front of {goals}: best in all of them."
    if best.equal:
        return (
            f"The {count} {rows} of the Pareto front of {goals} are equal in all of them: "
            f"{it.lower()} is the first."
        )
    differing = [g for g, x in zip(choice.goals, best.normalised.T, strict=True) if x.any()]
    if len(differing) == 1:
        return (
            f"The {count} {rows} of the Pareto front of {goals} differ in only one of them: "
            f"{this.lower()} has the {differing[0]}."
        )
    if best.exists:
        return (
            f"{it} is the knee of the Pareto front of {goals} ({count} of {feasible}): farthest "
            f"below the chord, {best.distance:.3f} in normalised metrics."
        )
    if count == 2:
        return (
            f"The Pareto front of {goals} has only two of {feasible}, so no compromise: "
            f"{this.lower()} has the {choice.goals[0]}."
        )
    return (
        f"The Pareto front of {goals} ({count} of {feasible}) has no knee: no row is below its "
        f"chord. {this} is nearest to the best values of all metrics."
    )


def _chosen_words(cases: Cases) -> list[str]:
    """Warn that text axes were chosen too; the designer cannot choose a ground."""
    names = [n for n in cases.varied if cases.axes[n].labels]
    if not names:
        return []
    return [
        f"The choice is over every {' and '.join(names)}: --where {names[0]}=... keeps one, "
        f"--mean-over {names[0]} finds one sole for all."
    ]


def _mesh(choice: Choice) -> str:
    """Return the check on a finer mesh as a sentence."""
    said = str(judge_mesh(choice))
    return f"Mesh {said[:1].lower()}{said[1:].removesuffix('.')}."


def _repeats(choice: Choice) -> list[str]:
    """Return the repeats' notes on the recommended design: intervals, failures, like designs."""
    cases, best = choice.cases, choice.knee
    if best is None or cases.repeats is None:
        return []
    over = " and ".join(cases.repeats.over)
    said = [
        f"Every metric is the mean over {over}, with its 95 % interval (Student's t) in brackets; "
        "a design is feasible only if every repeat is."
    ]
    if cases.outcome is not None:
        said.append(f"{failures_words(cases, choice.row)} repeats {cases.outcome[1].failure}.")
    if count := int(choice.alike.sum()):
        lie, they = ("lies", "it is") if count == 1 else ("lie", "they are")
        which = "its" if choice.row == best.row else "the knee's"
        said.append(
            f"Not distinguishable: {count} of the other {choice.feasible.count - 1} feasible "
            f"designs {lie} within {which} 95 % intervals in all metrics. By these repeats {they} "
            "as good."
        )
    return said


def _none(choice: Choice) -> list[str]:
    cases = choice.cases
    if choice.feasible.count:
        return [f"No recommendation: no feasible {rows_word(cases)[:-1]} has all of the metrics."]
    rows = rows_word(cases)
    said = [f"{choice.feasible.failed} of {cases.size} {rows} failed"]
    said += [f"{c} refuses {n}" for c, n in choice.feasible.refused.items() if n]
    found = [f"No recommendation: no {rows[:-1]} is feasible. {'; '.join(said)}."]
    for c, n in choice.feasible.refused.items():
        if n == cases.size - choice.feasible.failed and not c.own:
            column = cases.metrics[c.column] if c.column in cases.metrics else cases.axes[c.column]
            values = column.values[~cases.bad]
            low, high = (
                readable(float(end(values)), column.unit) for end in (np.nanmin, np.nanmax)
            )
            found.append(
                f"{c} is a default that no {rows[:-1]} satisfies; the {rows} have {low} to "
                f"{high}. --constraint '{c.column} {c.relation} NUMBER' replaces it."
            )
    return found


def sensitivity_words(found: Sensitivity) -> str:
    """Return shares by axis, largest first."""
    if not found.known:
        return found.remark
    order = np.argsort(-found.first)
    said = []
    for i in order:
        width = found.uncertainty[i]
        more = "" if np.isnan(width) else f" +- {100 * width:.0f}"
        total = found.total[i]
        whole = "" if np.isnan(total) else f" (total {100 * total:.1f} %)"
        said.append(f"{found.axes[i]} {100 * found.first[i]:.1f}{more} %{whole}")
    return ", ".join([*said, f"rest {100 * found.interaction:.1f} %"])


def repeats_words(cases: Cases) -> str:
    """Return how many rows of the table are behind the means, '' if these are the rows."""
    if cases.repeats is None:
        return ""
    return f"means over {' and '.join(cases.repeats.over)} of {cases.repeats.each.size} rows"
