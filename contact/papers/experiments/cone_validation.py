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
from sole.base.errors import ConvergenceError
from sole.claims import Effort, Findings

__all__ = [
    "ConeValidation",
    "held_by_rows",
    "held_by_vertices",
    "reproduce_cone",
    "validate_cone",
    "vertex_yaw_range",
]

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

    The field: 40 points inside the rectangle with a pressure and a shear in the pyramid each. Of
    some fields nearly all points press, of others nearly none; half of them slide as a whole.
    """
    rng = np.random.default_rng(7)
    cone = WrenchCone.of_rectangle(*HALF, MU)
    p = rng.uniform(-1, 1, (count, 40, 2)) * HALF
    f = rng.exponential(1, (count, 40)) * (
        rng.uniform(size=(count, 40)) < rng.uniform(size=(count, 1))
    )
    f[f.sum(axis=1) == 0, 0] = 1.0
    t = MU * rng.uniform(-1, 1, (count, 40, 2)) * f[..., None]
    slides = MU * rng.choice([-1, 1], (count // 2, 1, 2))
    t[: count // 2] = slides * f[: count // 2, :, None]
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


def vertex_yaw_range(w: FloatArray) -> FloatArray:
    """Return the least and the largest yaw torque (2,) [N m] that vertex forces give.

    By linear programmes on the 16 rays of the vertices; the other five components are those of
    `w` (6,), its yaw torque is not used.
    """
    from scipy.optimize import linprog

    rays = WrenchCone.of_rectangle(*HALF, MU).generators.T
    ends = []
    for sign in (1.0, -1.0):
        done = linprog(sign * rays[5], A_eq=rays[:5], b_eq=w[:5], method="highs-ds")
        if done.status != 0 or done.fun is None:
            raise ConvergenceError(f"HiGHS found no yaw torque by vertex forces: {done.message}")
        ends.append(sign * float(done.fun))
    return np.array(ends)


def _yaw(count: int = 60) -> dict[str, float]:
    """Return how the closed form's safe torque and ranges by vertex forces compare.

    Of random wrenches inside the cone, 10 to 45 % of each limit, under 390 N: the largest range
    with shear alone and with roll and pitch torques alone over that without; the range that is
    left with the ZMP at a corner; how far the safe torque is from the middle, over the range.
    """
    (X, Y), fz = HALF, 390.0
    rng = np.random.default_rng(9)
    part = rng.choice([-1, 1], (count, 4)) * rng.uniform(0.1, 0.45, (count, 4))
    shear, tilt = np.zeros((2, count, 6))
    shear[:, 2] = tilt[:, 2] = fz
    shear[:, :2] = MU * fz * part[:, :2]
    tilt[:, 3], tilt[:, 4] = Y * fz * part[:, 2], X * fz * part[:, 3]
    both = shear + tilt - [0, 0, fz, 0, 0, 0]
    corner = shear + np.array([0, 0, 0, Y * fz, -X * fz, 0])
    free = float(np.ptp(vertex_yaw_range(np.array([0, 0, fz, 0, 0, 0]))))
    width, off = {}, []
    for name, wrenches in (("shear", shear), ("tilt", tilt), ("both", both), ("corner", corner)):
        ranges = np.array([vertex_yaw_range(w) for w in wrenches])
        width[name] = np.ptp(ranges, axis=1) / free
        safe = rectangle_yaw_torque(wrenches, X, Y, MU).safe
        off.append(float(np.abs(safe - ranges.mean(axis=1)).max()) / free)
    return {
        "half_width": free / 2,
        "middle_error": max(off),
        "sheared": float(width["shear"].max()),
        "tilted": float(width["tilt"].max()),
        "least_width": float(width["both"].min()),
        "corner": float(width["corner"].max()),
        "safe_corner": float(np.abs(rectangle_yaw_torque(corner, X, Y, MU).safe).max()),
    }


def held_by_rows(cone: WrenchCone, one: FloatArray) -> bool:
    """Return whether the closed form holds the wrench (6,)."""
    return bool((cone.rows @ one <= 0).all())


def held_by_vertices(cone: WrenchCone, one: FloatArray) -> bool:
    """Return whether forces at the vertices give the wrench (6,), by NNLS on 16 rays."""
    from scipy.optimize import nnls

    return bool(nnls(cone.generators.T, one / one[2])[1] < 1e-9)


def _times(count: int = 200) -> dict[str, float]:
    """Return how many times as long vertex forces take as the closed form."""
    rng = np.random.default_rng(10)
    cone = WrenchCone.of_rectangle(*HALF, MU)
    w = 100 * rng.exponential(1, (count, 16)) @ cone.generators
    took: dict[str, float] = {}
    for name, holds in (("closed", held_by_rows), ("vertices", held_by_vertices)):
        holds(cone, w[0])
        begin = time.process_time()
        for one in w:
            holds(cone, one)
        took[name] = time.process_time() - begin
    return {"times_slower": took["vertices"] / max(took["closed"], 1e-9)}
