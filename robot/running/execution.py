"""Run a walk: to its end, a fall, Ctrl-C, a signal to stop or an error; the run so far stays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from robot.gait.plan import WalkPlan
from robot.measures.fall import FELL
from robot.measures.sole_margins import MARGINS, SOLE_MARGIN, require_soles, sole_margins
from robot.recordings.channels import Channel
from robot.recordings.recording import Recorder
from robot.run import FINISHED, Run
from robot.running.stopping import ended_by, stoppable
from robot.running.walk import Walk
from sole.errors import ConfigError

REFERENCES = {
    "com_reference": Channel(("xyz",), "m", "centre of mass of the plan, world"),
    "zmp_reference": Channel(("xy",), "m", "zero-moment point of the plan, world"),
}


class Executed(NamedTuple):
    """A run and what ended it; None where it came to its end or the robot fell."""

    run: Run
    error: BaseException | None


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What is kept of a run: every nth step, nodal snapshots and margins of soles every so many.

    0 nodes or margins : never.
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
    """Step a walk to its end and record it; `tell` hears the time [s] after every step.

    Raises
    ------
    BaseException
        What stopped it before the first row was recorded.
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
        scenario=asdict(s),
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
        ended = ended_by(error)
    return Executed(with_references(recorder.run(ended), walk.plan), failure)


def with_references(run: Run, plan: WalkPlan) -> Run:
    """Return the run with where the plan has the centre of mass and the ZMP, between its ticks."""
    series = dict(run.series)
    for name, planned in (("com_reference", plan.com), ("zmp_reference", plan.zmp)):
        columns = [np.interp(run.time, plan.times, column) for column in planned.T]
        series[name] = np.stack(columns, axis=1)
    return replace(run, series=series, extras={**run.extras, **REFERENCES})
