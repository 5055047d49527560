"""Words about columns that depend on the mesh: a table says so wherever it is shown."""

from __future__ import annotations

from collections.abc import Mapping

from sole.base.mesh_dependence import ACCURACY, dependence_words
from sole.studies.columns import Column


def mesh_warnings(columns: Mapping[str, Column], largest: Mapping[str, float]) -> tuple[str, ...]:
    """Return a note for each column whose error by the mesh is not small somewhere.

    `largest` : greatest value of columns; those without any are left out.
    """
    return tuple(
        f"{ACCURACY}{column.error_of} {words} in the worst row (column {name}): compare with half "
        "the --size-tread"
        for name, column in columns.items()
        if column.error_of and (words := dependence_words(largest.get(name, 0.0)))
    )
