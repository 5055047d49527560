"""Proximal points that drift: where forces must shift far before a last small residual goes.

With W of rank far below its size (stacks of boxes), all proximal methods may stop short of the
tolerance: u = delta (c - r) at the solution next to the centre c, and as W (r - c) = 0 nearly, the
next centre leaves the same u. Forces shift from contact to contact at the rate u/delta until one of
them lifts, sticks or slips; hundreds of such changes may be needed. So

    delta is as small as Newton's method bears, which makes the shift of one centre long;
    every solution starts from the last shift, repeated: y = c + (c - c_before) delta_before/delta;
    steps are shortened until the residual falls below its largest value at the last three.

The equations are those of `contact.solvers.proximal_newton`, its unknowns y have unit diagonal
blocks. This mends iterates that are nearly solutions; it does not find any from afar.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from contact.problem import Problem, Solution, certify, solution_of
from contact.solvers.block_system import SingularSystem
from contact.solvers.proximal_newton import NormalisedProblem
from contact.solvers.solver_work import step_work
from sole.base.arrays import FloatArray

FIRST, LEAST, LARGEST = 1e-3, 1e-12, 100.0  # delta, of the unit diagonal of W
FALL = 1e-3  # of the residual at a new centre: enough to move on
STEPS = 30  # Newton steps per centre, at most
CUTS, CUT, MEMORY = 10, 0.5, 3
EASY, HARD = 4, 15  # Newton steps: delta falls to a quarter, or rises to twice
STALE = 80  # centres without a better certificate


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftingPoints:
    """Proximal points that follow their drift, and their options.

    Parameters
    ----------
    tolerance : natural map divided by rho |q|, as in `contact.problem.certify`.
    max_steps : at most this many linear systems.
    max_work : no centre is begun after this much work, see `contact.solvers.solver_work`.
    """

    tolerance: float = 1e-8
    max_steps: int = 3000
    max_work: float = inf

    def solve(self, problem: Problem, start: FloatArray | None = None) -> Solution:
        """Solve `problem` from `start` (K, 3), forces that are nearly a solution.

        Returns the best iterate, with its certificate, whether or not it converged.
        """
        best = np.zeros_like(problem.offset) if start is None else problem.forces(start)
        plain, steps = NormalisedProblem.of(problem), 0
        least = certify(problem, best).error
        if len(plain.contacts) and least > self.tolerance:
            with np.errstate(all="ignore"):
                best, steps = self._drift(plain, best, least)
        return solution_of(problem, best, self.tolerance, "drifting points", newton=steps)

    def _drift(
        self, plain: NormalisedProblem, best: FloatArray, least: float
    ) -> tuple[FloatArray, int]:
        """Return the best forces (K, 3) and the number of steps."""
        problem, cost = plain.problem, step_work(plain.problem)
        y, delta, steps, stale = plain.scaled(best), FIRST, 0, 0
        shift, error = np.zeros_like(y), least
        while stale < STALE and LEAST <= delta <= LARGEST:
            if steps >= self.max_steps or steps * cost >= self.max_work:
                break
            found, count, enough = _solve_next_to(plain, y, y + shift, delta)
            steps, stale = steps + count, stale + 1
            forces = plain.reactions(found)
            reached = certify(problem, forces).error
            if reached < least:
                best, least, stale = forces, reached, 0
            if least <= self.tolerance:
                break
            if not (enough or reached < error):
                shift, delta = np.zeros_like(y), 4 * delta
                continue
            ratio = 4.0 if count <= EASY else 1.5 if count <= 2 * EASY else 1.0
            if not enough:
                ratio = 0.0
            elif count > HARD:
                ratio = 0.5
            shift = ratio * (found - y) if ratio >= 1.0 else np.zeros_like(y)
            delta = delta / (ratio or 1.0)
            y, error = found, reached
        return best, steps


def _solve_next_to(
    plain: NormalisedProblem, centre: FloatArray, y: FloatArray, delta: float
) -> tuple[FloatArray, int, bool]:
    """Solve next to `centre`, from `y`: return y, Newton steps, and whether they sufficed."""
    target = FALL * plain.residual(centre, centre, delta)
    history = [plain.residual(y, centre, delta)]
    best, least = y, history[0]
    for count in range(1, STEPS + 1):
        try:
            step = plain.step(y, centre, delta) - y
        except SingularSystem:
            return best, count, False
        t, allowed = 1.0, max(history[-MEMORY:])
        for _ in range(CUTS):
            residual = plain.residual(y + t * step, centre, delta)
            if residual < (1 - 1e-4 * t) * allowed:
                break
            t *= CUT
        y = y + t * step
        history.append(plain.residual(y, centre, delta))
        if history[-1] < least:
            best, least = y, history[-1]
        if history[-1] <= target:
            return y, count, True
    return best, STEPS, False
