"""A brick slides down a ramp and stops: distance, velocity and friction, exact and integrated."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians

import numpy as np
from matplotlib.figure import Figure

from contact.papers.penalty import Brick, PenaltyLaw, Slide, integrate_slide


@dataclass(frozen=True)
class Run:
    """A brick: closed form at the times [s], velocity at the event [m/s], largest errors."""

    brick: Brick
    times: np.ndarray
    exact: Slide
    threshold: float
    way_error: float
    velocity_error: float


def main(
    dampings: tuple[float, ...] = (20.0, 100.0, 1000.0),
    angle: float = radians(15),
    friction: float = 0.5,
    steps: int = 600,
) -> list[Run]:
    """Start at 1 m/s on a ramp of `angle` [rad], one run per kv [1/s]."""
    runs, times = [], np.linspace(0, 0.6, steps + 1)
    for kv in dampings:
        brick = Brick(PenaltyLaw(0.0, kv, friction), angle)
        path, exact = integrate_slide(brick, times), brick.motion(times)
        v_s = float(path.event_states[0, 1]) if len(path.event_times) else np.nan
        way, velocity = np.abs(path.states - np.stack([exact.way, exact.velocity], 1)).max(axis=0)
        runs.append(Run(brick, times, exact, v_s, float(way), float(velocity)))
    return runs


if __name__ == "__main__":
    left, right = (figure := Figure(figsize=(9, 3.4), layout="constrained")).subplots(1, 2)
    print("kv [1/s]  v_s [m/s]  at the event  rests at [mm]  friction at the end [N]  errors")
    runs = main()
    for run, style in zip(runs, ("k:", "k--", "k-"), strict=True):
        b, name = run.brick, f"kv = {run.brick.law.kv:g} 1/s"
        print(
            f"{b.law.kv:8g} {b.threshold:10.6f} {run.threshold:13.6f} {1e3 * b.stop_way:14.4f} "
            f"{run.exact.force[-1]:24.6f}  {run.way_error:.0e} m, {run.velocity_error:.0e} m/s"
        )
        left.plot(run.times, run.exact.velocity, style, label=name)
        right.plot(run.times, run.exact.force, style, label=name)
    b = runs[0].brick
    print(f"m g sin(alpha) = {b.stick_force:.6f} N")
    left.axhline(b.threshold, color="C3", lw=0.8, label=f"v_s for kv = {b.law.kv:g} 1/s")
    right.axhline(b.stick_force, color="C0", lw=0.8, label="m g sin(alpha)")
    right.axhline(b.mass * b.grip, color="C3", lw=0.8, label="mu m g cos(alpha)")
    left.set(xlabel="time [s]", ylabel="velocity down the ramp [m/s]", ylim=(0, 1))
    right.set(xlabel="time [s]", ylabel="friction up the ramp [N]", ylim=(0, 6))
    left.legend(fontsize="small")
    right.legend(fontsize="small", loc="lower left")
    figure.savefig("brick_on_ramp.png", dpi=120)
