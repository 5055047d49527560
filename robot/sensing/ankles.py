"""Six-axis force sensors between the ankles and the feet.

The parts below a sensor (foot, toe, sole) have weight and inertia, so its reading differs from the
ground's wrench w:

    reading = w - (I a + v x* I v - I g),

the wrench of the lower part on the upper one, about the last joint of the ankle, in the axes of the
sole frame, positive in compression. A foot at rest in the air reads minus its weight. Feet on
bushes (`robot.scenery.bush`) count as rigidly fixed to their ankles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from robot.model import RobotModel
from robot.soles import FeetOnSoles
from sole.base.arrays import FloatArray

if TYPE_CHECKING:
    import pinocchio as pin


class Ankles:
    """Both ankle sensors of a robot with soles; they have no memory."""

    def __init__(self, robot: RobotModel) -> None:
        import pinocchio as pin

        self.robot, self.data = robot, robot.model.createData()
        soles = [pin.SE3(np.array(foot.sole_to_joint)) for foot in robot.feet]
        self.placements = [pin.SE3(sole.rotation, np.zeros(3)) for sole in soles]
        self.soles = [p.actInv(sole) for p, sole in zip(self.placements, soles, strict=True)]

    def burden(self, q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
        """Return (2, 6) I a + v x* I v - I g of the parts below the sensors."""
        import pinocchio as pin

        pin.rnea(self.robot.model, self.data, q, v, a)
        pairs = zip(self.placements, self.robot.feet, strict=True)
        return np.stack([p.actInv(self.data.f[foot.joint]).vector for p, foot in pairs])

    def of_ground(self, feet: FeetOnSoles, data: pin.Data, wrenches: FloatArray) -> FloatArray:
        """Return the wrenches (B, 6) on the bodies of the `feet`, summed at the sensors (2, 6).

        data : Pinocchio's data with up-to-date placements of the joints.
        """
        import pinocchio as pin

        total = np.zeros((2, 6))
        for side, touching, wrench in zip(feet.sides, feet.touching, wrenches, strict=True):
            frame = pin.updateFramePlacement(self.robot.model, data, touching.frame)
            sensor = data.oMi[self.robot.feet[side].joint] * self.placements[side]
            total[side] += sensor.actInv(frame).act(pin.Force(wrench)).vector
        return total

    def to_soles(self, wrenches: FloatArray) -> FloatArray:
        """Return wrenches (2, 6) at the sensors, moved to the origins of the sole frames."""
        import pinocchio as pin

        pairs = zip(self.soles, wrenches, strict=True)
        return np.stack([sole.actInv(pin.Force(w)).vector for sole, w in pairs])
