"""Interior point method for Coulomb contact, made for singular W (many contacts on rigid bodies).

    minimise 1/2 r'Wr + (q + mu s n)'r   over r in K_mu,    with   s = |u_t|,   u = W r + q,

is the law in De Saxce's form [DeSaxceFeng1998]: v = u + mu |u_t| n in K_mu*, r in K_mu, r . v = 0.
For a given s it is a convex second-order cone programme [AcaryEtAl2011]. Two ways, the
second where the first has failed:

1. s moves with the unknowns inside every Newton step (`contact.solvers.central_path`), as in the
   non-smooth variant of [AcaryEtAl2024]: 5 to 25 factorisations, and closing Newton steps of
   `contact.solvers.proximal_newton` for the last digits, as the path has only half of them where a
   contact is at the border of two states. But the path may be lost: the problem with
   s = |u_t| is not monotone;
2. rounds: the convex programme for a fixed s, which always gets there; some sweeps of
   Gauss-Seidel from its forces, which move the slip on; proximal points from there.

**Which forces, where they are not unique.** The path leads near the analytic centre of the
solution set of its last programme: the forces that keep away from the borders of all cones
together, smooth in the data and symmetric where the problem is: a box on four corners gets four
equal forces. The closing steps start near there and only remove the residual; rounds and a
warm start end at other members of the set. (Coulomb's law may also have solutions with several
velocities, which no choice of forces settles.)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from math import inf

import numpy as np

from contact import coulomb as cone
from contact.problem import ASYMMETRY, Problem, Solution, certify, solution_of
from contact.solvers.central_path import ConeSmoothing, ScaledProblem, follow_path
from contact.solvers.gauss_seidel import GaussSeidel
from contact.solvers.proximal_newton import NormalisedProblem, proximal_points, take_closing_steps
from contact.solvers.solver_work import step_work, sweep_work
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError

FIRST_CLOSING = 1e-4  # tried from this residual on, and again for every digit
CLOSING_STEPS = 12
FOLLOWED = 40  # steps down the path with moving slip, at most
# Sweeps and Newton steps (of the proximal points) of the first, second, ... round; the last one
# holds for all further ones.
ROUNDS = ((50, 150), (200, 150), (800, 150))
SMOOTHED = 120  # steps down a smoothed path, at most
STALE = 40  # of those without a better certificate
WARM = 1e-3  # distance of a warm start from the borders, as a part of q

# No single one is best: each fails elsewhere, and together they cost less than the later stages.
SMOOTHINGS = (
    ConeSmoothing(width=1.0, power=1.0, least=0.5, lifted=False),
    ConeSmoothing(width=1.0, power=1.0, least=0.0, lifted=True),
    ConeSmoothing(width=0.1, power=0.5, least=0.0, lifted=False),
    ConeSmoothing(width=0.1, power=0.5, least=0.5, lifted=True),
    ConeSmoothing(width=0.1, power=1.0, least=0.0, lifted=False),
    ConeSmoothing(width=0.1, power=1.0, least=0.0, lifted=True),
    ConeSmoothing(width=0.01, power=0.5, least=0.5, lifted=False),
    ConeSmoothing(width=0.03, power=0.5, least=0.0, lifted=True),
    ConeSmoothing(width=10.0, power=1.0, least=0.0, lifted=False),
    ConeSmoothing(width=0.01, power=0.5, least=0.5, lifted=True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class InteriorPoint:
    """The interior point solver and its options.

    Parameters
    ----------
    tolerance : natural map divided by rho |q|, as in `contact.problem.certify`.
    max_iterations : at most this many interior-point steps, all rounds together.
    smoothings : tried in turn when the first path was lost, for a symmetric W only.
    asymmetric : also take a W with asymmetry above 1e-8, as stored. No programme has such a W,
        only the equations of the path do, and they are not monotone then.
    max_work : no step is begun after this much work, see `contact.solvers.solver_work`.
    """

    tolerance: float = 1e-8
    max_iterations: int = 250
    asymmetric: bool = False
    smoothings: tuple[ConeSmoothing, ...] = SMOOTHINGS
    max_work: float = inf

    def __post_init__(self) -> None:
        if not (self.tolerance >= 0 and self.max_iterations >= 0):
            raise SoleError("tolerance and max_iterations must not be negative")

    def solve(self, problem: Problem, start: FloatArray | None = None) -> Solution:
        """Solve `problem`, from `start` (K, 3) pushed into the cones if there is one.

        Returns the best iterate, with its certificate, whether or not it converged.

        Raises
        ------
        SoleError
            W is asymmetric by more than 1e-8 and `asymmetric` is not set.
        """
        if not problem.symmetric and not self.asymmetric:
            raise SoleError(
                f"W is asymmetric by {problem.operator.asymmetry:.1e}, the interior point method "
                f"takes at most {ASYMMETRY:g}; use Gauss-Seidel, or InteriorPoint(asymmetric=True)"
            )
        run = _InteriorRun(self, problem)
        if start is not None:
            run.offer(cone.project(problem.forces(start), problem.friction))
        if run.best > self.tolerance:
            with np.errstate(all="ignore"):
                run.search(start)
        return solution_of(
            problem,
            run.reactions,
            self.tolerance,
            "interior-point",
            interior=run.interior,
            newton=run.newton,
            sweeps=run.sweeps,
        )


class _InteriorRun:
    """One solve: the best reactions so far and the counters."""

    def __init__(self, options: InteriorPoint, problem: Problem) -> None:
        self.options, self.problem = options, problem
        self.interior = self.newton = self.sweeps = 0
        self.aside = 0  # steps down smoothed paths: not taken from the budget of the others
        self.reactions = np.zeros((problem.contacts, 3))
        self.best = np.inf
        self.costs = sweep_work(problem), step_work(problem)
        self.offer(self.reactions)

    @property
    def left(self) -> float:
        """Work that is left."""
        steps = self.interior + self.newton
        return self.options.max_work - self.sweeps * self.costs[0] - steps * self.costs[1]

    @property
    def done(self) -> bool:
        """Whether the search ends: at the tolerance, or out of work."""
        return self.best <= self.options.tolerance or self.left <= 0

    @property
    def spent(self) -> bool:
        return self.interior - self.aside >= self.options.max_iterations or self.left <= 0

    def offer(self, r: FloatArray) -> float:
        """Keep `r` if its certificate is the best; return its residual."""
        error = certify(self.problem, r).error
        if error < self.best:
            self.best, self.reactions = error, r
        return error

    def search(self, start: FloatArray | None) -> None:
        """Try one method after the other until the tolerance is met."""
        scaled, plain = ScaledProblem.of(self.problem), NormalisedProblem.of(self.problem)
        if not len(scaled.contacts):
            return
        if start is not None and self.follow(scaled, plain, WARM, start):
            return
        if self.follow(scaled, plain, 1.0, None):
            return
        ways = iter(self.options.smoothings if self.problem.symmetric else ())
        slip = np.zeros(len(scaled.contacts))
        count = 0
        while not self.spent:
            r = self.convex(scaled, slip)
            if self.close(plain, r):
                return
            sweeps, steps = ROUNDS[min(count, len(ROUNDS) - 1)]
            r = self.sweep(r, sweeps)
            if self.done or self.points(plain, r, steps):
                return
            way = next(ways, None)
            if way is not None and self.smoothed(scaled, plain, way):
                return
            slip = scaled.slip(self.reactions)
            count += 1
        for way in ways:
            if self.smoothed(scaled, plain, way):
                return

    def follow(
        self, scaled: ScaledProblem, plain: NormalisedProblem, eta: float, guess: FloatArray | None
    ) -> bool:
        """Go down the path with moving slip; return whether the tolerance is met."""
        due = FIRST_CLOSING
        for x in islice(follow_path(scaled, *scaled.first(eta, guess)), FOLLOWED):
            r = scaled.reactions(x)
            residual = self.offer(r)
            if self.done:
                return True
            if residual <= due:
                due = residual / 10
                if self.close(plain, r):
                    return True
            if self.spent:
                break
            self.interior += 1
        return self.close(plain, self.reactions)

    def smoothed(
        self, scaled: ScaledProblem, plain: NormalisedProblem, smoothing: ConeSmoothing
    ) -> bool:
        """Go down a smoothed path; return whether the tolerance is met at its end."""
        points = follow_path(scaled, *scaled.first(1.0, None), smoothing=smoothing)
        best, nearest, stale = np.inf, self.reactions, 0
        for x in islice(points, SMOOTHED):
            r = scaled.reactions(x)
            residual = self.offer(r)
            stale += 1
            if residual < best:
                best, nearest, stale = residual, r, 0
            if self.done:
                return True
            if stale == STALE:
                break
            self.interior += 1
            self.aside += 1
        return self.close(plain, nearest)

    def convex(self, scaled: ScaledProblem, slip: FloatArray) -> FloatArray:
        """Solve the convex programme with fixed `slip`; return its forces."""
        x, z = scaled.first(1.0, None)
        for point in follow_path(scaled, x, z, slip):
            x = point
            if self.spent:
                break
            self.interior += 1
        return scaled.reactions(x)

    def sweep(self, r: FloatArray, count: int) -> FloatArray:
        """Gauss-Seidel from `r`."""
        count = int(min(count, max(self.left, 0.0) / self.costs[0]))
        sweeps = GaussSeidel(tolerance=self.options.tolerance, max_sweeps=count)
        swept = sweeps.solve(self.problem, start=r)
        self.sweeps += swept.sweeps
        self.offer(swept.reactions)
        return swept.reactions

    def close(self, plain: NormalisedProblem, r: FloatArray) -> bool:
        """Newton steps from `r` for the last digits; return whether the tolerance is met."""
        first = self.offer(r)
        steps = take_closing_steps(plain, plain.scaled(r))
        for count, y in enumerate(islice(steps, CLOSING_STEPS)):
            self.newton += 1
            residual = self.offer(plain.reactions(y))
            if self.done or (count >= 3 and not residual <= 10 * first):
                break
        return self.done

    def points(self, plain: NormalisedProblem, r: FloatArray, budget: int) -> bool:
        """Proximal points from `r`; return whether the tolerance is met."""
        spent = 0
        for y, steps in proximal_points(plain, plain.scaled(r)):
            spent += steps
            self.newton += steps
            self.offer(plain.reactions(y))
            if self.done or spent >= budget:
                break
        return self.done
