"""`sole study`: a table over soles, materials and options of the rows, from a study in TOML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.base.cli import (
    RUN,
    Check,
    CheckRow,
    Dashboard,
    Json,
    KeepJournal,
    Quiet,
    Restart,
    Scheduler,
    Threads,
    Timeout,
    Workers,
)
from sole.base.help_pages import OUTPUT


def study(
    source: Annotated[Path, typer.Argument(metavar="STUDY.toml", help="A study.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The .nc to write, and a .csv next to it.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Check the study and print what it would compute.",
            rich_help_panel=RUN,
        ),
    ] = False,
    restart: Restart = False,
    keep_journal: KeepJournal = False,
    check: Check = True,
    check_row: CheckRow = None,
    workers: Workers = None,
    threads: Threads = 1,
    scheduler: Scheduler = "",
    dashboard: Dashboard = None,
    timeout: Timeout = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a study: stiffnesses, presses and other rows over all of its axes.

    Every finished row is saved at once in OUTPUT.journal.sqlite. After an interrupt, a kill or a
    full disk, the same command resumes the study. At the end the row that `sole report OUTPUT`
    recommends is computed again on a mesh of half the size; --no-check leaves that out. A mesh
    made from STEP, STL or by another program is not checked: study one of half the size, too.

    Examples
    --------
    sole study study.toml --dry-run
    sole study study.toml -o study.nc --workers 4
    """
    from sole.base.archive import require_output
    from sole.base.errors import ConfigError
    from sole.base.report import emit
    from sole.base.waiting import doing
    from sole.studies import choose_workforce, describe_plan, load_study, run_command

    if not dry_run:
        require_output(output, ".nc", inputs=[source])
        require_output(output and output.with_suffix(".csv"))
    doing(f"reading {source}")
    found, folder = load_study(source), source.parent
    if dry_run:
        emit(describe_plan(found, folder), as_json=as_json, quiet=quiet)
        return
    if output is None:
        raise ConfigError("a study is written to an .nc file: give -o STUDY.nc, or --dry-run")
    from sole.studies.choice import check_table

    run_command(
        found,
        None,
        output,
        folder=folder,
        restart=restart,
        keep_journal=keep_journal,
        check=check_table if check or check_row else None,
        check_row=check_row,
        workforce=choose_workforce(workers, threads, scheduler, dashboard, timeout),
        as_json=as_json,
        quiet=quiet,
    )
