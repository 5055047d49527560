"""Restitution of linearised contact over six decades of kp/kv^2, for any mass."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from contact.papers.penalty import Linearised, PenaltyLaw, drop, restitution
from sole.claims import Effort, Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["MeasuredImpact", "measure_restitution", "reproduce_restitution"]

MASSES, DAMPINGS = (0.01, 1.0, 100.0), (10.0, 1000.0)  # kg; kv [1/s]


@dataclass(frozen=True)
class MeasuredImpact:
    """One impact: kp/kv^2, kv [1/s], mass [kg], speed [m/s]; e measured and exact."""

    ratio: float
    kv: float
    mass: float
    speed: float
    measured: float
    exact: float

    @property
    def error(self) -> float:
        """Relative."""
        return abs(self.measured / self.exact - 1)


def measure_restitution(
    points: int = 19, speeds: tuple[float, ...] = (0.1, 5.0)
) -> list[MeasuredImpact]:
    """Let bodies hit the ground at `speeds` [m/s] and measure their speed after it."""
    rows = []
    for ratio, kv, mass, u in product(np.logspace(-4, 2, points), DAMPINGS, MASSES, speeds):
        law = PenaltyLaw(ratio * kv**2, kv)
        times = [0.0, 3.3 / np.sqrt(law.kp)]  # no contact lasts longer than pi/sqrt(kp)
        path = drop(Linearised(law), times, mass=mass, height=0.0, velocity=-u)
        e = path.departure_speeds[0] / u
        rows.append(MeasuredImpact(ratio, kv, mass, u, e, restitution(law)))
    return rows


def reproduce_restitution(effort: Effort) -> Findings:
    """Measure e over kp/kv^2, and at kp/kv = 1 for three kv."""
    rows = measure_restitution(4, (1.0,)) if effort.quick else measure_restitution()
    at_one = {kv: restitution(PenaltyLaw(kv, kv)) for kv in (1e-3, 1.0, 1e3)}
    e = [r.exact for r in rows]
    numbers = {
        "impacts": len(rows),
        "error": max(r.error for r in rows),
        "least": min(e),
        "largest": max(e),
        "soft": at_one[1e-3],
        "middle": at_one[1.0],
        "hard": at_one[1e3],
        "spread": max(at_one.values()) - min(at_one.values()),
    }
    return Findings(numbers=numbers, pictures={"restitution": lambda: _figure(rows)})


def _figure(rows: list[MeasuredImpact]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 5.4), layout="constrained")
    top, low = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    x = np.logspace(-4, 2, 300)
    top.loglog(x, [restitution(PenaltyLaw(s, 1.0)) for s in x], "k-", label="exact")
    top.plot(x, np.sqrt(x), "k:", label=r"$\sqrt{k_p}/k_v$")
    for m, mark in zip(MASSES, "o+x", strict=True):
        mine = [r for r in rows if r.mass == m]
        at, e, name = [r.ratio for r in mine], [r.measured for r in mine], f"measured, {m:g} kg"
        top.plot(at, e, "C3" + mark, mfc="none", label=name)
        low.loglog(at, [max(r.error, 1e-17) for r in mine], "C3" + mark, mfc="none")
    top.set(ylabel="restitution e [-]", ylim=(5e-3, 1.5))
    low.set(xlabel=r"$k_p/k_v^2$ [-]", ylabel="relative error [-]", ylim=(1e-17, 1e-9))
    top.legend(fontsize="small")
    return figure
