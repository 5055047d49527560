"""The picture of an identification: residuals by reading, and the ellipses of E and nu."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sole.pictures import FigureScene

if TYPE_CHECKING:
    from contact.identify import Identification

ELLIPSE = 5.991  # chi^2 of two unknowns, 95 %


def draw_identification(found: Identification) -> FigureScene:
    """Draw residuals over the readings, coloured by test, and 95 % ellipses of E and nu."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    layers = [n[:-3] for n in found.names if n.endswith(".nu") and f"{n[:-3]}.E" in found.names]
    figure = Figure(figsize=(9.0, 4.0) if layers else (6.0, 4.0), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(
        1, 2 if layers else 1, squeeze=False, width_ratios=[3, 2][: 1 + bool(layers)]
    )[0]
    residual = 100 * (found.data.values / found.predicted - 1)
    number = np.arange(1, len(residual) + 1)
    for k, test in enumerate(found.data.tests):
        here = [r.test == test for r in found.data.readings]
        axes[0].plot(number[here], residual[here], "o", ms=4, color=f"C{k}", label=test)
    two = 200 * found.sigma / found.predicted
    axes[0].fill_between(number, -two, two, color="0.9", lw=0, label="2 standard deviations")
    axes[0].axhline(0, color="0.3", lw=0.8)
    axes[0].set(
        xlabel="reading (order of the file)",
        ylabel="reading - prediction [% of prediction]",
        title="residuals",
    )
    axes[0].xaxis.get_major_locator().set_params(integer=True)
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize=8
    )
    for k, layer in enumerate(layers):
        i, j = found.names.index(f"{layer}.E"), found.names.index(f"{layer}.nu")
        s = np.diag([found.sd[i] / 1e6, found.sd[j]])
        cov = s @ found.correlation[np.ix_([i, j], [i, j])] @ s
        turn = np.linspace(0, 2 * np.pi, 200)
        w, V = np.linalg.eigh(cov)
        ring = V @ (np.sqrt(ELLIPSE * np.maximum(w, 0))[:, None] * [np.cos(turn), np.sin(turn)])
        E, nu = found.values[i] / 1e6, found.values[j]
        axes[1].plot(E + ring[0], nu + ring[1], color=f"C{k}", label=layer)
        axes[1].plot(E, nu, "+", color=f"C{k}")
    if layers:
        axes[1].set(xlabel="Young's modulus E [MPa]", ylabel="Poisson's ratio nu [-]")
        axes[1].set_title("95 % region of E and nu")
        axes[1].legend(fontsize=8)
    return FigureScene(figure, "identification")
