"""`sole contact`: contact problems in FCLIB's files, solved and compared; wrench cones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from contact.commands.cone import cone
from sole.cli import Json, Quiet

contact = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None)


@contact.callback()
def group() -> None:
    """Solve contact problems with friction, compare solvers, judge the wrench of a foot."""


contact.command()(cone)


@contact.command()
def solve(
    file: Annotated[Path, typer.Argument(help="A problem in FCLIB's HDF5, local or global.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The solution .npz to write.")
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="auto | gauss-seidel | newton | interior-point | lcp-4 | lcp-8 | lcp-16 | "
            "reference",
        ),
    ] = "auto",
    tolerance: Annotated[
        float,
        typer.Option(
            "--tol", help="On the natural map, Signorini's law and the cone, all over rho |q|."
        ),
    ] = 1e-8,
    max_sweeps: Annotated[
        int, typer.Option("--max-sweeps", help="Of Gauss-Seidel, at most.")
    ] = 10000,
    seed: Annotated[int, typer.Option("--seed", help="Of the order of the contacts.")] = 1,
    guess: Annotated[
        bool, typer.Option("--guess", help="Start from the first guess in the file.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve one contact problem and certify the forces.

    Exit code 0: solved, or proved to have no solution (outcome "infeasible": `reactions` is then
    no solution, `direction` the proof; an oblique one, whose tangential part is not 0, excludes
    only the convex problem, not a Coulomb solution that slips). Exit code 2: not solved; --json
    still prints its figures, and with -o the best forces are written, marked as not solved.
    """
    from contact.exchange.describe import describe_solution
    from contact.exchange.solution_file import save_solution
    from contact.exchange.solve_file import solve_file
    from contact.fclib import read_fclib
    from contact.solution import Outcome
    from contact.solve import check_options
    from contact.solvers.waiting import waiting
    from sole.archive import refuse_same_file, require_writable
    from sole.errors import ConvergenceError, SoleError
    from sole.report import emit

    if output is not None and output.suffix != ".npz":
        raise SoleError(f"a solution is an .npz file, got -o {output}")
    if output is not None:
        require_writable(output)
    check_options(method, tolerance, max_sweeps)
    show, first = not (as_json or quiet), f"method {method}"
    with waiting(f"solving {file.name}", show=show, first=first):
        source = read_fclib(file)
        if output is not None:
            refuse_same_file(file, output)
        if guess and not source.guesses:
            raise SoleError(f"{file}: --guess, but the file holds none that fits")
        start = source.guesses[0] if guess else None
        record = solve_file(
            source,
            method=method,
            tolerance=tolerance,
            max_sweeps=max_sweeps,
            seed=seed,
            start=start,
        )
    stalled = record.outcome is Outcome.STALLED
    if as_json or not stalled:  # before the file, which may fail
        emit(describe_solution(record), as_json=as_json, quiet=quiet)
    if output is not None:
        save_solution(output, record)
    if stalled:
        kept = f"; the best forces are in {output}, marked as not solved" if output else ""
        raise ConvergenceError(
            f"{file}: not solved to {tolerance:g} by {record.method}: residual "
            f"{record.certificate.worst:.1e} after {sum(record.iterations.values())} iterations"
            f"{kept}; try another --method, more --max-sweeps or a looser --tol",
            best=record,
        )


@contact.command()
def bench(
    folder: Annotated[Path, typer.Argument(help="A folder with problems (*.hdf5, *.h5).")],
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", help="Table .csv, performance profile .png; may repeat."),
    ] = None,
    tolerance: Annotated[
        float,
        typer.Option(
            "--tol",
            help="On the natural map over rho |q|; ours also on Signorini's law and the cone.",
        ),
    ] = 1e-8,
    methods: Annotated[
        str,
        typer.Option("--methods", help="Names of `sole contact solve` with commas between them."),
    ] = "auto,gauss-seidel,newton,interior-point",
    peers: Annotated[
        bool, typer.Option("--peers", help="Also Pinocchio and Siconos, where installed.")
    ] = False,
    budget: Annotated[
        float,
        typer.Option(
            "--budget",
            help="Seconds for each peer and problem [s]; ours end by their own iteration limits.",
        ),
    ] = 60.0,
    seed: Annotated[int, typer.Option("--seed", help="Of the order of the contacts.")] = 1,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare solvers on every problem of a folder: iterations, time, residual, profile.

    Solved: natural map over rho |q| at most --tol, recomputed, for peers and ours alike. A table
    .csv is written after every solve, so that an interrupted run keeps what it has.
    """
    from contact.exchange.bench import problems_in, run_bench
    from contact.exchange.bench_report import (
        check_outputs,
        show_bench,
        write_outputs,
        write_tables,
    )
    from contact.peers.run import PEERS
    from contact.solve import check_options
    from contact.solvers.waiting import waiting
    from sole.errors import SoleError

    given = (name.strip() for name in methods.split(","))
    names = tuple(dict.fromkeys(name for name in given if name))
    if not names and not peers:
        raise SoleError("no solver to compare: give --methods or --peers")
    for name in names or ("auto",):
        check_options(name, tolerance)
    if not budget > 0:
        raise SoleError(f"--budget must be positive, got {budget:g} s")
    check_outputs(output or [])
    files = problems_in(folder)
    show = not (as_json or quiet)
    with waiting("comparing", show=show, unit="solve") as progress:
        result = run_bench(
            files,
            names,
            PEERS if peers else (),
            tolerance=tolerance,
            seed=seed,
            budget=budget,
            progress=progress,
            keep=lambda part: write_tables(part, output or []),
        )
    show_bench(result, as_json=as_json, quiet=quiet)
    write_outputs(result, output or [])
