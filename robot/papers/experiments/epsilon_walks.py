"""Walks on vertices for several epsilon: counts of lift-offs, kept, and ratios with intervals.

A single walk is touchy: a change of the landing speed by a twentieth moves its number of lift-offs
by tens of per cent. So walks come in pairs, with and without epsilon but alike otherwise, and with
the ratios r_i of n pairs

    ratio = exp(mean ln r),    95 % interval: exp(mean ln r -+ t_(n-1) s / sqrt(n)).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from robot.papers.experiments.lost_contacts import LiftOffs, count_lift_offs
from robot.papers.experiments.vertex_walk import VertexCase, VertexRecord, walk_on_vertices
from sole.base.archive import replacing

__all__ = ["EPSILONS", "STEPS", "PairedRatio", "count_epsilons", "epsilon_cases", "paired_ratio"]

EPSILONS = {"0": 0.0, "1": -1e-6, "10": -1e-5, "100": -1e-4}  # by name in um: [m]
QUICK = ("0", "1", "100")
STEPS = (2e-4, 1e-4)  # s
LANDINGS = (0.05, 0.045, 0.055)  # m/s
KEPT = "vertex_walks.json"


class PairedRatio(NamedTuple):
    """Ratio of counts with its 95 % interval; NaN for less than two pairs."""

    ratio: float
    low: float
    high: float


def epsilon_cases(*, quick: bool) -> list[VertexCase]:
    """Return the walks: one for three epsilon, or all four, three landings and both time steps."""
    if quick:
        return [VertexCase(epsilon=EPSILONS[name]) for name in QUICK]
    return [
        VertexCase(epsilon=epsilon, dt=dt, landing=landing)
        for landing in LANDINGS
        for dt in STEPS
        for epsilon in EPSILONS.values()
    ]


def count_epsilons(
    cases: Sequence[VertexCase],
    tell: Callable[[int], Callable[[float], None]],
    keep: Callable[[str, VertexRecord], None] | None = None,
    folder: Path | None = None,
) -> dict[tuple[str, float], list[LiftOffs]]:
    """Return the counts of the `cases` by epsilon's name and dt [s].

    Parameters
    ----------
    tell : the k-th gives what is told the progress of the k-th walk.
    keep : gets epsilon's name and the record of the walks with the usual landing and time step.
    folder : counts are kept there, in `KEPT`; a walk that is kept is not walked again.
    """
    names = {value: name for name, value in EPSILONS.items()}
    path = None if folder is None else folder / KEPT
    known: dict[str, list[float]] = {}
    if path is not None and path.exists():
        known = json.loads(path.read_text(encoding="utf-8"))
    counts: dict[tuple[str, float], list[LiftOffs]] = {}
    for k, case in enumerate(cases):
        key, name = repr(case), names[case.epsilon]
        wanted = keep is not None and case == VertexCase(epsilon=case.epsilon)
        if key not in known or wanted:
            record = walk_on_vertices(case, tell(k))
            known[key] = list(count_lift_offs(record))
            if keep is not None and wanted:
                keep(name, record)
            if path is not None:
                with replacing(path) as temporary:
                    temporary.write_text(json.dumps(known, indent=1), encoding="utf-8")
        counts.setdefault((name, case.dt), []).append(LiftOffs._make(known[key]))
    return counts


def paired_ratio(over: Sequence[float], under: Sequence[float]) -> PairedRatio:
    """Return the ratio of the first of two lists of counts, pair by pair, to the second."""
    from scipy.stats import t

    logs = np.log(np.maximum(over, 0.5) / np.maximum(under, 0.5))
    mean, n = float(logs.mean()), len(logs)
    if n < 2:
        return PairedRatio(float(np.exp(mean)), np.nan, np.nan)
    half = float(t.ppf(0.975, n - 1) * logs.std(ddof=1) / np.sqrt(n))
    return PairedRatio(*(float(np.exp(mean + d)) for d in (0.0, -half, half)))
