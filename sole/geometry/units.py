"""Units of length that a file may be in."""

from __future__ import annotations

from sole.errors import ShapeError

METRES = {"m": 1.0, "mm": 1e-3}


def metres_per(unit: str) -> float:
    """Return how many metres one `unit` ("m" or "mm") is."""
    if unit not in METRES:
        raise ShapeError(f"unit must be m or mm, got '{unit}'")
    return METRES[unit]
