"""Convergence of numbers as the time step is halved.

For f1, f2, f3 at dt, dt/2, dt/4 with an error c dt^p,

    p = log2((f2 - f1)/(f3 - f2)),     f(0) ~ f3 + (f3 - f2)/(2^p - 1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sole.base.errors import SoleError
from sole.base.report import Quantity

TOLERANCE = 0.05  # largest relative error of a converged value
NOTHING = 1e-9  # SI: values below this count as zero
DIAGNOSTICS = ("duration", "contact residual", "missed", "iterations", "unaccounted energy")
NEGLIGIBLE = {"m/s^2": 1e-4, "N": 1e-3, "N s": 1e-6, "J": 1e-6, "m": 1e-7, "rad": 1e-7, "Pa": 1.0}
LEAST_ORDER, MOST_ORDER = 0.5, 4.0  # outside this range the values follow no power of dt


class Convergence(NamedTuple):
    """Values at dt, dt/2, dt/4; Richardson's estimate at dt = 0 and the observed order, if any.

    `error` is |estimate - last|/|estimate|. If the values follow no power of dt, it is the largest
    relative change between two of them; None if a value is missing.
    """

    values: tuple[float | None, ...]
    estimate: float | None
    order: float | None
    error: float | None
    verdict: str

    @property
    def converged(self) -> bool:
        """Whether the verdict is "converged"."""
        return self.verdict == CONVERGED


CONVERGED, NOT_CONVERGED = "converged", "not converged"


def richardson(
    values: Sequence[float | None], tolerance: float = TOLERANCE, nothing: float = NOTHING
) -> Convergence:
    """Judge three values at dt, dt/2 and dt/4.

    They converge if the estimate differs from the last value by at most `tolerance`, relative, and
    the changes shrink with an order of at least 1/2; or if all three agree to `tolerance`,
    relative, or to `nothing`, absolute.

    Raises
    ------
    SoleError
        There are not three values.
    """
    if len(values) != 3:
        raise SoleError(f"convergence needs values at dt, dt/2 and dt/4, got {len(values)}")
    kept = tuple(None if v is None or not math.isfinite(v) else float(v) for v in values)
    if None in kept:
        same = kept == (None, None, None)
        return Convergence(kept, None, None, None, CONVERGED if same else NOT_CONVERGED)
    f1, f2, f3 = (0.0 if v is None else v for v in kept)
    size = max(abs(f1), abs(f2), abs(f3))
    first, second = f2 - f1, f3 - f2
    spread = max(f1, f2, f3) - min(f1, f2, f3)
    if spread <= max(nothing, 1e-12 * size):
        return Convergence(kept, f3, None, 0.0, CONVERGED)
    if second != 0.0 and first / second > 0.0:
        order = math.log2(first / second)
        if order >= LEAST_ORDER:
            p = min(order, MOST_ORDER)
            estimate = f3 + second / (2**p - 1)
            error = abs(estimate - f3) / max(abs(estimate), nothing)
            verdict = CONVERGED if error <= tolerance else NOT_CONVERGED
            return Convergence(kept, estimate, order, error, verdict)
    error = spread / size
    return Convergence(kept, None, None, error, CONVERGED if error <= tolerance else NOT_CONVERGED)


def judge_tables(
    tables: Sequence[Mapping[str, Quantity]], tolerance: float = TOLERANCE
) -> dict[str, Convergence]:
    """Judge metrics at dt, dt/2 and dt/4: numbers by `richardson`, flags by equality.

    Solver diagnostics and metrics without a value at any dt are left out. Changes below
    `NEGLIGIBLE` are round-off of the contact solver.
    """
    found = {}
    for name in tables[0]:
        values = [table[name].value for table in tables]
        if name in DIAGNOSTICS or values == [None] * len(values):
            continue
        if any(isinstance(v, bool) for v in values):
            same = CONVERGED if len(set(values)) == 1 else NOT_CONVERGED
            numbers = tuple(float(v) for v in values)
            found[name] = Convergence(numbers, None, None, None, same)
        elif all(v is None or isinstance(v, int | float) for v in values):
            nothing = NEGLIGIBLE.get(tables[0][name].unit, NOTHING)
            found[name] = richardson(values, tolerance, nothing)
    return found
