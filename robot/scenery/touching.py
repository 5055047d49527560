"""What touches what in the simulator, and what pushes from outside."""

from __future__ import annotations

from dataclasses import dataclass

from contact.ground import Ground
from contact.step import Body
from sole.arrays import FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Touching:
    """What may touch the ground on one frame of the robot: a sole, a rigid foot, a hand.

    Parameters
    ----------
    name : for reports.
    frame : id in the model.
    body : its points in the axes of that frame, with or without a sole.
    against : what it touches: the fixed world by default, else a movable `Surface`.
    """

    name: str
    frame: int
    body: Body
    against: Surface | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Surface:
    """The shape of something movable: a `ground` (a box, say) in the axes of a frame."""

    frame: int
    ground: Ground


@dataclass(frozen=True, eq=False, kw_only=True)
class Push:
    """A wrench from outside on a frame: force and moment about its origin, world axes [N, N m]."""

    frame: int
    wrench: FloatArray
