"""`sole contact`: contact problems in FCLIB's files, solved and compared; wrench cones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.base.cli import Json, Quiet
from sole.base.help_pages import OUTPUT, ExplainedCommand, ExplainedGroup
from sole.base.units import in_unit


def cone(
    friction: Annotated[
        float, typer.Option("--friction", help="Coulomb's mu >= 0.", rich_help_panel="Friction")
    ],
    wrench: Annotated[
        tuple[float, float, float, float, float, float],
        typer.Option(
            "--wrench",
            metavar="FX FY FZ TX TY TZ",
            help="Ground on foot [N, N m], about the origin, axes of the foot, fz > 0.",
        ),
    ],
    half_length: Annotated[
        float | None,
        typer.Option(
            "--half-length",
            parser=in_unit("m"),
            help="X of a rectangle, along x [m].",
            rich_help_panel="Foot",
        ),
    ] = None,
    half_width: Annotated[
        float | None,
        typer.Option(
            "--half-width",
            parser=in_unit("m"),
            help="Y of a rectangle, along y [m].",
            rich_help_panel="Foot",
        ),
    ] = None,
    polygon: Annotated[
        str | None,
        typer.Option(
            "--polygon",
            metavar="FILE|POINTS",
            help="Convex, instead of a rectangle: 'x,y x,y x,y ...' or a text file with a vertex "
            "x y a line [m].",
            rich_help_panel="Foot",
        ),
    ] = None,
    pyramid: Annotated[
        str,
        typer.Option(
            "--pyramid",
            help="outer: |fx|, |fy| <= mu fz at every point | inner: the same with mu/sqrt 2, safe "
            "| circular: Coulomb's cone.",
            rich_help_panel="Friction",
        ),
    ] = "outer",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say how far a wrench is from sliding, tilting and yawing a flat foot on rigid ground.

    The margin is the share of fz that could be taken away at the foot's centre before the contact
    gives way: 1 for a central vertical force, 0 at the limit, negative beyond.

    Examples
    --------
    sole contact cone --polygon foot.txt --friction 0.7 --wrench 9 0 600 0 20 0
    sole contact cone --polygon '1,0 0,1 -1,-1' --friction 1 --wrench 0 0 9 1 0 0
    """
    from dataclasses import replace

    from contact.summaries.cone_summary import (
        check_loaded,
        describe_circular,
        describe_cone,
        find_hints,
        read_polygon,
    )
    from contact.wrench_cone import (
        CircularCone,
        WrenchCone,
        checked_friction,
        checked_halves,
        rectangle_corners,
    )
    from sole.base.errors import SoleError
    from sole.base.report import Quantity, emit

    rectangle = half_length is not None and half_width is not None
    partly = half_length is not None or half_width is not None
    if rectangle == (polygon is not None) or (partly and not rectangle):
        raise SoleError("give either --half-length and --half-width, or --polygon")
    w, mu = check_loaded(wrench), checked_friction(friction)
    if polygon is None:
        X, Y = checked_halves(half_length or 0.0, half_width or 0.0)
        vertices = rectangle_corners(X, Y)
        shape = Quantity(f"rectangle {2 * X:g} x {2 * Y:g}", "m")
    else:
        vertices = read_polygon(polygon)
        shape = Quantity(f"polygon of {len(vertices)} vertices")
    remark = "outer pyramid: holds a little more than circular friction; see --pyramid circular"
    friction_row = Quantity(mu, "", remark if pyramid == "outer" else pyramid)
    if pyramid == "circular" and mu > 0:
        report = describe_circular(
            CircularCone(vertices=vertices, friction=mu), w, shape, friction_row
        )
    else:
        kind = "outer" if pyramid == "circular" else pyramid  # without friction they are the same
        made = (
            WrenchCone.of_rectangle(X, Y, mu, kind)
            if polygon is None
            else WrenchCone.of_polygon(vertices, mu, kind)
        )
        report = describe_cone(made, w, shape, friction_row)
    report = replace(report, warnings=find_hints(vertices, w))
    emit(report, as_json=as_json, quiet=quiet)


contact = typer.Typer(
    cls=ExplainedGroup, no_args_is_help=True, add_completion=False, rich_markup_mode=None
)


@contact.callback()
def group() -> None:
    """Solve contact problems with friction, compare solvers, judge the wrench of a foot.

    Examples
    --------
    sole contact solve problem.hdf5 --method newton
    sole contact bench problems -o table.csv
    """


contact.command(cls=ExplainedCommand)(cone)


@contact.command(cls=ExplainedCommand)
def solve(
    file: Annotated[Path, typer.Argument(help="A problem in FCLIB's HDF5, local or global.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The solution .npz to write.", rich_help_panel=OUTPUT),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="auto | gauss-seidel | newton | interior-point | lcp-4 | lcp-8 | lcp-16",
            rich_help_panel="Solver",
        ),
    ] = "auto",
    tolerance: Annotated[
        float,
        typer.Option(
            "--tolerance",
            help="Tolerance of natural map, Signorini's law and cone, over rho |q|.",
            rich_help_panel="Solver",
        ),
    ] = 1e-8,
    max_sweeps: Annotated[
        int,
        typer.Option("--max-sweeps", help="Most sweeps of Gauss-Seidel.", rich_help_panel="Solver"),
    ] = 10000,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", help="Random seed for the order of the contacts.", rich_help_panel="Solver"
        ),
    ] = 1,
    guess: Annotated[
        bool,
        typer.Option(
            "--guess", help="Start from the first guess in the file.", rich_help_panel="Solver"
        ),
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve one contact problem and certify the forces.

    Exit code 0: solved, or proved to have no solution (outcome "infeasible": `reactions` is then
    no solution, `direction` the proof; an oblique one, whose tangential part is not 0, excludes
    only the convex problem, not a Coulomb solution that slips). Exit code 2: not solved; --json
    still prints its figures, and with -o the best forces are written, marked as not solved.

    Examples
    --------
    sole contact solve problem.hdf5
    sole contact solve problem.hdf5 --method newton --tolerance 1e-10 -o f.npz
    """
    from sole.base.files import require_file

    require_file(file)  # before anything heavy is imported

    from contact.fclib import read_fclib, save_solution, solve_file
    from contact.problem import Outcome
    from contact.solvers import check_options, show_waiting
    from contact.summaries.problem_summary import describe_solution
    from sole.base.archive import require_output
    from sole.base.errors import ConvergenceError, SoleError
    from sole.base.report import emit

    require_output(output, ".npz", inputs=[file])
    check_options(method, tolerance, max_sweeps)
    show, first = not (as_json or quiet), f"method {method}"
    with show_waiting(f"solving {file.name}", show=show, first=first):
        source = read_fclib(file)
        if guess and not source.guesses:
            raise SoleError(f"{file}: --guess needs a first guess, but the file has none that fits")
        start = source.guesses[0] if guess else None
        record = solve_file(
            source,
            method=method,
            tolerance=tolerance,
            max_sweeps=max_sweeps,
            seed=seed,
            start=start,
        )
    stalled, trouble = record.outcome is Outcome.STALLED, None
    if output is not None:
        try:
            save_solution(output, record)
        except SoleError as error:  # a disk that is full now: the figures are printed at least
            trouble = error
    if as_json or not stalled:
        emit(describe_solution(record), as_json=as_json, quiet=quiet)
        if output is not None and show and trouble is None:
            print(f"output: {output}")
    if trouble is not None:
        raise trouble
    if stalled:
        kept = f"; the best forces are in {output}, marked as not solved" if output else ""
        raise ConvergenceError(
            f"{file}: not solved to {tolerance:g} by {record.method}: residual "
            f"{record.certificate.worst:.1e} after {sum(record.iterations.values())} iterations"
            f"{kept}; try another --method, more --max-sweeps or a looser --tolerance",
            best=record,
        )


@contact.command(cls=ExplainedCommand)
def bench(
    folder: Annotated[Path, typer.Argument(help="A folder with problems (*.hdf5, *.h5).")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The table .csv to write.", rich_help_panel=OUTPUT),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Draw the performance profile: .png.", rich_help_panel=OUTPUT),
    ] = None,
    tolerance: Annotated[
        float,
        typer.Option(
            "--tolerance",
            help="Tolerance of the natural map over rho |q|; ours also meet Signorini's law.",
            rich_help_panel="Solvers",
        ),
    ] = 1e-8,
    methods: Annotated[
        str,
        typer.Option(
            "--methods",
            help="Names of `sole contact solve` with commas between them.",
            rich_help_panel="Solvers",
        ),
    ] = "auto,gauss-seidel,newton,interior-point",
    seed: Annotated[
        int,
        typer.Option(
            "--seed", help="Random seed for the order of the contacts.", rich_help_panel="Solvers"
        ),
    ] = 1,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare solvers on every problem of a folder: iterations, time, residual, profile.

    Solved: natural map over rho |q| at most --tolerance, recomputed. The table is written after
    every solve, so that an interrupted run keeps what it has. One line per problem and solver:
    seconds[s] of the solver alone, residual, and outcome: solved, not solved, infeasible (proved),
    refused (by the solver), failed (an unforeseen error), or unreadable (not in the profile).

    Examples
    --------
    sole contact bench problems -o table.csv --plot profile.png
    sole contact bench problems --methods newton,lcp-8 --tolerance 1e-6
    """
    from sole.base.files import require_folder

    require_folder(folder)  # before anything heavy is imported

    from contact.fclib import (
        find_problems,
        our_solvers,
        run_bench,
        show_bench,
        write_outputs,
        write_tables,
    )
    from contact.solvers import check_options, show_waiting
    from sole.base.archive import require_output
    from sole.base.errors import SoleError

    given = (name.strip() for name in methods.split(","))
    names = tuple(dict.fromkeys(name for name in given if name))
    if not names:
        raise SoleError("no solver to compare, expected names in --methods")
    for name in names:
        check_options(name, tolerance)
    if output is not None and output.suffix == ".png":
        raise SoleError(f"-o is the table, a .csv: draw the profile by --plot {output}")
    require_output(output, ".csv")
    require_output(plot, ".png", option="--plot")
    outputs = [path for path in (output, plot) if path is not None]
    files = find_problems(folder)
    show = not (as_json or quiet)
    with show_waiting("comparing", show=show, unit="solve") as progress:
        result = run_bench(
            files,
            our_solvers(names, tolerance, seed),
            tolerance=tolerance,
            progress=progress,
            keep=lambda part: write_tables(part, outputs),
        )
    write_outputs(result, outputs)
    show_bench(result, as_json=as_json, quiet=quiet)
    for path in outputs if show else []:
        print(f"output: {path}")
