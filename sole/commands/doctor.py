"""`sole doctor`: what this project needs, what is missing, and the command that mends it."""

from __future__ import annotations

from sole.cli import Json, Quiet


def doctor(as_json: Json = False, quiet: Quiet = False) -> None:
    """Check Python, packages, system libraries and rendering; exit with 2 if one is missing."""
    import sys

    import typer

    from sole.health import examine
    from sole.report import emit

    report, mend = examine()
    emit(report, as_json=as_json, quiet=quiet)
    if mend:
        print(f"error: something is missing; mend it by: {mend}", file=sys.stderr)
        raise typer.Exit(2)
