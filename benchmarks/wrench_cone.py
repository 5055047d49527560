"""Whether a wrench is held: closed form versus linear programme and vertex forces, one thread.

Each answers for the first wrenches of one random list of an HRP-4 foot, as many as its row says.
All that answer the question must agree on the first 100, and each with the closed form on all of
its own. Methods take turns; the least of the rounds counts: a busy machine spares the ratios.

python benchmarks/wrench_cone.py [--quick]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import linprog, nnls

from contact.wrench_cone import (
    CircularCone,
    WrenchCone,
    rectangle_corners,
    rectangle_holds_wrench,
    rectangle_margin,
    rectangle_yaw_torque,
)

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
from contact.papers.experiments.vertex_forces import lp_margin
from sole.base.numba_settings import set_up_numba

X, Y, MU = 0.112, 0.065, 0.4
STATES, ROUNDS = 100_000, 5
CONE = WrenchCone.of_rectangle(X, Y, MU)
CIRCULAR = CircularCone.of_rectangle(X, Y, MU)
POINTS, FRAMES = (
    np.column_stack([rectangle_corners(X, Y), np.zeros(4)]),
    np.tile(np.eye(3), (4, 1, 1)),
)
UNIT = np.array([1, 1, 1, X, X, X])  # of the columns of a least squares problem, for balance

Method = Callable[[np.ndarray], np.ndarray]


def wrenches(count: int) -> np.ndarray:
    """Wrenches (count, 6), loads of 200 to 600 N."""
    rng = np.random.default_rng(0)
    w = rng.normal(size=(count, 6)) * 0.4 * np.array([MU, MU, 0, Y, X, MU * (X + Y)])
    w[:, 2] = 1.0
    return w * rng.uniform(200, 600, (count, 1))


def by_programme(w: np.ndarray) -> np.ndarray:
    """One programme for each: rays of the vertices with weights >= 0."""
    rays = CONE.generators.T / UNIT[:, None]
    answers = [linprog(np.zeros(16), A_eq=rays, b_eq=one / one[2] / UNIT).status == 0 for one in w]
    return np.array(answers)


def by_vertex_forces(w: np.ndarray) -> np.ndarray:
    """Non-negative least squares on the 16 rays: no residual, held."""
    rays = CONE.generators.T / UNIT[:, None]
    return np.array([nnls(rays, one / one[2] / UNIT)[1] < 1e-9 for one in w])


def one_by_one(method: Method) -> Method:
    """Call a method that takes all for every wrench alone, as a controller would."""
    return lambda w: np.array([bool(method(one)) for one in w])


METHODS: dict[str, tuple[Method, int]] = {  # and for how many wrenches at a time
    "closed form (15)-(20), one by one": (
        one_by_one(lambda w: rectangle_holds_wrench(w, X, Y, MU)),
        500,
    ),
    "16 rows A w <= 0, one by one": (one_by_one(lambda w: (CONE.rows @ w <= 0).all()), 500),
    "margin and facet of WrenchCone, one by one": (
        one_by_one(lambda w: CONE.margin(w)[0] >= 0),
        500,
    ),
    "4 vertex forces, NNLS on 16 rays, one by one": (by_vertex_forces, 500),
    "linear programme on 16 rays (HiGHS), one by one": (by_programme, 100),
    "closed form (15)-(20), all at once": (lambda w: rectangle_holds_wrench(w, X, Y, MU), STATES),
    "closed form, margin and facet, all at once": (
        lambda w: rectangle_margin(w, X, Y, MU)[0] >= 0,
        STATES,
    ),
    "16 rows, margin and facet, all at once": (lambda w: CONE.margin(w).value >= 0, STATES),
    "yaw interval and safe torque, all at once": (
        lambda w: rectangle_yaw_torque(w, X, Y, MU).half_width >= 0,
        STATES,
    ),
    "linear programmes on vertex forces, 100 in a block": (
        lambda w: lp_margin(w, POINTS, FRAMES, MU, CONE) >= 0,
        500,
    ),
    "circular cones, margin with both proofs": (lambda w: CIRCULAR.margin(w).value >= 0, 5000),
}
OTHER_QUESTION = ("yaw", "circular")  # not whether the pyramids hold the wrench


def other(name: str) -> bool:
    """Return whether a method answers a question other than whether the pyramids hold."""
    return name.startswith(OTHER_QUESTION)


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="20 wrenches each, one round")
    quick = parser.parse_args(words).quick
    rounds, most = (1, 20) if quick else (ROUNDS, STATES)
    w = wrenches(STATES)
    held = rectangle_holds_wrench(w, X, Y, MU)
    counts = {name: min(count, most) for name, (_, count) in METHODS.items()}
    asked = {name: count for name, count in counts.items() if not other(name)}
    common = min(asked.values())
    first = {name: np.asarray(METHODS[name][0](w[:common])) for name in asked}
    for name, answers in first.items():
        if (answers != held[:common]).any():
            raise SystemExit(f"{name} does not agree on the first {common} wrenches")
    least = dict.fromkeys(METHODS, np.inf)
    for turn in range(rounds + 1):  # the first compiles
        for name, (method, _) in METHODS.items():
            count = counts[name]
            begin = time.perf_counter()
            answers = method(w[:count])
            seconds = (time.perf_counter() - begin) / count
            if turn:
                least[name] = min(least[name], seconds)
            elif not other(name) and (answers != held[:count]).any():
                raise SystemExit(f"{name} does not agree with the closed form")
    single = least["closed form (15)-(20), one by one"]
    together = least["closed form (15)-(20), all at once"]
    print(f"{held.mean():.0%} of {STATES} wrenches are held, {held[:common].mean():.0%} of the")
    print(f"first {common}, on which {len(first)} methods agree.\n")
    print("| method | wrenches | us each | 100 000 take | x (15)-(20) one by one | x all at once |")
    print("|---|---|---|---|---|---|")
    for name, seconds in least.items():
        print(
            f"| {name} | {counts[name]} "
            f"| {1e6 * seconds:.3g} | {1e5 * seconds:.3g} s | {seconds / single:.3g} | "
            f"{seconds / together:.3g} |"
        )


if __name__ == "__main__":
    set_up_numba()
    main()
