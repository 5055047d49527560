"""How often the truth lies within two standard deviations, and what which tests tell of E and nu.

python benchmarks/identify.py [--quick]. Synthetic benches: a pad of 30 x 20 x 10 mm, E = 1 MPa,
nu = 0.45, eta = 8 s, readings with 2 % normal noise; each ensemble has 400 data sets. The bounds
are those of Cramer and Rao for one stiffness each with 2 %, of a pad of 220 x 130 x 20 mm.
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from box_mesh import box_mesh

from contact.identify import (
    BenchPoint,
    BenchReading,
    BenchTool,
    IdentifyOptions,
    MaterialFamily,
    family_of,
    identify,
    make_readings,
)
from contact.identify.predictions import predict
from sole.base.numba_settings import set_up_numba
from sole.condense import Condenser, differentiate_condensation
from sole.material import Material

SETS, NOISE, THICKNESS = 400, 0.02, 0.01
TRUTH = BenchPoint(moduli=(1e6,), ratios=(0.45,), eta=8.0)
WEIGHT = 9.81  # N of a kilogram
PLATE = BenchTool()


def plan(creep: bool = True) -> list[BenchReading]:
    """Return what docs/identify.md asks for, in its order."""
    rows = [_row("press", kg) for kg in (1, 2, 3, 4, 5)]
    rows += [_row("shear x", 4, 9.81 * kg) for kg in (0.5, 1, 1.5, 2)]
    rows += [_row("tilt x", kg, 9.81 * kg * 0.003) for kg in (1, 2, 3)]
    if creep:
        rows += [replace(_row("creep", 5), time=t) for t in (3.0, 6.0, 12.0, 24.0)]
    return rows


def _row(test: str, kg: float, load: float = 0.0) -> BenchReading:
    time = 1.0 if test == "creep" else math.inf
    return BenchReading(test=test, tool=PLATE, press=WEIGHT * kg, load=load, value=1.0, time=time)


def coverage(
    family: MaterialFamily, seeds: range, options: IdentifyOptions, thickness: str = ""
) -> list[str]:
    """Return the cells of one ensemble: how often each unknown is within 2 sd, in per cent.

    `thickness`: "random" pads of 1 % normal error, "thick" pads 1 % too thick, "" as meshed.
    """
    within, z = np.zeros(3), []
    for seed in seeds:
        error = {"random": np.random.default_rng([seed, 1]).normal(), "thick": 1.0}
        stretch = THICKNESS * error.get(thickness, 0.0)
        data = make_readings(family, plan(), replace(TRUTH, stretch=stretch), NOISE, seed)
        found = identify(family, data, options)
        off = (found.values[:3] - [1e6, 0.45, 8.0]) / found.sd[:3]
        within += np.abs(off) <= 2
        z.append(off)
    bias = np.mean(z, axis=0)
    return [f"{100 * w / len(seeds):.1f}" for w in within] + [f"{b:+.2f}" for b in bias]


def show_coverage(sets: int) -> None:
    """Print the table of ensembles."""
    family = family_of(box_mesh(0.03, 0.02, 0.01, (6, 4, 3)))
    cases = {
        "2 % given": (IdentifyOptions(sd=NOISE), ""),
        "found from the scatter": (IdentifyOptions(), ""),
        "thickness off by 1 % (random), `--thickness-sd 1`": (
            IdentifyOptions(sd=NOISE, thickness_sd=THICKNESS), "random",
        ),
        "thickness 1 % too large, `--thickness-sd 1`": (
            IdentifyOptions(sd=NOISE, thickness_sd=THICKNESS), "thick",
        ),
        "thickness 1 % too large, not said": (IdentifyOptions(sd=NOISE), "thick"),
    }  # fmt: skip
    print(
        "| noise of the readings | E within 2 sd [%] | nu [%] | eta [%] "
        "| mean error of E [sd] | of nu | of eta |"
    )
    print("|---|---|---|---|---|---|---|")
    for k, (name, (options, thickness)) in enumerate(cases.items(), 1):
        seeds = range(k * SETS, k * SETS + sets)
        print(f"| {name} | " + " | ".join(coverage(family, seeds, options, thickness)) + " |")


def show_bounds(cells: tuple[int, int, int]) -> None:
    """Print Cramer and Rao's bounds for stiffnesses of a stuck sole, each measured once."""
    condenser = Condenser(box_mesh(0.22, 0.13, 0.02, cells), "ccr")
    names = ["x", "y", "z", "rx", "ry", "rz"]
    uses = {
        "z": [2],
        "z, x": [2, 0],
        "z, ry": [2, 4],
        "z, x, ry, rz": [2, 0, 4, 5],
        "all six": [*range(6)],
    }
    print("\n| nu | " + " | ".join(f"{use}: sd of E [%], of nu" for use in uses) + " |")
    print("|---|" + "---|" * len(uses))
    for nu in (0.3, 0.4, 0.45, 0.48):
        d = differentiate_condensation(condenser, [Material(young_modulus=1e6, poisson_ratio=nu)])
        G = d.sole.geometry
        slope = np.diag(G.T @ d.by_poisson[0] @ G) / np.diag(d.sole.foot_stiffness)
        cells_ = []
        for rows in uses.values():
            A = np.stack([np.ones(len(rows)), slope[rows]], 1) / NOISE
            I = A.T @ A
            if np.linalg.matrix_rank(I) < 2:
                cells_.append("no answer")
                continue
            sd = np.sqrt(np.linalg.inv(I).diagonal())
            cells_.append(f"{100 * sd[0]:.1f}, {sd[1]:.4f}")
        print(f"| {nu:g} | " + " | ".join(cells_) + " |")
    assert len(names) == 6


def show_expected() -> None:
    """Print what the readings of the plan are, for three rubbers."""
    family = family_of(box_mesh(0.03, 0.02, 0.01, (6, 4, 3)))
    rows = [r for r in plan(creep=False) if r.press in (WEIGHT * 3, WEIGHT * 5) or r.axis == 0]
    print("\n| test | press [kg] | load | 0.5 MPa | 1 MPa | 3 MPa | unit |")
    print("|---|---|---|---|---|---|---|")
    columns = [
        predict(family, rows, BenchPoint(moduli=(E,), ratios=(0.45,)))[0] for E in (5e5, 1e6, 3e6)
    ]
    for k, r in enumerate(rows):
        load = f"{r.load / WEIGHT:g} kg" if r.axis == 0 else ""
        load = f"{1e3 * r.load / r.press:g} mm off" if r.axis == 3 else load
        scale, unit = (1e3, "mm") if r.axis < 3 else (math.degrees(1), "deg")
        cells = " | ".join(f"{scale * c[k]:.2f}" for c in columns)
        print(f"| {r.test} | {r.press / WEIGHT:g} | {load} | {cells} | {unit} |")


def main(words: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few data sets: no rates to quote")
    quick = parser.parse_args(words).quick
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        show_coverage(3 if quick else SETS)
        show_bounds((4, 3, 1) if quick else (12, 7, 2))
        show_expected()


if __name__ == "__main__":
    set_up_numba()
    main()
