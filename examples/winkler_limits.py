"""When may a foot pad be springs c_A = E/d? Finite elements against the foundation of LOLA's paper.

A pad of 0.2 x 0.1 m is bonded to the foot; its tread sticks to the ground or slides. How many times
stiffer is it than springs of E/d, in sinking, pitching and rolling? E cancels. Beside the finite
elements: the bounds E and M, the rule of `pad_moduli`, and the formula of Gent and Lindley.
"""

from __future__ import annotations

from contact.foot_stiffness import confined_modulus, gent_lindley_modulus, pad_moduli
from contact.foundation.pad_study import Ratios, stiffness_ratios

LENGTH, WIDTH = 0.2, 0.1  # m
MOTIONS = ("roll", "pitch", "sink")


def main(
    slendernesses: tuple[float, ...] = (0.05, 0.1, 0.2, 0.5, 1.0),
    nus: tuple[float, ...] = (0.0, 0.3, 0.45, 0.49, 0.499),
    layers: int = 3,
) -> list[Ratios]:
    """Return K_FEM/K_Winkler for thickness over half width and Poisson's ratio."""
    return [r for s in slendernesses for r in stiffness_ratios(LENGTH, WIDTH, s, nus, layers)]


def rule(slenderness: float, nu: float, sticks: bool) -> tuple[float, float, float]:
    """Return the ratios (roll, pitch, sink) that `pad_moduli` gives."""
    m = pad_moduli(1.0, nu, LENGTH, WIDTH, slenderness * WIDTH / 2, sticks=sticks)
    return m.roll, m.pitch, m.vertical


def plot(rows: list[Ratios], name: str) -> None:
    """Draw the ratios over the thickness, points for finite elements, lines for the rule."""
    import matplotlib.pyplot as plt
    import numpy as np

    figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), sharey=True, layout="constrained")
    s = np.geomspace(0.04, 1.2, 40)
    for k, (axis, motion) in enumerate(zip(axes, MOTIONS, strict=True)):
        for i, nu in enumerate(dict.fromkeys(r.nu for r in rows)):
            own = [r for r in rows if r.nu == nu]
            x, stuck = [r.slenderness for r in own], [r.sticks[k] for r in own]
            axis.loglog(s, [rule(v, nu, True)[k] for v in s], f"C{i}-", lw=1)
            axis.loglog(s, [rule(v, nu, False)[k] for v in s], f"C{i}--", lw=1)
            axis.loglog(x, stuck, f"C{i}o", label=f"FEM, ν = {nu:g}")
            axis.loglog(x, [r.slides[k] for r in own], f"C{i}s", mfc="white")
            axis.axhline(confined_modulus(1, nu), xmax=0.06, c=f"C{i}", ls=":")
        if motion == "sink":
            GL = [gent_lindley_modulus(1, 0.499, LENGTH, WIDTH, v * WIDTH / 2) for v in s]
            axis.loglog(s, GL, "k:", label="Gent-Lindley, ν = 0.499")
            axis.legend(fontsize=8)
        axis.set(xlabel="thickness / half width", title=motion)
    axes[0].set_ylabel("stiffness / stiffness of springs E/d")
    figure.suptitle(
        "dots, solid: the tread sticks; squares, dashed: it slides; dotted: confined, M"
    )
    figure.savefig(name, dpi=110)


if __name__ == "__main__":
    table = main()
    print("thickness/half width, nu | sticks: roll pitch sink | slides: roll pitch sink | M/E")
    for r in table:
        print(f"{r.slenderness:5.2f} {r.nu:6.3f} |", *(f"{v:7.3f}" for v in r.sticks), end=" |")
        print(*(f"{v:7.3f}" for v in r.slides), f"| {confined_modulus(1, r.nu):7.2f}")
    plot(table, "winkler_limits.png")
