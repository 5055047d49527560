"""Real sole materials: E, nu and density with their sources, and the nearest to given values.

Values come from a source with their range; missing ones follow from published relations:

- hardness (rubbers): Gent [Gent1958]_, E in MPa of Shore A (about IRHD) hardness S,

      E = 0.0981 (56 + 7.62336 S) / (0.137505 (254 - 2.54 S)),

  for S from 40 to about 80 (below 40 it deviates from measurements); Ruess [Larson2016]_,
  log10 E = 0.0235 S - 0.6403 for 20 < S < 80, is up to twice as stiff: it is the upper end.
- bulk modulus K (rubbers): nu = 1/2 - E / (6 K).
- shear modulus G (a foam): E = 2 G (1 + nu).
- density (foams) [GibsonAshby1997]_, with r = density / density of the solid:
  E = E_solid r^2 if all material is in the cell edges [RobertsGarboczi2001]_. nu is about 1/3 at
  small strain for any density; it drops towards 0 when the cells buckle.

In the distance between (E, nu) and a material, a factor of two in E equals 0.1 in nu.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import hypot, log2, sqrt
from pathlib import Path
from typing import Any, ClassVar

from sole.base.config import STRICT, load
from sole.base.errors import MaterialError

SCHEMA = "sole.materials/1"
SHORE_RANGE = (40.0, 80.0)
RUBBER_BULK = (1.0e9, 2.66e9)  # [Pa], 30 to 75 IRHD, and twice that [Lindley1978]_
FOAM_POISSON = 1 / 3
POISSON_STEP = 0.1  # equals a factor of two in E

PUBLISHED = "published"
FROM_HARDNESS = "computed from hardness"
FROM_DENSITY = "computed from density"
FROM_SHEAR = "computed from shear modulus"

Range = tuple[float, float]


def shore_young(shore_a: float) -> float:
    """Return E [Pa] of a rubber of Shore A hardness, after Gent.

    Raises
    ------
    MaterialError
        Outside 40 to 80, the range of the relation.
    """
    if not SHORE_RANGE[0] <= shore_a <= SHORE_RANGE[1]:
        raise MaterialError(f"Gent's relation holds for Shore A 40 to 80, got {shore_a:g}")
    return 1e6 * 0.0981 * (56 + 7.62336 * shore_a) / (0.137505 * (254 - 2.54 * shore_a))


def shore_young_upper(shore_a: float) -> float:
    """Return E [Pa] of a rubber of Shore A hardness, after Ruess."""
    return float(1e6 * 10 ** (0.0235 * shore_a - 0.6403))


def bulk_poisson(young: float, bulk: float) -> float:
    """Return nu = 1/2 - E / (6 K) from E [Pa] and the bulk modulus K [Pa]."""
    return 0.5 - young / (6 * bulk)


def foam_young(solid: float, relative: Range) -> Range:
    """Return the least and greatest E [Pa] of a foam whose cell edges carry the load.

    Parameters
    ----------
    solid : E of the solid [Pa].
    relative : range of the density relative to the solid's.
    """
    return solid * relative[0] ** 2, solid * relative[1] ** 2


@dataclass(frozen=True, kw_only=True)
class SoleMaterial:
    """A material with ranges; `young` and `poisson` are its nominal values.

    Parameters
    ----------
    young, young_range : E [Pa]; if a source gives a range only, `young` is its geometric mean.
    poisson, poisson_range : nu.
    density_range : [kg/m^3]; None if no source gives it.
    origin : of E: `PUBLISHED`, `FROM_HARDNESS`, `FROM_SHEAR` or `FROM_DENSITY`.
    source : works by author and year, as in docs/references.md.
    checked : which values were compared with which, and which were not.
    """

    name: str
    family: str
    young: float
    young_range: Range
    poisson: float
    poisson_range: Range
    density_range: Range | None
    origin: str
    source: str
    checked: str

    def distance(self, young: float, poisson: float) -> float:
        """Return the distance of (E, nu) from the ranges in factors of two in E; 0 inside."""
        low, high = self.young_range
        stretch = max(log2(low / young), log2(young / high), 0.0)
        nu_low, nu_high = self.poisson_range
        return hypot(stretch, max(nu_low - poisson, poisson - nu_high, 0.0) / POISSON_STEP)

    def apart(self, young: float, poisson: float) -> tuple[float, float]:
        """Return (factor, difference) of E and nu from the ranges, (1, 0) inside; signs count.

        E is `factor` times the nearer end of its range, nu lies `difference` above that of its own.
        """
        low, high = self.young_range
        nu_low, nu_high = self.poisson_range
        factor = young / min(max(young, low), high)
        return factor, poisson - min(max(poisson, nu_low), nu_high)

    def distance_to_middle(self, young: float, poisson: float) -> float:
        """Return the same distance from the nominal values."""
        return hypot(log2(self.young / young), (self.poisson - poisson) / POISSON_STEP)


@dataclass(frozen=True, kw_only=True)
class _Rubber:
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    shore_a: tuple[float, ...]
    density: Range
    source: str
    checked: str


@dataclass(frozen=True, kw_only=True)
class _Published:
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    name: str
    family: str
    young: Range
    bulk: Range
    density: Range
    source: str
    checked: str


@dataclass(frozen=True, kw_only=True)
class _Measured:
    """Either a range of E or the initial G."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    name: str
    family: str
    poisson: Range
    source: str
    checked: str
    young: Range | None = None
    shear: float | None = None
    density: Range | None = None


@dataclass(frozen=True, kw_only=True)
class _Foam:
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    name: str
    family: str
    density: Range
    solid_young: float
    solid_density: float
    source: str
    checked: str


@dataclass(frozen=True, kw_only=True)
class _Table:
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    rubber: tuple[_Rubber, ...]
    published: tuple[_Published, ...]
    measured: tuple[_Measured, ...]
    foam: tuple[_Foam, ...]


@cache
def sole_materials() -> tuple[SoleMaterial, ...]:
    """Return the materials of `materials.toml`, softest first."""
    table = load(Path(__file__).with_name("materials.toml"), _Table, SCHEMA)
    found = [_by_hardness(r, s) for r in table.rubber for s in r.shore_a]
    found += [_by_table(p) for p in table.published]
    found += [_by_measurement(m) for m in table.measured]
    found += [_by_density(f) for f in table.foam]
    return tuple(sorted(found, key=lambda m: m.young))


def _by_hardness(rubber: _Rubber, shore_a: float) -> SoleMaterial:
    E, upper = shore_young(shore_a), shore_young_upper(shore_a)
    nu = bulk_poisson(upper, RUBBER_BULK[0]), bulk_poisson(E, RUBBER_BULK[1])
    return SoleMaterial(
        name=f"Shore A {shore_a:g} rubber",
        family="rubber",
        young=E,
        young_range=(E, upper),
        poisson=bulk_poisson(E, RUBBER_BULK[0]),
        poisson_range=nu,
        density_range=rubber.density,
        origin=FROM_HARDNESS,
        source=rubber.source,
        checked=rubber.checked,
    )


def _by_table(entry: _Published) -> SoleMaterial:
    low, high = entry.young
    return SoleMaterial(
        name=entry.name,
        family=entry.family,
        young=sqrt(low * high),
        young_range=entry.young,
        poisson=bulk_poisson(sqrt(low * high), entry.bulk[0]),
        poisson_range=(bulk_poisson(high, entry.bulk[0]), bulk_poisson(low, entry.bulk[1])),
        density_range=entry.density,
        origin=PUBLISHED,
        source=entry.source,
        checked=entry.checked,
    )


def _by_measurement(entry: _Measured) -> SoleMaterial:
    nu = entry.poisson
    if entry.shear is not None:
        young = 2 * entry.shear * (1 + nu[0]), 2 * entry.shear * (1 + nu[1])
    elif entry.young is not None:
        young = entry.young
    else:
        raise MaterialError(f"{entry.name}: expected young or shear in the table of materials")
    return SoleMaterial(
        name=entry.name,
        family=entry.family,
        young=sqrt(young[0] * young[1]),
        young_range=young,
        poisson=(nu[0] + nu[1]) / 2,
        poisson_range=nu,
        density_range=entry.density,
        origin=PUBLISHED if entry.shear is None else FROM_SHEAR,
        source=entry.source,
        checked=entry.checked,
    )


def _by_density(foam: _Foam) -> SoleMaterial:
    r = foam.density[0] / foam.solid_density, foam.density[1] / foam.solid_density
    young = foam_young(foam.solid_young, r)
    return SoleMaterial(
        name=foam.name,
        family=foam.family,
        young=sqrt(young[0] * young[1]),
        young_range=young,
        poisson=FOAM_POISSON,
        poisson_range=(FOAM_POISSON, FOAM_POISSON),
        density_range=foam.density,
        origin=FROM_DENSITY,
        source=foam.source,
        checked=foam.checked,
    )


def rank(material: SoleMaterial, young: float, poisson: float) -> tuple[float, float]:
    """Return by what materials are ordered: the distance, then that of the nominal values."""
    away = round(material.distance(young, poisson), 2)
    return away, material.distance_to_middle(young, poisson)


def nearest_materials(
    young: float, poisson: float, count: int = 3
) -> list[tuple[SoleMaterial, float]]:
    """Return the materials nearest to E [Pa] and nu, with distance (0: within the ranges).

    Among equal distances, the material with the nearer nominal values comes first.

    Raises
    ------
    MaterialError
        E or nu outside its physical range.
    """
    if not (young > 0 and -1 < poisson < 0.5):
        raise MaterialError(
            f"expected E > 0 and nu inside (-1, 0.5), got E = {young:g} Pa, nu = {poisson:g}"
        )
    ranked = sorted(sole_materials(), key=lambda m: rank(m, young, poisson))
    return [(m, m.distance(young, poisson)) for m in ranked[:count]]
