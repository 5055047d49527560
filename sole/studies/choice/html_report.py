"""The report as one HTML page without network, scripts or other files.

The template is `report.html.jinja`; this module makes its texts, tables and pictures.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sole import __version__
from sole.studies.choice.drawings import numbered
from sole.studies.choice.figures import draw_front, draw_shares
from sole.studies.choice.map_caption import caption_maps
from sole.studies.choice.maps import draw_maps
from sole.studies.choice.materials import sole_materials
from sole.studies.choice.recommendation_text import (
    describe_study,
    list_failures,
    recommendation,
    repeats_words,
    sensitivity_words,
)
from sole.studies.choice.recommended_row import Choice
from sole.studies.choice.values import (
    failures_words,
    metric_words,
    readable,
    rows_word,
    setting_words,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 110
MOST_LISTED = 12
TEMPLATE = Path(__file__).with_name("report.html.jinja")


class Table(NamedTuple):
    """The head of the columns, and the rows."""

    head: Sequence[str]
    rows: Sequence[Sequence[object]]


class Along(NamedTuple):
    """Rows along the front, and their description."""

    said: str
    table: Table


def report_page(choice: Choice, source: str) -> str:
    """Return the page of a choice; `source` names the study's file."""
    from jinja2 import Environment, StrictUndefined

    cases = choice.cases
    page = Environment(autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True)
    known = any(s.known for s in choice.sensitivities)
    return page.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        title=f"Which sole? {cases.title}",
        said=recommendation(choice),
        repeats=_repeats(choice),
        studied=describe_study(cases),
        counts=_counts(choice),
        maps=_picture(draw_maps(choice)),
        caption=caption_maps(choice),
        goals=" and ".join(map(str, choice.goals)),
        row=rows_word(cases)[:-1],
        front=_picture(draw_front(choice)),
        along=_along(choice),
        numbers=_numbers(choice),
        sensitivities=_sensitivities(choice),
        shares=_picture(draw_shares(choice)) if known else None,
        materials=_materials(),
        source=source,
        version=__version__,
    )


def _picture(figure: Figure) -> str:
    """Return a PNG in base 64."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=DPI, metadata={"Software": None})
    return base64.b64encode(stream.getvalue()).decode()


def _repeats(choice: Choice) -> Table | None:
    """Return mean, interval and extremes of the recommended row's goals and constraints."""
    cases, row = choice.cases, choice.row
    if row is None or cases.repeats is None:
        return None
    columns = [*(g.metric for g in choice.goals), *(c.column for c in choice.constraints)]
    rows = []
    for name in dict.fromkeys(c for c in columns if c in cases.metrics):
        metric = cases.metrics[name]
        spread = metric.spread
        assert spread is not None
        mean, half = float(metric.values[row]), float(spread.half[row])
        ends = (mean - half, mean + half, spread.least[row], spread.greatest[row])
        told = (readable(float(v), metric.unit) if math.isfinite(v) else "-" for v in ends)
        rows.append([name, readable(mean, metric.unit), *told, int(spread.count[row])])
    head = ("over the repeats", "mean", "95 % from", "to", "least", "greatest", "repeats")
    return Table(head, rows)


def _counts(choice: Choice) -> Table:
    cases, feasible = choice.cases, choice.feasible
    rows: list[tuple[object, object, object]] = [
        (rows_word(cases), cases.size, repeats_words(cases)),
        ("failed", feasible.failed, "; ".join(list_failures(cases))),
    ]
    if cases.outcome is not None:
        outcome = cases.outcome[1]
        rows.append((f"{outcome.nouns} that {outcome.failure}", failures_words(cases), ""))
    for constraint, count in feasible.refused.items():
        rows.append((f"refused by {constraint}", count, "" if constraint.own else "default"))
    rows.append(("feasible", feasible.count, ""))
    return Table(("", "count", ""), rows)


def _along(choice: Choice) -> Along | None:
    """Return the recommended row, the knee and rows spread evenly along the front."""
    cases, best, row = choice.cases, choice.knee, choice.row
    if best is None or row is None:
        return None
    first = cases.metrics[choice.goals[0].metric].values
    along = sorted((int(r) for r in best.front), key=lambda r: float(first[r]))
    step = max(1, -(-len(along) // MOST_LISTED))
    listed = [r for k, r in enumerate(along) if k % step == 0 or r == best.row]
    off = row not in along
    words = {best.row: "knee"} if best.exists else {}
    words[row] = "recommended"
    outcome = cases.outcome if cases.repeats is not None else None
    rows = [
        [
            words.get(r, ""),
            *(setting_words(a, r) for a in cases.axes.values()),
            *(metric_words(cases.metrics[g.metric], r) for g in choice.goals),
            *([failures_words(cases, r)] if outcome else []),
        ]
        for r in ([row, *listed] if off else listed)
    ]
    head = [
        "",
        *cases.axes,
        *(g.metric for g in choice.goals),
        *([outcome[1].failure] if outcome else []),
    ]
    said = f"{len(listed)} of the {len(along)} {rows_word(cases)} on the front"
    said += ", after the recommended one:" if off else ":"
    return Along(said, Table(head, rows))


def _numbers(choice: Choice) -> Table | None:
    """Return the key to the numbers in the pictures, with the row that represents each."""
    cases = choice.cases
    if not choice.places:
        return None
    columns = [*cases.axes, *(g.metric for g in choice.goals)]
    rows = []
    for k, names, row in numbered(choice):
        values = [setting_words(a, row) for a in cases.axes.values()]
        values += [metric_words(cases.metrics[g.metric], row) for g in choice.goals]
        rows.append([k, "; ".join(names), *values, "yes" if choice.feasible.mask[row] else "no"])
    layer = cases.elastic.layer if cases.elastic is not None else ""
    of = f"material of layer {layer}" if layer else "material"
    head = ["", of, *(f"{rows_word(cases)[:-1]}: {c}" for c in columns), "feasible"]
    return Table(head, rows)


def _sensitivities(choice: Choice) -> Table:
    rows = [
        (s.metric, sensitivity_words(s), s.estimator, s.remark if s.known else "")
        for s in choice.sensitivities
    ]
    return Table(("metric", "shares of the variance", "estimator", "remark"), rows)


def _materials() -> Table:
    rows = [
        (
            m.name,
            " to ".join(readable(e, "Pa") for e in dict.fromkeys(m.young_range)),
            " to ".join(f"{nu:.4f}" for nu in dict.fromkeys(m.poisson_range)),
            " to ".join(f"{d:g}" for d in m.density_range or ()) or "-",
            m.origin,
            m.source,
            m.checked,
        )
        for m in sole_materials()
    ]
    head = ("material", "E", "nu", "density [kg/m^3]", "E is", "source", "checked")
    return Table(head, rows)
