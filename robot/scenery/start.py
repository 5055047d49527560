"""The initial pose of the robot, and a check that no body starts inside another."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from robot.gait import Foothold
from sole.base.angles import Angle
from sole.base.arrays import FloatArray
from sole.base.config import STRICT
from sole.base.errors import ConfigError
from sole.base.units import Metres

if TYPE_CHECKING:
    from contact.ground import Ground
    from robot.simulator import Simulator

INSIDE = 1e-4  # m of accepted penetration: less than the deflection of any sole under the weight
UP = np.array([0.0, 0.0, 1.0])
EXACT = 1e-9  # m to which a lift is found
TRIALS = 100  # most lifts until no point is inside the ground


@dataclass(frozen=True, kw_only=True)
class Start:
    """The initial pose of the robot in the world.

    Parameters
    ----------
    x, y, z : midpoint between its treads [m]; z is the height of the ground there. None: 0, or as
        much higher as keeps the ground out of the soles (`robot.walk.free_start`).
    heading : direction it faces, from x to the left [rad].
    """

    __pydantic_config__ = STRICT
    x: Metres = 0.0
    y: Metres = 0.0
    z: Metres | None = None
    heading: Angle = 0.0

    def __post_init__(self) -> None:
        for name in ("x", "y", "z", "heading"):
            value = getattr(self, name)
            if value is not None and not isfinite(value):
                raise ConfigError(f"start: {name} must be finite, got {value:g}")

    @property
    def foothold(self) -> Foothold:
        """The midpoint between the feet."""
        return Foothold(self.x, self.y, 0.0 if self.z is None else self.z, self.heading)


def check_outside(simulator: Simulator, q: FloatArray) -> None:
    """Refuse a configuration (nq,) with points deeper than `INSIDE` in the ground or in a box.

    Contact would eject them within one step.

    Raises
    ------
    ConfigError
        The message names the deepest point, its body and depth, and the lift that avoids it.
    """
    _, R, p = simulator.dynamics.frames_at(q)
    for k, touching in enumerate(simulator.touching):
        surface = touching.against
        ground = simulator.ground if surface is None else surface.ground
        points = p[k] + touching.body.points @ R[k].T
        gap = ground.clearance(points)
        j = int(np.argmin(gap))
        if gap[j] >= -INSIDE:
            continue
        what, where = "the box it touches", "the axes of the box"
        advice = "move one of them"
        if surface is None:
            what, where = "the ground", "the world"
            higher = lift_out(ground, points)
            advice = "start elsewhere" + (f", or {higher:.4g} m higher" if higher else "")
        x, y, z = points[j]
        raise ConfigError(
            f"start: {touching.name}, node {j} at ({x:.3f}, {y:.3f}, {z:.3f}) m in {where}, is "
            f"{-1e3 * gap[j]:.3g} mm inside {what}: {advice} ([start] x, y, z, heading_deg)"
        )


def lift_out(ground: Ground, points: FloatArray, gap: float = 0.0) -> float | None:
    """Return the least lift that gives points (m, 3) at least this `gap` [m]; None: not found.

    For any shape, a point that lacks d needs a lift of at least d, so none is too high.
    """
    height = 0.0
    for _ in range(TRIALS):
        lacking = gap - float(ground.clearance(points + height * UP).min())
        if lacking <= EXACT:
            return height
        height += lacking
    return None
