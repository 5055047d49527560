"""Walks on vertices: figures 11 to 13, epsilon (figure 14), and what makes false impacts.

Single walks are touchy: a change of the time step or of the landing speed by a tenth moves the
number of lift-offs by tens of per cent. So what epsilon and cut forces do is asked of many walks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from robot.papers.experiments.epsilon_walks import (
    EPSILONS,
    count_walks,
    epsilon_cases,
    epsilon_numbers,
    paired_ratio,
    standing_pairs,
    vertex_draws,
)
from robot.papers.experiments.lost_contacts import count_lift_offs
from robot.papers.experiments.vertex_figures import (
    FIRST_STANCE,
    draw_forces,
    draw_heights,
    draw_swings,
)
from robot.papers.experiments.vertex_walk import VertexCase, VertexRecord, walk_on_vertices
from sole.base.arrays import spans
from sole.claims import Effort, Findings

__all__ = ["compare_epsilons", "isolate_causes", "swings_of", "walk_of_figures"]

CLEAR, SHORT = 5e-3, 0.1  # m, s: a foot in swing is higher than that, for longer
CAUSED = 6  # walks whose forces are fitted


def walk_of_figures(effort: Effort) -> Findings:
    """Walk on penalty contact, on exact rigid contact and on a soft sole; draw figures 11 to 13."""
    base = VertexCase()
    cases = [base, replace(base, contact="rigid"), replace(base, contact="soft")]
    tell = _shares(effort.tell, len(cases))
    beside = [walk_on_vertices(case, tell(k)) for k, case in enumerate(cases)]
    record = beside[0]
    found, rigid, soft = (count_lift_offs(one) for one in beside)
    numbers = _figure_numbers(record) | {
        "fell": float(record.fell),
        "lifts": float(found.lifts),
        "flights": float(found.flights),
        "mean_force": found.mean,
        "peak": found.peak,
        "within_500": 100 * found.within,
        "deepest": 1e3 * found.deepest,
        "rigid_lifts": float(rigid.lifts),
        "soft_lifts": float(soft.lifts),
        "rigid_peak": rigid.peak,
        "soft_peak": soft.peak,
    }
    return Findings(
        numbers=numbers,
        pictures={
            "fig11": lambda: draw_swings(record),
            "fig12": lambda: draw_heights(beside),
            "fig13": lambda: draw_forces(beside),
        },
    )


def compare_epsilons(effort: Effort) -> Findings:
    """Walk with several epsilon; draw figure 14.

    Without `quick` the counts of the walks are kept in an output folder: an interrupted ensemble
    goes on, and a new one needs a new folder.
    """
    cases = epsilon_cases(quick=effort.quick)
    folder = None if effort.quick else effort.folder
    counts = count_walks(cases, _shares(effort.tell, len(cases)), folder)
    steady = VertexCase(epsilon=EPSILONS["1"])
    return Findings(
        numbers=epsilon_numbers(counts),
        pictures={"fig14": lambda: draw_forces([walk_on_vertices(steady)])},
    )


def isolate_causes(effort: Effort) -> Findings:
    """Take away one cause of false impacts after the other, at epsilon = 0.

    Forces cut and forces fitted are compared on several walks, the other causes on the first.
    """
    base = VertexCase()
    draws = list(vertex_draws(1 if effort.quick else CAUSED))
    cases = [case for draw in draws for case in (draw, replace(draw, fitted=True))]
    others = {
        "landing": replace(base, landing=0.0),
        "grip": replace(base, friction=1e3),
        "triangle": replace(base, vertices=3),
        "triangle_grip": replace(base, vertices=3, friction=1e3),
    }
    if effort.quick:
        others = {}
    counts = count_walks([*cases, *others.values()], _shares(effort.tell, len(cases) + len(others)))
    pairs = standing_pairs((counts[replace(c, fitted=True)], counts[c]) for c in draws)
    numbers: dict[str, float] = {"walked": float(len(draws)), "distinct": float(len(pairs))}
    first = {"paper": base, "fitted": replace(base, fitted=True), **others}
    for name, case in first.items():
        for field in ("lifts", "bounces", "pulls", "slips", "least_squares"):
            numbers[f"{name}_{field}"] = float(getattr(counts[case], field))
    fitted = [fit.lifts for fit, _ in pairs]
    lifts = np.array([paper.lifts for _, paper in pairs], dtype=float)
    cut = np.array([paper.pulls + paper.slips for _, paper in pairs], dtype=float)
    numbers["cut_share"] = 100 * float(cut.sum() / max(lifts.sum(), 1.0))
    numbers["cut_least"] = 100 * float((cut / np.maximum(lifts, 1.0)).min(initial=1.0))
    for end, value in paired_ratio(fitted, lifts.tolist())._asdict().items():
        numbers[f"fitted_{end}"] = value
    return Findings(numbers=numbers)


def swings_of(record: VertexRecord) -> list[tuple[int, int, int]]:
    """Return foot, start and end of each swing, in order of time, as the vertices show it.

    A foot swings while its lowest vertex is higher than `CLEAR`, for longer than `SHORT`.
    """
    found = []
    for foot in (0, 1):
        for start, end in spans(record.heights[:, foot].min(axis=1) > CLEAR):
            if record.times[end - 1] - record.times[start] > SHORT:
                found.append((foot, start, end))
    return sorted(found, key=lambda swing: swing[1])


def _figure_numbers(record: VertexRecord) -> dict[str, float]:
    """Return what can be read from figures 11 to 13: swings, heights in the first stance."""
    swings = swings_of(record)
    planned = [(foot, *span) for foot in (0, 1) for span in spans(~record.stands[:, foot])]
    lows = []
    for foot, start, stop in planned:
        span = record.heights[start:stop, foot].min(axis=1)
        middle = span[len(span) // 10 : -len(span) // 20]  # lifted, and not yet landing
        lows.append(float(middle.min()))
    landed = [record.times[min(end, len(record.times) - 1)] for foot, _, end in swings if foot == 1]
    begin, end = FIRST_STANCE
    stance = (record.times >= begin) & (record.times <= end) & record.stands[:, 1]
    heights = 1e3 * np.abs(record.heights[stance, 1])
    tops = [float(record.heights[start:stop, foot].max()) for foot, start, stop in swings]
    return {
        "swings": float(len(swings)),
        "planned": float(len(planned)),
        "top": 1e3 * max(tops, default=0.0),
        "scuff": 1e3 * min(lows, default=np.nan),
        "in_two_seconds": float(sum(record.times[start] < 2.0 for _, start, _ in swings)),
        "first_right": float(landed[0]) if landed else np.nan,
        "stance_height": float(heights.max(initial=0.0)),
        "stance_height_99": float(np.quantile(heights, 0.99)) if heights.size else np.nan,
    }


def _shares(tell: Callable[[float], None], total: int) -> Callable[[int], Callable[[float], None]]:
    """Return what tells the progress of the k-th of `total` walks."""
    return lambda k: lambda fraction: tell((k + fraction) / total)
