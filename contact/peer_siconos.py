"""Siconos' NSGS and NSN_AC on a dense W; runs under Debian's Python (contact/peers.py).

Order of a contact: (n, t1, t2).
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from contact.peer_loop import Call, run
from sole.arrays import FloatArray

SWEEPS = 100000
STEPS = 300


def variants(problem: dict[str, Any]) -> Iterator[tuple[str, Call]]:
    """Yield the documented settings of the solver that `problem["name"]` asks for."""
    sn: Any = importlib.import_module("siconos.numerics")
    W, q, mu, start = (problem[key] for key in ("W", "q", "mu", "start"))
    order = (3 * np.arange(len(mu))[:, None] + np.array([2, 0, 1])).ravel()
    matrix = np.asfortranarray(W[np.ix_(order, order)])
    offset = np.ascontiguousarray(q[order])
    newton = str(problem["name"]) == "siconos-nsn-ac"

    def call_with(**options: int) -> Call:
        def call(tolerance: float) -> tuple[FloatArray, int, float]:
            contacts = sn.FrictionContactProblem(3, len(mu), matrix, offset, mu)
            kind = sn.SICONOS_FRICTION_3D_NSN_AC if newton else sn.SICONOS_FRICTION_3D_NSGS
            settings = sn.SolverOptions(kind)
            settings.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
            settings.iparam[sn.SICONOS_IPARAM_MAX_ITER] = STEPS if newton else SWEEPS
            for name, value in options.items():
                settings.iparam[getattr(sn, f"SICONOS_FRICTION_3D_{name}")] = value
            r, u = start[order].copy(), np.zeros(len(q))
            begun = time.perf_counter()
            sn.fc3d_driver(contacts, r, u, settings)
            seconds = time.perf_counter() - begun
            out = np.empty_like(r)
            out[order] = r
            return out, int(settings.iparam[sn.SICONOS_IPARAM_ITER_DONE]), seconds

        return call

    if newton:
        yield "default (Goldstein-Price line search)", call_with()
        yield "no line search", call_with(NSN_LINESEARCH=sn.SICONOS_FRICTION_3D_NSN_LINESEARCH_NO)
        yield (
            "Armijo line search",
            call_with(NSN_LINESEARCH=sn.SICONOS_FRICTION_3D_NSN_LINESEARCH_ARMIJO),
        )
    else:
        each = sn.SICONOS_FRICTION_3D_NSGS_SHUFFLE_TRUE_EACH_LOOP
        yield "default (fixed order)", call_with()
        yield "shuffled in every loop", call_with(NSGS_SHUFFLE=each)
        yield "shuffled once", call_with(NSGS_SHUFFLE=sn.SICONOS_FRICTION_3D_NSGS_SHUFFLE_TRUE)
        light = sn.SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT
        yield "light error evaluation", call_with(IPARAM_ERROR_EVALUATION=light)
        yield "freezing contacts", call_with(NSGS_FREEZING_CONTACT=10)


if __name__ == "__main__":
    run(variants)
