"""Run the experiments of claims, each once, and judge every claim by its criteria."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sole.base.archive import require_output_folder
from sole.base.errors import SoleError
from sole.claims.claim import Claim, Experiment
from sole.claims.measured import Measured
from sole.claims.picture_head import head_of
from sole.claims.side_by_side import Order, measure_all

# Is told the share of the expected time that is over, and the claims under way.
Watch = Callable[[float, Sequence[Claim]], None]


@dataclass(frozen=True, kw_only=True)
class ClaimOutcome:
    """A claim and what came of it.

    Parameters
    ----------
    claim : the claim. verdict : one of `VERDICTS`. ours : our figures, or why there are none.
    numbers : findings by name; empty without an experiment.
    seconds : processor time of the experiment [s]. shared : the first claim with this experiment,
        whose `seconds` hold for all; "" if it is this one.
    picture : the file written, or None. error : why the experiment failed; "" if it did not.
    """

    claim: Claim
    verdict: str
    ours: str
    numbers: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    shared: str = ""
    picture: Path | None = None
    error: str = ""


def reproduce_claims(
    claims: Sequence[Claim],
    *,
    quick: bool = True,
    folder: Path | None = None,
    workers: int = 1,
    watch: Watch = lambda share, under_way: None,
) -> list[ClaimOutcome]:
    """Run the experiments of `claims` and return an outcome for each, in their order.

    Parameters
    ----------
    folder : where pictures go, PAPER_PICTURE.png; None: no pictures.
    workers : processes that run experiments side by side, the longest first; 1: this process.
    watch : shows progress.

    An experiment that raises a `SoleError`, or whose process dies, fails alone: its claims say why.
    """
    if workers < 1:
        raise SoleError(f"workers must be 1 or more, got {workers}")
    sharing: dict[Experiment, list[Claim]] = {}
    for claim in claims:
        if claim.experiment is not None:
            sharing.setdefault(claim.experiment, []).append(claim)
    orders = [
        Order(
            experiment=experiment,
            quick=quick,
            folder=folder,
            pictures={} if folder is None else _places(own, folder),
            heads={} if folder is None else _heads(own),
        )
        for experiment, own in sharing.items()
    ]
    found: dict[str, ClaimOutcome] = {}
    with _made(folder):
        measured = _measure(orders, list(sharing.values()), workers, watch)
    for own, one in zip(sharing.values(), measured, strict=True):
        for outcome in _judge(own, one, folder):
            found[outcome.claim.key] = outcome
    return [
        found.get(c.key) or ClaimOutcome(claim=c, verdict=c.verdict(None), ours=c.told(None))
        for c in claims
    ]


def _measure(
    orders: Sequence[Order], claims: Sequence[Sequence[Claim]], workers: int, watch: Watch
) -> list[Measured]:
    """Run the orders here or in processes, and tell `watch` how far they are."""
    total = sum(order.expected for order in orders) or 1.0
    done = [0.0] * len(orders)

    def tell(k: int, fraction: float) -> None:
        done[k] = fraction
        under_way = [own[0] for own, part in zip(claims, done, strict=True) if 0 < part < 1]
        share = sum(order.expected * part for order, part in zip(orders, done, strict=True))
        watch(share / total, under_way)

    if min(workers, len(orders)) > 1:
        return measure_all(orders, workers, tell)
    found = []
    for k, order in enumerate(orders):
        tell(k, 1e-9)
        found.append(order.run(lambda fraction, k=k: tell(k, fraction)))  # type: ignore[misc]
        tell(k, 1.0)
    return found


def _judge(claims: Sequence[Claim], measured: Measured, folder: Path | None) -> list[ClaimOutcome]:
    """Return the outcomes of the claims of one experiment."""
    outcomes = []
    for k, claim in enumerate(claims):
        numbers = None if measured.error else measured.numbers
        name = claim.picture or claim.name
        drawn = folder is not None and name in measured.pictures
        outcomes.append(
            ClaimOutcome(
                claim=claim,
                verdict=claim.verdict(numbers),
                ours=measured.error or claim.told(numbers),
                numbers=measured.numbers,
                seconds=0.0 if k else measured.seconds,
                shared=claims[0].name if k else "",
                picture=_places([claim], folder)[name] if drawn and folder else None,
                error=measured.error,
            )
        )
    return outcomes


def _places(claims: Sequence[Claim], folder: Path) -> dict[str, Path]:
    """Return where the pictures of claims go, by their names in the findings."""
    names = {claim.picture or claim.name: claim.paper.key for claim in claims}
    return {name: folder / f"{paper}_{name}.png" for name, paper in names.items()}


def _heads(claims: Sequence[Claim]) -> dict[str, list[str]]:
    """Return the head of each picture, by its name in the findings."""
    shown: dict[str, list[Claim]] = {}
    for claim in claims:
        shown.setdefault(claim.picture or claim.name, []).append(claim)
    return {name: head_of(own) for name, own in shown.items()}


@contextlib.contextmanager
def _made(folder: Path | None) -> Iterator[None]:
    """Make the folder of the pictures; if it stays empty it goes again."""
    if folder is None:
        yield
        return
    if folder.is_file() or folder.suffix in (".png", ".pdf", ".svg", ".html"):
        raise SoleError(f"-o is a folder for pictures, got the file name {folder}: give -o out")
    there = folder.is_dir()
    require_output_folder(folder)
    try:
        yield
    finally:
        if not there:
            with contextlib.suppress(OSError):
                folder.rmdir()
