"""What becomes of a robot after the end of its run: the run goes on, unrecorded, until this shows.

    fall = judge_end(walk, run, steps)

`robot.measures.fall` defines a fall. `steps` goes on with the controller, plan and pushes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from robot.measures import CONTINUED, WINDOW, Fall, at_rest, losing_balance
from robot.recorder import Recorder
from robot.run import Run
from robot.simulator import Command, SimStep
from robot.walk.plan_series import add_references
from robot.walk.walk import Walk
from sole.base.errors import SoleError

LONGEST = 2 * CONTINUED  # s after the end of a run


def judge_end(
    walk: Walk,
    run: Run,
    steps: Iterable[tuple[SimStep, Command]],
    check: Callable[[], None] = lambda: None,
) -> Fall:
    """Return whether the robot of a walk fell after the end of its `run`, which shows no sign.

    Parameters
    ----------
    run : the recorded run. steps : the next steps of the walk, up to `LONGEST` seconds.
    check : called after every step; raises to stop.

    A robot that the simulator cannot step any more fell.
    """
    if at_rest(run):
        return Fall(False)
    dt, feet = walk.scenario.dt, walk.feet
    recorder = Recorder(walk.simulator, walk.start, dt, robot=feet.robot, sides=feet.sides.tolist())
    window = max(1, round(WINDOW / dt))
    time, losing = float(run.time[-1]), losing_balance(run)
    patience = time + CONTINUED
    try:
        for step, command in steps:
            check()
            time = step.state.time
            recorder.record(step, command)
            if reason := walk.sign(step):
                return Fall(True, time, reason)
            if len(recorder) % window:
                continue
            rows = add_references(recorder.run(last=window), walk)
            if at_rest(rows):
                return Fall(False)
            losing = losing_balance(rows)
            if time >= patience and not losing:
                return Fall(False)
    except SoleError as error:
        return Fall(True, time, f"the simulation could not continue: {error}")
    return Fall(True, time, losing)
