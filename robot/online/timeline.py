"""When and where the feet step, in a walk that may still change.

A `Timeline` is what a `Schedule` becomes when contacts decide: a list of steps, of which the first
`current` are done. The methods change times and places of steps that are not done. The rhythm
of the rest is kept: a delay shifts all that follows, an early end shifts nothing.

    timeline = Timeline.of(footsteps)
    timeline.end_now(3, t)              step 3 touched early: it ends now, step 4 begins as planned
    timeline.delay(3, 0.02)             step 3 lasts 20 ms longer, and the rest comes later
    timeline.move(4, (0.01, 0, 0.04))   step 4 and the following land there instead
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from robot.gait import Foothold, Footstep, Footsteps, GaitError
from sole.base.arrays import FloatArray, IntArray

NONE = -1  # `like` of a step without a model


class StepRows(NamedTuple):
    """The steps as arrays that compiled code reads, a row for each.

    foot (n,) 0 left, place (n, 4) x, y, z, yaw of the foothold [m, rad], start, end (n,) lift-off
    and landing [s], like (n,) which planned step it resembles or `NONE`, scale (n,) its length
    relative to that one's.
    """

    foot: IntArray
    place: FloatArray
    start: FloatArray
    end: FloatArray
    like: IntArray
    scale: FloatArray


class Timeline:
    """Steps with times and places that may change.

    Attributes
    ----------
    rows : all steps, see `StepRows`. lift : (n,) height of each swing [m], NaN: the default.
    current : the step that swings or is next (from 0). final : standing time after the last [s].
    """

    def __init__(self, rows: StepRows, lift: FloatArray, final: float) -> None:
        self.rows, self.lift, self.final, self.current = rows, lift, final, 0

    @classmethod
    def of(cls, footsteps: Footsteps) -> Timeline:
        """Return the steps of a walk, each its own model."""
        steps = footsteps.steps
        rows = StepRows(
            np.array([s.foot for s in steps], dtype=np.int64),
            np.array([s.foothold.values for s in steps]).reshape(-1, 4),
            np.array([s.start for s in steps], dtype=float),
            np.array([s.end for s in steps], dtype=float),
            np.arange(len(steps)),
            np.ones(len(steps)),
        )
        lift = np.array([np.nan if s.lift is None else s.lift for s in steps], dtype=float)
        return cls(rows, lift, footsteps.final)

    def __len__(self) -> int:
        """Return the number of steps, those done included."""
        return len(self.rows.foot)

    @property
    def over(self) -> bool:
        """Whether all steps are done."""
        return self.current >= len(self)

    @property
    def end(self) -> float:
        """End of the walk as it looks now [s]."""
        return (float(self.rows.end[-1]) if len(self) else 0.0) + self.final

    def delay(self, step: int, seconds: float) -> None:
        """Let a step end later, and all that follow begin later."""
        if not seconds > 0:
            return
        self.rows.end[step:] += seconds
        self.rows.start[step + 1 :] += seconds

    def end_now(self, step: int, t: float) -> None:
        """Let a step end at t [s]; the following ones keep their times."""
        self.rows.end[step] = t
        self.current = step + 1

    def shift(self, step: int, seconds: float) -> None:
        """Let a step and all that follow come later, or earlier if negative."""
        self.rows.start[step:] += seconds
        self.rows.end[step:] += seconds

    def begin_after(self, step: int, t: float) -> None:
        """Let a step, and with it all that follow, begin no earlier than t [s]."""
        if step >= len(self) or (more := t - float(self.rows.start[step])) <= 0:
            return
        self.shift(step, more)

    def move(self, step: int, change: ArrayLike, *, following: bool = True) -> None:
        """Move the foothold of a step, and of all that follow, by `change` (3,) [m]."""
        end = len(self) if following else step + 1
        self.rows.place[step:end, :3] += np.asarray(change, dtype=float)

    def level(self, step: int, z: float) -> None:
        """Let a step and all that follow land at the height z [m]."""
        self.rows.place[step:, 2] = z

    def cut(self, step: int) -> None:
        """Forget a step and all that follow; steps that are done stay."""
        if step < self.current:
            raise GaitError(f"step {step + 1} is done: cut from step {self.current + 1} on")
        self.rows = StepRows._make([a[:step].copy() for a in self.rows])
        self.lift = self.lift[:step].copy()

    def add(self, step: Footstep, like: int = NONE, scale: float = 1.0) -> None:
        """Append a step; `like` and `scale` as in `StepRows`."""
        if len(self) and not step.start > self.rows.end[-1]:
            raise GaitError(
                f"a step at {step.start:g} s must begin after the last landing, "
                f"{self.rows.end[-1]:g} s"
            )
        new = StepRows(
            np.array([step.foot]), step.foothold.values[None], np.array([step.start]),
            np.array([step.end]), np.array([like]), np.array([scale]),
        )  # fmt: skip
        pairs = zip(self.rows, new, strict=True)
        self.rows = StepRows._make([np.concatenate([old, more]) for old, more in pairs])
        self.lift = np.append(self.lift, np.nan if step.lift is None else step.lift)

    def foothold(self, step: int) -> Foothold:
        """Return where a step lands."""
        return Foothold(*(float(x) for x in self.rows.place[step]))

    def arrays(self) -> dict[str, Any]:
        """Return all steps, for `np.savez`."""
        kept = {name: np.array(a) for name, a in self.rows._asdict().items()}
        return kept | {"lift": np.array(self.lift), "current": np.array(self.current)}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Continue from `arrays()`, bit for bit."""
        self.rows = StepRows._make([np.array(arrays[name]) for name in StepRows._fields])
        self.lift = np.array(arrays["lift"])
        self.current = int(arrays["current"])
