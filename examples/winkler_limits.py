"""When springs of stiffness E/d stand for a pad: finite elements against LOLA's model.

A pad of 0.2 x 0.1 m is bonded to the foot; its tread sticks to the ground or slides. The table
shows its stiffness over that of springs E/d for sinking, pitching and rolling; E cancels. The
figure adds the bounds E and M, the rule of `pad_moduli`, and the formula of Gent and Lindley.
"""

import numpy as np
from matplotlib.figure import Figure
from measuring.pad_ratios import Ratios, stiffness_ratios

from contact.papers.foundation import confined_modulus, gent_lindley_modulus, pad_moduli

LENGTH, WIDTH = 0.2, 0.1  # m
STYLES = {"ko": "FEM, tread sticks", "k-": "rule, sticks", "ks": "FEM, slides"}
STYLES |= {"k--": "rule, slides", "k:": "confined: M = E(1-ν)/((1+ν)(1-2ν))"}


def main(
    slendernesses: tuple[float, ...] = (0.05, 0.1, 0.2, 0.5, 1.0),
    nus: tuple[float, ...] = (0.0, 0.3, 0.45, 0.49, 0.499),
    layers: int = 3,
) -> list[Ratios]:
    """Return K_FEM/K_Winkler for thickness over half width and Poisson's ratio; print them."""
    print("| t / half width | nu | sticks: roll | pitch | sink | slides: roll | pitch | sink "
          "| upper bound M/E | Gent-Lindley, sink |\n" + "|---" * 10 + "|")  # fmt: skip
    rows: list[Ratios] = []
    for s in slendernesses:
        rows += stiffness_ratios(LENGTH, WIDTH, s, nus, layers)
        for r in rows[-len(nus) :]:
            GL = gent_lindley_modulus(1, r.nu, LENGTH, WIDTH, s * WIDTH / 2)
            values = (*r.sticks, *r.slides, confined_modulus(1, r.nu), *([GL] * (r.nu >= 0.49)))
            cells = [f"{v:.{3 if v < 1.9995 else 2 if v < 9.995 else 1}f}" for v in values]
            print("| " + " | ".join([f"{s:g} | {r.nu:g}", *cells, *[""] * (r.nu < 0.49)]) + " |")
    return rows


def rule(slenderness: float, nu: float, sticks: bool) -> tuple[float, float, float]:
    """Return the ratios (roll, pitch, sink) that `pad_moduli` gives."""
    m = pad_moduli(1.0, nu, LENGTH, WIDTH, slenderness * WIDTH / 2, sticks=sticks)
    return m.roll, m.pitch, m.vertical


def plot(rows: list[Ratios], name: str) -> None:
    """Draw the ratios over the thickness, points for finite elements, lines for the rule."""
    figure = Figure(figsize=(12, 4.8), layout="constrained")
    s, axes = np.geomspace(0.04, 1.2, 40), figure.subplots(1, 3, sharey=True)
    for k, (axis, motion) in enumerate(zip(axes, ("roll", "pitch", "sink"), strict=True)):
        for i, nu in enumerate(dict.fromkeys(r.nu for r in rows)):
            own, x = [r for r in rows if r.nu == nu], [r.slenderness for r in rows if r.nu == nu]
            for line, sticks in (("-", True), ("--", False)):
                axis.loglog(s, [rule(v, nu, sticks)[k] for v in s], f"C{i}{line}", lw=1)
            axis.loglog(x, [r.sticks[k] for r in own], f"C{i}o", label=f"ν = {nu:g}")
            axis.loglog(x, [r.slides[k] for r in own], f"C{i}s", mfc="white")
            axis.axhline(confined_modulus(1, nu), xmax=0.06, c=f"C{i}", ls=":")
        axis.set(xlabel="thickness / half width", title=motion)
    GL = [gent_lindley_modulus(1, 0.499, LENGTH, WIDTH, v * WIDTH / 2) for v in s]
    axes[2].loglog(s, GL, "k-.", label="Gent-Lindley, ν = 0.499")
    for style, words in STYLES.items():
        axes[2].plot([], [], style, mfc="white" if "s" in style else None, label=words)
    axes[0].set_ylabel("stiffness / stiffness of springs E/d")
    figure.legend(*axes[2].get_legend_handles_labels(), loc="outside lower center", ncols=6)
    figure.savefig(name, dpi=110)


if __name__ == "__main__":
    plot(main(), "winkler_limits.png")
