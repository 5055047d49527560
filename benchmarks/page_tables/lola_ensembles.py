"""The walks of `lola-like` on ground that its plan does not know, as ensembles.

Every walk has draws of its own: place and angle of the edge, rhythm, length of the steps and E of
the soles (`robot.papers.experiments.lola_cases`). What a table fixes, it names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from robot.control import ForceChoice
from robot.papers.experiments.lola_cases import (
    BOX,
    DOWN,
    HEEL,
    TOES,
    UP,
    EdgeCase,
    Keys,
    Places,
    draws,
)
from robot.papers.experiments.obstacle_and_drop import (
    BOARD,
    DROP,
    EXACT_U,
    FULL,
    ON_ROBOT,
    SIMULATED,
    SMALL,
    board,
    drop,
    fixed_drop,
    flat,
    low_obstacle,
    springs,
    unheeded,
    without,
)

DROPS, RISES, BOXES = (0.01, 0.02, 0.04, 0.055), (0.01, 0.02, 0.04, 0.09), (0.04, 0.09)  # m
EVERY = (*(-h for h in DROPS), *RISES)
LENGTH = 0.3  # m of a box
FEW = 6  # walks in a cell of a large table
YOUNGS = (0.5e6, 1e6, 2e6, 5e6, 10e6, 20e6)  # Pa
HEIGHTS = (-0.055, -0.02, 0.04, 0.09)  # m of the tables of soles and of ways
KINDS = ("force", "stabiliser")
WAYS = ("fixed", "online", "force", "noisy", "noisy-force")
HIGHER, STRIDES = (0.09, 0.13), (0.3, 0.35, 0.375, 0.4, 0.45)  # m
OVER = Keys(step_over=True)
KEYS = (OVER, *(Keys(lift=lift, arrive=arrive) for lift in (0.06, 0.12) for arrive in (0.9, 0.8)))
ANYWHERE = 10  # places of an edge, all over a step
WHOLE = ForceChoice()
Cases = list[EdgeCase]


def clean(height: float, count: int = FULL) -> Cases:
    """Return walks over edges that no foot stands on by a strip."""
    return [EdgeCase(height=height, **d) for d in draws(count, _places(height))]


def boxes(height: float) -> Cases:
    """Return walks over a box of 30 cm."""
    return [EdgeCase(height=height, length=LENGTH, **d) for d in draws(FULL, BOX)]


def partial(height: float) -> Cases:
    """Return walks with an edge under a heel, at a rise also under toes."""
    under = (HEEL,) if height < 0 else (HEEL, TOES)
    return [EdgeCase(height=height, **d) for places in under for d in draws(FEW, places)]


def on_soles(height: float, young: float, kind: str) -> Cases:
    """Return walks on soles of E = `young` [Pa] under a law."""
    return [replace(c, young=young, kind=kind) for c in clean(height, FEW)]


def way(height: float, name: str) -> Cases:
    """Return walks by plan, law and sensors: one of `WAYS`."""
    kind = "force" if name.endswith("force") else "stabiliser"
    return [
        replace(c, kind=kind, phase_logic=name != "fixed", noise=k if "noisy" in name else None)
        for k, c in enumerate(clean(height, FEW), start=1)
    ]


def higher(height: float, keys: Keys, kind: str) -> Cases:
    """Return walks over a rise with these keys and no others."""
    return [replace(c, keys=keys, kind=kind) for c in clean(height, FEW)]


def striding(forward: float) -> Cases:
    """Return walks of the stabiliser down 5.5 cm with steps of this length [m]."""
    return [replace(c, forward=forward, kind="stabiliser") for c in clean(DROP, FEW)]


def anywhere(forward: float) -> Cases:
    """Return the same with edges at places all over a step."""
    return [
        replace(c, forward=forward, kind="stabiliser", turned=0.0, back=back)
        for c, back in zip(clean(DROP, ANYWHERE), backs(forward), strict=True)
    ]


def by_place(forward: float) -> Cases:
    """Return walks that differ in nothing but the place of the edge."""
    return [EdgeCase(height=DROP, kind="stabiliser", back=back) for back in backs(forward)]


def backs(forward: float) -> list[float]:
    """Return places of an edge all over a step [m before the third foothold]."""
    return [round(forward * (k + 0.5) / ANYWHERE, 6) for k in range(ANYWHERE)]


def pairs() -> Iterator[tuple[str, Cases, Cases]]:
    """Yield the paper's comparisons: before, after."""
    simulated, on_robot = without(SIMULATED), without(ON_ROBOT)
    for name, cases, before, after in (
        ("figure 7: fixed plan, drop of 5.5 cm, g_a 0 and 0.8", fixed_drop, on_robot, ON_ROBOT),
        ("fixed plan, drop of 1 cm, kappa = 1, g_a 0 and 0.5", _low, without(EXACT_U), EXACT_U),
        ("figure 7 on the online plan, g_a 0 and 0.8", drop, on_robot, ON_ROBOT),
        ("figure 6: board of 9 cm, g_a 0 and 1", board, simulated, SIMULATED),
        ("obstacle of 4 cm, point springs and U", low_obstacle, springs(simulated), simulated),
        ("flat ground, point springs and U", flat, springs(on_robot), on_robot),
    ):
        yield name, cases(before), cases(after)


def in_order() -> Iterator[EdgeCase]:
    """Yield all walks: those that claims are judged by first, then table by table."""
    for _, before, after in pairs():
        for two in zip(before, after, strict=True):
            yield from two
    yield from flat(WHOLE)
    for height in EVERY:
        yield from clean(height)
    for height in BOXES:
        yield from boxes(height)
    for height in EVERY:
        yield from partial(height)
    for name in WAYS:
        for height in HEIGHTS:
            yield from way(height, name)
    for height in HIGHER:
        for keys in KEYS[: None if height == BOARD else 1]:
            for kind in KINDS:
                yield from higher(height, keys, kind)
    for forward in STRIDES:
        yield from (*striding(forward), *anywhere(forward))
    yield from by_place(0.35)
    for k in range(FEW):
        for kind in KINDS:
            for young in YOUNGS:
                for height in HEIGHTS:
                    yield on_soles(height, young, kind)[k]


def _low(law: ForceChoice) -> Cases:
    return unheeded(SMALL, law)


def _places(height: float) -> Places:
    return UP if height > 0 else DOWN
