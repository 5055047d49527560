"""Figure 5 of the deformable-soles paper: peaks of acceleration against inclination of the waist.

    cd examples/studies
    names="flat plate noisy converged flat_short plate_short repeats_flat repeats_plate"
    for name in $names; do sole study figure5_$name.toml -o $name.nc; done
    python ../figure5.py *.nc -o out

It takes any of these tables, or tables of similar studies. Numbers are those of soles on which the
robot walked in every repeat. It prints the trends in docs/figure5.md; figure5.csv has every sole.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FixedLocator
from scipy.stats import spearmanr

from robot.walk import SoleChoice
from sole.base.errors import SoleError
from sole.studies import read_table

PEAK, TILT = "landing_acceleration_100_hz", "waist_tilt"
LABELS = {PEAK: "landing acceleration\nbelow 100 Hz [m/s²]", TILT: "waist inclination [deg]"}
IMPACTS = (PEAK, "waist_acceleration_100_hz", "impact_force")
METRICS = (*LABELS, *IMPACTS[1:], "strain_p99", "stance_margin", "unconverged")
SPREAD = ("mean", "min", "max")
COLUMNS = ["study", "ground", "controller", "young", "poisson", "repeats", "fallen"]
COLUMNS += [f"{m} {how}" for m in METRICS for how in SPREAD]
NU, LINEAR = 0.4, 0.1  # Poisson's ratio of the curves; largest strain of a linear sole
NAMES = {"plane": "flat ground", "step:0.005,0.4": "plate of 5 mm", "pd": "plain PD"}
NAMES |= {"stabiliser": "stabiliser", "noisy": "noisy sensors"}
COLOURS = {"plain PD": "#c1440e", "stabiliser": "#1f5fa8", "noisy sensors": "#2f8f4e"}
TICKS = [s * 10.0**d for d in range(-4, 5) for s in (1, 2, 5)]
CONTOURS = [s * 10.0**d for d in range(-4, 5) for s in (1, 2, 3, 5)]


def read(path: Path) -> list[xr.Dataset]:
    """Return a table of `sole study` as data sets (young, poisson, repeat) by ground, controller.

    Inclinations are in degrees. `fallen` (young, poisson) counts repeats that fell or failed; where
    it is not 0 the other variables are NaN. Attributes: study (the file's name), ground,
    controller.
    """
    table = read_table(path)
    if "young" not in table.dims or PEAK not in table:
        raise SoleError(f"{path}: no walks over E; run `sole study` on one of examples/studies")
    walk = json.loads(table.attrs["options"]).get("walk", {})
    noisy = walk.get("sensing", {}).get("kind") == "noisy"
    for name, usual in (
        ("ground", walk.get("ground", "plane")),
        ("controller", walk.get("control", {}).get("kind", "stabiliser")),
        ("poisson", walk.get("sole", {}).get("poisson", SoleChoice().poisson)),
        ("once", 0),
    ):
        table = table if name in table.dims else table.expand_dims({name: [usual]})
    repeats = ["once", *json.loads(table.attrs["ensemble"])]
    table = table.stack({"repeat": repeats}, create_index=False)
    fallen = (table.fell != 0).sum("repeat")
    table = table[[m for m in METRICS if m in table]].where(fallen == 0).assign(fallen=fallen)
    table[TILT] = np.rad2deg(table[TILT])
    table = table.transpose(..., "young", "poisson", "repeat").drop_attrs()
    return [
        table.sel(ground=g, controller=c, drop=True).assign_attrs(
            study=path.stem,
            ground=NAMES.get(g, g),
            controller=NAMES["noisy" if noisy else c],
        )
        for g in table.ground.values
        for c in table.controller.values
    ]


def numbers(walks: xr.Dataset) -> Any:
    """Return a data frame of `COLUMNS`, a row per sole: mean, minimum and maximum of repeats."""
    names = [m for m in METRICS if m in walks]
    found = walks.to_dataframe().groupby(["young", "poisson"])[names].agg(list(SPREAD))
    found.columns = [" ".join(c) for c in found.columns]
    found = found.assign(fallen=walks.fallen.to_series(), repeats=walks.sizes["repeat"])
    return found.reset_index().assign(**walks.attrs).reindex(columns=COLUMNS)


def trends(walks: xr.Dataset) -> list[float]:
    """Return Spearman's rank correlations of E and peak, E and inclination, peak and inclination.

    They use means over repeats, of soles with no fall and strains up to `LINEAR`; the number of
    these soles comes first. The paper's signs are +, -, -. NaN for fewer than four soles.
    """
    peak, tilt = (walks[m].mean("repeat").values for m in LABELS)
    E = np.broadcast_to(walks.young.values[:, None], peak.shape)
    on = (walks.strain_p99 <= LINEAR).all("repeat").values
    pairs = ((E, peak), (E, tilt), (peak, tilt)) if on.sum() > 3 else ()
    found = [float(spearmanr(a[on], b[on]).statistic) for a, b in pairs] or [np.nan] * 3
    return [int(on.sum()), *found]


def maps(every: Sequence[xr.Dataset]) -> Figure:
    """Return maps over E and nu: a column per ground and controller, a row per metric."""
    figure = Figure(figsize=(3.1 * len(every) + 1.2, 6.4), layout="constrained")
    grid = figure.subplots(2, len(every), squeeze=False, sharex=True, sharey=True)
    for row, (name, label) in zip(grid, LABELS.items(), strict=True):
        means = [walks[name].mean("repeat").values for walks in every]
        known = np.concatenate([m[m > 0] for m in means])
        norm = LogNorm(known.min(initial=1e3), known.max(initial=1e-3))
        for axes, walks, mean in zip(row, every, means, strict=True):
            image = draw_map(axes, walks, mean, norm)
        bar = figure.colorbar(image, ax=list(row), label=label, pad=0.01, ticks=TICKS, format="%g")
        bar.minorticks_off()
        row[0].set_ylabel("Poisson ratio ν [-]")
    for (top, bottom), walks in zip(grid.T, every, strict=True):
        top.set_title("{ground}, {controller}".format(**walks.attrs))
        bottom.set_xlabel("Young's modulus E [MPa]")
    legend = [
        Line2D([], [], color="k", lw=0.8, label="contours of the mean over repeats"),
        Patch(fc="white", ec="0.6", hatch="////", label="number of falls of all repeats"),
        Line2D([], [], ls="", marker="x", color="k", label="strain above 10 % in a repeat"),
    ]
    figure.legend(
        handles=legend, loc="outside lower center", ncols=len(every) - 1 or 1, frameon=False
    )
    return figure


def draw_map(axes: Axes, walks: xr.Dataset, mean: Any, norm: LogNorm) -> Any:
    """Draw one map: a cell per sole, contours, falls and large strains."""
    x, nu = np.log10(walks.young.values / 1e6), walks.poisson.values
    y, width = np.arange(len(nu)), np.diff(x).mean()
    image = axes.pcolormesh(x, y, mean.T, norm=norm, alpha=0.75, shading="nearest")
    if np.isfinite(mean).sum() > 3:
        lines = axes.contour(x, y, mean.T, CONTOURS, colors="k", linewidths=0.8)
        axes.clabel(lines, fontsize=8, fmt="%g")
    strained = (walks.strain_p99 > LINEAR).any("repeat").values
    for i, j in np.ndindex(mean.shape):
        if n := int(walks.fallen[i, j]):
            corner = (x[i] - width / 2, j - 0.5)
            axes.add_patch(Rectangle(corner, width, 1, fc="w", ec="0.6", hatch="////", lw=0))
            text = axes.text(x[i], j, f"{n}/{walks.sizes['repeat']}", ha="center", fontsize=8)
            text.set(va="center", bbox={"fc": "white", "ec": "none", "pad": 1.0})
        elif strained[i, j]:
            axes.plot(x[i], j - 0.25, "kx", ms=5)
    decades = np.arange(np.ceil(x[0]), x[-1] + 0.1)
    axes.set_xticks(decades, [f"{10**t:g}" for t in decades])
    axes.set_yticks(y, [f"{v:g}" for v in nu])
    return image


def curves(every: Sequence[xr.Dataset]) -> Figure:
    """Return peak and inclination over E at nu = 0.4, a column per ground; strips show falls."""
    grounds, names = (list(dict.fromkeys(w.attrs[a] for w in every)) for a in COLUMNS[1:3])
    figure = Figure(figsize=(4.6 * len(grounds) + 1, 7.0), layout="constrained")
    ratios = {"height_ratios": (0.1 * len(names), 1, 1)}
    shared: Any = {"sharex": True, "sharey": "row", "squeeze": False, "gridspec_kw": ratios}
    grid = figure.subplots(3, len(grounds), **shared)
    for walks in every:
        column = grid[:, grounds.index(walks.attrs["ground"])]
        draw_curves(column[0], column[1:], walks, names.index(walks.attrs["controller"]))
    for (strip, *_, last), ground in zip(grid.T, grounds, strict=True):
        strip.set(title=ground, ylim=(0.6 - len(names), 0.6))
        strip.set_yticks([-k for k in range(len(names))], [f"{n}: fell" for n in names])
        last.set(xscale="log", xlabel="Young's modulus E [MPa]")
        last.xaxis.set_major_formatter("{x:g}")
    for axes, label in zip(grid[1:, 0], LABELS.values(), strict=True):
        axes.set(yscale="log", ylabel=label)
        axes.yaxis.set(major_locator=FixedLocator(TICKS), major_formatter="{x:g}")
        axes.minorticks_off()
    lines = [Line2D([], [], color=COLOURS[n], marker="o", ms=3, label=n) for n in names]
    lines += [Line2D([], [], ls="", marker="x", color="k", label="strain above 10 %")]
    if any(w.attrs["study"] == "converged" for w in every):
        for fill, label in (("k", "finest dt"), ("w", "finest dt, some metric not converged")):
            lines += [Line2D([], [], ls="", marker="D", ms=5, mec="k", mfc=fill, label=label)]
    figure.legend(handles=lines, loc="outside lower center", ncols=3, frameon=False)
    return figure


def draw_curves(strip: Axes, panels: Sequence[Axes], walks: xr.Dataset, k: int) -> None:
    """Draw the curves of controller number `k`, or points if they are those of a finest dt."""
    here = walks.isel(poisson=int(np.argmin(abs(walks.poisson.values - NU))))
    colour = COLOURS[walks.attrs["controller"]]
    E = here.young.values / 1e6 * 10 ** (0.03 * k)  # so that intervals stay apart
    for axes, name in zip(panels, LABELS, strict=True):
        mean, low, high = (getattr(here[name], how)("repeat") for how in SPREAD)
        if walks.attrs["study"] == "converged":
            settled = here.unconverged[:, 0].values == 0
            for on, fill in ((settled, colour), (~settled, "w")):
                axes.plot(E[on], mean[on], "D", mfc=fill, mec=colour, ms=5, zorder=4)
            continue
        axes.errorbar(
            E, mean, [mean - low, high - mean], fmt="o-", ms=3, lw=1.2, capsize=3, color=colour
        )
        strained = (here.strain_p99 > LINEAR).any("repeat").values
        axes.plot(E[strained], mean[strained], "x", ms=8, color=colour)
        axes.grid(alpha=0.3)
    for e, n in zip(E, here.fallen.values, strict=True):
        if n and walks.attrs["study"] != "converged":
            told = f"{n}/{here.sizes['repeat']}"
            strip.text(e, -k, told, ha="center", va="center", color=colour, size=9)


def main(paths: Sequence[Path], folder: Path) -> list[xr.Dataset]:
    """Write the figures and figure5.csv to `folder`; print the trends."""
    every = [walks for path in paths for walks in read(path)]
    folder.mkdir(parents=True, exist_ok=True)
    noisy = [w for w in every if w.attrs["study"] == "noisy"]
    true = [w for w in every if w.attrs["study"] in ("flat", "plate", "converged")]
    beside = [w for w in true if w.attrs["controller"] == "stabiliser"]
    for name, draw, drawn in (
        ("maps", maps, [w for w in true if w.sizes["poisson"] > 1]),
        ("curves", curves, true),
        ("noisy", curves, noisy and beside + noisy),
    ):
        if drawn:
            draw(drawn).savefig(folder / f"figure5_{name}.png", dpi=120)
    with (folder / "figure5.csv").open("w", encoding="utf-8") as file:
        for k, walks in enumerate(every):
            numbers(walks).to_csv(file, header=k == 0, index=False, float_format="%.6g")
    print("| walks | soles | E, peak | E, inclination | peak, inclination |")
    for walks in every:
        count, *rhos = trends(walks)
        cells = [", ".join(walks.attrs[a] for a in COLUMNS[:3]), f"{count} of {walks.fallen.size}"]
        print("| " + " | ".join([*cells, *(f"{rho:+.2f}" for rho in rhos)]) + " |")
    return every


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tables", nargs="+", type=Path, help="written by `sole study`")
    parser.add_argument("-o", "--output", type=Path, default=Path(), help="folder for pictures")
    given = parser.parse_args()
    try:
        main(given.tables, given.output)
    except SoleError as error:
        sys.exit(f"error: {error}")
