"""`sole design`: an optimiser searches the ranges of a study for its best sole."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.cli import Json, Quiet
from sole.studies.options import Dashboard, Restart, Scheduler, Threads, Timeout, Workers


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
    """Search for the sole that makes a metric least and holds constraints.

    The table of all designs that were worked out is one of a study: `sole report OUTPUT`. Finished
    rows are kept in OUTPUT.journal.sqlite at once; a search that was interrupted or killed is taken
    up again by the same command.
    """
    from sole.design.problem import load_design
    from sole.design.report import describe_best
    from sole.design.search import run_design
    from sole.report import emit
    from sole.studies.command import watched
    from sole.studies.workforce import workforce_of

    found = load_design(source)
    with watched(output, "rows", shown=not (quiet or as_json)) as bar:
        told = run_design(
            found,
            None,
            output,
            folder=source.parent,
            restart=restart,
            workforce=workforce_of(workers, threads, scheduler, dashboard, timeout),
            listener=bar,
        )
    emit(describe_best(found, told), as_json=as_json, quiet=quiet)
