"""The report as one HTML page that needs no network, no script and no other file."""

from __future__ import annotations

import base64
import html
import io
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sole import __version__
from sole.choice.decision import Choice
from sole.choice.drawings import numbered
from sole.choice.figures import draw_front, draw_shares
from sole.choice.maps import draw_maps
from sole.choice.materials import sole_materials
from sole.choice.values import fell_words, metric_words, readable, rows_word, setting_words
from sole.choice.words import (
    failures,
    recommendation,
    repeats_words,
    sensitivity_words,
    studied,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 110
MOST_LISTED = 12
_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 78em; margin: 1.5em auto; padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 1.6em; }
img { max-width: 100%; height: auto; }
table { border-collapse: collapse; font-size: 0.92em; }
td, th { border: 1px solid #ccc; padding: 0.2em 0.6em; text-align: left; vertical-align: top; }
.said { background: #f3f7ee; border-left: 5px solid #6a9a3b; padding: 0.5em 1em; }
.small { color: #555; font-size: 0.88em; }
"""


def report_page(choice: Choice, source: str) -> str:
    """Return the page of a choice; `source` names the study's file."""
    cases = choice.cases
    said = "".join(f"<p>{_text(s)}</p>" for s in recommendation(choice))
    title, rows = f"Which sole? {cases.title}", rows_word(cases)
    goals = " and ".join(map(str, choice.goals))
    parts = [
        f"<h1>{_text(title)}</h1>",
        f'<div class="said">{said}{_repeats(choice)}</div>',
        "<h2>What was studied</h2>",
        f"<p>{_text(studied(cases))}.</p>",
        _counts(choice),
        "<h2>Maps</h2>",
        _picture(draw_maps(choice), "metrics over the first two axes of numbers"),
        '<p class="small">Hatched or grey: not feasible. Red crosses: failed. Star: recommended. '
        "Numbered bars: ranges of real materials, on the edge if their nu lies beyond it. Dots: "
        "what was worked out; colours between them are interpolated.</p>",
        "<h2>Pareto front</h2>",
        f"<p>{_text(goals)}. A {rows[:-1]} is on the front if no feasible {rows[:-1]} is better in "
        "one metric and as good in the others; the knee lies farthest below the chord between "
        f"the best {rows}, in metrics normalised over the front.</p>",
        _picture(draw_front(choice), "Pareto front"),
        _front(choice),
        "<h2>Where the materials are</h2>",
        _numbers(choice),
        "<h2>Sensitivities</h2>",
        _shares(choice),
        "<h2>Materials</h2>",
        _materials(),
        f'<p class="small">{_text(source)}; compliant sole {__version__}</p>',
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{_text(title)}</title><style>{_STYLE}</style></head>\n<body>"
        + "\n".join(parts)
        + "</body></html>\n"
    )


def _text(text: object) -> str:
    return html.escape(str(text))


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    top = "".join(f"<th>{_text(h)}</th>" for h in head)
    body = "".join(f"<tr>{''.join(f'<td>{_text(c)}</td>' for c in row)}</tr>" for row in rows)
    return f"<table><tr>{top}</tr>{body}</table>"


def _picture(figure: Figure, words: str) -> str:
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=DPI, metadata={"Software": None})
    data = base64.b64encode(stream.getvalue()).decode()
    return f'<img alt="{_text(words)}" src="data:image/png;base64,{data}">'


def _repeats(choice: Choice) -> str:
    """Return the recommended row's mean, interval and extremes of goals and constraints."""
    cases, row = choice.cases, choice.row
    if row is None or cases.repeats is None:
        return ""
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
    return _table(head, rows)


def _counts(choice: Choice) -> str:
    cases, feasible = choice.cases, choice.feasible
    rows: list[tuple[object, object, object]] = [
        (rows_word(cases), cases.size, repeats_words(cases)),
        ("failed", feasible.failed, "; ".join(failures(cases))),
    ]
    if fell := fell_words(cases):
        rows.append(("walks that fell", fell, ""))
    for constraint, count in feasible.refused.items():
        rows.append((f"refused by {constraint}", count, "" if constraint.own else "default"))
    rows.append(("feasible", feasible.count, ""))
    return _table(("", "count", ""), rows)


def _front(choice: Choice) -> str:
    """Return the recommended row, the knee and rows evenly spread along the front."""
    cases, best, row = choice.cases, choice.knee, choice.row
    if best is None or row is None:
        return ""
    first = cases.metrics[choice.goals[0].metric].values
    along = sorted((int(r) for r in best.front), key=lambda r: float(first[r]))
    step = max(1, -(-len(along) // MOST_LISTED))
    listed = [r for k, r in enumerate(along) if k % step == 0 or r == best.row]
    off = row not in along
    words = {best.row: "knee"} if best.exists else {}
    words[row] = "recommended"
    falls = cases.repeats is not None and "fell" in cases.metrics
    rows = [
        [
            words.get(r, ""),
            *(setting_words(a, r) for a in cases.axes.values()),
            *(metric_words(cases.metrics[g.metric], r) for g in choice.goals),
            *([fell_words(cases, r)] if falls else []),
        ]
        for r in ([row, *listed] if off else listed)
    ]
    head = ["", *cases.axes, *(g.metric for g in choice.goals), *(["fell"] if falls else [])]
    said = f"{len(listed)} of the {len(along)} {rows_word(cases)} on the front"
    said += ", after the recommended one:" if off else ":"
    return f"<p>{said}</p>{_table(head, rows)}"


def _numbers(choice: Choice) -> str:
    """Return what the numbers in the pictures mean, with the row that stands for each."""
    cases = choice.cases
    if not choice.places:
        none = f"No {rows_word(cases)[:-1]} of the study is near one of the materials."
        return f'<p class="small">{none}</p>'
    columns = [*cases.axes, *(g.metric for g in choice.goals)]
    rows = []
    for k, names, row in numbered(choice):
        values = [setting_words(a, row) for a in cases.axes.values()]
        values += [metric_words(cases.metrics[g.metric], row) for g in choice.goals]
        rows.append([k, "; ".join(names), *values, "yes" if choice.feasible.mask[row] else "no"])
    return _table(
        ["", "material", *(f"{rows_word(cases)[:-1]}: {c}" for c in columns), "feasible"], rows
    )


def _shares(choice: Choice) -> str:
    rows = [
        (s.metric, sensitivity_words(s), s.estimator, s.remark if s.known else "")
        for s in choice.sensitivities
    ]
    table = _table(("metric", "shares of the variance", "estimator", "remark"), rows)
    if not any(s.known for s in choice.sensitivities):
        return table
    return table + "<p>" + _picture(draw_shares(choice), "shares of the variance") + "</p>"


def _materials() -> str:
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
    return _table(head, rows)
