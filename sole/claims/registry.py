"""The claims of all packages: found by entry points, chosen by name."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from sole.base.cli import plugins
from sole.base.errors import SoleError
from sole.claims.claim import Claim

CLAIMS_GROUP = "sole.claims"


def known_claims() -> tuple[Claim, ...]:
    """Return all claims, paper by paper in the alphabet, each in its own order.

    Raises
    ------
    SoleError
        Two claims have one name.
    """
    parts = plugins(CLAIMS_GROUP)
    found: list[Claim] = [c for name in sorted(parts) for c in parts[name].load()]
    found.sort(key=lambda c: (c.paper.key, c.order, c.name))
    keys = [c.key for c in found]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        raise SoleError(f"two claims are named {', '.join(twice)}")
    return tuple(found)


def find_claims(paper: str, names: Sequence[str] = ()) -> tuple[Claim, ...]:
    """Return the claims of a paper, all or those of `names`; "" means all papers.

    Raises
    ------
    SoleError
        Paper or claim is unknown; the message names the nearest.
    """
    every = known_claims()
    papers = list(dict.fromkeys(c.paper.key for c in every))
    if not paper:
        return every
    if paper not in papers:
        told = _nearest(paper, papers)
        held = [c.key for c in every if c.name == paper]
        if held:
            told = f"; did you mean {' or '.join(held)}?"
        raise SoleError(f"no paper '{paper}'; there are {', '.join(papers)}{told}")
    own = {c.name: c for c in every if c.paper.key == paper}
    for name in names:
        if name not in own:
            elsewhere = [c.key for c in every if c.name == name]
            told = f"; did you mean {' or '.join(elsewhere)}?" if elsewhere else ""
            raise SoleError(
                f"{paper} has no claim '{name}'{told or _nearest(name, list(own))}; "
                f"see `sole reproduce {paper} --list`"
            )
    chosen = dict.fromkeys(names) if names else own
    return tuple(own[name] for name in chosen)


def _nearest(name: str, known: Sequence[str]) -> str:
    """Return "; did you mean A or B?"; at least one name."""
    meant = get_close_matches(name.lower(), known, n=2, cutoff=0.6)
    meant = meant or get_close_matches(name.lower(), known, n=1, cutoff=0.0)
    return f"; did you mean {' or '.join(meant)}?"
