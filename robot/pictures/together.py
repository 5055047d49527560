"""Runs side by side: their labels, the common clock, and the row of each at a time.

A run that ended before the others keeps showing its last row, with the reason of its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot.measures import fall_in
from robot.pictures.caption import say_controller, say_no_pads
from robot.run import Run
from sole.base.errors import SoleError
from sole.pictures import display_unit, millimetres

MOST = 4  # runs on a page
# Of the runs. Blue and red are the left and right limbs; lines of runs also have their own dashes.
COLORS = ("#202020", "#b8862d", "#2f8f88", "#8d6cab")
DASHES = ("-", "--", "-.", ":")


@dataclass(frozen=True, eq=False)
class Side:
    """One of the runs; `fell_at` [s] is None if the robot did not fall.

    `title` (sole) and `subtitle` (robot, controller) identify it; `label` does so in one line.
    """

    run: Run
    title: str
    subtitle: str
    label: str
    color: str
    fell_at: float | None
    dashes: str = "-"

    def row(self, time: float) -> int:
        """Return the row nearest to a `time` [s] of the common clock, or the last row."""
        at = self.run.time
        after = int(np.clip(np.searchsorted(at, time), 1, len(at) - 1)) if len(at) > 1 else 0
        return after - (len(at) > 1 and time - at[after - 1] < at[after] - time)

    def held(self, time: float) -> bool:
        """Return whether the run has ended, so that its last row is shown."""
        return time > float(self.run.time[-1]) + self.run.every * self.run.dt

    def state(self, time: float) -> str:
        """Return the state in words: "fell at 4.9 s", and since when the picture is held."""
        told = ""
        last = float(self.run.time[-1])  # a fall may be seen only after it
        if self.fell_at is not None and time >= min(self.fell_at, last):
            told = f"fell at {self.fell_at:.1f} s"
        if self.held(time):
            told += f"{', ' if told else ''}{'held' if told else 'ended'} at {last:.1f} s"
            if not self.run.finished and self.fell_at is None:
                told += f": {self.run.header['ended']}"
        return told


def sides_of(runs: Sequence[Run], names: Sequence[str]) -> tuple[Side, ...]:
    """Return the sides of a page; the file `names` distinguish runs with the same sole.

    Raises
    ------
    SoleError
        There are not two to four runs, or one has no rows.
    """
    if not 2 <= len(runs) <= MOST:
        raise SoleError(f"side by side needs two to {MOST} runs, got {len(runs)}")
    return describe_sides(runs, names)


def describe_sides(runs: Sequence[Run], names: Sequence[str]) -> tuple[Side, ...]:
    """Return what `sides_of` does, also for a single run.

    Raises
    ------
    SoleError
        There are more than four runs, or one has no rows.
    """
    if not 1 <= len(runs) <= MOST:
        raise SoleError(f"a page shows one to {MOST} runs, got {len(runs)}")
    if empty := [n for run, n in zip(runs, names, strict=True) if not len(run)]:
        raise SoleError(f"{empty[0]}: a run without rows cannot be drawn")
    soles = [sole_in_full(run) for run in runs]
    told = [_subtitle(run) for run in runs]
    sides = []
    looks = zip(COLORS, DASHES, strict=True)
    for run, name, sole, under, look in zip(runs, names, soles, told, looks, strict=False):
        alike = sum(pair == (sole, under) for pair in zip(soles, told, strict=True)) > 1
        title = f"{name}: {sole}" if sole and alike else sole or name
        label = f"{title}, {under}" if not alike and soles.count(sole) > 1 else title
        fall = fall_in(run)
        at = fall.time if fall.fell else None
        sides.append(Side(run, title, under, label, look[0], at, look[1]))
    return tuple(sides)


def sole_in_full(run: Run) -> str:
    """Return a run's soles in numbers, "E = 3 MPa, ν = 0.4, 20 mm"; "" if unknown."""
    scenario = run.header.get("scenario") or {}
    if not scenario:
        return ""
    if other := say_no_pads(scenario):
        return other
    sole = scenario["sole"]
    factor, unit = display_unit(sole["young"], "Pa")
    E, nu = factor * sole["young"], sole["poisson"]
    return f"E = {E:.4g} {unit}, ν = {nu:.4g}, {millimetres(sole['thickness'])}"


def _subtitle(run: Run) -> str:
    """Return robot and controller."""
    scenario = run.header.get("scenario") or {}
    return str(run.header["robot"]) + (f", {say_controller(run)}" if scenario else "")


def span_of(sides: Sequence[Side]) -> tuple[float, float]:
    """Return the first start and the last end of the runs [s]."""
    times = [side.run.time for side in sides]
    return min(float(t[0]) for t in times), max(float(t[-1]) for t in times)


def require_time(sides: Sequence[Side], time: float) -> None:
    """Raise a `SoleError` if no run covers `time` [s]."""
    first, last = span_of(sides)
    slack = max(side.run.every * side.run.dt for side in sides)
    if not first - slack <= time <= last + slack:
        raise SoleError(f"the runs go from {first:g} to {last:g} s, got {time:g} s")
