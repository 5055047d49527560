"""The sub-steps of a time step: S6, free acceleration, contact frames and J constant.

Every sub-step is a step of `contact.step` by h = dt/parts; gaps move along frozen normals,
g + n . (h G v_bar + dU), so that the work of the forces adds up exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from contact.problem import Problem
from contact.sole_delassus import SoleDelassus
from contact.solution import Solution
from contact.stepping import kernels, memory_kernels
from contact.stepping.bodies import Bodies
from contact.stepping.energy import StepEnergy
from contact.stepping.frame import Frame
from contact.stepping.options import StepOptions
from contact.stepping.solver import StepSolver
from contact.stepping.state import SoleState
from sole.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False, slots=True)
class Motion:
    """v (6B,) at the start, v_free (6B,) at the end without contact, S6 (6B, 6B), dt [s]."""

    twists: FloatArray
    free_twists: FloatArray
    inverse_inertia: FloatArray
    dt: float


@dataclass(eq=False, slots=True)
class Course:
    """What changes from sub-step to sub-step, named as in `SoleState`.

    Besides: twist v (6B,); impulse, the sum of h w (6B,), and moved, that of h v_bar (6B,).
    """

    U: FloatArray
    e: FloatArray
    forces: FloatArray
    earlier: FloatArray
    status: IntArray
    steady: int
    gaps: FloatArray
    twist: FloatArray
    impulse: FloatArray
    moved: FloatArray
    energy: StepEnergy = field(default_factory=StepEnergy)
    solutions: tuple[Solution, ...] = ()

    def distance(self, other: Course, S6: FloatArray) -> float:
        """Return |self - other|/|self| of impulse J and sole, in the energy norm.

        sqrt((dJ'S6 dJ + dU'K dU)/(J'S6 J + U'K U)): no inertia and no K is needed.
        """
        J, dJ = self.impulse, other.impulse - self.impulse
        size = float(J @ S6 @ J) + float(np.vdot(self.U, self.e))
        if size <= 0.0:
            return 0.0
        far = float(dJ @ S6 @ dJ) + float(np.vdot(other.U - self.U, other.e - self.e))
        return float(np.sqrt(max(far, 0.0) / size))


def run(
    bodies: Bodies,
    options: StepOptions,
    solver: StepSolver,
    state: SoleState,
    frame: Frame,
    motion: Motion,
) -> tuple[Course, int]:
    """Return the course over dt and in how many parts: as asked for, or as needed.

    With `options.error` the parts are doubled until two courses agree, from a quarter of what
    the last step needed.
    """

    def course(parts: int) -> Course:
        return _Runner(bodies, options, solver, frame, motion, parts).course(state)

    if options.error == 0.0 or not len(frame.node):
        return course(options.substeps), options.substeps
    parts = max(options.substeps, min(state.substeps, options.max_substeps) // 4)
    best = course(parts)
    while 2 * parts <= options.max_substeps:
        parts *= 2
        coarse, best = best, course(parts)
        if best.distance(coarse, motion.inverse_inertia) <= options.error:
            break
    return best, parts


class _Runner:
    """Runs sub-steps of one length."""

    def __init__(
        self,
        bodies: Bodies,
        options: StepOptions,
        solver: StepSolver,
        frame: Frame,
        motion: Motion,
        parts: int,
    ) -> None:
        self.bodies, self.options, self.solver = bodies, options, solver
        self.frame, self.motion, self.parts = frame, motion, parts
        self.h = motion.dt / parts
        self.rate = 1.0 / (options.theta * self.h + bodies.eta)
        self.operator = self._operator() if len(frame.node) else None

    def course(self, state: SoleState) -> Course:
        """Go through all sub-steps."""
        frame, motion, theta = self.frame, self.motion, self.options.theta
        course = Course(
            U=state.displacement,
            e=state.elastic,
            forces=frame.forces,
            earlier=frame.earlier,
            status=state.status,
            steady=frame.steady,
            gaps=frame.gaps.copy(),
            twist=motion.twists,
            impulse=np.zeros_like(motion.twists),
            moved=np.zeros_like(motion.twists),
        )
        gain = (motion.free_twists - motion.twists) / self.parts
        for _ in range(self.parts):
            free = course.twist + gain
            self._step(course, free, course.twist + theta * gain)
        return course

    def _operator(self) -> SoleDelassus:
        """W of a sub-step; the motions, which it would work out, are given to it."""
        f, S = self.frame, self.options.theta * self.h * self.motion.inverse_inertia
        return trusted(
            SoleDelassus,
            compliances=self.bodies.compliances,
            scale=self.rate,
            node=f.node,
            frames=f.P,
            geometry=f.G,
            support=S,
            body=f.body,
            motions=f.A,
        )

    def _step(self, course: Course, free: FloatArray, ahead: FloatArray) -> None:
        """One sub-step; `free` and `ahead` are v+ and v_bar without contact forces."""
        b, o, frame, h, U = self.bodies, self.options, self.frame, self.h, course.U
        S6 = self.motion.inverse_inertia
        shape = course.forces.shape
        forces, status = np.zeros(shape), np.zeros(shape[:2], dtype=np.int64)
        f = np.zeros((shape[0], 3))
        d = np.zeros(f.size)
        r, impulse, mean = np.zeros((0, 3)), np.zeros(len(free)), ahead
        if self.operator is not None:
            solution = self._solve(self.operator, course, ahead)
            course.solutions += (solution,)
            r = solution.reactions
            kernels.nodal_forces(
                frame.node, frame.slot, frame.body, frame.P, frame.A, r, solution.status,
                forces, status, f, impulse,
            )  # fmt: skip
            impulse *= h
            mean = ahead + o.theta * (S6 @ impulse)
            d = self._displacements(solution, f)
        U_new, e_new = np.empty((2, *U.shape))
        elastic, viscous, numerical = kernels.advance(
            U, course.e, f, d, b.body, b.rigid, self.rate, b.eta, h, o.theta, U_new, e_new
        )
        friction, push = kernels.contact_work(
            frame.node, frame.body, frame.P, frame.A, r, mean, U, U_new, h
        )
        course.energy += StepEnergy(
            friction=friction,
            push=push,
            wrench=float(impulse @ mean),
            elastic=elastic,
            viscous=viscous,
            numerical=numerical,
        )
        kernels.move_gaps(
            course.gaps, frame.normals, b.body, frame.rotations, frame.local, mean, U, U_new, h
        )
        same = memory_kernels.still_sticks(status, course.status)
        course.steady = course.steady + 1 if same else 0
        course.U, course.e, course.status = U_new, e_new, status
        course.earlier, course.forces = course.forces, forces
        course.twist = free + S6 @ impulse
        course.impulse = course.impulse + impulse
        course.moved = course.moved + h * mean

    def _displacements(self, solution: Solution, f: FloatArray) -> FloatArray:
        """Rate C f (3M,): the certificate has seen it."""
        if solution.displacements is not None:
            return solution.displacements
        return self.bodies.compliances.apply(f.reshape(-1), self.rate)

    def _solve(self, operator: SoleDelassus, course: Course, ahead: FloatArray) -> Solution:
        """Set up u = W r + q and solve it from the extrapolated forces."""
        b, o, frame, h = self.bodies, self.options, self.frame, self.h
        velocity, (q, start) = np.empty_like(course.U), np.empty((2, len(frame.node), 3))
        kernels.free_velocities(frame.local, b.body, course.U, self.rate, ahead, velocity)
        kernels.offsets(frame.node, frame.slot, frame.P, velocity, course.gaps, h, o.push_out, q)
        memory_kernels.warm_start(
            frame.node, frame.slot, frame.P, course.forces, course.earlier, start
        )
        problem = trusted(Problem, operator=operator, offset=q, friction=frame.friction)
        if o.record is not None:
            last = np.einsum("kab,kb->ka", frame.P, course.forces[frame.node, frame.slot])
            o.record(problem, start, last)
        status = course.status[frame.node, frame.slot]
        return self.solver.solve(problem, start, status, course.steady)


T = TypeVar("T")


def trusted(kind: type[T], **values: Any) -> T:
    """Make a frozen dataclass (with cached properties) of arrays known to fit: no checks."""
    made = object.__new__(kind)
    made.__dict__.update(values)
    return made
