"""The same scenario at dt, dt/2 and dt/4: which of its numbers depend on the step.

The controller keeps its period, and between its commands the joints follow the velocities asked
for (`robot.mechanics.servo.Command.before`); so what is left are errors of the time step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from robot.measures.convergence import Convergence
from robot.metrics import judged, metrics
from robot.run import Run
from robot.running.assembly import Soles, assemble
from robot.running.execution import Executed, Kept, execute
from robot.running.stopping import interruptible
from robot.scenario import Scenario
from robot.soles import FeetOnSoles
from sole.errors import ConfigError
from sole.report import Quantity

PARTS = (1, 2, 4)


@dataclass(frozen=True, kw_only=True)
class Refinement:
    """Three runs, judged.

    Parameters
    ----------
    dts : of the steps [s]. finest : the run of the shortest, or the one that something stopped.
    found : metric -> its three values and verdict; empty if something stopped it.
    units : of the metrics. feet : robot and soles of the finest.
    """

    dts: tuple[float, ...]
    finest: Executed
    found: Mapping[str, Convergence]
    units: Mapping[str, str]
    feet: FeetOnSoles


def refine(
    scenario: Scenario,
    folder: Path | None,
    kept: Kept,
    tell: Callable[[float], None] = lambda share: None,
    *,
    soles: Soles | None = None,
    measure: Callable[[Run], dict[str, Quantity]] = metrics,
) -> Refinement:
    """Run a scenario at dt, dt/2 and dt/4; snapshots and margins at the same times in all.

    `tell` hears which share of all steps is done. `soles` : as in `assemble`. `measure` : what is
    judged.

    Raises
    ------
    ConfigError
        Not every step is to be kept, as peaks need.
    """
    if kept.every != 1:
        raise ConfigError(f"convergence needs every step, got every {kept.every}.")
    dts = tuple(scenario.dt / part for part in PARTS)
    tables: list[dict[str, Quantity]] = []
    for part, dt in zip(PARTS, dts, strict=True):
        with interruptible():
            walk = assemble(replace(scenario, dt=dt), folder, soles)
        finer = replace(kept, nodes=part * kept.nodes, margins=part * kept.margins)

        def told(t: float, part: int = part, seconds: float = walk.duration) -> None:
            tell((part - 1 + part * t / seconds) / sum(PARTS))

        done = execute(walk, finer, told)
        if done.error is not None:
            return Refinement(dts=dts, finest=done, found={}, units={}, feet=walk.feet)
        tables.append(measure(done.run))
    units = {name: quantity.unit for name, quantity in tables[-1].items()}
    return Refinement(dts=dts, finest=done, found=judged(tables), units=units, feet=walk.feet)
