"""LOLA's experiments: a board of 9 cm, a drop of 5.5 cm, the earlier contact model, flat ground.

Every comparison is made walk by walk, on the same edge with the same rhythm and material. Full
ensembles have 5 edges x 3 rhythms x 2 materials; quick ones two walks of each law.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from robot.control import ForceChoice
from robot.papers.experiments.edge_store import walk_all
from robot.papers.experiments.lola_walks import (
    EDGES,
    PAPER_LAW,
    SOFTER,
    UP,
    EdgeCase,
    EdgeSeries,
    EdgeWalk,
    ensemble,
    walk_over,
    with_gain,
)
from robot.papers.experiments.paired_walks import compared
from sole.claims import Effort, Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "compare_contact_models",
    "reproduce_board",
    "reproduce_drop",
    "walk_without_phase_logic",
]

BOARD, DROP, LOW, SMALL = 0.09, -0.055, 0.04, -0.01  # m
G_A = 0.5  # of the paper's 1: see docs/force_control.md on the damping of the vertical loop
SPRINGS = ForceChoice(U="points")


def reproduce_board(effort: Effort) -> Findings:
    """Walk over a board of 9 cm, with and without the dynamics of the centre of mass."""
    return _with_and_without(effort, BOARD, "fig6")


def reproduce_drop(effort: Effort) -> Findings:
    """Walk down 5.5 cm, with and without the dynamics of the centre of mass."""
    return _with_and_without(effort, DROP, "fig7")


def walk_without_phase_logic(effort: Effort) -> Findings:
    """Walk down 1 cm on a fixed plan, as in the paper's experiment, with and without g_a."""
    pairs = [
        [
            EdgeCase(height=SMALL, force=with_gain(PAPER_LAW, g_a), phase_logic=False, **place)
            for place in ensemble(effort.quick, materials=SOFTER)
        ]
        for g_a in (0.0, G_A)
    ]
    return Findings(numbers=compared(*_walked(effort, pairs)))


def compare_contact_models(effort: Effort) -> Findings:
    """Walk over 4 cm and on flat ground with U of point springs [23] and of the whole sole."""
    numbers: dict[str, float] = {}
    halves = {"obstacle": LOW, "flat": 0.0}
    for k, (name, height) in enumerate(halves.items()):
        places = list(ensemble(effort.quick, edges=UP, few=1))
        if not height:  # without an edge there is nothing to vary but rhythm and material
            places = list({(p["rhythm"], p["young"]): p for p in places}.values())
        pairs = [
            [EdgeCase(height=height, force=law, **place) for place in places]
            for law in (SPRINGS, ForceChoice())
        ]
        part = Effort(
            quick=effort.quick,
            folder=effort.folder,
            tell=lambda done, k=k: effort.tell((k + done) / len(halves)),  # type: ignore[misc]
        )
        found = compared(*_walked(part, pairs))
        numbers |= {f"{name}_{key}": value for key, value in found.items()}
    return Findings(numbers=numbers)


def _with_and_without(effort: Effort, height: float, picture: str) -> Findings:
    """Compare g_a = 0 with `G_A`, and draw one pair."""
    pairs = [
        [
            EdgeCase(height=height, force=ForceChoice(g_a=g_a), **place)
            for place in ensemble(effort.quick, edges=UP if height > 0 else EDGES)
        ]
        for g_a in (0.0, G_A)
    ]
    before, after = _walked(effort, pairs)
    moved = [w.moved for w in after if not np.isnan(w.moved)]
    numbers = compared(before, after) | {"moved": 1e3 * max(moved, default=float("nan"))}
    shown = [pairs[0][0], pairs[1][0]]
    return Findings(numbers=numbers, pictures={picture: partial(draw_pair, shown)})


def _walked(
    effort: Effort, pairs: Sequence[Sequence[EdgeCase]]
) -> tuple[list[EdgeWalk], list[EdgeWalk]]:
    """Walk both halves of all pairs."""
    before, after = pairs
    found = walk_all(effort, [*before, *after])
    return found[: len(before)], found[len(before) :]


def draw_pair(cases: Sequence[EdgeCase]) -> Figure:
    """Draw inclination and torque errors of two walks over time, as in figures 6 and 7."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 7.0), layout="constrained")
    axes = figure.subplots(4, 1, sharex=True)
    labels = ("roll of the waist [deg]", "pitch of the waist [deg]", "error of T_x [N m]",
              "error of T_y [N m]")  # fmt: skip
    for case, color in zip(cases, ("C3", "C0"), strict=True):
        series: EdgeSeries = walk_over(case)
        run, total = series.run, series.errors.sum(axis=1)
        told = f"g_a = {case.force.g_a:g}"
        for k in range(2):
            axes[k].plot(run.time, np.degrees(run["waist_rpy"][:, k]), color=color, label=told)
            axes[2 + k].plot(series.times, total[:, k], color=color, lw=0.6)
    events = [e for e in run.header.get("events", ()) if e["kind"] in ("early", "late")]
    for event in events:
        for one in axes:
            one.axvline(event["time"], color="0.6", lw=0.8)
        axes[0].text(event["time"], 1.02, event["kind"], transform=axes[0].get_xaxis_transform(),
                     ha="center", fontsize=8, color="0.4")  # fmt: skip
    for one, label in zip(axes, labels, strict=True):
        one.set_ylabel(label, fontsize=8)
    axes[0].legend(fontsize=8, loc="upper left")
    axes[-1].set(xlabel="time [s]", xlim=(2.0, float(run.time[-1])))
    return figure
