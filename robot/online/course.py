"""The steps to come of a walk that is steered: replaced, closed, and continued as it goes on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from robot.gait import Foothold, GaitError, Stance, Timing, WalkPlan, foot_size_of
from robot.model import RobotModel
from robot.online.memory import WalkProgress
from robot.online.steering import Rhythm, Stride
from robot.online.timeline import NONE, Timeline
from sole.base.arrays import FloatArray

SHORT = 0.02  # m: a planned step of less is no measure of length


class Course:
    """Adds steps to a timeline.

    Parameters
    ----------
    robot : the robot. nominal : the walk as planned; its steps lend their shift to those that
        resemble them. lift : of new steps [m]. ahead : time for which steps are kept ready [s].

    Attributes
    ----------
    stride : what is asked for; None: nothing. last : the stride of the last step.
    """

    def __init__(self, robot: RobotModel, nominal: WalkPlan, lift: float, ahead: float) -> None:
        walk = nominal.schedule.footsteps
        left, right = walk.stance.feet
        timing = Timing()
        if walk.steps:
            first = walk.steps[0]
            double = walk.steps[1].start - first.end if len(walk.steps) > 1 else timing.double
            timing = Timing(single=first.duration, double=double, initial=first.start)
        self.rhythm = Rhythm(
            timing=timing,
            width=float(np.hypot(left.x - right.x, left.y - right.y)),
            foot=foot_size_of(robot),
            lift=lift,
        )
        self.walk, self.ahead = walk, ahead
        self.stride: Stride | None = None
        self.last = Stride()

    def ask(self, hold: np.ndarray, forward: float, sideways: float, turn: float) -> None:
        """Ask for speeds [m/s, m/s, rad/s] from where the treads stand, `hold` (2, 4).

        Raises
        ------
        GaitError
            Such steps are out of reach or cross; it says which share of the speeds can be walked.
            Nothing is changed.
        """
        speeds = np.array([forward, sideways, turn])
        if (why := self._refused(hold, speeds)) is not None:
            shares = (n for n in range(95, 0, -5) if not self._refused(hold, n / 100 * speeds))
            most = next(shares, None)
            told = "stop first" if most is None else f"{most} % of these speeds can be walked"
            raise GaitError(f"{why.replace('step 1 ', 'a step ', 1)}; {told}")
        self.stride = self.rhythm.stride_of(forward, sideways, turn)

    def _refused(self, hold: np.ndarray, speeds: FloatArray) -> str | None:
        """Return why speeds (3,) cannot be walked from the treads `hold`; None: they can."""
        stance = Stance(*(Foothold(*h.tolist()) for h in hold))
        wished = self.rhythm.stride_of(*speeds.tolist())
        try:
            for foot in (0, 1, 0):
                step = self.rhythm.step(stance, foot, 1.0, wished)
                stance = stance.with_foot(step.side, step.foothold)
        except GaitError as error:
            return str(error)
        return None

    def replace(self, line: Timeline, now: WalkProgress, t: float) -> None:
        """Replace the steps that have not begun by those asked for, or by one that closes."""
        keep, timing, rest = line.current + now.single, self.rhythm.timing, False
        if now.single:
            foot = 1 - int(line.rows.foot[keep - 1])
            start = float(line.rows.end[keep - 1]) + timing.double
        elif not line.over:  # a step is about to begin: another goal
            foot, start = int(line.rows.foot[keep]), float(line.rows.start[keep])
        else:  # at rest
            rest = True
            foot, start = self.rhythm.leading(self.stride or Stride()), t + timing.initial
            now.origin, now.since = now.hold[:, :2].mean(axis=0), t
        line.cut(keep)
        now.stale = True
        if self.stride is not None:
            self._add(line, now, foot, start, self._ramped(self.stride), rest=rest)
            self.extend(line, now, t)
            return
        self.last = Stride()
        if not self._closed(line, now):
            self._add(line, now, foot, start, self.last)

    def extend(self, line: Timeline, now: WalkProgress, t: float) -> None:
        """Append steps until the preview sees no end."""
        while self.stride is not None and line.rows.end[-1] < t + self.ahead:
            start = float(line.rows.end[-1]) + self.rhythm.timing.double
            self._add(line, now, 1 - int(line.rows.foot[-1]), start, self._ramped(self.stride))

    def arrays(self) -> dict[str, Any]:
        """Return what is asked for, for `np.savez`."""
        asked = np.full(3, np.nan) if self.stride is None else np.array(self.stride)
        return {"asked": asked, "last": np.array(self.last)}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Continue from `arrays()`, bit for bit."""
        asked, last = (np.array(arrays[name]).tolist() for name in ("asked", "last"))
        self.stride, self.last = None if np.isnan(asked[0]) else Stride(*asked), Stride(*last)

    def _ramped(self, wished: Stride) -> Stride:
        self.last = self.last.towards(wished)
        return self.last

    def _closed(self, line: Timeline, now: WalkProgress) -> bool:
        """Return whether the feet stand side by side at the end of the timeline."""
        left, right = self._stance(line, now).feet
        gap = left.at(0.0, -self.rhythm.width)[:2] - right.place[:2]
        return float(np.hypot(*gap)) < 1e-3

    @staticmethod
    def _stance(line: Timeline, now: WalkProgress) -> Stance:
        """Return where the feet stand at the end of the timeline."""
        holds = [Foothold(*h.tolist()) for h in now.hold]
        for k in range(line.current, len(line)):
            holds[int(line.rows.foot[k])] = line.foothold(k)
        return Stance(*holds)

    def _add(
        self,
        line: Timeline,
        now: WalkProgress,
        foot: int,
        start: float,
        stride: Stride,
        *,
        rest: bool = False,
    ) -> None:
        """Append one step, with the shift of a planned step that resembles it.

        From `rest` only the first planned step does.
        """
        stance = self._stance(line, now)
        step = self.rhythm.step(stance, foot, start, stride)
        like, scale = NONE, 1.0
        same = [k for k, s in enumerate(self.walk.steps) if s.foot == foot]
        if rest:
            like = 0 if 0 in same else NONE
        elif same:
            like = same[len(same) // 2] if len(same) < 3 else same[1]
        if like != NONE:
            before = self.walk.stances[like].feet[foot]
            usual = _along(before, self.walk.steps[like].foothold)
            if abs(usual) > SHORT:
                scale = min(max(_along(stance.feet[foot], step.foothold) / usual, -2.0), 2.0)
        line.add(step, like, scale)


def _along(here: Foothold, there: Foothold) -> float:
    """Return how far `there` is ahead of `here`, along its heading [m]."""
    x, y = there.x - here.x, there.y - here.y
    return float(np.cos(there.yaw) * x + np.sin(there.yaw) * y)
