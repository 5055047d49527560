"""How high a rise and how long a step may be: keys and limits of docs/unknown_ground.md.

    python benchmarks/page_tables/edge_limits.py [rises] [strides] [places]

`lola-like` takes five steps, true state. Ten walks of an ensemble have five places of the edge
before the third foothold, three rhythms and the soles of 2 and 5 MPa of
`robot.papers.experiments.lola_walks`. `rises`: 9 and 13 cm, steps of 0.35 m, under both laws; 9 cm
also without `step_over`, with keys that may do without it. `strides`: drops of 5.5 cm under the
stabiliser, by the length of the steps, also at ten places all over a step, where some are under
heel or toes. `places`: how those ten end with steps of 0.35 m. Walks that are the same bit for bit
count once. Each takes five to ten seconds of processor time.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from robot.online import PlanChoice
from robot.papers.experiments.lola_walks import EdgeCase, ensemble
from robot.run import Run
from robot.walk import Kept, Scenario, assemble_walk, execute

RISES, DROP = (0.09, 0.13), -0.055  # m
STRIDE, STRIDES = 0.35, (0.3, 0.35, 0.375, 0.4, 0.45)  # m
BACK = ((0.17, 0), (0.13, 0), (0.15, 0), (0.19, -12), (0.17, 12))  # m before it, deg
WALKS = 10
LAWS = ("stabiliser", "force")


class Keys(NamedTuple):
    """`[plan] step_over` and `arrive`, `[gait] lift` [m]."""

    step_over: bool = False
    lift: float = 0.06
    arrive: float = 0.9


PLAIN, OVER = Keys(), Keys(step_over=True)
KEYS = (OVER, *(Keys(False, lift, arrive) for lift in (0.06, 0.12) for arrive in (0.9, 0.8)))


def walked(scenario: Scenario) -> Run:
    """Return the run of a walk."""
    run, error = execute(assemble_walk(scenario), Kept(every=10))
    if error is not None:
        raise error
    return run


def over(
    height: float, stride: float, back: Sequence[tuple[float, float]], keys: Keys = PLAIN,
    law: str = "stabiliser",
) -> Iterator[Run]:  # fmt: skip
    """Walk over edges of `height` [m], which are so far `back` [m, deg] of the third foothold."""
    edges = [(round(3 * stride - far, 6), angle) for far, angle in back]
    for place in islice(ensemble(False, edges=edges), WALKS):
        case = EdgeCase(height=height, kind=law, **place).scenario
        gait = replace(case.gait, forward=stride, lift=keys.lift)
        plan = PlanChoice(kind="online", arrive=keys.arrive, step_over=keys.step_over)
        yield walked(replace(case, gait=gait, plan=plan))


def counted(runs: Iterator[Run]) -> str:
    """Return how many of the distinct runs did not fall."""
    found = {run["waist_tilt"].tobytes(): bool(run.header["fall"]["fell"]) for run in runs}
    return f"{sum(not fell for fell in found.values())} of {len(found)}"


def rises() -> Iterator[list[str]]:
    """Yield a row for each height, law and set of keys."""
    for height in RISES:
        for law in LAWS:
            for keys in KEYS[: None if height == RISES[0] else 1]:
                yield [
                    f"{100 * height:g} cm", law, str(keys.step_over).lower(), f"{keys.lift:g}",
                    f"{keys.arrive:g}", counted(over(height, STRIDE, BACK, keys, law)),
                ]  # fmt: skip


def anywhere(stride: float) -> list[tuple[float, float]]:
    """Return places all over a step [m before the foothold, deg]."""
    return [(round(stride * (k + 0.5) / WALKS, 6), 0.0) for k in range(WALKS)]


def strides() -> Iterator[list[str]]:
    """Yield a row for each length of the steps."""
    for stride in STRIDES:
        ways = BACK, anywhere(stride)
        found = (counted(over(DROP, stride, back)) for back in ways)
        yield [f"{stride:g}", *found]


def places() -> Iterator[list[str]]:
    """Yield a row for each place of an edge."""
    back = anywhere(STRIDE)
    for (far, _), run in zip(back, over(DROP, STRIDE, back), strict=True):
        yield [f"{100 * far:.2f}", "falls" if run.header["fall"]["fell"] else "walks"]


RISE_KEYS = "`[plan] step_over` | `[gait] lift` [m] | `[plan] arrive`"
TABLES = {
    "rises": (f"rise | law | {RISE_KEYS} | walked", rises),
    "strides": ("step length [m] | walked | walked, edges anywhere", strides),
    "places": ("edge before the third foothold [cm] | end", places),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables that are asked for, by default all."""
    for name in list(sys.argv[1:] if arguments is None else arguments) or TABLES:
        header, rows = TABLES[name]
        print_table(header, rows())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
