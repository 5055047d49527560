"""Command-line options for data that a URDF lacks, shared by `sole robot` and `sole walk`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.base.units import in_unit

__all__ = ["FootSize", "LeftFoot", "RightFoot", "Srdf"]

LeftFoot = Annotated[
    str | None, typer.Option("--left-foot", help="URDF: link or frame at the left foot.")
]
RightFoot = Annotated[
    str | None, typer.Option("--right-foot", help="URDF: link or frame at the right foot.")
]
FootSize = Annotated[
    tuple[float, float] | None,
    typer.Option(
        "--foot-size",
        parser=in_unit("m"),
        help="URDF: length and width of a foot, without its geometry [m].",
    ),
]
Srdf = Annotated[
    Path | None,
    typer.Option("--srdf", help="URDF: file of posture, rotors and feet [NAME.srdf, if present]."),
]
