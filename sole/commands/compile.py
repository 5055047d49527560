"""`sole compile`: compile all kernels beforehand, in parallel, so that no later command waits."""

from __future__ import annotations

from typing import Annotated

import typer

from sole.base.cli import Json, Quiet


def compile(
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", min=1, help="Processes that compile.", show_default="one per core"
        ),
    ] = None,
    job: Annotated[
        list[str] | None,
        typer.Option(
            "--job",
            help="Only what one job calls, as condense or press (a wrong name lists all); "
            "repeatable.",
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compile the kernels that the usual commands call; some minutes on two cores, once.

    Without it every kernel is compiled when it is called first. Machine code is kept in the
    package's folder or in the user's cache; NUMBA_CACHE_DIR chooses another folder.

    Examples
    --------
    sole compile
    sole compile --job press --job condense
    """
    from sole.base.compiled import compile_shown, listed_kernels, missing_kernels, writable_folder
    from sole.base.errors import SoleError
    from sole.base.near_names import did_you_mean
    from sole.base.report import Quantity, Report, emit

    known = sorted({name for one in listed_kernels() for name in one.jobs})
    for name in job or ():
        if name not in known:
            near = did_you_mean(name, known)
            raise SoleError(f"--job is one of {', '.join(known)}, got '{name}'{near}")
    folder = writable_folder()
    if folder is None:
        raise SoleError(
            "no folder for machine code can be written to: set NUMBA_CACHE_DIR to one that can"
        )
    wanted = missing_kernels(job or ())
    done = compile_shown(wanted, workers)
    lines = {
        "kernels": Quantity(len(listed_kernels(job or ()))),
        "compiled now": Quantity(done.kernels),
        "time": Quantity(round(done.seconds, 1), "s", f"{done.processes} processes"),
        "folder": Quantity(str(folder)),
    }
    emit(Report("machine code", lines, done.failed), as_json=as_json, quiet=quiet)
