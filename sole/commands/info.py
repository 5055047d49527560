"""`sole info`: describe the content of a project file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.base.cli import Json, Quiet
from sole.base.units import in_unit


def info(
    file: Annotated[Path, typer.Argument(help="Any project file, or an FCLIB contact problem.")],
    about: Annotated[
        tuple[float, float, float] | None,
        typer.Option(
            "--about",
            metavar="X Y Z",
            parser=in_unit("m"),
            help="Condensed sole: its stiffness about this point, such as the ankle [m]; the sole "
            "frame lies on the bond plane, z up.",
            show_default="0 0 -thickness",
        ),
    ] = None,
    variables: Annotated[
        bool,
        typer.Option(
            "--variables",
            help="Run or sweep (.nc): list every variable with dimensions, unit and meaning.",
        ),
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Describe a file: sizes, materials, stiffnesses, results, with units.

    Examples
    --------
    sole info pad.npz
    sole info pad.npz --about 0 0 10cm
    sole info walk.nc --variables
    sole info walk.nc --json
    """
    from sole.base.archive import schema_of
    from sole.base.damage import refuse_damage
    from sole.base.dispatch import plugin_for
    from sole.base.errors import ConfigError
    from sole.base.report import Report, emit
    from sole.base.waiting import doing

    doing(f"reading {file}")
    schema = schema_of(file)
    if about is not None and not schema.startswith("sole.condensed/"):
        raise ConfigError(f"{file}: --about is for condensed soles, this is {schema}")
    if variables and not schema.startswith(("robot.run/", "sole.sweep/")):
        raise ConfigError(f"{file}: --variables is for runs and sweeps (.nc), this is {schema}")
    read = plugin_for("sole.readers", schema)
    with refuse_damage(file):
        report: Report = read(file) if about is None else read(file, about)
        if variables:  # of a file whose digest is right: it was just read
            from sole.base.file_variables import describe_variables

            report = describe_variables(file)
    emit(report, as_json=as_json, quiet=quiet)
