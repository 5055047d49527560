"""`sole press`: press a sole on the ground, by a wrench or by a pose."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contact.constants import FRICTION
from sole.base.cli import Json, Quiet
from sole.base.help_pages import OUTPUT
from sole.base.units import in_unit

if TYPE_CHECKING:
    from sole.base.report import Report


def press(
    sole: Annotated[
        Path,
        typer.Argument(
            help="A condensed sole (.npz of `sole condense`), or a mesh, at finite strain."
        ),
    ],
    force: Annotated[
        float | None,
        typer.Option(
            "--force",
            parser=in_unit("N"),
            help="Force fz > 0 on the ground [N].",
            rich_help_panel="Load",
        ),
    ] = None,
    cop: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--cop",
            parser=in_unit("m"),
            metavar="X Y",
            help="Centre of pressure on the tread [m].",
            rich_help_panel="Load",
        ),
    ] = None,
    moment: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--moment",
            parser=in_unit("N m"),
            metavar="TX TY",
            help="Moments, instead of the CoP [N m].",
            rich_help_panel="Load",
        ),
    ] = None,
    shear: Annotated[
        tuple[float, float],
        typer.Option(
            "--shear",
            parser=in_unit("N"),
            metavar="FX FY",
            help="Force along the ground [N].",
            rich_help_panel="Load",
        ),
    ] = (0.0, 0.0),
    yaw: Annotated[
        float,
        typer.Option(
            "--yaw",
            parser=in_unit("N m"),
            help="Moment tz about the ground's normal [N m].",
            rich_help_panel="Load",
        ),
    ] = 0.0,
    friction: Annotated[
        float,
        typer.Option(
            "--friction", help="Coulomb's mu between sole and ground.", rich_help_panel="Ground"
        ),
    ] = FRICTION,
    ground: Annotated[
        str,
        typer.Option(
            "--ground",
            help="plane | slope:angle_deg=A[,heading_deg=A] | step:RISE[,X][,angle_deg=A] | "
            "bump:RISE,RADIUS[,X,Y] | bar:RISE,RADIUS[,X][,angle_deg=A] | "
            "stairs:RUN,RISE,COUNT,x=X[,heading_deg=A] | box:LENGTH,WIDTH,RISE[,X,Y][,yaw_deg=A] | "
            "gravel[:COUNT,RISE,RADIUS,LENGTH,WIDTH] | heightfield:FILE,SCALE,HEIGHT | "
            "a ground .toml; lengths in m (SCALE: between neighbours), angles A in degrees.",
            rich_help_panel="Ground",
        ),
    ] = "plane",
    pose: Annotated[
        str | None,
        typer.Option(
            "--pose",
            help="sink=,x=,y= [m], roll_deg=,pitch_deg=,yaw_deg= [deg] from first touch, instead "
            "of a force.",
            rich_help_panel="Load",
        ),
    ] = None,
    increments: Annotated[
        int, typer.Option("--increments", help="Equal parts of the load.", rich_help_panel="Load")
    ] = 1,
    path: Annotated[
        Path | None,
        typer.Option(
            "--path",
            help="TOML file with the steps of the load, instead of all above.",
            rich_help_panel="Load",
        ),
    ] = None,
    tolerance: Annotated[
        float,
        typer.Option(
            "--tolerance",
            help="Relative tolerance of residual and equilibrium. A press that stalls is accepted "
            "up to 100 times it, with a warning in the report.",
            rich_help_panel="Solver",
        ),
    ] = 1e-10,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", help="Random seed for the order of the contacts.", rich_help_panel="Solver"
        ),
    ] = 1,
    finite: Annotated[
        bool,
        typer.Option(
            "--finite",
            help="Press a mesh at finite strain; one with hyperelastic layers always is.",
            rich_help_panel="Finite strain",
        ),
    ] = False,
    material: Annotated[
        list[str] | None,
        typer.Option(
            "--material",
            help="LAYER=E,nu | LAYER=neo-hooke,E,nu | LAYER=ogden,kappa=K,mu=M,alpha=A | "
            "LAYER=hyperfoam,mu=M,alpha=A,nu=NU, further terms likewise; for a layer of a mesh; "
            "may be repeated.",
            rich_help_panel="Finite strain",
        ),
    ] = None,
    element: Annotated[
        str | None,
        typer.Option(
            "--element",
            help="Of a mesh: ccr or p2.",
            show_default="ccr, p2 for foams alone",
            rich_help_panel="Finite strain",
        ),
    ] = None,
    check_linear: Annotated[
        bool,
        typer.Option(
            "--check-linear",
            help="Press the linear sole and the one at finite strain, and print how far the linear "
            "one is off.",
            rich_help_panel="Finite strain",
        ),
    ] = False,
    unit: Annotated[
        str | None,
        typer.Option(
            "--unit",
            help="mm, m or in: unit of a mesh that states none.",
            rich_help_panel="Finite strain",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The press .npz to write.",
            show_default="SOLE_press.npz, next to the sole",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Press a sole on the ground and write nodal forces, displacements and pose.

    Examples
    --------
    sole press pad.npz --force 600N
    sole press pad.npz --force 600N --cop 2cm 0 --friction 0.5 -o off_centre.npz
    sole press pad.npz --force 600N --ground step:5mm,2cm -o on_step.npz
    sole press pad.npz --pose sink=2mm,pitch_deg=1 -o tilted.npz
    sole press pad.msh --finite --force 600N --cop 8cm 0 -o at_finite_strain.npz
    sole press pad.npz --check-linear --force 600N --cop 8cm 0 -o checked.npz
    """
    import time

    from sole.base.files import require_file

    require_file(sole, path)  # before anything heavy is imported

    from contact.ground import parse_ground
    from contact.press import (
        PressLoad,
        PressOptions,
        Wrench,
        divide_load,
        load_path,
        parse_motion,
        save_press,
    )
    from contact.press import press as press_sole
    from contact.solvers import show_waiting
    from contact.summaries.press_summary import describe_press, too_soft
    from sole.base.archive import require_output
    from sole.base.compiled import prepare
    from sole.base.errors import ConvergenceError, EquilibriumError, SoleError
    from sole.base.waiting import doing
    from sole.condense import load_condensed, recover_quickly, recovers_quickly

    target = sole.with_name(f"{sole.stem}_press.npz") if output is None else output
    require_output(target, ".npz", inputs=[sole, path])
    if sum(given is not None for given in (force, pose, path)) != 1:
        raise SoleError("give exactly one of --force, --pose and --path")
    if force is None and (cop or moment or any(shear) or yaw):
        raise SoleError("--cop, --moment, --shear and --yaw go with --force")
    loads: tuple[PressLoad, ...]
    if path is not None:
        if increments != 1:
            raise SoleError("--increments goes with --force or --pose; a path has its own")
        loads = load_path(path)
    elif force is not None:
        loads = divide_load(Wrench.standing(force, cop, moment, shear, yaw), increments)
    else:
        loads = divide_load(parse_motion(pose or ""), increments)
    floor = parse_ground(ground)
    options = PressOptions(tolerance=tolerance, seed=seed)
    shown = not (as_json or quiet)
    if sole.suffix != ".npz":
        from contact.finite_press import load_finite_press, press_into, sole_of_mesh
        from contact.summaries.finite_press_summary import describe_finite_press

        mesh = sole_of_mesh(sole, finite or check_linear, material or (), element, unit)
        prepare(["press", "condense"])
        start = time.perf_counter()
        with show_waiting(f"pressing {sole}", show=shown) as progress:
            true = press_into(target, mesh, loads, floor, friction, options, progress)
        seconds = time.perf_counter() - start
        report = describe_finite_press(load_finite_press(target))
        if check_linear:
            from contact.summaries.linear_check import check_finite, with_check

            report = with_check(report, check_finite(true, options), true)
        _emit(report, seconds, target, as_json, quiet)
        return
    if finite or material or element or unit:
        raise SoleError(
            f"{sole} is a condensed sole, hence linear: --finite, --material, --element and "
            "--unit go with its mesh, `sole press MESH --finite`"
        )
    doing(f"reading {sole}")
    condensed = load_condensed(sole)
    small = recovers_quickly(condensed.mesh)
    prepare(["press", "condense"] if small else ["press"])
    start = time.perf_counter()
    with show_waiting(f"pressing {sole}", show=shown) as progress:
        try:
            result = press_sole(
                condensed, loads, floor, friction, options=options, progress=progress
            )
        except (EquilibriumError, ConvergenceError) as error:
            if cause := too_soft(condensed, loads):
                raise EquilibriumError(f"{cause} (the press: {error})") from error
            raise
    seconds = time.perf_counter() - start
    doing("computing the displacements inside the sole")
    inside = recover_quickly(condensed, result.forces)
    doing(f"writing {target}")
    save_press(target, result, inside)
    report = describe_press(result, inside)
    if check_linear:
        from contact.summaries.linear_check import check_press, with_check

        with show_waiting(f"pressing {sole} at finite strain", show=shown) as progress:
            report = with_check(report, result, check_press(result, options, progress))
    _emit(report, seconds, target, as_json, quiet)


def _emit(report: Report, seconds: float, target: Path, as_json: bool, quiet: bool) -> None:
    from dataclasses import replace

    from sole.base.report import Quantity, emit

    rows = {
        **report.quantities,
        "time": Quantity(seconds, "s"),
        "output": Quantity(str(target)),
    }
    emit(replace(report, quantities=rows), as_json=as_json, quiet=quiet)
