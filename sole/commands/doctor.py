"""`sole doctor`: check the installation and print the command that repairs it."""

from __future__ import annotations

from sole.base.cli import Json, Quiet


def doctor(as_json: Json = False, quiet: Quiet = False) -> None:
    """Check Python, packages, system libraries and rendering; exit with 2 if one is missing.

    Also lists the extras: installed, or the line that installs it. No extra has to be there.

    Examples
    --------
    sole doctor
    """
    import sys

    import typer

    from sole.base.health import examine
    from sole.base.report import emit
    from sole.base.waiting import doing

    doing("checking the installation")
    report, mend = examine()
    emit(report, as_json=as_json, quiet=quiet)
    if mend:
        print(f"error: something is missing; repair it by: {mend}", file=sys.stderr)
        raise typer.Exit(2)
