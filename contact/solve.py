"""One door to all contact solvers: `solve(problem)` picks, combines and judges them.

The automatic choice, each stage from the best reactions so far, until the tolerance is met:

1. Gauss-Seidel, as long as its rate promises an end sooner than a few factorisations;
2. plain Newton steps: most problems with warm starts end here at the latest;
3. the interior point method, made for singular W (rigid bodies), where forces are not unique;
4. a search for the proof that there is no solution (`contact.infeasible`), before stage 3 if
   nothing was achieved so far. A normal direction ends the search; an oblique one excludes only
   solutions that stick, and is reported if all else fails;
5. Newton with proximal points, more sweeps of Gauss-Seidel, and the same from other starts: the
   solutions of the same problem with other friction.

What comes back is the best iterate seen, never the last one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from contact import cone
from contact.delassus import SparseDelassus
from contact.gauss_seidel import GaussSeidel
from contact.newton import Newton
from contact.problem import ASYMMETRY, Problem
from contact.solution import Outcome, Solution, certify, solution_of
from sole.arrays import FloatArray
from sole.errors import SoleError

METHODS = {
    "auto": "Gauss-Seidel, Newton, interior point and proximal Newton in turn",
    "gauss-seidel": "one exact contact at a time, in random order",
    "newton": "semi-smooth Newton with proximal points",
    "interior-point": "primal-dual interior point; symmetric W only",
    "lcp-4": "pyramid of 4 facets by Lemke's method, for comparison",
    "lcp-8": "pyramid of 8 facets by Lemke's method, for comparison",
    "lcp-16": "pyramid of 16 facets by Lemke's method, for comparison",
    "reference": "extragradient: slow, for tests",
}
SYMMETRIC_ONLY = ("interior-point",)
ATTEMPTS = 6  # from elsewhere, when all else failed
FURTHER = (1500, 3, 40)  # random paths: so many over the number of contacts, least, most
JITTER = (0.1, 0.02)  # largest relative change of friction
RAISED = (0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)  # friction on the way to its value
LAST_SWEEPS = 500
DOUBTFUL = 0.1  # a residual this large after sweeps and Newton: is there a solution at all?
STICKY = 1e6  # friction above this counts as this: round-off of |u_t| times mu would judge
CHUNK = 25  # sweeps between two looks at the rate of Gauss-Seidel


class Solver(Protocol):
    """Options of a method; see `contact.gauss_seidel.GaussSeidel`."""

    def solve(self, problem: Problem, start: FloatArray | None = None) -> Solution:
        """Solve `problem` from the warm start `start` (K, 3)."""


def solve(
    problem: Problem,
    method: str = "auto",
    tolerance: float = 1e-8,
    start: FloatArray | None = None,
    *,
    max_sweeps: int = 2000,
    seed: int = 1,
    check: bool = False,
) -> Solution:
    """Solve u = W r + q with Coulomb's cones.

    Parameters
    ----------
    method : a key of `METHODS`.
    tolerance : natural map, Signorini's law and cone divided by rho |q|, recomputed outside the
        method (`contact.solution.certify`).
    start : reactions (K, 3) to start from.
    max_sweeps : of Gauss-Seidel at most.
    seed : of the random order of the sweeps; same seed, same bits.
    check : raise if the tolerance is not met.

    Friction above 1e6 counts as 1e6, and `problem` of the solution says so: forces that stick
    with less friction also stick with more, and what slips at 1e6 carries a millionth of it.

    Raises
    ------
    SoleError
        Unknown method, bad option, or a method that needs a symmetric W.
    ConvergenceError
        With `check`: not solved; `best` is the solution that would have been returned.
    """
    _check(problem, method, tolerance, start, max_sweeps)
    if problem.friction.max(initial=0.0) > STICKY:
        problem = replace(problem, friction=np.minimum(problem.friction, STICKY))
    if not problem.offset.any():
        solution = solution_of(problem, np.zeros_like(problem.offset), tolerance, method)
    elif method == "auto":
        # Most problems of a simulation end here: nothing is computed twice for them.
        sweeps = GaussSeidel(
            tolerance=0.9 * tolerance, max_sweeps=min(CHUNK, max_sweeps), seed=seed
        )
        solution = sweeps.solve(problem, start)
        if not solution.certificate.holds(tolerance):
            solution = _Auto(problem, tolerance, max_sweeps, seed).solve(solution, start)
    else:
        solver = solver_of(method, tolerance, max_sweeps=max_sweeps, seed=seed)
        solution = solver.solve(problem, start)
        held = solution.certificate.holds(tolerance)
        if solution.outcome is not Outcome.INFEASIBLE:
            solution = replace(solution, outcome=Outcome.SOLVED if held else Outcome.STALLED)
    return solution.required() if check else solution


def solver_of(method: str, tolerance: float, *, max_sweeps: int = 2000, seed: int = 1) -> Solver:
    """Return the solver behind a key of `METHODS` other than "auto"."""
    if method == "gauss-seidel":
        return GaussSeidel(tolerance=tolerance / 2, max_sweeps=max_sweeps, seed=seed)
    if method == "newton":
        return Newton(tolerance=tolerance, seed=seed)
    if method == "interior-point":
        from contact.interior_point import InteriorPoint

        return InteriorPoint(tolerance=tolerance)
    if method.startswith("lcp-") and method in METHODS:
        from contact.lcp import PolyhedralLcp

        return PolyhedralLcp(facets=int(method[4:]), tolerance=tolerance)
    if method == "reference":
        from contact.reference_solver import ReferenceSolver

        return ReferenceSolver(tolerance=tolerance)
    raise SoleError(f"method '{method}' is unknown; known are {', '.join(METHODS)}")


def _check(
    problem: Problem, method: str, tolerance: float, start: FloatArray | None, max_sweeps: int
) -> None:
    if method not in METHODS:
        raise SoleError(f"method '{method}' is unknown; known are {', '.join(METHODS)}")
    if not 0 < tolerance < 1:
        raise SoleError(f"the tolerance must be between 0 and 1, got {tolerance:g}")
    if max_sweeps < 1:
        raise SoleError(f"at least one sweep is needed, got {max_sweeps}")
    if start is not None:
        shape = np.shape(start)
        if shape != problem.offset.shape:
            raise SoleError(f"the start has shape {shape}, expected {problem.offset.shape}")
        if not np.isfinite(start).all():
            raise SoleError("the start must be finite")
    if method in SYMMETRIC_ONLY and not problem.symmetric:
        raise SoleError(
            f"W is asymmetric by {problem.operator.asymmetry:.1e} and '{method}' takes at most "
            f"{ASYMMETRY:g}; use auto, gauss-seidel or newton"
        )


@dataclass
class _Auto:
    """One automatic solve: the best reactions and the counters so far."""

    problem: Problem
    tolerance: float
    max_sweeps: int
    seed: int

    def __post_init__(self) -> None:
        self.reactions, self.best = np.zeros_like(self.problem.offset), np.inf
        self.sweeps = self.newton = self.interior = self.generator = 0
        self.used: list[str] = []
        self.proof: FloatArray | None = None
        self.certain = False

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
            if self.done or self.certain:
                break
        solution = solution_of(
            self.problem,
            self.reactions,
            self.tolerance,
            " + ".join(self.used) or "auto",
            sweeps=self.sweeps,
            newton=self.newton,
            interior=self.interior,
            generator=self.generator,
        )
        # A natural map at the tolerance speaks against the proof, whatever Signorini's law says.
        near = solution.certificate.natural_map <= self.tolerance
        if self.done or near or self.proof is None:
            return solution
        return replace(solution, outcome=Outcome.INFEASIBLE, direction=self.proof)

    def stages(self) -> Iterator[None]:
        """Run one stage after the other, with a pause after each to look at the result."""
        if self.done:
            return
        self.gauss_seidel()
        yield
        self.run("newton", Newton(tolerance=self.tolerance, proximal=False, sweeps=0))
        yield
        if self.best > DOUBTFUL:
            self.infeasible()
            yield
        self.interior_point()
        yield
        if self.best <= DOUBTFUL:
            self.infeasible()
            yield
        self.run("newton", Newton(tolerance=self.tolerance, seed=self.seed, max_steps=600))
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
            solver = Newton(tolerance=self.tolerance, seed=self.seed, sweeps=0, max_steps=100)
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
        certificate = certify(self.problem, r)
        worst = max(certificate.worst, certificate.cone)
        if worst < self.best:
            self.best, self.reactions = worst, r

    def gauss_seidel(self) -> None:
        """Sweep in chunks while the rate promises an end before `patience` further sweeps."""
        patience = _patience(self.problem)
        seed = self.seed
        while self.sweeps < self.max_sweeps:
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
        """Interior point; with an asymmetric W only as a source of a better start."""
        from contact.interior_point import InteriorPoint

        symmetric = self.problem.symmetric
        solver = InteriorPoint(tolerance=self.tolerance, asymmetric=not symmetric)
        self.keep("interior-point", self.counted(solver, self.problem, None))

    def further(self) -> None:
        """Interior paths smoothed at random: fewer the larger the problem."""
        from contact.interior.path import Smoothing
        from contact.interior_point import InteriorPoint

        random = np.random.default_rng([self.seed, ATTEMPTS])
        count = int(np.clip(FURTHER[0] / self.problem.contacts, *FURTHER[1:]))
        ways = tuple(
            Smoothing(
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
        from contact.interior_point import InteriorPoint

        problem = self.problem
        other = Problem(problem.operator, problem.offset, factor * problem.friction)
        best: Solution | None = None
        if start is not None:
            best = self.counted(
                Newton(tolerance=self.tolerance, sweeps=20, max_steps=40), other, start
            )
        if best is None or not best.solved:
            inner = InteriorPoint(tolerance=1e-6, max_iterations=60, asymmetric=True, smoothings=())
            found = self.counted(inner, other, start)
            if best is None or found.certificate.worst < best.certificate.worst:
                best = found
        return best.reactions

    def counted(self, solver: Solver, problem: Problem, start: FloatArray | None) -> Solution:
        """Solve another problem on the way and add up the counters."""
        solution = solver.solve(problem, start)
        self.sweeps += solution.sweeps
        self.newton += solution.newton
        self.interior += solution.interior
        return solution

    def infeasible(self) -> None:
        """Look for a direction that proves that there is no solution.

        An oblique one does not exclude a Coulomb solution that slips: the search goes on.
        """
        if not self.problem.symmetric:
            return
        from contact.infeasible import check_direction, find_direction

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
