"""Metrics of feet and soles: CoP, wrench margins, slip, residual displacement, pressure.

A residual displacement is that of an unloaded sole at the end of a flight. Without viscosity it is
zero; with viscosity it is d exp(-t/eta) after the time t in the air from d.

The margin of a foot against slipping, yawing and tilting is that of `contact.wrench_cone` for a
rigid rectangle: 1 for a vertical force at the centre, 0 on the boundary, negative outside. The
friction pyramid is the inscribed one, mu/sqrt 2, so a positive margin implies that the friction
cone holds; a simulation with the whole cone may have a slightly negative margin.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from contact.frames import wrenches_about
from robot.measures.landings import StanceRows, flights, stances
from robot.run import Run, TreadNodes, largest_deformation
from sole.base.arrays import BoolArray, FloatArray
from sole.base.report import Quantity
from sole.condense import STRAIN_LIMIT, describe_excess

NOT_SOLVED = "not recorded: a penalty law has no contact solver"
LEAST = 0.05  # of the weight: CoP and margins of a foot with less load are left out
CARRIES = 0.3  # of the weight: a foot that has carried this for SETTLED stands
SETTLED = 0.05  # s


def stances_of(run: Run, foot: int) -> list[StanceRows]:
    """Return the rows [first, end) of the stances of a foot."""
    load = run["wrench_world"][:, foot, 2]
    return stances(load, run.every * run.dt, run.weight)


def pressure_centre(run: Run, seen: BoolArray) -> dict[str, Quantity]:
    """Return the range of the CoP of a loaded foot, and its smallest distance to an edge."""
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
        "CoP excursion x": Quantity(both[0], "m", "range on one foot; larger of both feet"),
        "CoP excursion y": Quantity(both[1], "m", "range on one foot; larger of both feet"),
        "CoP to edge": Quantity(min(edge, default=None), "m", "smallest; rectangular foot"),
    }


def margins(run: Run, seen: BoolArray) -> dict[str, Quantity]:
    """Return the smallest wrench-cone margins of loaded feet, and how the foot would fail.

    One counts at any time, so a landing foot may slide for a moment; the other in stance only.
    """
    names = "wrench margin", "stance margin"
    worst = dict.fromkeys(names, math.inf)
    said = dict(zip(names, ("no foot is loaded", "no foot stands"), strict=True))
    for f, foot in enumerate(run.feet):
        treads = [run.treads[b] for b in run.bodies_of(f)]
        value, word = foot_margins(run["wrench_foot"][:, f], treads, LEAST * run.weight)
        value = np.where(seen & np.isfinite(value), value, np.inf)
        for name, rows in zip(names, (seen, find_standing(run, f)), strict=True):
            i = int(np.argmin(np.where(rows, value, np.inf)))
            if rows[i] and value[i] < worst[name]:
                worst[name] = float(value[i])
                said[name] = f"{foot}, at {run.time[i]:.4g} s: {word(i)}"
    return {
        name: Quantity(least if math.isfinite(least) else None, "", f"smallest; {said[name]}")
        for name, least in worst.items()
    }


def find_standing(run: Run, foot: int) -> BoolArray:
    """Return (T,): whether a foot has carried `CARRIES` of the weight for `SETTLED` seconds."""
    light = run["wrench_world"][:, foot, 2] < CARRIES * run.weight
    last = np.maximum.accumulate(np.where(light, run.time, -np.inf))
    settled: BoolArray = run.time - last > SETTLED
    return settled


def soles(run: Run, seen: BoolArray) -> dict[str, Quantity]:
    """Return slip, displacement under load and after it, depth, and the largest pressure."""
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
            float(run["sole_displacement"][seen].max()), "m", "largest at a node"
        ),
        "deformation": _deformation(run, seen),
        "residual displacement": Quantity(
            max(residual, default=None), "m", "largest of an unloaded sole at the end of a flight"
        ),
        **_depth(run, seen),
        "pressure": Quantity(
            float(run["pressure"][seen].max()), "Pa", "largest at a node: depends on the mesh"
        ),
    }


def _deformation(run: Run, seen: BoolArray) -> Quantity:
    share, sole = largest_deformation(run["sole_displacement"][seen], run.treads)
    told = "displacement over thickness"
    if "strain_p99" not in run.header:
        told = describe_excess(share) or f"{told}; limit {STRAIN_LIMIT:g}"
    return Quantity(share, "", f"{sole}: {told}" if sole else "rigid feet")


def _depth(run: Run, seen: BoolArray) -> dict[str, Quantity]:
    if "penetration" not in run:
        return {}
    worst = float(run["penetration"][seen].max(initial=0.0))
    return {"penetration": Quantity(worst, "m", "largest depth of a node in the ground")}


def _slip(run: Run, seen: BoolArray) -> Quantity:
    if "slip" not in run:
        return Quantity(None, "m", NOT_SOLVED)
    paths = [run["slip"][:, run.bodies_of(f)] for f in range(len(run.feet))]
    slid = [float((path[-1] - path[np.argmax(seen)]).max()) for path in paths]
    return Quantity(max(slid, default=0.0), "m", "sliding distance; larger of both feet")


def foot_margins(
    wrenches: FloatArray, treads: list[TreadNodes], least: float
) -> tuple[FloatArray, Callable[[int], str]]:
    """Return the margins (T,) of a foot's `wrenches` (T, 6) about its origin, and their meaning.

    Parameters
    ----------
    treads : treads of the foot, in its axes. The rectangle is their bounding box at the lowest z.
    least : vertical force [N] below which the margin is NaN.

    The returned function says in words how the foot would fail at a row.
    """
    from contact.wrench_cone import UNLOADED, WrenchCone

    points = np.concatenate([t.points for t in treads])
    low, high = points.min(axis=0), points.max(axis=0)
    X, Y = (high - low)[:2] / 2
    mu = min(t.friction for t in treads)
    margins = np.full(len(wrenches), np.nan)
    facets = np.full(len(wrenches), UNLOADED)
    if not (X > 0 and Y > 0 and mu > 0):
        return margins, lambda row: "a foot without area or friction"
    cone = WrenchCone.of_rectangle(float(X), float(Y), mu, "inner")
    seen = wrenches[:, 2] > least
    center = np.array([*(low + high)[:2] / 2, low[2]])
    margin = cone.margin(wrenches_about(wrenches[seen], center))
    margins[seen], facets[seen] = margin.value, margin.facet
    return margins, lambda row: cone.word(int(facets[row]))
