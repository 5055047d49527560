"""What `sole study` and `sole sweep` do: run a study, show how it goes and what came out."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sole.errors import SoleError
from sole.mesh import SoleMesh
from sole.report import Quantity, Report, emit
from sole.studies.study import Study

if TYPE_CHECKING:
    from sole.studies.report import ProgressBar


@contextlib.contextmanager
def watched(output: Path, rows: str, *, shown: bool) -> Iterator[ProgressBar]:
    """Yield a progress bar; Ctrl-C tells how many ("of 12 rows") are kept and exits with 130."""
    from sole.studies.report import ProgressBar

    bar = ProgressBar(shown=shown)
    try:
        with bar:
            yield bar
    except KeyboardInterrupt:
        print(
            f"interrupted: {bar.rows} {rows} are kept in {output}.journal.sqlite; run the same "
            "command again to continue",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None


def run_command(
    study: Study, mesh: SoleMesh | None, output: Path, *, as_json: bool, quiet: bool, **how: Any
) -> None:
    """Run a study as `sole.sweep.run_sweep` does with `how`, and print its summary.

    Raises
    ------
    SoleError
        Whatever `run_sweep` raises, and if every row failed, with the commonest reason.
    Exit
        With code 130 after Ctrl-C.
    """
    from sole.studies.report import describe_summary
    from sole.studies.table import commonest_reason
    from sole.sweep import run_sweep

    with watched(output, f"of {study.size} rows", shown=not (quiet or as_json)) as bar:
        summary = run_sweep(study, mesh, output, listener=bar, **how)
    emit(describe_summary(summary), as_json=as_json, quiet=quiet)
    if summary.failed == summary.rows:
        raise SoleError(f"every row failed, most often: {commonest_reason(output)}")


def describe_plan(study: Study, folder: Path) -> Report:
    """Return what a study would do, without doing it: cases, soles, condensations.

    Raises
    ------
    SoleError
        What would end the study at its start.
    """
    from sole.studies.plan import Plan
    from sole.studies.sharing import Family
    from sole.studies.soles import soles_of
    from sole.studies.store import sole_bytes
    from sole.sweep import columns_of, make_rows

    kinds = make_rows(study, folder)
    plan = Plan(study, soles_of(study, kinds, folder), kinds)
    groups = plan.groups
    counts = {key: Family(plan, key).expected_condensations for key in groups}
    rows = {
        "cases": Quantity(study.size, "", study.sampling.scheme),
        "rows": Quantity(list(study.rows), "", f"{len(columns_of(kinds))} columns"),
        "soles": Quantity([s.mesh.name for s in plan.soles.values()]),
        "shared soles": Quantity(sum(map(len, groups.values())), "", "up to a factor on E"),
        "condensations": Quantity(sum(counts.values()), "", "at least; points left out included"),
    }
    if any(kind.needs_sole for kind in kinds.values()):
        disk = sum(n * sole_bytes(plan.meshes[key.sole]) for key, n in counts.items())
        remark = "at least; until the table is whole"
        rows["disk"] = Quantity(round(disk / 1e6, 1), "MB", remark)
    for axis in study.axis:
        what, (low, high) = plan.quantities[axis.name], axis.ends
        values = [low, high] if axis.numeric else list(map(str, axis.values))
        several = "repeats" if axis.ensemble else "values"
        many = f"{len(axis.values)} {several}" if axis.values else "a range to sample"
        rows[f"axis {axis.name}"] = Quantity(values, what.unit, f"{what.title}, {many}")
    return Report("plan of the study", rows, plan.warnings)
