"""Parts of a shape: outlines, pads, tread blocks, raised ends, layers. Lengths in metres."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sole.base.config import STRICT
from sole.base.errors import MaterialError, ShapeError
from sole.base.units import Densities, Metres, Pascals
from sole.laws import AnyMaterial, hyperelastic_material
from sole.material import Material
from sole.shape.outline import Outline, rectangle, trapezium

MOST_BLOCKS = 10_000


@dataclass(frozen=True, kw_only=True)
class Rectangle:
    """Rectangular pad, its corners rounded by `corner_radius`."""

    __pydantic_config__ = STRICT
    length: Metres
    width: Metres
    corner_radius: Metres = 0.0

    def __post_init__(self) -> None:
        check_lengths(length=self.length, width=self.width)

    def outline(self) -> Outline:
        """Return the curve, centred."""
        r = self.corner_radius
        return rectangle(self.length, self.width, (r, r, r, r))


@dataclass(frozen=True, kw_only=True)
class Foot:
    """Foot outline with its own radius at heel and toe; `heel_width` narrows the heel.

    Length and widths hold before rounding: a tapered foot is widest at the toe's corners, so
    rounding them narrows it by some millimetres.
    """

    __pydantic_config__ = STRICT
    length: Metres
    width: Metres
    heel_radius: Metres
    toe_radius: Metres
    heel_width: Metres = 0.0  # 0: as wide as the toe

    def __post_init__(self) -> None:
        check_lengths(length=self.length, width=self.width)
        if not 0 <= self.heel_width <= self.width:
            raise ShapeError(
                f"heel_width must lie between 0 (as wide as the toe) and the width "
                f"{self.width:g} m, got {self.heel_width:g} m"
            )

    def outline(self) -> Outline:
        """Return the curve, centred."""
        heel, toe = self.heel_radius, self.toe_radius
        heel_width = self.heel_width or self.width
        return trapezium(self.length, heel_width, self.width, (heel, toe, toe, heel))


@dataclass(frozen=True, kw_only=True)
class Polygon:
    """Free outline through `points` ((x, y), either sense) with one radius at all corners."""

    __pydantic_config__ = STRICT
    points: tuple[tuple[Metres, Metres], ...]
    corner_radius: Metres = 0.0

    def outline(self) -> Outline:
        """Return the curve at its given position."""
        points = np.array(self.points, dtype=float).reshape(-1, 2)
        return Outline(points, np.full(len(points), self.corner_radius))


@dataclass(frozen=True, kw_only=True)
class Pad(Rectangle):
    """One of several separate rectangular pads, centred at (x, y)."""

    x: float
    y: float

    def outline(self) -> Outline:
        """Return the curve at the pad's position."""
        return super().outline().shifted(self.x, self.y)


@dataclass(frozen=True, kw_only=True)
class Blocks:
    """Tread blocks: `columns` along x times `rows` along y, separated by gaps of equal width.

    One row makes grooves across the foot, one column makes grooves along it. The gaps are
    `height` deep; their ceilings are not part of the tread.
    """

    __pydantic_config__ = STRICT
    columns: int = 1
    rows: int = 1
    gap: Metres
    height: Metres

    def __post_init__(self) -> None:
        check_lengths(gap=self.gap, height=self.height)
        if self.columns < 1 or self.rows < 1 or self.columns * self.rows < 2:
            raise ShapeError(
                f"tread blocks need at least two columns or two rows, got {self.columns} x "
                f"{self.rows}"
            )
        if self.columns * self.rows > MOST_BLOCKS:
            raise ShapeError(
                f"at most {MOST_BLOCKS} tread blocks, got {self.columns} x {self.rows}"
            )


@dataclass(frozen=True, kw_only=True)
class End:
    """The rise of the tread towards the toe or the heel: `height` over the last `length`.

    A ``chamfer`` rises straight; a ``rocker`` follows the circle tangent to the tread, with
    radius R = (length^2 + height^2)/(2 height), and needs height <= length.
    """

    __pydantic_config__ = STRICT
    kind: Literal["chamfer", "rocker"]
    length: Metres
    height: Metres

    def __post_init__(self) -> None:
        check_lengths(length=self.length, height=self.height)
        if self.kind == "rocker" and self.height > self.length:
            raise ShapeError(
                f"a rocker must not be higher than it is long, got {self.height:g} m over "
                f"{self.length:g} m"
            )

    @property
    def radius(self) -> float:
        """Radius of the rocker's circle [m]."""
        return (self.length**2 + self.height**2) / (2 * self.height)


@dataclass(frozen=True, kw_only=True)
class Chamfer:
    """A chamfer all round: the edge of the tread is cut off `length` inwards and `height` upwards.

    A rounded corner of the outline needs a radius of more than `length`, or none.
    """

    __pydantic_config__ = STRICT
    length: Metres
    height: Metres

    def __post_init__(self) -> None:
        check_lengths(length=self.length, height=self.height)


@dataclass(frozen=True, kw_only=True)
class Layer:
    """One layer of the stack; it has a material if it gives both constants, or a law with terms.

    Parameters
    ----------
    name, thickness : of the layer [m].
    young_modulus, poisson_ratio : E [Pa] and nu, of a linear material or of `law` "neo-hooke".
    density : rho [kg/m^3].
    law : "neo-hooke", "ogden" (`mu`, `alpha`, `kappa`) or "hyperfoam" (`mu`, `alpha`, `nu`), with
        the terms of `sole.laws`; None for a linear material.
    mu, alpha, nu : one value a term [Pa, -, -].
    kappa : bulk modulus [Pa].
    """

    __pydantic_config__ = STRICT
    name: str
    thickness: Metres
    young_modulus: Pascals | None = None
    poisson_ratio: float | None = None
    density: Densities = 1100.0
    law: Literal["neo-hooke", "ogden", "hyperfoam"] | None = None
    mu: tuple[Pascals, ...] | None = None
    alpha: tuple[float, ...] | None = None
    nu: tuple[float, ...] | None = None
    kappa: Pascals | None = None

    def __post_init__(self) -> None:
        if not self.name or not self.name.isprintable() or '"' in self.name or "=" in self.name:
            raise ShapeError(f'a layer needs a printable name without " and =, got {self.name!r}')
        check_lengths(thickness=self.thickness)
        terms = (self.mu, self.alpha, self.nu, self.kappa)
        if self.law is None and any(term is not None for term in terms):
            raise ShapeError(
                f"layer '{self.name}': mu, alpha, nu and kappa are terms of a law: give it, "
                'law = "neo-hooke", "ogden" or "hyperfoam"'
            )
        if (self.young_modulus is None) != (self.poisson_ratio is None):
            raise ShapeError(
                f"layer '{self.name}': give both young_modulus and poisson_ratio, or neither"
            )
        if self.material is None and self.density != 1100.0:
            raise ShapeError(f"layer '{self.name}': a density needs young_modulus, poisson_ratio")

    @property
    def material(self) -> AnyMaterial | None:
        """The layer's material, None if the shape gives none."""
        if self.law is not None:
            names = ("young_modulus", "poisson_ratio", "mu", "alpha", "nu", "kappa")
            try:
                return hyperelastic_material(
                    self.law, {name: getattr(self, name) for name in names}, self.density
                )
            except MaterialError as error:
                raise MaterialError(f"layer '{self.name}': {error}") from error
        if self.young_modulus is None or self.poisson_ratio is None:
            return None
        return Material(
            young_modulus=self.young_modulus,
            poisson_ratio=self.poisson_ratio,
            density=self.density,
        )


def check_lengths(**lengths: float) -> None:
    """Raise ShapeError with the name of a length [m] that is not positive and finite."""
    for name, value in lengths.items():
        if not (math.isfinite(value) and value > 0):
            raise ShapeError(f"{name} must be positive and finite, got {value:g} m")
