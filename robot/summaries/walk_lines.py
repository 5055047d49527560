"""A walk in five lines: what happened, the three numbers that matter, what to try next."""

from __future__ import annotations

from collections.abc import Mapping
from math import degrees
from pathlib import Path

from robot.measures import hardest_hit, metrics, verdict
from robot.run import Run
from sole.base.report import Quantity

LANDING, TILT = "landing acceleration 100 Hz", "waist tilt"
MARGIN, STANCE = "wrench margin", "stance margin"
HARDER = 1.1  # times the hardest landing: a hit that is worth telling


def walk_lines(run: Run, output: Path | None = None, speed: float | None = None) -> tuple[str, ...]:
    """Return the five lines; `output` is the file that holds the run, `speed` times real time.

    The three numbers are the hardest landing, the largest inclination of the waist and the least
    wrench margin: the part of the load on a foot that could go before it slips, tilts or turns, as
    a rigid rectangle with a friction pyramid inside the cone. Landings count. Below 0 nothing is to
    spare; against the side of an obstacle a foot may be far below.
    """
    found = metrics(run)
    lines = [f"{run.header['robot']}: {verdict(run)}"]
    if speed is not None:
        lines[0] += f" (simulated at {speed:.3g} x real time by wall clock)"
    lines.append(_landing_line(run, found))
    lines.append(f"  largest tilt       {degrees(found[TILT].value):8.3g} deg     of the waist")
    lines.append(_margin_line(found))
    lines.append(f"next: {_next(run, output, bool(found['fell'].value), len(found))}")
    return tuple(lines)


def _landing_line(run: Run, found: Mapping[str, Quantity]) -> str:
    """Return the line of the hardest landing, and of a harder hit of a foot that was none."""
    landing = found[LANDING].value
    if landing is None:
        return f"  hardest landing    none{_no_landing(run)}"
    line = f"  hardest landing    {landing:8.3g} m/s^2   of a foot, below 100 Hz"
    hit = None if found["fell"].value else hardest_hit(run)
    if hit is None or hit.acceleration <= HARDER * landing:
        return line
    return (
        f"{line}; outside landings {hit.acceleration:.3g} m/s^2 at {hit.time:.4g} s, when a foot "
        "hit something"
    )


def _no_landing(run: Run) -> str:
    """Return why a gait with footsteps has no landing: it ends too early, or rows are missing."""
    scenario = run.header.get("scenario") or {}
    if scenario.get("gait", {}).get("kind") != "walk" or not run.finished:
        return ""
    if not run.complete:
        return ": --every 1 records what it takes"
    return f": the run ends at {run.time[-1]:.3g} s, before a foot lands: give a longer --duration"


def _margin_line(found: Mapping[str, Quantity]) -> str:
    """Return the line of the least wrench margin.

    The friction pyramid inside the cone is on the safe side by up to sqrt 2: a foot that slides
    with all its friction along x or y has the margin 1 - sqrt 2.
    """
    margin, stance = found[MARGIN], found[STANCE].value
    where = margin.remark.removeprefix("smallest; ")
    if margin.value is None:
        return f"  wrench margin      unknown: {where}"
    least = _rounded(margin.value)
    if least >= 0:
        line = f"  wrench margin      {100 * least:8.3g} %       of the load to spare"
    else:
        slides = "; true slides begin at -41 %" if "slide" in where and least >= -1 else ""
        line = f"  wrench margin          none         to spare ({_percent(least)}{slides})"
    line += f"; landings count; {where}"
    if stance is None:
        return line
    stood = _rounded(stance)
    return f"{line}; in stance {_percent(stood) if stood >= 0 else f'none ({_percent(stood)})'}"


def _rounded(margin: float) -> float:
    """Return 0 for a margin that is round-off."""
    return 0.0 if abs(margin) < 5e-4 else margin


def _percent(margin: float) -> str:
    return "below -100 %" if margin < -1 else f"{100 * margin:.3g} %"


def _next(run: Run, output: Path | None, fell: bool, count: int) -> str:
    look = "-o walk.nc keeps it"
    if output is not None:
        look = f"`sole view {output} --film {output.with_suffix('.html').name}` plays it"
    if not run.finished:
        return f"{look}; -v prints all {count} metrics"
    if fell:
        return f"--forward 0.1 or another --young may keep it up; {look}; -v prints all"
    return f"{look}; --converge shows what depends on dt; -v prints all {count} metrics"
