"""The rows of a study as plain columns: what every question of the choice is asked of.

A grid and a list of samples look alike from here: one value of every axis and of every metric
per row. Only `shape` remembers that the rows fill a grid. An axis of words (controller, ground,
shape) is one of categories: its values are places in `Series.labels`, without any order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sole.arrays import BoolArray, IntArray
from sole.choice.elastic import Elastic, elastic_constants, quantity_of, treads_of
from sole.choice.series import Series
from sole.errors import ConfigError, SchemaError

if TYPE_CHECKING:
    from xarray import DataArray, Dataset

SCHEMES = {"grid": "a full grid", "list": "a list of cases", "lhs": "a Latin hypercube"} | {
    "sobol": "a Sobol' sequence",
    "saltelli": "Saltelli's design",
}
SAME_SETTING = 1e-6  # relative difference of two numbers that mean the same setting
MOST_TOLD = 8  # values that a message lists


@dataclass(frozen=True, eq=False)
class Repeats:
    """The rows behind means: `each` with N rows, `group` (N,) says which mean each went into."""

    each: Cases
    group: IntArray
    over: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Cases:
    """n rows of a study.

    Parameters
    ----------
    axes, metrics : (n,) columns by name; a metric that a row lacks is NaN there.
    reasons : (n,) why a row failed, '' where it did not.
    shape : number of values along each axis of a full grid (last axis fastest), else ().
    sampling : how the rows were chosen, a key of `SCHEMES` or any other word.
    title : what was studied.
    elastic : E and nu of the material that every row stands for; None where nothing says them.
    ensemble : axes whose values are repeats of one design, such as seeds.
    repeats : the rows behind these, where these are means over repeats.
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

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.reasons)

    @property
    def failed(self) -> BoolArray:
        """(n,) whether a row failed."""
        return np.array([bool(r) for r in self.reasons])

    @property
    def varied(self) -> list[str]:
        """Names of the axes that have more than one value."""
        return [n for n, a in self.axes.items() if np.ptp(a.values) > 0]

    def column(self, name: str) -> Series:
        """Return a metric or an axis.

        Raises
        ------
        ConfigError
            There is none of that name; those there are are listed.
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
            There is none of that name; those there are are listed.
        """
        if name not in self.metrics:
            raise ConfigError(f"unknown metric '{name}'; the study has {', '.join(self.metrics)}")
        return self.metrics[name]


def cases_of(dataset: Dataset) -> Cases:
    """Return the rows of a study's table.

    Axes are the coordinates along dimensions of their own (a grid), or those that share the one
    dimension of a table of samples; the attribute `sampling` names the scheme of the latter,
    `ensemble` (JSON) the axes whose values are repeats.

    Raises
    ------
    SchemaError
        The table has no axis or no row, or an ensemble that is no axis.
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
        elastic=elastic_constants(axes, treads_of(dataset.attrs)),
        ensemble=ensemble,
    )


def _axis(column: DataArray) -> Series:
    quantity, layer = quantity_of(str(column.name), column.attrs)
    return replace(_series(column), quantity=quantity, layer=layer)


def _series(column: DataArray) -> Series:
    unit = str(column.attrs.get("units", "1"))
    taken = column.values.ravel()
    labels: tuple[str, ...] = ()
    if taken.dtype.kind not in "fiub":
        words = [str(w) for w in taken]
        labels = tuple(dict.fromkeys(words))  # as in the table
        taken = np.array([labels.index(w) for w in words])
    return Series(
        np.asarray(taken, dtype=float),
        "" if unit == "1" else unit,
        str(column.attrs.get("long_name", column.name)),
        bool(column.attrs.get("highlight", 0)),
        labels,
    )


def only(cases: Cases, texts: Sequence[str]) -> Cases:
    """Return the rows at which every named axis has (one of) its given value(s).

    Parameters
    ----------
    texts : ``AXIS=VALUE``; of several values of one axis all are kept.

    Raises
    ------
    ConfigError
        Not of this form, no such axis, or no row with that value (those there are are listed).
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
        raise ConfigError(f"--where '{text}': no row has this value; there are {told}")
    return np.asarray(found)
