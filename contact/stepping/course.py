"""The sub-steps of a time step: S6, free acceleration, contact frames and J constant.

Every sub-step is a step of `contact.step` by h = dt/parts; gaps move along frozen normals,
g + n . (h G v_bar + dU), so that the work of the forces adds up exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from contact.operators.sole_delassus import SoleDelassus
from contact.problem import LARGEST, TINY, Problem
from contact.solution import Solution
from contact.stepping.bodies import Bodies
from contact.stepping.end_kernels import ended
from contact.stepping.energy import StepEnergy
from contact.stepping.frame import Frame
from contact.stepping.options import StepOptions
from contact.stepping.pose_kernels import posed
from contact.stepping.solver import StepSolver
from contact.stepping.state import SoleState
from sole.arrays import FloatArray, IntArray, trusted

NOTHING = StepEnergy()


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
    energy: StepEnergy = NOTHING
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
        frame, motion, theta, parts = self.frame, self.motion, self.options.theta, self.parts
        impulse, moved = np.zeros((2, len(motion.twists)))
        course = Course(
            U=state.displacement,
            e=state.elastic,
            forces=frame.forces,
            earlier=frame.earlier,
            status=state.status,
            steady=frame.steady,
            gaps=frame.gaps,
            twist=motion.twists,
            impulse=impulse,
            moved=moved,
        )
        gain = (motion.free_twists - motion.twists) / parts
        for _ in range(parts):
            self._step(course, course.twist + gain, course.twist + theta * gain)
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
        b, f, h, theta = self.bodies, self.frame, self.h, self.options.theta
        if self.operator is None:
            r, status, d = np.zeros((0, 3)), np.zeros(0, np.int64), np.zeros(3 * b.nodes)
        else:
            solution = self._solve(self.operator, course, ahead)
            course.solutions += (solution,)
            r, status = solution.reactions, solution.status
            d = self._displacements(self.operator, solution)
        U, e = np.empty((2, *course.U.shape))
        forces, by_slot = np.zeros_like(course.forces), np.zeros(course.status.shape, np.int64)
        gaps, twists = np.empty(course.gaps.shape), np.empty((3, len(free)))
        same, *energy = cast(Any, ended)(
            f.node, f.slot, f.body, f.P, f.A, r, status, d, course.status,
            course.U, course.e, course.gaps, f.normals, b.body, b.rigid, self.rate, b.eta,
            f.rotations, f.local, free, ahead, self.motion.inverse_inertia, h, theta,
            U, e, forces, by_slot, gaps, twists,
        )  # fmt: skip
        spent = StepEnergy(*energy)
        course.energy = spent if course.energy is NOTHING else course.energy + spent
        course.steady = course.steady + 1 if same else 0
        course.U, course.e, course.status, course.gaps = U, e, by_slot, gaps
        course.earlier, course.forces = course.forces, forces
        course.twist, impulse, mean = twists
        course.impulse = course.impulse + impulse
        course.moved = course.moved + h * mean

    def _displacements(self, operator: SoleDelassus, solution: Solution) -> FloatArray:
        """Rate C f (3M,): the certificate has seen it."""
        if solution.displacements is not None:
            return solution.displacements
        return self.bodies.compliances.apply(operator.nodal(solution.reactions), self.rate)

    def _solve(self, operator: SoleDelassus, course: Course, ahead: FloatArray) -> Solution:
        """Set up u = W r + q and solve it from the extrapolated forces."""
        b, o, f = self.bodies, self.options, self.frame
        q, start = np.empty((2, len(f.node), 3))
        status = np.empty(len(f.node), np.int64)
        trace, size = cast(Any, posed)(
            f.node, f.slot, f.body, f.P, f.A, course.U, self.rate, ahead, course.gaps, self.h,
            o.push_out, course.forces, course.earlier, course.status, b.compliances.diagonal,
            operator.support, q, start, status,
        )  # fmt: skip
        problem = trusted(Problem, operator=operator, offset=q, friction=f.friction)
        if 0.0 < trace and TINY < size < LARGEST**2:  # else it works them out itself, checked
            vars(problem).update(rho=3 * len(q) / trace, size=math.sqrt(size))
        if o.record is not None:
            last = np.einsum("kab,kb->ka", f.P, course.forces[f.node, f.slot])
            o.record(problem, start, last)
        return self.solver.solve(problem, start, status, course.steady)
