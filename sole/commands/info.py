"""`sole info`: describe the content of a project file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.base.cli import Json, Quiet


def info(
    file: Annotated[Path, typer.Argument(help="Any project file, or an FCLIB contact problem.")],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Describe a file: sizes, materials, stiffnesses, results, with units."""
    from sole.base.archive import schema_of
    from sole.base.damage import refuse_damage
    from sole.base.dispatch import plugin_for
    from sole.base.report import Report, emit
    from sole.base.waiting import doing

    doing(f"reading {file}")
    read = plugin_for("sole.readers", schema_of(file))
    with refuse_damage(file):
        report: Report = read(file)
    emit(report, as_json=as_json, quiet=quiet)
