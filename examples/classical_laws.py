"""Older contact laws: they pull at a leaving body, and 4 kg bounce unlike 1 kg."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from contact.papers.penalty import (
    Drop,
    HuntCrossley,
    Linearised,
    NormalLaw,
    PenaltyLaw,
    SpringDamper,
    drop,
)

LAWS: dict[str, tuple[str, NormalLaw]] = {
    "spring and damper": ("C0-", SpringDamper(5e3, 30.0)),
    "spring and damper, cut off": ("C0:", SpringDamper(5e3, 30.0, saturated=True)),
    "Hunt and Crossley": ("C1-", HuntCrossley(2e4, 3e4)),
    "Hunt and Crossley, cut off": ("C1:", HuntCrossley(2e4, 3e4, saturated=True)),
    "linearised contact": ("C7-", Linearised(PenaltyLaw(5e3, 30.0))),
}


class Verdict(NamedTuple):
    """Runs of a law: 1 kg bounces, 1 kg is pulled off from 0.01 s on, 4 kg bounce."""

    bounce: Drop
    torn: Drop
    heavy: Drop


def main(height: float = 0.2, pull: float = 400.0, steps: int = 2000) -> dict[str, Verdict]:
    """Drop 1 and 4 kg from `height` [m]; pull 1 kg at rest off with `pull` [N]."""
    rows, long, short = {}, np.linspace(0, 0.6, steps), np.linspace(0, 0.025, steps // 4)
    for name, (_, law) in LAWS.items():
        rest = drop(law, [0.0, 5.0], height=0.0).height[-1]  # depth under the weight
        torn = drop(law, short, height=rest, pull=pull, pull_time=0.01)
        bounce, heavy = (drop(law, long, mass=m, height=height) for m in (1.0, 4.0))
        rows[name] = Verdict(bounce, torn, heavy)
    return rows


if __name__ == "__main__":
    left, middle, right = (figure := Figure((12, 4), layout="constrained")).subplots(1, 3)
    print(f"{'ground pulls by [N]:':33s} bouncing  torn off   4 kg differ by [mm]")
    for name, row in main().items():
        style, b, t = LAWS[name][0], row.bounce, row.torn
        apart = 1e3 * np.abs(b.height - row.heavy.height).max()
        pulls = [max(0.0, -path.force.min()) for path in (b, t)]
        print(f"{name:33s} {pulls[0]:8.1f} {pulls[1]:9.1f} {apart:21.3g}")
        look = {"ls": style[2:], "color": style[:2], "lw": 3 if style[2:] == ":" else 1.5}
        left.plot(1e3 * (b.times - b.touches[0]), b.force, **look, label=name)
        middle.plot(1e3 * t.times, t.force, **look)
        if style[2:] == "-":
            right.plot(b.times, 1e3 * b.height, **look)
            right.plot(b.times, 1e3 * row.heavy.height, **look | {"ls": "--"})
    left.set(xlim=(-2, 60), ylim=(-40, 180), xlabel="time since touch [ms]", ylabel="force [N]")
    middle.set(ylim=(-40, 20), xlabel="time [ms]; pulled off from 10 ms on")
    right.set(xlabel="time [s]", ylabel="height [mm]; dashed: 4 kg")
    for axes in (left, middle):
        axes.axhspan(-99, 0, color="C3", alpha=0.12, label="the ground pulls")
    figure.legend(
        *left.get_legend_handles_labels(), loc="outside upper center", ncols=6, fontsize="small"
    )
    figure.savefig("classical_laws.png", dpi=120)
