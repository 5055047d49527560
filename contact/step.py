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
of Duriez et al. 2006 and Chardonnet et al. with a gap and a viscous sole.

Energy. With r.u >= 0 of nothing but a penetration pushed out, F.G v_bar dt is the work on the
robot at the velocity that moves it, and

    F.(U+ - U) = [U'KU/2] + (eta/dt) dU'K dU + (theta - 1/2) dU'K dU,

so that neither sole nor contact gains energy for any theta >= 1/2: F is the *mean* force and the
law acts on it. (Taking the law at the end of the step and the mean of two forces for the
impulse, as trapezoidal rules do, can gain.) The price at theta = 1/2: with eta = 0 a node without
force keeps ringing, U+ = -U; any theta above damps this by (1 - theta)/theta per step. Likewise
points without compliance rebound with (1 - theta)/theta: give rigid feet theta = 1.

J is taken at the deformed nodes and frozen for the step, as are the normals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np

from contact import step_kernels as kernels
from contact.delassus import SoleDelassus
from contact.gauss_seidel import GaussSeidel
from contact.ground import Ground
from contact.problem import Problem
from contact.sole_state import SLOTS, SoleState
from contact.solution import Solution
from contact.step_bodies import Bodies, Body
from contact.step_energy import StepEnergy
from sole.arrays import BoolArray, FloatArray, IntArray, sealed
from sole.errors import ConfigError, ConvergenceError, SoleError

__all__ = ["Body", "CompliantStep", "SoleState", "StepEnergy", "StepOptions", "StepResult"]

SLACK = 1.0  # a contact is looked at if it may close within dt at 1 + SLACK times the speed
SHALLOW = 1e-4  # m: a node no deeper has not forgotten through which face it came
CLOSED = 1e-12  # m: a contact left out that ends deeper was missed


class Solver(Protocol):
    """What solves a problem; `contact.gauss_seidel.GaussSeidel` does."""

    def solve(self, problem: Problem, start: FloatArray | None = None) -> Solution:
        """Solve from a warm start (K, 3)."""


@dataclass(frozen=True, kw_only=True)
class StepOptions:
    """How to step.

    Parameters
    ----------
    theta : 1 backward Euler, 1/2 midpoint (second order, no numerical damping).
    substeps : equal parts of every step, geometry frozen.
    error : if positive, the parts are doubled until impulse and sole agree to this, relative, in
        the energy norm.
    max_substeps : end of the doubling.
    tolerance : of the solver, natural map.
    push_out : a penetration is pushed out at this speed at most [m/s].
    seed : of the solver's permutations.
    solver : instead of Gauss-Seidel with `tolerance` and `seed`.
    record : called with (problem, start, previous) before every solve, (K, 3) the extrapolated
        forces and the last ones: see `contact.step_record.StepRecorder`.
    """

    theta: float = 1.0
    substeps: int = 1
    error: float = 0.0
    max_substeps: int = 64
    tolerance: float = 1e-6
    push_out: float = 0.1
    seed: int = 1
    solver: Solver | None = None
    record: Callable[[Problem, FloatArray, FloatArray], None] | None = None

    def __post_init__(self) -> None:
        if not 0.5 <= self.theta <= 1:
            raise ConfigError(f"theta must be in [1/2, 1], got {self.theta:g}")
        if self.substeps < 1 or self.max_substeps < self.substeps:
            raise ConfigError(
                f"substeps must be between 1 and {self.max_substeps}, got {self.substeps}"
            )
        if not (self.push_out >= 0 and self.error >= 0):
            raise ConfigError("push_out and error must not be negative")


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


@dataclass(frozen=True, eq=False, slots=True)
class _Frame:
    """Geometry of a step, frozen: contacts (node, slot), frames P, motions A, nodes y."""

    R: FloatArray
    local: FloatArray
    outside: FloatArray
    normals: FloatArray
    gaps: FloatArray
    solid: IntArray
    forces: FloatArray
    earlier: FloatArray
    node: IntArray
    slot: IntArray
    body: IntArray
    P: FloatArray
    A: FloatArray
    G: FloatArray
    friction: FloatArray


@dataclass(eq=False, slots=True)
class _Course:
    """What changes from sub-step to sub-step."""

    U: FloatArray
    e: FloatArray
    forces: FloatArray
    earlier: FloatArray
    status: IntArray
    gaps: FloatArray
    twist: FloatArray
    impulse: FloatArray
    moved: FloatArray
    energy: StepEnergy = field(default_factory=StepEnergy)
    solutions: tuple[Solution, ...] = ()


class CompliantStep:
    """The time step of given bodies on a given ground."""

    def __init__(
        self, bodies: Sequence[Body], ground: Ground, options: StepOptions | None = None
    ) -> None:
        self.bodies, self.ground = Bodies(bodies), ground
        self._ground = ground.compiled
        self.options = StepOptions() if options is None else options
        o = self.options
        self._solver: Solver = o.solver or GaussSeidel(tolerance=o.tolerance, seed=o.seed)

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
        v, v_free, S6 = self._checked(
            state, rotations, places, twists, free_twists, inverse_inertia
        )
        R = np.ascontiguousarray(rotations, dtype=float)
        p = np.ascontiguousarray(places, dtype=float)
        listed = np.zeros((self.bodies.nodes, SLOTS), dtype=np.bool_)
        while True:
            frame = self._frame(state, R, p, v, v_free, dt, listed)
            course, parts = self._run(state, frame, v, v_free, S6, dt)
            listed[frame.node, frame.slot] = True
            if not kernels.missed(course.gaps, listed, CLOSED):
                break
        w = course.impulse / dt
        twist = v_free + S6 @ course.impulse
        if not (np.isfinite(twist).all() and np.isfinite(course.U).all()):
            raise ConvergenceError(
                "contact forces are not finite: check inertia, poses and velocities", best=course
            )
        after = SoleState(
            displacement=sealed(course.U),
            elastic=sealed(course.e),
            forces=sealed(course.forces),
            earlier=sealed(course.earlier),
            outside=sealed(frame.outside),
            status=sealed(course.status),
            solid=sealed(frame.solid),
            substeps=parts,
        )
        return StepResult(
            state=after,
            wrenches=w.reshape(-1, 6),
            twists=twist,
            mean_twists=course.moved / dt,
            solutions=course.solutions,
            energy=course.energy,
            gaps=frame.gaps,
            nodes=frame.node,
            slots=frame.slot,
        )

    def _checked(
        self,
        state: SoleState,
        R: FloatArray,
        p: FloatArray,
        v: FloatArray,
        v_free: FloatArray,
        S6: FloatArray,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        B = self.bodies.count
        v = np.ascontiguousarray(v, dtype=float).reshape(-1)
        v_free = np.ascontiguousarray(v_free, dtype=float).reshape(-1)
        S6 = np.ascontiguousarray(S6, dtype=float)
        got = (np.shape(R), np.shape(p), v.shape, v_free.shape, S6.shape)
        expected = ((B, 3, 3), (B, 3), (6 * B,), (6 * B,), (6 * B, 6 * B))
        if got != expected:
            raise SoleError(f"rotations, places, twists, free, inertia: {got}, expected {expected}")
        if state.status.shape != (self.bodies.nodes, SLOTS):
            raise SoleError(
                f"the state has {state.status.shape} nodes and slots, expected "
                f"{(self.bodies.nodes, SLOTS)}: take CompliantStep.start()"
            )
        return v, v_free, S6

    def _rate(self, dt: float) -> FloatArray:
        return 1.0 / (self.options.theta * dt + self.bodies.eta)

    def _frame(
        self,
        state: SoleState,
        R: FloatArray,
        p: FloatArray,
        v: FloatArray,
        v_free: FloatArray,
        dt: float,
        listed: BoolArray,
    ) -> _Frame:
        """Ask the ground and select the contacts that may close."""
        b, U, theta = self.bodies, state.displacement, self.options.theta
        local, world, velocity = np.empty((3, b.nodes, 3))
        kernels.place_nodes(b.points, U, b.body, R, p, local, world)
        known = state.outside if state.solid[0, 0] >= 0 else world
        touches = self._ground.query(world, known)
        gaps, solid = touches.gap, touches.solid
        normals = np.ascontiguousarray(touches.normal)
        outside = state.outside.copy()
        kernels.keep_outside(world, gaps, normals, SHALLOW, outside)
        forces, earlier = state.forces, state.earlier
        if not np.array_equal(solid, state.solid):
            forces, earlier = np.empty((2, *forces.shape))
            kernels.align(solid, state.solid, state.forces, state.earlier, forces, earlier)
        ahead = theta * v_free + (1 - theta) * v
        kernels.free_velocities(local, b.body, U, self._rate(dt), ahead, velocity)
        node, slot = kernels.select(gaps, normals, b.body, R, velocity, forces, listed, dt, SLACK)
        K = len(node)
        P, A, g = np.empty((K, 3, 3)), np.empty((K, 3, 6)), np.empty(K)
        kernels.contact_frames(node, slot, gaps, normals, b.body, R, local, P, A, g)
        G = np.empty((3 * b.nodes, 6))
        kernels.rigid_geometry(local, G)
        return _Frame(
            R, local, outside, normals, gaps, solid, forces, earlier,
            node, slot, b.body[node], P, A, G, b.friction[node],
        )  # fmt: skip

    def _run(
        self,
        state: SoleState,
        frame: _Frame,
        v: FloatArray,
        v_free: FloatArray,
        S6: FloatArray,
        dt: float,
    ) -> tuple[_Course, int]:
        """Return the course over dt, in as many parts as asked for or needed."""
        o = self.options
        if o.error == 0.0 or not len(frame.node):
            return self._course(state, frame, v, v_free, S6, dt, o.substeps), o.substeps
        parts = max(o.substeps, min(state.substeps, o.max_substeps) // 4)
        coarse = self._course(state, frame, v, v_free, S6, dt, parts)
        while 2 * parts <= o.max_substeps:
            parts *= 2
            fine = self._course(state, frame, v, v_free, S6, dt, parts)
            far = _distance(coarse, fine, S6) > o.error
            coarse = fine
            if not far:
                break
        return coarse, parts

    def _course(
        self,
        state: SoleState,
        frame: _Frame,
        v: FloatArray,
        v_free: FloatArray,
        S6: FloatArray,
        dt: float,
        parts: int,
    ) -> _Course:
        """Go through `parts` equal sub-steps: S6, free acceleration and geometry constant."""
        theta, h = self.options.theta, dt / parts
        course = _Course(
            U=state.displacement,
            e=state.elastic,
            forces=frame.forces,
            earlier=frame.earlier,
            status=state.status,
            gaps=frame.gaps.copy(),
            twist=v,
            impulse=np.zeros_like(v),
            moved=np.zeros_like(v),
        )
        operator = self._operator(frame, S6, h) if len(frame.node) else None
        gain = (v_free - v) / parts
        for _ in range(parts):
            free = course.twist + gain
            self._substep(
                course, frame, operator, free, theta * free + (1 - theta) * course.twist, S6, h
            )
        return course

    def _operator(self, frame: _Frame, S6: FloatArray, h: float) -> SoleDelassus:
        """W of a sub-step; what it would work out is given to it."""
        b, rate = self.bodies, self._rate(h)
        S = self.options.theta * h * S6
        blocks = np.empty((len(frame.node), 3, 3))
        kernels.diagonal_blocks(frame.node, b.body, frame.P, frame.A, b.diagonal, rate, S, blocks)
        return _trusted(
            SoleDelassus,
            compliances=b.compliances,
            scale=rate,
            node=frame.node,
            frames=frame.P,
            geometry=frame.G,
            support=S,
            body=frame.body,
            motions=frame.A,
            blocks=blocks,
        )

    def _substep(
        self,
        course: _Course,
        frame: _Frame,
        operator: SoleDelassus | None,
        free: FloatArray,
        ahead: FloatArray,
        S6: FloatArray,
        h: float,
    ) -> None:
        """One solve; `free` and `ahead` are v+ and v_bar without contact forces."""
        b, o, rate = self.bodies, self.options, self._rate(h)
        M, S = course.gaps.shape
        U, mean = course.U, ahead
        by_slot, status = np.zeros((M, S, 3)), np.zeros((M, S), dtype=np.int64)
        f, Cf = np.zeros((M, 3)), np.zeros((M, 3))
        impulse = np.zeros(len(free))
        r = np.zeros((0, 3))
        if operator is not None:
            velocity = np.empty((M, 3))
            kernels.free_velocities(frame.local, b.body, U, rate, ahead, velocity)
            q, start = np.empty((2, len(frame.node), 3))
            g = course.gaps[frame.node, frame.slot]
            kernels.offsets(frame.node, frame.P, velocity, g, h, o.push_out, q)
            kernels.warm_start(
                frame.node, frame.slot, frame.P, course.forces, course.earlier, start
            )
            problem = _trusted(Problem, operator=operator, offset=q, friction=frame.friction)
            if o.record is not None:
                last = np.einsum("kab,kb->ka", frame.P, course.forces[frame.node, frame.slot])
                o.record(problem, start, last)
            solution = self._solve(problem, start)
            r = solution.reactions
            kernels.nodal_forces(
                frame.node, frame.slot, b.body, frame.P, frame.A, r, solution.status,
                by_slot, status, f, impulse,
            )  # fmt: skip
            impulse *= h
            mean = ahead + o.theta * (S6 @ impulse)
            Cf = b.compliances.apply(f.reshape(-1)).reshape(M, 3)
            course.solutions += (solution,)
        U_new, e_new = np.empty((2, M, 3))
        stored = kernels.advance(
            U, course.e, f, Cf, b.body, b.rigid, rate, b.eta, h, o.theta, U_new, e_new
        )
        work = kernels.contact_work(frame.node, frame.P, frame.A, b.body, r, mean, U, U_new, h)
        elastic, viscous, numerical = stored
        course.energy += StepEnergy(
            friction=work[0],
            push=work[1],
            wrench=float(impulse @ mean),
            elastic=elastic,
            viscous=viscous,
            numerical=numerical,
        )
        kernels.move_gaps(
            course.gaps, frame.normals, b.body, frame.R, frame.local, mean, U, U_new, h
        )
        course.U, course.e, course.status = U_new, e_new, status
        course.earlier, course.forces = course.forces, by_slot
        course.twist = free + S6 @ impulse
        course.impulse += impulse
        course.moved += h * mean

    def _solve(self, problem: Problem, start: FloatArray) -> Solution:
        """Solve one sub-step: here a closed form for unchanged sticking contacts may come first."""
        return self._solver.solve(problem, start)


T = TypeVar("T")


def _trusted(kind: type[T], **values: Any) -> T:
    """Make a frozen dataclass (and its cached properties) of arrays known to fit: no checks."""
    made = object.__new__(kind)
    made.__dict__.update(values)
    return made


def _distance(a: _Course, b: _Course, S6: FloatArray) -> float:
    """Return |a - b|/|b| of impulse and sole: dJ'S6 dJ + dU'K dU over J'S6 J + U'K U."""
    dJ, J = a.impulse - b.impulse, b.impulse
    size = float(J @ S6 @ J) + float(np.vdot(b.U, b.e))
    if size == 0.0:
        return 0.0
    lost = float(dJ @ S6 @ dJ) + float(np.vdot(a.U - b.U, a.e - b.e))
    return float(np.sqrt(max(lost, 0.0) / size))
