"""From which error by the mesh a number is called dependent on it, and in which words."""

from __future__ import annotations

__all__ = ["ACCURACY", "TRUSTED", "dependence_words"]

ACCURACY = "accuracy: "  # begins a note that is no warning: the result stands, to so many per cent
TRUSTED = 0.05  # relative error by the mesh of a number that is shown without a word about it


def dependence_words(error: float) -> str:
    """Return "depends on the mesh, by about 12 %"; '' up to `TRUSTED`, or if it is NaN."""
    if not error > TRUSTED:
        return ""
    return (
        f"depends on the mesh, by about {100 * error:.0f} %"
        if error < 1
        else ("depends on the mesh, by 100 % or more")
    )
