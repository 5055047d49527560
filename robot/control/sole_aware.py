"""Whole-body control that has the soles' law in its dynamics.

In each period:

1. an observer takes the wrench of each sole and the error of its foot's velocity from ankle
   sensors, encoders and inertial unit (`robot.control.sole_observer`);
2. K6 of the nodes that touch now is looked up by the centre of pressure
   (`robot.control.contact_stiffness`);
3. the error of the divergent component of motion and of the waist's inclination give the force and
   moment that the robot needs (`robot.control.balance_kernels`);
4. a quadratic program finds joint accelerations and the aims of both soles' wrenches, within
   friction, treads, torques, speeds and ranges of the joints
   (`robot.control.whole_body_kernels`);
5. the drives get the torques, with the next state of the joints as reference.

The servos of a position-controlled robot thus only resist what the model did not foresee: their
damping counts as further inertia of the joints, and where the model is exact they do nothing.
Integrating the accelerations into references instead would leave the wrench of a sole to the
servos' stiffness, which no sensor tells the program.

A tick whose program has no solution, or whose readings are no numbers, repeats the last command and
is counted in `failures`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from contact.constants import FRICTION
from robot.control.balance_kernels import LOADED, STANDS, Gains, GaitMemory, Limbs
from robot.control.body_kernels import (
    BodyReadings,
    read_sensors,
    to_tread,
    write_command,
    write_tick,
)
from robot.control.contact_stiffness import ContactStiffness, SoleTables, toe_twists
from robot.control.controller import Sensed, are_within
from robot.control.friction_box import held_share, yaw_radius
from robot.control.plan_targets import PlanTargets
from robot.control.sensed_soles import felt_eta, sensed_share, stiffest_of
from robot.control.sole_aware_choice import SoleAwareChoice
from robot.control.sole_observer import (
    ObserverGains,
    RobotEstimate,
    joint_gains,
)
from robot.control.stabiliser import leg_columns
from robot.control.whole_body_kernels import Program
from robot.control.whole_body_solver import quadratic_solver, solve_program
from robot.gait import MotionPlan
from robot.simulator import Command
from robot.soles import FeetOnSoles
from sole.base.arrays import FloatArray
from sole.base.compiled import packed
from sole.base.constants import GRAVITY
from sole.base.errors import SoleError

TUNED = ("omega", "zeta", "k", "height", "waist", "swing", "posture", "fade", "reach")
FINITE = float(np.finfo(float).max)
BEGINS = 0.05  # s for which feet count as loaded that stand from the beginning
LEG = 1e-3  # weight of a leg's joint in the posture; the others have 1


class SoleAware:
    """The controller of this module.

    Parameters
    ----------
    feet : robot and soles. plan : what it follows.
    choice : what it assumes, and its gains. friction : Coulomb's mu. eta : of the soles [s].
    damping : (n,) kd of the servos [N m s/rad]. period : T, time between two calls [s].
    exact : whether readings are the true state, and there is nothing to observe. delay : of the
        ankle sensors [s].

    Raises
    ------
    SoleError
        Rigid soles with model "sole"; treads too small for the margin; legs with fewer than six
        joints; the package daqp is missing.
    """

    def __init__(
        self,
        feet: FeetOnSoles,
        plan: MotionPlan,
        *,
        choice: SoleAwareChoice | None = None,
        friction: float = FRICTION,
        eta: float = 0.0,
        damping: float = 200.0,
        exact: bool = True,
        delay: float = 0.0,
        period: float = 1e-3,
    ) -> None:
        c = self.choice = SoleAwareChoice() if choice is None else choice
        robot = feet.robot
        self.robot, self.plan, self.period = robot, plan, period
        self.solve, self.delay = quadratic_solver(), delay
        self.aware = c.model == "sole"
        self.observes = self.aware and not exact
        if self.observes:
            eta = felt_eta(c.assumed * stiffest_of(feet), eta, period)
        self.eta = eta
        self.contact: ContactStiffness | None = None
        self.tables = SoleTables(np.zeros((2, 1, 3, 6, 6)), np.zeros((2, 1, 6)))
        self.thickness, edges = np.array(feet.thicknesses), feet.edges
        self.middle, self.half = edges.mean(axis=1), np.ptp(edges, axis=1) / 2
        self.targets = PlanTargets(robot, plan, self.thickness)
        self.model, self.data = robot.model, robot.model.createData()
        self.still, self.frames = np.zeros(robot.model.nv), [foot.frame for foot in robot.feet]
        self.buffers = (
            np.empty((2, 3, 3)), np.empty((2, 3)), np.empty((2, 6)), np.empty((2, 6)),
            np.zeros(2, np.int64),
        )  # fmt: skip
        self.limbs = self._limbs(feet, plan, damping)
        twist = min(yaw_radius(sole.points, sole.areas) for sole in feet.soles)
        chosen = {name: getattr(c, name) for name in TUNED}
        self.gains = Gains(
            mass=robot.mass, T=period, eta=eta, aware=float(self.aware), twist=twist,
            mu=friction * min(held_share(sole, twist) for sole in feet.soles),
            **chosen,
        )  # fmt: skip
        weight = robot.mass * GRAVITY
        self.observer = ObserverGains(
            **joint_gains(period), delay=delay, T=period, eta=eta, least=LOADED * weight,
            weight=weight,
        )  # fmt: skip
        self.reset()

    def _limbs(self, feet: FeetOnSoles, plan: MotionPlan, damping: float) -> Limbs:
        """Return the constants of the robot."""
        import pinocchio as pin

        robot, model, data, n = self.robot, self.model, self.data, len(self.robot.joints)
        margin = self.choice.margin
        edges = feet.edges + np.array([[margin], [-margin]])
        if (edges[:, 0] >= edges[:, 1]).any():
            raise SoleError(
                f"a tread is too small for sole-aware control, which keeps {1e3 * margin:g} mm "
                "from its edges: use larger soles"
            )
        q = plan.q_ref[0]
        pin.computeAllTerms(model, data, q, self.still)
        pin.ccrba(model, data, q, self.still)
        M = data.M.copy()
        M[np.arange(6, 6 + n), np.arange(6, 6 + n)] += self.period * damping
        J = np.empty((2, 6, model.nv))
        for k, foot in enumerate(robot.feet):
            J[k] = pin.getFrameJacobian(model, data, foot.frame, pin.LOCAL)
            to_tread(J[k], float(self.thickness[k]))
        compliance, c, columns = np.zeros((2, 6, 6)), self.choice, np.full(2, -1)
        if self.aware:
            S = J @ np.linalg.solve(M, J.transpose(0, 2, 1))
            assumed = c.assumed
            if self.observes:
                assumed *= sensed_share(assumed * stiffest_of(feet))
            columns, toes = toe_twists(feet, data)
            self.contact = ContactStiffness(feet, assumed, S, c.omega, c.zeta, toes)
            compliance[:] = [sole.C for sole in self.contact.whole]
            self.tables = self.contact.tables
        posture = np.ones(n)
        posture[leg_columns(robot).ravel() - 6] = LEG
        return Limbs(
            thickness=self.thickness, edges=edges, inertia=data.Ig.inertia.copy(),
            compliance=compliance, posture=posture,
            torque=np.array(robot.torque), lower=np.array(robot.lower),
            upper=np.array(robot.upper), fastest=np.array(robot.velocity), toes=columns,
        )  # fmt: skip

    def reset(self) -> None:
        """Forget everything but the plan."""
        self.failures = 0
        self.last: Command | None = None
        nq, nv = self.robot.model.nq, self.robot.model.nv
        self.estimate = RobotEstimate(
            q=np.zeros(nq), v=np.zeros(nv), a=np.zeros(nv), w=np.zeros((2, 6)),
            u=np.zeros((2, 6)), P=np.zeros((18, 18)), begun=np.zeros(1),
        )  # fmt: skip
        mode = np.full(2, STANDS, dtype=np.int64)
        self.gait = GaitMemory(
            mode, np.zeros((2, 6)), np.full(2, -BEGINS), np.zeros((2, 6)), np.zeros(1)
        )

    def arrays(self) -> dict[str, Any]:
        """Return the memory of the controller, for `np.savez`."""
        kept = {**self.estimate._asdict(), **self.gait._asdict()}
        last = self.last
        if last is not None and last.torques is not None:
            kept["last"] = np.stack([last.positions, last.velocities, last.torques])
        return {**{k: np.array(x) for k, x in kept.items()}, "failures": np.array(self.failures)}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Continue from `arrays()`, bit for bit."""
        self.estimate = RobotEstimate(*(np.array(arrays[name]) for name in RobotEstimate._fields))
        self.gait = GaitMemory(*(np.array(arrays[name]) for name in GaitMemory._fields))
        self.failures = int(arrays["failures"])
        self.last = None
        if "last" in arrays:
            q, v, tau = np.array(arrays["last"])
            self.last = Command(positions=q, velocities=v, torques=tau)

    def update(self, sensed: Sensed, t: float) -> Command:
        """Return joint references and torques for t + period.

        Raises
        ------
        SoleError
            The wrenches of the ankle sensors are missing.
        """
        if np.shape(sensed.wrenches) != (2, 6):
            raise SoleError(
                "sole-aware control observes the soles by the force sensors in both ankles: got "
                f"wrenches of shape {np.shape(sensed.wrenches)}, expected (2, 6)"
            )
        q, v, w = (np.array(x, dtype=float) for x in (sensed.q, sensed.v, sensed.wrenches))
        if not are_within(q, v, w.ravel(), FINITE):
            return self._repeated(sensed)
        program = self.program(q, v, w, t)
        x = solve_program(self.solve, program)
        if x is None:
            return self._repeated(sensed)
        m = self.estimate
        if self.observes:
            q, v = m.q, m.v
        q, v, torques = write_command(x, program.A, *program[5:], q, v, self.period, m.a)
        self.last = Command(positions=q, velocities=v, torques=torques)
        return self.last

    def program(self, q: FloatArray, v: FloatArray, wrenches: FloatArray, t: float) -> Program:
        """Return the quadratic program of this tick; the observer's memory moves on.

        q (nq,), v (nv,), wrenches (2, 6) as in `Sensed`.
        """
        m, row = self.estimate, self.targets.row(self.plan.row(t + self.period))
        readings = self.readings(q, v, wrenches)
        return Program(
            *write_tick(
                packed(readings), packed(self.tables), self.observes, packed(m),
                packed(self.observer), row, packed(self.limbs), packed(self.gains),
                packed(self.gait),
            )
        )  # fmt: skip

    def _repeated(self, sensed: Sensed) -> Command:
        """Return the last feasible command, or one that holds the posture before there is any."""
        self.failures += 1
        self.estimate.a[:] = 0.0
        if self.last is None:
            still, q = np.zeros(len(self.robot.joints)), sensed.q
            q = q if np.isfinite(q).all() else self.plan.q_ref[0]
            return Command(positions=q[7:], velocities=still, torques=still)
        return self.last

    def readings(self, q: FloatArray, v: FloatArray, wrenches: FloatArray) -> BodyReadings:
        """Return dynamics, feet and soles as sensed; the observer predicts them before.

        Its arrays are those of the next call, too.
        """
        import pinocchio as pin

        model, data, m, local = self.model, self.data, self.estimate, pin.LOCAL
        R, p, drift, w, cells = self.buffers
        read_sensors(
            q, v, wrenches, self.thickness, self.middle, self.half, self.observes, packed(m),
            packed(self.observer), w, cells,
        )  # fmt: skip
        if self.contact is None:
            cells[:] = 0
        else:
            self.contact.fill(cells)
        gyro = v[3:6]
        if self.observes:
            q, v = m.q, m.v
        M, h = pin.crba(model, data, q), pin.nonLinearEffects(model, data, q, v)
        pin.forwardKinematics(model, data, q, v, self.still)
        pin.computeJointJacobians(model, data)
        J = []
        for k, frame in enumerate(self.frames):
            pose = pin.updateFramePlacement(model, data, frame)
            R[k], p[k] = pose.rotation, pose.translation
            J.append(pin.getFrameJacobian(model, data, frame, local))
            drift[k] = pin.getFrameAcceleration(model, data, frame, local).vector
        return BodyReadings(
            q=q, v=v, M=M, h=h, turn=data.oMi[1].rotation, left=J[0], right=J[1], R=R, p=p,
            drift=drift, w=w, cells=cells, gyro=gyro,
        )  # fmt: skip
