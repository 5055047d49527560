"""Contact lost in simulation only: a box under a swinging load that the law knows a step late."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from contact.penalty import PenaltyLaw
from contact.penalty_models.box_run import VertexRun
from contact.penalty_models.false_impacts import held_run, ramp_overshoot, release_overshoot
from contact.penalty_models.vertices import VertexBody, VertexState

MASS, KP, KV, G, SWING, OMEGA = 20.0, 500.0, 250.0, 9.81, 20.0, 4 * np.pi
BOX = VertexBody.box(MASS, (0.2, 0.1, 0.2))
NAMES = ("front left", "front right", "back left", "back right")
START = VertexState.at((0, 0, 1.2e-4), (0.0005, 0.001, 0), (0, 0, -0.02))


@dataclass(frozen=True)
class Case:
    """Part of the last 30 % of the time with all vertices in contact."""

    epsilon: float
    dt: float
    share: float
    run: VertexRun


def load(t: float) -> np.ndarray:
    """100 N on top, 20 N of them swinging at 2 Hz, to and fro by 30 mm."""
    f = -100 - SWING * np.sin(OMEGA * t)
    return np.array([0, 0, f, 0, -0.03 * np.sin(OMEGA / 2 * t) * f, 0])


def main(small=-1e-6, fine: float = 2e-5, coarse: float = 1e-3, end: float = 0.5) -> list[Case]:
    """Drop the box: epsilon = 0 and `small` [m] with a fine step, `small` with a coarse one [s]."""
    cases = []
    for epsilon, dt in ((0.0, fine), (small, fine), (small, coarse)):
        law = PenaltyLaw(kp=KP, kv=KV, epsilon=epsilon)
        run = held_run(BOX, law, START, dt, round(end / dt), load=load, delay=1)
        cases += [Case(epsilon, dt, float((run.touching[run.times > 0.7 * end] == 4).mean()), run)]
    return cases


if __name__ == "__main__":
    figure = Figure(figsize=(15, 8), layout="constrained")
    axes = figure.subplot_mosaic("adgr;behr;cfir")
    for c, (top, middle, low) in zip(main(), ("abc", "def", "ghi"), strict=True):
        print(f"epsilon {c.epsilon:g} m, dt {c.dt:g} s: all four vertices in contact {c.share:.2%}")
        top, middle, low, t = axes[top], axes[middle], axes[low], c.run.times
        top.plot(t, 1e3 * c.run.heights, label=NAMES)
        top.set(ylim=(-0.2, 0.2), ylabel="height [mm]", title=f"ε {c.epsilon:g} m, dt {c.dt:g} s")
        middle.plot(t, c.run.forces[:, :, 2], lw=0.5)
        low.plot(t, c.run.touching, "k", lw=0.5)
        middle.set(ylim=(0, 500), ylabel="normal force [N]")
        low.set(xlabel="time [s]", ylim=(-0.2, 4.2), ylabel="vertices in contact")
    dt, r, _ = np.geomspace(1e-7, 1e-2, 60), axes["r"], axes["a"].legend(fontsize="small")
    r.loglog(dt, [1e6 * release_overshoot(KP, h, G / 2 * h) for h in dt], "k", label="release mg/2")
    swing = [1e6 * ramp_overshoot(KP, h, SWING * OMEGA / MASS * h) for h in dt]
    r.loglog(dt, swing, "k--", label="the swinging load")
    r.axhline(1.0, color="C3", label="the paper's 1 µm")
    r.set(xlabel="time step [s]", ylabel="|ε| needed [µm]", title="kp = 500 1/s²"), r.legend()
    figure.savefig("false_impacts.png", dpi=120)
