"""The head of a figure of `sole reproduce`: paper, what it says and prints, and what we found."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sole.claims.claim import NAN, Claim

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_under_head", "head_of", "write_head"]

SIZE, LEAST = 9.0, 60  # points of the letters; letters of a line of the smallest figure
MOST = 4  # claims that a head names


def head_of(claims: Sequence[Claim]) -> list[str]:
    """Return the lines of a head, with the names of the findings in braces.

    The first is the title: paper and place. Each claim has a line with what the paper says, one
    with what it prints, if it does, and one with our figures.
    """
    places = dict.fromkeys(claim.place for claim in claims)
    lines = [f"{claims[0].paper.authors}: {', '.join(places)}"]
    for claim in claims[:MOST]:
        says = claim.says[:1].upper() + claim.says[1:]
        lines.append(f"{says.rstrip('.')}.".replace("{", "{{").replace("}", "}}"))
        if claim.printed:
            lines.append(f"Paper: {claim.printed}".replace("{", "{{").replace("}", "}}"))
        if claim.ours:
            lines.append(f"Here: {claim.ours}")
    return lines


def write_head(lines: Sequence[str], numbers: Mapping[str, float]) -> list[str]:
    """Return the lines with our figures; a number that is not known is a dash."""
    return [NAN.sub("-", line.format(**numbers)) for line in lines]


def draw_under_head(figure: Figure, lines: Sequence[str], dpi: int) -> Any:
    """Return a figure with a head above what `figure` shows, as a picture of `dpi`."""
    from matplotlib.figure import Figure
    from matplotlib.image import imread

    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=dpi, format="png")
    drawn.seek(0)
    pixels = imread(drawn, format="png")
    height, width = (n / dpi for n in pixels.shape[:2])
    room = max(LEAST, int(width * 72 / (0.55 * SIZE)) - 2)
    title, *rest = (textwrap.wrap(line, room) for line in lines)
    count = len(title) + sum(map(len, rest))
    line = 1.35 * SIZE / 72
    above = line * (count + 0.8)
    whole = Figure(figsize=(width, height + above))
    whole.figimage(pixels, 0, 0, resize=False)
    y = height + above - 0.4 * line
    for k, text in enumerate([*title, *(part for parts in rest for part in parts)]):
        whole.text(
            0.08 / width, (y - k * line) / (height + above), text, va="top", fontsize=SIZE,
            weight="bold" if k < len(title) else "normal",
        )  # fmt: skip
    return whole
