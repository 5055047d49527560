"""The simulator: a humanoid with implicit joint servos on exact, compliant contact.

One step of dt, at M, h, J of its start:

    M' (v+ - v) = dt (S'tau_0 - h + f_push + J'w) - D v,     M' = M + D,

D = dt kd + dt^2 kp on the joints (`robot.simulator.joint_forces`), w the wrenches of the contact
step (`contact.step`) for S6 = J M'^-1 J' and the free velocity v_free (w = 0). Then q moves with
the mean velocity theta v+ + (1 - theta) v. The six rows of the base know nothing of servos, so

    d(momentum)/dt = weight + wrenches + pushes             to round-off, with dv/dt = (v+ - v)/dt.

Servos, stops and springs are implicit, so any gain is stable. For accuracy a dt above `LONGEST` is
refused. The motion is of first order in dt for any theta, since M, h and J hold at the start of the
step and the servos at its end; theta = 1/2 halves the error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from contact.constants import check_time_step
from contact.ground import Ground
from contact.papers.penalty import PenaltyLaw
from contact.step import CompliantStep, ContactStep, StepMotion, StepOptions, StepResult, StepWay
from robot.simulator.couplings import Coupling, Couplings, SpringStep
from robot.simulator.dynamics import Dynamics, Snapshot
from robot.simulator.joint_forces import JointForces, JointLaws
from robot.simulator.joint_forces_kernels import TRIALS
from robot.simulator.joint_space import JointSpace
from robot.simulator.joint_space_kernels import measure_motion
from robot.simulator.penalty_step import PenaltyStep
from robot.simulator.robot_step import RobotState, SimStep, Work
from robot.simulator.servo import LONGEST, Command, Servo
from robot.simulator.stops import Stops
from robot.simulator.touching import Push, Touching
from robot.tree import integrate_motion
from sole.base.arrays import FloatArray, sealed
from sole.base.errors import SoleError

if TYPE_CHECKING:
    import pinocchio as pin


BASE = 6  # rows of the floating base
NEAR_UNIT = 1e-3  # what a quaternion's length may be off 1


@dataclass(eq=False)
class Simulator:
    """A robot on a ground: `step(state, command, dt)` is a pure function.

    A simulator keeps work space that every step overwrites: give each thread its own.

    Parameters
    ----------
    model : Pinocchio's model: a floating base, n joints of one degree of freedom, then free objects
        (`robot.scenery.objects`) and feet on bushes (`robot.scenery.bush`), each with its own
        floating base.
    touching : bodies that may touch the ground or an object.
    ground : ground of the fixed world.
    servo : gains and limits of the joints.
    options : options of the contact step.
    stops : stops at the ends of the n joints' ranges; None: no stops.
    couplings : springs between two frames, for example of a foot and its ankle.
    penalty : penalty law of contact, with the limitations of `robot.simulator.penalty_step`; None:
        exact contact.
    ways : makers of short ways of the contact step: `contact.step.CompliantStep`.
        `robot.fused.fast_simulator` gives those that walks use.

    Attributes
    ----------
    moving : whether there are objects on which a body may stand.
    """

    model: pin.Model
    touching: Sequence[Touching]
    ground: Ground
    servo: Servo
    options: StepOptions = field(default_factory=StepOptions)
    stops: Stops | None = None
    couplings: Sequence[Coupling] = ()
    penalty: PenaltyLaw | None = None
    ways: Sequence[Callable[[CompliantStep], StepWay]] = ()

    def __post_init__(self) -> None:
        n = len(self.servo.kp)
        stops = Stops.none(n) if self.stops is None else self.stops
        if stops.lower.shape != (n,):
            raise SoleError(f"got stops for {len(stops.lower)} joints, the servo has {n}")
        self.laws = JointLaws(self.servo, stops)
        self.joints = slice(BASE, BASE + n)
        free = self.model.nv - self.joints.stop
        if free < 0 or free % BASE or self.model.nq != self.model.nv + 1 + free // BASE:
            raise SoleError(
                f"the model needs a floating base, {self.joints.stop - BASE} joints of one degree "
                f"of freedom and free objects, got nq = {self.model.nq}, nv = {self.model.nv}"
            )
        surfaces = [t.against for t in self.touching]
        against = [0 if s is None else s.frame for s in surfaces]
        grounds = [self.ground if s is None else s.ground for s in surfaces]
        self._couplings = Couplings(self.model, self.couplings) if self.couplings else None
        self.dynamics = Dynamics(self.model, [t.frame for t in self.touching], against)
        linked = [(c.lower, c.upper) for c in self.couplings]
        self.space = JointSpace(self.model, len(self.touching), linked)
        bodies, law = [t.body for t in self.touching], self.penalty
        self.stepper: ContactStep = (
            CompliantStep(bodies, grounds, self.options, self.ways)
            if law is None
            else PenaltyStep(bodies, grounds, law, self.options)
        )
        self.moving = any(against)

    def at(self, q: FloatArray, v: FloatArray | None = None) -> RobotState:
        """Return the state at configuration `q` with undeformed soles that never touched."""
        q = np.array(q, dtype=float)
        v = np.zeros(self.model.nv) if v is None else np.array(v, dtype=float)
        if q.shape != (self.model.nq,) or v.shape != (self.model.nv,):
            raise SoleError(
                f"q and v have shapes {q.shape} and {v.shape}, expected ({self.model.nq},) and "
                f"({self.model.nv},)"
            )
        free = q[self.joints.stop + 1 :].reshape(-1, 7)
        turns = np.vstack([q[3:7], free[:, 3:]])
        if not (np.abs(np.linalg.norm(turns, axis=1) - 1.0) < NEAR_UNIT).all():
            raise SoleError(
                "q[3:7] and the quaternions of free objects must be of length 1 (x, y, z, w), got "
                f"{turns.tolist()}"
            )
        return RobotState(q=q, v=sealed(v), soles=self.stepper.start())

    def step(
        self, state: RobotState, command: Command, dt: float, pushes: Sequence[Push] = ()
    ) -> SimStep:
        """Step by `dt` [s].

        Raises
        ------
        SoleError
            The command is not finite or has a wrong shape.
        ConvergenceError
            The contact forces are not finite.

        Warns
        -----
        LinearRangeWarning
            Once, when a sole deforms beyond linear elasticity.
        """
        check_time_step(dt, LONGEST)
        q, v, joints = state.q, state.v, self.joints
        angles = q[joints.start + 1 : joints.stop + 1]
        forces = JointForces(self.laws, angles, v[joints], command, dt)
        springs = None if self._couplings is None else self._couplings.at(q, dt)
        snap = self.dynamics.at(q, v)
        outer = self.dynamics.pushed(pushes)
        for _ in range(TRIALS):
            new, done = self._solved(state, snap, outer, forces, springs, dt)
            if forces.settle(new[joints]):
                break
        way, acceleration, stopped, pushed = measure_motion(
            v, new, self.options.theta, dt, joints.start, forces.stopping, outer
        )
        return SimStep(
            state=RobotState(
                q=integrate_motion(self.dynamics.robot[0], q, way),
                v=sealed(new),  # as after a block: kernels are compiled once
                soles=done.state,
                time=state.time + dt,
            ),
            start=snap,
            contact=done,
            torques=forces.torques,
            saturated=forces.saturated,
            stops=forces.stopping,
            couplings=np.zeros((0, 6)) if springs is None else springs.wrenches(new),
            acceleration=acceleration,
            work=Work(stopped, pushed, 0.0 if springs is None else springs.work(new, way)),
        )

    def _solved(
        self,
        state: RobotState,
        snap: Snapshot,
        outer: FloatArray,
        forces: JointForces,
        springs: SpringStep | None,
        dt: float,
    ) -> tuple[FloatArray, StepResult]:
        """Return v+ (nv,) and the contact step under the forces of joints and springs."""
        v, force, extra = state.v, outer - snap.h, None
        if springs is not None:
            force += springs.constant - springs.rate @ v
            extra = dt * springs.rate
        condensed = self.space.condense(
            snap, v, force, self.joints.start, forces.numbers, dt, extra
        )
        free, S6, twists, free_twists = condensed
        motion = StepMotion(twists, free_twists, S6, dt)
        bias = partial(self.dynamics.bias, state.q, v)
        done = self.stepper.step(state.soles, snap.rotations, snap.places, motion, bias)
        return self.space.follow(free, done.wrenches, dt), done
