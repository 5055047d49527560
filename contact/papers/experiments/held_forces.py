"""Numerical loss of contact: a box under a swinging load that the law sees one step late."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from contact.papers.penalty import (
    PenaltyLaw,
    VertexBody,
    VertexRun,
    VertexState,
    ramp_overshoot,
    release_overshoot,
    run_in_steps,
)
from sole.base.arrays import FloatArray
from sole.base.constants import GRAVITY
from sole.claims import Effort, Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["depth_rule", "reproduce_held_forces", "swing_load"]

MASS, KP, KV, SWING, OMEGA = 20.0, 500.0, 250.0, 20.0, 4 * np.pi
BOX, LANDING = VertexBody.box(MASS, (0.2, 0.1, 0.2)), 0.5  # s, then a whole period of the load
NAMES = ("front left", "front right", "back left", "back right")
KNOWN, LATE, DT = 0, 1, 2e-4  # steps by which the law sees the load late; s
LIFTED = 1e-7  # m: a tenth of the paper's epsilon; errors of a step of 0.2 ms reach 1.4e-8
LAW, REST = PenaltyLaw(kp=KP, kv=KV), VertexState.at((0, 0, 0))
START = VertexState.at((0, 0, 1.2e-4), (0.0005, 0.001, 0), (0, 0, -0.02))


def _load(t: float) -> FloatArray:
    """Return a load of 100 N on top; 20 N of it swing at 2 Hz with an amplitude of 30 mm."""
    f = -100 - SWING * np.sin(OMEGA * t)
    return np.array([0, 0, f, 0, -0.03 * np.sin(OMEGA / 2 * t) * f, 0])


def _let_go(t: float) -> FloatArray:
    """Return the swinging load until 0.5 s, and then none."""
    return _load(t) if t < 0.5 else np.zeros(6)


def _lifts(run: VertexRun) -> int:
    """Return how often vertices begin to be 0.1 um or more above the ground."""
    off = run.heights.max(axis=1) > LIFTED
    return int((off[1:] & ~off[:-1]).sum())


def depth_rule(dt: float) -> float:
    """Return |epsilon| [m] for the fastest lift of a vertex in a step, with the load's moment."""
    now = BOX.dynamics(VertexState.at((0, 0, 0)))
    change = np.array([_load(t + dt) - _load(t) for t in np.arange(0, 1, 1e-3)])
    return float(ramp_overshoot(KP, dt, (change @ now.inverse @ now.D[:, 2::3]).max()))


def swing_load(
    dt: float = 2e-4, end: float = 1.5, epsilons: tuple[float, ...] = ()
) -> list[tuple[float, float, VertexRun]]:
    """Drop the box with `epsilons` [m]: by default 0, the paper's 1 um and the value of the rule.

    The law sees the load one step late. Return for each the share of the time after landing
    with all vertices in contact, and the run.
    """
    cases = []
    for epsilon in epsilons or (0.0, -1e-6, -depth_rule(dt)):
        law = PenaltyLaw(kp=KP, kv=KV, epsilon=epsilon)
        run = run_in_steps(BOX, law, START, dt, round(end / dt), load=_load, delay=1)
        cases += [(epsilon, float((run.touching[run.times > LANDING] == 4).mean()), run)]
    return cases


def reproduce_held_forces(effort: Effort) -> Findings:
    """Swing a load over a box whose law is one step late, with three epsilon."""
    cases = swing_load()
    lifts = [_lifts(run) for *_, run in cases]
    numbers = {f"share_{k}": share for k, (_, share, _) in enumerate(cases)}
    numbers |= {f"lifts_{k}": float(n) for k, n in enumerate(lifts)}
    numbers |= {"rule": -1e6 * cases[2][0]}
    for name, delay in (("known", KNOWN), ("late", LATE)):
        run = run_in_steps(BOX, LAW, REST, DT, 5000, load=_let_go, delay=delay)
        numbers[f"lifts_{name}"] = float(_lifts(run))
    return Findings(numbers=numbers, pictures={"late_forces": lambda: _figure(cases)})


def _figure(cases: list[tuple[float, float, VertexRun]]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15, 8), layout="constrained")
    axes = figure.subplot_mosaic("adgr;behr;cfir")
    for (epsilon, _, run), names in zip(cases, ("abc", "def", "ghi"), strict=True):
        top, middle, low = (axes[name] for name in names)
        top.plot(run.times, 1e6 * run.heights, label=NAMES)
        top.set(ylim=(-30, 30), ylabel="height [µm]", title=f"ε = {1e6 * epsilon:.3g} µm")
        middle.plot(run.times, run.forces[:, :, 2], lw=0.5)
        middle.set(ylim=(0, 200), ylabel="normal force [N]")
        low.plot(run.times, run.touching, "k", lw=0.5)
        low.set(xlabel="time [s]", ylabel="vertices in contact [-]", yticks=range(5))
    dt, r = np.geomspace(1e-6, 1e-2, 12), axes["r"]
    axes["a"].legend(fontsize="small")
    released = [1e6 * release_overshoot(KP, h, GRAVITY / 2 * h) for h in dt]
    r.loglog(dt, released, "k", label="release mg/2")
    r.loglog(dt, [1e6 * depth_rule(h) for h in dt], "k--", label="the swinging load")
    r.axhline(1.0, color="C3", label="the paper's 1 µm")
    r.set(xlabel="time step [s]", ylabel="|ε| needed [µm]", title="kp = 500 1/s²")
    r.legend()
    return figure
