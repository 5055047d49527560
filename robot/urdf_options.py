"""Command-line options for data that a URDF lacks, shared by `sole robot` and `sole walk`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sole.base.units import in_unit

__all__ = ["FootSize", "LeftFoot", "Packages", "RightFoot", "Srdf", "XacroArgs", "urdf_values"]

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
XacroArgs = Annotated[
    list[str] | None,
    typer.Option(
        "--xacro-arg",
        metavar="NAME=VALUE",
        help="Of a .xacro: the value of an argument (repeatable).",
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


def urdf_values(
    left_foot: str | None,
    right_foot: str | None,
    foot_size: tuple[float, float] | None,
    srdf: Path | None,
    package: list[str] | None,
    xacro_arg: list[str] | None,
) -> dict[str, Any]:
    """Return the options as keys of `robot.model.UrdfOptions`, with paths valid in any folder."""
    from sole.shape import relative_to

    return {
        "left_foot": left_foot,
        "right_foot": right_foot,
        "foot_size": foot_size,
        "srdf": None if srdf is None else str(srdf.absolute()),
        "packages": tuple(relative_to(Path.cwd(), text) for text in package) if package else None,
        "xacro_args": tuple(xacro_arg) if xacro_arg else None,
    }
