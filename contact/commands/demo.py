"""`sole demo`: from a foot's outline to pictures."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from sole.base.cli import Json, Quiet
from sole.base.help_pages import OUTPUT


def demo(
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The folder for pictures, table and data.",
            rich_help_panel=OUTPUT,
        ),
    ] = Path("out/demo"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Mesh, condense, press and sweep HRP-2Kai's sole; four pictures and a table, a minute.

    Examples
    --------
    sole demo
    sole demo -o out/first
    """
    import json
    import time

    from contact.demo import run_demo
    from sole.base.compiled import prepare
    from sole.pictures import require_rendering_libraries

    require_rendering_libraries()  # before the work, not after it
    start = time.perf_counter()
    prepare(["condense", "press", "stiffness"])
    silent = as_json or quiet
    done = run_demo(output, (lambda line: None) if silent else _say)
    seconds = time.perf_counter() - start
    if as_json:
        files = {name: str(path) for name, path in done.files.items()}
        print(json.dumps({"files": files, "seconds": {**done.seconds, "total": seconds}}))
    elif not quiet:
        _say(f"done in {seconds:.0f} s")
        for name, path in done.files.items():
            if name.endswith("picture") or name == "table":
                _say(f"    {path}")
        _say(f"look closer: sole view {done.files['step']}   sole info {done.files['sole']}")


def _say(line: str) -> None:
    with contextlib.suppress(OSError):  # a lost line must not cost the work; `main` reports it
        print(line, flush=True)
