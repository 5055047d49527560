"""A box on four vertices: forces at rest, and a tilted landing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from contact.papers.penalty import PenaltyLaw, VertexBody, VertexRun, VertexState, run_with_events
from sole.base.arrays import FloatArray
from sole.base.constants import GRAVITY
from sole.claims import Effort, Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["BoxAtRest", "reproduce_box", "stand_and_drop"]

MASS, SIDES = 20.0, (0.2, 0.1, 0.2)  # kg, m
NAMES = ("front left", "front right", "back left", "back right")
TILT = VertexState.at((0, 0, 1.5e-3), (0.005, 0.01, 0))


@dataclass(frozen=True, eq=False)
class BoxAtRest:
    """Offset of the centre of mass (x, y) [m], measured and expected normal forces (4,) [N]."""

    offset: tuple[float, float]
    forces: FloatArray
    expected: FloatArray


def stand_and_drop(
    law: PenaltyLaw | None = None, end: float = 0.6
) -> tuple[list[BoxAtRest], VertexRun, FloatArray]:
    """Return the forces at rest, the tilted drop and its energy."""
    law = PenaltyLaw(kp=500.0, kv=250.0, friction=0.7, epsilon=-1e-6) if law is None else law
    rests = []
    for x, y in ((0.0, 0.0), (0.05, 0.0), (0.03, -0.02), (0.05, 0.025)):
        box = VertexBody.box(MASS, SIDES, com=(x, y, 0))
        forces = box.dynamics(VertexState.at((0, 0, law.epsilon))).contact(law).forces[:, 2]
        signs = np.sign(box.vertices[:, :2])
        rests.append(
            BoxAtRest((x, y), forces, MASS * GRAVITY / 4 * (1 + signs @ (x / 0.1, y / 0.05)))
        )
    box = VertexBody.box(MASS, SIDES)
    run = run_with_events(box, law, TILT, np.linspace(0, end, 1201))
    return rests, run, run.energies(box)


def reproduce_box(effort: Effort) -> Findings:
    """Measure forces at rest, the rank of (18), and the end of a tilted drop."""
    rests, run, energy = stand_and_drop(end=0.6 if effort.quick else 1.5)
    law = PenaltyLaw(kp=500.0, kv=250.0, friction=0.7, epsilon=-1e-6)
    flat = VertexBody.box(MASS, SIDES).dynamics(VertexState.at((0, 0, law.epsilon))).contact(law)
    last = run.times > run.times[-1] - 0.05
    numbers = {
        "rank": float(flat.rank),
        "rest_error": max(float(np.abs(r.forces - r.expected).max()) for r in rests),
        "touching_end": float(np.mean(run.touching[last] == 4)),
        "force_end": float(run.forces[-1, :, 2].sum()) / (MASS * GRAVITY),
        "depth": -1e3 * float(run.heights.min()),
        "lost": float(energy[0] - energy[-1]),
    }
    return Findings(numbers=numbers, pictures={"vertices": lambda: _figure(run, numbers["lost"])})


def _figure(run: VertexRun, lost: float) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 8), layout="constrained")
    for axes, i in zip(figure.subplots(2, 4)[0], range(4), strict=True):
        axes.plot(run.times, 1e3 * run.heights[:, i])
        axes.set(title=NAMES[i], ylim=(-0.5, 0.5), xlabel="time [s]", ylabel="height [mm]")
    for axes, i in zip(figure.axes[4:], range(4), strict=True):
        axes.plot(run.times, run.forces[:, i, 2])
        axes.set(ylim=(0, 500), xlabel="time [s]", ylabel="normal force [N]")
    figure.suptitle(f"Dropped tilted by 0.6 degrees: {lost:.3g} J lost")
    return figure
