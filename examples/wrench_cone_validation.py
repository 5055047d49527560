"""A rectangle's wrench cone in closed form versus linear programmes on vertex forces."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from measuring.vertex_forces import lp_margin

from contact.wrench_cone import WrenchCone, rectangle_corners, rectangle_holds_wrench

SHIFT, SURE = 1e-6, 1e-9  # relative distance to a facet; |lambda| below which nothing is decided


@dataclass(frozen=True)
class Validation:
    """Counts, `hits` (16,) beside each facet; smallest |lambda|, error of the margin."""

    wrenches: int
    inside: int
    mismatches: int
    undecided: int
    hits: np.ndarray
    smallest: float
    error: float


def vertex_sums(cone: WrenchCone, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return sums (count, 6) of forces in the pyramids of the vertices, some far larger [N]."""
    return 100 * rng.exponential(1, (count, 16)) ** 4 @ cone.generators


def beside_facets(cone: WrenchCone, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return sums of a facet's rays, moved from or to the axis by SHIFT; facets take turns."""
    on = np.abs(cone.slack(cone.generators)).T < 1e-12
    rays = rng.exponential(100, (count, 16)) * on[np.arange(count) % 16]
    w = rays @ cone.generators
    centre = w[:, 2:3] * cone.axis
    return centre + (1 + SHIFT * rng.choice([-1, 1], (count, 1))) * (w - centre)


def main(
    count: int = 100_000,
    X: float = 0.112,
    Y: float = 0.065,
    mu: float = 0.4,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Validation:
    """Compare on `count` wrenches: an HRP-4 foot of half sides X, Y [m], friction mu."""
    rng, cone = np.random.default_rng(2015), WrenchCone.of_rectangle(X, Y, mu)
    parts = vertex_sums(cone, count // 2, rng), beside_facets(cone, count - count // 2, rng)
    w, points = np.concatenate(parts), np.column_stack([rectangle_corners(X, Y), np.zeros(4)])
    lam = lp_margin(w, points, np.tile(np.eye(3), (4, 1, 1)), mu, cone, progress=progress)
    closed, (margin, facet) = rectangle_holds_wrench(w, X, Y, mu), cone.margin(w)
    hits = np.bincount(facet[count // 2 :], minlength=16)
    wrong, unsure = int((closed != (lam > 0)).sum()), int((np.abs(lam) < SURE).sum())
    least, error = float(np.abs(lam).min()), float(np.abs(margin - lam).max())
    return Validation(count, int(closed.sum()), wrong, unsure, hits, least, error)


if __name__ == "__main__":
    err, seen = sys.stderr, sys.stderr.isatty()  # no progress into a pipe
    print(main(progress=lambda d, n: print(end=f"\r{d} of {n} " * seen, file=err, flush=True)))
