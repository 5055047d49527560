"""Options of the commands that run a study: who works, and what becomes of the journal."""

from __future__ import annotations

from typing import Annotated

import typer

Restart = Annotated[
    bool, typer.Option("--restart", help="Throw away the journal of an earlier run.")
]
KeepJournal = Annotated[
    bool, typer.Option("--keep-journal", help="Keep the journal after success.")
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        help="Processes on this machine, at most as many as cores; 0: this process. Without "
        "it a short study stays in this process and a long one takes all cores.",
    ),
]
Threads = Annotated[
    int,
    typer.Option("--threads", min=0, max=1, help="Of each worker; 0: all in this process."),
]
Scheduler = Annotated[
    str, typer.Option("--scheduler", help="tcp://HOST:PORT of a Dask cluster to work on.")
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        help="Longest time of a row [s], 3600 if not given; over it its worker is ended and the "
        "row has failed. Given, it starts workers at once: in this process nothing ends a row.",
    ),
]
Dashboard = Annotated[
    int | None,
    typer.Option("--dashboard", help="Port for Dask's dashboard (off; needs bokeh)."),
]
