"""Figures 4 and 5 of the penalty paper: a ball on linearised contact with three pairs (kp, kv).

The paper does not state mass and height; 1 kg from 1 m fits the axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from contact.papers.penalty import (
    BallMotion,
    BouncingBall,
    Drop,
    Linearised,
    PenaltyLaw,
    contact_time,
    drop,
)

LAWS = {style: PenaltyLaw(kp, 5000.0) for style, kp in {"--": 0, "-": 1, ":": 5}.items()}


@dataclass(frozen=True)
class Fall:
    """A pair (kp, kv): closed form and integration at the times [s]; time of surfacing [s]."""

    style: str
    law: PenaltyLaw
    times: np.ndarray
    exact: BallMotion
    integrated: Drop
    surfaces: float

    @property
    def error(self) -> float:
        """Largest difference in height [m]."""
        return float(np.abs(self.exact.height - self.integrated.height).max())


def main(height: float = 1.0, mass: float = 1.0, end: float = 2.5, steps: int = 5000) -> list[Fall]:
    """Drop `mass` [kg] from `height` [m] on every pair; sample beside every jump too."""
    falls, even = [], np.linspace(0, end, steps + 1)
    for style, law in LAWS.items():
        ball, up = BouncingBall(law, mass=mass, height=height), contact_time(law)
        jumps = np.add.outer([-1e-9, 1e-9, up - 1e-9, up + 1e-9], ball.impacts(end)[0]).ravel()
        times = np.union1d(even, jumps[(jumps > 0) & (jumps < end)])  # flights last 0.2 to 0.4 ms
        path = drop(Linearised(law), times, mass=mass, height=height)
        falls.append(Fall(style, law, times, ball.motion(times), path, ball.impact_time + up))
    return falls


if __name__ == "__main__":
    left, right = (figure := Figure(figsize=(9, 3.4), layout="constrained")).subplots(1, 2)
    print("  kp [1/s^2]  deepest [mm]  surfaces at [s]  force there below [N]  error [m]")
    for fall in main():
        p, f = 1e3 * fall.exact.height, fall.exact.force
        print(
            f"{fall.law.kp:12g} {p.min():13.4f} {fall.surfaces:16.4f} "
            f"{f[fall.times > 0.46][0]:22.4f} {fall.error:10.1e}"
        )
        left.plot(fall.times, p, "k" + fall.style, label=f"kp = {fall.law.kp:g}, kv = 5000")
        right.plot(fall.times, f, "k" + fall.style)
    left.set(xlim=(0.4, 2.4), ylim=(-1, 2), xlabel="time [s]", ylabel="height [mm]")
    right.set(xlim=(0.4, 2.4), ylim=(9.809, 9.816), xlabel="time [s]", ylabel="force [N]")
    right.ticklabel_format(useOffset=False)
    left.legend(fontsize="small")
    figure.savefig("bouncing_ball.png", dpi=120)
