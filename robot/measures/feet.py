"""Metrics of feet and soles: where the pressure went, how near to slipping, what stayed bent.

A residual displacement is what a sole that nothing touches any more has left at the end of a
flight: nothing at all without viscosity, d exp(-t/eta) after t in the air from d with it.
"""

from __future__ import annotations

import math

import numpy as np

from robot.measures.foot_margin import foot_margins
from robot.measures.footfalls import Stance, flights, stances
from robot.run import Run
from sole.arrays import BoolArray
from sole.report import Quantity

NOT_SOLVED = "not recorded: a penalty law solves nothing"
LEAST = 0.05  # of the weight: less on a foot makes no CoP and no margin that counts
CARRIES = 0.3  # of the weight on a foot for SETTLED: it stands, and neither lands nor lifts off
SETTLED = 0.05  # s


def stances_of(run: Run, foot: int) -> list[Stance]:
    """Return when a foot stands: rows [first, end)."""
    load = run["wrench_world"][:, foot, 2]
    return stances(load, run.every * run.dt, run.weight)


def pressure_centre(run: Run, seen: BoolArray) -> dict[str, Quantity]:
    """Range of the CoP of each foot while it carries load, and how near it came to an edge."""
    reach: list[float] = []
    edge: list[float] = []
    for f in range(len(run.feet)):
        loaded = seen & (run["wrench_world"][:, f, 2] > LEAST * run.weight)
        points = np.concatenate([run.treads[b].points for b in run.bodies_of(f)])[:, :2]
        low, high = points.min(axis=0), points.max(axis=0)
        cop = run["cop"][loaded, f]
        if len(cop):
            reach += np.ptp(cop, axis=0).tolist()
            edge.append(float(np.minimum(cop - low, high - cop).min()))
    both = [max(reach[k::2], default=None) for k in (0, 1)]
    return {
        "CoP excursion x": Quantity(both[0], "m", "range on one foot, the larger"),
        "CoP excursion y": Quantity(both[1], "m", "range on one foot, the larger"),
        "CoP to edge": Quantity(min(edge, default=None), "m", "nearest; the foot as a rectangle"),
    }


def margins(run: Run, seen: BoolArray) -> dict[str, Quantity]:
    """Least wrench-cone margins of a foot that carries load, and how it would give way.

    At any time, when a foot that lands may well slide for a moment, and of a foot that stands.
    """
    names = "wrench margin", "stance margin"
    worst = dict.fromkeys(names, math.inf)
    said = dict(zip(names, ("no foot is loaded", "no foot stands"), strict=True))
    for f, foot in enumerate(run.feet):
        treads = [run.treads[b] for b in run.bodies_of(f)]
        value, word = foot_margins(run["wrench_foot"][:, f], treads, LEAST * run.weight)
        value = np.where(seen & np.isfinite(value), value, np.inf)
        for name, rows in zip(names, (seen, standing(run, f)), strict=True):
            i = int(np.argmin(np.where(rows, value, np.inf)))
            if rows[i] and value[i] < worst[name]:
                worst[name] = float(value[i])
                said[name] = f"{foot}, at {run.time[i]:.4g} s: {word(i)}"
    return {
        name: Quantity(least if math.isfinite(least) else None, "", f"least; {said[name]}")
        for name, least in worst.items()
    }


def standing(run: Run, foot: int) -> BoolArray:
    """(T,) whether a foot has carried `CARRIES` of the weight for `SETTLED` seconds."""
    light = run["wrench_world"][:, foot, 2] < CARRIES * run.weight
    last = np.maximum.accumulate(np.where(light, run.time, -np.inf))
    settled: BoolArray = run.time - last > SETTLED
    return settled


def soles(run: Run, seen: BoolArray) -> dict[str, Quantity]:
    """Slip, displacement under load and after it, largest pressure."""
    residual: list[float] = []
    for f in range(len(run.feet)):
        bent = run["sole_displacement"][:, run.bodies_of(f)].max(axis=1)
        free = ~run.loaded[:, f]
        for flight in flights(stances_of(run, f), len(run)):
            rows = flight.first + np.flatnonzero(free[flight.first : flight.end])
            residual += bent[rows[-1:]].tolist()
    return {
        "slip": _slip(run, seen),
        "sole displacement": Quantity(
            float(run["sole_displacement"][seen].max()), "m", "largest of a node"
        ),
        "residual displacement": Quantity(
            max(residual, default=None), "m", "of an unloaded sole at a flight's end, largest"
        ),
        "pressure": Quantity(float(run["pressure"][seen].max()), "Pa", "largest of a node"),
    }


def _slip(run: Run, seen: BoolArray) -> Quantity:
    if "slip" not in run:
        return Quantity(None, "m", NOT_SOLVED)
    paths = [run["slip"][:, run.bodies_of(f)] for f in range(len(run.feet))]
    slid = [float((path[-1] - path[np.argmax(seen)]).max()) for path in paths]
    return Quantity(max(slid, default=0.0), "m", "sliding path of a foot, the larger")
