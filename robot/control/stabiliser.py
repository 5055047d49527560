"""A stabiliser for position-controlled joints: DCM feedback, foot wrenches, soles fed forward.

Each period:

1. divergent component of motion xi = c + c'/omega, omega^2 = g/height; the zero-moment point that
   brings it back, with the plan's p_ref, xi_ref [EnglsbergerEtAl2015]

       p = p_ref + (1 + k/omega) (xi - xi_ref) + k_i integral(xi - xi_ref),

   moved into the feet that carry (less a margin);
2. wrenches w_k of the feet for that point: shares of the force m (c'' + g) by where p lies between
   the feet, the moment about p likewise [KajitaEtAl2010];
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

from robot.control import kernels
from robot.control.controller import Sensed
from robot.gait.plan import Tick, WalkPlan
from robot.modelling.robot_model import RobotModel
from robot.servo import Command
from sole.arrays import FloatArray, IntArray
from sole.errors import SoleError

G = 9.81  # m/s^2
LOADED = 0.05  # share of the weight from which a foot's torques count


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
        self.legs = _columns(robot)
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
        g, T, model, data = self.gains, self.period, self.model, self.data
        c = pin.centerOfMass(model, data, sensed.q, sensed.v)
        wanted = np.empty((2, 6))
        p, force = self._balance(np.asarray(c), np.asarray(data.vcom[0]), now, tick)
        kernels.foot_wrenches(p, force, tick.feet, tick.supports, wanted)
        if self.wanted is not None:
            wanted += (self.wanted - wanted) * np.exp(-T / g.lag)
        self.wanted = wanted
        moved = np.zeros((2, 6))
        if self.compliance is not None:
            moved[0] = -self.compliance[0] @ wanted[0]
            moved[1] = -self.compliance[1] @ wanted[1]
        self.lift = kernels.admittance(
            sensed.wrenches, wanted, tick.supports, self.thickness, LOADED * self.mass * G,
            T, g.D, g.D_z, g.T, self.tilt, self.lift, moved,
        )  # fmt: skip
        tau = np.array(pin.rnea(model, data, tick.q, tick.v, tick.a))
        pin.computeJointJacobians(model, data, tick.q)
        J = np.empty((2, 6, model.nv))
        for k, foot in enumerate(self.robot.feet):
            J[k] = pin.getFrameJacobian(model, data, foot.frame, pin.LOCAL)
        change = np.empty(model.nv)
        kernels.leg_changes(J, self.legs, moved, self.thickness, wanted, change, tau)
        rate = (change - self.change) / T
        self.change = change
        return Command(
            positions=tick.q[7:] + change[6:], velocities=tick.v[6:] + rate[6:], torques=tau[6:]
        )

    def _balance(
        self, c: FloatArray, speed: FloatArray, now: Tick, tick: Tick
    ) -> tuple[FloatArray, FloatArray]:
        """Return the zero-moment point (2,) that is wanted and the force (3,) that goes with it."""
        g = self.gains
        floor = tick.feet[tick.supports, 2, 3].mean() - self.thickness
        omega = sqrt((G + tick.com_acceleration[2]) / (tick.com[2] - floor))
        e = (c + speed / omega)[:2] - now.dcm
        self.drift = self.drift + self.period * e
        p = self._inside(tick.zmp + (1 + g.k / omega) * e + g.k_i * self.drift, tick)
        force = tick.com_acceleration.copy()
        force[2] += G
        force[:2] -= omega**2 * (p - tick.zmp)
        return p, self.mass * force

    def _inside(self, p: FloatArray, tick: Tick) -> FloatArray:
        """Move p into the one foot that carries; between two feet the shares see to it."""
        if tick.supports[0] == tick.supports[1]:
            return p
        k = int(tick.supports[1])
        half = self.robot.feet[k].half_size - self.gains.margin
        R, centre = tick.feet[k, :2, :2], tick.feet[k, :2, 3]
        return np.asarray(centre + R @ np.clip(R.T @ (p - centre), -half, half))


def _columns(robot: RobotModel) -> IntArray:
    """Return the columns (2, n) of the joints from the waist to each foot.

    Raises
    ------
    SoleError
        The legs have fewer than six joints, or not equally many.
    """
    legs = [[robot.model.joints[j].idx_v for j in leg] for leg in robot.legs]
    if len(legs[0]) != len(legs[1]) or len(legs[0]) < 6:
        raise SoleError(
            f"the stabiliser moves feet with 6 joints or more per leg, {robot.name} has "
            f"{len(legs[0])} and {len(legs[1])}: use the plain joint PD"
        )
    return np.array(legs, dtype=np.int64)
