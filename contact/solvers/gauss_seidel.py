"""Nonlinear block Gauss-Seidel: one Coulomb contact at a time, in random order.

For every contact k of a random permutation, with all other forces as they are now,

    q_k = u_k - W_kk r_k,    r_k <- the force of Coulomb's law for u_k = W_kk r_k + q_k,
    u_j <- u_j + W_jk (r_k,new - r_k,old)    for all j.

A contact is solved exactly; where it goes on sliding, nearly so (`slide_on`), with the same
fixed point. Residuals of all contacts are measured together before every sweep.

A new random permutation in every sweep makes the number of sweeps nearly independent of the
stiffness of the sole and of the number of contacts; a fixed order (random or not) does not,
because the rigid motions couple all contacts (random against cyclic coordinate descent: Lee and
Wright 2019). Open contacts cost next to nothing, and a contact whose residual is far below that
of the others waits for its turn: what a sweep costs is the rows of W that it reads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from contact.one_contact_kernels import prepare_blocks
from contact.problem import (
    ComplianceArrays,
    DenseDelassus,
    Judgement,
    Outcome,
    Problem,
    SoleArrays,
    SoleDelassus,
    Solution,
    SparseDelassus,
    extrapolate_start,
    make_certificate,
    solution_of,
)
from contact.sweeps import (
    FEW,
    TINY_BLOCK,
    ColumnArrays,
    LawArrays,
    SolvedSoles,
    SweepRule,
    generator_state,
    solve_few_contacts,
    solve_soles,
    sweep_blocks,
)
from sole.base.arrays import FloatArray, IntArray, frozen, sealed, trusted
from sole.base.checks import LARGEST_SEED, check_seed
from sole.base.compiled import packed
from sole.base.errors import SoleError

SHARED = 0.5  # of the tolerance is for sweeps by velocities
NEGLECTED = 0.3  # and so much for what they neglect
PIECE = 1e9  # numbers of W that a call of compiled code reads: half a second, for Ctrl-C


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussSeidel:
    """The Gauss-Seidel solver and its options.

    Parameters
    ----------
    tolerance : natural map (and Signorini's law alone) divided by rho |q|, as in
        `contact.problem.certify`.
    max_sweeps : at most this many sweeps.
    relaxation : omega in (0, 2); 1.15 pays with reshuffling. A few contacts with a full matrix are
        relaxed only where they stick.
    wait : a contact whose residual is below this part of the root mean square is left for a
        later sweep, which saves rows of W and changes the iterates; 0 visits all.
    seed : of the permutations; same seed, same bits.
    """

    tolerance: float = 1e-8
    max_sweeps: int = 1000
    relaxation: float = 1.15
    wait: float = 0.3
    seed: int = 1

    def __post_init__(self) -> None:
        if not (self.tolerance >= 0 and self.max_sweeps >= 0):
            raise SoleError("tolerance and max_sweeps must not be negative")
        check_seed("seed", self.seed, least=-LARGEST_SEED)
        if not 0 < self.relaxation < 2:
            raise SoleError(f"relaxation must be between 0 and 2, got {self.relaxation:g}")

    def solve(
        self,
        problem: Problem,
        start: FloatArray | None = None,
        previous: FloatArray | None = None,
    ) -> Solution:
        """Solve `problem` from the warm start `start` (K, 3), projected on the cones.

        With `previous` (K, 3), the forces one step before `start`, the start is extrapolated:
        start + (start - previous). Returns the last iterate, with its certificate, whether or
        not it converged.
        """
        if start is None:
            start = before = np.zeros_like(problem.offset)
        else:
            start = problem.forces(start)
            if not start.flags.writeable:  # one compiled version for all
                start = start.copy()
            before = start if previous is None else problem.forces(previous, "the previous forces")
        if len(problem.offset) and type(problem.operator) is not SparseDelassus:
            return self.sweep(problem, start, before)
        r = extrapolate_start(start, before, problem.friction)
        done, generator = self.improve(problem, r)
        tolerance = 2 * self.tolerance  # round-off between kernel and certificate
        return solution_of(problem, r, tolerance, "gauss-seidel", sweeps=done, generator=generator)

    def sweep(
        self,
        problem: Problem,
        start: FloatArray,
        before: FloatArray,
    ) -> Solution:
        """As `solve`, of soles or of a full matrix."""
        if type(problem.operator) is DenseDelassus:
            if problem.contacts <= FEW:
                return self._few(problem, start, before)
            found, swept = self._sweep(problem, start, before)
            return solution_of(
                problem,
                found.r,
                2 * self.tolerance,
                "gauss-seidel",
                sweeps=swept,
                generator=found.state,
            )
        found, swept = self._sweep(problem, start, before)
        judged = Judgement(found.sums, found.status, found.u, found.d)
        return self.pack(problem, found.r, judged, 0.0, swept, found.state)

    def _few(self, problem: Problem, start: FloatArray, before: FloatArray) -> Solution:
        """Return what sweeps over a small matrix find."""
        W, rho = problem.operator, problem.rho
        assert isinstance(W, DenseDelassus)
        rule = self.relaxation, self.wait, self.max_sweeps, self.tolerance * problem.size
        call: Any = solve_few_contacts
        sums, status, r, u, swept, state = call(
            W.matrix, problem.offset, problem.friction, rho, start, before, rule,
            TINY_BLOCK / rho, generator_state(self.seed),
        )  # fmt: skip
        return self.pack(problem, r, Judgement(sums, status, u, None), 0.0, swept, state)

    def pack(
        self,
        problem: Problem,
        r: FloatArray,
        judged: Judgement,
        unseen: float,
        swept: int,
        state: int,
    ) -> Solution:
        """Return the solution `r` with its certificate; `unseen`: see `make_certificate`."""
        certificate = make_certificate(problem, judged.sums, r, judged.velocity, unseen)
        d = judged.displacements
        return trusted(
            Solution,
            problem=problem,
            reactions=sealed(r),
            velocity=sealed(judged.velocity),
            status=sealed(judged.status),
            # Twice the tolerance: round-off between sweeps and certificate.
            outcome=Outcome.SOLVED if certificate.holds(2 * self.tolerance) else Outcome.STALLED,
            certificate=certificate,
            method="gauss-seidel",
            sweeps=swept,
            newton=0,
            interior=0,
            pivots=0,
            generator=state,
            direction=None,
            displacements=None if d is None else sealed(d),
        )

    def improve(self, problem: Problem, r: FloatArray) -> tuple[int, int]:
        """Sweep over `r` (K, 3) in place; return (sweeps, state of the generator)."""
        state = generator_state(self.seed)
        if not problem.contacts:
            return 0, state
        W = problem.operator
        if not isinstance(W, SparseDelassus):
            found, swept = self._sweep(problem, r, r)
            r[:] = found.r
            return swept, found.state
        mean = W.mean_diagonal
        local = prepare_blocks(problem.blocks, TINY_BLOCK * mean if mean > 0 else 1.0)
        law = LawArrays(local, problem.offset, problem.friction, problem.rho)
        rule = SweepRule(self.relaxation, self.wait, self.max_sweeps, self.tolerance * problem.size)
        done, _, _, state = sweep_blocks(
            packed(ColumnArrays(*W.columns)),
            problem.velocity(r),
            packed(law),
            r,
            packed(rule),
            state,
        )
        return int(done), int(state)

    def _sweep(
        self, problem: Problem, start: FloatArray, before: FloatArray
    ) -> tuple[SolvedSoles, int]:
        """Return what the sweeps find, and their number.

        Sweeps over a large W are done in pieces.
        """
        W, state = problem.operator, generator_state(self.seed)
        if type(W) is SoleDelassus:  # `isinstance` is slow for abstract classes
            C, soles, diagonal = W.compliances.arrays, W.arrays, W.compliances.diagonal
        elif isinstance(W, DenseDelassus):
            C, soles, diagonal = _dense_arrays(W)
        else:
            raise SoleError(f"Gauss-Seidel does not know the operator {type(W).__name__}")
        target, done = self.tolerance * problem.size, 0
        most = 1 + int(PIECE / (1 + 9 * len(diagonal) * problem.contacts))
        call: Any = solve_soles
        while True:
            asked = min(most, self.max_sweeps - done)
            found = SolvedSoles(*call(
                packed(C), diagonal, packed(soles),
                (problem.offset, problem.friction, problem.rho), start, before,
                (self.relaxation, self.wait, asked, target), state,
            ))  # fmt: skip
            done, state = done + found.sweeps, found.state
            met = math.sqrt(found.sums[0] + found.sums[1]) <= problem.rho * target
            if met or found.sweeps < asked or done >= self.max_sweeps:
                return found, done
            start = before = found.r


def _dense_arrays(W: DenseDelassus) -> tuple[ComplianceArrays, SoleArrays, FloatArray]:
    """Return a full matrix as one sole in the axes of its contacts, on a foot that is held."""
    first, position, soles = _still_foot(W.contacts)
    return ComplianceArrays(W.transposed.reshape(-1), first, position), soles, W.blocks


@lru_cache(maxsize=16)
def _still_foot(K: int) -> tuple[IntArray, IntArray, SoleArrays]:
    """Return the arrays of K contacts on a foot that is held, apart from its matrix."""
    soles = SoleArrays(
        scale=sealed(np.ones(1)),
        node=sealed(np.arange(K)),
        body=sealed(np.zeros(K, dtype=np.int64)),
        P=sealed(np.broadcast_to(np.eye(3), (K, 3, 3)).copy()),
        A=sealed(np.zeros((K, 3, 6))),
        S=sealed(np.zeros((6, 6))),
    )
    return frozen([0, K], np.int64), frozen([0], np.int64), soles
