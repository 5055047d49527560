"""Walks on shapes that gradients found, beside flat pads: tables of docs/results/shape_design.md.

python benchmarks/page_tables/shape_walks.py {pads|front} [--keep ROWS.json] [-o FILE] [--quick]
    pads: the shipped example's shape and flat pad, each walk
    front: the same within the margins of a stiffer flat pad, too; -o FILE draws it

Single walks of two steps of hrp2-like under the stabiliser, true state, dt = 1 ms. `--keep` has the
walks that are done already; an interrupted table goes on from there.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.shape_design import found, soles, within_margins_of
from robot.measures import metrics
from robot.walk import RecordingOptions, Scenario, assemble_walk, execute, replace_values
from sole.base.numba_settings import set_up_numba
from sole.condense import CondensedSole

WALKS = {
    "plane": ("plane",),
    "plate of 4 mm": tuple(f"step:0.004,{x:g}" for x in (0.14, 0.2, 0.26)),
    "stones of 3 mm": tuple(
        f"gravel:count=60,rise=0.003,radius=0.05,x=0.75,length=1,width=0.6,seed={k}" for k in (1, 2)
    ),
}
FACTORS = (0.5,)  # of E, of stiffer flat pads, whose margins are tighter
EXAMPLE = 0.0  # stands for the shipped example
Row = tuple[float, float, float, float]  # fell, landing [m/s^2], tilt of the waist [deg], end [s]


def walk(pad: CondensedSole, ground: str, short: bool) -> Row:
    """Walk on pads."""
    gait = {"steps": 2, "initial": 0.8, "final": 0.6}
    scenario = replace_values(Scenario(), ground=ground, gait=gait, plan={"kind": "fixed"})
    if short:
        scenario = replace(scenario, duration=0.02)
    run, error = execute(assemble_walk(scenario, soles=(pad, None)), RecordingOptions(nodes=10))
    if error is not None:
        raise error
    told = metrics(run)
    landing, tilt = told["landing acceleration 100 Hz"].value, told["waist tilt"].value
    landing = 0.0 if landing is None else landing
    return float(bool(told["fell"].value)), landing, math.degrees(tilt or 0.0), float(run.time[-1])


class WalkedPads:
    """The walks on both pads of each margin; `keep` has those that are done."""

    def __init__(self, quick: bool, keep: Path | None) -> None:
        self.quick, self.keep = quick, keep
        self.places = dict(list(WALKS.items())[:1]) if quick else WALKS
        known = keep is not None and keep.exists()
        self.done = json.loads(keep.read_text(encoding="utf-8")) if keep and known else {}

    def at(self, factor: float) -> dict[str, dict[str, list[Row]]]:
        """Return {pad: {place: rows}} and, under "factor", the factors of E."""
        key = f"{factor:g}"
        if key not in self.done:
            quick = self.quick
            result = within_margins_of(factor, quick) if factor else found(quick)
            rows = {
                name: {
                    place: [walk(pad, ground, self.quick) for ground in grounds]
                    for place, grounds in self.places.items()
                }
                for name, pad in soles(result).items()
            }
            rows["factor"] = {"flat": result.flat.factor, "shaped": result.best.factor}
            self.done[key] = rows
            if self.keep is not None:
                self.keep.write_text(json.dumps(self.done), encoding="utf-8")
        return self.done[key]


def show_pads(pads: WalkedPads) -> None:
    """Print each walk on both pads of the example."""
    told = pads.at(EXAMPLE)
    print("| ground | pad | walked | landing [m/s^2] | waist tilt [deg] | time [s] |")
    print("|---|---|---|---|---|---|")
    for place in pads.places:
        for name in ("flat", "shaped"):
            rows = told[name][place]
            ends = [f"{sum(not row[0] for row in rows)} of {len(rows)}"]
            for k, digits in ((1, 1), (2, 2), (3, 2)):
                ends.append(", ".join(f"{row[k]:.{digits}f}" for row in rows))
            print("| " + " | ".join([place, name, *ends]) + " |", flush=True)


def show_front(pads: WalkedPads, output: Path | None) -> None:
    """Print and draw landings over tilts of the waist, means over the walks of each place."""
    print("| margins of | pad | factor of E | landing: " + ", ".join(pads.places)
          + " [m/s^2] | waist tilt [deg] | fell |")  # fmt: skip
    print("|---|---|---|---|---|---|")
    points: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for factor in (EXAMPLE,) if pads.quick else (EXAMPLE, *FACTORS):
        told = pads.at(factor)
        for name in ("flat", "shaped"):
            means = {place: np.mean(rows, axis=0) for place, rows in told[name].items()}
            for place, mean in means.items():
                points.setdefault((name, place), []).append((mean[2], mean[1]))
            landings, tilts = (", ".join(f"{m[k]:.{k}f}" for m in means.values()) for k in (1, 2))
            fell = sum(row[0] for rows in told[name].values() for row in rows)
            E, margins = told["factor"][name], told["factor"]["flat"]
            cells = [f"{margins:.3f}", name, f"{E:.3f}", landings, tilts, f"{fell:.0f}"]
            print("| " + " | ".join(cells) + " |", flush=True)
    if output is not None:
        draw(points, list(pads.places), output)


def draw(
    points: dict[tuple[str, str], list[tuple[float, float]]], places: list[str], output: Path
) -> None:
    """Draw a panel for each ground."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 3.4), layout="constrained")
    panels = np.atleast_1d(figure.subplots(1, len(places)))
    for ax, place in zip(panels, places, strict=True):
        for (name, mark), label in zip(
            (("flat", "o-"), ("shaped", "s--")), ("flat pads", "shapes"), strict=True
        ):
            xy = np.array(points[name, place])
            ax.plot(*xy.T, mark, ms=4, label=label)
        ax.set(title=place, xlabel="tilt of the waist [deg]", xlim=(0, None), ylim=(0, None))
        ax.legend(fontsize=8)
    figure.axes[0].set_ylabel("landing acceleration [m/s$^2$]")
    figure.savefig(output, dpi=110)


def main(words: Sequence[str] | None = None) -> None:
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["pads", "front"])
    parser.add_argument("--keep", type=Path, help="file of walks that are done")
    parser.add_argument("-o", "--output", type=Path, help="of front: the picture")
    parser.add_argument("--quick", action="store_true", help="a coarse mesh, few shapes, 20 ms")
    chosen = parser.parse_args(words)
    pads = WalkedPads(chosen.quick, chosen.keep)
    if chosen.what == "pads":
        show_pads(pads)
    else:
        show_front(pads, chosen.output)


if __name__ == "__main__":
    set_up_numba()
    with threadpool_limits(1):
        main()
