"""What a sweep's file contains, for `sole info`: axes, errors, the check, ranges of all metrics.

Numbers are read in blocks of rows, so memory does not grow with their number.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sole.base.hdf5_files import open_hdf5
from sole.base.report import Quantity, Report
from sole.studies.checked_rows import read_check
from sole.studies.columns import Column
from sole.studies.mesh_errors import mesh_warnings
from sole.studies.netcdf import CASE, TEXTS, blocks
from sole.studies.ranges import Extremes, point_words
from sole.studies.table import axes_of, is_text, metric_names, open_table, unit_of

if TYPE_CHECKING:
    from xarray import Dataset


def describe_table(path: Path) -> Report:
    """Describe a sweep's file for `sole info`: axes, errors, the range of every metric."""
    with open_table(path) as dataset:
        attributes = dataset.attrs
        size = dataset[metric_names(dataset)[0]].size
        repeats = json.loads(attributes.get("ensemble", "[]"))
        rows: dict[str, Quantity] = {
            "rows": Quantity(int(size), "", str(attributes["rows"])),
            "failed": Quantity(sum(_reasons(path).values())),
            "sampling": Quantity(
                str(attributes.get("sampling", "grid")),
                "",
                f"repeats along {', '.join(repeats)}" if repeats else "",
            ),
            "condensations": Quantity(int(attributes["condensations"])),
            "compliance error": Quantity(
                float(attributes["compliance_error"]), "", "relative, at verification points"
            ),
        }
        rows["mesh check"] = _check(path)
        rows |= {f"axis {name}": _axis(dataset, name) for name in axes_of(dataset)}
        rows |= extremes(dataset, metric_names(dataset))
        told = {n: Column.read(n, dataset[n].attrs) for n in metric_names(dataset)}
        largest = {n: float(dataset[n].max()) for n, c in told.items() if c.error_of}
        notes = (*json.loads(attributes["warnings"]), *mesh_warnings(told, largest))
        return Report(str(attributes.get("title", "sweep")), rows, notes)


def _check(path: Path) -> Quantity:
    """Return which rows were computed again on a mesh of half the size, or why none was."""
    check = read_check(path)
    if check is None or not check.rows:
        return Quantity("not checked", "", check.not_checked if check is not None else "")
    places = ", ".join(f"{r.place} (failed)" if r.reason else f"{r.place}" for r in check.rows)
    told = "from 0, on half the mesh size; `sole report` has the changes"
    return Quantity(f"row {places}", "", told)


def _axis(dataset: Dataset, name: str) -> Quantity:
    column = dataset[name]
    if is_text(dataset, name):
        values = list(dict.fromkeys(map(str, column.values)))
        return Quantity(", ".join(values), "", f"{len(values)} values")
    remark = "sampled" if column.dims == (CASE,) else f"{column.size} values"
    if str(column.attrs.get("long_name", "")).endswith("of all layers"):
        remark += ", each for all layers"
    return Quantity([v for v, _ in _ends(dataset, name)], unit_of(dataset, name), remark, ends=True)


def _reasons(path: Path) -> Counter[str]:
    """Count the failed rows of a sweep's file by their reasons."""
    found: Counter[str] = Counter()
    with open_hdf5(path) as file:
        status, reason = (file[name] for name in TEXTS)
        for _, box in blocks(status.shape):
            failed = status[box] == b"failed"
            if failed.any():
                found.update(text.decode() for text in reason[box][failed])
    return found


def commonest_reason(path: Path) -> str:
    """Return the most frequent reason of failed rows and its count ('' without failed rows)."""
    told = [(n, reason) for reason, n in _reasons(path).items() if reason]
    return f"{max(told)[1]} ({max(told)[0]} rows)" if told else ""


def extremes(dataset: Dataset, names: Iterable[str]) -> dict[str, Quantity]:
    """Return the least and greatest value of every metric, and their places."""
    found, axes = {}, {name: _unit_of_axis(dataset, name) for name in axes_of(dataset)}
    for name in names:
        (low, first), (high, last) = _ends(dataset, name)
        where = (_place(dataset, axes, name, k) for k in (first, last))
        title = Column.read(name, dataset[name].attrs).title
        found[name] = Extremes(low, first, high, last).told(unit_of(dataset, name), title, where)
    return found


def _unit_of_axis(dataset: Dataset, name: str) -> str | None:
    """Return the unit of an axis, None if it has one value."""
    if is_text(dataset, name):
        several = len(set(dataset[name].values.ravel().tolist())) > 1
    else:
        (low, _), (high, _) = _ends(dataset, name)
        several = low < high
    return unit_of(dataset, name) if several else None


def _ends(dataset: Dataset, name: str) -> tuple[tuple[float, int], tuple[float, int]]:
    """Return (least value, its place) and (greatest value, its place); place -1: all are NaN."""
    column = dataset[name].variable
    low, high = (np.inf, -1), (-np.inf, -1)
    for start, box in blocks(column.shape):
        v = np.asarray(column[box].values).ravel()
        if np.isnan(v).all():
            continue
        i, j = int(np.nanargmin(v)), int(np.nanargmax(v))
        if v[i] < low[0] or low[1] < 0:  # the first one may be infinite
            low = float(v[i]), start + i
        if v[j] > high[0] or high[1] < 0:
            high = float(v[j]), start + j
    return low, high


def _place(dataset: Dataset, axes: Mapping[str, str | None], name: str, flat: int) -> str:
    column = dataset[name]
    index = dict(zip(column.dims, np.unravel_index(flat, column.shape), strict=True))
    along = (dataset[axis].dims[0] for axis in axes)
    values = (
        dataset[axis].variable[int(index[dim])].values.item()
        for axis, dim in zip(axes, along, strict=True)
    )
    return ", ".join(point_words(axes, values))
