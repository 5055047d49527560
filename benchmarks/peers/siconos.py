"""Siconos' NSGS and NSN_AC; runs under Debian's Python (benchmarks/peers/run.py).

Order of a contact: (n, t1, t2). A W with many zeros is given in sparse storage too, which is much
faster for Siconos; Newton also starts from some sweeps of Gauss-Seidel [AcaryBremondHuber2018]_.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from peers.loop import Call, run
from sole.base.arrays import FloatArray

SWEEPS = 100000
STEPS = 300
BEFORE = 100  # sweeps before Newton
FILL = 0.5  # share of entries of W up to which sparse storage is tried


def variants(problem: dict[str, Any]) -> Iterator[tuple[str, Call]]:
    """Yield the documented settings of the solver that `problem["name"]` asks for."""
    sn: Any = importlib.import_module("siconos.numerics")
    caller = _Caller(sn, problem)
    sparse = np.count_nonzero(problem["W"]) <= FILL * problem["W"].size
    storages = (("sparse", True), ("full", False)) if sparse else (("full", False),)
    for word, stored in storages:
        if str(problem["name"]) == "siconos-nsn-ac":
            none = sn.SICONOS_FRICTION_3D_NSN_LINESEARCH_NO
            armijo = sn.SICONOS_FRICTION_3D_NSN_LINESEARCH_ARMIJO
            yield f"{word}, Goldstein-Price (default)", caller.newton(stored)
            yield f"{word}, after {BEFORE} sweeps", caller.newton(stored, BEFORE)
            yield f"{word}, no line search", caller.newton(stored, NSN_LINESEARCH=none)
            yield f"{word}, Armijo", caller.newton(stored, NSN_LINESEARCH=armijo)
        else:
            each = sn.SICONOS_FRICTION_3D_NSGS_SHUFFLE_TRUE_EACH_LOOP
            once = sn.SICONOS_FRICTION_3D_NSGS_SHUFFLE_TRUE
            light = sn.SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT
            yield f"{word}, fixed order (default)", caller.sweeps(stored)
            yield f"{word}, shuffled in every loop", caller.sweeps(stored, NSGS_SHUFFLE=each)
            yield f"{word}, shuffled once", caller.sweeps(stored, NSGS_SHUFFLE=once)
            yield f"{word}, light error", caller.sweeps(stored, IPARAM_ERROR_EVALUATION=light)
            yield f"{word}, freezing contacts", caller.sweeps(stored, NSGS_FREEZING_CONTACT=10)


class _Caller:
    """The problem in Siconos' order, and calls of its driver."""

    def __init__(self, sn: Any, problem: dict[str, Any]) -> None:
        W, q, self.mu, start = (problem[key] for key in ("W", "q", "mu", "start"))
        self.sn = sn
        self.order = (3 * np.arange(len(self.mu))[:, None] + np.array([2, 0, 1])).ravel()
        self.full = np.asfortranarray(W[np.ix_(self.order, self.order)])
        self.offset = np.ascontiguousarray(q[self.order])
        self.start = start[self.order]

    def sweeps(self, stored: bool, **options: int) -> Call:
        """NSGS; `stored`: W in sparse storage."""
        return lambda tolerance: self._timed(tolerance, stored, [("NSGS", SWEEPS, options)])

    def newton(self, stored: bool, before: int = 0, **options: int) -> Call:
        """NSN_AC after so many sweeps."""
        first: list[tuple[str, int, dict[str, int]]] = [("NSGS", before, {})] if before else []
        calls = [*first, ("NSN_AC", STEPS, options)]
        return lambda tolerance: self._timed(tolerance, stored, calls)

    def _timed(
        self, tolerance: float, stored: bool, calls: list[tuple[str, int, dict[str, int]]]
    ) -> tuple[FloatArray, int, float]:
        sn = self.sn
        # A new one for every call: Siconos changes and keeps factors in what it is given.
        W = self._sparse() if stored else self.full.copy(order="F")
        contacts = sn.FrictionContactProblem(3, len(self.mu), W, self.offset, self.mu)
        r, u, iterations, seconds = self.start.copy(), np.zeros(len(self.offset)), 0, 0.0
        for kind, limit, options in calls:
            settings = sn.SolverOptions(getattr(sn, f"SICONOS_FRICTION_3D_{kind}"))
            settings.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
            settings.iparam[sn.SICONOS_IPARAM_MAX_ITER] = limit
            for name, value in options.items():
                settings.iparam[getattr(sn, f"SICONOS_FRICTION_3D_{name}")] = value
            begun = time.perf_counter()
            sn.fc3d_driver(contacts, r, u, settings)
            seconds += time.perf_counter() - begun
            iterations += int(settings.iparam[sn.SICONOS_IPARAM_ITER_DONE])
        out = np.empty_like(r)
        out[self.order] = r
        return out, iterations, seconds

    def _sparse(self) -> Any:
        """W as triplets; entry by entry, which is not timed."""
        sn, size = self.sn, len(self.offset)
        matrix = sn.NM_create(sn.NM_SPARSE, size, size)
        row, column = np.nonzero(self.full)
        sn.NM_triplet_alloc(matrix, len(row))
        values = self.full[row, column]
        for i, j, value in zip(row.tolist(), column.tolist(), values.tolist(), strict=True):
            sn.NM_entry(matrix, i, j, value)
        return matrix


if __name__ == "__main__":
    run(variants)
