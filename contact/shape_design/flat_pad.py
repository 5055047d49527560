"""The best flat pad: the shape of the mesh with its best factor of E, and its margins.

A softer pad has lower peaks and tilts more, so the best is the softest within the limits. It takes
one condensation: C(e) = C(1)/e.
"""

from __future__ import annotations

import math

import numpy as np

from contact.shape_design.evaluation import ShapeProblem, ShapeWorth
from contact.shape_design.unit_cube import ShapeTrial, UnitCube
from sole.base.arrays import FloatArray
from sole.base.errors import ConfigError, SoleError

SCANNED, BISECTIONS = 31, 30  # factors of E


def best_flat(problem: ShapeProblem) -> tuple[ShapeTrial, ShapeWorth]:
    """Return the flat pad with the smallest factor of E that is within the limits: one shape.

    Raises
    ------
    ConfigError
        There is none.
    """
    count = len(problem.heights_below) * len(problem.wrenches)
    tilts = np.full(count, problem.design.search.tilt)
    searched = UnitCube(problem, lambda number, peak: None, tilts)
    flat = np.zeros(problem.fields.size)
    low, high = map(math.log, problem.design.search.stiffness)

    def holds(log_factor: float) -> bool:
        try:
            worth = problem.worth(flat, math.exp(log_factor))
        except SoleError:
            return False
        return bool(searched.limits_of(worth).min() >= 0)

    scanned = np.linspace(low, high, SCANNED)  # limits may hold in between only: no bisection yet
    good = next((k for k, x in enumerate(scanned) if holds(float(x))), None)
    if good is None:
        raise ConfigError(
            f"the flat pad exceeds the limits at every factor of E from {math.exp(low):g} to "
            f"{math.exp(high):g}: {_excesses(problem, flat)}; raise a limit, lower reach or speed, "
            "or widen stiffness"
        )
    high = float(scanned[good])
    if good > 0:
        low = float(scanned[good - 1])
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            low, high = (low, middle) if holds(middle) else (middle, high)
    factor = math.exp(high)
    worth = problem.worth(flat, factor)
    trial = ShapeTrial(
        number=1, heights=flat, factor=factor, peak=float(worth.peaks.mean()), excess=0.0
    )
    return trial, worth


def equal_margins(flat: ShapeWorth, grounds: int) -> FloatArray:
    """Return the limits (T,) of tilts [rad]: on every ground the largest of the flat pad."""
    tilts = flat.tilts.reshape(grounds, -1)
    return np.repeat(tilts.max(axis=1), tilts.shape[1])


def _excesses(problem: ShapeProblem, flat: FloatArray) -> str:
    """Return what is exceeded in the middle of the range of E."""
    s = problem.design.search
    worth = problem.worth(flat, math.sqrt(s.stiffness[0] * s.stiffness[1]))
    told = f"in the middle tilt {math.degrees(worth.tilts.max()):.3g} of {math.degrees(s.tilt):.3g}"
    told += f" degrees, sink {worth.sinks.max():.3g} of {s.sink:g}"
    if s.pressure:
        told += f", pressure {worth.pressures.max():.4g} of {s.pressure:.4g} Pa"
    return told
