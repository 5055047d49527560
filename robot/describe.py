"""What `sole info` says of a run."""

from __future__ import annotations

from pathlib import Path

from robot.metrics import metrics
from robot.run import Run
from robot.run_file import load_run
from sole.report import Quantity, Report


def run(path: Path) -> Report:
    """Describe a run's file."""
    return describe_run(load_run(path))


def describe_run(run: Run) -> Report:
    """Return what a run is of, and its metrics."""
    rows = {
        "robot": Quantity(str(run.header["robot"])),
        "mass": Quantity(float(run.header["mass"]), "kg"),
        "joints": Quantity(len(run.joints)),
        "ground": Quantity(str(run.header["ground"])),
        "bodies": Quantity(
            ", ".join(t.name for t in run.treads),
            "",
            f"{sum(len(t.points) for t in run.treads)} contact nodes",
        ),
        "rows": Quantity(len(run), "", f"every {run.every}. step of {1e3 * run.dt:g} ms"),
        "snapshots": Quantity(len(run.frames.get("frame_time", ())), "", "of nodal forces"),
    }
    found = metrics(run)
    notes = []
    if not run.finished:
        notes.append(f"the run did not come to its end: {run.header['ended']}")
    if found["missed"].value:
        worst = found["contact residual"].value
        notes.append(
            f"{found['missed'].value} contact solves missed the tolerance, the worst by {worst:.2g}"
        )
    if run.complete:
        notes.append(
            "peaks, impact forces and losses depend on dt: compare runs at dt, dt/2 and dt/4 by "
            "robot.metrics.converged"
        )
    return Report(f"run of {run.header['robot']}", rows | found, tuple(notes))
