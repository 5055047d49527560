"""Run the experiments of claims, each once, and judge every claim by its criteria."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from sole.base.errors import SoleError
from sole.claims.claim import Claim, Effort, Experiment, Findings

# Opens something that shows the progress of one experiment: (number, of, claims) -> tell.
Watch = Callable[[int, int, Sequence[Claim]], AbstractContextManager[Callable[[float], None]]]
DPI = 120


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
    watch: Watch = lambda number, of, claims: nullcontext(lambda fraction: None),
) -> list[ClaimOutcome]:
    """Run the experiments of `claims` and return an outcome for each, in their order.

    Parameters
    ----------
    folder : where pictures go, PAPER_PICTURE.png; None: no pictures.
    watch : shows progress.

    An experiment that raises a `SoleError` fails alone: its claims say why.
    """
    if folder is not None:
        _make(folder)
    sharing: dict[Experiment, list[Claim]] = {}
    for claim in claims:
        if claim.experiment is not None:
            sharing.setdefault(claim.experiment, []).append(claim)
    found: dict[str, ClaimOutcome] = {}
    for number, (experiment, own) in enumerate(sharing.items(), start=1):
        with watch(number, len(sharing), own) as tell:
            for outcome in _run(experiment, own, quick, folder, tell):
                found[outcome.claim.key] = outcome
    return [
        found.get(c.key) or ClaimOutcome(claim=c, verdict=c.verdict(None), ours=c.told(None))
        for c in claims
    ]


def _run(
    experiment: Experiment,
    claims: Sequence[Claim],
    quick: bool,
    folder: Path | None,
    tell: Callable[[float], None],
) -> list[ClaimOutcome]:
    """Run one experiment and judge its claims."""
    begun = _processor_time()
    findings, error = Findings(numbers={}), ""
    try:
        findings = experiment.run(Effort(quick=quick, tell=tell, folder=folder))
    except SoleError as failure:
        error = str(failure)
    spent = _processor_time() - begun
    outcomes, drawn = [], set[Path]()
    for k, claim in enumerate(claims):
        numbers = None if error else findings.numbers
        outcomes.append(
            ClaimOutcome(
                claim=claim,
                verdict=claim.verdict(numbers),
                ours=error or claim.told(numbers),
                numbers=findings.numbers,
                seconds=0.0 if k else spent,
                shared=claims[0].name if k else "",
                picture=None if folder is None else _draw(claim, findings, folder, drawn),
                error=error,
            )
        )
    return outcomes


def _draw(claim: Claim, findings: Findings, folder: Path, drawn: set[Path]) -> Path | None:
    """Draw the picture of a claim, once; None if it has none."""
    from sole.base.archive import replacing

    name = claim.picture or claim.name
    draw = findings.pictures.get(name)
    path = folder / f"{claim.paper.key}_{name}.png"
    if draw is None or path in drawn:
        return None if draw is None else path
    with replacing(path) as temporary:
        draw().savefig(temporary, dpi=DPI)
    drawn.add(path)
    return path


def _make(folder: Path) -> None:
    if folder.is_file() or folder.suffix in (".png", ".pdf", ".svg", ".html"):
        raise SoleError(f"-o is a folder for pictures, got the file name {folder}: give -o out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SoleError(f"{folder}: cannot make this folder: {error.strerror}") from error


def _processor_time() -> float:
    """Return the processor time of this process and its finished children so far [s]."""
    return sum(os.times()[:4])
