"""A ball on linearised contact: figures 4 and 5 of the penalty paper, and what it says of them.

The paper does not print mass and height; 1 kg from 1 m fits the axes, as do 0.785 to 1.8 m.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from contact.papers.penalty import (
    BallMotion,
    BouncingBall,
    Drop,
    Linearised,
    PenaltyLaw,
    SpringDamper,
    contact_time,
    drop,
)
from sole.base.arrays import FloatArray
from sole.base.constants import GRAVITY
from sole.claims import Effort, Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["BallFall", "drop_on_pairs", "reproduce_ball"]

PAIRS = {"--": 0.0, "-": 1.0, ":": 5.0}  # line style of the paper: kp [1/s^2]
KV = 5000.0  # 1/s


@dataclass(frozen=True, eq=False)
class BallFall:
    """A pair (kp, kv): closed form and integration at the times [s]; time of surfacing [s]."""

    style: str
    law: PenaltyLaw
    times: FloatArray
    exact: BallMotion
    integrated: Drop
    surfaces: float

    @property
    def error(self) -> float:
        """Largest difference in height [m]."""
        return float(np.abs(self.exact.height - self.integrated.height).max())


def drop_on_pairs(
    height: float = 1.0, mass: float = 1.0, end: float = 2.5, steps: int = 5000
) -> list[BallFall]:
    """Drop `mass` [kg] from `height` [m] on every pair; sample beside every jump too."""
    falls, even = [], np.linspace(0, end, steps + 1)
    for style, kp in PAIRS.items():
        law = PenaltyLaw(kp, KV)
        ball, up = BouncingBall(law, mass=mass, height=height), contact_time(law)
        jumps = np.add.outer([-1e-9, 1e-9, up - 1e-9, up + 1e-9], ball.impacts(end)[0]).ravel()
        times = np.union1d(even, jumps[(jumps > 0) & (jumps < end)])  # flights last 0.2 to 0.4 ms
        path = drop(Linearised(law), times, mass=mass, height=height)
        falls.append(BallFall(style, law, times, ball.motion(times), path, ball.impact_time + up))
    return falls


def reproduce_ball(effort: Effort) -> Findings:
    """Draw figures 4 and 5; measure depths, forces and what remains of an impact."""
    falls = drop_on_pairs(steps=500 if effort.quick else 5000)
    numbers = {"error": max(fall.error for fall in falls)}
    for fall in falls:
        name = f"{fall.law.kp:g}"
        numbers[f"depth_{name}"] = -1e3 * float(fall.exact.height.min())
        numbers[f"plateau_{name}"] = float(np.interp(0.5, fall.times, fall.exact.force))
        numbers[f"surface_{name}"] = fall.surfaces
        numbers[f"end_{name}"] = 1e3 * float(fall.exact.height[-1])
        numbers[f"top_{name}"] = 1e3 * float(fall.exact.height[fall.times > 0.46].max())
    numbers |= _depths() | _blows() | _largest() | _sunk() | _pushed_out()
    return Findings(
        numbers=numbers,
        pictures={"fig4": lambda: _figure(falls, False), "fig5": lambda: _figure(falls, True)},
    )


def _depths() -> dict[str, float]:
    """Return ratios of depths [1] when kv, and without damping kp, grow tenfold."""
    deep = [BouncingBall(PenaltyLaw(0.0, kv)).penetration for kv in (50.0, 500.0, 5000.0)]
    still = [BouncingBall(PenaltyLaw(kp, 0.0)).penetration for kp in (50.0, 500.0, 5000.0)]
    return {
        "depth_falls_with_kv": max(b / a for a, b in itertools.pairwise(deep)),
        "depth_falls_with_kp": max(b / a for a, b in itertools.pairwise(still)),
    }


def _blows() -> dict[str, float]:
    """Return shares of the impulse m u that the blow gives within 1 ms, for kp = 0 and two kv."""
    numbers = {}
    for name, kv in (("soft", 1e2), ("hard", 1e5)):
        ball = BouncingBall(PenaltyLaw(0.0, kv), mass=2.0, height=0.2)
        after = np.concatenate([[1e-12], np.geomspace(1e-9, 1e-3, 20001)])
        more = ball.motion(ball.impact_time + after).force - ball.mass * GRAVITY
        u = np.sqrt(2 * GRAVITY * ball.height)
        numbers[f"blow_{name}"] = float(np.trapezoid(more, after)) / (ball.mass * u)
        numbers[f"rest_{name}"] = float(more[-1] / (ball.mass * GRAVITY))
    return numbers


def _largest() -> dict[str, float]:
    """Return the largest force on four balls with one kv: over that of the first."""
    peaks = []
    for mass, height, kp in ((1.0, 0.1, 10.0), (4.0, 0.1, 10.0), (1.0, 0.4, 10.0), (1, 0.1, 1e4)):
        ball = BouncingBall(PenaltyLaw(kp, 20.0), mass=mass, height=height)
        until = ball.impact_time + contact_time(ball.law)
        force = ball.motion(np.linspace(ball.impact_time + 1e-12, until - 1e-9, 20001)).force
        peaks.append(float(force.max()))
    first, heavy, high, stiff = peaks
    return {
        "peak_heavy": heavy / first,
        "peak_high": high / first,
        "peak_stiff": stiff / first,
        "peak_spread": max(peaks) / min(peaks),
    }


def _sunk() -> dict[str, float]:
    """Return the resting depth times kp/(m g) on (2), and the depth [m] on (4)."""
    k, m = 5e3, 2.0
    rest = drop(SpringDamper(k, 200.0), [0.0, 5.0], mass=m, height=0.0).height[-1]
    ours = drop(Linearised(PenaltyLaw(500.0, 250.0)), [0.0, 5.0], mass=m, height=0.01).height[-1]
    return {"sunk": float(-rest * k / (m * GRAVITY)), "sunk_linearised": float(abs(ours))}


def _pushed_out(kp: float = 500.0, kv: float = 250.0, dt: float = 1e-5) -> dict[str, float]:
    """Count how often a ball leaves the ground between 0.5 and 1 s after landing at 1 mm/s.

    `printed`: p''^d = kp (epsilon - p) with epsilon = +1e-6 m, `meant` with -1e-6 m.
    """
    lifts = {}
    for name, epsilon in (("printed", 1e-6), ("meant", -1e-6)):
        p, v, count = 0.0, -1e-3, 0
        for k in range(round(1.0 / dt)):
            inside = p <= 0
            v += dt * (kp * (epsilon - p) - kv * min(0.0, v) if inside else -GRAVITY)
            p += dt * v
            count += inside and p > 0 and k * dt > 0.5
        lifts[f"lifts_{name}"] = float(count)
    return lifts


def _figure(falls: list[BallFall], force: bool) -> Figure:
    """Draw figure 4 (heights) or 5 (forces) with the paper's axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.6), layout="constrained")
    axes = figure.subplots()
    for fall in falls:
        y = fall.exact.force if force else 1e3 * fall.exact.height
        axes.plot(fall.times, y, "k" + fall.style, label=f"kp = {fall.law.kp:g}, kv = {KV:g}")
    axes.set(xlim=(0.4, 2.4), xlabel="time [s]")
    if force:
        axes.set(ylim=(9.809, 9.816), ylabel="normal force [N]")
        axes.ticklabel_format(useOffset=False)
    else:
        axes.set(ylim=(-1, 2), ylabel="height [mm]")
    axes.legend(fontsize="small", loc="upper right")
    return figure
