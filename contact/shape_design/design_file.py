"""The file of a shape design.

schema = "contact.shape_design/1"
mesh = "pad.msh"                    # with materials
grounds = ["plane", "step:0.004,0.03"]

[[field]]
surface = "tread"
grid = [6, 4]
range = [0.0, 0.006]

[stop]                              # a foot that lands
[stand]                             # a foot that carries
[search]
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

from contact.ground import Ground, parse_ground
from contact.shape_design.shape_field import HeightGrid
from sole.base.angles import Angle
from sole.base.checks import check_count, check_seed
from sole.base.config import STRICT, load
from sole.base.errors import ConfigError
from sole.base.units import Kilograms, Newtons, Pascals, Speeds
from sole.elasticity import DEFAULT_ELEMENT, check_element

SCHEMA = "contact.shape_design/1"
METHODS = ("gradient", "evolution")
MOST_EVALUATIONS = 10**6
DEEPEST = 0.2  # compression of a landing over the thickness
STEEPEST = math.radians(20)  # attitude: the model has small motions


def _check_positive(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise ConfigError(f"{name} must be positive and finite, got {value:g}")


@dataclass(frozen=True, kw_only=True)
class StopLoad:
    """A foot lands: it keeps its attitude and sinks until its kinetic energy is in the sole.

    Parameters
    ----------
    mass : that the sole stops [kg]. speed : downwards [m/s].
    attitudes : (roll, pitch) pairs [rad], on every ground.
    """

    __pydantic_config__ = STRICT
    mass: Kilograms = 10.0
    speed: Speeds = 0.3
    attitudes: tuple[tuple[Angle, Angle], ...] = ((0.0, 0.0),)

    def __post_init__(self) -> None:
        for name in ("mass", "speed"):
            _check_positive(f"stop: {name}", getattr(self, name))
        if not self.attitudes:
            raise ConfigError("stop: give at least one of attitudes_deg, [[0, 0]] is upright")
        if not all(abs(a) <= STEEPEST for pair in self.attitudes for a in pair):
            raise ConfigError("stop: attitudes_deg are at most 20 degrees either way")

    @property
    def energy(self) -> float:
        """m v^2/2 [J]."""
        return self.mass * self.speed**2 / 2


@dataclass(frozen=True, kw_only=True)
class StandLoad:
    """A foot carries a weight at four centres of pressure.

    Parameters
    ----------
    force : weight [N].
    reach : the centres lie at +-reach of half the length and of half the width.
    """

    __pydantic_config__ = STRICT
    force: Newtons = 500.0
    reach: float = 0.5

    def __post_init__(self) -> None:
        _check_positive("stand: force", self.force)
        if not 0 < self.reach < 1:
            raise ConfigError(
                f"stand: reach is a part of half the foot, 0 to 1, got {self.reach:g}"
            )


@dataclass(frozen=True, kw_only=True)
class ShapeSearch:
    """What is searched, within which margins.

    Parameters
    ----------
    method : "gradient" (SLSQP) or "evolution" (differential evolution).
    tilt : largest angle of the foot that stands, at any centre of pressure and ground [rad].
    sink : largest compression of a landing over the thickness, 0.2 by default. From 0.1 on the
        linear model errs by a fifth (`sole.condense.linear_error`).
    pressure : largest pressure of the same [Pa], a mean of 8th powers; 0: none.
    stiffness : range of a factor of all E.
    evaluations : most shapes. population : of evolution. seed : of evolution.
    """

    __pydantic_config__ = STRICT
    method: str = "gradient"
    tilt: Angle
    sink: float = DEEPEST
    pressure: Pascals = 0.0
    stiffness: tuple[float, float] = (0.2, 5.0)
    evaluations: int = 60
    population: int = 40
    seed: int = 1

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ConfigError(f"search: method is {' or '.join(METHODS)}, got '{self.method}'")
        if not 0 < self.tilt < STEEPEST:
            raise ConfigError(
                f"search: tilt_deg is above 0 and below 20, got {math.degrees(self.tilt):g}"
            )
        _check_positive("search: sink", self.sink)
        if not (math.isfinite(self.pressure) and self.pressure >= 0):
            raise ConfigError(f"search: pressure is 0 (no limit) or more, got {self.pressure:g} Pa")
        low, high = self.stiffness
        if not 0 < low < high < math.inf:
            raise ConfigError(f"search: stiffness rises from above 0, got {low:g} to {high:g}")
        check_count("evaluations", self.evaluations, MOST_EVALUATIONS)
        check_seed("seed", self.seed)
        if not 5 <= self.population <= MOST_EVALUATIONS:
            raise ConfigError(f"search: population is at least 5, got {self.population}")


@dataclass(frozen=True, kw_only=True)
class ShapeDesign:
    """A shape design: the mesh, the fields that move it, the grounds, the loads, the search.

    Raises
    ------
    ConfigError
        No field or no ground.
    """

    __pydantic_config__ = STRICT
    mesh: str
    element: str = DEFAULT_ELEMENT
    grounds: tuple[str, ...] = ("plane",)
    field: tuple[HeightGrid, ...]
    stop: StopLoad = StopLoad()
    stand: StandLoad = StandLoad()
    search: ShapeSearch

    def __post_init__(self) -> None:
        if not self.field:
            raise ConfigError("give at least one [[field]], whose heights are searched")
        if not self.grounds:
            raise ConfigError('give at least one of grounds, such as "plane"')
        check_element(self.element)

    def parsed_grounds(self, folder: Path) -> tuple[Ground, ...]:
        """Return the grounds; files of grounds are relative to `folder`."""
        return tuple(_ground(text, folder) for text in self.grounds)


def load_shape_design(path: Path) -> ShapeDesign:
    """Read a shape design; the path of its mesh comes back relative to the working folder.

    Raises
    ------
    ConfigError
        Another file, an unknown key, a value out of range; ``file: key: reason``.
    """
    path = Path(path)
    design = load(path, ShapeDesign, SCHEMA)
    return replace(design, mesh=str(path.parent / design.mesh))


def _ground(text: str, folder: Path) -> Ground:
    return parse_ground(str(folder / text) if text.endswith(".toml") else text)
