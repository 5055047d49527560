"""`sole view`: draw a project file in a window or to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.base.cli import Json, Quiet
from sole.base.help_pages import OUTPUT
from sole.base.units import in_unit

FILMS = (".mp4", ".gif")
MOVING = (*FILMS, ".html")  # of --film: the last is a page on which a run plays
SUFFIXES = (".png", ".pdf", ".svg", ".html", ".vtu", ".vtp", ".pvd", *FILMS)


def view(
    file: Annotated[
        Path, typer.Argument(help="A mesh, condensed sole, press result, ground, sweep or run.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help=".png, .pdf, .svg, .html; for ParaView .vtu, .vtp (meshes, soles, presses), .pvd "
            "(runs, increments of a press).",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    field: Annotated[
        str,
        typer.Option(
            "--field",
            help="Draw only this field (a wrong name lists all).",
            rich_help_panel="Picture",
        ),
    ] = "",
    exaggeration: Annotated[
        float | None,
        typer.Option(
            "--exaggeration",
            help="Factor on displacements.",
            show_default="a round number",
            rich_help_panel="Picture",
        ),
    ] = None,
    pixels: Annotated[
        tuple[int, int] | None,
        typer.Option(
            "--pixels", metavar="W H", help="Width and height in pixels.", rich_help_panel="Picture"
        ),
    ] = None,
    dpi: Annotated[
        int | None,
        typer.Option(
            "--dpi",
            help="Dots per inch of a picture of the usual size.",
            show_default="150",
            rich_help_panel="Picture",
        ),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(
            "--time",
            parser=in_unit("s"),
            help="Draw the robot of a run at this time [s], not its time series.",
            rich_help_panel="Runs",
        ),
    ] = None,
    film: Annotated[
        Path | None,
        typer.Option(
            "--film",
            help="Write a film of a run: .mp4, .gif, or .html, a page to play and turn it.",
            rich_help_panel="Runs",
        ),
    ] = None,
    fps: Annotated[
        int, typer.Option("--fps", help="Frames per second of a film.", rich_help_panel="Runs")
    ] = 25,
    beside: Annotated[
        list[Path] | None,
        typer.Option(
            "--beside", help="Another run, drawn next to it; at most three.", rich_help_panel="Runs"
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draw a file to -o OUTPUT (needs no display), or in a window without -o.

    The suffix chooses the format, not what is shown. A run gives its time series; --time draws the
    robot at an instant, --film all of them.

    Examples
    --------
    sole view press.npz -o press.png
    sole view walk.nc --time 1.2s -o pose.png
    sole view walk.nc --film walk.html
    sole view soft.nc --beside hard.nc --film both.gif --fps 10
    """
    from sole.base.files import require_file

    require_file(file, *(beside or ()))

    from sole.base.archive import require_output, schema_of
    from sole.base.damage import refuse_damage
    from sole.base.dispatch import plugin_for
    from sole.base.errors import SoleError
    from sole.base.extras import require_extra
    from sole.base.report import Quantity, Report, emit
    from sole.base.waiting import doing
    from sole.pictures import Scene, ViewOptions, require_display

    others = tuple(beside or ())
    require_output(output, *SUFFIXES, inputs=[file, *others])
    require_output(film, *MOVING, option="--film", inputs=[file, *others])
    schema = schema_of(file)
    viewer = plugin_for("sole.viewers", schema)
    if (time is not None or film is not None or others) and not getattr(viewer, "over_time", False):
        raise SoleError(f"{file} does not change in time: --time, --film and --beside are for runs")
    if film is not None:
        if output is not None or time is not None:
            raise SoleError("--film writes the whole run to its file: leave out -o and --time")
        output = film
    if output is not None and output.suffix.lower() in FILMS:
        require_extra("film", "a film")
    if output is None:
        require_display()  # fail before the work
    options = ViewOptions(
        field=field,
        exaggeration=exaggeration,
        size=pixels,
        dpi=dpi,
        time=time,
        film=film is not None,
        fps=fps,
        beside=others,
        quiet=quiet or as_json,
    )
    doing(f"drawing {file}")
    with refuse_damage(file):
        scene: Scene = viewer(file, options)
    if output is None:
        doing("")
        scene.show()
        return
    scene.write(output)
    rows = {
        "file": Quantity(str(file)),
        **({"beside": Quantity([str(other) for other in others])} if others else {}),
        "schema": Quantity(schema),
        "output": Quantity(str(output)),
    }
    if getattr(viewer, "over_time", False) and time is None and film is None and not field:
        rows["shows"] = Quantity("time series", "", "--time or --film draw the robot")
    emit(Report("picture", rows), as_json=as_json, quiet=quiet)
