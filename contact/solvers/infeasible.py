"""Proof that a contact problem has no solution: a direction of forces that nothing resists.

    z in K_mu,   W z = 0,   q'z < 0                                    [AcaryEtAl2011]

**What it proves.** For every r, u = W r + q gives u'z = q'z < 0, while u in the dual cone K_mu*
would give u'z >= 0. So no forces at all lead to u in K_mu*: the convex problem
(minimise 1/2 r'Wr + q'r over K_mu: Coulomb's law without its De Saxce shift) is infeasible, and
its forces grow along z without bound. Physically z is a set of admissible forces in equilibrium
by themselves (a body jammed between its neighbours) against which the free motion works.

**What it proves for Coulomb's law.** The law asks for u + mu |u_t| n in K_mu*, hence

    sum_k mu_k |u_t,k| z_n,k >= -q'z > 0    in every solution:

there is none that sticks at all contacts with z_n > 0, and the slip is bounded from below. A
solution that slips is not excluded. It is excluded if z is purely normal (z_t = 0): then
u_n . z_n = q'z < 0 contradicts u_n >= 0, with and without friction. `find_direction` looks for a
normal z first; `DirectionCertificate.normal` tells which kind was found.

**In finite precision** z meets W z = 0 and z in K_mu to a tolerance. What remains certain is
u'z >= -|u| dist(z, K_mu), hence forces with u in K_mu* are either absent or larger than

    |r| >= (-q'z - |u| dist)/|W z|.

A nearly singular W (masses 1e10 apart) has no such z but something close to one. So z is
projected on the numerical null space of W, and the claim is made only if |W z| is then down at
round-off, of the order n eps |D z| in forces D z and motions D^-1 W z of a unit diagonal,
D_i = sqrt(W_ii): a W that is exactly singular cannot be told from it. (|W z| alone says nothing
where one row of W is much larger than the others.)

Method: with P the projection on the closed cone C = {z in K_mu : W z = 0}, a direction exists
exactly if P(-q) is not zero, and P(-q) is then the steepest. It is computed by proximal steps
z <- argmin over K_mu of 1/2 z'Wz/eps + 1/2 |z - z_old|^2 from z = -q [Rockafellar1976], each
one strongly convex and solved by the interior point method of `contact.solvers.central_path`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from contact import coulomb as cone
from contact.problem import Problem
from contact.solvers.block_system import DenseBlocks, PenalisedBlocks, blocks_of
from contact.solvers.central_path import ScaledProblem, follow_path
from sole.base.arrays import FloatArray, frozen

EPSILON = 1e-6  # of the unit diagonal of W: a step takes |W z| down by about this factor
ROUNDS = 2
CARRIES = (1e-5, 1e-3)  # of the largest force; a contact with less is excluded
STEPS = 60  # interior-point steps of a round, at most
VANISHED = 1e-8  # of q: a projection this small is zero
CLEAR = 100  # times the tolerance: the descent that a claim needs at least
DOMINATES = 1e4  # times |W z| and the distance to the cone, likewise
ROUND_OFF = 20 * np.finfo(float).eps  # times the rows of W: |W z| of a z that W does not resist


@dataclass(frozen=True, kw_only=True)
class DirectionCertificate:
    """Residuals of a direction z, recomputed from the problem alone; all for |z| = 1.

    All are taken in two metrics, as given and with every contact scaled to a unit diagonal block
    of W, and the worse counts: light bodies must not hide heavy ones. The null space is taken in a
    third one, with every row scaled to a unit diagonal: nor must soft directions of a contact hide
    its stiff ones.

    Parameters
    ----------
    null_space : rho |W z|, rho = 1/mean W_ii; |D^-1 W z| / |D z|, D_i = sqrt(W_ii).
    cone : distance of z to K_mu.
    descent : q'z/|q|; negative for a proof.
    normal : |z_t| / |z|; if 0, Coulomb's law has no solution either.
    round_off : the part of `null_space` that round-off explains; more is a nearly singular W.
    """

    null_space: float
    cone: float
    descent: float
    normal: float
    round_off: float = 0.0

    def holds(self, tolerance: float) -> bool:
        """Return whether z proves infeasibility to `tolerance`, with a clear margin."""
        error = max(self.null_space, self.cone)
        clear = max(CLEAR * tolerance, DOMINATES * error)
        small = self.null_space <= min(tolerance, self.round_off)
        return bool(small and self.cone <= tolerance and self.descent <= -clear)


def check_direction(problem: Problem, z: FloatArray) -> DirectionCertificate:
    """Recompute the residuals of the direction `z` (K, 3) from the problem and z alone."""
    z = np.asarray(z, dtype=float).reshape(-1, 3)
    q, mean = problem.offset, problem.operator.mean_diagonal
    size, offset = float(np.linalg.norm(z)), float(np.linalg.norm(q))
    if not (np.isfinite(z).all() and size > 0 and offset > 0):
        return DirectionCertificate(
            null_space=np.inf, cone=np.inf, descent=0.0, normal=np.inf, round_off=0.0
        )
    z = z / size
    Wz = problem.operator.apply(z)
    power = float(np.sum(q * z))
    trace = np.einsum("kaa->k", problem.blocks) / 3
    d = np.sqrt(np.where(trace > 0, trace, 1.0))[:, None]  # scaled: d z, W z/d, q/d
    scaled = float(np.linalg.norm(d * z))
    beside = cone.distance_to_cone(z, problem.friction)
    return DirectionCertificate(
        null_space=max(
            float(np.linalg.norm(Wz)) / mean if mean > 0 else 0.0,
            float(np.linalg.norm(Wz / d)) / scaled,
            _resistance(problem, z, Wz),
        ),
        cone=max(float(np.linalg.norm(beside)), float(np.linalg.norm(d[:, 0] * beside)) / scaled),
        descent=max(power / offset, power / (scaled * float(np.linalg.norm(q / d)))),
        normal=float(np.linalg.norm(z[:, :2])),
        round_off=ROUND_OFF * z.size,
    )


def _resistance(problem: Problem, z: FloatArray, Wz: FloatArray) -> float:
    """Return |D^-1 W z| / |D z| with D_i = sqrt(W_ii): at least the smallest eigenvalue there.

    A row with W_ii = 0 is a zero row of a semi-definite W. Without friction the tangential rows
    do not count: no force acts along them.
    """
    D = np.sqrt(np.maximum(np.einsum("kaa->ka", problem.blocks), 0.0))
    counts = D > 0
    counts[problem.friction == 0, :2] = False
    length = float(np.linalg.norm((D * z)[counts]))
    if length == 0.0:
        return 0.0 if not Wz[counts].any() else np.inf
    return float(np.linalg.norm(Wz[counts] / D[counts])) / length


def find_direction(problem: Problem, tolerance: float = 1e-8) -> FloatArray | None:
    """Return z (K, 3), |z| = 1, that proves `problem` infeasible, or None if none was found.

    A returned z passes `check_direction(problem, z).holds(tolerance)`. None does not prove
    that a solution exists; it is always None for a W asymmetric by more than 1e-8.
    """
    if not problem.symmetric or not problem.contacts or not problem.offset.any():
        return None
    fixed = _without_compliance(problem)
    if fixed is not None:
        return fixed
    frictionless = replace(problem, friction=np.zeros(problem.contacts))
    tries = [frictionless, problem] if problem.friction.any() else [problem]
    with np.errstate(all="ignore"):
        for candidate in tries:
            for z in _projected(candidate):
                for refined in (z, _balanced(candidate, z)):
                    if check_direction(problem, refined).holds(tolerance):
                        return frozen(refined)
    return None


def _without_compliance(problem: Problem) -> FloatArray | None:
    """Return the normal of a closing contact that no force moves (W_kk = 0)."""
    trace = np.einsum("kaa->k", problem.blocks)
    lost = np.flatnonzero((trace <= 0) & (problem.offset[:, 2] < 0))
    if not len(lost):
        return None
    z = np.zeros((problem.contacts, 3))
    z[lost[np.argmin(problem.offset[lost, 2])], 2] = 1.0
    return frozen(z) if check_direction(problem, z).holds(0.0) else None


def _balanced(problem: Problem, z: FloatArray) -> FloatArray:
    """Return the part of z in the numerical null space of W, on the contacts that z loads.

    W is positive semi-definite: a principal block of it has no other null vectors than W itself.
    Without friction only the normal rows count.
    """
    contacts = np.flatnonzero(np.abs(z).max(axis=1) > 0)
    diagonal = np.einsum("kaa->ka", problem.blocks)
    d = np.sqrt(np.maximum(diagonal, 0.0))
    S = np.divide(1.0, d, out=np.zeros_like(d), where=d > 0)
    S[problem.friction == 0, :2] = 0.0
    blocks = blocks_of(problem.operator, S, contacts)
    rows = S[contacts].ravel() > 0
    matrix = blocks.matrix if isinstance(blocks, DenseBlocks) else blocks.matrix.toarray()
    eigenvalues, modes = np.linalg.eigh(matrix[np.ix_(rows, rows)])
    if not len(eigenvalues):
        return z
    modes = modes[:, eigenvalues <= ROUND_OFF * len(eigenvalues) * eigenvalues[-1]]
    y = np.zeros(3 * len(contacts))
    y[rows] = modes @ (modes.T @ (z[contacts] * d[contacts]).ravel()[rows])
    out = np.zeros_like(z)
    out[contacts] = S[contacts] * y.reshape(-1, 3)
    return out


def _projected(problem: Problem) -> Iterator[FloatArray]:
    """Yield approximations of P(-q) as forces with |z| = 1; none if it is zero.

    Interior points leave a trace of force in contacts that have none. So half of the steps are
    done on all contacts, the others on those that carry the direction.
    """
    scaled = ScaledProblem.of(problem)
    size = float(np.linalg.norm(scaled.offset))
    if size == 0.0:
        return
    y = -scaled.offset / size
    for share in (0.0, *CARRIES):
        carrying = np.abs(y).max(axis=1) > share * np.abs(y).max()
        if share > 0:
            rest = scaled.contacts[carrying]
            S = np.zeros((problem.contacts, 3))
            S[rest] = scaled.scale[carrying]
            W = blocks_of(problem.operator, S, rest)
            scaled = replace(scaled, contacts=rest, scale=S[rest], blocks=W)
            y = y[carrying]
        for _ in range(ROUNDS):
            y = _proximal(scaled, y)
            length = float(np.linalg.norm(y))
            if not VANISHED < length < np.inf:
                return
        r = scaled.reactions(y)
        yield r / np.linalg.norm(r)


def _proximal(scaled: ScaledProblem, y: FloatArray) -> FloatArray:
    """Argmin over the cones of 1/2 x'Wx/eps + 1/2 |x - y|^2."""
    W = PenalisedBlocks(scaled.blocks, 1 / EPSILON)
    near = replace(scaled, blocks=W, offset=-y)
    x, z = near.first(1.0, None)
    for count, point in enumerate(follow_path(near, x, z, np.zeros(len(y)))):
        x = point
        if count == STEPS:
            break
    return x
