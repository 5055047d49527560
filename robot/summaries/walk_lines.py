"""A walk in five lines: what happened, the three numbers that matter, what to try next."""

from __future__ import annotations

from collections.abc import Mapping
from math import degrees, inf
from pathlib import Path

from robot.measures import metrics, verdict
from robot.run import Run
from sole.base.report import Quantity

LANDING, ANY = "landing acceleration 100 Hz", "foot acceleration 100 Hz"
TILT, MARGIN, STANCE = "waist tilt", "wrench margin", "stance margin"
HARDER = 1.1  # times the hardest landing: a peak elsewhere that is worth telling


def walk_lines(run: Run, output: Path | None = None, speed: float | None = None) -> tuple[str, ...]:
    """Return the five lines; `output` is the file that holds the run, `speed` times real time.

    The three numbers are the hardest landing, the largest inclination of the waist and the least
    wrench margin: the part of the load on a foot that could go before it slips, tilts or turns, as
    a rigid rectangle. Landings count. Below 0 a foot did give way: under 1 - margin times its load
    the same tangential force and moments would have been on the boundary.
    """
    found = metrics(run)
    lines = [f"{run.header['robot']}: {verdict(run)}"]
    if speed is not None:
        lines[0] += f" (simulated at {speed:.3g} x real time by wall clock)"
    lines.append(_landing_line(found))
    lines.append(f"  largest tilt       {degrees(found[TILT].value):8.3g} deg     of the waist")
    lines.append(_margin_line(found))
    lines.append(f"next: {_next(run, output, bool(found['fell'].value), len(found))}")
    return tuple(lines)


def _landing_line(found: Mapping[str, Quantity]) -> str:
    """Return the line of the hardest landing, and of a harder peak that was none."""
    landing, peak = found[LANDING], found[ANY]
    if landing.value is None:
        line = "  hardest landing    none"
    else:
        line = f"  hardest landing    {landing.value:8.3g} m/s^2   of a foot, below 100 Hz"
    if peak.value is None or found["fell"].value or peak.value <= HARDER * (landing.value or inf):
        return line
    when = peak.remark.split("; ")[0].removeprefix("largest, ")
    return f"{line}; {peak.value:.3g} {when} in no landing (a bump, a rebound or the swing)"


def _margin_line(found: Mapping[str, Quantity]) -> str:
    """Return the line of the least wrench margin, or of the load that would have held."""
    margin, stance = found[MARGIN], found[STANCE]
    if margin.value is None:
        return f"  wrench margin      unknown: {margin.remark}"
    if margin.value >= 0:
        line = f"  wrench margin      {100 * margin.value:8.3g} %       of the load to spare"
    else:
        line = f"  wrench margin          none         {_lacking(margin.value)} would have held"
    line += f"; landings count; {margin.remark.removeprefix('smallest; ')}"
    if stance.value is None:
        return line
    if stance.value >= 0:
        return f"{line}; in stance {100 * stance.value:.3g} %"
    return f"{line}; in stance none ({_lacking(stance.value)})"


def _lacking(margin: float) -> str:
    return f"{1 - margin:.3g} x the load"


def _next(run: Run, output: Path | None, fell: bool, count: int) -> str:
    look = "-o walk.nc keeps it"
    if output is not None:
        look = f"`sole view {output} -o {output.with_suffix('.html').name}` plays it"
    if not run.finished:
        return f"{look}; -v prints all {count} metrics"
    if fell:
        return f"--forward 0.1 or another --young may keep it up; {look}; -v prints all"
    return f"{look}; --converge tells what depends on dt; -v prints all {count} metrics"
