"""E and nu of every row's materials: the layer at the tread of the row's sole, and the others.

They come from an axis of that layer, else an axis of all layers, else the material of the sole
before any axis acts, whose E an axis `stiffness_factor` multiplies.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.studies.choice.series import Series

QUANTITIES = {"young": "young_modulus", "poisson": "poisson_ratio"}


@dataclass(frozen=True, slots=True)
class Tread:
    """The layer at the tread of a sole, and the constants by `QUANTITIES` of it and the others."""

    layer: str
    material: Mapping[str, float]
    others: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Elastic:
    """E and nu of n rows.

    Parameters
    ----------
    young, poisson : (n,) [Pa] and [-]; NaN if unknown.
    axes : names of the axes that give them.
    layer : their layer if soles have several, else ''.
    others : the same of the layers above the tread, by name.
    """

    young: FloatArray
    poisson: FloatArray
    axes: tuple[str, ...] = ()
    layer: str = ""
    others: Mapping[str, Elastic] = field(default_factory=dict)

    def at(self, rows: Any) -> Elastic:
        """Return the constants of some rows only."""
        others = {name: layer.at(rows) for name, layer in self.others.items()}
        return replace(self, young=self.young[rows], poisson=self.poisson[rows], others=others)

    def common(self, first: IntArray, group: IntArray) -> Elastic:
        """Return one pair for every group of rows, from its row `first`; NaN where they differ."""

        def one(each: FloatArray) -> FloatArray:
            differs = np.bincount(group, weights=each != each[first][group]) > 0
            return np.where(differs, np.nan, each[first])

        others = {name: layer.common(first, group) for name, layer in self.others.items()}
        return replace(self, young=one(self.young), poisson=one(self.poisson), others=others)


def read_quantity(name: str, attributes: Mapping[str, Any]) -> tuple[str, str]:
    """Return (quantity, layer) of an axis; in older tables the name alone gives them."""
    if "quantity" in attributes:
        return str(attributes["quantity"]), str(attributes.get("layer", ""))
    quantity, _, layer = name.partition("_")
    return (quantity, layer) if quantity in QUANTITIES else (name, "")


def read_treads(attributes: Mapping[str, Any]) -> dict[str, Tread]:
    """Return the layer at the tread of every sole of a table, {} if unknown.

    Older tables describe one sole only, even if they have several; they count if they have one.
    """
    base = json.loads(attributes.get("base_materials", "{}"))
    told = attributes.get("reference_layer", "")
    if isinstance(base, list):
        layers = json.loads(attributes.get("layers", "[]"))
        if told not in layers or len(base) != len(layers) or "," in attributes.get("mesh", ""):
            return {}
        base, told = {"": dict(zip(layers, base, strict=True))}, json.dumps({"": told})
    treads = json.loads(told) if base else {}
    return {
        label: Tread(
            treads[label], m[treads[label]], {n: o for n, o in m.items() if n != treads[label]}
        )
        for label, m in base.items()
    }


def elastic_constants(
    axes: Mapping[str, Series], treads: Mapping[str, Tread] | None = None
) -> Elastic | None:
    """Return E and nu of every row; None if no row has both.

    With several soles, the text axis with their labels assigns a sole to every row.
    """
    size = len(next(iter(axes.values())).values)
    found = {name: np.full(size, np.nan) for name in QUANTITIES}
    factor = _factor(axes, size)
    used: list[str] = []
    for tread, rows in _rows_by_sole(axes, treads or {}, size):
        for name, key in QUANTITIES.items():
            giving = {a.layer: n for n, a in axes.items() if a.quantity == name}
            axis = giving.get(tread.layer, giving.get(""))
            if axis is not None:
                used.append(axis)
                found[name][rows] = axes[axis].values[rows]
            elif key in tread.material:
                found[name][rows] = tread.material[key] * factor[rows] ** (name == "young")
    if not np.isfinite(found["young"] + found["poisson"]).any():
        return None
    several = {t.layer: None for t in (treads or {}).values() if t.others}
    return Elastic(
        found["young"],
        found["poisson"],
        tuple(dict.fromkeys(used)),
        "/".join(several),
        _other_layers(axes, treads or {}, size),
    )


def _factor(axes: Mapping[str, Series], size: int) -> FloatArray:
    """Return the factor (n,) on every layer's own E."""
    giving = (a.values for a in axes.values() if a.quantity == "stiffness_factor")
    return next(giving, np.ones(size))


def _other_layers(
    axes: Mapping[str, Series], treads: Mapping[str, Tread], size: int
) -> dict[str, Elastic]:
    """Return E and nu of the layers above the tread; NaN in rows whose sole lacks the layer."""
    factor = _factor(axes, size)
    found = {name: Elastic(np.full(size, np.nan), np.full(size, np.nan))
             for t in treads.values() for name in t.others}  # fmt: skip
    common = {a.quantity: n for n, a in axes.items() if a.quantity in QUANTITIES and not a.layer}
    for tread, rows in _rows_by_sole(axes, treads, size):
        for layer, material in tread.others.items():
            given = [float(material.get(key, np.nan)) for key in QUANTITIES.values()]
            own = {a.quantity: n for n, a in axes.items() if a.layer == layer}
            into, factors = (found[layer].young, found[layer].poisson), (factor, np.ones(size))
            for name, value, values, times in zip(QUANTITIES, given, into, factors, strict=True):
                axis = own.get(name, common.get(name))
                values[rows] = value * times[rows] if axis is None else axes[axis].values[rows]
    return found


def _rows_by_sole(
    axes: Mapping[str, Series], treads: Mapping[str, Tread], size: int
) -> list[tuple[Tread, IntArray]]:
    if len(treads) <= 1:
        return [(next(iter(treads.values()), Tread("", {})), np.arange(size))]
    for axis in axes.values():
        if axis.labels and set(axis.labels) <= set(treads):
            return [
                (treads[word], np.flatnonzero(axis.values == k))
                for k, word in enumerate(axis.labels)
            ]
    return [(Tread("", {}), np.arange(size))]
