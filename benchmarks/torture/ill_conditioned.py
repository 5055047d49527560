"""Random definite W of condition number 1e9 under friction 10: how many are solved to 1e-8.

    python benchmarks/torture/ill_conditioned.py [number] [first] [--contacts 4 8 15 25]
        [--decades 9] [--friction 10]

Seeds `first` to `first + number - 1` (15 from 0 if not given) for every number of contacts. The
eigenvalues of W are evenly spread over the decades, its axes and q random.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from threadpoolctl import threadpool_limits

from contact.problem import Problem, certify
from contact.solvers import solve
from sole.base.numba_settings import set_up_numba

TOLERANCE = 1e-8
HEAD = ("contacts", "solved", "of", "seconds in all", "slowest", "missed seeds (residual)")


def ill_conditioned(
    seed: int, contacts: int, decades: float = 9.0, friction: float = 10.0
) -> Problem:
    """Return u = W r + q with W = Q diag(1 .. 10^-decades) Q', Q random."""
    random, n = np.random.default_rng(seed), 3 * contacts
    Q = np.linalg.qr(random.normal(size=(n, n)))[0]
    W = (Q * 10 ** -np.linspace(0, decades, n)) @ Q.T
    return Problem.dense((W + W.T) / 2, random.normal(size=(contacts, 3)), friction)


def main(
    number: int = 15,
    first: int = 0,
    contacts: tuple[int, ...] = (4, 8, 15, 25),
    decades: float = 9.0,
    friction: float = 10.0,
) -> list[tuple[str, ...]]:
    """Return the rows of a table, its head first; one row per number of contacts."""
    rows = [HEAD]
    for K in contacts:
        seconds, missed = [], []
        for seed in range(first, first + number):
            problem = ill_conditioned(seed, K, decades, friction)
            begun = time.perf_counter()
            solution = solve(problem, tolerance=TOLERANCE)
            seconds.append(time.perf_counter() - begun)
            error = certify(problem, solution.reactions).error
            if not (solution.solved and error <= TOLERANCE):
                missed.append(f"{seed} ({error:.1e})")
        rows.append((str(K), str(number - len(missed)), str(number), f"{sum(seconds):.1f}",
                     f"{max(seconds):.1f}", ", ".join(missed) or "-"))  # fmt: skip
    return rows


if __name__ == "__main__":
    set_up_numba()
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("number", type=int, nargs="?", default=15, help="of seeds (15)")
    parser.add_argument("first", type=int, nargs="?", default=0, help="seed (0)")
    parser.add_argument("--contacts", type=int, nargs="+", default=[4, 8, 15, 25])
    parser.add_argument("--decades", type=float, default=9.0)
    parser.add_argument("--friction", type=float, default=10.0)
    a = parser.parse_args()
    with threadpool_limits(1):
        for row in main(a.number, a.first, tuple(a.contacts), a.decades, a.friction):
            print("| " + " | ".join(row) + " |")
