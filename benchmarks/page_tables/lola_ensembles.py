"""The walks of `lola-like` on ground that its plan does not know, as ensembles.

Each kind of ground has 5 edges x 3 rhythms x 2 materials, in the order of
`robot.papers.experiments.lola_walks.ensemble`, in which any first ten are mixed already.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from robot.control import ForceChoice
from robot.papers.experiments.lola_walks import (
    EDGES,
    PAPER_LAW,
    SOFTER,
    UP,
    EdgeCase,
    ensemble,
    with_gain,
)

DROPS, RISES, BOXES = (0.01, 0.02, 0.04, 0.055), (0.01, 0.02, 0.04, 0.09), (0.04, 0.09)  # m
ON_BOX = ((1.05, 0), (1.04, 0), (1.06, 0), (1.05, -6), (1.05, 6))  # m, deg: middle of a box
BOX = 0.3  # m, its length
PARTIAL = {  # m: edges under heel or toes
    **{-h: (0.96,) for h in DROPS},
    **dict.fromkeys(RISES, (0.8, 0.96)),
}
YOUNGS = (0.5e6, 1e6, 2e6, 5e6, 10e6, 20e6)  # Pa
HEIGHTS = (-0.055, -0.04, -0.02, 0.02, 0.04, 0.09)  # m of the map
WHOLE, WITHOUT, POINTS = ForceChoice(), ForceChoice(g_a=0.0), ForceChoice(U="points")


def clean(height: float, force: ForceChoice = WHOLE) -> list[EdgeCase]:
    """Return the thirty walks over edges that no foot stands on by a strip."""
    places = ensemble(False, edges=UP if height > 0 else EDGES)
    return [EdgeCase(height=height, force=force, **place) for place in places]


def flat(force: ForceChoice) -> list[EdgeCase]:
    """Return six walks on flat ground, where only rhythm and material vary."""
    places = {(p["rhythm"], p["young"]): p for p in ensemble(False, edges=UP)}
    return [EdgeCase(height=0.0, force=force, **place) for place in places.values()]


def boxes(height: float) -> list[EdgeCase]:
    """Return the thirty walks over a box of 30 cm."""
    places = ensemble(False, edges=ON_BOX)
    return [EdgeCase(height=height, length=BOX, **place) for place in places]


def fixed(g_a: float) -> list[EdgeCase]:
    """Return the thirty walks down 1 cm without phase logic, as in the paper's experiment."""
    law = with_gain(PAPER_LAW, g_a)
    places = ensemble(False, materials=SOFTER)
    return [EdgeCase(height=-0.01, force=law, phase_logic=False, **place) for place in places]


def partial(height: float) -> list[EdgeCase]:
    """Return walks with an edge under heel or toes: three rhythms, two materials."""
    return [
        EdgeCase(height=height, **{**place, "edge": (x, 0)})
        for x in PARTIAL[height]
        for place in list(ensemble(False))[:6]
    ]


def on_soles(height: float, young: float, kind: str) -> list[EdgeCase]:
    """Return two walks on soles of E = `young` [Pa] under a law."""
    return [replace(case, young=young, kind=kind) for case in clean(height)[:2]]


def in_order() -> Iterator[EdgeCase]:
    """Yield all walks, those first without which a table has a hole."""
    pairs = [
        clean(-0.055), clean(-0.055, WITHOUT), clean(0.09), clean(0.09, WITHOUT), fixed(0.5),
        fixed(0.0),
    ]  # fmt: skip
    others = [clean(-h) for h in DROPS[:3]] + [clean(h) for h in RISES[:3]]
    others += [clean(0.04, POINTS), *(boxes(h) for h in BOXES)]
    yield from (cases[k] for k in range(2) for cases in map(partial, PARTIAL))
    yield from (cases[6] for cases in map(partial, RISES))
    yield from (cases[k] for k in range(6) for cases in [*pairs, *others])
    yield from [*flat(POINTS), *flat(WHOLE)]
    for kind in ("force", "stabiliser"):
        yield from (on_soles(h, E, kind)[0] for E in YOUNGS for h in HEIGHTS)
    yield from (cases[k] for k in range(6, 12) for cases in [*pairs, *others])
    for kind in ("force", "stabiliser"):
        yield from (on_soles(h, E, kind)[1] for E in YOUNGS for h in HEIGHTS)
    yield from (cases[k] for k in range(12, 30) for cases in pairs)
    yield from (case for h in PARTIAL for case in partial(h))
    yield from (cases[k] for k in range(12, 30) for cases in others)
