"""The yaw law: in single support the body gives the foot the yaw torque that holds it best.

tau_safe [CaronPhamNakamura2015, section 4] is the middle of the yaw torques that a foot under the
stabiliser's wanted wrench can take. The plan needs tau_z there, by inverse dynamics. Waist and arms
give the difference by angular momentum about the vertical, along one direction d of the joints that
are not in the legs, the gradient of L_z at the plan's posture (largest entry 1):

    I psi'' = (tau_safe - tau_z) - I (2 omega psi' + omega^2 psi),    I = dL_z/dpsi',

in double support without the first part; omega brings the joints back to the plan. The joints are
moved by d psi, within their ranges.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from contact.wrench_cone import rectangle_yaw_torque
from robot.control.controller import Sensed
from robot.control.stabiliser import Stabiliser
from robot.simulator import Command
from sole.base.arrays import FloatArray
from sole.base.constants import GRAVITY
from sole.base.errors import SoleError

LEAST = 0.05  # of the weight: a wanted load below it leaves the yaw torque open
END = 0.02  # rad kept from the ends of the joints' ranges


@dataclass(frozen=True, kw_only=True)
class YawGains:
    """Gains of the yaw law.

    Parameters
    ----------
    omega : with which the joints return to the plan [rad/s]. lag : time constant of the low-pass on
        the wanted difference of torques [s]. most : largest psi [rad].
    """

    omega: float = 3.0
    lag: float = 0.01
    most: float = 0.8


class YawLaw:
    """A stabiliser whose command is changed by the law of this module.

    Parameters
    ----------
    stabiliser : the controller that commands the legs.
    friction : Coulomb's mu of the soles.
    edges : (2, 2, 2) smallest and largest x and y of each tread in its sole frame [m].

    Raises
    ------
    SoleError
        The robot has no joints outside its legs.
    """

    def __init__(
        self,
        stabiliser: Stabiliser,
        *,
        friction: float,
        edges: FloatArray,
        gains: YawGains | None = None,
    ) -> None:
        self.stabiliser, self.friction = stabiliser, friction
        self.robot, self.plan = stabiliser.robot, stabiliser.plan
        self.period = stabiliser.period
        self.gains = YawGains() if gains is None else gains
        self.halves, self.middles = np.ptp(edges, axis=1) / 2, edges.mean(axis=1)
        model = self.robot.model
        legs = {model.joints[j].idx_v for leg in self.robot.legs for j in leg}
        self.free = np.array([j for j in range(6, model.nv) if j not in legs], dtype=np.int64)
        if not len(self.free):
            raise SoleError(
                f"{self.robot.name} has no joints outside its legs: the yaw law turns waist and "
                'arms; use [control] yaw = "plan"'
            )
        self.data = model.createData()
        self.reset()

    def reset(self) -> None:
        """Forget everything but the plan."""
        self.angle = self.rate = self.torque = 0.0
        self.stabiliser.reset()

    def arrays(self) -> dict[str, Any]:
        """Return the memory of the controller, for `np.savez`."""
        own = np.array([self.angle, self.rate, self.torque])
        return {"yaw": own, **self.stabiliser.arrays()}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Continue from `arrays()`, bit for bit."""
        self.angle, self.rate, self.torque = (float(x) for x in arrays["yaw"])
        self.stabiliser.restore(arrays)

    def update(self, sensed: Sensed, t: float) -> Command:
        """Return the stabiliser's command for t + period, with waist and arms moved."""
        import pinocchio as pin

        command = self.stabiliser.update(sensed, t)
        plan, g, T = self.plan, self.gains, self.period
        row = plan.row(t + T)
        pin.ccrba(self.robot.model, self.data, plan.q_ref[row], plan.v_ref[row])
        d = self.data.Ag[5, self.free]
        d = d / np.abs(d).max()
        inertia = float(self.data.Ag[5, self.free] @ d)
        self.torque += min(1.0, T / g.lag) * (self._difference(row) - self.torque)
        bend = self.torque / inertia - 2 * g.omega * self.rate - g.omega**2 * self.angle
        if abs(self.angle) > g.most and bend * self.angle > 0:
            bend = -2 * g.omega * self.rate
        self.rate += T * bend
        self.angle += T * self.rate
        columns = self.free - 6
        start = command.positions[columns]
        low = np.minimum(self.robot.lower[columns] + END, start)
        high = np.maximum(self.robot.upper[columns] - END, start)
        asked = start + self.angle * d
        positions, velocities = command.positions.copy(), command.velocities.copy()
        positions[columns] = np.clip(asked, low, high)
        velocities[columns] += np.where((asked > low) & (asked < high), self.rate * d, 0.0)
        return Command(positions=positions, velocities=velocities, torques=command.torques)

    def _difference(self, row: int) -> float:
        """Return tau_safe - tau_z of the standing foot [N m]; 0 in double support."""
        import pinocchio as pin

        plan, wanted = self.plan, self.stabiliser.memory.wanted
        if plan.supports[row, 0] == plan.supports[row, 1]:
            return 0.0
        side = int(plan.supports[row, 1])
        if wanted[side, 2] < LEAST * self.robot.mass * GRAVITY:
            return 0.0
        q, v, a = plan.q_ref[row], plan.v_ref[row], plan.a_ref[row]
        needed = pin.rnea(self.robot.model, self.data, q, v, a)[:6]
        tread = pin.SE3(plan.feet[row, side])
        centre = np.array([*self.middles[side], -plan.sole_thickness[side]])
        tread.translation += tread.rotation @ centre
        to = tread.inverse() * pin.XYZQUATToSE3(q[:7])
        tau_z = float((to.toDualActionMatrix() @ needed)[5])
        X, Y = self.halves[side]
        safe = rectangle_yaw_torque(wanted[side], float(X), float(Y), self.friction).safe
        return float(safe) - tau_z
