"""The solver of a (sub-)step: closed form, Gauss-Seidel, then every other method.

1. Where all touching contacts stuck in the last step: the closed form (`contact.solvers.sticking`),
   if its certificate holds. Whole soles always: their factor is made once. Parts of them only when
   the set has lasted long enough for its factor to pay. Rigid bodies of which any point stuck.
   Soles that sweeps may take in one call (`StepSolver.closed_first`) come to it only if 2 fails:
   what sticks and is not in the affine form (`contact.solvers.affine`) is swept as quickly.
2. Gauss-Seidel from the extrapolated forces. Soles of which most nodes stuck are swept by
   velocities (`contact.sweeps.velocity_sweeps`).
3. Where a few contacts of soles do not settle, Newton steps on them and sweeps over all others
   (`contact.solvers.stubborn_contacts`).
4. Where that stalls (rigid feet, odd states): `contact.solvers.solve`, which has every method, to
   twice the tolerance first, and on from there if that is not the tolerance.

All solves of a step share a limit of work for 4. It is counted in iterations times size, not timed
(`contact.solvers.solver_work`). Beyond it the best forces so far are returned and are not `solved`.

The choice depends on the state alone; a cached factor only saves work. So the same state gives
the same bits, restored or not.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from contact.problem import ContactStatus, Outcome, Problem, SoleDelassus, Solution
from contact.solvers import (
    GaussSeidel,
    SoleFactor,
    StickFactor,
    SweptSoles,
    forget_parts,
    solve_at_rest,
    sweep_step,
)
from contact.step.bodies import Bodies
from contact.step.options import StepOptions
from contact.step.pose_kernels import find_sticking_set
from contact.sweeps import Pack, SoleStiffness, find_held_bodies, make_pack, no_stiffness
from sole.base.arrays import BoolArray, FloatArray, IntArray
from sole.base.compiled import packed

PAYS = 0.1  # steps per sticking contact after which its factor has paid for itself
KEPT = 4  # sets of contacts whose factors are kept
HELD = 0.4  # of the nodes of a sole may not have stuck where it is swept by velocities
AGAIN = 60  # sweeps by velocities before those by forces
PATIENCE = 300  # sweeps before the other methods are tried
WORK = 5e8  # of the other methods in one step: about half a second
OPEN, STICK = int(ContactStatus.OPEN), int(ContactStatus.STICK)


class StepBegin(NamedTuple):
    """Where a (sub-)step begins: U and e = K U (M, 3), and twists without contact forces (6B,).

    lost : as in `SoleState`.
    """

    displacement: FloatArray
    elastic: FloatArray
    ahead: FloatArray
    lost: float = 0.0


class StepSolver:
    """Solver of one `CompliantStep`.

    Attributes
    ----------
    closed_first : whether the closed form is tried before sweeps, not after them. It is where
        bodies are rigid, and in steps of several solves.
    """

    def __init__(self, bodies: Bodies, options: StepOptions) -> None:
        o = options
        self.bodies, self.given = bodies, o.solver
        self.tolerance, self.seed, self.sticking = o.tolerance, o.seed, o.sticking
        self.sweeps = GaussSeidel(tolerance=o.tolerance, max_sweeps=PATIENCE, seed=o.seed)
        self.velocities = replace(self.sweeps, max_sweeps=AGAIN)
        self.factors: OrderedDict[bytes, StickFactor | None] = OrderedDict()
        self.soles: dict[bytes, SoleFactor] = {}
        self.left = WORK
        self.closed_first = bodies.some_rigid or not o.single

    def begin(self) -> None:
        """Begin a time step: all its solves share one limit of work."""
        self.left = WORK

    def solve(
        self,
        problem: Problem,
        start: FloatArray,
        status: IntArray,
        steady: int,
        begin: StepBegin | None = None,
    ) -> Solution:
        """Solve from `start` (K, 3).

        `status` (K,) is that of the last step and `steady` for how many steps it has been all
        sticking or open and the same; `begin` is the start of the step, without which all contacts
        are swept over.
        """
        if self.given is not None:
            return self._judged(self.given.solve(problem, start))
        sticking = problem, start, status, steady
        if self.closed_first and (closed := self._closed(*sticking)) is not None:
            return closed
        solution = self._swept(problem, start, status, begin)
        if solution.certificate.holds(self.tolerance):
            return solution
        if not self.closed_first and (closed := self._closed(*sticking)) is not None:
            return closed
        if not np.isfinite(solution.reactions).all():
            return solution
        settled = self._settled(problem, solution)
        if settled is not None:
            return settled
        if not solution.solved:
            solution = self._improved(problem, solution, min(2 * self.tolerance, 0.9))
        if not solution.certificate.holds(self.tolerance):
            solution = self._improved(problem, solution, self.tolerance)
        return self._judged(solution)

    def _swept(
        self, problem: Problem, start: FloatArray, status: IntArray, begin: StepBegin | None
    ) -> Solution:
        """Sweep, by velocities where most nodes of a sole stuck; by forces if that fails."""
        W = problem.operator
        if not self.sticking or begin is None or not isinstance(W, SoleDelassus):
            return self.sweeps.solve(problem, start)
        C = W.compliances
        held, count = find_held_bodies(status, packed(W.arrays), C.first, C.position, HELD)
        if not count and self.bodies.some_rigid:
            return self.sweeps.solve(problem, start)
        soles = SweptSoles(
            self.unknown, self.pack, np.full(len(held), -1),
            W.scale[C.body][:, None] * begin.displacement, begin.elastic, begin.ahead, status,
            begin.lost,
        )  # fmt: skip
        if count:
            place = np.where(held < 0, -1, self.stiffness.arrays.position)
            some = soles._replace(stiffness=self.stiffness, position=place)
            solution = sweep_step(self.velocities, problem, start, some)
            if solution.certificate.holds(self.tolerance):
                return solution
        return sweep_step(self.sweeps, problem, start, soles)

    @cached_property
    def pack(self) -> Pack:
        """Room for the blocks of nodes that sweeps read."""
        C = self.bodies.compliances
        return make_pack(C.first)

    @cached_property
    def unknown(self) -> SoleStiffness:
        """What stands for K where it is not needed."""
        return no_stiffness(self.bodies.count)

    @cached_property
    def stiffness(self) -> SoleStiffness:
        """K of all bodies, made when it is first needed."""
        b = self.bodies
        return SoleStiffness.of(b.compliances, b.geometry)

    def _settled(self, problem: Problem, solution: Solution) -> Solution | None:
        """Return the forces with the few contacts that sweeps do not settle solved by Newton."""
        if self.bodies.some_rigid or self.left <= 0:
            return None
        from contact.solvers import settle_stubborn

        return settle_stubborn(problem, solution, self.tolerance, self.seed)

    def _improved(self, problem: Problem, solution: Solution, tolerance: float) -> Solution:
        """Return what all methods make of `solution` with the work left, if that is better."""
        from contact.solvers import count_work, solve

        if self.left <= 0:
            return solution
        last = solve(
            problem, "auto", tolerance, solution.reactions, seed=self.seed, max_work=self.left
        )
        self.left -= count_work(last)
        return last if last.certificate.worst < solution.certificate.worst else solution

    def _judged(self, solution: Solution) -> Solution:
        """Return `solution`, not called solved above the tolerance: solvers stop a little above."""
        if not solution.solved or solution.certificate.holds(self.tolerance):
            return solution
        return replace(solution, outcome=Outcome.STALLED)

    def _closed(
        self, problem: Problem, start: FloatArray, status: IntArray, steady: int
    ) -> Solution | None:
        """Return the solution in which all stick; None if it is not tried or not certified."""
        W, rests = problem.operator, False
        if not self.sticking:
            return None
        assert isinstance(W, SoleDelassus)
        if self.bodies.some_rigid:
            fixed = self.bodies.rigid[W.body]
            touched = fixed & (status != OPEN)
            # Of redundant points of a body, some that carry almost nothing seem to slip.
            held = np.zeros(self.bodies.count, dtype=np.bool_)
            held[W.body[touched & (status == STICK)]] = True
            if not held[W.body[touched]].all():
                return None
            rests, status = bool(touched.any()), np.where(fixed, OPEN, status)
        first = self.bodies.compliances.first
        stuck, count, slips, whole = find_sticking_set(status, W.body, first)
        if slips or not (count or rests) or not (whole or steady > max(1, PAYS * count)):
            return None
        factor = self._factor(W, stuck)
        if factor is None:
            return None
        if rests:
            closed = solve_at_rest(factor, problem, touched, self.tolerance, start)
        else:
            closed = factor.solve(problem, self.tolerance, start)
        return closed if closed is not None and closed.solved else None

    def _factor(self, W: SoleDelassus, stuck: BoolArray) -> StickFactor | None:
        # The factor knows its contacts by number, so these are part of the key.
        key = W.node.tobytes() + stuck.tobytes()
        if key in self.factors:
            self.factors.move_to_end(key)
            return self.factors[key]
        self.factors[key] = StickFactor.of(W, stuck, self.bodies.geometry, self.soles)
        if len(self.factors) > KEPT:
            self.factors.popitem(last=False)
        forget_parts(self.soles)
        return self.factors[key]
