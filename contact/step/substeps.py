"""The sub-steps of a time step: S6, free acceleration, contact frames and J constant.

Every sub-step is a step of `contact.step` by h = dt/parts; gaps move along frozen normals,
g + n . (h G v_bar + dU), so that the work of the forces adds up exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from contact.problem import LARGEST, TINY, Problem, SoleDelassus, Solution
from contact.step.bodies import Bodies
from contact.step.end_kernels import advance_contacts
from contact.step.energy import StepEnergy
from contact.step.options import StepOptions
from contact.step.pose_kernels import PosedArrays, pose_problem
from contact.step.sole_state import SoleState
from contact.step.step_arrays import ForceArrays, NodeArrays, StepMotion, SubstepMotion
from contact.step.step_frame import StepFrame
from contact.step.step_solver import StepBegin, StepSolver
from contact.sweeps import keep_lost
from sole.base.arrays import FloatArray, sealed, trusted
from sole.base.compiled import packed

NOTHING = StepEnergy()


@dataclass(eq=False, slots=True)
class StepCourse:
    """The quantities that sub-steps change, named as in `SoleState`.

    Also: twist v (6B,); impulse, the sum of h w (6B,), and moved, that of h v_bar (6B,).
    """

    nodes: NodeArrays
    forces: FloatArray
    earlier: FloatArray
    steady: int
    lost: float
    twist: FloatArray
    impulse: FloatArray
    moved: FloatArray
    energy: StepEnergy = NOTHING
    solutions: tuple[Solution, ...] = ()

    def distance(self, other: StepCourse, S6: FloatArray) -> float:
        """Return |self - other|/|self| of impulse J and sole, in the energy norm.

        sqrt((dJ'S6 dJ + dU'K dU)/(J'S6 J + U'K U)); needs neither inertia nor K.
        """
        J, dJ = self.impulse, other.impulse - self.impulse
        mine, its = self.nodes, other.nodes
        size = float(J @ S6 @ J) + float(np.vdot(mine.U, mine.e))
        if size <= 0.0:
            return 0.0
        far = float(dJ @ S6 @ dJ) + float(np.vdot(its.U - mine.U, its.e - mine.e))
        return float(np.sqrt(max(far, 0.0) / size))


def run_substeps(
    bodies: Bodies,
    options: StepOptions,
    solver: StepSolver,
    state: SoleState,
    frame: StepFrame,
    motion: StepMotion,
) -> tuple[StepCourse, int]:
    """Return the course over dt and its number of parts.

    The number is `options.substeps`. With `options.error` it is doubled until two courses agree,
    from a quarter of what the last step needed.
    """

    def course(parts: int) -> StepCourse:
        return _SubstepRunner(bodies, options, solver, frame, motion, parts).course(state)

    if options.error == 0.0 or not len(frame.contacts.node):
        return course(options.substeps), options.substeps
    parts = max(options.substeps, min(state.substeps, options.max_substeps) // 4)
    best = course(parts)
    while 2 * parts <= options.max_substeps:
        parts *= 2
        coarse, best = best, course(parts)
        if best.distance(coarse, motion.inverse_inertia) <= options.error:
            break
    return best, parts


class _SubstepRunner:
    """Runs sub-steps of one length."""

    def __init__(
        self,
        bodies: Bodies,
        options: StepOptions,
        solver: StepSolver,
        frame: StepFrame,
        motion: StepMotion,
        parts: int,
    ) -> None:
        self.bodies, self.options, self.solver = bodies, options, solver
        self.frame, self.motion, self.parts = frame, motion, parts
        self.h = motion.dt / parts
        self.rate = 1.0 / (options.theta * self.h + bodies.eta)
        self.nodes, self.near = packed(bodies.arrays), packed(frame.near)
        self.contacts = packed(frame.contacts)
        self.operator = self._operator() if len(frame.contacts.node) else None

    def course(self, state: SoleState) -> StepCourse:
        """Run all sub-steps."""
        frame, motion, theta, parts = self.frame, self.motion, self.options.theta, self.parts
        impulse, moved = np.zeros((2, len(motion.twists)))
        course = StepCourse(
            nodes=NodeArrays(state.displacement, state.elastic, state.status, frame.near.gaps),
            forces=frame.forces,
            earlier=frame.earlier,
            steady=frame.steady,
            lost=state.lost,
            twist=motion.twists,
            impulse=impulse,
            moved=moved,
        )
        gain = (motion.free_twists - motion.twists) / parts
        for _ in range(parts):
            self._step(course, course.twist + gain, course.twist + theta * gain)
        return course

    def _operator(self) -> SoleDelassus:
        """Return W of a sub-step; its motions are already known."""
        f, S = self.frame, self.options.theta * self.h * self.motion.inverse_inertia
        node, _, body, P, A = f.contacts
        C = self.bodies.compliances
        return SoleDelassus.unchecked(C, self.rate, node, P, f.geometry, S, body, A)

    def _step(self, course: StepCourse, free: FloatArray, ahead: FloatArray) -> None:
        """Run one sub-step; `free` and `ahead` are v+ and v_bar without contact forces."""
        b, h, theta = self.bodies, self.h, self.options.theta
        if self.operator is None:
            r, status = sealed(np.zeros((0, 3))), sealed(np.zeros(0, np.int64))
            d, unsure = sealed(np.zeros(3 * b.nodes)), 0.0
        else:
            solution = self._solve(self.operator, course, ahead)
            course.solutions += (solution,)
            r, status = solution.reactions, solution.status
            d, unsure = self._displacements(self.operator, solution), solution.unsure
        before = course.nodes
        U, e = np.empty((2, *before.U.shape))
        forces, by_slot = np.zeros(course.forces.shape), np.zeros(before.status.shape, np.int64)
        after, twists = (
            NodeArrays(U, e, by_slot, np.empty(before.gaps.shape)),
            np.empty((3, len(free))),
        )
        moves = SubstepMotion(free, ahead, self.motion.inverse_inertia, h, theta)
        same, *energy = advance_contacts(
            self.contacts, packed(ForceArrays(r, status, d)), packed(before),
            self.nodes, self.near, self.rate, packed(moves), packed(after),
            forces, twists,
        )  # fmt: skip
        friction, push, wrench, elastic, viscous, numerical = energy
        spent = trusted(
            StepEnergy,
            friction=friction,
            push=push,
            wrench=wrench,
            elastic=elastic,
            viscous=viscous,
            numerical=numerical,
        )
        course.energy = spent if course.energy is NOTHING else course.energy + spent
        course.steady = course.steady + 1 if same else 0
        course.lost = keep_lost(course.lost, unsure, self.rate, h)
        course.nodes = after
        course.earlier, course.forces = course.forces, sealed(forces)
        course.twist, impulse, mean = twists
        course.impulse = course.impulse + impulse
        course.moved = course.moved + h * mean

    def _displacements(self, operator: SoleDelassus, solution: Solution) -> FloatArray:
        """Return rate C f (3M,), from the certificate if it has it."""
        if solution.displacements is not None:
            return solution.displacements
        return self.bodies.compliances.apply(operator.nodal(solution.reactions), self.rate)

    def _solve(self, operator: SoleDelassus, course: StepCourse, ahead: FloatArray) -> Solution:
        """Set up u = W r + q and solve it from the extrapolated forces."""
        b, o, f = self.bodies, self.options, self.frame
        q, start = np.empty((2, len(f.friction), 3))
        status = np.empty(len(q), np.int64)
        posed = PosedArrays(q, start, status)
        trace, size = pose_problem(
            self.contacts, packed(course.nodes), course.forces, course.earlier, self.rate,
            ahead, self.h, o.push_out, b.compliances.diagonal, operator.support, packed(posed),
        )  # fmt: skip
        # Otherwise the problem computes and checks its scales itself.
        sane = 0.0 < trace and TINY < size < LARGEST**2
        scales = (3 * len(q) / trace, math.sqrt(size)) if sane else None
        problem = Problem.unchecked(operator, q, f.friction, scales)
        if o.record is not None:
            last = np.einsum(
                "kab,kb->ka", f.contacts.P, course.forces[f.contacts.node, f.contacts.slot]
            )
            o.record(problem, start, last)
        begin = StepBegin(course.nodes.U, course.nodes.e, ahead, course.lost)
        return self.solver.solve(problem, start, status, course.steady, begin)
