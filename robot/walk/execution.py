"""Run a walk until its end, a fall, Ctrl-C, a signal or an error; the run so far is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from robot.control import Controller, SoleAware
from robot.measures import (
    FELL,
    MARGINS,
    SOLE_MARGIN,
    VERTEX_CHANNELS,
    Fall,
    fall_in,
    has_vertices,
    require_soles,
    sign_in,
    sole_margins,
    vertex_values,
)
from robot.online import OnlineControl
from robot.recorder import Recorder
from robot.run import FINISHED, Run
from robot.simulator import Command, SimStep
from robot.walk.aftermath import LONGEST, judge_end
from robot.walk.plan_series import add_references
from robot.walk.walk import Walk
from sole.base.blas_threads import one_blas_thread
from sole.base.config import written
from sole.base.errors import ConfigError
from sole.base.stopping import describe_end, stoppable
from sole.condense import no_range_warnings, warn_beyond


class Executed(NamedTuple):
    """A run and the exception that stopped it; None if it ended regularly or the robot fell."""

    run: Run
    error: BaseException | None


@dataclass(frozen=True, kw_only=True)
class RecordingOptions:
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


def execute(
    walk: Walk, options: RecordingOptions, tell: Callable[[float], None] = lambda t: None
) -> Executed:
    """Run and record a walk; `tell` is called with the time [s] after every step.

    Raises
    ------
    BaseException
        Whatever stopped it before the first row was recorded.
    """
    s = walk.scenario
    if options.margins:
        require_soles(walk.simulator)
    extras = {SOLE_MARGIN: MARGINS} if options.margins else {}
    vertices = has_vertices(walk.feet)
    extras |= VERTEX_CHANNELS if vertices else {}
    count = max(1, round(walk.duration / s.dt))
    recorder = Recorder(
        walk.simulator,
        walk.start,
        s.dt,
        feet=walk.feet,
        every=options.every,
        nodes=options.nodes,
        steps=count if walk.online is None else None,  # contacts may change its duration
        extras=extras,
        scenario=written(s),
    )
    ended, failure, margined = FINISHED, None, options.every * options.margins
    steps = walk.steps(beyond=LONGEST)
    fall: Fall | None = None
    try:
        with (
            stoppable() as recorder.check,
            one_blas_thread(),
            no_range_warnings(),  # the run tells, of all steps at once
        ):
            for k, (step, command) in enumerate(steps, start=1):
                extra: dict[str, Any] = {}
                if margined and k % margined == 0:
                    extra[SOLE_MARGIN] = sole_margins(walk.simulator, step.last)
                if vertices:
                    extra |= vertex_values(walk.feet, step.last)
                recorder.record(step, command, **extra)
                tell(step.time)
                if walk.fallen(step):
                    ended, fall = FELL, Fall(True, step.state.time, walk.sign(step))
                    break
                if walk.online is not None:
                    count = max(1, round(walk.duration / s.dt))
                if k >= count:
                    break
    except (Exception, KeyboardInterrupt) as error:
        failure = error
        if not len(recorder):
            raise
        ended = describe_end(error)
    return complete(walk, recorder.run(ended), steps, fall, failure)


def complete(
    walk: Walk,
    run: Run,
    steps: Iterable[tuple[SimStep, Command]],
    fall: Fall | None = None,
    failure: BaseException | None = None,
) -> Executed:
    """Return a recorded run with the plan's series and with the verdict on its end.

    `steps` : the next steps of the walk. fall : if it has ended so. failure : what stopped it.
    """
    run = add_references(run, walk)
    run = _with(run, waist_height=walk.waist_height, stature=walk.stature)
    if walk.online is not None:
        run = _with(run, events=[event._asdict() for event in walk.online.events])
    if not type(walk.controller).__module__.startswith("robot."):
        run = _with(run, own_controller=type(walk.controller).__name__)
    if (repeated := repeated_commands(walk.controller)) is not None:
        run = _with(run, repeated_commands=repeated)
    if fall is None and failure is None and not sign_in(run).fell:
        try:
            with stoppable() as check:
                fall = judge_end(walk, run, steps, check)
        except KeyboardInterrupt as error:
            failure = error
    told = fall_in(run if fall is None else _with(run, fall=fall._asdict()))
    warn_beyond(run.deformation[0], stacklevel=4)
    return Executed(_with(run, fall=told._asdict()), failure)


def repeated_commands(controller: Controller) -> int | None:
    """Return in how many ticks a quadratic program had no solution; None: there is no program."""
    inner = controller.inner if isinstance(controller, OnlineControl) else controller
    return inner.failures if isinstance(inner, SoleAware) else None


def _with(run: Run, **more: Any) -> Run:
    """Return the run with more in its header."""
    return replace(run, header={**run.header, **more})
