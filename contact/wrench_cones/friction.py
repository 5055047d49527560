"""Which cone stands for Coulomb's at a point: three choices with a name each.

outer     |f_x|, |f_y| <= mu f_z             the paper's pyramid, holds the circular cone
inner     the same with mu / sqrt 2          held by the circular cone: safe
circular  |f_t| <= mu f_z                    Coulomb's law, `contact.wrench_cones.circular`
"""

from __future__ import annotations

import math

import numpy as np

from sole.arrays import FloatArray
from sole.errors import SoleError

LEAST, MOST = 1e-50, 1e50  # beyond them products of it are no numbers any more
PYRAMIDS = ("outer", "inner")


def checked_friction(friction: float) -> float:
    """Return Coulomb's mu, 0 or from `LEAST` to `MOST`.

    Raises
    ------
    SoleError
        For anything else.
    """
    try:
        mu = float(friction)
    except (TypeError, ValueError) as error:
        raise SoleError(f"friction must be one number, got {friction!r}") from error
    if not (math.isfinite(mu) and mu >= 0):
        raise SoleError(f"friction must be a finite number >= 0, got {mu:g}")
    if mu > MOST or 0 < mu < LEAST:
        raise SoleError(f"friction must be 0 or lie between {LEAST:g} and {MOST:g}, got {mu:g}")
    return mu


def pyramid_friction(friction: float, pyramid: str) -> float:
    """Return the mu of the pyramid |f_x|, |f_y| <= mu f_z that `pyramid` names."""
    mu = checked_friction(friction)
    if pyramid not in PYRAMIDS:
        raise SoleError(f"the pyramid must be outer or inner (or circular), got {pyramid!r}")
    return mu / math.sqrt(2) if pyramid == "inner" else mu


def pyramid_rays(mu: float) -> FloatArray:
    """Return the rays (4, 3) of a pyramid, order (t1, t2, n); one ray (0, 0, 1) for mu = 0."""
    if mu == 0:
        return np.array([[0.0, 0.0, 1.0]])
    return np.array([[s * mu, t * mu, 1.0] for s in (1.0, -1.0) for t in (1.0, -1.0)])
