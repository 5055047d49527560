"""One time step of feet on compliant soles: exact Coulomb contact, implicit, dissipative.

The sole of a foot is massless: F = K U + eta K dU/dt at its nodes, U relative to the foot and in
its axes. Over a step from t to t + dt, with F the mean contact forces and w = G'F their wrench,

    robot   v+ = v_free + dt S6 w,                 v_bar = theta v+ + (1 - theta) v,
    sole    F = K (theta U+ + (1 - theta) U) + eta K (U+ - U)/dt,
    node    u = P (G v_bar + (U+ - U)/dt) + n g/dt,

S6 = J6 M^-1 J6' and Coulomb's law between r = P F and u. Since u_n = g+/dt, nothing drifts and no
constant stabilises anything. Eliminating v+ and U+ leaves u = W r + q with

    W = P (theta dt G S6 G' + C/(theta dt + eta)) P',
    q = P (G (theta v_free + (1 - theta) v) - U/(theta dt + eta)) + n g/dt,
    U+ = U + dt (C F - U)/(theta dt + eta),    e+ = e + dt (F - e)/(theta dt + eta),  e = K U,

for all nodes: those that do not touch follow. theta = 1 is backward Euler; the law is then that
of [DuriezEtAl2006] and [ChardonnetEtAl] with a gap and a viscous sole; theta as in [Jean1999].

Energy. F.G v_bar dt is the work on the robot at the velocity that moves it, and

    F.(U+ - U) = E+ - E + (eta/dt) dU'K dU + (theta - 1/2) dU'K dU,   E = U'KU/2.

Contact itself gives -sum r_n g - friction, nothing positive unless a penetration g < 0 is pushed
out. So no theta >= 1/2 gains energy: F is the *mean* force and the law acts on it and the mean
velocity. (With the law at the end of the step and the mean of two forces as impulse, release and
reversal of slip can gain.) The price at theta = 1/2: with eta = 0 a node without force keeps
ringing, U+ = -U; any theta above damps this by (1 - theta)/theta per step. Likewise points without
compliance rebound with (1 - theta)/theta: give rigid feet theta = 1.

J is taken at the deformed nodes and frozen for the step, as are the normals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from contact.ground import Ground
from contact.sole_margin import SoleMargin, step_margins
from contact.solution import Solution
from contact.stepping.bodies import Bodies, Body
from contact.stepping.course import Course, Motion, run
from contact.stepping.end_kernels import missed
from contact.stepping.energy import StepEnergy
from contact.stepping.frame import Frame, look
from contact.stepping.look_kernels import unsound
from contact.stepping.options import StepOptions
from contact.stepping.solver import StepSolver
from contact.stepping.state import SLOTS, SoleState
from contact.terrain.several import SeveralGrounds
from sole.arrays import FloatArray, IntArray, sealed, trusted
from sole.errors import ConfigError, ConvergenceError, SoleError

__all__ = ["Body", "CompliantStep", "SoleState", "StepEnergy", "StepOptions", "StepResult"]

ROUND_OFF = 1e-12  # m/s: work per impulse that counts as none
CLOSED = 1e-12  # m: a contact left out that ends deeper was missed


@dataclass(frozen=True, eq=False, kw_only=True)
class StepResult:
    """The end of a step; twists and wrenches are those of the feet, in their axes at its start.

    Parameters
    ----------
    state : of the soles.
    wrenches : (B, 6) mean force and moment about the foot's origin on every foot [N, N m]. The
        robot follows with v+ = v_free + dt M^-1 J6' wrenches.
    twists : (6B,) at the end of the step.
    mean_twists : (6B,) v_bar: move the poses with it.
    solutions : one per sub-step, each with its certificate; none where nothing is near.
    energy : where it went.
    gaps : (M, S) of the deformed nodes at the start [m]; infinite without a face.
    nodes : (K,) and `slots` (K,): which contacts were solved.
    frame : their geometry, in the axes of the feet at the start.
    """

    state: SoleState
    wrenches: FloatArray
    twists: FloatArray
    mean_twists: FloatArray
    solutions: tuple[Solution, ...]
    energy: StepEnergy
    gaps: FloatArray
    nodes: IntArray
    slots: IntArray
    frame: Frame

    @property
    def solution(self) -> Solution | None:
        """The last sub-step's; None if nothing was near."""
        return self.solutions[-1] if self.solutions else None

    @property
    def solved(self) -> bool:
        """Whether all sub-steps met the tolerance."""
        return all(s.solved for s in self.solutions)

    @property
    def iterations(self) -> int:
        """Of all sub-steps."""
        return sum(s.iterations for s in self.solutions)


class CompliantStep:
    """The time step of given bodies on a given ground.

    Parameters
    ----------
    bodies : what may touch.
    ground : for all of them, or one for each. For a body on something movable, poses, twists and
        S6 are those of the motion relative to that thing, in whose axes its ground is given.
    options : how to step.
    """

    def __init__(
        self,
        bodies: Sequence[Body],
        ground: Ground | Sequence[Ground],
        options: StepOptions | None = None,
    ) -> None:
        self.bodies = Bodies(bodies)
        grounds = [ground] * len(bodies) if isinstance(ground, Ground) else ground
        self.ground, self.surfaces = ground, SeveralGrounds(grounds, self.bodies)
        self.options = StepOptions() if options is None else options
        self.quiet = replace(self.options, push_out=0.0, record=None)
        self.solver = StepSolver(self.bodies, self.options)

    def start(self) -> SoleState:
        """Return the state of undeformed soles that have never touched."""
        return SoleState.at_rest(self.bodies.nodes)

    def nodes_of(self, body: int) -> slice:
        """Return the nodes of one body in `SoleState`."""
        return self.bodies.nodes_of(body)

    def step(
        self,
        state: SoleState,
        rotations: FloatArray,
        places: FloatArray,
        twists: FloatArray,
        free_twists: FloatArray,
        inverse_inertia: FloatArray,
        dt: float,
    ) -> StepResult:
        """Step by `dt`.

        Parameters
        ----------
        rotations, places : R (B, 3, 3), p (B, 3): foot to world.
        twists : v (6B,) of the feet at the start: linear velocity of the origin, angular
            velocity, in the axes of the foot [m/s, rad/s].
        free_twists : (6B,) at the end of the step without contact forces.
        inverse_inertia : S6 = J6 M^-1 J6' (6B, 6B) [1/kg, ...], symmetric.
        dt : [s].

        Raises
        ------
        SoleError
            Arrays that do not fit.
        ConvergenceError
            The contact forces are not finite. (Merely inexact ones come back: see `solved`.)
        """
        R, p = _array(rotations), _array(places)
        motion = Motion(_array(twists), _array(free_twists), _array(inverse_inertia), float(dt))
        self._check(state, R, p, motion)
        ahead = motion.twists + self.options.theta * (motion.free_twists - motion.twists)
        rate = 1.0 / (self.options.theta * dt + self.bodies.eta)
        listed = np.zeros((self.bodies.nodes, SLOTS), dtype=np.bool_)
        while True:
            frame = look(self.bodies, self.surfaces, state, R, p, ahead, rate, motion.dt, listed)
            course, parts = run(self.bodies, self.options, self.solver, state, frame, motion)
            if not self.options.gains and self._gains(course, parts, motion):
                course, parts = run(self.bodies, self.quiet, self.solver, state, frame, motion)
            if not cast(Any, missed)(course.gaps, frame.node, frame.slot, listed, CLOSED):
                break
        return self._result(frame, course, parts, motion)

    def margins(self, result: StepResult) -> tuple[SoleMargin | None, ...]:
        """Return how close every foot is to slipping, yawing or tilting; None without load.

        Worked out when asked for, see `contact.sole_margin.step_margins`.
        """
        return step_margins(self, result)

    def _gains(self, course: Course, parts: int, motion: Motion) -> bool:
        """Return whether pushing out penetrations may have added energy.

        It has not if push <= -friction + viscous + numerical + (theta - 1/2) sum dv'M dv, the
        last over the sub-steps and at least (theta - 1/2) d'S6^+ d / parts for a change d of the
        twists of the feet.
        """
        e, small = course.energy, ROUND_OFF * float(max(map(abs, course.impulse.tolist())))
        rest = e.push + e.friction - e.viscous - e.numerical
        if rest <= small:
            return False
        d = course.twist - motion.twists
        lost = float(d @ np.linalg.lstsq(motion.inverse_inertia, d, rcond=1e-12)[0])
        return rest > (self.options.theta - 0.5) * max(lost, 0.0) / parts + small

    def _check(self, state: SoleState, R: FloatArray, p: FloatArray, motion: Motion) -> None:
        B, m = self.bodies.count, motion
        got = (R.shape, p.shape, m.twists.shape, m.free_twists.shape, m.inverse_inertia.shape)
        expected = ((B, 3, 3), (B, 3), (6 * B,), (6 * B,), (6 * B, 6 * B))
        if got != expected:
            raise SoleError(
                f"rotations, places, twists, free twists, inverse inertia have shapes {got}, "
                f"expected {expected}"
            )
        if state.status.shape != (self.bodies.nodes, SLOTS):
            raise SoleError(
                f"the state has {state.status.shape} nodes and slots, expected "
                f"{(self.bodies.nodes, SLOTS)}: take CompliantStep.start()"
            )
        if not (math.isfinite(m.dt) and m.dt > 0):
            raise ConfigError(f"dt must be positive, got {m.dt:g} s")
        wrong = cast(Any, unsound)(R, p, m.twists, m.free_twists, m.inverse_inertia)
        if wrong == 1:
            raise SoleError("rotations, places, twists and inverse inertia must be finite")
        if wrong == 2:
            raise SoleError(
                "the inverse inertia J6 M^-1 J6' must be symmetric with no negative diagonal entry"
            )

    def _result(self, frame: Frame, course: Course, parts: int, motion: Motion) -> StepResult:
        # Works of all forces on all motions: not finite as soon as one of them is not.
        if not math.isfinite(course.energy.imbalance + course.energy.contact):
            raise ConvergenceError(
                "contact forces are not finite: check inertia, poses and velocities", best=course
            )
        after = trusted(
            SoleState,
            displacement=sealed(course.U),
            elastic=sealed(course.e),
            forces=sealed(course.forces),
            earlier=sealed(course.earlier),
            outside=sealed(frame.outside),
            status=sealed(course.status),
            solid=sealed(frame.solid),
            substeps=parts,
            steady=course.steady,
        )
        return trusted(
            StepResult,
            state=after,
            wrenches=(course.impulse / motion.dt).reshape(-1, 6),
            twists=course.twist,
            mean_twists=course.moved / motion.dt,
            solutions=course.solutions,
            energy=course.energy,
            gaps=frame.gaps,
            nodes=frame.node,
            slots=frame.slot,
            frame=frame,
        )


def _array(values: FloatArray) -> FloatArray:
    return np.ascontiguousarray(values, dtype=float)
