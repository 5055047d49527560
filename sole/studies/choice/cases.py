"""The rows of a study as plain columns, the input of every step of the choice.

A grid and a list of samples look alike here: each row has one value of every axis and metric.
Only `shape` records that the rows fill a grid. A text axis (controller, ground, shape) is
categorical: its values are indices into `Series.labels`, without order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sole.base.arrays import BoolArray, IntArray
from sole.base.errors import ConfigError, SchemaError
from sole.studies.checked_rows import MeshCheck
from sole.studies.choice.elastic import Elastic, elastic_constants, read_quantity, read_treads
from sole.studies.choice.series import Series
from sole.studies.columns import Column, RowOutcome, Trades

if TYPE_CHECKING:
    from xarray import DataArray, Dataset

SCHEMES = {"grid": "a full grid", "list": "a list of cases", "lhs": "a Latin hypercube"} | {
    "sobol": "a Sobol' sequence",
    "saltelli": "Saltelli's design",
}
SAME_SETTING = 1e-6  # relative difference below which two numbers are the same setting
MOST_TOLD = 8  # values listed in a message


@dataclass(frozen=True, eq=False)
class Repeats:
    """The rows behind means: `each` with N rows, and `group` (N,), the mean of each."""

    each: Cases
    group: IntArray
    over: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Cases:
    """n rows of a study.

    Parameters
    ----------
    axes, metrics : (n,) columns by name; a missing metric is NaN.
    reasons : (n,) why a row failed, '' if it did not.
    shape : number of values along each axis of a full grid (last axis fastest), else ().
    sampling : the sampling scheme, a key of `SCHEMES` or any other word.
    title : title of the study.
    elastic : E and nu of every row's material; None if unknown.
    ensemble : axes whose values are repeats of one design, such as seeds.
    repeats : the rows behind these if these are means over repeats, else None.
    trades : default pairs of metrics to trade off, in order of preference.
    places : (n,) places of these rows in the study's table; None: the table's rows themselves.
    check : rows of the table on finer meshes; None if the table has none.
    """

    axes: Mapping[str, Series]
    metrics: Mapping[str, Series]
    reasons: tuple[str, ...]
    shape: tuple[int, ...] = ()
    sampling: str = "grid"
    title: str = "study"
    elastic: Elastic | None = None
    ensemble: tuple[str, ...] = ()
    repeats: Repeats | None = None
    trades: Trades = ()
    places: IntArray | None = None
    check: MeshCheck | None = None

    def table_rows(self, row: int) -> tuple[int, ...]:
        """Return the places in the study's table of a row, or of the rows behind a mean."""
        if self.repeats is None:
            return (row if self.places is None else int(self.places[row]),)
        behind = np.flatnonzero(self.repeats.group == row)
        return tuple(p for k in behind for p in self.repeats.each.table_rows(int(k)))

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.reasons)

    @property
    def failed(self) -> BoolArray:
        """(n,) whether a row failed."""
        return np.array([bool(r) for r in self.reasons])

    @property
    def each(self) -> Cases:
        """The rows of the table: these rows, or those behind their means."""
        return self if self.repeats is None else self.repeats.each

    @property
    def outcome(self) -> tuple[str, RowOutcome] | None:
        """Name and definition of the outcome metric; None if there is none."""
        found = ((name, m.outcome) for name, m in self.metrics.items() if m.outcome is not None)
        return next(found, None)

    @property
    def bad(self) -> BoolArray:
        """(n,) whether a row, or any row of a mean, ended in a failure."""
        if self.outcome is None:
            return np.zeros(self.size, dtype=bool)
        return np.asarray(self.metrics[self.outcome[0]].values > 0)

    @property
    def varied(self) -> list[str]:
        """Names of the axes that have more than one value."""
        return [n for n, a in self.axes.items() if np.ptp(a.values) > 0]

    def column(self, name: str) -> Series:
        """Return a metric or an axis.

        Raises
        ------
        ConfigError
            Unknown name; the message lists the known ones.
        """
        found = self.metrics.get(name) or self.axes.get(name)
        if found is None:
            raise ConfigError(
                f"the study has no column '{name}'; metrics are {', '.join(self.metrics)}, "
                f"axes are {', '.join(self.axes)}"
            )
        return found

    def metric(self, name: str) -> Series:
        """Return a metric.

        Raises
        ------
        ConfigError
            Unknown name; the message lists the known ones.
        """
        if name not in self.metrics:
            raise ConfigError(f"unknown metric '{name}'; the study has {', '.join(self.metrics)}")
        return self.metrics[name]


def collect_cases(dataset: Dataset, check: MeshCheck | None = None) -> Cases:
    """Return the rows of a study's table, and what is known of them on finer meshes (`check`).

    Axes are the coordinates, each along its own dimension (a grid) or all along the one dimension
    of a table of samples. The attribute `sampling` names the scheme, `ensemble` (JSON) the axes of
    repeats.

    Raises
    ------
    SchemaError
        The table has no axis or no row, or an ensemble that is not an axis.
    """
    dims = tuple(map(str, dataset["status"].dims))
    order = dataset.transpose(*dims)
    spread = [str(n) for n, c in order.coords.items() if str(n) not in dims and c.dims == dims]
    if spread:
        axes = {n: _axis(order[n]) for n in spread}
        shape: tuple[int, ...] = ()
    else:
        own = {d: _axis(order[d]) for d in dims}
        grids = np.meshgrid(*(a.values for a in own.values()), indexing="ij")
        axes = {d: replace(own[d], values=g.ravel()) for d, g in zip(dims, grids, strict=True)}
        shape = tuple(order.sizes[d] for d in dims)
    metrics = {
        str(n): _series(v)
        for n, v in order.data_vars.items()
        if v.dtype.kind in "fiub" and set(v.dims) == set(dims)
    }
    status = order["status"].values.ravel().astype(str)
    told = order["reason"].values.ravel().astype(str)
    reasons = tuple(
        "" if s == "ok" else str(r) or str(s) for s, r in zip(status, told, strict=True)
    )
    if not axes or not reasons:
        raise SchemaError("the study's table has no axis or no row; run it again")
    ensemble = tuple(map(str, json.loads(dataset.attrs.get("ensemble", "[]"))))
    if not set(ensemble) <= set(axes):
        raise SchemaError(
            f"the study's ensemble is {', '.join(ensemble)}, its axes are {', '.join(axes)}; "
            "run it again"
        )
    return Cases(
        axes=axes,
        metrics=metrics,
        reasons=reasons,
        shape=shape,
        sampling=str(dataset.attrs.get("sampling", "grid" if shape else "list")),
        title=str(dataset.attrs.get("title", "study")),
        elastic=elastic_constants(axes, read_treads(dataset.attrs)),
        ensemble=ensemble,
        trades=[tuple(pair) for pair in json.loads(dataset.attrs.get("trades", "[]"))],
        check=check,
    )


def _axis(column: DataArray) -> Series:
    quantity, layer = read_quantity(str(column.name), column.attrs)
    return replace(_series(column), quantity=quantity, layer=layer)


def _series(column: DataArray) -> Series:
    told = Column.read(str(column.name), column.attrs)
    taken = column.values.ravel()
    labels: tuple[str, ...] = ()
    if taken.dtype.kind not in "fiub":
        words = [str(w) for w in taken]
        labels = tuple(dict.fromkeys(words))  # in the table's order
        taken = np.array([labels.index(w) for w in words])
    return Series(
        np.asarray(taken, dtype=float),
        told.unit,
        told.title,
        told.highlight,
        labels,
        goal=told.goal,
        bound=told.bound,
        outcome=told.outcome,
        of_failures=told.of_failures,
        error_of=told.error_of,
    )


def keep_rows(cases: Cases, texts: Sequence[str]) -> Cases:
    """Return the rows in which every named axis has (one of) its given value(s).

    Parameters
    ----------
    texts : ``AXIS=VALUE``; several values of one axis are all kept.

    Raises
    ------
    ConfigError
        Another form, an unknown axis, or a value without rows (the message lists the values).
    """
    wanted: dict[str, BoolArray] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or name not in cases.axes:
            raise ConfigError(
                f"--where '{text}': expected AXIS=VALUE, axes are {', '.join(cases.axes)}"
            )
        mask = wanted.get(name, np.zeros(cases.size, dtype=bool))
        wanted[name] = mask | _rows_with(cases.axes[name], text, value)
    if not texts:
        return cases
    keep = np.flatnonzero(np.logical_and.reduce(list(wanted.values())))
    if not len(keep):
        raise ConfigError(f"no row of the study has {', '.join(texts)} together")
    axes = {n: a.at(keep) for n, a in cases.axes.items()}
    return replace(
        cases,
        axes=axes,
        places=keep if cases.places is None else cases.places[keep],
        metrics={n: m.at(keep) for n, m in cases.metrics.items()},
        reasons=tuple(cases.reasons[k] for k in keep),
        shape=tuple(len(np.unique(a.values)) for a in axes.values()) if cases.shape else (),
        title=f"{cases.title}, {', '.join(texts)}",
        elastic=None if cases.elastic is None else cases.elastic.at(keep),
    )


def _rows_with(axis: Series, text: str, value: str) -> BoolArray:
    known = axis.labels or tuple(f"{v:g}" for v in np.unique(axis.values))
    if axis.labels:
        found = axis.values == (axis.labels.index(value) if value in axis.labels else -1)
    else:
        try:
            found = np.isclose(axis.values, float(value), rtol=SAME_SETTING, atol=0)
        except ValueError:
            found = np.zeros(len(axis.values), dtype=bool)
    if not found.any():
        told = ", ".join([*known[:MOST_TOLD], *(["..."] if len(known) > MOST_TOLD else [])])
        raise ConfigError(f"--where '{text}': no row has this value; the values are {told}")
    return np.asarray(found)
