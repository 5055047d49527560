"""Options for what a URDF does not say of a robot, the same in `sole robot` and `sole walk`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

LeftFoot = Annotated[
    str | None, typer.Option("--left-foot", help="URDF: link or frame at the left foot.")
]
RightFoot = Annotated[
    str | None, typer.Option("--right-foot", help="URDF: link or frame at the right foot.")
]
FootSize = Annotated[
    tuple[float, float] | None,
    typer.Option("--foot-size", help="URDF: length and width, instead of its geometry [m]."),
]
Srdf = Annotated[
    Path | None,
    typer.Option("--srdf", help="URDF: posture, rotors and feet; else NAME.srdf if there."),
]
