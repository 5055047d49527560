"""The automatic solver: stages of all methods, each from the best reactions so far.

1. Gauss-Seidel, as long as its rate promises an end sooner than a few factorisations;
2. plain Newton steps: most problems with warm starts end here at the latest;
3. the interior point method, made for singular W (rigid bodies), where forces are not unique:
   some steps first, and where these leave a small residual, proximal points that follow the drift
   of the forces (`contact.solvers.drifting_points`); then, for a definite W, pyramids as in 5; then
   all its paths;
4. a search for the proof that there is no solution (`contact.solvers.infeasible`), before stage 3
   if nothing was achieved so far. A normal direction ends the search; an oblique one excludes only
   solutions that stick, and is reported if all else fails;
5. pyramids turned at random, whose solutions Newton steps bring to the cone: of a definite W,
   however badly conditioned, most have one nearby (`contact.solvers.turned_pyramids`);
6. Newton with proximal points, more sweeps of Gauss-Seidel, and the same from other starts: the
   solutions of the same problem with other friction.

It returns the best iterate, not the last one. With a limit of work (`contact.solvers.solver_work`)
it stops there, and leaves out a search for a proof that would not fit in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from contact import coulomb as cone
from contact.problem import Outcome, Problem, Solution, Solver, SparseDelassus, certify, solution_of
from contact.solvers.drifting_points import DriftingPoints
from contact.solvers.gauss_seidel import GaussSeidel
from contact.solvers.newton import NewtonSolver
from contact.solvers.solver_work import pivot_work, step_work, sweep_work
from contact.solvers.turned_pyramids import TurnedPyramids
from sole.base.arrays import FloatArray

ATTEMPTS = 6  # from other starts, when all else failed
FURTHER = (1500, 3, 40)  # random paths: this over the number of contacts; least; most
JITTER = (0.1, 0.02)  # largest relative change of friction
RAISED = (0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)  # friction on the way to its value
LAST_SWEEPS = 500
DOUBTFUL = 0.1  # a residual this large after sweeps and Newton: is there a solution at all?
CHUNK = 25  # sweeps between two looks at the rate of Gauss-Seidel
SHORT = 60  # interior-point steps before drifting points
NEAR = 1e-5  # a residual below which drifting points are tried
PROOF = 200  # interior-point steps that a search for a proof may take


@dataclass
class AutomaticSolver:
    """One automatic solve: the best reactions and the counters so far."""

    problem: Problem
    tolerance: float
    max_sweeps: int
    seed: int
    max_work: float = inf

    def __post_init__(self) -> None:
        P = self.problem
        self.costs = sweep_work(P), step_work(P), pivot_work(P)
        self.reactions, self.best = np.zeros_like(self.problem.offset), np.inf
        self.sweeps = self.newton = self.interior = self.pivots = self.generator = 0
        self.used: list[str] = []
        self.pyramids = TurnedPyramids(tolerance=self.tolerance, seed=self.seed)
        self.proof: FloatArray | None = None
        self.certain = False

    @property
    def left(self) -> float:
        """Work that is left."""
        counts = self.sweeps, self.newton + self.interior, self.pivots
        return self.max_work - sum(n * c for n, c in zip(counts, self.costs, strict=True))

    @property
    def done(self) -> bool:
        """Whether the best reactions meet the tolerance."""
        return self.best <= self.tolerance

    def solve(self, first: Solution, start: FloatArray | None) -> Solution:
        """Run the stages, after the sweeps of `first`, until one meets the tolerance."""
        self.offer(np.zeros_like(self.problem.offset))
        if start is not None:
            self.offer(cone.project(start, self.problem.friction))
        self.sweeps += first.sweeps
        self.keep("gauss-seidel", first)
        for _ in self.stages():
            if self.done or self.certain or self.left <= 0:
                break
        solution = solution_of(
            self.problem,
            self.reactions,
            self.tolerance,
            " + ".join(self.used) or "auto",
            sweeps=self.sweeps,
            newton=self.newton,
            interior=self.interior,
            pivots=self.pivots,
            generator=self.generator,
        )
        # A natural map at the tolerance contradicts the proof, even if Signorini's law is not met.
        near = solution.certificate.natural_map <= self.tolerance
        if self.done or near or self.proof is None:
            return solution
        return replace(solution, outcome=Outcome.INFEASIBLE, direction=self.proof)

    def stages(self) -> Iterator[None]:
        """Run one stage after the other; yield after each so that the caller checks the result."""
        if self.done:
            return
        self.gauss_seidel()
        yield
        self.run("newton", NewtonSolver(tolerance=self.tolerance, proximal=False, sweeps=0))
        yield
        if self.best > DOUBTFUL:
            self.infeasible()
            yield
        self.interior_point()
        yield
        if self.best <= DOUBTFUL:
            self.infeasible()
            yield
        if not self.pyramids.suits(self.problem) and self.pyramids.fits(self.problem):
            self.run("pyramids", self.pyramids)
            yield
        self.run("newton", NewtonSolver(tolerance=self.tolerance, seed=self.seed, max_steps=600))
        yield
        if self.sweeps < self.max_sweeps:
            left = min(self.max_sweeps - self.sweeps, LAST_SWEEPS)
            sweeps = GaussSeidel(tolerance=self.tolerance / 2, max_sweeps=left, seed=self.seed)
            self.run("gauss-seidel", sweeps)
            yield
        if self.problem.symmetric:
            self.further()
            yield
        for attempt in range(ATTEMPTS):
            start = self.elsewhere(attempt)
            solver = NewtonSolver(tolerance=self.tolerance, seed=self.seed, sweeps=0, max_steps=100)
            self.run("newton", solver, start)
            yield

    def run(self, name: str, solver: Solver, start: FloatArray | None = None) -> None:
        """Run `solver` from the best reactions (or `start`) and keep what is better."""
        solution = self.counted(solver, self.problem, self.reactions if start is None else start)
        self.keep(name, solution)

    def keep(self, name: str, solution: Solution) -> None:
        """Keep the reactions if they are better."""
        self.generator = solution.generator or self.generator
        if not self.used or self.used[-1] != name:
            self.used.append(name)
        self.offer(solution.reactions)

    def offer(self, r: FloatArray) -> None:
        """Keep `r` if its certificate is the best."""
        error = certify(self.problem, r).error
        if error < self.best:
            self.best, self.reactions = error, r

    def gauss_seidel(self) -> None:
        """Sweep in chunks while the rate promises an end before `patience` further sweeps."""
        patience = _patience(self.problem)
        seed = self.seed
        while self.sweeps < self.max_sweeps and self.left > 0:
            before = self.best
            count = min(CHUNK, self.max_sweeps - self.sweeps)
            solver = GaussSeidel(tolerance=self.tolerance / 2, max_sweeps=count, seed=seed)
            self.run("gauss-seidel", solver)
            seed += 1
            if self.done or self.best >= 0.9 * before:
                return
            rate = np.log(before / self.best) / count
            if np.isfinite(rate) and np.log(self.best / self.tolerance) / rate > patience:
                return

    def interior_point(self) -> None:
        """Interior points; with an asymmetric W only as a source of a better start."""
        from contact.solvers.interior_point import InteriorPoint

        symmetric = self.problem.symmetric
        solver = InteriorPoint(tolerance=self.tolerance, asymmetric=not symmetric)
        short = replace(solver, max_iterations=SHORT, smoothings=())
        self.keep("interior-point", self.counted(short, self.problem, None))
        if not self.done and self.best <= NEAR:
            self.run("drifting points", DriftingPoints(tolerance=self.tolerance))
        if not self.done and self.left > 0 and self.pyramids.suits(self.problem):
            self.run("pyramids", self.pyramids)
        if not self.done and self.left > 0:
            self.keep("interior-point", self.counted(solver, self.problem, None))

    def further(self) -> None:
        """Interior paths smoothed at random: fewer the larger the problem."""
        from contact.solvers.central_path import ConeSmoothing
        from contact.solvers.interior_point import InteriorPoint

        random = np.random.default_rng([self.seed, ATTEMPTS])
        count = int(np.clip(FURTHER[0] / self.problem.contacts, *FURTHER[1:]))
        ways = tuple(
            ConeSmoothing(
                width=float(10 ** random.uniform(-2, 1)),
                power=float(random.choice([0.5, 1.0])),
                least=float(random.choice([0.0, 0.3, 0.5])),
                lifted=bool(random.random() < 0.7),
            )
            for _ in range(count)
        )
        solver = InteriorPoint(tolerance=self.tolerance, max_iterations=0, smoothings=ways)
        self.keep("interior-point", self.counted(solver, self.problem, None))

    def elsewhere(self, attempt: int) -> FloatArray:
        """Return forces (K, 3) of the same problem with other friction.

        Friction makes the problem non-monotone: all iterations can creep around a point that is
        nearly a solution. First friction is raised from a third to its value in small steps, then
        it is changed a little at random, by 2 % and 10 % in turn.
        """
        if attempt == 0:
            forces = np.zeros_like(self.problem.offset)
            for share in RAISED:
                forces = self.beside(np.full(self.problem.contacts, share), forces)
        else:
            random = np.random.default_rng([self.seed, attempt])
            most = JITTER[attempt % len(JITTER)]
            forces = self.beside(1 + most * random.uniform(-1, 1, self.problem.contacts), None)
        return cone.project(forces, self.problem.friction)

    def beside(self, factor: FloatArray, start: FloatArray | None) -> FloatArray:
        """Return forces of the problem with friction times `factor` (K,), as good as they get."""
        from contact.solvers.interior_point import InteriorPoint

        problem = self.problem
        other = Problem(problem.operator, problem.offset, factor * problem.friction)
        best: Solution | None = None
        if start is not None:
            best = self.counted(
                NewtonSolver(tolerance=self.tolerance, sweeps=20, max_steps=40), other, start
            )
        if best is None or not best.solved:
            inner = InteriorPoint(tolerance=1e-6, max_iterations=60, asymmetric=True, smoothings=())
            found = self.counted(inner, other, start)
            if best is None or found.certificate.worst < best.certificate.worst:
                best = found
        return best.reactions

    def counted(self, solver: Solver, problem: Problem, start: FloatArray | None) -> Solution:
        """Solve another problem on the way, with the work that is left, and add up the counters."""
        solution = self.limited(solver).solve(problem, start)
        self.sweeps += solution.sweeps
        self.newton += solution.newton
        self.interior += solution.interior
        self.pivots += solution.pivots
        return solution

    def limited(self, solver: Solver) -> Solver:
        """Return `solver` with no more than the work that is left."""
        if self.max_work == inf:
            return solver
        left = max(self.left, 0.0)
        if isinstance(solver, GaussSeidel):
            most = min(solver.max_sweeps, int(left / self.costs[0]))
            return replace(solver, max_sweeps=most)
        return replace(solver, max_work=left)  # type: ignore[type-var]

    def infeasible(self) -> None:
        """Search a direction that proves that there is no solution.

        An oblique one does not exclude a Coulomb solution that slips: the stages go on.
        """
        if not self.problem.symmetric or self.left < PROOF * self.costs[1]:
            return
        from contact.solvers.infeasible import check_direction, find_direction

        self.proof = find_direction(self.problem, self.tolerance)
        if self.proof is not None:
            self.certain = check_direction(self.problem, self.proof).normal <= self.tolerance


def _patience(problem: Problem) -> float:
    """Sweeps that cost about as much as a few Newton steps.

    A dense factor of n unknowns costs n/3 sweeps, and its arithmetic is several times as fast; a
    sparse one fills in, while a sweep reads the stored blocks alone.
    """
    n = 3 * problem.contacts
    return 75.0 + (2.0 * n if isinstance(problem.operator, SparseDelassus) else n / 4)
