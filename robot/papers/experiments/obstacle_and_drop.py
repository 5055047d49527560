"""LOLA's experiments: a board of 9 cm, a drop of 5.5 cm, the earlier contact model, flat ground.

Every comparison is made walk by walk, on the same edge with the same rhythm, steps and material.
Full ensembles have twenty draws, quick ones two: they show how a walk looks and decide nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from robot.control import ForceChoice
from robot.papers.experiments.edge_store import walk_all
from robot.papers.experiments.lola_cases import (
    DOWN,
    FLAT,
    PAPER_LAW,
    SOFTER,
    UP,
    EdgeCase,
    draws,
    with_gain,
)
from robot.papers.experiments.lola_walks import EdgeSeries, EdgeWalk, walk_over
from robot.papers.experiments.paired_walks import compared
from sole.claims import Effort, Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from robot.walk import Scenario

__all__ = [
    "compare_contact_models",
    "reproduce_board",
    "reproduce_drop",
    "scenarios_for_download",
    "step_down",
    "walk_without_phase_logic",
]

BOARD, DROP, LOW, SMALL = 0.09, -0.055, 0.04, -0.01  # m
G_A = 0.5  # of the paper's 1: see docs/force_control.md on the damping of the vertical loop
SPRINGS = ForceChoice(U="points")
FULL, QUICK = 20, 2  # draws
Cases = list[EdgeCase]


def board(g_a: float, count: int = FULL) -> Cases:
    """Return walks over a board of 9 cm."""
    return [EdgeCase(height=BOARD, force=ForceChoice(g_a=g_a), **d) for d in draws(count, UP)]


def drop(g_a: float, count: int = FULL) -> Cases:
    """Return walks down 5.5 cm on the online plan."""
    return [EdgeCase(height=DROP, force=ForceChoice(g_a=g_a), **d) for d in draws(count, DOWN)]


def unheeded(height: float, g_a: float, count: int = FULL) -> Cases:
    """Return walks down an edge as the paper made them: no phase logic, kappa = 1."""
    law, places = with_gain(PAPER_LAW, g_a), draws(count, DOWN, young=SOFTER)
    return [EdgeCase(height=height, force=law, phase_logic=False, **d) for d in places]


def low_obstacle(law: ForceChoice, count: int = FULL) -> Cases:
    """Return walks over 4 cm."""
    return [EdgeCase(height=LOW, force=law, **d) for d in draws(count, UP)]


def flat(law: ForceChoice, count: int = FULL) -> Cases:
    """Return walks on flat ground."""
    return [EdgeCase(height=0.0, force=law, **d) for d in draws(count, FLAT)]


def reproduce_board(effort: Effort) -> Findings:
    """Walk over a board of 9 cm, with and without the dynamics of the centre of mass."""
    before, after = _walked(effort, board(0.0, _count(effort)), board(G_A, _count(effort)))
    pressed = [w.pressed for w in after if not np.isnan(w.pressed)]
    numbers = compared(before, after) | {
        "heard": float(len(pressed)),
        "pressed": float(np.median(pressed)) if pressed else float("nan"),
    }
    return Findings(numbers=numbers, pictures={"fig6": partial(draw_pair, _pair(board))})


def step_down(effort: Effort) -> Findings:
    """Walk down 5.5 cm on a fixed plan without phase logic, as in the paper's experiment."""
    before, after = (partial(unheeded, DROP, g_a) for g_a in (0.0, G_A))
    found = compared(*_walked(effort, before(_count(effort)), after(_count(effort))))
    pair = [*before(1), *after(1)]
    return Findings(numbers=found, pictures={"fig7": partial(draw_pair, pair)})


def reproduce_drop(effort: Effort) -> Findings:
    """Walk down 5.5 cm on the online plan, with and without the dynamics of the centre of mass."""
    found = compared(*_walked(effort, drop(0.0, _count(effort)), drop(G_A, _count(effort))))
    return Findings(numbers=found, pictures={"fig7_with_phases": partial(draw_pair, _pair(drop))})


def walk_without_phase_logic(effort: Effort) -> Findings:
    """Walk down 1 cm on a fixed plan, as in the paper's experiment, with and without g_a."""
    before, after = (unheeded(SMALL, g_a, _count(effort)) for g_a in (0.0, G_A))
    return Findings(numbers=compared(*_walked(effort, before, after)))


def compare_contact_models(effort: Effort) -> Findings:
    """Walk over 4 cm and on flat ground with U of point springs [23] and of the whole sole."""
    numbers: dict[str, float] = {}
    halves = {"obstacle": low_obstacle, "flat": flat}
    for k, (name, cases) in enumerate(halves.items()):
        part = Effort(
            quick=effort.quick,
            folder=effort.folder,
            tell=lambda done, k=k: effort.tell((k + done) / len(halves)),  # type: ignore[misc]
        )
        walks = _walked(part, cases(SPRINGS, _count(effort)), cases(ForceChoice(), _count(effort)))
        numbers |= {f"{name}_{key}": value for key, value in compared(*walks).items()}
    return Findings(numbers=numbers)


def scenarios_for_download() -> dict[str, Scenario]:
    """Return a scenario of each ground with all keys that its experiment sets, by name.

    They are examples/scenarios/lola_NAME.toml.
    """
    return {
        "board": board(G_A, 1)[0].scenario,
        "drop": drop(G_A, 1)[0].scenario,
        "drop_unheeded": unheeded(DROP, G_A, 1)[0].scenario,
        "low_drop_unheeded": unheeded(SMALL, G_A, 1)[0].scenario,
        "obstacle": low_obstacle(ForceChoice(), 1)[0].scenario,
    }


def _count(effort: Effort) -> int:
    return QUICK if effort.quick else FULL


def _pair(cases: Callable[[float, int], Cases]) -> Cases:
    """Return the first walk without and with g_a."""
    return [*cases(0.0, 1), *cases(G_A, 1)]


def _walked(
    effort: Effort, before: Sequence[EdgeCase], after: Sequence[EdgeCase]
) -> tuple[list[EdgeWalk], list[EdgeWalk]]:
    """Walk both halves of all pairs."""
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
