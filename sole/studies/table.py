"""The table of a sweep: NetCDF with named dimensions and units, and the same as CSV.

NetCDF (schema `sole.sweep/1`): one dimension per axis with its values as coordinate, one
variable per metric over all of them, `status` ("ok" or "failed") and `reason`. CSV: one line
per case, columns `metric[unit]`, numbers as their shortest exact text.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sole import __version__
from sole.archive import replacing, schema_of
from sole.errors import SchemaError, SoleError
from sole.report import Quantity, Report
from sole.studies.journal import FinishedRow
from sole.studies.plan import Plan
from sole.studies.rows import Column

if TYPE_CHECKING:
    from xarray import Dataset

SCHEMA = "sole.sweep/1"
_ATTRIBUTES = ("rows", "condensations", "compliance_error", "warnings")


def write_sweep(
    output: Path,
    plan: Plan,
    columns: Mapping[str, Column],
    rows: Iterable[FinishedRow],
    provenance: Mapping[str, Any],
) -> None:
    """Write `output` and the CSV beside it from rows in the order of their places.

    Raises
    ------
    SoleError
        A row is missing; nothing is written then.
    ResourceError
        The disk is full; what was there before is untouched.
    """
    import xarray

    study = plan.study
    values = {name: np.full(study.size, np.nan) for name in columns}
    status, reason = (np.full(study.size, "", dtype=object) for _ in range(2))
    table = output.with_suffix(".csv")
    count = 0
    with replacing(table) as temporary, temporary.open("w", newline="", encoding="utf-8") as f:
        writer = csv.writer(f, lineterminator="\n")
        heads = [(a.name, plan.quantities[a.name].unit) for a in study.axis] + [
            (n, c.unit) for n, c in columns.items()
        ]
        writer.writerow([*(f"{n}[{u}]" if u else n for n, u in heads), "status", "reason"])
        for row in rows:
            if row.place != count:
                raise SoleError(f"row {count} is missing from the journal; run the sweep again")
            count += 1
            numbers = [row.numbers.get(name, np.nan) for name in columns]
            for name, number in zip(columns, numbers, strict=True):
                values[name][row.place] = number
            status[row.place], reason[row.place] = row.status, row.reason
            settings = study.settings(row.place).values()
            texts = ["" if x != x else repr(x) for x in numbers]
            writer.writerow([*map(repr, settings), *texts, row.status, row.reason])
        if count != study.size:
            raise SoleError(f"{study.size - count} rows are missing; run the sweep again")
        dims = tuple(a.name for a in study.axis)
        data: dict[str, Any] = {
            name: (dims, values[name].reshape(study.shape), _attributes(c))
            for name, c in columns.items()
        }
        data["status"] = (dims, status.reshape(study.shape), {"long_name": "ok or failed"})
        data["reason"] = (dims, reason.reshape(study.shape), {"long_name": "why it failed"})
        coordinates = {
            a.name: (
                a.name,
                np.array(a.values),
                {
                    "units": plan.quantities[a.name].unit or "1",
                    "long_name": plan.quantities[a.name].title,
                },
            )
            for a in study.axis
        }
        attributes = {"schema": SCHEMA, "version": __version__} | {
            name: v if isinstance(v, str | int | float) else json.dumps(v)
            for name, v in provenance.items()
        }
        dataset = xarray.Dataset(data, coordinates, attributes)
        # Through memory: HDF5 itself ends the process when the disk is full.
        buffer = io.BytesIO()
        dataset.to_netcdf(buffer, engine="h5netcdf")
        with replacing(output) as nc:
            nc.write_bytes(buffer.getvalue())


def _attributes(column: Column) -> dict[str, Any]:
    return {
        "units": column.unit or "1",
        "long_name": column.description,
        "highlight": int(column.highlight),
    }


def read_sweep(path: Path) -> Dataset:
    """Read a sweep's `.nc` whole, with all that `write_sweep` puts there.

    Raises
    ------
    SchemaError
        Not a sweep, truncated, of another version, or without some of its columns, axes or
        attributes.
    """
    import xarray

    path = Path(path)
    found = schema_of(path)
    if found != SCHEMA:
        raise SchemaError(f"{path}: got a '{found}' file, expected '{SCHEMA}'")
    try:
        dataset = xarray.load_dataset(path, engine="h5netcdf")
    except Exception as error:  # HDF5, h5netcdf and xarray each have their own
        raise SchemaError(f"{path}: not a readable '{SCHEMA}' file (truncated?)") from error
    lacking = [f"attribute '{a}'" for a in _ATTRIBUTES if a not in dataset.attrs]
    lacking += [f"column '{c}'" for c in ("status", "reason") if c not in dataset.data_vars]
    lacking += [] if metrics(dataset) else ["any column of numbers"]
    lacking += [f"values of the axis '{d}'" for d in dataset.dims if d not in dataset.coords]
    odd = [n for n in dataset.data_vars if set(dataset[n].dims) != set(dataset.dims)]
    if lacking or odd:
        what = f"lacks {', '.join(lacking)}" if lacking else f"'{odd[0]}' lacks an axis"
        raise SchemaError(f"{path}: not a whole '{SCHEMA}' file: {what}; run the sweep again")
    return dataset


def metrics(dataset: Dataset) -> list[str]:
    """Return the names of the numeric columns."""
    return [str(n) for n in dataset.data_vars if dataset[n].dtype.kind == "f"]


def highlights(dataset: Dataset) -> list[str]:
    """Return the columns that summaries and pictures show, all if none is marked."""
    marked = [n for n in metrics(dataset) if dataset[n].attrs.get("highlight")]
    return marked or metrics(dataset)


def unit_of(dataset: Dataset, name: str) -> str:
    """Return the unit of a column or axis, '' if none."""
    unit = str(dataset[name].attrs.get("units", "1"))
    return "" if unit == "1" else unit


def describe_sweep(path: Path) -> Report:
    """Describe a sweep's file for `sole info`: axes, errors, the range of every metric."""
    dataset = read_sweep(path)
    rows: dict[str, Quantity] = {
        "rows": Quantity(int(dataset["status"].size), "", str(dataset.attrs["rows"])),
        "failed": Quantity(int((dataset["status"] == "failed").sum())),
        "condensations": Quantity(int(dataset.attrs["condensations"])),
        "compliance error": Quantity(
            float(dataset.attrs["compliance_error"]), "", "relative, at points left out"
        ),
    }
    for name in dataset.dims:
        v = dataset[name].values
        rows[f"axis {name}"] = Quantity(
            [float(v[0]), float(v[-1])], unit_of(dataset, str(name)), f"{len(v)} values"
        )
    rows |= extremes(dataset, metrics(dataset))
    notes = tuple(json.loads(dataset.attrs.get("warnings", "[]")))
    return Report(str(dataset.attrs.get("title", "sweep")), rows, notes)


def commonest_reason(path: Path) -> str:
    """Return why most of the failed rows of a sweep failed, and how many ('' without any)."""
    reasons, counts = np.unique(read_sweep(path)["reason"].values.ravel(), return_counts=True)
    told = [(n, str(r)) for n, r in zip(counts, reasons, strict=True) if r]
    return f"{max(told)[1]} ({max(told)[0]} rows)" if told else ""


def extremes(dataset: Dataset, names: Iterable[str]) -> dict[str, Quantity]:
    """Return the least and greatest value of every metric, and where they are."""
    found = {}
    for name in names:
        v = dataset[name]
        if not np.isfinite(v.values).any():
            found[name] = Quantity("none", "", "every row failed")
            continue
        low, high = float(v.min()), float(v.max())
        where = [_place(dataset, name, least) for least in (True, False)]
        remark = "everywhere" if low == high else f"at {where[0]} .. {where[1]}"
        found[name] = Quantity([low, high], unit_of(dataset, name), remark)
    return found


def _place(dataset: Dataset, name: str, least: bool) -> str:
    v = dataset[name].values
    flat = int(np.nanargmin(v) if least else np.nanargmax(v))
    index = np.unravel_index(flat, v.shape)
    pairs = zip(dataset[name].dims, index, strict=True)
    return ", ".join(f"{d}={float(dataset[d].values[k]):.4g}" for d, k in pairs)
