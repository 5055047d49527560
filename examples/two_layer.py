"""How to test whether a second layer improves a sole: two design studies, and pads pressed.

In examples/studies (docs/results/layers.md):
    sole mesh two_layer_pad.toml --size-tread 0.03 --size-bond 0.03
    for name in one two; do sole design ${name}_layer.toml -o ${name}_layer.nc; done
    for name in one two; do sole study ${name}_layer_list.toml -o ${name}_layer_list.nc; done
    python ../two_layer.py two_layer.png two_layer_pad.msh *_layer*.nc
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from sole.condense import Condenser, Recovery
from sole.material import Material
from sole.mesh import SoleMesh, read_mesh
from sole.studies import axes_of, field_metrics, read_table

PEAK, WORST = "landing_acceleration_100_hz", ["waist_tilt", "strain_p99", "fell"]
STRAINS, TILTS, NUS = (0.09, 0.1), (0.0436, 0.0445, 0.0454), (0.0, 0.25, 0.4, 0.45)
RATIOS, TREADS = 2.0 ** np.arange(-3, 4), (0.003, 0.0065, 0.01, 0.0135, 0.017)


def designs(path: Path) -> pd.DataFrame:
    """Return a row per design: mean and deviation of the peak, the worst of the other metrics."""
    table = read_table(path)
    line = table[[PEAK, *WORST]].to_dataframe()
    group = line.groupby([n for n in axes_of(table) if n != "phase"], sort=False)
    return group[WORST].max().assign(peak=group[PEAK].mean(), spread=group[PEAK].std())


def best(found: pd.DataFrame, strain: float, tilt: float) -> pd.DataFrame:
    """Return the design with the lowest peak and no fall or too large strain or tilt."""
    holds = (found.fell == 0) & (found.strain_p99 <= strain) & (found.waist_tilt <= tilt)
    return found[holds].nsmallest(1, "peak")


def concentration(mesh: SoleMesh, ratio: float, tread: float, poisson: float) -> float:
    """Return strain_p99 * thickness / compression of a pad pressed flat; `ratio` of both E."""
    pad = mesh.with_layer_thicknesses({"tread": tread, "mid": mesh.thickness - tread})
    condenser = Condenser(pad, "ccr")
    layers = [Material(young_modulus=E, poisson_ratio=poisson) for E in (ratio * 1e6, 1e6)]
    sole = condenser.condense(tuple(layers))
    forces = (sole.stiffness @ np.tile([0.0, 0.0, 1e-3], len(sole.points))).reshape(-1, 3)
    fields = field_metrics(Recovery(sole, condenser)(forces, 1.0))
    return fields["strain_p99"] * pad.thickness / 1e-3


def main(output: Path, pad: Path, *tables: Path) -> dict[str, pd.DataFrame]:
    """Print the best designs; draw all of them, and pads pressed flat."""
    lines = list(map(designs, tables))  # one layer has two axes, two layers have more
    found = {"one layer": pd.concat([d for d in lines if d.index.nlevels == 2])}
    found["two layers"] = pd.concat([d for d in lines if d.index.nlevels > 2])
    for strain, tilt, name in product(STRAINS, TILTS, found):
        print(f"{strain=}, {tilt=}, {name}:", *best(found[name], strain, tilt).itertuples())
    figure, mesh = Figure(figsize=(10, 4.2), layout="constrained"), read_mesh(pad)
    left, right = figure.subplots(1, 2)
    for nu in NUS:
        least = [min(concentration(mesh, r, t, nu) for t in TREADS) for r in RATIOS]
        left.semilogx(RATIOS, least, "o-", base=2, label=f"ν = {nu:g}")
    left.set(xlabel="E of the tread / E above it [-]", ylabel="strain · thickness / compression")
    for (name, line), mark in zip(found.items(), "os", strict=True):
        right.errorbar(line.strain_p99, line.peak, line.spread, fmt=mark, label=name, alpha=0.7)
    right.axvline(0.1, color="grey", linestyle="--", label="linear up to here")
    right.set(xlabel="strain, 99th percentile [-]", ylabel="landing acceleration [m/s²]")
    _ = left.legend(loc=(0.27, 0.55), ncols=2), right.legend(), figure.savefig(output, dpi=110)
    return found


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
