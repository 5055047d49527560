"""Contact bodies, movable surfaces and external pushes of the simulator."""

from __future__ import annotations

from dataclasses import dataclass

from contact.ground import Ground
from contact.step import Body
from sole.base.arrays import FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Touching:
    """A body on one frame of the robot that may touch the ground: a sole, a rigid foot, a hand.

    Parameters
    ----------
    name : name in reports.
    frame : id of the frame in the model.
    body : its points in the axes of that frame, with or without a sole.
    against : its counterpart: the fixed world by default, else a movable `Surface`.
    """

    name: str
    frame: int
    body: Body
    against: Surface | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Surface:
    """The surface of a movable body: a `ground` (for example a box) in the axes of a frame."""

    frame: int
    ground: Ground


@dataclass(frozen=True, eq=False, kw_only=True)
class Push:
    """An external wrench on a frame: force and moment about its origin, world axes [N, N m]."""

    frame: int
    wrench: FloatArray
