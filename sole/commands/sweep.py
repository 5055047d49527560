"""`sole sweep`: a table over materials and geometry, from options or from a study in TOML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.cli import Json, Quiet

RANGE = "LO:HI:N[:lin|log], a list A,B,C, or one value"


def sweep(
    sole: Annotated[
        Path, typer.Argument(help="A mesh (.msh), a shape (.toml), or a study (.toml).")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The .nc to write; a .csv goes beside it.")
    ],
    young: Annotated[
        list[str] | None,
        typer.Option(
            "--young",
            help=f"E [Pa]: {RANGE}. Without a prefix all layers are scaled together, keeping "
            "their ratios, and the value is E of the layer at the tread; LAYER=LO:HI:N varies "
            "one layer. A range of a decade or more is spaced logarithmically.",
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
        float | None, typer.Option("--density", help="Of layers that have none [kg/m^3].")
    ] = None,
    element: Annotated[
        str | None, typer.Option("--element", help="p1, p2 (default), or ccr for nu near 0.5.")
    ] = None,
    rows: Annotated[
        list[str] | None,
        typer.Option("--rows", help="Kind of rows (stiffness, press); may be repeated."),
    ] = None,
    mass: Annotated[
        float | None, typer.Option("--mass", help="On this foot [kg], for the critical E.")
    ] = None,
    com_height: Annotated[
        float | None, typer.Option("--com-height", help="Of that mass above the tread [m].")
    ] = None,
    force: Annotated[
        float | None, typer.Option("--force", help="Press with this vertical force [N].")
    ] = None,
    cop: Annotated[
        tuple[float, float] | None, typer.Option("--cop", help="Centre of pressure x y [m].")
    ] = None,
    ground: Annotated[
        str | None, typer.Option("--ground", help="For press rows, as in `sole press`.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--set", help="ROWS.NAME=VALUE: any other option of rows, value in TOML."),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option("--tolerance", help="Relative error of interpolated compliances (1e-8)."),
    ] = None,
    unit: Annotated[
        str | None, typer.Option("--unit", help="mm or m: the unit of a mesh without one.")
    ] = None,
    restart: Annotated[
        bool, typer.Option("--restart", help="Throw away the journal of an earlier run.")
    ] = False,
    keep_journal: Annotated[
        bool, typer.Option("--keep-journal", help="Keep the journal after success.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            help="Processes on this machine, at most as many as cores; 0: this process. Without "
            "it a short sweep stays in this process and a long one takes all cores.",
        ),
    ] = None,
    threads: Annotated[
        int,
        typer.Option("--threads", min=0, max=1, help="Of each worker; 0: all in this process."),
    ] = 1,
    scheduler: Annotated[
        str, typer.Option("--scheduler", help="tcp://HOST:PORT of a Dask cluster to work on.")
    ] = "",
    dashboard: Annotated[
        int | None,
        typer.Option("--dashboard", help="Port for Dask's dashboard (off; needs bokeh)."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Sweep a sole over its materials: stiffnesses, critical E, pressures, strains.

    Finished rows are kept in OUTPUT.journal.sqlite at once. A sweep that was interrupted,
    killed or ran out of disk is taken up again by the same command.
    """
    import sys

    from sole.errors import ConfigError, SoleError
    from sole.report import emit
    from sole.studies.report import ProgressBar, describe_summary
    from sole.studies.request import Request, resolve
    from sole.studies.table import commonest_reason
    from sole.studies.workforce import Workforce
    from sole.sweep import run_sweep

    request = Request(
        source=sole,
        axes={
            "young": young or [],
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
    if output.suffix != ".nc":
        raise ConfigError(f"a sweep is written to an .nc file, got -o {output}")
    if threads == 0:
        workers = 0
    workforce = Workforce(workers=workers, scheduler=scheduler, dashboard=dashboard)
    study, mesh = resolve(request)
    bar = ProgressBar(shown=not (quiet or as_json))
    try:
        with bar:
            summary = run_sweep(
                study,
                mesh,
                output,
                restart=restart,
                keep_journal=keep_journal,
                workforce=workforce,
                listener=bar,
            )
    except KeyboardInterrupt:
        print(
            f"interrupted: {bar.rows} of {study.size} rows are kept in {output}.journal.sqlite; "
            "run the same command again to continue",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None
    emit(describe_summary(summary), as_json=as_json, quiet=quiet)
    if summary.failed == summary.rows:
        raise SoleError(f"every row failed, most often: {commonest_reason(output)}")
