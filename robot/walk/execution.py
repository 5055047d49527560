"""Run a walk until its end, a fall, Ctrl-C, a signal or an error; the run so far is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from robot.gait import WalkPlan
from robot.measures import FELL, MARGINS, SOLE_MARGIN, require_soles, sole_margins
from robot.recorder import Recorder
from robot.run import FINISHED, Channel, Run
from robot.walk.walk import Walk
from sole.base.config import written
from sole.base.errors import ConfigError
from sole.base.stopping import describe_end, stoppable

REFERENCES = {
    "com_reference": Channel(("xyz",), "m", "centre of mass of the plan, world"),
    "zmp_reference": Channel(("xy",), "m", "zero-moment point of the plan, world"),
}


class Executed(NamedTuple):
    """A run and the exception that stopped it; None if it ended regularly or the robot fell."""

    run: Run
    error: BaseException | None


@dataclass(frozen=True, kw_only=True)
class Kept:
    """Recording intervals: of steps, nodal snapshots and sole margins, every nth each.

    nodes or margins = 0: never.
    """

    every: int = 1
    nodes: int = 0
    margins: int = 0

    def __post_init__(self) -> None:
        if self.every < 1 or self.nodes < 0 or self.margins < 0:
            raise ConfigError(
                "every must be at least 1, nodes and margins not negative, got "
                f"{self.every}, {self.nodes} and {self.margins}"
            )


def execute(walk: Walk, kept: Kept, tell: Callable[[float], None] = lambda t: None) -> Executed:
    """Run and record a walk; `tell` is called with the time [s] after every step.

    Raises
    ------
    BaseException
        Whatever stopped it before the first row was recorded.
    """
    s = walk.scenario
    if kept.margins:
        require_soles(walk.simulator)
    recorder = Recorder(
        walk.simulator,
        walk.start,
        s.dt,
        feet=walk.feet,
        every=kept.every,
        nodes=kept.nodes,
        steps=max(1, round(walk.duration / s.dt)),
        extras={SOLE_MARGIN: MARGINS} if kept.margins else None,
        scenario=written(s),
    )
    ended, failure, margined = FINISHED, None, kept.every * kept.margins
    try:
        with stoppable() as recorder.check:
            for k, (step, command) in enumerate(walk.steps(), start=1):
                extra: dict[str, Any] = {}
                if margined and k % margined == 0:
                    extra[SOLE_MARGIN] = sole_margins(walk.simulator, step)
                recorder.record(step, command, **extra)
                tell(step.state.time)
                if walk.fallen(step):
                    ended = FELL
                    break
    except (Exception, KeyboardInterrupt) as error:
        failure = error
        if not len(recorder):
            raise
        ended = describe_end(error)
    return Executed(add_references(recorder.run(ended), walk.plan), failure)


def add_references(run: Run, plan: WalkPlan) -> Run:
    """Return the run with the planned centre of mass and ZMP, interpolated between ticks."""
    series = dict(run.series)
    for name, planned in (("com_reference", plan.com), ("zmp_reference", plan.zmp)):
        columns = [np.interp(run.time, plan.times, column) for column in planned.T]
        series[name] = np.stack(columns, axis=1)
    return replace(run, series=series, extras={**run.extras, **REFERENCES})
