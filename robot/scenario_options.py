"""Options that override values of a scenario, the same in every command that simulates one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.base.units import in_unit

__all__ = [
    "Friction",
    "GroundText",
    "PadSize",
    "Poisson",
    "RobotName",
    "ScenarioFile",
    "Young",
    "check_pad_size",
]

ScenarioFile = Annotated[
    Path | None, typer.Argument(help="A scenario .toml; the options below override its values.")
]
RobotName = Annotated[
    str | None,
    typer.Option(
        "--robot",
        help="A name from `sole robot list`, or a .toml, .urdf, .xacro or MJCF .xml file.",
        show_default="hrp2-like",
        rich_help_panel="Robot",
    ),
]
Young = Annotated[
    float | None,
    typer.Option(
        "--young",
        parser=in_unit("Pa"),
        help="Young's modulus of the pad under each foot [Pa].",
        show_default="3e6",
        rich_help_panel="Sole",
    ),
]
Poisson = Annotated[
    float | None,
    typer.Option(
        "--poisson", help="Poisson's ratio of the pad.", show_default="0.4", rich_help_panel="Sole"
    ),
]
PadSize = Annotated[
    float | None,
    typer.Option(
        "--size-tread",
        parser=in_unit("m"),
        help="Edge length of the pad's mesh at the tread [m], which sets the number of nodes: 0.03 "
        "gives 62 a foot on hrp2-like, 0.02 gives 119, 0.012 gives 318.",
        show_default="0.03",
        rich_help_panel="Sole",
    ),
]
Friction = Annotated[
    float | None,
    typer.Option(
        "--friction",
        help="Coulomb's mu between soles and ground.",
        show_default="0.7",
        rich_help_panel="Ground",
    ),
]
GroundText = Annotated[
    str | None,
    typer.Option(
        "--ground",
        help="As in `sole press`: plane | step:0.005 | gravel | ...",
        show_default="plane",
        rich_help_panel="Ground",
    ),
]


def check_pad_size(size: float | None, file: str | None, points: str) -> None:
    """Refuse `--size-tread` where `sole.file` or `contact.points` leave a walk no pads to make.

    Raises
    ------
    ConfigError
        The soles come from a file, or the feet touch at their corners.
    """
    from sole.base.errors import ConfigError

    if size is None:
        return
    if file is not None:
        raise ConfigError(
            f"--size-tread is of pads made for the walk, these soles come from {file}: remesh them "
            "with `sole mesh --size-tread`"
        )
    if points == "corners":
        raise ConfigError(
            "--size-tread is of pads made for the walk, contact: points = 'corners' has no mesh: "
            "leave --size-tread out"
        )
