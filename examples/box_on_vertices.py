"""A box on four vertices: forces at rest, and a tilted landing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from contact.papers.penalty import PenaltyLaw, VertexBody, VertexRun, VertexState, run_with_events

MASS, SIDES, G = 20.0, (0.2, 0.1, 0.2), 9.81  # kg, m
NAMES = ("front left", "front right", "back left", "back right")
TILT = VertexState.at((0, 0, 1.5e-3), (0.005, 0.01, 0))


@dataclass(frozen=True)
class Rest:
    """Offset of the centre of mass (x, y) [m], measured and expected normal forces (4,) [N]."""

    offset: tuple[float, float]
    forces: np.ndarray
    expected: np.ndarray


def main(
    law: PenaltyLaw | None = None, end: float = 0.6
) -> tuple[list[Rest], VertexRun, np.ndarray]:
    """Return the forces at rest, the tilted drop and its energy."""
    law = PenaltyLaw(kp=500.0, kv=250.0, friction=0.7, epsilon=-1e-6) if law is None else law
    rests = []
    for x, y in ((0.0, 0.0), (0.05, 0.0), (0.03, -0.02), (0.05, 0.025)):
        box = VertexBody.box(MASS, SIDES, com=(x, y, 0))
        forces = box.dynamics(VertexState.at((0, 0, law.epsilon))).contact(law).forces[:, 2]
        signs = np.sign(box.vertices[:, :2])
        rests.append(Rest((x, y), forces, MASS * G / 4 * (1 + signs @ (x / 0.1, y / 0.05))))
    box = VertexBody.box(MASS, SIDES)
    run = run_with_events(box, law, TILT, np.linspace(0, end, 1201))
    return rests, run, run.energies(box)


if __name__ == "__main__":
    rests, run, energy = main()
    for r in rests:
        print(
            f"centre of mass at {r.offset} m: {np.round(r.forces, 2)} N, {np.round(r.expected, 2)}"
        )
    figure = Figure(figsize=(11, 8), layout="constrained")
    for axes, i in zip(figure.subplots(2, 4)[0], range(4), strict=True):
        axes.plot(run.times, 1e3 * run.heights[:, i])
        axes.set(title=NAMES[i], ylim=(-0.5, 0.5), xlabel="time [s]", ylabel="height [mm]")
    for axes, i in zip(figure.axes[4:], range(4), strict=True):
        axes.plot(run.times, run.forces[:, i, 2])
        axes.set(ylim=(0, 500), xlabel="time [s]", ylabel="normal force [N]")
    figure.suptitle(f"Dropped tilted by 0.6 degrees: {energy[0] - energy[-1]:.3g} J lost")
    figure.savefig("box_on_vertices.png", dpi=120)
