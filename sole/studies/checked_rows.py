"""Rows of a table computed again on a mesh of half the size, and their place in the table's file.

The group `mesh_check` of the NetCDF has the dimension `checked`, one for each such row, and along
it `place` (of the row in the table, counted along the last axis first, from 0), `tread_nodes` and
`finer_tread_nodes`, every metric of the table as it is on the finer mesh, `status` and `reason`.
Its attribute `not_checked` tells why no row could be computed, '' otherwise. A table without the
group was not checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sole.base.hdf5_files import open_hdf5
from sole.studies.netcdf import append_netcdf

GROUP, DIMENSION = "mesh_check", "checked"
_COUNTS = {
    "place": "of the row in the table, counted along its last axis first, from 0",
    "tread_nodes": "vertices of the tread for the table",
    "finer_tread_nodes": "vertices of the tread on the mesh of half the size",
}
_TEXTS = {"status": "ok or failed, on the finer mesh", "reason": "why it failed there"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRow:
    """A row of the table on a mesh of half the size.

    Parameters
    ----------
    place : of the row in the table, counted along the last axis first.
    tread_nodes, finer_tread_nodes : vertices of the tread for the table, and here.
    numbers : the metrics here. reason : why it failed here, '' if it did not.
    """

    place: int
    tread_nodes: int
    finer_tread_nodes: int
    numbers: Mapping[str, float]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class MeshCheck:
    """What is known of the rows of a table on finer meshes.

    Parameters
    ----------
    rows : the rows computed again. not_checked : why there are none, and what to do; '' if there
        are some or nobody tried.
    """

    rows: tuple[CheckedRow, ...] = ()
    not_checked: str = ""

    def of(self, places: Iterable[int]) -> tuple[CheckedRow, ...] | None:
        """Return the rows at these places of the table, None if one of them is not here."""
        known = {row.place: row for row in self.rows}
        wanted = list(places)
        return tuple(known[p] for p in wanted) if all(p in known for p in wanted) else None


def add_check(path: Path, check: MeshCheck) -> None:
    """Put a check into a complete table `.nc`, in place of an earlier one.

    Raises
    ------
    ResourceError
        The disk is full; the table is unchanged.
    """
    rows = check.rows
    columns: dict[str, tuple[Any, list[Any], str]] = {
        name: (np.int64, [getattr(r, name) for r in rows], said) for name, said in _COUNTS.items()
    }
    for name in dict.fromkeys(n for r in rows for n in r.numbers):
        columns[name] = np.float64, [r.numbers.get(name, np.nan) for r in rows], ""
    for name, values in (
        ("status", ["failed" if r.reason else "ok" for r in rows]),
        ("reason", [r.reason for r in rows]),
    ):
        columns[name] = str, values, _TEXTS[name]
    with append_netcdf(path, GROUP) as nc:
        nc.attributes({"not_checked": check.not_checked})
        nc.dimension(DIMENSION, len(rows))
        for name, (kind, values, said) in columns.items():
            nc.variable(name, (DIMENSION,), kind, {"long_name": said} if said else {})
            if values:
                nc.write(name, 0, np.array(values, object if kind is str else kind))


def read_check(path: Path) -> MeshCheck | None:
    """Return the check in a table `.nc`, None if it has none, as older tables."""
    with open_hdf5(path) as file:
        if GROUP not in file:
            return None
        group = file[GROUP]
        count = len(group["place"])
        texts = {n: [t.decode() for t in group[n][:]] for n in _TEXTS}
        own = {DIMENSION, *_COUNTS, *_TEXTS}
        numbers = {n: group[n][:] for n in group if n not in own}
        rows = tuple(
            CheckedRow(
                place=int(group["place"][k]),
                tread_nodes=int(group["tread_nodes"][k]),
                finer_tread_nodes=int(group["finer_tread_nodes"][k]),
                numbers={n: float(v[k]) for n, v in numbers.items() if not np.isnan(v[k])},
                reason=texts["reason"][k],
            )
            for k in range(count)
        )
        return MeshCheck(rows, str(group.attrs["not_checked"]))
