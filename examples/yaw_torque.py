"""Single support of HRP-4: yaw torques that the foot holds, and the fastest playback of a motion.

Our own motion has the paper's duration T; played in (1 - p) T its accelerations grow by 1/(1 -
p)^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from contact.wrench_cone import WrenchCone, YawTorque

X, Y, MU, MASS, G, HEIGHT, T = 0.112, 0.065, 0.4, 40.0, 9.81, 0.8, 7.285  # m, kg, m/s^2, s


@dataclass(frozen=True)
class Motion:
    """Times [s], wrenches (N, 6) on the foot, their margins, active facets and yaw interval."""

    times: np.ndarray
    wrenches: np.ndarray
    margin: np.ndarray
    words: list[str]
    yaw: YawTorque


def wrenches(phase: np.ndarray, fast: float) -> np.ndarray:
    """Return wrenches (N, 6) at phases (N,) in [0, 1], with `fast` times the accelerations of T."""
    s = 2 * np.pi * phase
    x, y = 0.03 * np.sin(2 * s), 0.018 * np.sin(3 * s + 0.6)  # centre of mass over the foot [m]
    a = -((2 * np.pi / T) ** 2) * fast * MASS * np.array([4 * x, 9 * y])
    fz = MASS * (G + 0.9 * fast * np.sin(3 * s))
    spin = 15.0 * fast * np.sin(5 * s + 0.3) * np.sin(s / 2) ** 2  # of arms and waist [N m]
    return np.column_stack([*a, fz, y * fz - HEIGHT * a[1], HEIGHT * a[0] - x * fz, spin])


def main(shorter: tuple[float, ...] = (0.0, 0.05, 0.1, 0.15), states: int = 2000) -> list[Motion]:
    """Play the motion in (1 - p) T for every p of `shorter`, on the whole foot, friction MU."""
    cone, phase, motions = WrenchCone.of_rectangle(X, Y, MU), np.linspace(0, 1, states), []
    for p in shorter:
        w = wrenches(phase, 1 / (1 - p) ** 2)
        margin, facet = cone.margin(w)
        words = [cone.word(int(k)) for k in facet]
        motions.append(Motion(phase * T * (1 - p), w, margin, words, cone.yaw_torque(w)))
    return motions


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    fig, (top, low) = plt.subplots(2, 1, figsize=(7, 6), layout="constrained")
    for m in (motions := main()):
        print(f"{m.times[-1]:.2f} s: least {m.margin.min():.3f}, {m.words[m.margin.argmin()]}")
        low.plot(m.times / m.times[-1], m.margin, label=f"played in {m.times[-1]:.2f} s")
    t, yaw, spin = motions[0].times / T, motions[0].yaw, motions[0].wrenches[:, 5]
    top.fill_between(t, yaw.lowest, yaw.highest, color="C0", alpha=0.25, label="held")
    top.plot(t, yaw.safe, "k--", label="safe")
    top.plot(t, spin, "C3", label=f"motion in {T:.2f} s")
    top.set(ylabel="yaw torque [N m]", ylim=(-38, 30))
    low.axhline(0, color="k", lw=0.8)
    low.set(xlabel="part of the motion [-]", ylabel="margin [-]", ylim=(-0.4, 1))
    [axis.legend(loc="lower left", ncols=4, fontsize="small") for axis in (top, low)]
    fig.savefig("yaw_torque.png", dpi=120)
