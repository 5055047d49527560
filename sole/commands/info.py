"""`sole info`: what a file of ours holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.cli import Json, Quiet


def info(
    file: Annotated[Path, typer.Argument(help="Any file of ours, or a contact problem of FCLIB.")],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say what a file holds: sizes, materials, stiffnesses, results, with units."""
    from sole.archive import schema_of
    from sole.dispatch import plugin_for
    from sole.report import Report, emit

    report: Report = plugin_for("sole.readers", schema_of(file))(file)
    emit(report, as_json=as_json, quiet=quiet)
