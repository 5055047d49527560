"""A study: axes over soles, materials and quantities of rows, from TOML or the command line.

    schema = "sole.study/2"
    mesh = "pad.msh"                  # or a shape; relative to this file
    rows = ["stiffness"]              # kinds of rows (entry-point group `sole.rows`)

    [[axis]]
    quantity = "young"                # or stiffness_factor, poisson, thickness [m], shape (files)
    range = [1e5, 1e8]
    number = 100                      # spacing = "log" where E spans a decade, else "lin"

    [[axis]]
    quantity = "poisson"
    layer = "tread"                   # this layer only; without: all layers
    values = [0.3, 0.4, 0.49]

    [options.stiffness]               # options of the rows
    mass = 57.0
    com_height = 0.8

    [sampling]                        # without it: the full grid
    scheme = "lhs"                    # grid, list, lhs, sobol, saltelli
    number = 64

An axis without a layer acts on a sole of several layers as follows. `young` and `poisson` give all
layers the same E and nu. `stiffness_factor` multiplies every layer's own E. `thickness` stretches
the whole mesh; with a layer, that flat layer alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sole.base.arrays import FloatArray, frozen
from sole.base.config import STRICT, load, read_toml
from sole.base.errors import ConfigError
from sole.base.units import Densities, Pascals
from sole.studies.axis import MOST_VALUES, SOLE_QUANTITIES, Axis, Setting
from sole.studies.sampling import Sampling

SCHEMA = "sole.study/2"
FORMER = "sole.study/1"  # differs for soles of several layers alone: `young` scaled them


@dataclass(frozen=True, kw_only=True)
class LayerMaterial:
    """A material of one layer in a study."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    young_modulus: Pascals | None = None
    poisson_ratio: float | None = None
    density: Densities | None = None


@dataclass(frozen=True, kw_only=True)
class Study:
    """The axes, the sole and the kinds of rows of a study.

    Parameters
    ----------
    axis : the axes; the first varies slowest in the table.
    sampling : the combinations of their values that are cases.
    mesh : mesh or shape file; "" if the sole is given otherwise.
    unit : "mm" or "m" for a mesh file that states none.
    element : "p1", "p2" or "ccr"; None: the element of the rows' own sole, else "p2".
    rows : kinds of rows, entry points of `sole.rows`.
    tolerance : allowed relative Frobenius error of the interpolated compliance.
    density : default density of layers [kg/m^3].
    layers : materials of layers by name; they take precedence over the mesh's.
    options : tables of options by kind of row.
    former : read from a file of schema sole.study/1, where `young` scaled the layers of a sole.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    axis: tuple[Axis, ...]
    sampling: Sampling = field(default_factory=Sampling)
    mesh: str = ""
    unit: str | None = None
    element: str | None = None
    rows: tuple[str, ...] = ("stiffness",)
    tolerance: float = 1e-8
    density: Densities | None = None
    layers: Mapping[str, LayerMaterial] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    former: bool = False

    def __post_init__(self) -> None:
        if not self.axis:
            raise ConfigError("a study needs at least one axis, such as --young 1e5:1e8:100")
        self._check_axes()
        self._check_values()
        if not 1e-14 <= self.tolerance <= 1e-2:
            raise ConfigError(f"tolerance must lie in [1e-14, 1e-2], got {self.tolerance:g}")
        if not self.rows:
            raise ConfigError("a study needs at least one kind of rows, such as 'stiffness'")
        for kind in self.options:
            if kind not in self.rows:
                raise ConfigError(f"options for '{kind}', but rows are {', '.join(self.rows)}")
        if self.size > MOST_VALUES:
            raise ConfigError(f"more than {MOST_VALUES} cases; take fewer values per axis")

    def _check_axes(self) -> None:
        keys = [a.key for a in self.axis]
        names = [a.name for a in self.axis]
        for known in (keys, names):
            if len(set(known)) < len(known):
                raise ConfigError(f"axis {max(known, key=known.count)} is given twice")
        for quantity in (q for q, what in SOLE_QUANTITIES.items() if what.by_layer):
            of_layers = [a for a in self.axis if a.quantity == quantity and a.layer]
            if of_layers and quantity in keys:
                raise ConfigError(
                    f"{quantity} is varied for all layers and for '{of_layers[0].layer}': give "
                    "one or the other; the other layers' materials come from the mesh or from "
                    "--material LAYER=E,nu"
                )
        if any(a.quantity == "young" for a in self.axis) and "stiffness_factor" in keys:
            raise ConfigError("young and stiffness_factor both set E: give one of them")
        if self.mesh and "shape" in keys:
            raise ConfigError("the axis shape gives the soles: leave mesh out")

    def _check_values(self) -> None:
        scheme = self.sampling.scheme
        for axis in self.axis:
            if self._samples(axis):
                if axis.number is not None:
                    raise ConfigError(
                        f"axis {axis.name}: a sampled axis has no number: leave it out and set it "
                        "in [sampling]"
                    )
            elif not axis.values:
                raise ConfigError(f"axis {axis.name}: a range needs 2 or more values: add number")
            values = axis.values
            if scheme == "list" or not values:
                continue
            if axis.numeric and sorted(map(float, values)) != list(values):
                raise ConfigError(f"axis {axis.name}: values must increase")
            if len(set(values)) < len(values):
                raise ConfigError(f"axis {axis.name}: a value is given twice")
        lengths = {a.name: len(a.values) for a in self.axis if not self._repeats(a)}
        if scheme == "list" and len(set(lengths.values())) > 1:
            said = ", ".join(f"{n} {k}" for n, k in lengths.items())
            raise ConfigError(
                f"the axes of a list need equally many values, got {said}: repeat a constant value"
            )
        if not lengths:
            raise ConfigError("a study needs an axis that is not an ensemble")

    def _repeats(self, axis: Axis) -> bool:
        """Return whether every design of the list or samples runs at all values of `axis`."""
        return axis.ensemble and self.sampling.scheme != "grid"

    def _samples(self, axis: Axis) -> bool:
        return self.sampling.sampled and not self._repeats(axis)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Number of values along every axis of a grid; () for anything else."""
        return tuple(len(a.values) for a in self.axis) if self.sampling.scheme == "grid" else ()

    @property
    def ensemble(self) -> tuple[str, ...]:
        """Names of the axes whose values are repeats of one design."""
        return tuple(a.name for a in self.axis if a.ensemble)

    @cached_property
    def _crossed(self) -> tuple[int, ...]:
        """Indices of the axes that run through all their values, the fastest first."""
        axes = reversed(list(enumerate(self.axis)))
        return tuple(k for k, a in axes if self.shape or self._repeats(a))

    @cached_property
    def _designed(self) -> tuple[int, ...]:
        """Indices of the axes whose values come from a line of the list or a sample."""
        return tuple(k for k in range(len(self.axis)) if k not in self._crossed)

    @cached_property
    def points(self) -> FloatArray:
        """Samples (n, sampled axes) in the unit cube; (0, 0) without sampling."""
        if not self.sampling.sampled:
            return frozen(np.zeros((0, 0)))
        return frozen(self.sampling.points(len(self._designed)))

    @cached_property
    def size(self) -> int:
        """Number of cases."""
        count = math.prod(len(self.axis[k].values) for k in self._crossed)
        if self.sampling.sampled:
            count *= self.sampling.count(len(self._designed))
        elif self._designed:
            count *= len(self.axis[self._designed[0]].values)
        return count

    def _row(self, index: int) -> list[Setting]:
        """Return the value of every axis at place `index` of the table (last axis fastest)."""
        row: list[Setting] = [0.0] * len(self.axis)
        for k in self._crossed:
            values = self.axis[k].values
            index, j = divmod(index, len(values))
            row[k] = values[j]
        for d, k in enumerate(self._designed):
            axis = self.axis[k]
            sampled = self.sampling.sampled
            row[k] = axis.at(float(self.points[index, d])) if sampled else axis.values[index]
        return row

    def settings(self, index: int) -> dict[str, Setting]:
        """Return the values at place `index` of the table by quantity key."""
        return dict(zip((a.key for a in self.axis), self._row(index), strict=True))

    def named(self, index: int) -> dict[str, Setting]:
        """Return the values at place `index` of the table by axis name."""
        return dict(zip((a.name for a in self.axis), self._row(index), strict=True))


def load_study(path: Path) -> Study:
    """Read a study; paths of soles come back relative to the working folder.

    Raises
    ------
    ConfigError
        Not a study, an unknown key, a value out of range; ``file: key: reason``.
    """
    path = Path(path)
    former = read_toml(path).get("schema") == FORMER
    study = replace(load(path, Study, FORMER if former else SCHEMA), former=former)
    return replace(study, mesh=str(path.parent / study.mesh) if study.mesh else "")
