"""What a margin of a compliant sole costs: beside the time step it watches, and other solvers.

python benchmarks/sole_margin.py [--quick]. All take turns; the least processor time of the rounds
counts, one thread.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from math import radians
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from box_mesh import box_mesh

from contact.ground import Slope
from contact.margins import LimitSurface
from contact.papers.onset import SoleCone
from contact.rigid_bodies import RigidBodies, RigidBody
from contact.step import Body, StepOptions
from sole.base.numba_settings import set_up_numba
from sole.condense import CondensedSole, condense
from sole.material import Material

CELLS = {50: (9, 4, 2), 104: (12, 7, 2), 300: (24, 11, 2)}  # nodes of a foot
ROUNDS, STATES = 7, 100_000


def pad(cells: tuple[int, int, int]) -> CondensedSole:
    """Return a pad 0.23 x 0.13 x 0.02 m, E = 1 MPa, nu = 0.4."""
    mesh = box_mesh(0.23, 0.13, 0.02, cells)
    return condense(mesh, Material(young_modulus=1e6, poisson_ratio=0.4), "p1")


def least(calls: list[tuple[Callable[[], object], int]], rounds: int) -> list[float]:
    """Return processor seconds per call, the least of the rounds, of every (function, count)."""
    times = np.full((rounds, len(calls)), np.inf)
    for k in range(rounds):
        for i, (call, count) in enumerate(calls):
            start = time.process_time()
            for _ in range(count):
                call()
            times[k, i] = (time.process_time() - start) / count
    return [float(t) for t in times.min(axis=0)]


def by_scipy(surface: LimitSurface, w: np.ndarray) -> float:
    """Minimise h(d) on w . d = 1 without derivatives (Nelder-Mead), rotations scaled by radius."""
    scale = np.array([1.0, 1.0, 1 / surface.radius])
    scaled = w * scale
    start = scaled / (scaled @ scaled)
    plane = np.linalg.svd(scaled[None, :])[2][1:]

    def power(y: np.ndarray) -> float:
        return float(surface.support((start + y @ plane) * scale)) / surface.strength

    options = {"xatol": 1e-10 * np.abs(start).max(), "fatol": 1e-12}
    return (
        1
        / (minimize(power, np.zeros(2), method="Nelder-Mead", options=options).fun)
        / (surface.strength)
    )


def main(words: Sequence[str] | None = None) -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="50 nodes, one round, few wrenches")
    quick = parser.parse_args(words).quick
    rounds, states = (1, 1000) if quick else (ROUNDS, STATES)
    print("| nodes | step [us] | margin [us] | margin / step | gauge [us] | gauge / Nelder-Mead |")
    print("|---|---|---|---|---|---|")
    slope = Slope(angle=radians(15))
    for nodes, cells in list(CELLS.items())[: 1 if quick else None]:
        sole = pad(cells)
        foot = RigidBody(contact=Body.of(sole, eta=2e-3), mass=58.0, inertia=np.ones(3))
        scene = RigidBodies([foot], slope, StepOptions())
        state = scene.at((slope.frame @ [0, 0, 0.02])[None], slope.frame[None])
        for _ in range(150):
            done = scene.step(state, 1e-3)
            state = done.state
        rng = np.random.default_rng(nodes)
        points = sole.points - sole.origin
        surface = LimitSurface(points, rng.uniform(0, 2, len(points)), 0.7)
        w = np.array([0.3, 0.1, 0.02]) * surface.strength
        assert abs(by_scipy(surface, w) / surface.slip(w).gauge - 1) < 1e-6
        step, margin, gauge, other = least(
            [
                (partial(scene.step, state, 1e-3), 30),
                (partial(scene.margins, done), 200),
                (partial(surface.slip, w), 200),
                (partial(by_scipy, surface, w), 2),
            ],
            rounds,
        )
        print(
            f"| {len(points)} | {1e6 * step:.0f} | {1e6 * margin:.0f} | {margin / step:.2f} "
            f"| {1e6 * gauge:.0f} | {gauge / other:.4f} |"
        )
    cone = SoleCone.of(pad(CELLS[50]))
    wrenches = cone.axis * 600 + np.random.default_rng(0).normal(size=(states, 6)) * [
        50, 50, 0, 5, 5, 1,
    ]  # fmt: skip
    one = wrenches[0]
    at_once, alone = least(
        [(lambda: cone.slip(wrenches), 1), (lambda: cone.slip(one), 200)], rounds
    )
    print(
        f"\nOnset of slip, {len(cone.points)} nodes, {states} wrenches: {at_once:.3f} s at once, "
        f"one by one {alone * states / at_once:.0f} times that"
    )


if __name__ == "__main__":
    set_up_numba()
    main()
