"""Walks on vertices for several epsilon: counts of lift-offs, kept, and ratios with intervals.

A single walk is touchy: a change of the landing speed by a twentieth moves its number of lift-offs
by tens of per cent. So walks come in pairs, with and without epsilon but alike otherwise. Pairs
differ in landing speed, friction, length, height and rhythm of the steps, or in the time step;
those that are the same in every bit count once. With the ratios r_i of n distinct pairs

    ratio = exp(mean ln r),    95 % interval: exp(mean ln r -+ t_(n-1) s / sqrt(n)).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from robot.papers.experiments.lost_contacts import LiftOffs, count_lift_offs
from robot.papers.experiments.run_bits import first_of_each
from robot.papers.experiments.vertex_walk import VertexCase, walk_on_vertices
from sole.base.archive import replacing

__all__ = [
    "DRAWS",
    "EPSILONS",
    "STEPS",
    "PairedRatio",
    "count_walks",
    "epsilon_cases",
    "epsilon_numbers",
    "paired_ratio",
    "standing_pairs",
    "vertex_draws",
]

EPSILONS = {"0": 0.0, "1": -1e-6, "10": -1e-5, "100": -1e-4}  # by name in um: [m]
QUICK = ("0", "1", "100")
STEPS = (2e-4, 1e-4)  # s
DRAWS = (8, 3)  # walks for each time step
KEPT = "vertex_walks.json"
SEED = 1
RANGES = {  # of a draw
    "landing": (0.04, 0.06),  # m/s
    "friction": (0.6, 0.8),
    "forward": (0.18, 0.22),  # m
    "single": (0.33, 0.37),  # s
    "lift": (0.06, 0.08),  # m
}

Pair = tuple[LiftOffs, LiftOffs]


class PairedRatio(NamedTuple):
    """Ratio of counts with its 95 % interval; NaN for less than two pairs."""

    ratio: float
    low: float
    high: float


def vertex_draws(count: int, dt: float = STEPS[0]) -> Iterator[VertexCase]:
    """Yield walks of an ensemble: the walk of the figures first, then a Halton sequence."""
    from scipy.stats.qmc import Halton

    yield VertexCase(dt=dt)
    for u in Halton(len(RANGES), rng=SEED).random(count - 1):
        landing, friction, forward, single, lift = (
            round(float(low + (high - low) * x), 4)
            for x, (low, high) in zip(u, RANGES.values(), strict=True)
        )
        yield VertexCase(
            dt=dt, landing=landing, friction=friction, forward=forward, single=single, lift=lift
        )


def epsilon_cases(*, quick: bool) -> list[VertexCase]:
    """Return the walks: one for three epsilon, or all four, both time steps and their draws."""
    names, counts = (QUICK, (1,)) if quick else (tuple(EPSILONS), DRAWS)
    return [
        replace(draw, epsilon=EPSILONS[name])
        for dt, count in zip(STEPS, counts, strict=False)
        for draw in vertex_draws(count, dt)
        for name in names
    ]


def count_walks(
    cases: Sequence[VertexCase],
    tell: Callable[[int], Callable[[float], None]],
    folder: Path | None = None,
) -> dict[VertexCase, LiftOffs]:
    """Return what the vertices of each walk do.

    Parameters
    ----------
    tell : the k-th gives what is told the progress of the k-th walk.
    folder : counts are kept there, in `KEPT`; a walk that is kept is not walked again.
    """
    path = None if folder is None else folder / KEPT
    known: dict[str, list[Any]] = {}
    if path is not None and path.exists():
        known = json.loads(path.read_text(encoding="utf-8"))
    counts: dict[VertexCase, LiftOffs] = {}
    for k, case in enumerate(cases):
        key = repr(case)
        if key not in known:
            known[key] = list(count_lift_offs(walk_on_vertices(case, tell(k))))
            if path is not None:
                with replacing(path) as temporary:
                    temporary.write_text(json.dumps(known, indent=1), encoding="utf-8")
        counts[case] = LiftOffs._make(known[key])
    return counts


def standing_pairs(pairs: Iterable[Pair]) -> list[Pair]:
    """Return the pairs in which neither falls and that no other before equals in every bit."""
    stand = [pair for pair in pairs if not pair[0].fell and not pair[1].fell]
    return first_of_each(stand, lambda pair: (pair[0].bits, pair[1].bits))


def paired_ratio(over: Sequence[float], under: Sequence[float]) -> PairedRatio:
    """Return the ratio of the first of two lists of counts, pair by pair, to the second."""
    from scipy.stats import t

    if not len(over):
        return PairedRatio(np.nan, np.nan, np.nan)
    logs = np.log(np.maximum(over, 0.5) / np.maximum(under, 0.5))
    mean, n = float(logs.mean()), len(logs)
    if n < 2:
        return PairedRatio(float(np.exp(mean)), np.nan, np.nan)
    half = float(t.ppf(0.975, n - 1) * logs.std(ddof=1) / np.sqrt(n))
    return PairedRatio(*(float(np.exp(mean + d)) for d in (0.0, -half, half)))


def epsilon_numbers(counts: Mapping[VertexCase, LiftOffs]) -> dict[str, float]:
    """Return medians by epsilon for each time step, and ratios of pairs to epsilon = 0.

    Names end in epsilon [um] and, of the finer time step, in "_fine". Of lift-offs and of flights:
    `lifts_ratio_1`, `lifts_low_1`, `lifts_high_1` over all `distinct_1` pairs of both time steps.
    """
    numbers: dict[str, float] = {
        "walked": float(len(counts)),
        "fallen": float(sum(found.fell for found in counts.values())),
    }
    for name, epsilon in EPSILONS.items():
        for dt in STEPS:
            found = [c for case, c in counts.items() if (case.epsilon, case.dt) == (epsilon, dt)]
            fine = "" if dt == STEPS[0] else "_fine"
            if found:
                numbers[f"lifts_{name}{fine}"] = float(median(f.lifts for f in found))
                numbers[f"flights_{name}{fine}"] = float(median(f.flights for f in found))
                numbers[f"full_{name}{fine}"] = 100 * float(median(f.full for f in found))
                numbers[f"longest_{name}{fine}"] = 1e3 * float(median(f.longest for f in found))
        walks = [case for case in counts if case.epsilon == epsilon]
        pairs = standing_pairs((counts[c], counts[replace(c, epsilon=0.0)]) for c in walks)
        numbers[f"distinct_{name}"] = float(len(pairs))
        for what in ("lifts", "flights"):
            over = [getattr(one, what) for one, _ in pairs]
            under = [getattr(none, what) for _, none in pairs]
            for end, value in paired_ratio(over, under)._asdict().items():
                numbers[f"{what}_{end}_{name}"] = value
    return numbers
