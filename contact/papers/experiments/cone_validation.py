"""A rectangle's wrench cone in closed form versus linear programmes on vertex forces."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from contact.papers.experiments.vertex_forces import lp_margin
from contact.wrench_cone import (
    WrenchCone,
    rectangle_corners,
    rectangle_holds_wrench,
    rectangle_yaw_torque,
)
from sole.base.arrays import FloatArray, IntArray
from sole.claims import Effort, Findings

__all__ = ["ConeValidation", "reproduce_cone", "validate_cone"]

HALF, MU = (0.112, 0.065), 0.4  # m: our HRP-4 foot; the paper prints no sizes

SHIFT, SURE = 1e-6, 1e-9  # relative distance to a facet; |lambda| below which nothing is decided


@dataclass(frozen=True, eq=False)
class ConeValidation:
    """Counts, `hits` (16,) beside each facet; smallest |lambda|, error of the margin."""

    wrenches: int
    inside: int
    mismatches: int
    undecided: int
    hits: IntArray
    smallest: float
    error: float


def vertex_sums(cone: WrenchCone, count: int, rng: np.random.Generator) -> FloatArray:
    """Return sums (count, 6) of forces in the pyramids of the vertices, some far larger [N]."""
    return 100 * rng.exponential(1, (count, 16)) ** 4 @ cone.generators


def beside_facets(cone: WrenchCone, count: int, rng: np.random.Generator) -> FloatArray:
    """Return sums of a facet's rays, moved from or to the axis by SHIFT; facets take turns."""
    on = np.abs(cone.slack(cone.generators)).T < 1e-12
    rays = rng.exponential(100, (count, 16)) * on[np.arange(count) % 16]
    w = rays @ cone.generators
    centre = w[:, 2:3] * cone.axis
    return centre + (1 + SHIFT * rng.choice([-1, 1], (count, 1))) * (w - centre)


def validate_cone(
    count: int = 100_000,
    X: float = HALF[0],
    Y: float = HALF[1],
    mu: float = MU,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> ConeValidation:
    """Compare on `count` wrenches: an HRP-4 foot of half sides X, Y [m], friction mu."""
    rng, cone = np.random.default_rng(2015), WrenchCone.of_rectangle(X, Y, mu)
    parts = vertex_sums(cone, count // 2, rng), beside_facets(cone, count - count // 2, rng)
    w, points = np.concatenate(parts), np.column_stack([rectangle_corners(X, Y), np.zeros(4)])
    lam = lp_margin(w, points, np.tile(np.eye(3), (4, 1, 1)), mu, cone, progress=progress)
    closed, (margin, facet) = rectangle_holds_wrench(w, X, Y, mu), cone.margin(w)
    hits = np.bincount(facet[count // 2 :], minlength=16)
    wrong, unsure = int((closed != (lam > 0)).sum()), int((np.abs(lam) < SURE).sum())
    least, error = float(np.abs(lam).min()), float(np.abs(margin - lam).max())
    return ConeValidation(count, int(closed.sum()), wrong, unsure, hits, least, error)


def reproduce_cone(effort: Effort) -> Findings:
    """Compare (15)-(20) with vertex forces and pressure fields; measure ZMP, yaw and times."""
    count = 1600 if effort.quick else 100_000
    found = validate_cone(count, progress=lambda done, total: effort.tell(0.9 * done / total))
    numbers = {
        "wrenches": float(found.wrenches),
        "mismatches": float(found.mismatches + found.undecided),
        "least_hits": float(found.hits.min()),
        "error": found.error,
    }
    return Findings(numbers=numbers | _fields() | _zmp() | _yaw() | _times())


def _fields(count: int = 300) -> dict[str, float]:
    """Return the share of wrenches of random pressure and shear fields that vertices can give.

    The field: 40 points inside the rectangle with a pressure and a shear in the pyramid each.
    """
    rng = np.random.default_rng(7)
    cone = WrenchCone.of_rectangle(*HALF, MU)
    p = rng.uniform(-1, 1, (count, 40, 2)) * HALF
    f = rng.exponential(1, (count, 40)) * rng.integers(0, 2, (count, 40))
    t = MU * rng.uniform(-1, 1, (count, 40, 2)) * f[..., None]
    force = np.concatenate([t, f[..., None]], axis=2)
    arm = np.concatenate([p, np.zeros((count, 40, 1))], axis=2)
    w = np.concatenate([force.sum(axis=1), np.cross(arm, force).sum(axis=1)], axis=1)
    corners = np.column_stack([rectangle_corners(*HALF), np.zeros(4)])
    lam = lp_margin(w, corners, np.tile(np.eye(3), (4, 1, 1)), MU, cone)
    return {"fields": float(count), "fields_held": float((lam >= -1e-9).mean())}


def _zmp(count: int = 20_000) -> dict[str, float]:
    """Count where (17)-(19) and the ZMP in the rectangle disagree, for wrenches without shear."""
    rng = np.random.default_rng(8)
    fz = rng.exponential(300, count)
    zmp = rng.uniform(-1.5, 1.5, (count, 2)) * HALF
    w = np.zeros((count, 6))
    w[:, 2], w[:, 3], w[:, 4] = fz, zmp[:, 1] * fz, -zmp[:, 0] * fz
    inside = (np.abs(zmp) <= HALF).all(axis=1)
    yaw = rectangle_yaw_torque(w, *HALF, MU)
    w[:, 5] = yaw.safe
    return {"zmp_mismatches": float((rectangle_holds_wrench(w, *HALF, MU) != inside).sum())}


def _yaw(count: int = 5000) -> dict[str, float]:
    """Return what bounds the yaw torque: shear, roll and pitch, a ZMP at a corner."""
    X, Y = HALF
    fz = 390.0
    free = rectangle_yaw_torque([0, 0, fz, 0, 0, 0], X, Y, MU)
    sheared = rectangle_yaw_torque([0.3 * fz, 0, fz, 0, 0, 0], X, Y, MU)
    tilted = rectangle_yaw_torque([0, 0, fz, 0.6 * Y * fz, 0, 0], X, Y, MU)
    corner = rectangle_yaw_torque([20, 10, fz, Y * fz, -X * fz, 0], X, Y, MU)
    rng = np.random.default_rng(9)
    w = 100 * rng.exponential(1, (count, 16)) @ WrenchCone.of_rectangle(X, Y, MU).generators
    yaw = rectangle_yaw_torque(w, X, Y, MU)
    return {
        "half_width": float(free.half_width),
        "half_width_sheared": float(sheared.half_width),
        "half_width_tilted": float(tilted.half_width),
        "half_width_corner": abs(float(corner.half_width)),
        "safe_corner": float(corner.safe),
        "middle_error": float(np.abs(yaw.safe - (yaw.lowest + yaw.highest) / 2).max()),
    }


def _times(count: int = 200) -> dict[str, float]:
    """Return how many times as long vertex forces (NNLS on 16 rays) take as the closed form."""
    from scipy.optimize import nnls

    rng = np.random.default_rng(10)
    cone = WrenchCone.of_rectangle(*HALF, MU)
    w = 100 * rng.exponential(1, (count, 16)) @ cone.generators
    rays = cone.generators.T
    took: dict[str, float] = {}

    def by_rows(one: FloatArray) -> bool:
        return bool((cone.rows @ one <= 0).all())

    def by_vertices(one: FloatArray) -> bool:
        return bool(nnls(rays, one / one[2])[1] < 1e-9)

    for name, holds in (("closed", by_rows), ("vertices", by_vertices)):
        holds(w[0])
        begin = time.process_time()
        for one in w:
            holds(one)
        took[name] = time.process_time() - begin
    return {"times_slower": took["vertices"] / max(took["closed"], 1e-9)}
