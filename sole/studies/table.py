"""The table of a sweep: NetCDF with named dimensions and units, and its copy as CSV.

NetCDF (schema `sole.sweep/1`): a grid has one dimension per axis with its values as coordinate;
any other sampling has the single dimension `case` and every axis as a coordinate along it. Each
metric is a variable over these dimensions, with the rows' declarations (`columns.Column`) as
attributes; `status` ("ok" or "failed") and `reason` are texts. Values of an axis are numbers or
texts, booleans the texts "true" and "false". CSV has one line per case, columns `metric[unit]`,
and numbers as their shortest exact text. Both are written in blocks of rows, so
memory does not grow with their number.
"""

from __future__ import annotations

import contextlib
import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sole import __version__
from sole.base.archive import replacing, schema_of
from sole.base.errors import SchemaError, SoleError
from sole.base.file_digest import UNSEALED, check_seal
from sole.base.file_kinds import how_to_make, refuse_other_schema
from sole.base.hdf5_files import open_hdf5
from sole.studies.axis import Axis, Setting
from sole.studies.columns import Column
from sole.studies.journal import FinishedRow
from sole.studies.netcdf import CASE, TEXTS, create_netcdf, lay_out, points, text_of
from sole.studies.ranges import Ranges, point_words
from sole.studies.rows import declared_by
from sole.studies.study import Study
from sole.studies.study_plan import Plan

if TYPE_CHECKING:
    from xarray import Dataset

SCHEMA = "sole.sweep/1"
_ATTRIBUTES = ("rows", "condensations", "compliance_error", "warnings")


def write_table(
    output: Path,
    plan: Plan,
    columns: Mapping[str, Column],
    rows: Iterable[FinishedRow],
    provenance: Mapping[str, Any],
) -> Ranges:
    """Write `output` and the CSV beside it from rows in the order of their places.

    Returns the ranges of the columns that summaries show.

    Raises
    ------
    SoleError
        A row is missing; nothing is written.
    ResourceError
        The disk is full; existing files are unchanged.
    """
    study, count = plan.study, 0
    shown = [n for n, c in columns.items() if c.highlight or c.error_of] or columns
    ranges = Ranges({n: (columns[n].unit, columns[n].title) for n in shown})
    axes = {a.name: _unit_of_axis(plan, a) for a in study.axis}
    with (
        replacing(output.with_suffix(".csv")) as table,
        table.open("w", newline="", encoding="utf-8") as file,
        replacing(output) as temporary,
        create_netcdf(temporary) as nc,
    ):
        about = {"schema": SCHEMA, "version": __version__, **provenance}
        block = lay_out(nc, plan, columns, about)
        writer = csv.writer(file, lineterminator="\n")
        heads = [(a.name, plan.quantities[a.name].unit) for a in study.axis]
        heads += [(n, c.unit) for n, c in columns.items()]
        writer.writerow(["row", *(f"{n}[{u}]" if u else n for n, u in heads), *TEXTS])
        for row, point in zip(rows, points(study), strict=False):
            if row.place != count:
                raise SoleError(f"row {count} is missing from the journal; run the sweep again")
            count += 1
            numbers = [row.numbers.get(name, np.nan) for name in columns]
            block.add([*point, *numbers, row.status, row.reason])
            texts = ["" if x != x else repr(x) for x in numbers]
            writer.writerow([row.place, *map(text_of, point), *texts, row.status, row.reason])
            ranges.add(row.place, row.numbers, point_words(axes, _as_stored(study, point)))
        if count != study.size:
            raise SoleError(f"{study.size - count} rows are missing; run the sweep again")
        block.flush()
        file.flush()  # a full disk raises here, before either file is replaced
    return ranges


def _unit_of_axis(plan: Plan, axis: Axis) -> str | None:
    """Return the unit of an axis, None if it has one value."""
    return None if len(axis.values) == 1 else plan.quantities[axis.name].unit


def _as_stored(study: Study, point: Iterable[Setting]) -> Iterator[float | str]:
    """Yield the values of all axes as the file has them: numbers, or texts."""
    for axis, value in zip(study.axis, point, strict=True):
        yield float(value) if axis.numeric else text_of(value)


@contextlib.contextmanager
def open_table(path: Path) -> Iterator[Dataset]:
    """Yield a sweep's `.nc` without its texts; numbers are read on demand.

    Raises
    ------
    SchemaError
        As in `read_table`.
    """
    with _opened(path, drop_variables=TEXTS) as dataset:
        try:
            yield dataset
        except OSError as error:
            raise _unreadable(path) from error


def read_table(path: Path) -> Dataset:
    """Read a complete sweep file `.nc` as written by `write_table`.

    Raises
    ------
    SchemaError
        Not a sweep, truncated, of another version, or without some columns, axes or attributes.
    """
    with _opened(path) as dataset:
        try:
            return dataset.load()
        except OSError as error:
            raise _unreadable(path) from error


def _unreadable(path: Path) -> SchemaError:
    return SchemaError(
        f"{path}: not a readable '{SCHEMA}' file (truncated?); {how_to_make(SCHEMA)}"
    )


def _opened(path: Path, **options: Any) -> Dataset:
    import xarray

    refuse_other_schema(path, schema_of(Path(path)), SCHEMA)
    try:
        with open_hdf5(path) as file:
            check_seal(path, file.attrs)
            texts = [name for name in TEXTS if name in file]
        dataset = xarray.open_dataset(
            path, engine="h5netcdf", phony_dims="access", cache=False, **options
        )
    except SchemaError:
        raise
    except Exception as error:  # HDF5, h5netcdf and xarray each raise their own
        raise _unreadable(path) from error
    for name in UNSEALED:  # of this file, not of a file that somebody makes of it
        dataset.attrs.pop(name, None)
    lacking = [f"attribute '{a}'" for a in _ATTRIBUTES if a not in dataset.attrs]
    lacking += [f"column '{c}'" for c in TEXTS if c not in texts]
    lacking += [] if metric_names(dataset) else ["any column of numbers"]
    lacking += [f"values of the axis '{d}'" for d in dataset.dims if d not in dataset.coords]
    lacking += ["any axis"] if dict(dataset.sizes).keys() == {CASE} == set(dataset.coords) else []
    odd = [n for n in dataset.data_vars if set(dataset[n].dims) != set(dataset.dims)]
    if lacking or odd:
        dataset.close()
        what = f"lacks {', '.join(lacking)}" if lacking else f"'{odd[0]}' lacks an axis"
        raise SchemaError(f"{path}: incomplete '{SCHEMA}' file: {what}; run the sweep again")
    _declare(dataset)
    if _scales_layers(dataset):
        dataset.close()
        raise SchemaError(
            f"{path}: an older table, whose axis 'young' scaled all layers of a sole; make it "
            "again: `sole sweep MESH -o NEW.nc --stiffness-factor LO:HI:N` (1: as they are), or "
            "--young for one E of all layers"
        )
    return dataset


def _scales_layers(dataset: Dataset) -> bool:
    """Whether a table is of the time when `young` was E of the tread, and other layers followed."""
    if "young_axis" in dataset.attrs:
        return False
    named = [(n, dataset[n].attrs) for n in dataset.coords]
    common = any(a.get("quantity", n) == "young" and not a.get("layer") for n, a in named)
    soles = json.loads(dataset.attrs.get("base_materials", "{}"))
    layers = (
        [m.values() if isinstance(m, dict) else m for m in soles.values()]
        if isinstance(soles, dict)
        else [soles]
    )
    moduli = [{one["young_modulus"] for one in materials} for materials in layers]
    return common and any(len(different) > 1 for different in moduli)


def _declare(dataset: Dataset) -> None:
    """Add the declarations missing from older tables."""
    if "trades" in dataset.attrs:
        return
    columns, trades = declared_by(str(dataset.attrs["rows"]).split(", "))
    dataset.attrs["trades"] = json.dumps(trades)
    for name in metric_names(dataset):
        own = dataset.variables[name].attrs
        if name in columns and "goal" not in own:
            own.update({k: v for k, v in columns[name].attributes.items() if k not in own})


def axes_of(dataset: Dataset) -> list[str]:
    """Return the names of the axes: dimensions of a grid, else coordinates along `case`."""
    along = [str(n) for n, c in dataset.coords.items() if c.dims == (CASE,) and n != CASE]
    return along or list(map(str, dataset[metric_names(dataset)[0]].dims))


def is_text(dataset: Dataset, name: str) -> bool:
    """Return whether the values of an axis are texts, not numbers."""
    return dataset[name].dtype.kind not in "fiub"


def metric_names(dataset: Dataset) -> list[str]:
    """Return the names of the numeric columns."""
    return [str(n) for n in dataset.data_vars if dataset[n].dtype.kind == "f"]


def highlights(dataset: Dataset) -> list[str]:
    """Return the columns that pictures show, all if none is marked; without a number only if all.

    A column may have no number in any row: a critical E where layers have different ones.
    """
    marked = [n for n in metric_names(dataset) if dataset[n].attrs.get("highlight")]
    marked = marked or metric_names(dataset)
    return [n for n in marked if bool(dataset[n].notnull().any())] or marked


def unit_of(dataset: Dataset, name: str) -> str:
    """Return the unit of a column or axis, '' if none."""
    unit = str(dataset[name].attrs.get("units", "1"))
    return "" if unit == "1" else unit
