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

Contact itself gives -sum r_n g - friction, positive only if a penetration g < 0 is pushed
out. So no theta >= 1/2 gains energy: F is the *mean* force and the law acts on it and the mean
velocity. (With the law at the end of the step and the mean of two forces as impulse, release and
reversal of slip can gain.) The price at theta = 1/2: with eta = 0 a node without force keeps
ringing, U+ = -U; any theta above damps this by (1 - theta)/theta per step. Likewise points without
compliance rebound with (1 - theta)/theta: give rigid feet theta = 1.

J is taken at the deformed nodes and frozen for the step, as are the normals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from contact.constants import check_time_step
from contact.ground import Ground
from contact.step.bodies import Bodies, Body, SeveralGrounds
from contact.step.end_kernels import list_missed_contacts
from contact.step.energy import may_gain
from contact.step.look_kernels import check_motion
from contact.step.options import StepOptions
from contact.step.sole_state import SoleState
from contact.step.step_arrays import StepMotion
from contact.step.step_frame import StepFrame, look_at_ground
from contact.step.step_results import StepResult
from contact.step.step_solver import HELD, StepSolver
from contact.step.substeps import StepCourse, run_substeps
from sole.base.arrays import FloatArray, sealed, trusted
from sole.base.compiled import packed
from sole.base.errors import ConvergenceError, SoleError
from sole.condense import RangeWatch

CLOSED = 1e-12  # m: an excluded contact that ends deeper was missed


class ContactStep(Protocol):
    """The time step of given bodies on a given ground under some law of contact."""

    @property
    def bodies(self) -> Bodies:
        """The bodies."""

    @property
    def ground(self) -> Ground | Sequence[Ground]:
        """One ground for all bodies, or one for each."""

    @property
    def certified(self) -> bool:
        """Whether its results have solutions with certificates."""

    def start(self) -> SoleState:
        """Return the state of undeformed soles that have never touched."""

    def step(
        self,
        state: SoleState,
        rotations: FloatArray,
        places: FloatArray,
        motion: StepMotion,
        bias: Callable[[], FloatArray] | None = None,
    ) -> StepResult:
        """Step by `motion.dt` from R (B, 3, 3), p (B, 3): foot to world.

        `bias` returns d(twist)/dt at dv/dt = 0 (6B,), for laws of accelerations; None: 0.
        """


class StepWay(Protocol):
    """A short way of a `CompliantStep`: a fast form of the steps of some kind."""

    def step(
        self, state: SoleState, R: FloatArray, p: FloatArray, motion: StepMotion
    ) -> StepResult | None:
        """Step as `CompliantStep.step`, or return None: this step is of another kind."""


class CompliantStep:
    """The time step of given bodies on a given ground.

    Parameters
    ----------
    bodies : that may touch the ground.
    ground : for all of them, or one for each. For a body on something movable, poses, twists and
        S6 are those of the motion relative to that thing, in whose axes its ground is given.
    options : how to step.
    ways : makers of short ways, which are tried in turn before the general way; they give the same
        numbers sooner. `contact.swept_step.FAST_WAYS` are the ones that walks use.

    Attributes
    ----------
    ways : the short ways that were made.
    """

    certified = True

    def __init__(
        self,
        bodies: Sequence[Body],
        ground: Ground | Sequence[Ground],
        options: StepOptions | None = None,
        ways: Sequence[Callable[[CompliantStep], StepWay]] = (),
    ) -> None:
        self.bodies = Bodies(bodies)
        grounds = [ground] * len(bodies) if isinstance(ground, Ground) else ground
        self.ground, self.surfaces = ground, SeveralGrounds(grounds, self.bodies)
        self.options = StepOptions() if options is None else options
        self.quiet = replace(self.options, push_out=0.0, record=None)
        self.solver = StepSolver(self.bodies, self.options)
        self.range = RangeWatch(self.bodies.thickness[self.bodies.body])
        self.stacklevel = 4  # of its warning: the caller of `step`
        self.ways = tuple(make(self) for make in ways)

    def start(self) -> SoleState:
        """Return the state of undeformed soles that have never touched."""
        return SoleState.at_rest(self.bodies.nodes, self.surfaces.slots)

    def nodes_of(self, body: int) -> slice:
        """Return the nodes of one body in `SoleState`."""
        return self.bodies.nodes_of(body)

    def step(
        self,
        state: SoleState,
        rotations: FloatArray,
        places: FloatArray,
        motion: StepMotion,
        bias: Callable[[], FloatArray] | None = None,
    ) -> StepResult:
        """Step by `motion.dt`.

        Parameters
        ----------
        rotations, places : R (B, 3, 3), p (B, 3): foot to world.
        motion : of the feet, in their axes.
        bias : see `ContactStep`; not used here.

        Raises
        ------
        SoleError
            Arrays that do not fit.
        ConvergenceError
            The contact forces are not finite. (Inexact ones are returned: see `solved`.)

        Warns
        -----
        LinearRangeWarning
            Once, when a sole deforms beyond linear elasticity: see `sole.condense.RangeWatch`.
        """
        done = self._step(state, rotations, places, motion)
        self.range.look(done.state.displacement, self.stacklevel)
        return done

    def _step(
        self, state: SoleState, rotations: FloatArray, places: FloatArray, motion: StepMotion
    ) -> StepResult:
        R, p = _array(rotations), _array(places)
        v, free, S6, dt = motion
        motion = StepMotion(_array(v), _array(free), _array(S6), float(dt))
        self._check(state, R, p, motion)
        for way in self.ways:
            if (done := way.step(state, R, p, motion)) is not None:
                return done
        b = self.bodies
        listed = np.zeros((b.nodes, self.surfaces.slots), dtype=np.bool_)
        self.solver.begin()
        while True:
            frame = look_at_ground(
                b, self.surfaces, state, R, p, motion.twists, motion.dt, listed, HELD
            )
            course, parts = run_substeps(b, self.options, self.solver, state, frame, motion)
            if not self.options.gains and self._may_gain(course, parts, motion):
                course, parts = run_substeps(b, self.quiet, self.solver, state, frame, motion)
            node, slot = frame.contacts.node, frame.contacts.slot
            if not list_missed_contacts(course.nodes.gaps, node, slot, listed, CLOSED):
                break
        return self._result(frame, course, parts, motion)

    def _may_gain(self, course: StepCourse, parts: int, motion: StepMotion) -> bool:
        change = course.twist - motion.twists
        share = (self.options.theta - 0.5) / parts
        return may_gain(course.energy, course.impulse, change, motion.inverse_inertia, share)

    def _check(self, state: SoleState, R: FloatArray, p: FloatArray, motion: StepMotion) -> None:
        B, m = self.bodies.count, motion
        got = (R.shape, p.shape, m.twists.shape, m.free_twists.shape, m.inverse_inertia.shape)
        expected = ((B, 3, 3), (B, 3), (6 * B,), (6 * B,), (6 * B, 6 * B))
        if got != expected:
            raise SoleError(
                f"rotations, places, twists, free twists, inverse inertia have shapes {got}, "
                f"expected {expected}"
            )
        if state.status.shape != (self.bodies.nodes, self.surfaces.slots):
            raise SoleError(
                f"the state has {state.status.shape} nodes and slots, expected "
                f"{(self.bodies.nodes, self.surfaces.slots)}: take CompliantStep.start()"
            )
        check_time_step(m.dt)
        wrong = check_motion(R, p, packed(motion))
        if wrong == 1:
            raise SoleError("rotations, places, twists and inverse inertia must be finite")
        if wrong == 2:
            raise SoleError(
                "the inverse inertia J6 M^-1 J6' must be symmetric with no negative diagonal entry"
            )

    def _result(
        self, frame: StepFrame, course: StepCourse, parts: int, motion: StepMotion
    ) -> StepResult:
        # A sum over all forces and motions is not finite if one of them is not.
        if not math.isfinite(course.energy.imbalance + course.energy.contact):
            raise ConvergenceError(
                "contact forces are not finite: check inertia, poses and velocities", best=course
            )
        after = trusted(
            SoleState,
            displacement=sealed(course.nodes.U),
            elastic=sealed(course.nodes.e),
            forces=sealed(course.forces),
            earlier=sealed(course.earlier),
            outside=sealed(frame.outside),
            status=sealed(course.nodes.status),
            solid=sealed(frame.near.solid),
            substeps=parts,
            steady=course.steady,
            lost=course.lost,
        )
        return trusted(
            StepResult,
            certified=True,
            state=after,
            wrenches=(course.impulse / motion.dt).reshape(-1, 6),
            twists=course.twist,
            mean_twists=course.moved / motion.dt,
            solutions=course.solutions,
            energy=course.energy,
            gaps=frame.near.gaps,
            nodes=frame.contacts.node,
            slots=frame.contacts.slot,
            frame=frame,
        )


def _array(values: FloatArray) -> FloatArray:
    # A copy: results keep it, and a caller may go on writing into his own.
    return np.array(values, dtype=float, order="C")
