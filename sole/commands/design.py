"""`sole design`: an optimiser searches the ranges of a study for its best sole."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.base.cli import Dashboard, Json, Quiet, Restart, Scheduler, Threads, Timeout, Workers
from sole.base.help_pages import OUTPUT


def design(
    source: Annotated[Path, typer.Argument(metavar="DESIGN.toml", help="A design study.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The .nc to write (.npz of a shape design), and a .csv of the same name.",
            rich_help_panel=OUTPUT,
        ),
    ],
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", help="Draw a shape design: .png, .pdf, .svg or .html.", rich_help_panel=OUTPUT
        ),
    ] = None,
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

    A file of schema contact.shape_design/1 moves the tread and layers of a mesh by gradients
    (docs/shape_design.md); it runs in this process and writes the best shape, condensed.

    Examples
    --------
    sole design design.toml -o best.nc
    sole design shape.toml -o best.npz --plot shape.png
    """
    from sole.base.archive import require_output
    from sole.base.cli import plugins
    from sole.base.config import read_toml
    from sole.base.errors import ConfigError
    from sole.base.files import require_file
    from sole.base.report import emit
    from sole.base.waiting import doing
    from sole.studies import choose_workforce, show_progress
    from sole.studies.design import describe_best, load_design, run_design

    require_file(source)
    require_output(output, inputs=[source])
    require_output(output.with_suffix(".csv"), inputs=[source])
    doing(f"searching for {output}")
    kind = str(read_toml(source).get("schema", "")).split("/")[0]
    other = plugins("sole.designs").get(kind)
    if other is not None:
        if workers is not None or scheduler or dashboard is not None or timeout is not None:
            raise ConfigError(
                f"{source}: a shape design runs in this process: leave out --workers, --scheduler, "
                "--dashboard and --timeout"
            )
        report = other.load()(source, output, plot, shown=not (quiet or as_json))
        emit(report, as_json=as_json, quiet=quiet)
        return
    if plot is not None:
        raise ConfigError("--plot draws shape designs; `sole report OUTPUT` draws this one")
    require_output(output, ".nc")
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
