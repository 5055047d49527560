"""Contact points on any link: a hand on a table, a knee on a step, a box on a box.

A touch names a frame of the robot (or a box) and its counterpart: the fixed world or a box. Its
points are rigid, by default the corners of the link's solids. Soles touch the fixed world only, so
a foot needs points to touch a box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from contact.constants import FRICTION
from robot.scenery.objects import FreeBox, Scenery
from sole.base.arrays import FloatArray
from sole.base.config import STRICT
from sole.base.errors import ConfigError
from sole.base.units import Metres

if TYPE_CHECKING:
    import pinocchio as pin

    from robot.model import RobotModel, Solid
    from robot.simulator import Surface, Touching

WORLD = "world"
RING = 8  # points on the edge of a cylinder's end


@dataclass(frozen=True, kw_only=True)
class Touch:
    """A contact besides the soles.

    Parameters
    ----------
    frame : a name in `RobotModel.contact_points`, or that of a box or any frame of the model.
    against : "world" or the name of a box.
    points : in the axes of the frame [m]; None: the corners of its link's solids, or a box's own.
    friction : Coulomb's mu.
    """

    __pydantic_config__ = STRICT
    frame: str
    against: str = WORLD
    points: tuple[tuple[Metres, Metres, Metres], ...] | None = None
    friction: float = FRICTION

    def __post_init__(self) -> None:
        if not 0 <= self.friction < inf:
            raise ConfigError(
                f"touch '{self.frame}': friction must be finite and not negative, got "
                f"{self.friction:g}"
            )
        if self.frame == self.against:
            raise ConfigError(f"touch '{self.frame}': against must be another body")
        if self.points is not None and not self.points:
            raise ConfigError(f"touch '{self.frame}': points is empty; omit it to use corners")


def touching_of(
    touch: Touch, robot: RobotModel, boxes: Sequence[FreeBox], scenery: Scenery
) -> Touching:
    """Return a touch in the form that the simulator takes.

    Raises
    ------
    ConfigError
        A frame or box is missing (the message lists those there are), or a link has no solids.
    """
    from contact.step import Body
    from robot.simulator import Touching

    known = {box.name: k for k, box in enumerate(boxes)}
    against: Surface | None = None
    if touch.against != WORLD:
        if touch.against not in known:
            raise ConfigError(
                f"touch '{touch.frame}': against is '{touch.against}', expected one of "
                f"{', '.join([WORLD, *known])}"
            )
        against = scenery.surfaces[known[touch.against]]
    if touch.frame in known:
        k = known[touch.frame]
        frame, points = scenery.surfaces[k].frame, boxes[k].points
        if against is None:
            raise ConfigError(f"touch '{touch.frame}': boxes always touch the world: leave it out")
    else:
        frame = _frame(touch.frame, robot, list(known))
        points = np.empty((0, 3)) if touch.points else corners_of_link(robot, frame)
    if touch.points is not None:
        points = np.array(touch.points, dtype=float)
    return Touching(
        name=touch.frame if against is None else f"{touch.frame} on {touch.against}",
        frame=frame,
        body=Body(points=points, friction=touch.friction),
        against=against,
    )


def corners_of_link(robot: RobotModel, frame: int) -> FloatArray:
    """Return the corners (k, 3) of the solids of the link that carries a frame, in its axes [m].

    Raises
    ------
    ConfigError
        The link has no solids, or a mesh.
    """
    carrier: pin.Frame = robot.model.frames[frame]
    links = {carrier.name, robot.model.frames[carrier.parentFrame].name}
    on_joint = [s for s in robot.solids if s.joint == carrier.parentJoint]
    solids = [s for s in on_joint if s.link in links] or on_joint
    if not solids or any(s.kind == "mesh" for s in solids):
        has = "has a mesh" if solids else "has no solids"
        raise ConfigError(f"touch '{carrier.name}': its link {has}: give points")
    own = carrier.placement.inverse().homogeneous
    found = []
    for solid in solids:
        T = own @ solid.placement
        found.append(bounding_corners(solid) @ T[:3, :3].T + T[:3, 3])
    return np.concatenate(found)


def bounding_corners(solid: Solid) -> FloatArray:
    """Return the extreme points (k, 3) of a solid in its own axes [m]."""
    if solid.kind == "box":
        signs = np.stack(np.meshgrid(*3 * [[-0.5, 0.5]], indexing="ij"), axis=-1).reshape(-1, 3)
        return np.asarray(signs * solid.size)
    radius, length = float(solid.size[0]), float(solid.size[1])
    if solid.kind == "cylinder":
        angle = 2 * np.pi * np.arange(RING) / RING
        ring = radius * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(RING)])
        return np.concatenate([ring + np.array([0, 0, z]) for z in (-length / 2, length / 2)])
    around = radius * np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]])
    ends = [around + np.array([0, 0, z]) for z in sorted({-length / 2, length / 2})]
    far = length / 2 + radius
    return np.concatenate([*ends, [[0, 0, -far], [0, 0, far]]])


def _frame(name: str, robot: RobotModel, boxes: Sequence[str]) -> int:
    if name in robot.contact_points:
        return int(robot.contact_points[name])
    if not robot.model.existFrame(name):
        known = ", ".join([*robot.contact_points, *boxes]) or "none"
        raise ConfigError(
            f"touch: {robot.name} has no frame '{name}'; its contact points and the boxes are "
            f"{known}, other frames have their names in the model"
        )
    return int(robot.model.getFrameId(name))
