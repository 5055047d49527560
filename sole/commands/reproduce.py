"""`sole reproduce`: every claim of the papers from one command, with a verdict from numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sole.base.cli import Json, Quiet
from sole.base.help_pages import OUTPUT

if TYPE_CHECKING:
    from sole.claims import Claim, ClaimOutcome


def reproduce(
    paper: Annotated[
        str, typer.Argument(metavar="[PAPER]", help="A paper of --list, e.g. rengifo.")
    ] = "",
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CLAIM]...", help="Its claims, e.g. fig4.", show_default="all"),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All claims of all papers.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="List claims and run nothing.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small ensembles: --all takes minutes, not hours.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="A folder for pictures drawn like the papers'.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, help="Processes, each with one experiment.", show_default="one per core"
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Reproduce claims, figures and experiments of the papers, and judge each by our numbers.

    Verdicts: reproduced; reproduced in trend (what the paper says holds, its figure does not);
    refuted; cannot be decided (from the text, or by too few samples); no verdict (true by
    definition or construction); not built yet. Exit code 2 if an experiment fails.

    Examples
    --------
    sole reproduce --list
    sole reproduce rengifo fig4 -o out
    sole reproduce --all --quick
    """
    from sole.base.compiled import cores
    from sole.base.errors import SoleError
    from sole.base.progress import progress_bar
    from sole.base.stopping import interruptible
    from sole.claims import (
        FAILED,
        claims_as_json,
        find_claims,
        list_claims,
        reproduce_claims,
        show_outcomes,
    )

    if every and paper:
        raise SoleError(f"got --all and {paper}: leave out one of them")
    claims = find_claims(paper, names or ())
    if listed:
        if not quiet:
            list_claims(claims, as_json=as_json)
        return
    if not (every or paper):
        raise SoleError("give a paper, or --all; `sole reproduce --list` shows what there is")
    what = f"reproducing {len(claims)} claims" if len(claims) > 1 else claims[0].key
    now, shown = [what], not (quiet or as_json)
    named = (lambda: now[0]) if len(claims) > 1 else None
    with interruptible(), progress_bar(what, None, shown=shown, now=named) as tell:

        def watch(share: float, under_way: Sequence[Claim]) -> None:
            now[0] = ", ".join(claim.key for claim in under_way) or now[0]
            tell(share)

        outcomes: list[ClaimOutcome] = reproduce_claims(
            claims, quick=quick, folder=output, workers=workers or cores(), watch=watch
        )
    if as_json:
        claims_as_json(outcomes, quick=quick)
    elif not quiet:
        show_outcomes(outcomes)
    failed = [o for o in outcomes if o.verdict == FAILED]
    if failed:
        names_of = ", ".join(o.claim.key for o in failed)
        raise SoleError(f"{len(failed)} experiments failed ({names_of}): {failed[0].error}")
