"""Closed form of a step in which every touching node sticks: one pass over a cached inverse.

Where the nodes A stick and all others are open, u_A = 0 is linear. With K_A = C_AA^-1 per body,
b = -P'q and nodal forces f = P'r in the axes of the bodies,

    scale C_AA f + G_A y = b,    y = S G_A' f,    so    f = K_A (b - G_A y) / scale.

K_A depends on the set A alone, not on time step, frames or support (for all nodes of a sole it
is the condensed stiffness). G_A, the motions of the nodes where they are now, differs little from
G0 of the undeformed sole, for which V0 = K_A G0 and N0 = G0' V0 are kept. From a y at hand (of
the forces one step before, extrapolated)

    s = b - G_A y,  f = K_A s / scale                        one pass over half of K_A,
    (1 + S N0 / scale) D = S G_A' f - y                      Newton's step with G0 for G_A,
    f - V0 D / scale,  s - G0 D,  y = S G_A' f               the corrected forces,
    u_A = G_A (y - y_before) - G0 D,

and again if u_A, known without C, is not small enough. Nodes that stick move by scale C f = s;
C itself is read only for nodes of a sole that do not. u_A leaves out the errors of K_A, of at most
|1 - C_AA K_A| |s|, which the certificate counts twice, for round-off of the product. The
certificate tells whether the answer is a solution: inside all cones, without penetration.

Case and factor: the step of a block that stands on a pad, 1.3, 1.9 and 2.9 times as fast as by
sweeps at 50, 104 and 300 nodes (`python benchmarks/fast_forms.py`).

Touching points of rigid bodies are at rest; they join in Newton's step
(`contact.solvers.resting_points`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from contact.problem import (
    Outcome,
    Problem,
    SoleDelassus,
    Solution,
    make_certificate,
    sum_law_residuals,
)
from contact.solvers.resting_points_kernels import RestArrays
from contact.solvers.sole_factor import SoleFactor, known_factor
from contact.solvers.sticking_kernels import StickArrays, find_stuck_forces
from sole.base.arrays import BoolArray, FloatArray, IntArray, frozen, sealed, trusted
from sole.base.compiled import packed

PASSES = 4  # over K_A: mostly one, sometimes two


def rest_of_nothing(bodies: int) -> RestArrays:
    """Return the arrays of no resting contact of `bodies`."""
    empty = np.zeros((6 * bodies, 0))
    return RestArrays(np.zeros(0, np.int64), empty, empty, np.zeros(0))


@dataclass(frozen=True, eq=False)
class StickFactor:
    """The factors of all soles for one set of sticking contacts.

    Parameters
    ----------
    contact : (a,) contacts that stick, body by body. node : (a,) their nodes.
    first : (bodies + 1,) where the contacts of every body begin.
    soles : of every body; None where nothing sticks.
    """

    contact: IntArray
    node: IntArray
    first: IntArray
    soles: tuple[SoleFactor | None, ...]

    @classmethod
    def of(
        cls,
        operator: SoleDelassus,
        sticking: BoolArray,
        geometry: FloatArray | None = None,
        known: dict[bytes, SoleFactor] | None = None,
    ) -> StickFactor | None:
        """Invert the compliances of the contacts `sticking` (K,).

        None if there is no closed form: on a rigid body (use `solve_at_rest`), or for a
        node that sticks to two surfaces at once.

        Parameters
        ----------
        geometry : G0 (3M, 6) of the undeformed soles; by default that of the operator.
        known : factors of soles by body and nodes, looked up and added to.
        """
        contact = np.flatnonzero(sticking)
        node = operator.node[contact]
        if len(np.unique(node)) < len(node):
            return None
        body, C = operator.body[contact], operator.compliances
        if (np.diff(body) < 0).any():
            return None
        G0 = operator.geometry if geometry is None else geometry
        known = {} if known is None else known
        soles: list[SoleFactor | None] = []
        for b in range(C.bodies):
            matrix, nodes = C.matrix(b), node[body == b]
            if len(nodes) and matrix is None:
                return None
            if matrix is None or len(nodes) == 0:
                soles.append(None)
                continue
            soles.append(known_factor(C, b, nodes, G0, known))
        first = np.searchsorted(body, np.arange(C.bodies + 1))
        place = frozen(contact, np.int64), frozen(node, np.int64), frozen(first, np.int64)
        return cls(*place, tuple(soles))

    def solve(
        self,
        problem: Problem,
        tolerance: float,
        start: FloatArray | None = None,
        rest: RestArrays | None = None,
    ) -> Solution:
        """Return certified forces; stalled if some contact slips, opens or closes.

        `start` (K, 3): forces near the answer, which save passes. `rest`: rigid points, too.
        """
        W = problem.operator
        assert isinstance(W, SoleDelassus)
        factor, nothing, error = self._together
        C, n = W.compliances, problem.contacts
        r, u, d = np.empty((n, 3)), np.empty((n, 3)), np.empty(3 * C.nodes)
        rest = nothing if rest is None else rest
        length = find_stuck_forces(
            packed(factor), packed(C.arrays), packed(W.arrays), problem.offset, problem.friction,
            packed(rest), np.zeros((n, 3)) if start is None else start,
            0.1 * tolerance * problem.size, PASSES, r, u, d,
        )  # fmt: skip
        sums, status = sum_law_residuals(sealed(r), u, problem.friction, problem.rho)
        certificate = make_certificate(problem, sums.tolist(), r, u, 2 * error * length)
        return trusted(
            Solution,
            problem=problem,
            reactions=r,
            velocity=sealed(u),
            status=sealed(status),
            outcome=Outcome.SOLVED if certificate.holds(tolerance) else Outcome.STALLED,
            certificate=certificate,
            method="sticking",
            displacements=sealed(d),
        )

    @cached_property
    def _together(self) -> tuple[StickArrays, RestArrays, float]:
        """Return the arrays of all soles, those of no rigid point, and the largest error."""
        held = {b: sole for b, sole in enumerate(self.soles) if sole is not None}
        N0, position = np.zeros((len(self.soles), 6, 6)), np.zeros(len(self.soles), np.int64)
        begin = 0
        for b, sole in held.items():
            N0[b], position[b] = sole.moments, begin
            begin += sole.stiffness.size
        parts = [sole.stiffness for sole in held.values()]
        none = np.zeros((0, 6))
        arrays = StickArrays(
            K=parts[0] if len(parts) == 1 else sealed(np.concatenate([np.zeros(0), *parts])),
            position=sealed(position),
            first=self.first,
            contact=self.contact,
            node=self.node,
            whole=frozen([sole is not None and sole.whole for sole in self.soles], np.bool_),
            G0=sealed(np.concatenate([none, *(sole.geometry for sole in held.values())])),
            V0=sealed(np.concatenate([none, *(sole.forces for sole in held.values())])),
            N0=sealed(N0),
        )
        error = max((sole.error for sole in held.values()), default=0.0)
        return arrays, rest_of_nothing(len(self.soles)), error
