"""The solver of a (sub-)step: closed form, Gauss-Seidel, then every other method.

1. Where all touching contacts stuck in the last step: the closed form (`contact.solvers.sticking`),
   if its certificate holds. Whole soles always: their factor is made once. Parts of them only when
   the set has lasted long enough for its factor to pay. Rigid bodies of which any point stuck.
2. Gauss-Seidel from the extrapolated forces.
3. Where that stalls (rigid feet, odd states): `contact.solvers.solve`, which has every method.

The choice depends on the state alone; a cached factor only saves work. So the same state gives
the same bits, restored or not.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from contact.problem import ContactStatus, Problem, SoleDelassus, Solution
from contact.solvers import GaussSeidel, SoleFactor, StickFactor, solve_at_rest
from contact.step.bodies import Bodies
from contact.step.options import StepOptions
from contact.step.pose_kernels import find_sticking_set
from sole.base.arrays import BoolArray, FloatArray, IntArray

PAYS = 0.1  # steps per sticking contact after which its factor has paid for itself
KEPT = 4  # sets of contacts, and soles partly in contact, whose factors are kept
PATIENCE = 300  # sweeps before the other methods are tried
OPEN, STICK = int(ContactStatus.OPEN), int(ContactStatus.STICK)


class StepSolver:
    """Solver of one `CompliantStep`."""

    def __init__(self, bodies: Bodies, options: StepOptions) -> None:
        o = options
        self.bodies, self.given = bodies, o.solver
        self.tolerance, self.seed, self.sticking = o.tolerance, o.seed, o.sticking
        self.sweeps = GaussSeidel(tolerance=o.tolerance, max_sweeps=PATIENCE, seed=o.seed)
        self.factors: OrderedDict[bytes, StickFactor | None] = OrderedDict()
        self.soles: dict[bytes, SoleFactor] = {}

    def solve(self, problem: Problem, start: FloatArray, status: IntArray, steady: int) -> Solution:
        """Solve from `start` (K, 3).

        `status` (K,) is that of the last step and `steady` for how many steps it has been all
        sticking or open and the same.
        """
        if self.given is not None:
            return self.given.solve(problem, start)
        if self.sticking and (closed := self._closed(problem, start, status, steady)) is not None:
            return closed
        solution = self.sweeps.solve(problem, start)
        if solution.solved or not np.isfinite(solution.reactions).all():
            return solution
        from contact.solvers import solve

        last = solve(problem, "auto", 2 * self.tolerance, solution.reactions, seed=self.seed)
        return last if last.certificate.worst < solution.certificate.worst else solution

    def _closed(
        self, problem: Problem, start: FloatArray, status: IntArray, steady: int
    ) -> Solution | None:
        """Return the solution in which all stick; None if it is not tried or not certified."""
        W, rests = problem.operator, False
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
        parts = [key for key, sole in self.soles.items() if not sole.whole]
        for old in parts[:-KEPT]:
            del self.soles[old]
        return self.factors[key]
