"""In how many ways a rectangular foot can touch, by enumeration of faces and of velocity fields.

A rigid rectangle over a plane touches with the set of vertices where its height is least: the
height is a + b x + c y over the four vertices, so the sets are the faces of the rectangle (one of
four vertices, one of four edges, the whole face), or none. Two feet make pairs.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from sole.claims import Effort, Findings

__all__ = ["count_foot_states", "touching_sets"]

CORNERS = np.array([[1, -1], [1, 1], [-1, 1], [-1, -1]])


def touching_sets(corners: np.ndarray = CORNERS) -> set[frozenset[int]]:
    """Return all sets of vertices (n, 2) in which a rigid plate can touch a plane from above.

    Heights are h = a + b x + c y; every combination of slopes from a grid is lowered until its
    lowest vertices touch. Lowered less, the plate touches nowhere: the empty set.
    """
    slopes = np.linspace(-1, 1, 9)
    found = {frozenset[int]()}
    for b, c in product(slopes, slopes):
        heights = corners @ [b, c]
        found.add(frozenset(np.flatnonzero(heights < heights.min() + 1e-9).tolist()))
    return found


def count_foot_states(effort: Effort) -> Findings:
    """Count ways to touch, ways to hit, and states of two feet with and without friction kinds."""
    ways = touching_sets()
    hits = [way for way in ways if way]
    kinds = [(way, slides) for way in ways for slides in ((False, True) if way else (False,))]
    return Findings(
        numbers={
            "ways": len(ways),
            "vertices": sum(len(way) == 1 for way in ways),
            "edges": sum(len(way) == 2 for way in ways),
            "faces": sum(len(way) == 4 for way in ways),
            "impacts": len(hits),
            "states": len(list(product(ways, ways))),
            "events": len(list(product(hits, hits))),
            "stick_or_slide": len(kinds),
            "friction_states": len(list(product(kinds, kinds))),
        }
    )
