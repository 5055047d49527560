"""A stabiliser for position-controlled joints: DCM feedback, foot wrenches, soles fed forward.

Each period:

1. divergent component of motion xi = c + c'/omega, omega^2 = g/height; the zero-moment point that
   brings it back, with the plan's p_ref, xi_ref [EnglsbergerEtAl2015]

       p = p_ref + (1 + k/omega) (xi - xi_ref) + k_i integral(xi - xi_ref),

   moved into the feet that carry (less a margin);
2. wrenches w_k of the feet for that point (`robot.control.distribution`);
3. feed-forward of the soles: under w_k a foot moves by delta_k = -K6^-1 w_k against the ground, so
   that is where its joints put it: a tilt where a moment is wanted, down where weight is carried;
4. feed-forward of the joints: torques of inverse dynamics for these wrenches;
5. admittance: roll, pitch and height of the feet give way to what the sensors measure,

       phi' = (tau - tau_d)/D - phi/T,    z' = -+((f_l - f_r) - (f_l - f_r)_d)/(2 D_z) - z/T.

3 and 5 turn into joint angles by the Jacobian of each leg, waist to sole frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from robot.control.controller import Sensed
from robot.control.distribution import distributed
from robot.gait.plan import Tick, WalkPlan
from robot.modelling.robot_model import RobotModel
from robot.servo import Command
from sole.arrays import BoolArray, FloatArray
from sole.errors import SoleError

G = 9.81  # m/s^2


@dataclass(frozen=True, kw_only=True)
class StabiliserGains:
    """Numbers of the stabiliser.

    Parameters
    ----------
    k : feedback of the DCM, k > 0 [1/s]. k_i : of its integral [1/s].
    margin : distance that the zero-moment point keeps from the edges of a foot [m].
    D : of roll and pitch [N m s/rad]; D_z of the height [N s/m]; infinite: none.
    T : time in which the admittance forgets [s].
    lag : time constant of the low-pass on the wanted wrenches [s].
    """

    k: float = 4.0
    k_i: float = 0.0
    margin: float = 0.01
    D: float = 400.0
    D_z: float = 2e5
    T: float = 1.0
    lag: float = 0.004


class Stabiliser:
    """The controller of this file.

    Parameters
    ----------
    robot, plan : what walks, and how.
    stiffness : K6 (2, 6, 6) of the soles about the centre of their tread (`foot_stiffness`), None
        for rigid feet.
    thickness : of the soles [m].
    """

    def __init__(
        self,
        robot: RobotModel,
        plan: WalkPlan,
        *,
        stiffness: FloatArray | None = None,
        thickness: float = 0.0,
        gains: StabiliserGains | None = None,
        period: float = 1e-3,
    ) -> None:
        self.robot, self.plan, self.period = robot, plan, period
        self.gains = StabiliserGains() if gains is None else gains
        self.thickness = thickness
        self.compliance = None
        if stiffness is not None:
            if np.shape(stiffness) != (2, 6, 6):
                raise SoleError(f"stiffness has shape {np.shape(stiffness)}, expected (2, 6, 6)")
            self.compliance = np.linalg.inv(stiffness)
        model = robot.model
        self.model, self.data = model, model.createData()
        self.legs = [np.array([model.joints[j].idx_v for j in leg]) for leg in robot.legs]
        self.mass = robot.mass
        self.reset()

    def reset(self) -> None:
        """Forget everything but the plan."""
        self.wanted: FloatArray | None = None
        self.drift = np.zeros(2)
        self.tilt = np.zeros((2, 2))  # roll, pitch per foot
        self.lift = 0.0  # of the left foot against the right
        self.change = np.zeros(self.model.nv)

    def update(self, sensed: Sensed, t: float) -> Command:
        """Return joint references and feed-forward torques for t + period."""
        import pinocchio as pin

        now, tick = self.plan.at(t), self.plan.at(t + self.period)
        g, T = self.gains, self.period
        c = pin.centerOfMass(self.model, self.data, sensed.q, sensed.v)
        speed = self.data.vcom[0]
        floor = tick.feet[tick.supports, 2, 3].mean() - self.thickness
        omega = sqrt((G + tick.com_acceleration[2]) / (tick.com[2] - floor))
        e = (c + speed / omega)[:2] - now.dcm
        self.drift = self.drift + T * e
        p = self._inside(tick.zmp + (1 + g.k / omega) * e + g.k_i * self.drift, tick)
        lateral = self.mass * (tick.com_acceleration[:2] - omega**2 * (p - tick.zmp))
        force = np.array([*lateral, self.mass * (G + tick.com_acceleration[2])])
        world = distributed(p, force, tick.feet[:, :2, 3], tick.supports)
        R = tick.feet[:, :3, :3]
        w = np.einsum("kji,kaj->kai", R, world.reshape(2, 2, 3)).reshape(2, 6)
        self.wanted = w if self.wanted is None else w + (self.wanted - w) * np.exp(-T / g.lag)
        moved = self._admittance(sensed.wrenches, tick.supports)
        if self.compliance is not None:
            moved = moved - np.einsum("kij,kj->ki", self.compliance, self.wanted)
        # from the centre of the tread to the sole frame: h above it
        moved[:, 0] += self.thickness * moved[:, 4]
        moved[:, 1] -= self.thickness * moved[:, 3]
        return self._command(tick, moved)

    def _inside(self, p: FloatArray, tick: Tick) -> FloatArray:
        """Move p into the feet that carry: the one foot, or the stripe between both."""
        feet, supports, g = tick.feet, tick.supports, self.gains
        if supports[0] == supports[1]:
            return p
        k = int(supports[1])
        half = self.robot.feet[k].half_size - g.margin
        R, centre = feet[k, :2, :2], feet[k, :2, 3]
        return np.asarray(centre + R @ np.clip(R.T @ (p - centre), -half, half))

    def _admittance(self, measured: FloatArray, supports: BoolArray) -> FloatArray:
        """Return the foot motions (2, 6) that give way to the measured wrenches."""
        g, T, w = self.gains, self.period, self.wanted
        assert w is not None
        at_tread = measured[:, 3:5].copy()
        at_tread[:, 0] -= self.thickness * measured[:, 1]
        at_tread[:, 1] += self.thickness * measured[:, 0]
        carries = np.minimum(measured[:, 2], w[:, 2]) > 0.05 * self.mass * G
        rate = np.where(carries[:, None], (at_tread - w[:, 3:5]) / g.D, 0.0)
        self.tilt = self.tilt + T * (rate - self.tilt / g.T)
        off = (measured[0, 2] - measured[1, 2]) - (w[0, 2] - w[1, 2])
        both = supports.all()
        self.lift = self.lift + T * ((off / g.D_z if both else 0.0) - self.lift / g.T)
        moved = np.zeros((2, 6))
        moved[:, 3:5] = self.tilt
        moved[0, 2], moved[1, 2] = self.lift / 2, -self.lift / 2
        return moved

    def _command(self, tick: Tick, moved: FloatArray) -> Command:
        """Put the feet where they are wanted, with the torques that hold the wrenches."""
        import pinocchio as pin

        q, v, a = tick.q, tick.v, tick.a
        model, data, w = self.model, self.data, self.wanted
        assert w is not None
        tau = pin.rnea(model, data, q, v, a)
        pin.computeJointJacobians(model, data, q)
        change = np.zeros(model.nv)
        for k, foot in enumerate(self.robot.feet):
            J = pin.getFrameJacobian(model, data, foot.frame, pin.LOCAL)
            leg = self.legs[k]
            change[leg] = np.linalg.solve(J[:, leg], moved[k])
            at_sole = w[k].copy()
            at_sole[3] += self.thickness * w[k, 1]
            at_sole[4] -= self.thickness * w[k, 0]
            tau = tau - J.T @ at_sole
        rate = (change - self.change) / self.period
        self.change = change
        return Command(positions=q[7:] + change[6:], velocities=v[6:] + rate[6:], torques=tau[6:])
