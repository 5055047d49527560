"""Cost of the ground's query: gaps, frames and second surfaces of 300 points, one thread.

Points lie up to `above` over the ground; half of a box' points lie over it. The least of many
calls counts.

python benchmarks/ground.py [--quick]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from math import radians

import numpy as np

from contact.ground import Box, CompositeGround, Gravel, Ground, HeightField, Plane, Stairs
from sole.base.numba_settings import set_up_numba

POINTS, CALLS = 300, 500


def grounds() -> dict[str, tuple[Ground, float]]:
    """Grounds by name, and half the side of the square that the points are spread over [m]."""
    tiles = tuple(
        Box(length=0.1, width=0.1, rise=0.01, x=x, y=y, yaw=radians(100 * x + y))
        for x in np.arange(-1, 1, 0.2)
        for y in np.arange(-1, 1, 0.2)
    )
    k = np.arange(400)
    waves = 0.02 * np.sin(k / 30) * np.cos(k / 40)[:, None]
    return {
        "plane": (Plane(), 0.1),
        "plane and box": (Box(length=0.2, width=0.1, rise=0.01), 0.1),
        "stairs of 5": (Stairs(count=5, run=0.04, rise=0.01, x=-0.1), 0.1),
        "plane and 100 boxes": (CompositeGround(parts=tiles), 1.0),
        "gravel of 1000": (Gravel(count=1000, length=2, width=2), 1.0),
        "field of 400 x 400": (HeightField(heights=waves, scale=0.002), 0.3),
    }


def cost(ground: Ground, half: float, above: float, points: int, calls: int) -> float:
    """Seconds of a call."""
    rng = np.random.default_rng(0)
    p = np.zeros((points, 3))
    p[:, :2] = rng.uniform(-half, half, (points, 2))
    p[:, 2] = ground.height(p[:, 0], p[:, 1]) + rng.uniform(0, above, points)
    before = p + np.array([0.0, 0.0, 1e-3])
    query, least = ground.compiled.query, np.inf
    for _ in range(calls):
        begin = time.perf_counter()
        query(p, before)
        least = min(least, time.perf_counter() - begin)
    return least


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few calls: no times to quote")
    calls = 3 if parser.parse_args(words).quick else CALLS
    print("| ground | solids | points up to [m] | call [us] | ns/point | ns/point/solid |")
    print("|---|---|---|---|---|---|")
    for name, (ground, half) in grounds().items():
        for above in (0.001, 0.1):
            call = cost(ground, half, above, POINTS, calls)
            each = 1e9 * (call - cost(ground, half, above, 1, calls)) / (POINTS - 1)
            print(
                f"| {name} | {ground.faces} | {above:g} | {1e6 * call:.0f} | {each:.0f} | "
                f"{each / ground.faces:.0f} |"
            )


if __name__ == "__main__":
    set_up_numba()
    main()
