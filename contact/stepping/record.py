"""Contact problems of a simulation, kept with their warm starts: for benchmarks and tests.

recorder = StepRecorder()
stepper = CompliantStep(bodies, ground, StepOptions(record=recorder))
recorder.label = "touchdown"              # written on what follows
...                                       # step
save_records(path, recorder.records)      # `load_records(path)` gives them back
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from contact.operators.compliances import Compliances
from contact.operators.sole_delassus import SoleDelassus
from contact.problem import Problem
from sole.archive import read_archive, write_archive
from sole.arrays import FloatArray, frozen
from sole.errors import SoleError

SCHEMA = "contact.problems/1"
OPERATOR = ("scale", "node", "frames", "geometry", "support")


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


def save_records(path: Path, records: Sequence[StepRecord]) -> None:
    """Write problems of soles to one file, their compliances once.

    Raises
    ------
    SoleError
        There is none, or one whose W is not made of soles.
    """
    if not records:
        raise SoleError("there are no records to write")
    arrays: dict[str, FloatArray] = {}
    kept: list[Compliances] = []
    which = []
    for k, record in enumerate(records):
        W = record.problem.operator
        if not isinstance(W, SoleDelassus):
            raise SoleError(f"record {k} is a {type(W).__name__}, expected a SoleDelassus")
        if all(W.compliances is not C for C in kept):
            kept.append(W.compliances)
        which.append([W.compliances is C for C in kept].index(True))
        for name in OPERATOR:
            arrays[f"{k}.{name}"] = getattr(W, name)
        arrays[f"{k}.offset"] = record.problem.offset
        arrays[f"{k}.friction"] = record.problem.friction
        arrays[f"{k}.start"], arrays[f"{k}.previous"] = record.start, record.previous
    for c, C in enumerate(kept):
        arrays |= {f"C{c}.flat": C.flat}
        arrays |= {f"C{c}.first": C.first, f"C{c}.position": C.position}  # type: ignore[dict-item]
    header = {"labels": [record.label for record in records], "compliances": which}
    write_archive(path, SCHEMA, header, arrays)


def load_records(path: Path) -> list[StepRecord]:
    """Read what `save_records` wrote; every operator is checked again."""
    archive = read_archive(path, SCHEMA)
    a = archive.arrays
    which = archive.header["compliances"]
    kept = [
        Compliances(a[f"C{c}.flat"], a[f"C{c}.first"], a[f"C{c}.position"])
        for c in range(max(which) + 1)
    ]
    records = []
    for k, label in enumerate(archive.header["labels"]):
        operator = SoleDelassus(
            compliances=kept[which[k]], **{name: a[f"{k}.{name}"] for name in OPERATOR}
        )
        records.append(
            StepRecord(
                problem=Problem(operator, a[f"{k}.offset"], a[f"{k}.friction"]),
                start=a[f"{k}.start"],
                previous=a[f"{k}.previous"],
                label=label,
            )
        )
    return records
