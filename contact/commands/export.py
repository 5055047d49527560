"""`sole export`: a condensed sole as springs, dampers and a hard tread for another engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.base.cli import Json, Quiet
from sole.base.help_pages import OUTPUT
from sole.base.units import in_unit


def export(
    sole: Annotated[Path, typer.Argument(help="A condensed sole (.npz of `sole condense`).")],
    to: Annotated[str, typer.Option("--to", help="mujoco (.xml) | urdf | sdf | json.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The file to write.", rich_help_panel=OUTPUT)
    ],
    eta: Annotated[
        float,
        typer.Option(
            "--eta", parser=in_unit("s"), help="Kelvin-Voigt time of the sole: damping = eta K [s]."
        ),
    ] = 0.0,
    force: Annotated[
        float | None,
        typer.Option(
            "--force",
            parser=in_unit("N"),
            help="Refuse unless this normal force is in range [N].",
            rich_help_panel="Range",
        ),
    ] = None,
    tilt_deg: Annotated[
        float | None,
        typer.Option(
            "--tilt-deg",
            help="Refuse unless this tilt at --force is in range [deg].",
            rich_help_panel="Range",
        ),
    ] = None,
    dt: Annotated[
        float | None,
        typer.Option(
            "--dt",
            parser=in_unit("s"),
            help="MuJoCo: time step [s] that its contact is made for; shorter is harder.",
            show_default="1e-3",
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fit six springs and dampers and a hard tread to a sole; state their range and errors.

    Examples
    --------
    sole export pad.npz --to mujoco --eta 5ms -o pad.xml
    sole export pad.npz --to sdf --force 600N --tilt-deg 0.5 -o pad.sdf
    """
    import math

    from sole.base.files import require_file

    require_file(sole)

    from contact.bushing import EXPORTS, MujocoContact, fit_bushing, write_bushing
    from contact.summaries.bushing_summary import describe_bushing
    from sole.base.archive import require_output
    from sole.base.checks import check_one_of
    from sole.base.report import emit
    from sole.base.waiting import doing
    from sole.condense import load_condensed

    check_one_of("--to", to, tuple(EXPORTS))
    require_output(output, EXPORTS[to][0], inputs=[sole])
    doing(f"fitting springs to {sole}")
    bushing = fit_bushing(load_condensed(sole), eta)
    bushing.require(force, None if tilt_deg is None else math.radians(tilt_deg))
    write_bushing(bushing, output, to, dt)
    contact = MujocoContact.of(bushing, dt) if to == "mujoco" else None
    emit(describe_bushing(bushing, output, contact), as_json=as_json, quiet=quiet)
