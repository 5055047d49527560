"""Hands that hold a box: a spring and damper of six axes between a frame of the robot and the box.

They coincide, unloaded, in the initial pose: whatever place of the box the hand is at, it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from robot.simulator import Coupling
from sole.base.arrays import FloatArray
from sole.base.checks import check_positive
from sole.base.config import STRICT
from sole.base.errors import ConfigError

if TYPE_CHECKING:
    import pinocchio as pin

    from robot.model import RobotModel


@dataclass(frozen=True, kw_only=True)
class Grip:
    """A hand that holds a box.

    Parameters
    ----------
    frame : a contact point of the robot or any frame. box : name of the box.
    stiffness, turning : of the hold [N/m], [N m/rad]. damping, turning_damping : [N s/m], [N m s].
    """

    __pydantic_config__ = STRICT
    frame: str
    box: str
    stiffness: float = 1e4
    turning: float = 10.0
    damping: float = 100.0
    turning_damping: float = 0.5

    def __post_init__(self) -> None:
        check_positive("grip", {"stiffness": self.stiffness})
        for name in ("turning", "damping", "turning_damping"):
            if not 0 <= (value := getattr(self, name)) < inf:
                raise ConfigError(f"grip: {name} must not be negative, got {value:g}")


def with_grips(
    model: pin.Model, robot: RobotModel, q: FloatArray, grips: Sequence[Grip]
) -> tuple[Coupling, ...]:
    """Add a frame on the box for each grip, where the hand is at q, and return the couplings.

    Parameters
    ----------
    model : with the boxes; it is changed. q : (nq,) the initial configuration.

    Raises
    ------
    ConfigError
        There is no such frame or box.
    """
    import pinocchio as pin

    data, found = model.createData(), []
    pin.framesForwardKinematics(model, data, q)
    for n, grip in enumerate(grips):
        if grip.frame in robot.contact_points:
            hand = int(robot.contact_points[grip.frame])
        elif model.existFrame(grip.frame):
            hand = int(model.getFrameId(grip.frame))
        else:
            known = ", ".join(robot.contact_points) or "none"
            raise ConfigError(
                f"grip: the robot has no frame '{grip.frame}'; its contact points are {known}"
            )
        if not model.existJointName(grip.box) or grip.box in robot.model.names:
            raise ConfigError(f"grip: there is no box '{grip.box}'")
        joint = model.getJointId(grip.box)
        place = data.oMi[joint].inverse() * data.oMf[hand]
        frame = pin.Frame(f"{grip.box} grip {n}", joint, 0, place, pin.FrameType.OP_FRAME)
        k, c = (grip.stiffness, grip.turning), (grip.damping, grip.turning_damping)
        found.append(
            Coupling(
                lower=hand,
                upper=int(model.addFrame(frame)),
                stiffness=np.repeat(k, 3),
                damping=np.repeat(c, 3),
            )
        )
    return tuple(found)
