"""What a tick of sole-aware control costs: dynamics and program (build), and its solution.

    python benchmarks/sole_aware_tick.py [--quick]

hrp2-like stands, and walks, on soles of 1 MPa; medians and 99th percentiles of the processor time
of a tick in a running walk [us], after the first 0.3 s.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from page_tables.printing import print_table

from robot.control import SoleAware
from robot.gait import Gait
from robot.walk import Scenario, SoleChoice, assemble_walk, replace_values

SKIPPED = 300  # ticks
HEADER = "robot, sensors | build [us] | solve [us] | both [us] | whole tick [us] | both, 99 % [us]"
PARTS = ("program", "solve", "update")


def timed(times: list[float], call: Callable[..., Any]) -> Callable[..., Any]:
    """Return `call`, which then writes down its processor time [us]."""

    def measured(*given: Any, **named: Any) -> Any:
        begun = time.thread_time()
        answer = call(*given, **named)
        times.append(1e6 * (time.thread_time() - begun))
        return answer

    return measured


def ticks(gait: Gait, noisy: bool, quick: bool) -> dict[str, Any]:
    """Return the times (T,) of the parts of each tick."""
    scenario = Scenario(sole=SoleChoice(young=1e6), gait=gait)
    scenario = replace_values(
        scenario,
        control={"kind": "sole-aware"},
        sensing={"kind": "noisy" if noisy else "true"},
        settle=0.1 if quick else 0.5,
    )
    walk, times = assemble_walk(scenario), defaultdict[str, list[float]](list)
    control = walk.controller
    assert isinstance(control, SoleAware)
    steps = walk.steps()
    next(steps)  # `steps` makes the controller anew
    for name in PARTS:
        setattr(control, name, timed(times[name], getattr(control, name)))
    for _ in steps:
        pass
    return {name: np.array(times[name][0 if quick else SKIPPED :]) for name in PARTS}


def rows(quick: bool) -> Iterator[list[str]]:
    """Return the rows of the table."""
    stand = Gait(kind="stand", initial=0.05 if quick else 1.0, final=0.05)
    gaits = {"stands": stand} if quick else {"stands": stand, "walks": Gait(steps=2)}
    for told, gait in gaits.items():
        for noisy in (False, True):
            found = ticks(gait, noisy, quick)
            build, solve, whole = (found[name] for name in PARTS)
            yield [
                f"{told}, {'noisy' if noisy else 'true'}",
                *(f"{np.median(x):.0f}" for x in (build, solve, build + solve, whole)),
                f"{np.percentile(build + solve, 99):.0f}",
            ]


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    words = sys.argv[1:] if words is None else words
    print_table(HEADER, rows("--quick" in words))


if __name__ == "__main__":
    main()
