"""Single support of HRP-4: yaw torques that the foot holds, and the fastest playback of a motion.

Our own motion has the paper's duration T; played in (1 - p) T its accelerations grow by 1/(1 -
p)^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from contact.wrench_cone import WrenchCone, YawTorque
from sole.base.arrays import FloatArray
from sole.base.constants import GRAVITY
from sole.claims import Effort, Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["YawMotion", "play_faster", "reproduce_yaw_bounds"]

X, Y, MU, MASS, HEIGHT, T = 0.112, 0.065, 0.4, 40.0, 0.8, 7.285  # m, kg, s


@dataclass(frozen=True, eq=False)
class YawMotion:
    """Times [s], wrenches (N, 6) on the foot, their margins, active facets and yaw interval."""

    times: FloatArray
    wrenches: FloatArray
    margin: FloatArray
    words: list[str]
    yaw: YawTorque


def _wrenches(phase: FloatArray, fast: float) -> FloatArray:
    """Return wrenches (N, 6) at phases (N,) in [0, 1], with `fast` times the accelerations of T."""
    s = 2 * np.pi * phase
    x, y = 0.03 * np.sin(2 * s), 0.018 * np.sin(3 * s + 0.6)  # centre of mass over the foot [m]
    a = -((2 * np.pi / T) ** 2) * fast * MASS * np.array([4 * x, 9 * y])
    fz = MASS * (GRAVITY + 0.9 * fast * np.sin(3 * s))
    spin = 15.0 * fast * np.sin(5 * s + 0.3) * np.sin(s / 2) ** 2  # of arms and waist [N m]
    return np.column_stack([*a, fz, y * fz - HEIGHT * a[1], HEIGHT * a[0] - x * fz, spin])


def play_faster(
    shorter: tuple[float, ...] = (0.0, 0.05, 0.1, 0.15), states: int = 2000
) -> list[YawMotion]:
    """Play the motion in (1 - p) T for every p of `shorter`, on the whole foot, friction MU."""
    cone, phase = WrenchCone.of_rectangle(X, Y, MU), np.linspace(0, 1, states)
    motions: list[YawMotion] = []
    for p in shorter:
        w = _wrenches(phase, 1 / (1 - p) ** 2)
        margin, facet = cone.margin(w)
        words = [cone.word(int(k)) for k in facet]
        motions.append(YawMotion(phase * T * (1 - p), w, margin, words, cone.yaw_torque(w)))
    return motions


def reproduce_yaw_bounds(effort: Effort) -> Findings:
    """Play the motion as planned and in 5, 10 and 15 % less time; measure margins."""
    motions = play_faster(states=400 if effort.quick else 2000)
    numbers = {
        f"margin_{k}": float(m.margin.min()) for k, m in zip((0, 5, 10, 15), motions, strict=True)
    }
    at_10 = motions[2]
    numbers["yaw_breaks"] = float(at_10.words[int(at_10.margin.argmin())].startswith("yaw"))
    numbers["safe_range"] = float(np.abs(motions[0].yaw.safe).max())
    return Findings(numbers=numbers, pictures={"yaw_bounds": lambda: _figure(motions)})


def _figure(motions: list[YawMotion]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 6), layout="constrained")
    top, low = figure.subplots(2, 1)
    for m in motions:
        low.plot(m.times / m.times[-1], m.margin, label=f"played in {m.times[-1]:.2f} s")
    t, yaw, spin = motions[0].times / T, motions[0].yaw, motions[0].wrenches[:, 5]
    top.fill_between(t, yaw.lowest, yaw.highest, color="C0", alpha=0.25, label="held")
    top.plot(t, yaw.safe, "k--", label="safe")
    top.plot(t, spin, "C3", label=f"motion in {T:.2f} s")
    top.set(ylabel="yaw torque [N m]", ylim=(-38, 30))
    low.axhline(0, color="k", lw=0.8)
    low.set(xlabel="part of the motion [-]", ylabel="margin [-]", ylim=(-0.4, 1))
    for axes in (top, low):
        axes.legend(loc="lower left", ncols=4, fontsize="small")
    return figure
