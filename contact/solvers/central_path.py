"""The central path of a contact problem: Newton steps of a primal-dual interior point method.

In scaled variables r = S x, v = S^-1 z both cones are L of `contact.solvers.second_order_cone` and
friction is gone. With W and q scaled alike and the slip s, the path is

    z - s n - W x - q = 0,    x o z = gap e,    gap -> 0.

With s fixed it belongs to a convex second-order cone programme [AcaryEtAl2011]; with
s = |z_t| it is the path of Coulomb's law itself, monotone no more. One step, with the
symmetric Nesterov-Todd scaling G (G z = G^-1 x = l), D = G^-2, N = 1 - n tau' and
tau = z_t/|z_t| (0 if s is fixed), solves

    N dz - W dx = -F,    l o (G^-1 dx + G dz) = c:
    (W + N D) dx = F + N G^-1 (c/l),    dz = G^-1 (c/l) - D dx,

first with c = -l o l, then corrected [Mehrotra1992]. Where the path with s = |z_t| leaves hardly
any room for a step, one with s held still leads back to the middle of the cones. W may be
singular: N D fills its null space.

Where z_t is near 0 its direction tau jumps, and the path may be lost. `ConeSmoothing` rounds the
corner by a width that vanishes with the gap,

    s = sqrt(|z_t|^2 + eps^2) - (eps, or nothing),    tau = z_t/sqrt(|z_t|^2 + eps^2),
    eps = width gap^power    (x and z in units of the offset).

With nothing subtracted the slip starts larger than it is, and forces that balance each other
(W r = 0) cannot grow: that leads to solutions whose convex programme without slip has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from contact import coulomb as cone
from contact.problem import Problem
from contact.solvers.block_system import LinearSolve, SingularSystem, SystemBlocks, blocks_of
from contact.solvers.second_order_cone import det, divide, longest_step, product, scaling
from sole.base.arrays import BoolArray, FloatArray, IntArray

TO_BORDER = 0.99  # of the longest step
BLOCKED = 0.1  # shorter steps make no progress
CENTRED = 0.9  # part of the gap that a step with the slip held still keeps
SHORT = 1e-8  # and this short, or several in a row, mean that the path is lost
PATIENCE = 5
CLOSED = 1e-8  # gap and residual, relative to the offset, that end a path with fixed slip


@dataclass(frozen=True, kw_only=True)
class ConeSmoothing:
    """How |z_t| is rounded at 0, and the part of the gap that every step keeps at `least`."""

    width: float
    power: float
    least: float
    lifted: bool


@dataclass(frozen=True, eq=False)
class ScaledProblem:
    """The problem in x and z: r = S x, v = S^-1 z, both cones L, no friction left.

    S_t = d sqrt(mu), S_n = d/sqrt(mu), d per contact such that the largest entry of the diagonal
    block of S W S is 1: masses and units drop out. For mu = 0: S_t = 0, S_n = 1/sqrt(W_nn).
    Contacts with no compliance at all (W_kk = 0) are left out: nothing moves them.
    """

    problem: Problem
    contacts: IntArray
    scale: FloatArray
    blocks: SystemBlocks
    offset: FloatArray

    @classmethod
    def of(cls, problem: Problem) -> ScaledProblem:
        """Scale `problem`."""
        diagonal = np.einsum("kaa->ka", problem.blocks)
        largest = diagonal.max(axis=1, initial=0.0)
        contacts = np.flatnonzero(largest > 0)
        mu = problem.friction
        a = np.sqrt(np.where(mu > 0, mu, 1.0))
        shape = np.stack([a, a, 1 / a], axis=1)
        shape[mu == 0, :2] = 0.0
        weight = np.max(shape**2 * diagonal, axis=1, initial=0.0)
        S = (
            shape
            / np.sqrt(np.where(weight > 0, weight, np.where(largest > 0, largest, 1.0)))[:, None]
        )
        return cls(
            problem=problem,
            contacts=contacts,
            scale=S[contacts],
            blocks=blocks_of(problem.operator, S, contacts),
            offset=(S * problem.offset)[contacts],
        )

    @property
    def size(self) -> float:
        """Scale of x and z: the largest entry of the offset."""
        return max(float(np.abs(self.offset).max(initial=0.0)), 1e-300)

    def reactions(self, x: FloatArray) -> FloatArray:
        """Return r = S x for all contacts, zero where there is no compliance."""
        r = np.zeros((self.problem.contacts, 3))
        r[self.contacts] = self.scale * x
        return r

    def slip(self, r: FloatArray) -> FloatArray:
        """Return s = |u_t| of the forces `r` of all contacts, scaled like z."""
        u = self.problem.velocity(r)[self.contacts]
        return np.asarray(np.hypot(u[:, 0], u[:, 1]) * self.scale[:, 0])

    def first(self, eta: float, guess: FloatArray | None) -> tuple[FloatArray, FloatArray]:
        """First point (x, z): eta e, around `guess` (K, 3) in forces if there is one."""
        x, z = np.zeros_like(self.offset), np.zeros_like(self.offset)
        if guess is not None:
            mu = self.problem.friction
            r = cone.project(guess, mu)
            v = cone.project_dual(cone.de_saxce(self.problem.velocity(r), mu), mu)
            np.divide(r[self.contacts], self.scale, out=x, where=self.scale > 0)
            z = self.scale * v[self.contacts]
        x[:, 2] += eta * self.size
        z[:, 2] += eta * self.size
        return x, z


def follow_path(
    scaled: ScaledProblem,
    x: FloatArray,
    z: FloatArray,
    slip: FloatArray | None = None,
    smoothing: ConeSmoothing | None = None,
) -> Iterator[FloatArray]:
    """Yield x along the path, with s = |z_t|, or with fixed `slip` s (K,) in scaled variables.

    Ends where no further progress is possible, and with fixed s at a gap of 1e-8.
    """
    W, q = scaled.blocks, scaled.offset
    slides = scaled.scale[:, 0] > 0
    least = 0.0 if smoothing is None else smoothing.least
    blocked = 0
    while True:
        yield x
        length = np.hypot(z[:, 0], z[:, 1])
        gap = float(np.einsum("ka,ka->", x, z)) / len(x)
        lift = length
        if smoothing is not None:
            eps = smoothing.width * (gap / scaled.size**2) ** smoothing.power * scaled.size
            length = np.hypot(length, eps)
            lift = length if smoothing.lifted else length - eps
        moving = (length > 0) & slides
        F = z - W.apply(x) - q
        F[:, 2] -= np.where(slides, lift, 0.0) if slip is None else slip
        if slip is not None:
            moving = np.zeros_like(moving)
            error = max(gap / scaled.size, float(np.abs(F).max()))
            if error <= CLOSED * scaled.size:
                return
        try:
            alpha, dx, dz = _step(_Newton(W, x, z, F, length, moving), x, z, gap, least)
            if alpha < BLOCKED and moving.any():
                frozen = _Newton(W, x, z, F, length, np.zeros_like(moving))
                alpha, dx, dz = _step(frozen, x, z, gap, CENTRED)
        except SingularSystem:
            return
        blocked = blocked + 1 if alpha < BLOCKED else 0
        if not alpha > SHORT or blocked == PATIENCE:
            return
        x, z = x + alpha * dx, z + alpha * dz
        if not (det(x) > 0).all() or not (det(z) > 0).all():
            return


def _step(
    newton: _Newton, x: FloatArray, z: FloatArray, gap: float, least: float
) -> tuple[float, FloatArray, FloatArray]:
    """(alpha, dx, dz): predictor and corrector; `least` part of the gap is kept."""
    e = np.array([0.0, 0.0, 1.0])
    l = newton.point
    dx, dz = newton.direction(-product(l, l))
    alpha = min(1.0, longest_step(x, dx), longest_step(z, dz))
    ahead = float(np.einsum("ka,ka->", x + alpha * dx, z + alpha * dz)) / len(x)
    centring = max(min(1.0, max(ahead / gap, 0.01)) ** 3, least)
    second = product(newton.inverse(dx), newton.scaled(dz))
    dx, dz = newton.direction(centring * gap * e - product(l, l) - second)
    alpha = TO_BORDER * min(longest_step(x, dx), longest_step(z, dz))
    if not alpha > BLOCKED:  # the correction did not help: towards the middle of the path
        dx, dz = newton.direction(max(0.5, least) * gap * e - product(l, l))
        alpha = TO_BORDER * min(longest_step(x, dx), longest_step(z, dz))
    return min(1.0, alpha), dx, dz


class _Newton:
    """The linear system at one point of the path."""

    def __init__(
        self,
        W: SystemBlocks,
        x: FloatArray,
        z: FloatArray,
        F: FloatArray,
        length: FloatArray,
        moving: BoolArray,
    ) -> None:
        self.G, self.G_inv = scaling(x, z)
        self.point = self.scaled(z)
        self.D = self.G_inv @ self.G_inv
        self.F = F
        self.tau = np.zeros_like(x)
        np.divide(z[:, :2], length[:, None], out=self.tau[:, :2], where=moving[:, None])
        self.ND = self.D.copy()
        self.ND[:, 2, :] -= np.einsum("ka,kab->kb", self.tau, self.D)
        self.W = W
        self.solve: LinearSolve = W.factor(None, self.ND, 0.0)

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
