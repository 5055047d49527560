"""What a tick of sole-aware control costs: dynamics and program (build), and its solution.

    python benchmarks/sole_aware_tick.py [--quick]

hrp2-like stands, and walks, on soles of 1 MPa; medians and 99th percentiles of the processor time
of a tick [us], after the first 0.3 s. In a walk the simulator works between the ticks, and takes
the processor's caches; "alone" are the same ticks once more, on the readings that were kept.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from page_tables.printing import print_table

from robot.control import Sensed, SoleAware
from robot.gait import Gait, Standing, Walking
from robot.simulator import Command
from robot.walk import Scenario, SoleChoice, assemble_walk, replace_values
from sole.base.numba_settings import set_up_numba

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


def ticks(gait: Gait, noisy: bool, quick: bool) -> dict[str, dict[str, Any]]:
    """Return the times (T,) of the parts of each tick, in a walk and alone."""
    scenario = Scenario(sole=SoleChoice(young=1e6), gait=gait)
    scenario = replace_values(
        scenario,
        control={"kind": "sole-aware"},
        sensing={"kind": "noisy" if noisy else "true"},
        settle=0.1 if quick else 0.5,
    )
    walk = assemble_walk(scenario)
    control = walk.controller
    assert isinstance(control, SoleAware)
    steps = walk.steps()
    next(steps)  # `steps` makes the controller anew
    first, update, kept = control.arrays(), control.update, list[tuple[Sensed, float]]()

    def noted(sensed: Sensed, t: float) -> Command:
        parts = (np.array(x) for x in (sensed.q, sensed.v, sensed.wrenches))
        kept.append((Sensed(**dict(zip(("q", "v", "wrenches"), parts, strict=True))), t))
        return measured(sensed, t)

    times = {}
    with measuring(control) as times["in a walk"]:
        measured, control.update = control.update, noted  # type: ignore[method-assign]
        for _ in steps:
            pass
    control.update = update  # type: ignore[method-assign]
    control.restore(first)
    with measuring(control) as times["alone"]:
        for sensed, t in kept:
            control.update(sensed, t)
    begun = 0 if quick else SKIPPED
    return {
        told: {name: np.array(parts[name][begun:]) for name in PARTS}
        for told, parts in times.items()
    }


@contextmanager
def measuring(control: SoleAware) -> Iterator[dict[str, list[float]]]:
    """Give the times of the parts of each tick that is made inside."""
    times, plain = defaultdict[str, list[float]](list), {n: getattr(control, n) for n in PARTS}
    for name, part in plain.items():
        setattr(control, name, timed(times[name], part))
    yield times
    for name, part in plain.items():
        setattr(control, name, part)


def rows(quick: bool) -> Iterator[list[str]]:
    """Return the rows of the table."""
    stand = Standing(initial=0.05 if quick else 1.0, final=0.05)
    gaits = {"stands": stand} if quick else {"stands": stand, "walks": Walking(steps=2)}
    for told, gait in gaits.items():
        for noisy in (False, True):
            for where, found in ticks(gait, noisy, quick).items():
                build, solve, whole = (found[name] for name in PARTS)
                yield [
                    f"{told}, {'noisy' if noisy else 'true'}, {where}",
                    *(f"{np.median(x):.0f}" for x in (build, solve, build + solve, whole)),
                    f"{np.percentile(build + solve, 99):.0f}",
                ]


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    words = sys.argv[1:] if words is None else words
    print_table(HEADER, rows("--quick" in words))


if __name__ == "__main__":
    set_up_numba()
    main()
