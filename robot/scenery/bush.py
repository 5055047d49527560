"""A compliant bush between ankle and foot: six springs and dampers in series with the sole.

The foot is an extra floating body, held to its ankle by a `Coupling` along the axes of the sole
frame, at a height over the bond plane; controllers see only the robot. The mass and inertia of the
ankle's body are split: a `share` of them is the foot under the bush, with the sole. So the total
mass stays the same, and a stiff bush has no effect.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.config import STRICT
from sole.base.errors import ConfigError, SoleError
from sole.base.units import Metres

if TYPE_CHECKING:
    import pinocchio as pin

    from robot.simulator import Coupling
    from robot.soles import FeetOnSoles


@dataclass(frozen=True, kw_only=True)
class Bush:
    """The bush of each foot.

    Parameters
    ----------
    stiffness : stiffness along and about x, y, z of the sole frame [N/m, N m/rad].
    damping : damping likewise [N s/m, N m s/rad].
    height : height of its centre over the bond plane [m].
    share : share of the ankle body's mass under the bush, between 0 and 1 exclusive.
    """

    __pydantic_config__ = STRICT
    stiffness: tuple[float, float, float, float, float, float]
    damping: tuple[float, float, float, float, float, float]
    height: Metres = 0.03
    share: float = 0.5

    def __post_init__(self) -> None:
        if not all(0 < k < inf for k in self.stiffness):
            raise ConfigError(f"bush: stiffness must be positive, got {self.stiffness}")
        if not all(0 <= d < inf for d in self.damping):
            raise ConfigError(f"bush: damping must not be negative, got {self.damping}")
        if not 0 < self.share < 1:
            raise ConfigError(f"bush: share must be between 0 and 1, got {self.share:g}")
        if not -inf < self.height < inf:
            raise ConfigError(f"bush: height must be finite, got {self.height:g} m")

    def in_series(
        self, stiffness: FloatArray | None, thicknesses: tuple[float, float]
    ) -> FloatArray:
        """Return K6 (2, 6, 6) of soles in series with the bush, about the centres of the treads.

            K6^-1 = K_sole^-1 + A B^-1 A',    A = [1, -[d]x; 0, 1],

        B the bush's own stiffness, d from its centre to that of the tread.

        Parameters
        ----------
        stiffness : K_sole (2, 6, 6) about the same points; None: rigid soles.
        thicknesses : thickness of the left and the right sole [m].
        """
        down = self.height + np.array(thicknesses)
        A = np.tile(np.eye(6), (2, 1, 1))
        A[:, 0, 4], A[:, 1, 3] = -down, down
        compliance = (A / np.array(self.stiffness)) @ A.transpose(0, 2, 1)
        soft = np.zeros((2, 6, 6)) if stiffness is None else np.linalg.inv(stiffness)
        return np.asarray(np.linalg.inv(soft + compliance))


@dataclass(frozen=True, eq=False, kw_only=True)
class OnBushes:
    """A robot on bushes.

    Parameters
    ----------
    model : a copy of the robot's model with an added floating foot on each side. Frames keep their
        ids; those of the soles are now on these feet.
    couplings : left and right.
    """

    model: pin.Model
    couplings: tuple[Coupling, ...]

    def places(self, q: FloatArray) -> FloatArray:
        """Return the feet's part (14,) of the configuration, without deflection."""
        import pinocchio as pin

        whole = np.concatenate([q, pin.neutral(self.model)[len(q) :]])
        data = self.model.createData()
        pin.framesForwardKinematics(self.model, data, whole)
        return np.concatenate([pin.SE3ToXYZQUAT(data.oMf[c.upper]) for c in self.couplings])


def with_bushes(feet: FeetOnSoles, bare: pin.Model, bush: Bush) -> OnBushes:
    """Put a bush under each ankle.

    Parameters
    ----------
    feet : robot and soles. bare : the robot's model without the soles' inertia.

    Raises
    ------
    SoleError
        A foot has a toe joint.
    """
    import pinocchio as pin

    from robot.simulator import Coupling

    robot = feet.robot
    model = pin.Model(robot.model)
    couplings = []
    for foot in robot.feet:
        if any(model.parents[k] == foot.joint for k in range(1, model.njoints)):
            raise SoleError(
                f"bush: the {foot.side} foot of {robot.name} carries another joint; bushes need "
                "feet of one piece"
            )
        up = pin.SE3(np.eye(3), np.array([0.0, 0.0, bush.height]))
        pose = pin.SE3(np.array(foot.sole_to_joint)) * up
        name = f"{foot.side}_foot_on_bush"
        joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), name)
        lower = model.addJointFrame(joint)
        upper = model.addFrame(
            pin.Frame(f"{foot.side}_bush", foot.joint, 0, pose, pin.FrameType.OP_FRAME)
        )
        whole = pin.Inertia(model.inertias[foot.joint])  # a copy, since the model's is replaced
        own = bare.inertias[foot.joint]
        above = pin.Inertia((1 - bush.share) * own.mass, own.lever, (1 - bush.share) * own.inertia)
        model.inertias[foot.joint] = above
        model.inertias[joint] = pose.inverse().act(whole - above)
        for k in {foot.frame, *(pad.frame for pad in foot.pads)}:
            frame = model.frames[k]
            frame.placement = pose.inverse() * frame.placement
            frame.parentJoint = joint
        couplings.append(
            Coupling(
                lower=lower,
                upper=upper,
                stiffness=np.array(bush.stiffness),
                damping=np.array(bush.damping),
            )
        )
    return OnBushes(model=model, couplings=tuple(couplings))
