"""A walk in five lines: what happened, the three numbers that matter, what to try next."""

from __future__ import annotations

from math import degrees
from pathlib import Path

from robot.measures import metrics, verdict
from robot.run import Run

LANDING, TILT, MARGIN = "landing acceleration 100 Hz", "waist tilt", "wrench margin"


def walk_lines(run: Run, output: Path | None = None, speed: float | None = None) -> tuple[str, ...]:
    """Return the five lines; `output` is the file that holds the run, `speed` times real time.

    The three numbers are the hardest landing, the largest inclination of the waist and the least
    wrench margin: the part of the load on a foot that could go before it slips, tilts or turns, as
    a rigid rectangle. Landings count; below 0 a foot did give way.
    """
    found = metrics(run)
    landing, tilt, margin = found[LANDING], found[TILT], found[MARGIN]
    lines = [f"{run.header['robot']}: {verdict(run)}"]
    if speed is not None:
        lines[0] += f" (simulated at {speed:.3g} x real time by wall clock)"
    if landing.value is None:
        lines.append("  hardest landing    none")
    else:
        lines.append(f"  hardest landing    {landing.value:8.3g} m/s^2   of a foot, below 100 Hz")
    lines.append(f"  largest tilt       {degrees(tilt.value):8.3g} deg     of the waist")
    if margin.value is None:
        lines.append(f"  wrench margin      none: {margin.remark}")
    else:
        how = margin.remark.removeprefix("smallest; ")
        spare = "of the load to spare" if margin.value >= 0 else "of the load, none to spare"
        lines.append(
            f"  wrench margin      {100 * margin.value:8.3g} %       {spare}, landings count; {how}"
        )
    lines.append(f"next: {_next(run, output, bool(found['fell'].value), len(found))}")
    return tuple(lines)


def _next(run: Run, output: Path | None, fell: bool, count: int) -> str:
    look = "-o walk.nc keeps it"
    if output is not None:
        look = f"`sole view {output} -o {output.with_suffix('.html').name}` plays it"
    if not run.finished:
        return f"{look}; -v prints all {count} metrics"
    if fell:
        return f"--forward 0.1 or another --young may keep it up; {look}; -v prints all"
    return f"{look}; --converge tells what depends on dt; -v prints all {count} metrics"
