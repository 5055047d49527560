"""One experiment run in this process: its numbers, the pictures drawn, the time it took."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sole.base.errors import SoleError
from sole.claims.claim import Effort, Experiment, Findings
from sole.claims.picture_head import draw_under_head, write_head

__all__ = ["Measured", "measure"]

DPI = 120


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What came of an experiment.

    Parameters
    ----------
    numbers : findings by name. pictures : names of those that were drawn.
    seconds : processor time [s]. error : why it failed; "" if it did not.
    """

    numbers: Mapping[str, float] = field(default_factory=dict)
    pictures: tuple[str, ...] = ()
    seconds: float = 0.0
    error: str = ""


def measure(
    experiment: Experiment,
    effort: Effort,
    pictures: Mapping[str, Path],
    heads: Mapping[str, Sequence[str]] | None = None,
) -> Measured:
    """Run an experiment with BLAS in one thread, and draw those of `pictures` that it has.

    Parameters
    ----------
    pictures : where each goes, by its name in the findings. heads : lines above a picture, see
        `sole.claims.picture_head.head_of`.

    A `SoleError` is the experiment's failure.
    """
    from sole.base.blas_threads import one_blas_thread
    from sole.condense import no_range_warnings

    begun = _processor_time()
    try:
        with one_blas_thread(), no_range_warnings():
            findings = experiment.run(effort)
    except SoleError as failure:
        return Measured(seconds=_processor_time() - begun, error=str(failure))
    spent = _processor_time() - begun
    drawn = _draw(findings, pictures, heads or {})
    return Measured(numbers=dict(findings.numbers), pictures=drawn, seconds=spent)


def _draw(
    findings: Findings, pictures: Mapping[str, Path], heads: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    from sole.base.archive import replacing

    wanted: dict[str, Callable[[], Any]] = {
        name: findings.pictures[name] for name in pictures if name in findings.pictures
    }
    for name, draw in wanted.items():
        figure = draw()
        if name in heads:
            lines = write_head(heads[name], findings.numbers)
            figure = draw_under_head(figure, lines, DPI)
        with replacing(pictures[name]) as temporary:
            figure.savefig(temporary, dpi=DPI)
    return tuple(wanted)


def _processor_time() -> float:
    """Return the processor time of this process and its finished children so far [s]."""
    return sum(os.times()[:4])
