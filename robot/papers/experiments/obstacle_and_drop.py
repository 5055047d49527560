"""LOLA's experiments: a board of 9 cm, a drop of 5.5 cm, the earlier contact model, flat ground.

Gains are those that the paper prints: delta = 20 ms and g_a = 1 in its simulations, 27 ms and 0.8
on the robot, g_a = 0 without the dynamics of the centre of mass. kappa is not printed; ours follows
from the damping of the vertical loop, as kappa = 1 is unstable with these gains on soles of 3 MN/m.

Every comparison is made walk by walk, on the same edge with the same rhythm, steps and material.
Full ensembles have twenty draws, quick ones two: they show how a walk looks and decide nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from robot.control import ForceChoice
from robot.papers.experiments.edge_store import walk_all
from robot.papers.experiments.lola_cases import (
    DOWN,
    FLAT,
    SOFTER,
    UP,
    EdgeCase,
    draws,
)
from robot.papers.experiments.lola_walks import EdgeWalk, com_torque_errors, walk_over
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
]

BOARD, DROP, LOW, SMALL = 0.09, -0.055, 0.04, -0.01  # m
SIMULATED = ForceChoice(delta=0.02, g_a=1.0)
ON_ROBOT = ForceChoice(delta=0.027, g_a=0.8)
EXACT_U = ForceChoice(delta=0.02, g_a=0.5, kappa=1.0, balance="imu")  # the most g_a it bears
FULL, QUICK = 20, 2  # draws
Cases = list[EdgeCase]


def board(law: ForceChoice, count: int = FULL) -> Cases:
    """Return walks over a board of 9 cm."""
    return [EdgeCase(height=BOARD, force=law, **d) for d in draws(count, UP)]


def drop(law: ForceChoice, count: int = FULL) -> Cases:
    """Return walks down 5.5 cm on the online plan."""
    return [EdgeCase(height=DROP, force=law, **d) for d in draws(count, DOWN)]


def unheeded(height: float, law: ForceChoice, count: int = FULL) -> Cases:
    """Return walks down an edge on a fixed plan: without phase logic, as the paper made them."""
    places = draws(count, DOWN, young=SOFTER)
    return [EdgeCase(height=height, force=law, phase_logic=False, **d) for d in places]


def fixed_drop(law: ForceChoice, count: int = FULL) -> Cases:
    """Return walks down 5.5 cm on a fixed plan, torques from the inclination as in the paper."""
    return unheeded(DROP, replace(law, balance="imu"), count)


def low_obstacle(law: ForceChoice, count: int = FULL) -> Cases:
    """Return walks over 4 cm."""
    return [EdgeCase(height=LOW, force=law, **d) for d in draws(count, UP)]


def flat(law: ForceChoice, count: int = FULL) -> Cases:
    """Return walks on flat ground."""
    return [EdgeCase(height=0.0, force=law, **d) for d in draws(count, FLAT)]


def without(law: ForceChoice) -> ForceChoice:
    """Return the law without the dynamics of the centre of mass."""
    return replace(law, g_a=0.0)


def springs(law: ForceChoice) -> ForceChoice:
    """Return the law with the earlier contact model [23] instead of U of the whole sole."""
    return replace(law, U="points")


def reproduce_board(effort: Effort) -> Findings:
    """Walk over a board of 9 cm, with and without the dynamics of the centre of mass."""
    before, after = _walked(effort, board, without(SIMULATED), SIMULATED)
    pressed = [w.pressed for w in after if not np.isnan(w.pressed)]
    numbers = compared(before, after) | {
        "heard": float(len(pressed)),
        "pressed": float(np.median(pressed)) if pressed else float("nan"),
    }
    return Findings(numbers=numbers, pictures={"fig6": partial(draw_pair, board, SIMULATED)})


def step_down(effort: Effort) -> Findings:
    """Walk down 5.5 cm on a fixed plan without phase logic, as in the paper's experiment."""
    found = compared(*_walked(effort, fixed_drop, without(ON_ROBOT), ON_ROBOT))
    return Findings(numbers=found, pictures={"fig7": partial(draw_pair, fixed_drop, ON_ROBOT)})


def reproduce_drop(effort: Effort) -> Findings:
    """Walk down 5.5 cm on the online plan, with and without the dynamics of the centre of mass."""
    found = compared(*_walked(effort, drop, without(ON_ROBOT), ON_ROBOT))
    return Findings(
        numbers=found, pictures={"fig7_with_phases": partial(draw_pair, drop, ON_ROBOT)}
    )


def compare_contact_models(effort: Effort) -> Findings:
    """Walk over 4 cm and on flat ground with U of point springs [23] and of the whole sole.

    Without the dynamics of the centre of mass, which the paper adds to the new model afterwards.
    """
    numbers: dict[str, float] = {}
    halves = (("obstacle", low_obstacle, SIMULATED), ("flat", flat, ON_ROBOT))
    for k, (name, cases, gains) in enumerate(halves):
        part = Effort(
            quick=effort.quick,
            folder=effort.folder,
            tell=lambda done, k=k: effort.tell((k + done) / len(halves)),  # type: ignore[misc]
        )
        law = without(gains)
        found = compared(*_walked(part, cases, springs(law), law))
        numbers |= {f"{name}_{key}": value for key, value in found.items()}
    return Findings(numbers=numbers)


def scenarios_for_download() -> dict[str, Scenario]:
    """Return a scenario of each ground with all keys that its experiment sets, by name.

    They are examples/scenarios/lola_NAME.toml.
    """
    return {
        "board": board(SIMULATED, 1)[0].scenario,
        "drop": drop(ON_ROBOT, 1)[0].scenario,
        "drop_unheeded": fixed_drop(ON_ROBOT, 1)[0].scenario,
        "low_drop_unheeded": unheeded(SMALL, EXACT_U, 1)[0].scenario,
        "obstacle": low_obstacle(without(SIMULATED), 1)[0].scenario,
    }


def _walked(
    effort: Effort, cases: Callable[[ForceChoice, int], Cases], *laws: ForceChoice
) -> tuple[list[EdgeWalk], ...]:
    """Return the walks of each law."""
    count = QUICK if effort.quick else FULL
    found = walk_all(effort, [case for law in laws for case in cases(law, count)])
    return tuple(found[k : k + count] for k in range(0, len(found), count))


def draw_pair(cases: Callable[[ForceChoice, int], Cases], law: ForceChoice) -> Figure:
    """Draw inclination and torque errors over time without and with g_a, as in figures 6 and 7.

    Early and late contacts are those of the walk with g_a.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 7.0), layout="constrained")
    axes = figure.subplots(4, 1, sharex=True)
    labels = [f"{angle} of the waist [deg]" for angle in ("roll", "pitch")]
    labels += [f"error of {torque}\nabout the CoM [N m]" for torque in ("T_x", "T_y")]
    for one, color in zip((without(law), law), ("C3", "C0"), strict=True):
        series = walk_over(cases(one, 1)[0])
        run, torques = series.run, com_torque_errors(series)
        for k in range(2):
            waist = np.degrees(run["waist_rpy"][:, k])
            axes[k].plot(run.time, waist, color=color, label=f"g_a = {one.g_a:g}")
            axes[2 + k].plot(run.time, torques[:, k], color=color, lw=0.6)
    events = [e for e in run.header.get("events", ()) if e["kind"] in ("early", "late")]
    for event in events:
        for each in axes:
            each.axvline(event["time"], color=color, alpha=0.5, lw=0.8)
        axes[0].text(event["time"], 1.02, event["kind"], transform=axes[0].get_xaxis_transform(),
                     ha="center", fontsize=8, color=color)  # fmt: skip
    for each, label in zip(axes, labels, strict=True):
        each.set_ylabel(label, fontsize=8)
    axes[0].legend(fontsize=8)
    axes[-1].set(xlabel="time [s]", xlim=(2.0, float(run.time[-1])))
    return figure
