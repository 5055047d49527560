"""Proximal points with Newton steps inside: from a rough iterate to the last digit, W singular.

In scaled variables, W of unit diagonal blocks, the forces next to a centre c solve

    u = W r + q + delta (r - c)    with Coulomb's law between r and u,

and become the next centre [Rockafellar1976]. The matrix W + delta 1 is regular where forces are
not unique (several contacts on one rigid body), the steps stay out of the null space of W, and
the larger delta, the closer the problem to contacts one by one, which Newton always solves. So
delta falls while it goes well and rises where it does not. Each problem is solved roughly, by
steps on the equations of [AlartCurnier1991], with tau = r - u:

    open   tau_n <= 0:              r = 0
    stick  |tau_t| <= mu r_n:       u = 0
    slip   otherwise:               u_n = 0,   r_t = mu r_n tau_t/|tau_t|.

The limit solves the problem without delta, whatever the deltas were. With a small delta one
Newton step per centre is enough near the solution: `take_closing_steps` is that last part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from contact import coulomb as cone
from contact.problem import Problem
from contact.solvers.block_system import SingularSystem, SystemBlocks, blocks_of
from sole.base.arrays import FloatArray, IntArray

SMALL_DELTA = 1e-9  # of the unit diagonal of W: above round-off, too small to cost digits
FIRST_DELTA = 1e-2
LARGEST_DELTA = 100.0
INNER_STEPS = 8
INNER_FALL = 0.1  # of the residual at a new centre: enough to move on
DIVERGED = 100.0


@dataclass(frozen=True, eq=False)
class NormalisedProblem:
    """The problem with unit diagonal blocks: r = d y; contacts without compliance left out."""

    problem: Problem
    contacts: IntArray
    blocks: SystemBlocks
    offset: FloatArray
    friction: FloatArray
    d: FloatArray

    @classmethod
    def of(cls, problem: Problem) -> NormalisedProblem:
        """Scale `problem`."""
        trace = np.einsum("kaa->k", problem.blocks) / 3
        k = np.flatnonzero(trace > 0)
        d = np.zeros((problem.contacts, 1))
        d[k, 0] = 1 / np.sqrt(trace[k])
        W = blocks_of(problem.operator, np.broadcast_to(d, (len(d), 3)), k)
        return cls(problem, k, W, d[k] * problem.offset[k], problem.friction[k], d[k])

    def scaled(self, r: FloatArray) -> FloatArray:
        """Return y of the forces `r` of all contacts."""
        return np.asarray(r[self.contacts] / self.d)

    def reactions(self, y: FloatArray) -> FloatArray:
        """Return the forces of all contacts, zero where there is no compliance."""
        r = np.zeros((self.problem.contacts, 3))
        r[self.contacts] = self.d * y
        r[self.problem.friction == 0, :2] = 0.0
        return r

    def step(self, y: FloatArray, centre: FloatArray, delta: float) -> FloatArray:
        """Return y after one Newton step on the problem next to `centre`."""
        u = self.blocks.apply(y) + self.offset + delta * (y - centre)
        T, D, phi = _linearised(y, u, self.friction)
        return np.asarray(y + self.blocks.factor(T, D, delta)(-phi))

    def residual(self, y: FloatArray, centre: FloatArray, delta: float) -> float:
        """Return the norm of the natural map of the problem next to `centre`."""
        u = self.blocks.apply(y) + self.offset + delta * (y - centre)
        return float(np.linalg.norm(cone.natural_map(y, u, self.friction, 1.0)))


def take_closing_steps(plain: NormalisedProblem, y: FloatArray) -> Iterator[FloatArray]:
    """Yield y after every Newton step with the smallest delta; end if a step fails."""
    while True:
        try:
            y = plain.step(y, y, SMALL_DELTA)
        except SingularSystem:
            return
        yield y


def proximal_points(plain: NormalisedProblem, y: FloatArray) -> Iterator[tuple[FloatArray, int]]:
    """Yield (centre, Newton steps since the last one), a failed centre unchanged; ends if lost."""
    delta = FIRST_DELTA
    while delta <= LARGEST_DELTA:
        found, steps = _next_centre(plain, y, delta)
        if found is None:
            delta *= 5
        else:
            y = found
            delta = max(delta / (10 if steps <= 2 else 3 if steps <= 4 else 1), 1e-12)
        yield y, steps


def _next_centre(
    plain: NormalisedProblem, centre: FloatArray, delta: float
) -> tuple[FloatArray | None, int]:
    """Solve next to `centre` until the residual has fallen to a tenth."""
    y = centre
    first = plain.residual(y, centre, delta)
    for steps in range(1, INNER_STEPS + 1):
        try:
            y = plain.step(y, centre, delta)
        except SingularSystem:
            return None, steps
        residual = plain.residual(y, centre, delta)
        if residual <= INNER_FALL * first:
            return y, steps
        if not residual <= DIVERGED * first and steps > 1:
            break
    return None, steps


def _linearised(
    r: FloatArray, u: FloatArray, mu: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """T, D (K, 3, 3) and phi (K, 3) of the rows T du + D dr = -phi."""
    K = len(mu)
    tau = r - u
    touching = tau[:, 2] > 0
    reach = mu * np.maximum(r[:, 2], 0.0)
    size = np.hypot(tau[:, 0], tau[:, 1])
    slips = touching & (size > reach)
    sticks = touching & ~slips & (mu > 0)
    bare = touching & (mu == 0)
    T, D = np.zeros((K, 3, 3)), np.zeros((K, 3, 3))
    phi = r.copy()
    D[~touching] = np.eye(3)
    T[touching, 2, 2] = 1.0
    phi[touching, 2] = u[touching, 2]
    T[sticks, 0, 0] = T[sticks, 1, 1] = 1.0
    phi[sticks, :2] = u[sticks, :2]
    s = slips & ~bare
    unit = tau[s, :2] / size[s, None]
    turn = np.eye(2) - unit[:, :, None] * unit[:, None, :]
    turn *= (reach[s] / size[s])[:, None, None]
    phi[s, :2] = r[s, :2] - reach[s, None] * unit
    T[s, :2, :2] = turn
    D[s, :2, :2] = np.eye(2) - turn
    D[s, :2, 2] = -mu[s, None] * unit
    D[bare, 0, 0] = D[bare, 1, 1] = 1.0
    return T, D, phi
