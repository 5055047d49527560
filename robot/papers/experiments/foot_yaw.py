"""Yaw of the feet in a run, from their quaternions x, y, z, w.

yaw = atan2(2 (w z + x y), 1 - 2 (y^2 + z^2)),   continued beyond half a turn
"""

from __future__ import annotations

import numpy as np

from robot.run import Run
from sole.base.arrays import FloatArray

__all__ = ["foot_yaw"]


def foot_yaw(run: Run) -> FloatArray:
    """Return the yaw of each foot (T, 2) [rad]."""
    x, y, z, w = np.moveaxis(run["foot_rotation"], -1, 0)
    return np.unwrap(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)), axis=0)
