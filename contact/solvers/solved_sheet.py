"""A solution as one array that compiled code filled: its parts are made when asked for."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from contact.problem import Certificate, Outcome, Problem, Solution
from contact.solvers.few_contacts_kernels import TOLD
from contact.solvers.gauss_seidel import GaussSeidel, generator_state
from sole.base.arrays import FloatArray, IntArray, sealed
from sole.base.made_later import MadeLater

METHOD = "gauss-seidel"


class SolvedSheet(MadeLater, Solution):
    """A solution whose parts are made when asked for.

    Attributes
    ----------
    sheet : rows of r, of u, then statuses, what `fill_told` wrote, room.
    reactions : its first rows, which everybody asks for.
    """

    ordinary = Solution
    problem: Problem
    sheet: FloatArray
    reactions: FloatArray
    outcome = Outcome.SOLVED
    method = METHOD

    @property
    def velocity(self) -> FloatArray:
        """See `Solution`, as for the others."""
        count = len(self.problem.offset)
        return self.sheet[count : 2 * count]

    @cached_property
    def status(self) -> IntArray:  # noqa: D102
        count = len(self.problem.offset)
        return sealed(self._numbers(6 * count, count).astype(np.int64))

    @property
    def displacements(self) -> FloatArray | None:  # noqa: D102
        return None

    @cached_property
    def certificate(self) -> Certificate:  # noqa: D102
        natural, signorini, cone, dual, power = self._told[:5]
        return Certificate(
            natural_map=natural,
            signorini=signorini,
            cone=cone,
            dual_cone=dual,
            complementarity=power,
            finite=True,
        )

    @property
    def sweeps(self) -> int:  # noqa: D102
        return int(self._told[5])

    @property
    def generator(self) -> int:  # noqa: D102
        return int(self._told[6])

    @property
    def _told(self) -> list[float]:
        told: list[float] = self._numbers(7 * len(self.problem.offset), 3 * TOLD).tolist()
        return told

    def _numbers(self, begin: int, count: int) -> FloatArray:
        return self.sheet.reshape(-1)[begin : begin + count]


def sweep_rule(sweeps: GaussSeidel, tolerance: float, steepest: float) -> FloatArray:
    """Return how to sweep as the numbers of `solve_few_at_once`.

    tolerance : of the result. steepest : larger friction is not for this way.
    """
    s = sweeps
    numbers = s.relaxation, s.wait, s.max_sweeps, s.tolerance, tolerance, steepest
    return sealed(np.array([*numbers, generator_state(s.seed)], dtype=float))
