"""The short way of `solve` where a few contacts have a full matrix W: one compiled call.

Case and factor: one to four contacts, 6 to 7 times as fast as the general way
(`python benchmarks/fast_forms.py`). Checks, objects and look-ups of that way take longer than the
sweeps.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from contact.problem import Certificate, DenseDelassus, Outcome, Problem, Solution
from contact.sweeps.block_sweeps_kernels import generator_state
from contact.sweeps.few_contacts_kernels import FEW, ROOM, TOLD, solve_few_at_once
from sole.base.arrays import FloatArray, IntArray, sealed
from sole.base.made_later import MadeLater

METHOD = "gauss-seidel"
new = object.__new__


def solve_few(problem: Problem, start: FloatArray | None, rule: FloatArray) -> Solution | None:
    """Return what a few sweeps find by a `sweep_rule`, if solved; None: take the general way."""
    W, q = problem.operator, problem.offset
    if type(W) is not DenseDelassus or not 0 < (count := len(q)) <= FEW:
        return None
    r = np.zeros(q.shape) if start is None else np.ascontiguousarray(start, dtype=float)
    if r.ndim != 2:
        return None
    sheet: Any = np.empty((ROOM * count + TOLD, 3))
    if not solve_few_at_once(W.matrix, q, problem.friction, r, rule, sheet):
        return None
    sheet.setflags(False)  # by name it would take twice as long
    made: SolvedSheet = new(SolvedSheet)
    values = made.__dict__  # what `trusted` does takes as long as two contacts
    values["problem"], values["sheet"], values["reactions"] = problem, sheet, sheet[:count]
    return made


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


def sweep_rule(
    relaxation: float,
    wait: float,
    max_sweeps: int,
    swept: float,
    *,
    tolerance: float,
    steepest: float,
    seed: int,
) -> FloatArray:
    """Return how a short way of `solve` sweeps, as the numbers of `solve_few_at_once`.

    The first three are options of `contact.solvers.GaussSeidel`, `swept` is the tolerance of its
    sweeps. tolerance : of the result. steepest : larger friction is not for a short way.
    """
    numbers = relaxation, wait, max_sweeps, swept, tolerance, steepest
    return sealed(np.array([*numbers, generator_state(seed)], dtype=float))
