"""`sole study`: a table over soles, materials, grounds, gaits and seeds, from a study in TOML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.cli import Json, Quiet
from sole.studies.options import (
    Dashboard,
    KeepJournal,
    Restart,
    Scheduler,
    Threads,
    Timeout,
    Workers,
)


def study(
    source: Annotated[Path, typer.Argument(metavar="STUDY.toml", help="A study.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The .nc to write; a .csv goes beside it.")
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Say what would be worked out, and check all of it first."),
    ] = False,
    restart: Restart = False,
    keep_journal: KeepJournal = False,
    workers: Workers = None,
    threads: Threads = 1,
    scheduler: Scheduler = "",
    dashboard: Dashboard = None,
    timeout: Timeout = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a study: walks, presses or stiffnesses over everything that its axes vary.

    Finished rows are kept in OUTPUT.journal.sqlite at once. A study that was interrupted,
    killed or ran out of disk is taken up again by the same command. `sole report OUTPUT` says
    which sole to take.
    """
    from sole.errors import ConfigError
    from sole.report import emit
    from sole.studies.command import describe_plan, run_command
    from sole.studies.study import load_study
    from sole.studies.workforce import workforce_of

    found, folder = load_study(source), source.parent
    if dry_run:
        emit(describe_plan(found, folder), as_json=as_json, quiet=quiet)
        return
    if output is None or output.suffix != ".nc":
        raise ConfigError(
            "a study is written to an .nc file: give -o STUDY.nc"
            + (f", got -o {output}" if output else ", or --dry-run")
        )
    run_command(
        found,
        None,
        output,
        folder=folder,
        restart=restart,
        keep_journal=keep_journal,
        workforce=workforce_of(workers, threads, scheduler, dashboard, timeout),
        as_json=as_json,
        quiet=quiet,
    )
