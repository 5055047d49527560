"""The table, CSV, JSON and picture of a comparison of solvers."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from contact.fclib.bench import TAUS, SolverComparison, SolverRow
from sole.base.archive import replacing, require_writable
from sole.base.errors import SoleError
from sole.base.report import shown

COLUMNS = (
    "problem",
    "contacts",
    "solver",
    "iterations",
    "seconds",
    "residual",
    "outcome",
    "remark",
)


def check_outputs(outputs: Sequence[Path]) -> None:
    """Refuse an output of another kind, or one that cannot be written, before the work."""
    for path in outputs:
        if path.suffix not in (".csv", ".png"):
            raise SoleError(f"-o {path}: a comparison is written as .csv or .png")
        require_writable(path)


def write_outputs(bench: SolverComparison, outputs: Sequence[Path]) -> None:
    """Write the table (.csv) and the performance profile (.png)."""
    for path in outputs:
        if path.suffix == ".csv":
            _write_csv(bench, path)
        else:
            _draw(bench, path)


def write_tables(bench: SolverComparison, outputs: Sequence[Path]) -> None:
    """Write the tables (.csv) alone, for a comparison that is still running."""
    write_outputs(bench, [path for path in outputs if path.suffix == ".csv"])


def bench_json(bench: SolverComparison) -> dict[str, Any]:
    """Return plain data: rows, profile; null where there is no number."""
    return {
        "title": "contact solvers",
        "tolerance": bench.tolerance,
        "rows": [{name: _plain(getattr(row, name)) for name in COLUMNS} for row in bench.rows],
        "profile": {
            "tau": [_plain(tau) for tau in TAUS],
            **{s: [_plain(v) for v in bench.profile(s)] for s in bench.solvers},
        },
        "unreadable": bench.unreadable,
        "units": {"seconds": "s"},
        "warnings": [],
    }


def show_bench(bench: SolverComparison, *, as_json: bool, quiet: bool) -> None:
    """Print one JSON object, or both tables, or nothing."""
    if as_json:
        print(json.dumps(bench_json(bench), allow_nan=False))
        return
    if quiet:
        return
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if not console.is_terminal:
        console = Console(width=120)  # a pipe has no width: do not break lines for it
    title = f"contact solvers; solved: natural map to {bench.tolerance:g}"
    table = Table(title=title, title_justify="left")
    for name in ("problem", "contacts", "solver", "iterations", "time [s]", "residual", "outcome"):
        words = name in ("problem", "solver", "outcome")
        table.add_column(shown(name), justify="left" if words else "right")
    last = ""
    for row in bench.rows:
        table.add_row(*map(shown, _cells(row, row.problem != last)))
        last = row.problem
    console.print(table)
    shares = Table(
        title=f"share of {len(bench.problems)} problems within tau of the fastest",
        title_justify="left",
    )
    shares.add_column("solver")
    for tau in TAUS:
        shares.add_column("solved" if tau == np.inf else f"tau {tau:g}", justify="right")
    for solver in bench.solvers:
        shares.add_row(solver, *(f"{100 * share:.0f} %" for share in bench.profile(solver)))
    console.print(shares)
    if bench.unreadable:
        console.print(shown(f"unreadable files, not counted there: {bench.unreadable}"))
    for row in bench.rows:
        if row.outcome in ("refused", "failed", "unreadable"):
            who = row.solver or "file"
            console.print(shown(f"{row.problem}, {who}: {' '.join(row.remark.split())}"))


def _cells(row: SolverRow, first: bool) -> tuple[str, ...]:
    return (
        row.problem if first else "",
        str(row.contacts) if first else "",
        row.solver,
        str(row.iterations),
        f"{row.seconds:.3g}",
        f"{row.residual:.1e}",
        row.outcome,
    )


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _write_csv(bench: SolverComparison, path: Path) -> None:
    header = [{"seconds": "seconds[s]"}.get(name, name) for name in COLUMNS]
    with replacing(path) as temporary, _opened(temporary) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([getattr(row, name) for name in COLUMNS] for row in bench.rows)


def _opened(path: Path) -> TextIO:
    # A file name on Linux need not be text.
    return path.open("w", newline="", encoding="utf-8", errors="backslashreplace")


def _draw(bench: SolverComparison, path: Path) -> None:
    """Draw the steps of profile(tau) over log tau, one line per solver."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    finite = [r for s in bench.solvers for r in bench.ratios(s) if np.isfinite(r)]
    largest = max([10.0, *finite]) * 1.5
    figure = Figure(figsize=(8.5, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    styles = ("-", "--", "-.", ":")
    for i, solver in enumerate(bench.solvers):
        taus = sorted({1.0, largest, *(r for r in bench.ratios(solver) if np.isfinite(r))})
        shares = [100 * share for share in bench.profile(solver, taus)]
        axes.step(taus, shares, where="post", label=solver, linestyle=styles[i % 4], linewidth=1.8)
    axes.set(
        xscale="log",
        xlim=(1, largest),
        ylim=(0, 103),
        xlabel="time over that of the fastest solver, tau",
        ylabel="problems solved [%]",
        title=f"{len(bench.problems)} problems, natural map to {bench.tolerance:g}",
    )
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper")
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=120)
