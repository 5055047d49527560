"""A solution as one array that compiled code filled: its parts are made when asked for."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from contact.problem import Certificate, Problem, Solution
from contact.solvers.few_contacts_kernels import RESIDUALS
from sole.base.arrays import FloatArray, IntArray, sealed
from sole.base.made_later import MadeLater

METHOD = "gauss-seidel"


class SolvedSheet(MadeLater, Solution):
    """A solution whose arrays and certificate are made when asked for.

    Attributes
    ----------
    sheet : what `fill_sheet` wrote, then the displacements of soles.
    """

    ordinary = Solution
    problem: Problem
    sheet: FloatArray
    method = METHOD

    @property
    def reactions(self) -> FloatArray:
        """See `Solution`, as for the others."""
        return self.sheet[: self.problem.offset.size].reshape(-1, 3)

    @property
    def velocity(self) -> FloatArray:  # noqa: D102
        size = self.problem.offset.size
        return self.sheet[size : 2 * size].reshape(-1, 3)

    @cached_property
    def status(self) -> IntArray:  # noqa: D102
        count = len(self.problem.offset)
        return sealed(self.sheet[6 * count : 7 * count].astype(np.int64))

    @property
    def displacements(self) -> FloatArray | None:  # noqa: D102
        begin = 7 * len(self.problem.offset) + RESIDUALS
        return self.sheet[begin:] if len(self.sheet) > begin else None

    @cached_property
    def certificate(self) -> Certificate:  # noqa: D102
        begin = 7 * len(self.problem.offset)
        natural, signorini, cone, dual, power = self.sheet[begin : begin + RESIDUALS].tolist()
        return Certificate(
            natural_map=natural,
            signorini=signorini,
            cone=cone,
            dual_cone=dual,
            complementarity=power,
            finite=True,
        )
