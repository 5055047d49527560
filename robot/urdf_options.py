"""Command-line options for data that a URDF lacks, shared by `sole robot` and `sole walk`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.base.units import in_unit

__all__ = ["FootSize", "LeftFoot", "Packages", "RightFoot", "Srdf"]

LeftFoot = Annotated[
    str | None,
    typer.Option(
        "--left-foot", help="Of a URDF: link or frame at the left foot.", rich_help_panel="Robot"
    ),
]
RightFoot = Annotated[
    str | None,
    typer.Option(
        "--right-foot", help="Of a URDF: link or frame at the right foot.", rich_help_panel="Robot"
    ),
]
FootSize = Annotated[
    tuple[float, float] | None,
    typer.Option(
        "--foot-size",
        parser=in_unit("m"),
        metavar="L W",
        help="Of a URDF: length and width of a foot, without its geometry [m].",
        rich_help_panel="Robot",
    ),
]
Packages = Annotated[
    list[str] | None,
    typer.Option(
        "--package",
        metavar="NAME=FOLDER",
        help="Of a URDF: folder of a package:// (repeatable), or one that holds packages.",
        rich_help_panel="Robot",
    ),
]
Srdf = Annotated[
    Path | None,
    typer.Option(
        "--srdf",
        help="Of a URDF: the file of posture, rotors and feet.",
        show_default="NAME.srdf, if present",
        rich_help_panel="Robot",
    ),
]
