"""The same scenario at dt, dt/2 and dt/4, to see which metrics depend on the time step.

The controller keeps its period, and between its commands the joints follow the commanded velocities
(`robot.simulator.Command.before`); so differences are errors of the time step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from robot.measures import Convergence, judge_tables, metrics
from robot.run import Run
from robot.soles import FeetOnSoles
from robot.walk.assembly import Soles, assemble_walk
from robot.walk.execution import Executed, RecordingOptions, execute
from robot.walk.scenario import Scenario
from sole.base.errors import ConfigError
from sole.base.report import Quantity
from sole.base.stopping import interruptible

PARTS = (1, 2, 4)


@dataclass(frozen=True, kw_only=True)
class Refinement:
    """Three runs, judged.

    Parameters
    ----------
    dts : time steps [s]. finest : the run with the shortest step, or the one that was stopped.
    found : metric -> its three values and verdict; empty if a run was stopped.
    units : units of the metrics. feet : robot and soles of the finest run. notes : what was changed
        for the walk to be possible, in words.
    """

    dts: tuple[float, ...]
    finest: Executed
    found: Mapping[str, Convergence]
    units: Mapping[str, str]
    feet: FeetOnSoles
    notes: tuple[str, ...]


def refine(
    scenario: Scenario,
    folder: Path | None,
    options: RecordingOptions,
    tell: Callable[[float], None] = lambda share: None,
    *,
    soles: Soles | None = None,
    measure: Callable[[Run], dict[str, Quantity]] = metrics,
) -> Refinement:
    """Run a scenario at dt, dt/2 and dt/4, with snapshots and margins at the same times.

    `tell` is called with the share of steps done. `soles` : as in `assemble_walk`. `measure` :
    returns the metrics to judge.

    Raises
    ------
    ConfigError
        Peaks need every step, but `options` leaves some out.
    """
    if options.every != 1:
        raise ConfigError(f"convergence needs every step (every = 1), got every = {options.every}")
    dts = tuple(scenario.dt / part for part in PARTS)
    tables: list[dict[str, Quantity]] = []
    for part, dt in zip(PARTS, dts, strict=True):
        with interruptible():
            landing = None if scenario.landing_dt is None else scenario.landing_dt / part
            walk = assemble_walk(replace(scenario, dt=dt, landing_dt=landing), folder, soles)
        finer = replace(options, nodes=part * options.nodes, margins=part * options.margins)

        def told(t: float, part: int = part, seconds: float = walk.duration) -> None:
            tell((part - 1 + part * t / seconds) / sum(PARTS))

        done = execute(walk, finer, told)
        if done.error is not None:
            return Refinement(
                dts=dts, finest=done, found={}, units={}, feet=walk.feet, notes=walk.notes
            )
        tables.append(measure(done.run))
    units = {name: quantity.unit for name, quantity in tables[-1].items()}
    return Refinement(
        dts=dts,
        finest=done,
        found=judge_tables(tables),
        units=units,
        feet=walk.feet,
        notes=walk.notes,
    )
