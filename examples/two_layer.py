"""Does a second layer make a better sole? Two design studies of walks, and pads pressed flat.

    cd examples/studies
    sole mesh two_layer_pad.toml --size-tread 0.03 --size-bond 0.03
    for name in one two; do sole design ${name}_layer.toml -o ${name}_layer.nc; done
    python ../two_layer.py two_layer_pad.msh one_layer.nc two_layer.nc two_layer.png

Prints the best design of each table under several limits (docs/design.md) and draws all of them.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from sole.condense import Condenser
from sole.fields import Recovery
from sole.material import Material
from sole.mesh import SoleMesh
from sole.mesh_file import read_mesh
from sole.studies.rows import field_metrics
from sole.studies.table import axes_of, read_sweep

PEAK, WORST = "landing_acceleration_100_hz", ["waist_tilt", "strain_p99", "fell"]
STRAINS, TILTS = (0.08, 0.1, 0.15, 0.2), (0.0436, 0.0445, 0.0454)  # limits [-], [rad]
RATIOS, TREADS = np.geomspace(0.2, 5, 7), (0.003, 0.0065, 0.01, 0.0135, 0.017)
NUS = (0.0, 0.25, 0.4, 0.45)


def designs(path: Path) -> pd.DataFrame:
    """Return a line per design: mean and deviation of the peak, the worst of the other metrics."""
    table = read_sweep(path)
    own = [n for n in axes_of(table) if n != "phase"]
    group = table[[PEAK, *WORST]].to_dataframe().groupby(own, sort=False)
    return group[WORST].max().assign(peak=group[PEAK].mean(), spread=group[PEAK].std())


def best(found: pd.DataFrame, strain: float, tilt: float) -> pd.DataFrame:
    """Return the design of the lowest peak of which no repeat fell, strained or leant too far."""
    holds = (found.fell == 0) & (found.strain_p99 <= strain) & (found.waist_tilt <= tilt)
    return found[holds].nsmallest(1, "peak")


def concentration(mesh: SoleMesh, ratio: float, tread: float, poisson: float) -> float:
    """Return strain_p99 * thickness / compression of a pad pressed flat; `ratio` of both E."""
    pad = mesh.with_layer_thicknesses({"tread": tread, "mid": mesh.thickness - tread})
    condenser = Condenser(pad, "ccr")
    layers = (Material(young_modulus=E, poisson_ratio=poisson) for E in (ratio * 1e6, 1e6))
    sole = condenser.condense(tuple(layers))
    forces = (sole.stiffness @ np.tile([0.0, 0.0, 1e-3], len(sole.points))).reshape(-1, 3)
    strain = field_metrics(Recovery(sole, condenser)(forces, 1.0))["strain_p99"]
    return strain * pad.thickness / 1e-3


def main(pad: Path, one: Path, two: Path, output: Path) -> dict[str, pd.DataFrame]:
    """Print the best designs of both tables; draw all of them, and pads pressed flat."""
    found = {"one layer": designs(one), "two layers": designs(two)}
    for strain, tilt, name in product(STRAINS, TILTS, found):
        chosen = best(found[name], strain, tilt).reset_index().to_dict("records")
        print(f"strain <= {strain}, tilt <= {tilt}, {name}: {chosen or 'none'}")
    figure, mesh = Figure(figsize=(10, 4.2), layout="constrained"), read_mesh(pad)
    left, right = figure.subplots(1, 2)
    for nu in NUS:
        least = [min(concentration(mesh, r, t, nu) for t in TREADS) for r in RATIOS]
        left.semilogx(RATIOS, least, "o-", label=f"ν = {nu:g}")
    left.set(xlabel="E of the tread / E above it [-]", ylabel="strain · thickness / compression")
    for (name, line), mark in zip(found.items(), "os", strict=True):
        right.errorbar(line.strain_p99, line.peak, line.spread, fmt=mark, label=name, alpha=0.7)
    right.axvline(0.1, color="grey", linestyle="--", label="linear up to here")
    right.set(xlabel="strain, 99th percentile [-]", ylabel="landing acceleration [m/s²]")
    _ = left.legend(), right.legend(), figure.savefig(output, dpi=110)
    return found


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:5]))
