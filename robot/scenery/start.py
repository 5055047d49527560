"""Where the robot stands when a run begins, and that nothing begins inside anything else."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, radians

import numpy as np

from contact.ground import Ground
from robot.gait.footsteps import Foothold
from robot.simulate import Simulator
from sole.arrays import FloatArray
from sole.config import STRICT
from sole.errors import ConfigError

INSIDE = 1e-4  # m: less than any sole yields under the weight
UP = np.array([0.0, 0.0, 1.0])
TRIALS = 100  # lifts until nothing is inside the ground


@dataclass(frozen=True, kw_only=True)
class Start:
    """Where the robot stands at first, in the world.

    Parameters
    ----------
    x, y, z : of the middle between its treads [m]; z is the ground's height there.
    heading : where it looks, from x to the left [deg].
    """

    __pydantic_config__ = STRICT
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    heading: float = 0.0

    def __post_init__(self) -> None:
        for name in ("x", "y", "z", "heading"):
            if not isfinite(getattr(self, name)):
                raise ConfigError(f"start: {name} must be finite, got {getattr(self, name):g}")

    @property
    def foothold(self) -> Foothold:
        """The middle between the feet."""
        return Foothold(self.x, self.y, self.z, radians(self.heading))


def check_outside(simulator: Simulator, q: FloatArray) -> None:
    """Refuse a configuration (nq,) with points more than `INSIDE` in the ground or in a box.

    Contact would throw them out within one step.

    Raises
    ------
    ConfigError
        With the deepest point: whose, where, how deep, and how much higher all would be outside.
    """
    _, R, p = simulator.dynamics.frames_at(q)
    for k, touching in enumerate(simulator.touching):
        surface = touching.against
        ground = simulator.ground if surface is None else surface.ground
        points = p[k] + touching.body.points @ R[k].T
        gap = ground.query(points).gap[:, 0]
        j = int(np.argmin(gap))
        if gap[j] >= -INSIDE:
            continue
        what, where = "the box it touches", "the axes of the box"
        advice = "move one of them"
        if surface is None:
            what, where = "the ground", "the world"
            higher = _lift(ground, points)
            advice = "start elsewhere" + (f", or {higher:.4g} m higher" if higher else "")
        x, y, z = points[j]
        raise ConfigError(
            f"start: {touching.name}, node {j} at ({x:.3f}, {y:.3f}, {z:.3f}) m in {where}, is "
            f"{-1e3 * gap[j]:.3g} mm inside {what}: {advice} ([start] x, y, z, heading)"
        )


def _lift(ground: Ground, points: FloatArray) -> float | None:
    """Return how much higher (m, 3) points are outside the ground [m]; None: not found.

    A point at depth d is not outside before it has been lifted by d, whatever the shape.
    """
    height = 0.0
    for _ in range(TRIALS):
        depth = -float(ground.query(points + height * UP).gap[:, 0].min())
        if depth <= INSIDE:
            return height
        height += depth
    return None
