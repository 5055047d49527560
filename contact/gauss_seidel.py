"""Nonlinear block Gauss-Seidel: one exact Coulomb contact at a time, in random order.

A new random permutation in every sweep makes the number of sweeps nearly independent of the
stiffness of the sole and of the number of contacts; a fixed order (random or not) does not,
because the six rigid motions couple all contacts. Open contacts cost next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from contact import cone
from contact.kernels import sweeps
from contact.problem import Problem
from contact.solution import Outcome, Solution, certify
from sole.arrays import FloatArray, frozen


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussSeidel:
    """Options of the solver.

    Parameters
    ----------
    tolerance : natural map divided by rho |q|, as in `contact.solution.certify`.
    max_sweeps : at most this many sweeps.
    relaxation : omega in [1, 2); 1.15 pays with reshuffling.
    seed : of the permutations, 1 to 2147483646: same seed, same bits.
    """

    tolerance: float = 1e-8
    max_sweeps: int = 1000
    relaxation: float = 1.15
    seed: int = 1

    def solve(self, problem: Problem, start: FloatArray | None = None) -> Solution:
        """Solve `problem` from the warm start `start` (K, 3), projected on the cones.

        Returns the last iterate, with its certificate, whether or not it converged.
        """
        r = np.zeros_like(problem.offset)
        if start is not None:
            r = cone.project(start, problem.friction)
        size = float(np.linalg.norm(problem.offset))
        done, _, status, generator = sweeps(
            problem.compliance,
            problem.node,
            problem.frames,
            problem.geometry,
            problem.support,
            problem.blocks,
            problem.offset,
            problem.friction,
            problem.rho,
            r,
            self.relaxation,
            self.max_sweeps,
            self.tolerance * size,
            generator_state(self.seed),
        )
        certificate = certify(problem, r)
        solved = certificate.natural_map <= 2 * self.tolerance and certificate.finite
        return Solution(
            problem=problem,
            reactions=frozen(r),
            velocity=frozen(problem.velocity(r)),
            status=frozen(status, np.int64),
            outcome=Outcome.SOLVED if solved else Outcome.STALLED,
            sweeps=int(done),
            generator=int(generator),
            certificate=certificate,
        )


def generator_state(seed: int) -> int:
    """Map any integer to a valid, well-mixed state of Lehmer's generator."""
    return (int(seed) * 2654435761 + 12345) % 2147483646 + 1
