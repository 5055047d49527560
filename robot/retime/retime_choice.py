"""What a retiming may use: parts of the treads, friction, and the joints' drives."""

from __future__ import annotations

import math
from dataclasses import dataclass

from contact.constants import FRICTION
from sole.base.checks import check_count, check_one_of, positive
from sole.base.config import STRICT
from sole.base.errors import ConfigError

PYRAMIDS = ("inner", "outer")
SURFACES = ("rigid", "sole")
MOST_POINTS = 100_000  # grid intervals: a minute of work
SLOWEST = 100.0  # factor on durations
FASTEST = 3.0  # of a plan's own speed, where no joint limits it


@dataclass(frozen=True, kw_only=True)
class ConeChoice:
    """The wrench cones of a retiming.

    Parameters
    ----------
    area : part of the half length and half width of each tread that is used, in (0, 1].
    friction : Coulomb's mu. pyramid : "inner" (within the circular cone) or "outer" (as in the
        paper, |f_x|, |f_y| <= mu f_z).
    """

    area: float = 0.9
    friction: float = FRICTION
    pyramid: str = "inner"

    def __post_init__(self) -> None:
        positive("retime: friction", self.friction, error=ConfigError)
        check_one_of("retime: pyramid", self.pyramid, PYRAMIDS)
        if not 0 < self.area <= 1:
            raise ConfigError(f"retime: area must be above 0 and at most 1, got {self.area:g}")


@dataclass(frozen=True, kw_only=True)
class DriveLimits:
    """Limits of the joints in a retiming.

    Parameters
    ----------
    torque, velocity : whether the limits of the robot's drives hold. acceleration : of every joint
        [rad/s^2]; None: no limit.
    fastest : largest s' where no joint moves, as while a plan stands; None: no bound.
    """

    torque: bool = True
    velocity: bool = True
    acceleration: float | None = None
    fastest: float | None = None

    def __post_init__(self) -> None:
        for name in ("acceleration", "fastest"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise ConfigError(f"retime: {name} must be positive, got {value:g}")


@dataclass(frozen=True, kw_only=True)
class RetimeChoice:
    """How a gait is retimed: the table [retime] of a scenario.

    Parameters
    ----------
    area : part of the half length and width of each tread that is used. friction, pyramid : of the
        cones, see `ConeChoice`.
    torque, velocity : whether the drives' limits hold. acceleration : of every joint [rad/s^2].
    fastest : largest speed relative to a plan's own; of no use with postures.
    surface : "rigid", or "sole": on top of the rigid cones the limit surfaces of the compliant
        soles (`robot.retime.sole_surface`), of whose friction `reserve` is left unused.
    points : grid intervals; None: 800, for a plan 300 per second.
    factor : on all durations after the retiming: 0.9 is ten percent faster.
    """

    __pydantic_config__ = STRICT
    area: float = ConeChoice.area
    friction: float = ConeChoice.friction
    pyramid: str = ConeChoice.pyramid
    torque: bool = True
    velocity: bool = True
    acceleration: float | None = None
    fastest: float = FASTEST
    surface: str = "rigid"
    reserve: float = 0.3
    points: int | None = None
    factor: float = 1.0

    def __post_init__(self) -> None:
        ConeChoice(area=self.area, friction=self.friction, pyramid=self.pyramid)
        self.limits(plan=True)
        check_one_of("retime: surface", self.surface, SURFACES)
        if not 0 <= self.reserve < 1:
            raise ConfigError(
                f"retime: reserve must be 0 or more and below 1, got {self.reserve:g}"
            )
        if self.points is not None:
            check_count("retime: points", self.points, MOST_POINTS, least=10)
        if not 1 / SLOWEST <= self.factor <= SLOWEST:
            raise ConfigError(
                f"retime: factor must be from {1 / SLOWEST:g} to {SLOWEST:g}, got {self.factor:g}: "
                "0.9 is 10 % faster"
            )

    @property
    def cone(self) -> ConeChoice:
        """The wrench cones."""
        return ConeChoice(area=self.area, friction=self.friction, pyramid=self.pyramid)

    def limits(self, *, plan: bool) -> DriveLimits:
        """Return the limits of the joints; of a ready plan also `fastest`."""
        return DriveLimits(
            torque=self.torque,
            velocity=self.velocity,
            acceleration=self.acceleration,
            fastest=self.fastest if plan else None,
        )
