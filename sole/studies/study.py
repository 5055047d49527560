"""A study: axes over materials and geometry, as TOML or from the command line.

    schema = "sole.study/1"
    mesh = "pad.msh"                  # or a shape; relative to this file
    rows = ["stiffness"]              # kinds of rows (entry-point group `sole.rows`)

    [[axis]]
    quantity = "young"                # young [Pa], poisson [-], thickness [m], friction [-]
    range = [1e5, 1e8]
    number = 100                      # spacing = "log" where E spans a decade, else "lin"

    [[axis]]
    quantity = "poisson"
    layer = "tread"                   # this layer only; without: all layers
    values = [0.3, 0.4, 0.49]

    [options.stiffness]               # what the rows want to know
    mass = 57.0
    com_height = 0.8

What an axis without a layer means for a sole of several layers: `young` scales the E of all
layers together; its value is the E of the layer at the tread (the reference layer) and the
others keep the ratios that the mesh's or the study's materials give them (all equal where no
layer has a material). `poisson` gives all layers the same nu. `thickness` stretches the mesh.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sole.config import STRICT, load
from sole.errors import ConfigError

SCHEMA = "sole.study/1"
MOST_CASES = 50_000_000


@dataclass(frozen=True, slots=True)
class Quantity:
    """What an axis can vary: unit, title, whether layers differ in it, the valid range."""

    unit: str
    title: str
    by_layer: bool
    low: float
    high: float
    open_ends: tuple[bool, bool]

    def refuse(self, value: float) -> str:
        """Return why `value` is out of range, '' if it is not."""
        below = value <= self.low if self.open_ends[0] else value < self.low
        above = value >= self.high if self.open_ends[1] else value > self.high
        if not (below or above or not math.isfinite(value)):
            return ""
        ends = ("(" if self.open_ends[0] else "[", ")" if self.open_ends[1] else "]")
        return f"{self.title} must lie in {ends[0]}{self.low:g}, {self.high:g}{ends[1]}"


QUANTITIES = {
    "young": Quantity("Pa", "Young's modulus", True, 0.0, math.inf, (True, True)),
    "poisson": Quantity("", "Poisson's ratio", True, -1.0, 0.5, (True, True)),
    "thickness": Quantity("m", "thickness", False, 0.0, math.inf, (True, True)),
    "friction": Quantity("", "friction coefficient", False, 0.0, math.inf, (False, True)),
}


@dataclass(frozen=True, kw_only=True)
class Axis:
    """One axis of a study: a quantity, of one layer or of all, and its values (increasing).

    Give either `values`, or `range` and `number` (and `spacing`, "lin" or "log").

    Raises
    ------
    ConfigError
        An unknown quantity, a value out of range, values that do not increase.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    quantity: str
    layer: str = ""
    values: tuple[float, ...] = ()
    range: tuple[float, float] | None = None
    number: int | None = None
    spacing: str = ""

    def __post_init__(self) -> None:
        what = QUANTITIES.get(self.quantity)
        if what is None:
            raise ConfigError(
                f"unknown quantity '{self.quantity}'; known are {', '.join(QUANTITIES)}"
            )
        if self.layer and not what.by_layer:
            raise ConfigError(f"{self.quantity} belongs to the sole, not to layer '{self.layer}'")
        if self.spacing not in ("", "lin", "log"):
            raise ConfigError(f"spacing is 'lin' or 'log', got '{self.spacing}'")
        if bool(self.values) == (self.range is not None):
            raise ConfigError(f"axis {self.name}: give either values, or range and number")
        if self.range is not None:
            self._spread(*self.range)
        elif self.number is not None or self.spacing:
            raise ConfigError(f"axis {self.name}: number and spacing go with range, not values")
        object.__setattr__(self, "values", tuple(float(v) for v in self.values))
        for value in self.values:
            wrong = what.refuse(value)
            if wrong:
                raise ConfigError(f"axis {self.name}: {wrong}, got {value:g}")
        if any(b <= a for a, b in zip(self.values, self.values[1:], strict=False)):
            raise ConfigError(f"axis {self.name}: values must increase")

    def _spread(self, low: float, high: float) -> None:
        if self.number is None or not 2 <= self.number <= MOST_CASES:
            raise ConfigError(f"axis {self.name}: a range needs a number >= 2, got {self.number}")
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ConfigError(f"axis {self.name}: a range is LO < HI, got {low:g} to {high:g}")
        log = self.spacing == "log" or (
            not self.spacing and self.quantity == "young" and low > 0 and high >= 10 * low
        )
        if log and low <= 0:
            raise ConfigError(f"axis {self.name}: logarithmic spacing needs LO > 0, got {low:g}")
        values = (np.geomspace if log else np.linspace)(low, high, self.number)
        object.__setattr__(self, "values", tuple(values.tolist()))

    @property
    def name(self) -> str:
        """Name of the table's dimension: `young`, or `young_LAYER`."""
        return f"{self.quantity}_{self.layer}" if self.layer else self.quantity

    @property
    def unit(self) -> str:
        """Unit of the values, '' if none."""
        return QUANTITIES[self.quantity].unit

    @property
    def title(self) -> str:
        """What to write beside a plot's axis, without the unit."""
        title = QUANTITIES[self.quantity].title
        return f"{title} of layer {self.layer}" if self.layer else title


@dataclass(frozen=True, kw_only=True)
class LayerMaterial:
    """A material of one layer in a study."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    young_modulus: float | None = None
    poisson_ratio: float | None = None
    density: float | None = None


@dataclass(frozen=True, kw_only=True)
class Study:
    """What to vary on which sole, and what to work out.

    Parameters
    ----------
    axis : the axes; the first varies slowest in the table.
    mesh : mesh or shape file; "" where the sole is given otherwise.
    unit : "mm" or "m" for a mesh file without one.
    element : "p1", "p2" or "ccr".
    rows : kinds of rows, entry points of `sole.rows`.
    tolerance : relative Frobenius error allowed to the interpolated compliance.
    density : of layers whose density nothing else gives [kg/m^3].
    layers : materials of layers by name; they win over those of the mesh.
    options : tables of options by kind of row.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    axis: tuple[Axis, ...]
    mesh: str = ""
    unit: str | None = None
    element: str = "p2"
    rows: tuple[str, ...] = ("stiffness",)
    tolerance: float = 1e-8
    density: float | None = None
    layers: Mapping[str, LayerMaterial] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.axis:
            raise ConfigError("a study needs at least one axis, such as --young 1e5:1e8:100")
        names = [a.name for a in self.axis]
        if len(set(names)) < len(names):
            raise ConfigError(f"axis {max(names, key=names.count)} is given twice")
        for quantity in ("young", "poisson"):
            of_layers = [a for a in self.axis if a.quantity == quantity and a.layer]
            if of_layers and quantity in names:
                raise ConfigError(
                    f"{quantity} is varied for all layers and for '{of_layers[0].layer}': give "
                    "one or the other; the other layers' materials come from the mesh or from "
                    "--material LAYER=E,nu"
                )
        if not 1e-14 <= self.tolerance <= 1e-2:
            raise ConfigError(f"tolerance must lie in [1e-14, 1e-2], got {self.tolerance:g}")
        if not self.rows:
            raise ConfigError("a study needs at least one kind of rows, such as 'stiffness'")
        for kind in self.options:
            if kind not in self.rows:
                raise ConfigError(f"options for '{kind}', but rows are {', '.join(self.rows)}")
        if math.prod(len(a.values) for a in self.axis) > MOST_CASES:
            raise ConfigError(f"more than {MOST_CASES} cases; take fewer values per axis")

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Number of values along every axis."""
        return tuple(len(a.values) for a in self.axis)

    @property
    def size(self) -> int:
        """Number of cases."""
        return math.prod(self.shape)

    def settings(self, index: int) -> dict[str, float]:
        """Return the value of every axis at place `index` of the table (last axis fastest)."""
        settings = {}
        for axis in reversed(self.axis):
            index, k = divmod(index, len(axis.values))
            settings[axis.name] = axis.values[k]
        return {a.name: settings[a.name] for a in self.axis}


def load_study(path: Path) -> Study:
    """Read a study; the mesh's path comes back relative to the working folder.

    Raises
    ------
    ConfigError
        Not a study, an unknown key, a value out of range; ``file: key: reason``.
    """
    from dataclasses import replace

    path = Path(path)
    study = load(path, Study, SCHEMA)
    if not study.mesh:
        raise ConfigError(f"{path}: mesh: name the mesh or the shape that is studied")
    return replace(study, mesh=str(path.parent / study.mesh))


def parse_axis(quantity: str, text: str) -> Axis:
    """Read ``[LAYER=]LO:HI:N[:lin|log]``, ``[LAYER=]A,B,C`` or ``[LAYER=]A``.

    Raises
    ------
    ConfigError
        Not of this form, or out of range; the message repeats the text.
    """
    layer, equals, rest = text.rpartition("=")
    option = f"--{quantity} {text}"
    parts = rest.split(":")
    try:
        if len(parts) == 1:
            values = tuple(sorted({float(v) for v in rest.split(",")}))
            return Axis(quantity=quantity, layer=layer.strip(), values=values)
        if len(parts) not in (3, 4) or (equals and not layer.strip()):
            raise ValueError
        low, high, number = float(parts[0]), float(parts[1]), int(parts[2])
    except ConfigError as error:
        raise ConfigError(f"{option}: {error}") from error
    except ValueError as error:
        raise ConfigError(
            f"{option}: expected LO:HI:N, LO:HI:N:log, a list A,B,C or one value, with LAYER= in "
            "front for one layer"
        ) from error
    try:
        return Axis(
            quantity=quantity,
            layer=layer.strip(),
            range=(low, high),
            number=number,
            spacing=parts[3] if len(parts) == 4 else "",
        )
    except ConfigError as error:
        raise ConfigError(f"{option}: {error}") from error


def axes_from_options(options: Mapping[str, Sequence[str]]) -> tuple[Axis, ...]:
    """Return the axes of `{quantity: texts}` in their order."""
    return tuple(parse_axis(q, text) for q, texts in options.items() for text in texts)
