"""Older contact laws: they pull at a leaving body, and 4 kg bounce unlike 1 kg."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from contact.papers.penalty import (
    Drop,
    HuntCrossley,
    Linearised,
    NormalLaw,
    PenaltyLaw,
    SpringDamper,
    drop,
)
from sole.claims import Effort, Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["LawRuns", "compare_laws", "reproduce_older_laws"]

NORMAL_LAWS: dict[str, tuple[str, NormalLaw]] = {
    "spring and damper": ("C0-", SpringDamper(5e3, 30.0)),
    "spring and damper, cut off": ("C0:", SpringDamper(5e3, 30.0, saturated=True)),
    "Hunt and Crossley": ("C1-", HuntCrossley(2e4, 3e4)),
    "Hunt and Crossley, cut off": ("C1:", HuntCrossley(2e4, 3e4, saturated=True)),
    "linearised contact": ("C7-", Linearised(PenaltyLaw(5e3, 30.0))),
}


class LawRuns(NamedTuple):
    """Runs of a law: 1 kg bounces, 1 kg is pulled off from 0.01 s on, 4 kg bounce."""

    bounce: Drop
    torn: Drop
    heavy: Drop


def compare_laws(height: float = 0.2, pull: float = 400.0, steps: int = 2000) -> dict[str, LawRuns]:
    """Drop 1 and 4 kg from `height` [m]; pull 1 kg at rest off with `pull` [N]."""
    rows, long, short = {}, np.linspace(0, 0.6, steps), np.linspace(0, 0.025, steps // 4)
    for name, (_, law) in NORMAL_LAWS.items():
        rest = drop(law, [0.0, 5.0], height=0.0).height[-1]  # depth under the weight
        torn = drop(law, short, height=rest, pull=pull, pull_time=0.01)
        bounce, heavy = (drop(law, long, mass=m, height=height) for m in (1.0, 4.0))
        rows[name] = LawRuns(bounce, torn, heavy)
    return rows


def reproduce_older_laws(effort: Effort) -> Findings:
    """Measure by how much the ground pulls, and how far 4 kg bounce from where 1 kg do."""
    rows = compare_laws(steps=400 if effort.quick else 2000)
    numbers = {}
    names = ("spring", "spring_cut", "hunt", "hunt_cut", "linearised")
    for name, (label, row) in zip(names, rows.items(), strict=True):
        numbers[f"{name}_bounce"] = float(max(0.0, -row.bounce.force.min()))
        numbers[f"{name}_torn"] = float(max(0.0, -row.torn.force.min()))
        numbers[f"{name}_mass"] = 1e3 * float(np.abs(row.bounce.height - row.heavy.height).max())
        law = NORMAL_LAWS[label][1]
        touched = drop(law, [0.0, float(row.bounce.touches[0]) + 1e-7], height=0.2)
        numbers[f"{name}_jump"] = float(touched.force[-1] / row.bounce.force.max())
    return Findings(numbers=numbers, pictures={"older_laws": lambda: _figure(rows)})


def _figure(rows: dict[str, LawRuns]) -> Figure:
    from matplotlib.figure import Figure

    left, middle, right = (figure := Figure((12, 4), layout="constrained")).subplots(1, 3)
    for name, row in rows.items():
        style, b, t = NORMAL_LAWS[name][0], row.bounce, row.torn
        colour, line, width = style[:2], style[2:], 3 if style[2:] == ":" else 1.5
        since = 1e3 * (b.times - b.touches[0])
        left.plot(since, b.force, ls=line, color=colour, lw=width, label=name)
        middle.plot(1e3 * t.times, t.force, ls=line, color=colour, lw=width)
        if line == "-":
            right.plot(b.times, 1e3 * b.height, ls=line, color=colour, lw=width)
            right.plot(b.times, 1e3 * row.heavy.height, ls="--", color=colour, lw=width)
    left.set(xlim=(-2, 60), ylim=(-40, 180), xlabel="time since touch [ms]", ylabel="force [N]")
    middle.set(ylim=(-40, 20), xlabel="time [ms]; torn off from 10 ms on", ylabel="force [N]")
    right.set(xlabel="time [s]", ylabel="height [mm]; dashed: 4 kg")
    for axes in (left, middle):
        axes.axhspan(-99, 0, color="C3", alpha=0.12, label="the ground pulls")
    figure.legend(
        *left.get_legend_handles_labels(), loc="outside upper center", ncols=6, fontsize="small"
    )
    return figure
