"""The law tau_safe in a walk: long steps and a turn on little friction, with and without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import radians
from typing import TYPE_CHECKING

import numpy as np

from robot.gait import Gait
from robot.run import Run
from robot.walk import ControlChoice, Kept, Scenario, SoleChoice, assemble_walk, execute
from sole.claims import Effort, Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["SLIPPERY", "TurnedFeet", "compare_yaw_laws", "foot_turns", "reproduce_yaw_law"]

SLIPPERY = Scenario(
    robot="hrp4-like",
    sole=SoleChoice(friction=0.2),
    gait=Gait(steps=4, forward=0.3, turn=radians(8), single=0.6),
)
LOADED = 0.05  # of the weight: a foot that carries
SHORTEST = 0.1  # s of a stance


@dataclass(frozen=True, eq=False)
class TurnedFeet:
    """A walk: its run, and the largest turn of a foot while it carries [rad]."""

    run: Run
    yaw: float


def foot_turns(run: Run) -> Iterator[float]:
    """Yield by how much each foot turned during each of its stances [rad]."""
    x, y, z, w = np.moveaxis(run["foot_rotation"], -1, 0)
    yaw = np.unwrap(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)), axis=0)
    for foot in range(yaw.shape[1]):
        on = run["wrench_world"][:, foot, 2] > LOADED * run.weight
        ends = np.flatnonzero(np.diff(np.concatenate([[0], on.astype(int), [0]])))
        for start, end in ends.reshape(-1, 2):
            if run.time[end - 1] - run.time[start] > SHORTEST:
                yield float(np.ptp(yaw[start:end, foot]))


def compare_yaw_laws(scenario: Scenario) -> dict[str, TurnedFeet]:
    """Return the walk with the yaw torque of the plan, and with the safe one."""
    found = {}
    for yaw in ("plan", "safe"):
        control = replace(scenario.control, yaw=yaw)
        run = execute(assemble_walk(replace(scenario, control=control)), Kept()).run
        found[yaw] = TurnedFeet(run, max(foot_turns(run)))
    return found


def reproduce_yaw_law(effort: Effort) -> Findings:
    """Walk with and without the law; quick: two steps on coarse soles with dt = 2 ms."""
    scenario = SLIPPERY
    if effort.quick:
        scenario = replace(
            SLIPPERY,
            sole=SoleChoice(friction=0.2, size=0.06, element="p1"),
            gait=replace(SLIPPERY.gait, steps=2, initial=1.2, final=1.2),
            control=ControlChoice(period=2e-3),
            dt=2e-3,
        )
    found = compare_yaw_laws(scenario)
    plan, safe = (np.degrees(one.yaw) for one in found.values())
    tilt = [float(np.degrees(one.run["waist_tilt"].max())) for one in found.values()]
    return Findings(
        numbers={
            "plan": float(plan),
            "safe": float(safe),
            "ratio": float(safe / plan),
            "tilt": tilt[1] - tilt[0],
        },
        pictures={"safe_yaw_law": lambda: _draw(found)},
    )


def _draw(found: dict[str, TurnedFeet]) -> Figure:
    """Draw the yaw torque and the turn of each foot over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 5.0), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True, sharey="row")
    for column, (name, one) in enumerate(found.items()):
        run = one.run
        x, y, z, w = np.moveaxis(run["foot_rotation"], -1, 0)
        yaw = np.degrees(np.unwrap(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)), 0))
        on = run["wrench_world"][:, :, 2] > LOADED * run.weight
        for foot, color in enumerate(("C3", "C0")):
            torque = np.where(on[:, foot], run["wrench_foot"][:, foot, 5], np.nan)
            axes[0, column].plot(run.time, torque, color=color, lw=1, label=run.feet[foot])
            turned = np.where(on[:, foot], yaw[:, foot], np.nan)
            axes[1, column].plot(run.time, turned, color=color, lw=1)
        axes[0, column].set_title({"plan": "plan", "safe": "safe yaw torque"}[name], fontsize=10)
        axes[1, column].set_xlabel("time [s]")
    axes[0, 0].set_ylabel("yaw torque [N m]")
    axes[1, 0].set_ylabel("yaw of a loaded foot [deg]")
    axes[0, 0].legend(fontsize=8)
    return figure
