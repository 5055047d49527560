"""`sole sweep`: a table over materials and geometry, from options or a study in TOML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.base.cli import (
    Check,
    CheckRow,
    Dashboard,
    Json,
    KeepJournal,
    Quiet,
    Restart,
    Scheduler,
    Threads,
    Timeout,
    Workers,
)
from sole.base.units import in_unit

RANGE = "LO:HI:N[:lin|log], a list A,B,C, or one value"


def sweep(
    sole: Annotated[
        Path, typer.Argument(help="A mesh (.msh), a shape (.toml), or a study (.toml).")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The .nc to write, and a .csv next to it.")
    ],
    young: Annotated[
        list[str] | None,
        typer.Option(
            "--young",
            help=f"E [Pa] of all layers, or LAYER=... of one: {RANGE}. A range of a decade or more "
            "is spaced logarithmically.",
        ),
    ] = None,
    stiffness_factor: Annotated[
        str | None,
        typer.Option(
            "--stiffness-factor",
            help=f"Multiplies every layer's own E, instead of --young: {RANGE}.",
        ),
    ] = None,
    poisson: Annotated[
        list[str] | None,
        typer.Option("--poisson", help=f"nu of all layers, or LAYER=...: {RANGE}."),
    ] = None,
    thickness: Annotated[
        str | None, typer.Option("--thickness", help=f"[m] stretches the mesh: {RANGE}.")
    ] = None,
    friction: Annotated[
        str | None, typer.Option("--friction", help=f"For press rows: {RANGE}.")
    ] = None,
    material: Annotated[
        list[str] | None,
        typer.Option("--material", help="LAYER=E,nu[,rho] before the axes act; may be repeated."),
    ] = None,
    density: Annotated[
        float | None,
        typer.Option(
            "--density", parser=in_unit("kg/m^3"), help="Density of layers that have none [kg/m^3]."
        ),
    ] = None,
    element: Annotated[
        str | None,
        typer.Option("--element", help="ccr (default); p2, p1 lock at high nu."),
    ] = None,
    rows: Annotated[
        list[str] | None,
        typer.Option("--rows", help="Kind of rows (stiffness, press); may be repeated."),
    ] = None,
    mass: Annotated[
        float | None,
        typer.Option(
            "--mass", parser=in_unit("kg"), help="Mass on this foot [kg], for the critical E."
        ),
    ] = None,
    com_height: Annotated[
        float | None,
        typer.Option(
            "--com-height", parser=in_unit("m"), help="Height of that mass above the tread [m]."
        ),
    ] = None,
    force: Annotated[
        float | None,
        typer.Option("--force", parser=in_unit("N"), help="Press with this vertical force [N]."),
    ] = None,
    cop: Annotated[
        tuple[float, float] | None,
        typer.Option("--cop", parser=in_unit("m"), help="Centre of pressure x y [m]."),
    ] = None,
    ground: Annotated[
        str | None, typer.Option("--ground", help="For press rows, as in `sole press`.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--set", help="ROWS.NAME=VALUE: any other option of the rows, as TOML."),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option("--tolerance", help="Relative error of interpolated compliances (1e-8)."),
    ] = None,
    unit: Annotated[
        str | None, typer.Option("--unit", help="mm, m or in: unit of a mesh that states none.")
    ] = None,
    restart: Restart = False,
    keep_journal: KeepJournal = False,
    check: Check = True,
    check_row: CheckRow = None,
    workers: Workers = None,
    threads: Threads = 1,
    scheduler: Scheduler = "",
    dashboard: Dashboard = None,
    timeout: Timeout = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Sweep a sole over its materials: stiffnesses, critical E, pressures, strains.

    Short for `sole study` with a grid over one sole. Every finished row is saved at once in
    OUTPUT.journal.sqlite. After an interrupt, a kill or a full disk, the same command resumes
    the sweep. At the end the row that `sole report OUTPUT` recommends is computed again on a mesh
    of half the size; --no-check leaves that out. A mesh made from STEP, STL or by another program
    is not checked: sweep one of half the size, too.
    """
    from sole.base.archive import require_output
    from sole.studies import Request, choose_workforce, resolve_request, run_command

    request = Request(
        source=sole,
        axes={
            "young": young or [],
            "stiffness_factor": [stiffness_factor] if stiffness_factor else [],
            "poisson": poisson or [],
            "thickness": [thickness] if thickness else [],
            "friction": [friction] if friction else [],
        },
        materials=tuple(material or ()),
        rows=tuple(rows or ()),
        stiffness={"mass": mass, "com_height": com_height},
        press={"force": force, "cop": cop, "ground": ground},
        extra=tuple(option or ()),
        study={"density": density, "element": element, "tolerance": tolerance, "unit": unit},
    )
    require_output(output, ".nc", inputs=[sole])
    require_output(output.with_suffix(".csv"))
    crew = choose_workforce(workers, threads, scheduler, dashboard, timeout)
    study, mesh, folder = resolve_request(request)
    from sole.studies.choice import check_table

    run_command(
        study,
        mesh,
        output,
        folder=folder,
        restart=restart,
        keep_journal=keep_journal,
        check=check_table if check or check_row else None,
        check_row=check_row,
        workforce=crew,
        as_json=as_json,
        quiet=quiet,
    )
