"""Nonlinear block Gauss-Seidel: one exact Coulomb contact at a time, in random order.

A new random permutation in every sweep makes the number of sweeps nearly independent of the
stiffness of the sole and of the number of contacts; a fixed order (random or not) does not,
because the rigid motions couple all contacts (random against cyclic coordinate descent: Lee and
Wright 2019). Open contacts cost next to nothing, and a contact whose residual is far below that
of the others waits for its turn: what a sweep costs is the rows of W that it reads.

A large compliance is read in single precision: the sweeps only add up changes, and are repeated
from the exact response until that meets the tolerance (iterative refinement).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from contact.problem import (
    ComplianceArrays,
    Delassus,
    DenseDelassus,
    Problem,
    SoleArrays,
    SoleDelassus,
    Solution,
    SparseDelassus,
    extrapolate_start,
    solution_of,
)
from contact.solvers.gauss_seidel_kernels import (
    ColumnArrays,
    LawArrays,
    SweepRule,
    prepare_blocks,
    sweep_blocks,
    sweep_soles,
)
from sole.base.arrays import FloatArray
from sole.base.compiled import packed
from sole.base.errors import SoleError

TINY_BLOCK = 1e-12  # part of the mean diagonal that a block without compliance is given
SINGLE = 5e-7  # tolerance from which sweeps over a compliance in single precision are enough


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussSeidel:
    """The Gauss-Seidel solver and its options.

    Parameters
    ----------
    tolerance : natural map (and Signorini's law alone) divided by rho |q|, as in
        `contact.problem.certify`.
    max_sweeps : at most this many sweeps.
    relaxation : omega in (0, 2); 1.15 pays with reshuffling.
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
            r = np.zeros_like(problem.offset)
        else:
            start = problem.forces(start)
            before = start if previous is None else problem.forces(previous, "the previous forces")
            r = extrapolate_start(start, before, problem.friction)
        done, generator = self.improve(problem, r)
        tolerance = 2 * self.tolerance  # round-off between kernel and certificate
        return solution_of(problem, r, tolerance, "gauss-seidel", sweeps=done, generator=generator)

    def improve(self, problem: Problem, r: FloatArray) -> tuple[int, int]:
        """Sweep over `r` (K, 3) in place; return (sweeps, state of the generator)."""
        state = generator_state(self.seed)
        if not problem.contacts:
            return 0, state
        W, mean = problem.operator, problem.operator.mean_diagonal
        local = prepare_blocks(problem.blocks, TINY_BLOCK * mean if mean > 0 else 1.0)
        law = LawArrays(local, problem.offset, problem.friction, problem.rho)
        target = self.tolerance * problem.size
        swept, rough = 0, self.tolerance >= SINGLE
        while True:
            rule = SweepRule(self.relaxation, self.wait, self.max_sweeps - swept, target)
            if isinstance(W, SparseDelassus):
                rounded, u = False, problem.velocity(r)
                done, _, _, state = sweep_blocks(
                    packed(ColumnArrays(*W.columns)), u, packed(law), r, packed(rule), state
                )
            else:
                C, soles, d, y, rounded = _sole_arrays(W, r, rough)
                done, _, _, state = sweep_soles(
                    packed(C), packed(soles), d, y, packed(law), r, packed(rule), state
                )
            swept += int(done)
            if not rounded or done == 0 or swept >= self.max_sweeps or rough:
                return swept, int(state)


def _sole_arrays(
    W: Delassus, r: FloatArray, rough: bool
) -> tuple[ComplianceArrays, SoleArrays, FloatArray, FloatArray, bool]:
    """Return the arrays of W for `sweep_soles`, the response to `r`, and whether W was rounded.

    The response is exact unless `rough`.
    """
    if isinstance(W, SoleDelassus):
        C = W.compliances
        return C.compact_arrays, W.arrays, *W.respond(r, rounded=rough), C.compact is not C.flat
    if isinstance(W, DenseDelassus):
        return *_dense_arrays(W), np.asarray(W.matrix @ r.ravel()), np.zeros(6), False
    raise SoleError(f"Gauss-Seidel does not know the operator {type(W).__name__}")


def _dense_arrays(W: DenseDelassus) -> tuple[ComplianceArrays, SoleArrays]:
    """Return a full matrix as one sole in the axes of its contacts, on a foot that is held."""
    K = W.contacts
    C = ComplianceArrays(W.transposed.reshape(-1), np.array([0, K]), np.zeros(1, dtype=np.int64))
    return C, SoleArrays(
        scale=np.ones(1),
        node=np.arange(K),
        body=np.zeros(K, dtype=np.int64),
        P=np.broadcast_to(np.eye(3), (K, 3, 3)).copy(),
        A=np.zeros((K, 3, 6)),
        S=np.zeros((6, 6)),
    )


def generator_state(seed: int) -> int:
    """Map any integer to a valid, well-mixed state of Lehmer's generator."""
    return (int(seed) * 2654435761 + 12345) % 2147483646 + 1
