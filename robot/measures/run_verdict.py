"""The outcome of a run in one sentence."""

from __future__ import annotations

import numpy as np

from robot.measures.run_metrics import fall_in, landings_of
from robot.run import Run
from sole.condense import STRAIN_LIMIT, describe_error, describe_excess


def verdict(run: Run) -> str:
    """Return for instance "moved 0.98 m with 5 landings in 8.70 s and stands"."""
    return f"{_told(run)}{_crushed(run)}{_flagged(run)}"


def _told(run: Run) -> str:
    far = float(run["waist_position"][-1, 0] - run["waist_position"][0, 0])
    side = float(run["waist_position"][-1, 1] - run["waist_position"][0, 1])
    way = (far**2 + side**2) ** 0.5
    moved = f"moved {way:.2f} m" if way > 0.05 else "stayed in place"
    if run.complete:
        number = len(landings_of(run))
        moved += f" with {number} landing{'' if number == 1 else 's'}" if number else ""
    moved += f" in {run.time[-1]:.2f} s"
    fall = fall_in(run)
    if fall.fell and fall.time is not None:
        late = fall.time - float(run.time[-1])
        when = f", {late:.2f} s after the end" if late > 0 else ""
        return f"fell at {fall.time:.2f} s{when} ({fall.reason}), after it had {moved}"
    if not run.finished:
        return f"{run.header['ended']}: {moved}, upright so far"
    return f"{moved} and stands"


def _crushed(run: Run) -> str:
    """Return a remark on soles deformed beyond the range of linear elasticity, if any."""
    deformation, sole = run.deformation
    when = ""
    if sole:
        moved = run["sole_displacement"][:, [tread.name for tread in run.treads].index(sole)]
        when = f" at {run.time[int(np.argmax(moved))]:.4g} s"
    if (strain := run.header.get("strain_p99")) is None:
        excess = describe_excess(deformation, f"sole '{sole}'{when}: ")
    elif strain > STRAIN_LIMIT:
        limit = f"strain {strain:.2g}; limit {STRAIN_LIMIT:g}"
        excess = f"beyond linear elasticity ({limit}): {describe_error(strain)}"
    else:
        excess = ""
    return f"; {excess}" if excess else ""


def _flagged(run: Run) -> str:
    """Return a remark on contact solves that missed the tolerance, if any."""
    missed = int(run.missed.sum())
    if not missed:
        return ""
    worst, limit = float(run["residual"].max()), float(run.header["tolerance"])
    return (
        f"; contact missed its tolerance {limit:.2g} in {missed} of {len(run)} rows, with "
        f"residuals up to {worst:.2g}"
    )
