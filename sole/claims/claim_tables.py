"""Claims and outcomes as tables for people, as rows of a page, as one JSON object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from sole.claims.claim import VERDICTS, Claim
from sole.claims.reproduction import ClaimOutcome

if TYPE_CHECKING:
    from rich.table import Table

COLOURS = dict(
    zip(VERDICTS, ("green", "yellow", "red", "blue", "cyan", "dim", "magenta"), strict=True)
)


def list_claims(claims: Sequence[Claim], *, as_json: bool) -> None:
    """Print claims without running anything."""
    if as_json:
        _print_json({"claims": [_entry(c) for c in claims]})
        return
    for paper, own in _by_paper(claims):
        table = _table(paper, "claim", "place", "says", "the paper's figure", "quick, full [s]")
        for claim in own:
            state = claim.verdict(None)
            if claim.experiment is not None and not claim.given:
                state = f"{claim.experiment.quick:g}, {claim.experiment.full:g}"
            _add(table, claim.name, claim.place, claim.says, claim.printed, state)
        _print(table)


def show_outcomes(outcomes: Sequence[ClaimOutcome]) -> None:
    """Print outcomes as a table for each paper, then what did not hold, then the sums."""
    by_key = {o.claim.key: o for o in outcomes}
    for paper, own in _by_paper([o.claim for o in outcomes]):
        table = _table(paper, "claim", "says", "the paper's figure", "ours", "verdict", "time [s]")
        for claim in own:
            o = by_key[claim.key]
            time = f"with {o.shared}" if o.shared else f"{o.seconds:.1f}" if o.numbers else ""
            _add(table, claim.name, claim.says, claim.printed, o.ours, o.verdict, time)
        _print(table)
    for o in outcomes:
        for criterion in o.claim.criteria if _decided(o) else ():
            if not criterion.holds(o.numbers):
                print(f"{o.claim.key}: {criterion.told(o.numbers)}")
        if o.claim.remark:
            print(f"{o.claim.key}: {o.claim.remark}")
    for picture in dict.fromkeys(o.picture for o in outcomes if o.picture is not None):
        print(f"picture: {picture}")
    counted = ", ".join(f"{n} {verdict}" for verdict, n in _counts(outcomes).items())
    word = "claim" if len(outcomes) == 1 else "claims"
    print(f"{len(outcomes)} {word}: {counted}; {_seconds(outcomes):.0f} s of processor time")


def claims_as_json(outcomes: Sequence[ClaimOutcome], *, quick: bool) -> None:
    """Print outcomes as one JSON object."""
    _print_json(
        {
            "quick": quick,
            "claims": [
                {
                    **_entry(o.claim),
                    "verdict": o.verdict,
                    "ours": o.ours,
                    "numbers": {k: _plain(v) for k, v in o.numbers.items()},
                    "criteria": [
                        {
                            "number": c.number,
                            "low": _plain(c.low),
                            "high": _plain(c.high),
                            "trend": c.trend,
                            "reason": c.reason,
                            "holds": c.holds(o.numbers) if _decided(o) else None,
                        }
                        for c in o.claim.criteria
                    ],
                    "seconds": o.seconds,
                    "shared_with": o.shared,
                    "picture": None if o.picture is None else str(o.picture),
                    "error": o.error,
                }
                for o in outcomes
            ],
            "verdicts": _counts(outcomes),
            "seconds": _seconds(outcomes),
            "units": {"seconds": "s"},
        }
    )


def markdown_rows(outcomes: Sequence[ClaimOutcome]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of a page's table: claim, place, says, figure, ours, verdict, time."""
    for o in outcomes:
        c = o.claim
        time = f"with `{o.shared}`" if o.shared else f"{o.seconds:.1f}" if o.numbers else ""
        cells = (f"`{c.name}`", c.place, c.says, c.printed, o.ours, o.verdict, time)
        yield tuple(cell.replace("|", r"\|") for cell in cells)


def _entry(claim: Claim) -> dict[str, Any]:
    e = claim.experiment
    return {
        "paper": claim.paper.key,
        "claim": claim.name,
        "place": claim.place,
        "says": claim.says,
        "printed": claim.printed,
        "remark": claim.remark,
        "undecided": claim.undecided,
        "given": claim.given,
        "least": dict(claim.least),
        "missing": claim.missing,
        "expected_seconds": None if e is None else {"quick": e.quick, "full": e.full},
    }


def _decided(outcome: ClaimOutcome) -> bool:
    """Return whether there are numbers, and samples enough for a verdict."""
    return bool(outcome.numbers) and not outcome.claim.too_few(outcome.numbers)


def _counts(outcomes: Sequence[ClaimOutcome]) -> dict[str, int]:
    counted = Counter(o.verdict for o in outcomes)
    return {verdict: counted[verdict] for verdict in VERDICTS if counted[verdict]}


def _seconds(outcomes: Sequence[ClaimOutcome]) -> float:
    return sum(o.seconds for o in outcomes)


def _by_paper(claims: Sequence[Claim]) -> Iterator[tuple[str, list[Claim]]]:
    for paper in dict.fromkeys(c.paper for c in claims):
        title = f"{paper.key}: {paper.authors}: {paper.title}"
        yield title, [c for c in claims if c.paper == paper]


def _table(title: str, *columns: str) -> Table:
    from rich.table import Table

    from sole.base.report import shown

    table = Table(title=shown(title), title_justify="left", show_lines=True)
    for column in columns:
        table.add_column(shown(column), overflow="fold")
    return table


def _add(table: Table, *cells: str) -> None:
    from sole.base.report import shown

    texts = [shown(cell) for cell in cells]
    for text, cell in zip(texts, cells, strict=True):
        if cell in COLOURS:
            text.stylize(COLOURS[cell])
    table.add_row(*texts)


def _print(table: Table) -> None:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console = Console(width=160)
    console.print(table)


def _print_json(data: dict[str, Any]) -> None:
    import json

    print(json.dumps(data, allow_nan=False))


def _plain(value: float) -> float | None:
    """Return a number for JSON, which has no NaN and no infinity."""
    return float(value) if isfinite(value) else None
