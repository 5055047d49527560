"""Ensembles of walks on vertices: figures 11 to 14, epsilon, and what makes false impacts.

Single walks are touchy: a change of the time step or of the landing speed by a tenth moves the
number of lift-offs by tens of per cent. So numbers are medians over landing speeds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import median

import numpy as np

from robot.papers.experiments.epsilon_walks import (
    EPSILONS,
    STEPS,
    count_epsilons,
    epsilon_cases,
    paired_ratio,
)
from robot.papers.experiments.lost_contacts import LiftOffs, count_lift_offs
from robot.papers.experiments.vertex_figures import (
    FIRST_STANCE,
    draw_forces,
    draw_heights,
    draw_swings,
)
from robot.papers.experiments.vertex_walk import VertexCase, VertexRecord, walk_on_vertices
from sole.claims import Effort, Findings

__all__ = ["epsilon_numbers", "isolate_causes", "reproduce_vertex_walk"]

PRINTED_STEPS = 5


def reproduce_vertex_walk(effort: Effort) -> Findings:
    """Walk with several epsilon, on exact rigid contact and on a soft sole; draw figures 11 to 14.

    Without `quick` the counts of the walks are kept in an output folder: an interrupted ensemble
    goes on, and a new one needs a new folder.
    """
    base = VertexCase()
    others = [replace(base, contact="rigid"), replace(base, contact="soft")]
    cases = epsilon_cases(quick=effort.quick)
    total = len(others) + len(cases)
    tell = _shares(effort.tell, total)
    kept: dict[str, VertexRecord] = {}

    def keep(name: str, record: VertexRecord) -> None:
        kept.setdefault(name, record)

    counts = count_epsilons(cases, tell, keep, None if effort.quick else effort.folder)
    rigid, soft = (walk_on_vertices(case, tell(k + total - 2)) for k, case in enumerate(others))
    record, first = kept["0"], counts["0", STEPS[0]][0]
    numbers = _figure_numbers(record) | epsilon_numbers(counts)
    numbers |= {
        "fell": float(record.fell),
        "mean_force": first.mean,
        "peak": first.peak,
        "within_500": 100 * first.within,
        "deepest": 1e3 * first.deepest,
        "rigid_lifts": float(count_lift_offs(rigid).lifts),
        "soft_lifts": float(count_lift_offs(soft).lifts),
        "rigid_peak": count_lift_offs(rigid).peak,
        "soft_peak": count_lift_offs(soft).peak,
        "runs": float(total),
    }
    beside = [record, rigid, soft]
    return Findings(
        numbers=numbers,
        pictures={
            "fig11": lambda: draw_swings(record),
            "fig12": lambda: draw_heights(beside),
            "fig13": lambda: draw_forces(beside),
            "fig14": lambda: draw_forces([kept["1"]]),
        },
    )


def isolate_causes(effort: Effort) -> Findings:
    """Take away one cause of false impacts after the other, at epsilon = 0."""
    base = VertexCase()
    cases = {
        "paper": base,
        "landing": replace(base, landing=0.0),
        "grip": replace(base, friction=1e3),
        "fitted": replace(base, fitted=True),
        "triangle": replace(base, vertices=3),
        "triangle_grip": replace(base, vertices=3, friction=1e3),
    }
    if effort.quick:
        cases = {name: cases[name] for name in ("paper", "fitted")}
    tell = _shares(effort.tell, len(cases))
    numbers: dict[str, float] = {}
    for k, (name, case) in enumerate(cases.items()):
        found = count_lift_offs(walk_on_vertices(case, tell(k)))
        for field in ("lifts", "bounces", "pulls", "slips", "least_squares"):
            numbers[f"{name}_{field}"] = float(getattr(found, field))
    lifts = numbers["paper_lifts"]
    cut = numbers["paper_pulls"] + numbers["paper_slips"]
    numbers["cut_share"] = 100 * cut / lifts
    numbers["fitted_ratio"] = numbers["fitted_lifts"] / lifts
    return Findings(numbers=numbers)


def _figure_numbers(record: VertexRecord) -> dict[str, float]:
    """Return what can be read from figures 11 to 13: swings, heights in the first stance."""
    swings = np.flatnonzero(np.diff((~record.stands).any(axis=1).astype(int)) == 1)
    swing_end = np.flatnonzero(np.diff((~record.stands).any(axis=1).astype(int)) == -1)
    tops, lows, when = [], [], []
    for start, stop in zip(swings[:PRINTED_STEPS], swing_end, strict=False):
        foot = int(np.argmin(record.stands[start + 1]))
        span = record.heights[start:stop, foot]
        middle = span[len(span) // 10 : -len(span) // 20]  # lifted, and not yet landing
        tops.append(float(span.max()))
        when.append(float(record.times[(start + stop) // 2]))
        lows.append(float(middle.min()))
    begin, end = FIRST_STANCE
    stance = (record.times >= begin) & (record.times <= end) & record.stands[:, 1]
    heights = 1e3 * np.abs(record.heights[stance, 1])
    return {
        "swings": float(len(tops)),
        "top": 1e3 * max(tops),
        "scuff": 1e3 * min(lows),
        "in_two_seconds": float(sum(t < 2.0 for t in when)),
        "first_right": float(record.times[swing_end[1]]),
        "stance_height": float(heights.max()),
        "stance_height_99": float(np.quantile(heights, 0.99)),
    }


def epsilon_numbers(counts: Mapping[tuple[str, float], Sequence[LiftOffs]]) -> dict[str, float]:
    """Return medians by epsilon and their ratios to epsilon = 0, for each dt; ratios of pairs."""
    numbers: dict[str, float] = {}
    for (name, dt), found in counts.items():
        fine = "" if dt == STEPS[0] else "_fine"
        numbers[f"lifts_{name}{fine}"] = float(median(f.lifts for f in found))
        numbers[f"flights_{name}{fine}"] = float(median(f.flights for f in found))
        numbers[f"full_{name}{fine}"] = 100 * float(median(f.full for f in found))
        numbers[f"longest_{name}{fine}"] = 1e3 * float(median(f.longest for f in found))
        for what in ("lifts", "flights"):
            ratio = numbers[f"{what}_{name}{fine}"] / numbers[f"{what}_0{fine}"]
            numbers[f"{what}_ratio_{name}{fine}"] = ratio
    for name in (name for name in EPSILONS if (name, STEPS[0]) in counts):
        over = [f.lifts for (n, _), found in counts.items() for f in found if n == name]
        under = [f.lifts for (n, _), found in counts.items() for f in found if n == "0"]
        pairs = paired_ratio(over, under)
        numbers |= {f"pairs_{name}_{k}": v for k, v in pairs._asdict().items()}
    return numbers


def _shares(tell: Callable[[float], None], total: int) -> Callable[[int], Callable[[float], None]]:
    """Return what tells the progress of the k-th of `total` walks."""
    return lambda k: lambda fraction: tell((k + fraction) / total)
