"""Contact problems of a simulation, kept with their warm starts.

recorder = StepRecorder()
stepper = fast_step(bodies, ground, StepOptions(record=recorder))
recorder.label = "touchdown"              # written on what follows
...                                       # step; then look at recorder.records
"""

from __future__ import annotations

from dataclasses import dataclass, field

from contact.problem import Problem
from sole.base.arrays import FloatArray, frozen


@dataclass(frozen=True, eq=False, kw_only=True)
class StepRecord:
    """A problem of a time step and the forces its solver started from (K, 3) [N].

    `previous` (K, 3) are the forces one step before, in the frames of this one; `start` is
    their extrapolation f + (f - earlier).
    """

    problem: Problem
    start: FloatArray
    previous: FloatArray
    label: str = ""


@dataclass(eq=False)
class StepRecorder:
    """Keeps what `contact.step.StepOptions.record` hands over; `every` nth problem only."""

    every: int = 1
    label: str = ""
    records: list[StepRecord] = field(default_factory=list)
    seen: int = 0

    def __call__(self, problem: Problem, start: FloatArray, previous: FloatArray) -> None:
        """Keep one problem."""
        self.seen += 1
        if (self.seen - 1) % self.every == 0:
            self.records.append(
                StepRecord(
                    problem=problem,
                    start=frozen(start.copy()),
                    previous=frozen(previous.copy()),
                    label=self.label,
                )
            )
