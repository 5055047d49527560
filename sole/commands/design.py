"""`sole design`: an optimiser searches the ranges of a study for its best sole."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.base.cli import Dashboard, Json, Quiet, Restart, Scheduler, Threads, Timeout, Workers


def design(
    source: Annotated[Path, typer.Argument(metavar="DESIGN.toml", help="A design study.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The .nc to write; a .csv goes beside it.")
    ],
    restart: Restart = False,
    workers: Workers = None,
    threads: Threads = 1,
    scheduler: Scheduler = "",
    dashboard: Dashboard = None,
    timeout: Timeout = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Search for the sole that minimises a metric under constraints.

    The output is the table of all computed designs; `sole report OUTPUT` reads it. Every finished
    row is saved at once in OUTPUT.journal.sqlite. After an interrupt or a kill, the same command
    resumes the search.
    """
    from sole.base.report import emit
    from sole.base.waiting import doing
    from sole.studies import choose_workforce, show_progress
    from sole.studies.design import describe_best, load_design, run_design

    doing(f"searching for {output}")
    found = load_design(source)
    with show_progress(output, "rows", shown=not (quiet or as_json)) as bar:
        told = run_design(
            found,
            None,
            output,
            folder=source.parent,
            restart=restart,
            workforce=choose_workforce(workers, threads, scheduler, dashboard, timeout),
            listener=bar,
        )
    emit(describe_best(found, told), as_json=as_json, quiet=quiet)
