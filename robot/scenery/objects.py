"""Free boxes in the scene: they fall and stand, and the robot can touch and push them.

A box is an extra floating base in the model, so mass matrix, momentum and integration include it
without further code. Points on its surface touch the world; points of the robot touch the box
(`robot.simulator.dynamics`). Edge-edge contacts are not detected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from contact.constants import FRICTION
from contact.ground import Box, Piece
from sole.base.angles import Angle
from sole.base.arrays import FloatArray
from sole.base.config import STRICT
from sole.base.errors import ConfigError
from sole.base.units import Kilograms, Metres

if TYPE_CHECKING:
    import pinocchio as pin

    from robot.simulator import Surface, Touching


@dataclass(frozen=True, kw_only=True)
class LooseBox(Box):
    """A box with an underside; other grounds stand on the floor."""

    kind: ClassVar[str] = "loose box"

    def assembled(self) -> tuple[Piece, ...]:
        """See `contact.ground.Ground.assembled`."""
        return self.solids


@dataclass(frozen=True, kw_only=True)
class FreeBox:
    """A box of uniform density.

    Parameters
    ----------
    name : name of the box. size : full lengths [m]. mass : [kg].
    place : initial position of its centre [m]; yaw : about the vertical [rad].
    friction : Coulomb's mu of its points on the world. pitch : largest spacing of these points [m].
    """

    __pydantic_config__ = STRICT
    name: str
    size: tuple[Metres, Metres, Metres]
    mass: Kilograms
    place: tuple[Metres, Metres, Metres]
    yaw: Angle = 0.0
    friction: float = FRICTION
    pitch: Metres = 0.15

    def __post_init__(self) -> None:
        for what, value in {"mass": self.mass, "size": min(self.size), "pitch": self.pitch}.items():
            if not 0 < value < inf:
                raise ConfigError(f"box '{self.name}': {what} must be positive, got {value:g}")
        if not 0 <= self.friction < inf:
            raise ConfigError(f"box '{self.name}': friction must not be negative")
        if not np.isfinite([*self.place, self.yaw]).all():
            raise ConfigError(f"box '{self.name}': place and yaw must be finite")

    @property
    def points(self) -> FloatArray:
        """Points (k, 3): the corners, and points on edges and faces at most `pitch` apart."""
        axes = [np.linspace(-s / 2, s / 2, 1 + max(1, ceil(s / self.pitch))) for s in self.size]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
        return grid[(np.abs(np.abs(grid) - np.array(self.size) / 2) < 1e-12).any(axis=1)]

    @property
    def ground(self) -> LooseBox:
        """The box as a ground in its own axes."""
        length, width, height = self.size
        return LooseBox(length=length, width=width, rise=height, z=-height / 2)


@dataclass(frozen=True, eq=False, kw_only=True)
class Scenery:
    """A model with objects.

    Parameters
    ----------
    model : a copy of the robot's model with an added floating base per object.
    surfaces : surface of each object for contact with other bodies.
    touching : contacts of the objects with the world.
    places : (7 k,) the objects' part of q, after the robot's.
    """

    model: pin.Model
    surfaces: tuple[Surface, ...]
    touching: tuple[Touching, ...]
    places: FloatArray


def with_boxes(model: pin.Model, boxes: Sequence[FreeBox]) -> Scenery:
    """Add boxes to a copy of a robot's model.

    Raises
    ------
    ConfigError
        Two boxes have the same name, or a box has that of a frame of the robot or of the world.
    """
    import pinocchio as pin

    from contact.step import Body
    from robot.simulator import Surface, Touching

    taken = {"world", *(frame.name for frame in model.frames)}
    for box in boxes:
        if box.name in taken:
            raise ConfigError(f"box '{box.name}': the name is taken, choose another")
        taken.add(box.name)
    model = pin.Model(model)
    surfaces, touching, places = [], [], []
    for box in boxes:
        joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), box.name)
        model.appendBodyToJoint(joint, pin.Inertia.FromBox(box.mass, *box.size), pin.SE3.Identity())
        frame = model.addJointFrame(joint)
        surfaces.append(Surface(frame=frame, ground=box.ground))
        body = Body(points=box.points, friction=box.friction)
        touching.append(Touching(name=box.name, frame=frame, body=body))
        places += [*box.place, 0.0, 0.0, np.sin(box.yaw / 2), np.cos(box.yaw / 2)]
    return Scenery(
        model=model,
        surfaces=tuple(surfaces),
        touching=tuple(touching),
        places=np.array(places, dtype=float),
    )
