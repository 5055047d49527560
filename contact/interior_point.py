"""Primal-dual interior point for Coulomb contact, made for singular W (rigid bodies).

    minimise 1/2 r'Wr + (q + mu s n)'r  over r in K_mu,   s = |u_t|,   u = W r + q

is, contact by contact, the law in De Saxce's form [DeSaxceFeng1998]: v = u + mu |u_t| n in K_mu*,
r in K_mu, r . v = 0. For a given s it is a convex second-order cone programme
[AcaryCadoux2011]; here s moves with the unknowns inside every Newton step, as in the non-smooth
variant of [AcaryEtAl2023]. In scaled variables (below) both cones are L of
`contact.second_order` and the path is

    z - |z_t| n - W x - q = 0,    x o z = gap e,    gap -> 0.

One step, with the symmetric Nesterov-Todd scaling G (G z = G^-1 x = l), D = G^-2, the slip
direction tau = z_t/|z_t| and N = 1 - n tau':

    N dz - W dx = -F,    l o (G^-1 dx + G dz) = c
    (W + N D) dx = F + N G^-1 (l \\ c),    dz = G^-1 (l \\ c) - D dx,

predicted with c = -l o l and corrected as by [Mehrotra1992]. W singular does no harm: N D fills
its null space. Where forces are not unique, the path leads near the analytic centre of the
solutions, the point that keeps away from the borders of all cones together: a box on four
corners gets four equal forces. The last digits, where the path meets borders that are not
strictly complementary, come from `contact.proximal_newton`, which moves r hardly at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from contact import cone
from contact.block_system import Blocks, SingularSystem, Solve, blocks_of
from contact.problem import ASYMMETRY, Problem
from contact.proximal_newton import proximal_step
from contact.second_order import det, divide, longest_step, product, scaling
from contact.solution import Solution, certify, solution_of
from sole.arrays import FloatArray, IntArray
from sole.errors import SoleError

TO_BORDER = 0.99  # of the longest step
FIRST_FINISH = 1e-4  # the finish is tried once the residual is this small, and again per decade
FINISH_STEPS = 12
SHORT = 1e-8  # steps this short mean that the path was lost
STARTS = (1.0, 10.0, 0.1, 100.0)  # sizes of the first point, tried in this order


@dataclass(frozen=True, slots=True, kw_only=True)
class InteriorPoint:
    """Options of the solver.

    Parameters
    ----------
    tolerance : natural map divided by rho |q|, as in `contact.solution.certify`.
    max_iterations : at most this many interior-point steps, all starts together.
    finish : try proximal Newton steps for the last digits.
    asymmetric : also take a W with asymmetry above 1e-8, as stored; without any guarantee, since
        the programme above has no such W in it, only its optimality conditions do.
    """

    tolerance: float = 1e-8
    max_iterations: int = 150
    finish: bool = True
    asymmetric: bool = False

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
        )


class _Run:
    """One solve: the scaled problem, the best reactions so far, the counters."""

    def __init__(self, options: InteriorPoint, problem: Problem) -> None:
        self.options, self.problem = options, problem
        self.interior = self.newton = 0
        self.reactions = np.zeros((problem.contacts, 3))
        self.best = np.inf
        self.offer(self.reactions)

    def offer(self, r: FloatArray) -> float:
        """Keep `r` if its certificate is the best; return its residual."""
        certificate = certify(self.problem, r)
        worst = max(certificate.worst, certificate.cone)
        if worst < self.best:
            self.best, self.reactions = worst, r
        return worst

    def search(self, start: FloatArray | None) -> None:
        """Follow the path from several first points until the tolerance is met."""
        scaled = Scaled.of(self.problem)
        if not len(scaled.contacts):
            return
        size = max(float(np.abs(scaled.offset).max(initial=0.0)), 1e-300)
        starts: list[tuple[float, FloatArray | None]] = [(eta, None) for eta in STARTS]
        if start is not None:
            starts.insert(0, (1e-3, start))
        for eta, guess in starts:
            x, z = scaled.first(eta * size, guess)
            due = FIRST_FINISH
            for x in path(scaled, x, z):
                residual = self.offer(scaled.reactions(x))
                if self.best <= self.options.tolerance:
                    return
                if residual <= due and self.options.finish:
                    due = residual / 10
                    if self.finish(scaled, scaled.reactions(x)):
                        return
                if self.interior >= self.options.max_iterations:
                    break
                self.interior += 1
            if self.options.finish and self.finish(scaled, self.reactions):
                return
            if self.interior >= self.options.max_iterations:
                return

    def finish(self, scaled: Scaled, r: FloatArray) -> bool:
        """Proximal Newton steps from `r`; return whether the tolerance is met."""
        W, q, d = scaled.plain
        mu = self.problem.friction[scaled.contacts]
        y = r[scaled.contacts] / d[:, None]
        first = self.best
        for step in range(FINISH_STEPS):
            try:
                y = proximal_step(W, q, mu, y)
            except SingularSystem:
                return False
            self.newton += 1
            residual = self.offer(scaled.full(d[:, None] * y))
            if self.best <= self.options.tolerance:
                return True
            if step >= 3 and residual > 10 * first:
                return False
        return False


@dataclass(frozen=True, eq=False)
class Scaled:
    """The problem in x and z: r = S x, v = S^-1 z, both cones L, no friction left.

    S_t = d sqrt(mu), S_n = d/sqrt(mu), d per contact such that the largest entry of the diagonal
    block of S W S is 1: masses and units drop out. For mu = 0: S_t = 0, S_n = 1/sqrt(W_nn).
    Contacts with no compliance at all (W_kk = 0) are left out: nothing moves them.
    """

    problem: Problem
    contacts: IntArray
    scale: FloatArray
    blocks: Blocks
    offset: FloatArray

    @classmethod
    def of(cls, problem: Problem) -> Scaled:
        """Scale `problem`."""
        diagonal = np.einsum("kaa->ka", problem.blocks)
        contacts = np.flatnonzero(diagonal.max(axis=1, initial=0.0) > 0)
        mu = problem.friction
        a = np.sqrt(np.where(mu > 0, mu, 1.0))
        shape = np.stack([a, a, 1 / a], axis=1)
        shape[mu == 0, :2] = 0.0
        largest = np.max(shape**2 * diagonal, axis=1, initial=0.0)
        d = 1 / np.sqrt(np.where(largest > 0, largest, diagonal.max(axis=1, initial=1e-300)))
        S = d[:, None] * shape
        return cls(
            problem=problem,
            contacts=contacts,
            scale=S[contacts],
            blocks=blocks_of(problem.operator, S, contacts),
            offset=(S * problem.offset)[contacts],
        )

    def full(self, r: FloatArray) -> FloatArray:
        """Forces of all contacts, zero where there is no compliance."""
        out = np.zeros((self.problem.contacts, 3))
        out[self.contacts] = r
        return out

    def reactions(self, x: FloatArray) -> FloatArray:
        """Forces r = S x of all contacts."""
        return self.full(self.scale * x)

    def first(self, eta: float, guess: FloatArray | None) -> tuple[FloatArray, FloatArray]:
        """First point (x, z): eta e, around `guess` (K, 3) in forces if there is one."""
        x = np.zeros_like(self.offset)
        z = np.zeros_like(self.offset)
        if guess is not None:
            S, mu = self.scale, self.problem.friction
            r = cone.project(guess, mu)
            v = cone.project_dual(cone.de_saxce(self.problem.velocity(r), mu), mu)
            x = np.divide(r[self.contacts], S, out=x, where=S > 0)
            z = S * v[self.contacts]
        x[:, 2] += eta
        z[:, 2] += eta
        return x, z

    @property
    def plain(self) -> tuple[Blocks, FloatArray, FloatArray]:
        """(W, q, d) with r = d x only, for equations that keep mu."""
        blocks = self.problem.blocks[self.contacts]
        d = 1 / np.sqrt(np.einsum("kaa->k", blocks) / 3)
        scale = np.zeros((self.problem.contacts, 3))
        scale[self.contacts] = d[:, None]
        W = blocks_of(self.problem.operator, scale, self.contacts)
        return W, d[:, None] * self.problem.offset[self.contacts], d


def path(scaled: Scaled, x: FloatArray, z: FloatArray) -> Iterator[FloatArray]:
    """Yield x along the central path; ends where no further progress is possible."""
    W, q = scaled.blocks, scaled.offset
    e = np.array([0.0, 0.0, 1.0])
    slides = scaled.scale[:, 0] > 0
    while True:
        yield x
        length = np.hypot(z[:, 0], z[:, 1])
        moving = (length > 0) & slides
        F = z - W.apply(x) - q
        F[:, 2] -= np.where(moving, length, 0.0)
        gap = float(np.einsum("ka,ka->", x, z)) / len(x)
        try:
            newton = _Newton(W, x, z, F, moving)
        except SingularSystem:
            return
        l = newton.point
        dx, dz = newton.direction(-product(l, l))
        alpha = min(1.0, longest_step(x, dx), longest_step(z, dz))
        ahead = float(np.einsum("ka,ka->", x + alpha * dx, z + alpha * dz)) / len(x)
        centring = min(1.0, max(ahead / gap, 0.01)) ** 3
        second = product(newton.inverse(dx), newton.scaled(dz))
        dx, dz = newton.direction(centring * gap * e - product(l, l) - second)
        alpha = TO_BORDER * min(longest_step(x, dx), longest_step(z, dz))
        if alpha < 0.1:  # the correction did not help: towards the middle of the path
            dx, dz = newton.direction(0.5 * gap * e - product(l, l))
            alpha = TO_BORDER * min(longest_step(x, dx), longest_step(z, dz))
        alpha = min(1.0, alpha)
        if not alpha > SHORT or not (np.isfinite(dx).all() and np.isfinite(dz).all()):
            return
        x, z = x + alpha * dx, z + alpha * dz
        if not (det(x) > 0).all() or not (det(z) > 0).all():
            return


class _Newton:
    """The linear system at one point of the path."""

    def __init__(
        self, W: Blocks, x: FloatArray, z: FloatArray, F: FloatArray, moving: FloatArray
    ) -> None:
        self.G, self.G_inv = scaling(x, z)
        self.point = self.scaled(z)
        self.D = self.G_inv @ self.G_inv
        self.F = F
        length = np.hypot(z[:, 0], z[:, 1])
        self.tau = np.zeros_like(x)
        np.divide(z[:, :2], length[:, None], out=self.tau[:, :2], where=moving[:, None])
        ND = self.D.copy()
        ND[:, 2, :] -= np.einsum("ka,kab->kb", self.tau, self.D)
        self.solve: Solve = W.factor(None, ND, 0.0)
        self.W, self.ND = W, ND

    def scaled(self, y: FloatArray) -> FloatArray:
        """G y."""
        return np.asarray(np.einsum("kab,kb->ka", self.G, y))

    def inverse(self, y: FloatArray) -> FloatArray:
        """G^-1 y."""
        return np.asarray(np.einsum("kab,kb->ka", self.G_inv, y))

    def direction(self, c: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(dx, dz) for the right-hand side c of the complementarity, refined once."""
        g = self.inverse(divide(self.point, c))
        b = self.F + g
        b[:, 2] -= np.einsum("ka,ka->k", self.tau, g)
        dx = self.solve(b)
        dx = dx + self.solve(b - self.W.apply(dx) - np.einsum("kab,kb->ka", self.ND, dx))
        return dx, g - np.einsum("kab,kb->ka", self.D, dx)
