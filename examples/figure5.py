"""How to weigh impact against tilt of a walk: figure 5 of the deformable-soles paper.

    cd examples/studies
    names="flat plate repeats_flat repeats_plate noisy gains paper_flat paper_plate"
    for name in $names; do sole study figure5_$name.toml -o $name.nc; done
    python ../figure5.py *.nc -o out

It takes any of these tables, or tables of similar studies. Numbers are those of soles on which the
robot walked in every repeat. It prints the trends in docs/results/figure5.md; figure5.csv has all
soles.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import xarray as xr

from robot.papers.experiments.figure5_drawings import draw_curves_of_soles, draw_maps_of_soles
from robot.papers.experiments.figure5_tables import (
    COLUMNS,
    rank_trends,
    read_figure5,
    table_numbers,
)
from sole.base.errors import SoleError


def main(paths: Sequence[Path], folder: Path) -> list[xr.Dataset]:
    """Write the figures and figure5.csv to `folder`; print the trends."""
    every = [walks for path in paths for walks in read_figure5(path)]
    folder.mkdir(parents=True, exist_ok=True)
    noisy = [w for w in every if w.attrs["study"] == "noisy"]
    true = [w for w in every if w.attrs["study"] in ("flat", "plate")]
    beside = [w for w in true if w.attrs["controller"] == "stabiliser"]
    for name, draw, drawn in (
        ("maps", draw_maps_of_soles, [w for w in true if w.sizes["poisson"] > 1]),
        ("curves", draw_curves_of_soles, true),
        ("noisy", draw_curves_of_soles, noisy and beside + noisy),
    ):
        if drawn:
            draw(drawn).savefig(folder / f"figure5_{name}.png", dpi=120)
    with (folder / "figure5.csv").open("w", encoding="utf-8") as file:
        for k, walks in enumerate(every):
            table_numbers(walks).to_csv(file, header=k == 0, index=False, float_format="%.6g")
    print("| walks | soles | E, peak | E, inclination | peak, inclination |")
    for walks in every:
        count, *rhos = rank_trends(walks)
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
