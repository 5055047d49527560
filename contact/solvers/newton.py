"""Semi-smooth Newton for tight tolerances, with proximal points for singular W.

Newton steps on F of `contact.solvers.alart_curnier`, started by a few sweeps of Gauss-Seidel.
Only closed contacts enter the linear system; open ones get r = 0:

    (T W_aa + D) dr_a = b_a + T W_ao r_o,      dr_o = -r_o.

The step is shortened until |F| falls below its value at the last steps. From a warm start the
statuses are soon right, and 1-4 steps reach round-off.

When that stalls, or W is singular (several contacts on one rigid body), the proximal point
method [Rockafellar1976] is put around it: a sequence of problems that a softer body would pose,

    u = W r + alpha diag(w) (r - r_k) + q,      r_k+1 its solution,      w_i = tr(W_ii)/3,

each with one regular matrix and a start that is nearly right; alpha shrinks after a success and
grows after a failure. Any limit solves the problem itself, whatever alpha: the term vanishes
with r_k+1 - r_k. W need not be symmetric.

Where the forces are not unique, the one found is near the start: alpha diag(w) |r - r_k|^2 is the
smallest change, step by step, that mends the laws. From a warm start in a time step that is the
distribution of the step before, from a cold one that of the first sweeps of Gauss-Seidel. It
is not the force of minimum norm; `contact.solvers.interior_point` gives the even (central) one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np
from scipy import sparse

from contact import coulomb as cone
from contact.problem import DenseDelassus, Problem, Solution, SparseDelassus, certify, solution_of
from contact.solvers.alart_curnier import AlartCurnierLaw
from contact.solvers.block_system import SingularSystem
from contact.solvers.gauss_seidel import GaussSeidel
from contact.solvers.newton_system import NewtonSystem, system_of
from contact.solvers.solver_work import step_work, sweep_work
from contact.sweeps import generator_state
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError

TINY = 1e-10  # alpha of the first, plain attempt: keeps a singular matrix regular
FIRST = 1e-2  # alpha of the first proximal point
SHRINK, GROW = 0.2, 5.0
CAREFUL = 0.5  # replaces SHRINK once a point was missed
PLAIN_STEPS = 12  # of the first attempt
POINT_STEPS = 25  # Newton steps at most per proximal point
POINT_SWEEPS = 20  # Gauss-Seidel sweeps on a regularised problem if no step helps
ACCURACY = 1e-2  # a proximal point is accepted once |F| fell by this
MEMORY = 4  # |F| may rise for this many steps
CUTS = 12
CUT = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class NewtonSolver:
    """The semi-smooth Newton solver and its options.

    Parameters
    ----------
    tolerance : natural map divided by rho |q|, as in `contact.problem.certify`.
    max_steps : at most this many linear systems.
    sweeps : of Gauss-Seidel before the first step.
    plain : steps at most without proximal points.
    proximal : go on with proximal points when plain steps stall.
    faithful : begin at the start even if no forces at all have a smaller residual.
    seed : of the sweeps: same seed, same bits.
    max_work : no step is begun after this much work, see `contact.solvers.solver_work`.
    """

    tolerance: float = 1e-10
    max_steps: int = 400
    sweeps: int = 10
    plain: int = PLAIN_STEPS
    proximal: bool = True
    faithful: bool = False
    seed: int = 1
    max_work: float = inf

    def __post_init__(self) -> None:
        if not (self.tolerance >= 0 and self.max_steps >= 0 and self.sweeps >= 0):
            raise SoleError("tolerance, max_steps and sweeps must not be negative")

    def solve(self, problem: Problem, start: FloatArray | None = None) -> Solution:
        """Solve `problem` from the warm start `start` (K, 3), projected on the cones.

        Returns the best iterate, with its certificate, whether or not it converged.
        """
        run = _NewtonRun(self, problem)
        r = np.zeros_like(problem.offset)
        if start is None or not self.faithful:
            run.offer(r)
        if start is not None:
            r = cone.project(problem.forces(start), problem.friction)
            run.offer(r)
        if run.best > self.tolerance:
            with np.errstate(all="ignore"):
                run.search(r.copy())
        return solution_of(
            problem,
            run.reactions,
            self.tolerance,
            "newton",
            sweeps=run.sweeps,
            newton=run.steps,
            generator=run.generator,
        )


class _NewtonRun:
    """One solve: the best reactions so far and the counters."""

    def __init__(self, options: NewtonSolver, problem: Problem) -> None:
        self.options, self.problem = options, problem
        self.steps = self.sweeps = 0
        self.generator = generator_state(options.seed)
        self.reactions, self.best = np.zeros_like(problem.offset), np.inf
        self.costs = sweep_work(problem), step_work(problem)

    @property
    def spent(self) -> bool:
        """Whether all steps or all work were used up."""
        work = self.sweeps * self.costs[0] + self.steps * self.costs[1]
        return self.steps >= self.options.max_steps or work >= self.options.max_work

    def offer(self, r: FloatArray) -> bool:
        """Keep `r` if its certificate is the best so far; return whether the search may end."""
        error = certify(self.problem, r).error
        if error < self.best:
            self.best, self.reactions = error, r
        return error <= self.options.tolerance

    def search(self, r: FloatArray) -> None:
        """Sweeps, plain Newton steps, proximal points."""
        problem, options = self.problem, self.options
        if options.sweeps:
            r = self.swept(problem, r, options.sweeps)
            if self.offer(r):
                return
        tiny = TINY * _sizes(problem)
        system = system_of(problem.operator)
        self.descend(problem, system, self.reactions, tiny, options.plain, 0.0, self.offer)
        if options.proximal:
            self.approach(self.reactions)

    def approach(self, r: FloatArray) -> None:
        """Proximal points from r until the tolerance is met or the steps are used up."""
        problem, alpha = self.problem, FIRST
        size, plain = _sizes(problem), np.zeros(problem.contacts)
        shrink = SHRINK
        while self.best > self.options.tolerance and not self.spent:
            softer = _softened(problem, alpha * size, r)
            x, converged = self.descend(
                softer, system_of(softer.operator), r, plain, POINT_STEPS, ACCURACY, None
            )
            before = self.best
            self.offer(x)
            if converged or self.best < before:
                r = x
            if converged:
                alpha = max(alpha * shrink, TINY)
            else:
                alpha, shrink = min(alpha * GROW, 1e3), CAREFUL

    def descend(
        self,
        problem: Problem,
        system: NewtonSystem,
        r: FloatArray,
        shift: FloatArray,
        most: int,
        accuracy: float,
        offer: Callable[[FloatArray], bool] | None,
    ) -> tuple[FloatArray, bool]:
        """Newton steps from r: return the reactions of least |F|, and whether they suffice.

        `shift` (K,) is added to the diagonal of W in the matrix only; sufficient is
        |F| <= accuracy |F(r)|, or what `offer` says.
        """
        law = AlartCurnierLaw.of(problem)
        u = problem.velocity(r)
        history = [law.residual(r, u)]
        best, least = r, history[0]
        target = accuracy * history[0]
        for _ in range(most):
            if self.spent:
                break
            self.steps += 1
            try:
                d = _direction(problem, system, law, r, u, shift)
            except SingularSystem:
                break
            Wd = problem.velocity(d) - problem.offset
            step = _length(law, r, u, d, Wd, max(history[-MEMORY:]))
            if step is None:
                if offer is not None:
                    break
                r = self.swept(problem, best.copy(), POINT_SWEEPS)
            else:
                r = r + step * d
            u = problem.velocity(r)
            history.append(law.residual(r, u))
            if history[-1] < least:
                best, least = r, history[-1]
            if offer(r) if offer is not None else least <= target:
                return best, True
        return best, False

    def swept(self, problem: Problem, r: FloatArray, count: int) -> FloatArray:
        """`count` sweeps of Gauss-Seidel over r, in place."""
        solver = GaussSeidel(
            tolerance=0.0, max_sweeps=count, relaxation=1.0, seed=self.options.seed + self.sweeps
        )
        done, self.generator = solver.improve(problem, r)
        self.sweeps += done
        return r


def _direction(
    problem: Problem,
    system: NewtonSystem,
    law: AlartCurnierLaw,
    r: FloatArray,
    u: FloatArray,
    shift: FloatArray,
) -> FloatArray:
    """Newton step dr (K, 3) from r with velocities u."""
    closed = law.touching(r, u)
    d = np.where(closed[:, None], 0.0, -r)
    a = np.flatnonzero(closed)
    if not len(a):
        return d
    T, D, b = law.linearised(r, u, closed)
    if d.any():
        moved = problem.velocity(d)[a] - problem.offset[a]
        b = b - np.einsum("kab,kb->ka", T, moved)
    d[a] = system.solve(a, T, D + shift[a, None, None] * T, b)
    return d


def _length(
    law: AlartCurnierLaw,
    r: FloatArray,
    u: FloatArray,
    d: FloatArray,
    Wd: FloatArray,
    allowed: float,
) -> float | None:
    """Return the longest step 1, CUT, CUT^2, ... that brings |F| below `allowed`, or None."""
    t = 1.0
    for _ in range(CUTS):
        if law.residual(r + t * d, u + t * Wd) < (1 - 1e-4 * t) * allowed:
            return t
        t *= CUT
    return None


def _sizes(problem: Problem) -> FloatArray:
    """w (K,), the mean diagonal entry of every block of W, kept away from zero."""
    w = np.einsum("kii->k", problem.blocks) / 3
    return np.asarray(np.maximum(w, 1e-6 / problem.rho))


def _softened(problem: Problem, alpha: FloatArray, centre: FloatArray) -> Problem:
    """u = (W + diag alpha) r + q - alpha centre, alpha (K,)."""
    added = np.repeat(alpha, 3)
    offset = problem.offset - alpha[:, None] * centre
    W = problem.operator
    if isinstance(W, SparseDelassus):
        soft = sparse.csr_array(W.matrix + sparse.diags_array(added))
        return Problem(SparseDelassus(soft), offset, problem.friction)
    matrix = W.dense().copy()
    matrix[np.diag_indices_from(matrix)] += added
    return Problem(DenseDelassus(matrix), offset, problem.friction)
