"""Interior point method for Coulomb contact, made for singular W (many contacts on rigid bodies).

    minimise 1/2 r'Wr + (q + mu s n)'r   over r in K_mu,    with   s = |u_t|,   u = W r + q,

is the law in De Saxce's form [DeSaxceFeng1998]: v = u + mu |u_t| n in K_mu*, r in K_mu, r . v = 0.
For a given s it is a convex second-order cone programme [AcaryCadoux2011]. Three ways, cheapest
first, the next one only where those before have failed:

1. s moves with the unknowns inside every Newton step (`contact.interior_path`), as in the
   non-smooth variant of [AcaryEtAl2023]: 5 to 25 factorisations, but the path may be lost, as
   the problem with s = |u_t| is not monotone;
2. rounds: the convex programme for a fixed s, which always gets there, then sweeps of
   Gauss-Seidel from its forces, which move the slip on faster than s = |u_t| alone would;
3. after each of these, and on the way down the path, proximal Newton steps
   (`contact.proximal_newton`) for the last digits: the path has only half of them where a
   contact is at the border of two states.

**Which forces, where they are not unique.** The path leads near the analytic centre of the
solution set of its last programme: the forces that keep away from the borders of all cones
together, smooth in the data and symmetric where the problem is. A box on four corners gets
four equal forces. The last steps, and sweeps if they were needed, move r little from there but
in no way that is documented. (Forces of several solutions differ by r with W r = 0 only if the
velocities agree; Coulomb's law may also have solutions with several velocities.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from contact import cone
from contact.block_system import Blocks, SingularSystem, blocks_of
from contact.gauss_seidel import GaussSeidel
from contact.interior_path import Scaled, path
from contact.problem import ASYMMETRY, Problem
from contact.proximal_newton import proximal_step
from contact.solution import Solution, certify, solution_of
from sole.arrays import FloatArray, IntArray
from sole.errors import SoleError

FIRST_FINISH = 1e-4  # the finish is tried once the residual is this small, and again per decade
FINISH_STEPS = 12
STARTS = (1.0, 10.0)  # sizes of the first point
SWEEPS = (25, 75, 200)  # of a round, a finish after each
WARM = 1e-3  # distance of a warm start from the borders, as a part of q


@dataclass(frozen=True, slots=True, kw_only=True)
class InteriorPoint:
    """Options of the solver.

    Parameters
    ----------
    tolerance : natural map divided by rho |q|, as in `contact.solution.certify`.
    max_iterations : at most this many interior-point steps, all rounds together.
    asymmetric : also take a W with asymmetry above 1e-8, as stored. No programme has such a W,
        only the equations of the path do, and they are not monotone then.
    """

    tolerance: float = 1e-8
    max_iterations: int = 250
    asymmetric: bool = False

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
        run = _Run(self, problem)
        if start is not None:
            run.offer(cone.project(start, problem.friction))
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


class _Run:
    """One solve: the best reactions so far and the counters."""

    def __init__(self, options: InteriorPoint, problem: Problem) -> None:
        self.options, self.problem = options, problem
        self.interior = self.newton = self.sweeps = 0
        self.reactions = np.zeros((problem.contacts, 3))
        self.best = np.inf
        self.offer(self.reactions)

    @property
    def done(self) -> bool:
        return self.best <= self.options.tolerance

    @property
    def spent(self) -> bool:
        return self.interior >= self.options.max_iterations

    def offer(self, r: FloatArray) -> float:
        """Keep `r` if its certificate is the best; return its residual."""
        certificate = certify(self.problem, r)
        worst = max(certificate.worst, certificate.cone)
        if worst < self.best:
            self.best, self.reactions = worst, r
        return worst

    def search(self, start: FloatArray | None) -> None:
        """Try one way after the other until the tolerance is met."""
        scaled = Scaled.of(self.problem)
        if not len(scaled.contacts):
            return
        plain = _Plain.of(self.problem, scaled)
        starts: list[tuple[float, FloatArray | None]] = [(eta, None) for eta in STARTS]
        if start is not None:
            starts.insert(0, (WARM, start))
        for eta, guess in starts:
            if self.follow(scaled, plain, eta, guess):
                return
        slip = np.zeros(len(scaled.contacts))
        if self.sweep(plain, self.reactions) is None:
            return
        while not self.spent:
            r = self.convex(scaled, slip)
            if self.finish(plain, r):
                return
            swept = self.sweep(plain, r)
            if swept is None:
                return
            slip = scaled.slip(swept)

    def follow(self, scaled: Scaled, plain: _Plain, eta: float, guess: FloatArray | None) -> bool:
        """Go down the path with moving slip; return whether the tolerance is met."""
        due = FIRST_FINISH
        for x in path(scaled, *scaled.first(eta, guess)):
            r = scaled.reactions(x)
            residual = self.offer(r)
            if self.done:
                return True
            if residual <= due:
                due = residual / 10
                if self.finish(plain, r):
                    return True
            if self.spent:
                break
            self.interior += 1
        return self.finish(plain, self.reactions)

    def convex(self, scaled: Scaled, slip: FloatArray) -> FloatArray:
        """Solve the convex programme with fixed `slip`; return its forces."""
        x, z = scaled.first(1.0, None)
        for point in path(scaled, x, z, slip):
            x = point
            if self.spent:
                break
            self.interior += 1
        return scaled.reactions(x)

    def sweep(self, plain: _Plain, r: FloatArray) -> FloatArray | None:
        """Gauss-Seidel from `r` with a finish now and then; None if the tolerance is met."""
        for count in SWEEPS:
            sweeps = GaussSeidel(tolerance=self.options.tolerance, max_sweeps=count)
            swept = sweeps.solve(self.problem, start=r)
            self.sweeps += swept.sweeps
            r = swept.reactions
            self.offer(r)
            if self.done or self.finish(plain, r):
                return None
        return r

    def finish(self, plain: _Plain, r: FloatArray) -> bool:
        """Proximal Newton steps from `r`; return whether the tolerance is met."""
        y = r[plain.contacts] / plain.d
        first = self.offer(r)
        for step in range(FINISH_STEPS):
            try:
                y = proximal_step(plain.blocks, plain.offset, plain.friction, y)
            except SingularSystem:
                break
            self.newton += 1
            full = np.zeros_like(r)
            full[plain.contacts] = plain.d * y
            residual = self.offer(full)
            if self.done:
                return True
            if step >= 3 and residual > 10 * first:
                break
        return self.done


@dataclass(frozen=True, eq=False)
class _Plain:
    """The problem with unit diagonal blocks: r = d y, friction kept."""

    contacts: IntArray
    blocks: Blocks
    offset: FloatArray
    friction: FloatArray
    d: FloatArray

    @classmethod
    def of(cls, problem: Problem, scaled: Scaled) -> _Plain:
        k = scaled.contacts
        d = np.zeros((problem.contacts, 1))
        d[k, 0] = 1 / np.sqrt(np.einsum("kaa->k", problem.blocks[k]) / 3)
        W = blocks_of(problem.operator, np.broadcast_to(d, (len(d), 3)), k)
        return cls(k, W, d[k] * problem.offset[k], problem.friction[k], d[k])
