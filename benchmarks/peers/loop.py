"""What runs in the process of a peer: the same problem, residual and repetitions for all.

The peer gets W rho and q / |q| with rho = 1/mean W_ii, so that its absolute tolerances mean the
same as ours; forces come back times rho |q|, divided by rho once. Its own tolerance is tightened
until our residual, the natural map, meets ours. Numpy only: Debian's Python runs this too.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from contact import coulomb as cone
from sole.base.arrays import FloatArray

# Of our tolerance, given to the peer: loose first and in small steps, so that none does too much.
FACTORS = (30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5, 1e-6)
SHORT = 0.2  # [s]: a call that takes less is repeated, the fastest counts
REPEATS = 5

# (tolerance of the peer) -> (forces (3K,), iterations, seconds of the solve call)
Call = Callable[[float], tuple[FloatArray, int, float]]


def run(variants: Callable[[Any], Iterable[tuple[str, Call]]]) -> None:
    """Read the problem (first argument), solve it in every variant, write the best (second)."""
    source, target = sys.argv[1:3]
    problem = dict(np.load(source))
    W, q, mu = problem["W"], problem["q"], problem["mu"]
    tolerance, deadline = float(problem["tolerance"]), time.monotonic() + float(problem["budget"])
    best: dict[str, Any] = {}
    for settings, call in variants(problem):
        previous = None
        for factor in FACTORS:
            if time.monotonic() > deadline and best:
                return
            r, iterations, seconds = call(tolerance * factor)
            found: dict[str, Any] = {
                "r": r,
                "iterations": iterations,
                "seconds": seconds,
                "residual": _residual(W, q, mu, r),
                "settings": settings,
                "tolerance": tolerance * factor,
            }
            solved = found["residual"] <= tolerance
            if solved:
                again = [call(tolerance * factor)[2] for _ in range(_repeats(seconds))]
                found["seconds"] = min([seconds, *again])
            if not best or _rank(found, tolerance) < _rank(best, tolerance):
                best = found
                np.savez(target, **best)
            if solved:
                break
            if seconds > SHORT and previous is not None and np.array_equal(r, previous):
                break  # the same forces after a long call: it ends at its limit of iterations
            previous = r


def _repeats(seconds: float) -> int:
    return REPEATS - 1 if seconds < SHORT else 0


def _rank(found: dict[str, Any], tolerance: float) -> tuple[float, float]:
    """Order: those that meet the tolerance by time, before the others by residual."""
    residual = float(found["residual"])
    return (0.0, float(found["seconds"])) if residual <= tolerance else (1.0, residual)


def _residual(W: FloatArray, q: FloatArray, mu: FloatArray, r: FloatArray) -> float:
    """|r - P_K(r - (u + mu |u_t| n))|; the problem is scaled so that rho and |q| are one."""
    if not np.isfinite(r).all():
        return np.inf
    u = (W @ r + q).reshape(-1, 3)
    return float(np.linalg.norm(cone.natural_map(r.reshape(-1, 3), u, mu, 1.0)))
