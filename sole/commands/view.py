"""`sole view`: a picture of a file of ours, in a window or in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.cli import Json, Quiet


def view(
    file: Annotated[
        Path, typer.Argument(help="A mesh, condensed sole, press result, ground or sweep.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help=".png, .vtu, .vtp or .html (a sweep: .png, .svg, .pdf, .html)."
        ),
    ] = None,
    field: Annotated[
        str, typer.Option("--field", help="Draw this field alone (a wrong name lists them).")
    ] = "",
    exaggeration: Annotated[
        float | None,
        typer.Option("--exaggeration", help="Factor on displacements; a round one by default."),
    ] = None,
    size: Annotated[
        tuple[int, int] | None, typer.Option("--size", help="Width and height in pixels.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draw a file: to -o OUTPUT (needs no display), or in a window without it."""
    from sole.archive import refuse_same_file, schema_of
    from sole.dispatch import plugin_for
    from sole.pictures.display import require_display
    from sole.pictures.scene import Scene, ViewOptions
    from sole.report import Quantity, Report, emit

    schema = schema_of(file)
    viewer = plugin_for("sole.viewers", schema)
    if output is None:
        require_display()  # before the work, not after it
    scene: Scene = viewer(file, ViewOptions(field=field, exaggeration=exaggeration, size=size))
    if output is None:
        scene.show()
        return
    refuse_same_file(file, output)
    scene.write(output)
    rows = {
        "file": Quantity(str(file)),
        "schema": Quantity(schema),
        "output": Quantity(str(output)),
    }
    emit(Report("picture", rows), as_json=as_json, quiet=quiet)
