"""The tables of docs/results/shape_design.md: shapes by gradients beside flat pads and evolution.

python benchmarks/page_tables/shape_design.py {search|elsewhere|friction|front} [--quick]
    search: the example by gradients and by evolution: shapes condensed, peak, CPU
    elsewhere: both pads on finer meshes and on grounds that the search did not see
    friction: both pads pressed with Coulomb's friction instead of none
    front: peaks over tilts of flat pads and of shapes; -o FILE draws it
Walks on these pads: shape_walks.py beside this file.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from contact.ground import Ground, parse_ground
from contact.press import RigidMotion, Wrench, press
from contact.shape_design import (
    ShapeDesign,
    ShapeProblem,
    ShapeResult,
    ShapeWorth,
    load_shape_design,
    search_shape,
)
from sole.base.numba_settings import set_up_numba
from sole.condense import CondensedSole
from sole.mesh import mesh_shape
from sole.shape import load_shape

STUDIES = Path(__file__).resolve().parents[2] / "examples" / "studies"
SIZE, FINER = 0.024, (0.017, 0.012)  # m
ELSEWHERE = (
    "plane", "step:0.004,-0.06", "step:0.004,0", "step:0.004,0.02", "step:0.004,0.05,angle_deg=180",
    "bump:0.003,0.05,0.05,0", "bump:0.003,0.05,-0.02,-0.05", "bump:0.003,0.05,0,0.02",
)  # fmt: skip
FACTORS = (0.2, 0.3, 0.4, 0.5)  # of E, of the flat pads whose margins shapes must keep
KINDS = ("plane", "step", "bump")


def problem(
    design: ShapeDesign, size: float = SIZE, grounds: Sequence[str] | None = None
) -> ShapeProblem:
    """Return the example's problem on a mesh of another size [m] or on other grounds."""
    if grounds is not None:
        design = replace(design, grounds=tuple(grounds))
    mesh = mesh_shape(load_shape(STUDIES / "shape_pad.toml"), size_tread=size, size_bond=size)
    return ShapeProblem(design, mesh, design.parsed_grounds(STUDIES))


def example(quick: bool) -> ShapeDesign:
    """Return the shipped design, short if `quick`."""
    design = load_shape_design(STUDIES / "shape_gradient.toml")
    if quick:
        design = replace(design, grounds=("plane", "step:0.004,0.04", "bump:0.003,0.05,0.07,0.03"))
        design = replace(design, search=replace(design.search, evaluations=6, population=5))
    return design


def found(quick: bool) -> ShapeResult:
    """Return the result by gradients."""
    return search_shape(problem(example(quick), 0.04 if quick else SIZE))


def within_margins_of(factor: float, quick: bool) -> ShapeResult:
    """Return the shape within the margins of the flat pad of a factor of E."""
    design = example(quick)
    p = problem(design, 0.04 if quick else SIZE)
    tilt = float(p.worth(np.zeros(p.fields.size), factor).tilts.max()) * (1 + 1e-6)
    limits = replace(design.search, tilt=tilt)
    if not quick:
        limits = replace(limits, evaluations=120)  # 60 may find nothing better within tight margins
    return search_shape(problem(replace(design, search=limits), 0.04 if quick else SIZE))


def by_kind(values: np.ndarray, grounds: Sequence[str], reduce: str) -> list[float]:
    """Return the mean or max over each kind of ground; nan where there is none."""
    rows = values.reshape(len(grounds), -1)
    told = []
    for kind in KINDS:
        mine = [row for row, text in zip(rows, grounds, strict=True) if text.startswith(kind)]
        told.append(float(getattr(np, reduce)(mine)) if mine else math.nan)
    return told


def show_search(quick: bool, budget: int) -> None:
    """Print the comparison of the methods."""
    design = example(quick)
    evolution = replace(design.search, method="evolution", evaluations=budget)
    print("| search | shapes condensed | CPU [s] | mean peak [m/s^2] | gain |")
    print("|---|---|---|---|---|")
    results = []
    for d in (design, replace(design, search=evolution)):
        began = time.process_time()
        result = search_shape(problem(d, 0.04 if quick else SIZE))
        cpu = time.process_time() - began
        if not results:
            print(f"| best flat pad | 1 | | {result.flat.peak:.2f} | 0 |")
        name = "gradients" if d is design else "evolution"
        print(
            f"| {name} | {result.evaluations} | {cpu:.0f} | {result.best.peak:.2f} | "
            f"{100 * result.gain:.0f} % |", flush=True,
        )  # fmt: skip
        results.append(result)
    steep, evolved = results
    good = (t for t in steep.trials if t.excess <= steep.FEASIBLE)
    reached = next((t.number for t in good if t.peak <= evolved.best.peak), None)
    first = next(t.number for t in evolved.trials if t is evolved.best)
    print(f"\nevolution's best came after {first} shapes, gradients had it after {reached}")


def show_elsewhere(quick: bool) -> None:
    """Print both pads on other meshes and grounds."""
    result = found(quick)
    design = result.problem.design
    print("| mesh, grounds | pad | peak: plane, step, bump [m/s^2] | tilt [deg] | sink |")
    print("|---|---|---|---|---|")
    cases = [(SIZE, design.grounds), (SIZE, ELSEWHERE), *((s, design.grounds) for s in FINER)]
    for size, grounds in [(0.04, ELSEWHERE)] if quick else cases:
        p = problem(design, size, grounds)
        name = "searched" if grounds is design.grounds else "others"
        for pad, trial in (("flat", result.flat), ("shaped", result.best)):
            w = p.worth(trial.heights, trial.factor)
            _row(f"{len(p.areas)} nodes, {name}", pad, w, grounds)


def _row(where: str, pad: str, w: ShapeWorth, grounds: Sequence[str]) -> None:
    peaks = ", ".join(f"{x:.1f}" for x in by_kind(w.peaks, grounds, "mean"))
    tilts = ", ".join(f"{math.degrees(x):.2f}" for x in by_kind(w.tilts, grounds, "max"))
    print(f"| {where} | {pad} | {peaks} | {tilts} | {w.sinks.max():.3f} |", flush=True)


def soles(result: ShapeResult) -> dict[str, CondensedSole]:
    """Return the flat and the shaped pad, condensed."""
    flat = result.problem.derivatives(result.flat.heights).sole.scaled(result.flat.factor)
    return {"flat": flat, "shaped": result.sole}


def show_friction(quick: bool) -> None:
    """Print peaks and tilts of presses with Coulomb's friction, mu 0.8.

    "equal" is the first shape, searched within the margins of ever stiffer flat pads, that tilts no
    more than the flat pad on any ground with friction, too.
    """
    result = found(quick)
    design, pads = result.problem.design, soles(result)
    texts = design.grounds[:1] if quick else design.grounds
    grounds = [parse_ground(text) for text in texts]
    tilts = {name: [_tilt(pad, g, design) for g in grounds] for name, pad in pads.items()}
    for factor in FACTORS[-1:] if quick else FACTORS[2:]:
        pad = within_margins_of(factor, quick).sole
        told = [_tilt(pad, g, design) for g in grounds]
        if all(e <= f for e, f in zip(told, tilts["flat"], strict=True)) or quick:
            pads["equal"], tilts["equal"] = pad, told
            print(f"equal: searched within the margins of a flat pad of {factor:g} E")
            break
    print("| ground | pad | peak, upright [m/s^2] | tilt [deg] |")
    print("|---|---|---|---|")
    for k, text in enumerate(texts):
        for name, pad in pads.items():
            peak = _peak(pad, grounds[k], design.stop.energy) / design.stop.mass
            tilt = math.degrees(tilts[name][k])
            print(f"| {text} | {name} | {peak:.1f} | {tilt:.2f} |", flush=True)


def _tilt(sole: CondensedSole, ground: Ground, design: ShapeDesign) -> float:
    """Return the largest tilt [rad] of the standing foot over its centres of pressure."""
    half, F = np.ptp(sole.points[:, :2], axis=0) / 2 * design.stand.reach, design.stand.force
    tilt = 0.0
    for x, y in ((half[0], 0), (-half[0], 0), (0, half[1]), (0, -half[1])):
        done = press(sole, Wrench(fz=F, tx=y * F, ty=-x * F), ground)
        tilt = max(tilt, float(np.hypot(*done.motion[3:5])))
    return tilt


def _peak(sole: CondensedSole, ground: Ground, energy: float) -> float:
    """Return the force [N] at which the work of an upright press is the energy [J]."""
    sinks = np.linspace(0, 0.25 * sole.thickness, 26)
    forces = [0.0]
    for sink in sinks[1:]:
        forces.append(float(press(sole, RigidMotion(sink=float(sink)), ground).wrench[2]))
        work = np.concatenate([[0], np.cumsum(np.diff(sinks[: len(forces)]) * (
            np.array(forces[1:]) + forces[:-1]) / 2)])  # fmt: skip
        if work[-1] > energy:
            return float(np.interp(energy, work, forces))
    return math.nan


def show_front(quick: bool, output: Path | None) -> None:
    """Print and draw peaks over tilts: flat pads, and shapes within their margins."""
    design = example(quick)
    p = problem(design, 0.04 if quick else SIZE)
    flat = np.zeros(p.fields.size)
    curve = []
    for factor in np.geomspace(0.15, 3.0, 13):
        w = p.worth(flat, float(factor))
        curve.append((math.degrees(w.tilts[:4].max()), w.peaks.mean()))
    rows = []
    for factor in FACTORS[:1] if quick else FACTORS:
        result = within_margins_of(factor, quick)
        a, b = result.flat_worth, result.best_worth
        rows.append((math.degrees(a.tilts[:4].max()), a.peaks.mean(),
                     math.degrees(b.tilts[:4].max()), b.peaks.mean(), result))  # fmt: skip
    print("| factor of E, flat | tilt on the plane: flat, shaped [deg] | peak [m/s^2] | gain |")
    print("|---|---|---|---|")
    for x, y, u, v, result in rows:
        print(f"| {result.flat.factor:.3f} | {x:.2f}, {u:.2f} | {y:.1f}, {v:.1f} | "
              f"{100 * (1 - v / y):.0f} % |")  # fmt: skip
    if output is not None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5.6, 4.0), layout="constrained")
        axes = figure.subplots()
        axes.plot(*np.array(curve).T, "o-", color="C0", ms=3, label="flat pads of any E")
        for k, (x, y, u, v, _) in enumerate(rows):
            axes.annotate("", (u, v), (x, y), arrowprops={"arrowstyle": "->", "color": "0.6"})
            axes.plot(u, v, "s", color="C1", label="shape within its margins" if not k else None)
        peak = "peak of landings, mean over all grounds [m/s$^2$]"
        axes.set(xlabel="tilt of the standing foot on the plane [deg]", ylabel=peak)
        axes.set(xlim=(0, None), ylim=(0, None))
        axes.legend()
        figure.savefig(output, dpi=150)


def main(words: Sequence[str] | None = None) -> None:
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["search", "elsewhere", "friction", "front"])
    parser.add_argument("--budget", type=int, default=1200, help="shapes of evolution")
    parser.add_argument("-o", "--output", type=Path, help="of front: the picture")
    parser.add_argument("--quick", action="store_true", help="a coarse mesh and few shapes")
    chosen = parser.parse_args(words)
    if chosen.what == "search":
        show_search(chosen.quick, 10 if chosen.quick else chosen.budget)
    elif chosen.what == "elsewhere":
        show_elsewhere(chosen.quick)
    elif chosen.what == "friction":
        show_friction(chosen.quick)
    else:
        show_front(chosen.quick, chosen.output)


if __name__ == "__main__":
    set_up_numba()
    with threadpool_limits(1):
        main()
