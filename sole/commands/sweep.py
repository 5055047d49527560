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
from sole.base.help_pages import OUTPUT
from sole.base.units import in_unit


def sweep(
    sole: Annotated[
        Path, typer.Argument(help="A mesh (.msh), a shape (.toml), or a study (.toml).")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The .nc to write, and a .csv next to it.",
            rich_help_panel=OUTPUT,
        ),
    ],
    young: Annotated[
        list[str] | None,
        typer.Option(
            "--young",
            metavar="RANGE",
            help="Young's modulus E [Pa] of all layers, or LAYER=RANGE of one.",
            rich_help_panel="Axes of the table",
        ),
    ] = None,
    stiffness_factor: Annotated[
        str | None,
        typer.Option(
            "--stiffness-factor",
            metavar="RANGE",
            help="Factor on every layer's own E, instead of --young.",
            rich_help_panel="Axes of the table",
        ),
    ] = None,
    poisson: Annotated[
        list[str] | None,
        typer.Option(
            "--poisson",
            metavar="RANGE",
            help="Poisson's ratio of all layers, or LAYER=RANGE of one.",
            rich_help_panel="Axes of the table",
        ),
    ] = None,
    thickness: Annotated[
        str | None,
        typer.Option(
            "--thickness",
            metavar="RANGE",
            help="Thickness [m]; stretches the mesh.",
            rich_help_panel="Axes of the table",
        ),
    ] = None,
    friction: Annotated[
        str | None,
        typer.Option(
            "--friction",
            metavar="RANGE",
            help="Coulomb's mu, for press rows.",
            rich_help_panel="Axes of the table",
        ),
    ] = None,
    material: Annotated[
        list[str] | None,
        typer.Option(
            "--material",
            help="LAYER=E,nu[,rho] before the axes act; may be repeated.",
            rich_help_panel="Sole",
        ),
    ] = None,
    density: Annotated[
        float | None,
        typer.Option(
            "--density",
            parser=in_unit("kg/m^3"),
            help="Density of layers that have none [kg/m^3].",
            rich_help_panel="Sole",
        ),
    ] = None,
    element: Annotated[
        str | None,
        typer.Option(
            "--element",
            help="ccr, or p2 or p1, which lock at the nu of rubber.",
            show_default="ccr",
            rich_help_panel="Sole",
        ),
    ] = None,
    rows: Annotated[
        list[str] | None,
        typer.Option(
            "--rows",
            help="Kind of rows: stiffness | press | finite_press; may be repeated.",
            rich_help_panel="Rows",
        ),
    ] = None,
    mass: Annotated[
        float | None,
        typer.Option(
            "--mass",
            parser=in_unit("kg"),
            help="Mass on this foot [kg], for the critical E.",
            rich_help_panel="Rows",
        ),
    ] = None,
    com_height: Annotated[
        float | None,
        typer.Option(
            "--com-height",
            parser=in_unit("m"),
            help="Height of that mass above the tread [m].",
            rich_help_panel="Rows",
        ),
    ] = None,
    force: Annotated[
        float | None,
        typer.Option(
            "--force",
            parser=in_unit("N"),
            help="Press with this vertical force [N].",
            rich_help_panel="Rows",
        ),
    ] = None,
    cop: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--cop",
            parser=in_unit("m"),
            metavar="X Y",
            help="Centre of pressure on the tread [m].",
            rich_help_panel="Rows",
        ),
    ] = None,
    finite: Annotated[
        bool,
        typer.Option(
            "--finite",
            help="Press at finite strain, the layers neo-Hookean (rows finite_press).",
            rich_help_panel="Rows",
        ),
    ] = False,
    ground: Annotated[
        str | None,
        typer.Option(
            "--ground", help="For press rows, as in `sole press`.", rich_help_panel="Rows"
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="ROWS.NAME=VALUE: any other option of the rows, as TOML.",
            rich_help_panel="Rows",
        ),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            "--tolerance",
            help="Relative error of interpolated compliances.",
            show_default="1e-8",
            rich_help_panel="Sole",
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            "--unit", help="mm, m or in: unit of a mesh that states none.", rich_help_panel="Sole"
        ),
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

    Short for `sole study` with a grid over one sole. RANGE is LO:HI:N[:lin|log], a list A,B,C, or
    one value; LO:HI:N over a decade or more is spaced logarithmically.

    Every finished row is saved at once in OUTPUT.journal.sqlite. After an interrupt, a kill or a
    full disk, the same command resumes the sweep. At the end the row that `sole report OUTPUT`
    recommends is computed again on a mesh of half the size; --no-check leaves that out. A mesh
    made from STEP, STL or by another program is not checked: sweep one of half the size, too.

    Examples
    --------
    sole sweep pad.msh --young 0.5MPa:10MPa:12 --poisson 0.45 -o sweep.nc
    sole sweep pad.msh --young 1MPa,3MPa --poisson 0.45 --force 600N -o press.nc
    sole sweep pad.msh --young 1MPa --poisson 0.45 --force 600N --finite -o f.nc
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
        finite=finite,
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
