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

6. aim: a swing foot goes where the plan has it in the world, against the error of the base
   (d + theta x r and theta); standing, it forgets that, which turns the base upright. Without,
   each foot lands a little earlier and harder than the one before it.

3, 5 and 6 turn into joint angles by the Jacobian of each leg, waist to sole frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np

from robot.control import kernels
from robot.control.controller import Sensed
from robot.gait.plan import WalkPlan
from robot.mechanics.servo import Command
from robot.modelling.robot_model import RobotModel
from sole.arrays import FloatArray, IntArray
from sole.errors import SoleError

MEMORY = ("started", "drift", "wanted", "tilt", "lift", "aimed", "change")


@dataclass(frozen=True, kw_only=True)
class StabiliserGains:
    """Numbers of the stabiliser.

    Parameters
    ----------
    k : feedback of the DCM, k > 0 [1/s]. k_i : of its integral [1/s].
    margin : distance that the zero-moment point keeps from the edges of a foot [m].
    D : of roll and pitch [N m s/rad]; D_z of the height [N s/m]; infinite: none.
    T : time in which admittance and aim are forgotten [s]. swing : in which a swing foot is
        aimed [s].
    lag : time constant of the low-pass on the wanted wrenches [s].
    """

    k: float = 4.0
    k_i: float = 0.0
    margin: float = 0.01
    D: float = 400.0
    D_z: float = 2e5
    T: float = 1.0
    swing: float = 0.05
    lag: float = 0.004


class Stabiliser:
    """The controller of this file.

    Parameters
    ----------
    robot, plan : what walks, and how.
    stiffness : K6 (2, 6, 6) of the soles about the centre of their tread (`foot_stiffness`), None
        for rigid feet.
    thickness : of the soles [m], of both or of the left and the right one.
    edges : (2, 2, 2) least and largest x and y of each tread in its sole frame [m]; None: those
        of the foot.
    """

    def __init__(
        self,
        robot: RobotModel,
        plan: WalkPlan,
        *,
        stiffness: FloatArray | None = None,
        thickness: float | tuple[float, float] = 0.0,
        edges: FloatArray | None = None,
        gains: StabiliserGains | None = None,
        period: float = 1e-3,
    ) -> None:
        self.robot, self.plan, self.period = robot, plan, period
        self.gains = StabiliserGains() if gains is None else gains
        compliance = np.zeros((2, 6, 6))
        if stiffness is not None:
            if np.shape(stiffness) != (2, 6, 6):
                raise SoleError(f"stiffness has shape {np.shape(stiffness)}, expected (2, 6, 6)")
            compliance[:] = np.linalg.inv(stiffness)
        self.model, self.data = robot.model, robot.model.createData()
        self.frames, self.legs = [foot.frame for foot in robot.feet], _columns(robot)
        g, within = self.gains, edges
        if within is None:
            within = np.array([[-foot.half_size, foot.half_size] for foot in robot.feet])
        inner = within + np.array([[g.margin], [-g.margin]])
        if (inner[:, 0] >= inner[:, 1]).any():
            raise SoleError(
                f"a tread of {1e3 * np.ptp(within, axis=1).min():.3g} mm is too small for the "
                f"stabiliser, which keeps {1e3 * g.margin:g} mm from its edges: take larger soles"
            )
        self.constants = inner, compliance, np.array(np.broadcast_to(thickness, 2), dtype=float)
        self.numbers = robot.mass, period, g.k, g.k_i, g.D, g.D_z, g.T, g.swing
        self.reset()

    def reset(self) -> None:
        """Forget everything but the plan."""
        self.started = False
        self.drift, self.wanted = np.zeros(2), np.zeros((2, 6))
        self.tilt = np.zeros((2, 2))  # roll, pitch per foot
        self.lift = np.zeros(1)  # of the left foot against the right
        self.aimed = np.zeros((2, 6))  # of the feet, against the base, world axes
        self.change = np.zeros(self.model.nv)

    def arrays(self) -> dict[str, Any]:
        """Return what the next command depends on besides `sensed` and the time, for `np.savez`."""
        return {name: np.array(getattr(self, name)) for name in MEMORY}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Go on from `arrays()`, bit for bit."""
        for name in MEMORY:
            setattr(self, name, np.array(arrays[name]))

    def update(self, sensed: Sensed, t: float) -> Command:
        """Return joint references and feed-forward torques for t + period."""
        import pinocchio as pin

        plan, model, data = self.plan, self.model, self.data
        now, then = plan.row(t), plan.row(t + self.period)
        q = plan.q_ref[then]
        c = pin.centerOfMass(model, data, sensed.q, sensed.v)
        tau = pin.rnea(model, data, q, plan.v_ref[then], plan.a_ref[then])
        J, local = np.empty((2, 6, model.nv)), pin.LOCAL
        for k, frame in enumerate(self.frames):
            J[k] = pin.computeFrameJacobian(model, data, q, frame, local)
        decay = exp(-self.period / self.gains.lag) if self.started else 0.0
        self.started = True
        positions, velocities, torques = kernels.stabilised(
            c, data.vcom[0], now, then, plan.dcm, plan.zmp, plan.com, plan.com_acceleration,
            plan.feet, plan.supports, plan.q_ref, plan.v_ref, tau, J, self.legs, sensed.wrenches,
            *self.constants, decay, *self.numbers, np.array(sensed.q[:7]),
            self.drift, self.wanted, self.tilt, self.lift, self.aimed, self.change,
        )  # fmt: skip
        return Command(positions=positions, velocities=velocities, torques=torques)


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
