"""The rows of a study as plain columns: what every question of the choice is asked of.

A grid and a list of samples look alike from here: one value of every axis and of every metric
per row. Only `shape` remembers that the rows fill a grid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sole.arrays import BoolArray, FloatArray
from sole.errors import ConfigError, SchemaError

if TYPE_CHECKING:
    from xarray import DataArray, Dataset

SCHEMES = {"grid": "a full grid", "list": "a list of cases", "lhs": "a Latin hypercube"} | {
    "sobol": "a Sobol' sequence",
    "saltelli": "Saltelli's design",
}


@dataclass(frozen=True, eq=False)
class Series:
    """One column: (n,) values, unit ('' if none), what it is in words, whether pictures show it."""

    values: FloatArray
    unit: str = ""
    title: str = ""
    highlight: bool = False


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
    fixed : values of E and nu that no axis varies, by the names `young` and `poisson`.
    """

    axes: Mapping[str, Series]
    metrics: Mapping[str, Series]
    reasons: tuple[str, ...]
    shape: tuple[int, ...] = ()
    sampling: str = "grid"
    title: str = "study"
    fixed: Mapping[str, float] | None = None

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
    dimension of a table of samples; the attribute `sampling` names the scheme of the latter.

    Raises
    ------
    SchemaError
        The table has no axis or no row.
    """
    import json

    dims = tuple(map(str, dataset["status"].dims))
    order = dataset.transpose(*dims)
    spread = [str(n) for n, c in order.coords.items() if str(n) not in dims and c.dims == dims]
    spread = [n for n in spread if order[n].dtype.kind in "fiu"]
    if spread:
        axes = {n: _series(order[n]) for n in spread}
        shape: tuple[int, ...] = ()
    else:
        grids = np.meshgrid(*(order[d].values for d in dims), indexing="ij")
        axes = {d: _series(order[d], g) for d, g in zip(dims, grids, strict=True)}
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
    base = json.loads(dataset.attrs.get("base_materials", "[]"))
    layers = json.loads(dataset.attrs.get("layers", "[]"))
    tread = dataset.attrs.get("reference_layer")
    fixed = {}
    if tread in layers and len(base) == len(layers):
        own = base[layers.index(tread)]
        fixed = {"young": own["young_modulus"], "poisson": own["poisson_ratio"]}
    return Cases(
        axes=axes,
        metrics=metrics,
        reasons=reasons,
        shape=shape,
        sampling=str(dataset.attrs.get("sampling", "grid" if shape else "list")),
        title=str(dataset.attrs.get("title", "study")),
        fixed=fixed,
    )


def averaged(cases: Cases, name: str) -> Cases:
    """Return one row for all values of the axis `name`, such as seeds: the mean of every metric.

    A row fails if one of those it stands for failed, and takes the first one's reason.

    Raises
    ------
    ConfigError
        There is no such axis, or no other.
    """
    others = [n for n in cases.axes if n != name]
    if name not in cases.axes or not others:
        raise ConfigError(
            f"cannot take the mean over '{name}': the study's axes are {', '.join(cases.axes)}, "
            "and one must be left"
        )
    keys = np.column_stack([cases.axes[n].values for n in others])
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)  # as in the table, not sorted by value
    group = np.argsort(order)[group.reshape(-1)]
    count = np.bincount(group)
    reasons = [""] * len(first)
    for k, reason in zip(group, cases.reasons, strict=True):
        reasons[k] = reasons[k] or reason
    place = list(cases.axes).index(name)
    return replace(
        cases,
        axes={n: replace(cases.axes[n], values=cases.axes[n].values[first[order]]) for n in others},
        metrics={
            n: replace(m, values=np.bincount(group, weights=m.values) / count)
            for n, m in cases.metrics.items()
        },
        reasons=tuple(reasons),
        shape=tuple(s for i, s in enumerate(cases.shape) if i != place),
        title=f"{cases.title}, mean over {name}",
        fixed={n: v for n, v in (cases.fixed or {}).items() if not name.startswith(n)},
    )


def _series(column: DataArray, values: FloatArray | None = None) -> Series:
    unit = str(column.attrs.get("units", "1"))
    taken = column.values if values is None else values
    return Series(
        np.asarray(taken, dtype=float).ravel(),
        "" if unit == "1" else unit,
        str(column.attrs.get("long_name", column.name)),
        bool(column.attrs.get("highlight", 0)),
    )
