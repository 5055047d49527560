"""A brick slides down a ramp and stops: distance, velocity and friction, exact and integrated."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians
from typing import TYPE_CHECKING

import numpy as np

from contact.papers.penalty import Brick, PenaltyLaw, Slide, integrate_slide
from sole.base.arrays import FloatArray
from sole.claims import Effort, Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["BrickRun", "reproduce_brick", "slide_bricks"]


@dataclass(frozen=True, eq=False)
class BrickRun:
    """A brick: closed form at the times [s], velocity at the event [m/s], largest errors."""

    brick: Brick
    times: FloatArray
    exact: Slide
    threshold: float
    way_error: float
    velocity_error: float


def slide_bricks(
    dampings: tuple[float, ...] = (20.0, 100.0, 1000.0),
    angle: float = radians(15),
    friction: float = 0.5,
    steps: int = 600,
) -> list[BrickRun]:
    """Start at 1 m/s on a ramp of `angle` [rad], one run per kv [1/s]."""
    runs: list[BrickRun] = []
    times = np.linspace(0, 0.6, steps + 1)
    for kv in dampings:
        brick = Brick(PenaltyLaw(0.0, kv, friction), angle)
        path, exact = integrate_slide(brick, times), brick.motion(times)
        v_s = float(path.event_states[0, 1]) if len(path.event_times) else np.nan
        way, velocity = np.abs(path.states - np.stack([exact.way, exact.velocity], 1)).max(axis=0)
        runs.append(BrickRun(brick, times, exact, v_s, float(way), float(velocity)))
    return runs


def reproduce_brick(effort: Effort) -> Findings:
    """Slide three bricks; compare (8) with its other form (9) below -v_s."""
    runs = slide_bricks(steps=60 if effort.quick else 600)
    stiffest = runs[-1].brick
    # Up the ramp at 1.5 v_s: (9) says that friction is saturated, (8) that it is not.
    up = -1.5 * stiffest.threshold
    saturated = -stiffest.mass * stiffest.grip
    numbers: dict[str, float] = {
        "way_error": max(r.way_error for r in runs),
        "velocity_error": max(r.velocity_error for r in runs),
        "event_error": max(abs(r.threshold / r.brick.threshold - 1) for r in runs),
        "held": float(runs[-1].exact.force[-1]) / stiffest.stick_force,
        "speed_end": float(runs[-1].exact.velocity[-1]),
        "rest": 1e3 * stiffest.stop_way,
        "form_8": float(stiffest.force(up)),
        "form_9": saturated,
        "forms_differ": abs(float(stiffest.force(up)) - saturated) / abs(saturated),
    }
    return Findings(numbers=numbers, pictures={"fig6": lambda: _figure(runs)})


def _figure(runs: list[BrickRun]) -> Figure:
    from matplotlib.figure import Figure

    left, right = (figure := Figure(figsize=(9, 3.4), layout="constrained")).subplots(1, 2)
    for run, style in zip(runs, ("k:", "k--", "k-"), strict=True):
        name = f"kv = {run.brick.law.kv:g} 1/s"
        left.plot(run.times, run.exact.velocity, style, label=name)
        right.plot(run.times, run.exact.force, style, label=name)
    b = runs[0].brick
    left.axhline(b.threshold, color="C3", lw=0.8, label=f"v_s for kv = {b.law.kv:g} 1/s")
    right.axhline(b.stick_force, color="C0", lw=0.8, label="m g sin(alpha)")
    right.axhline(b.mass * b.grip, color="C3", lw=0.8, label="mu m g cos(alpha)")
    left.set(xlabel="time [s]", ylabel="velocity down the ramp [m/s]", ylim=(0, 1))
    right.set(xlabel="time [s]", ylabel="friction up the ramp [N]", ylim=(0, 6))
    left.legend(fontsize="small")
    right.legend(fontsize="small", loc="lower left")
    return figure
