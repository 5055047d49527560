"""The interval of yaw torques that a contact holds beside the other five components."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sole.base.arrays import FloatArray

NO_YAW = 1e-12  # a row with less of tz than this, relative, does not limit it


@dataclass(frozen=True, eq=False, kw_only=True)
class YawTorque:
    """Yaw torques tau^z that hold beside the other five components, arrays (...,) [N m].

    Parameters
    ----------
    lowest, highest : tau^z_min, tau^z_max of (20); lowest > highest: no yaw torque holds.
    safe : their midpoint, farthest from both.
    half_width : how far tau^z may be from `safe`; negative where none holds.
    """

    lowest: FloatArray
    highest: FloatArray
    safe: FloatArray
    half_width: FloatArray


def yaw_of(rows: FloatArray, slack: FloatArray) -> YawTorque:
    """Return the interval that rows (k, 6) with tz allow; `slack` (..., k) is that for tz = 0.

    a_z tz <= slack bounds tz from above where a_z > 0, from below where a_z < 0.
    """
    size = np.linalg.norm(rows, axis=1)
    above, below = rows[:, 5] > NO_YAW * size, rows[:, 5] < -NO_YAW * size
    highest = np.min(slack[..., above] / rows[above, 5], axis=-1, initial=np.inf)
    lowest = np.max(slack[..., below] / rows[below, 5], axis=-1, initial=-np.inf)
    bounded = np.isfinite(highest) & np.isfinite(lowest)
    low, high = np.where(bounded, lowest, 0.0), np.where(bounded, highest, 0.0)
    return YawTorque(
        lowest=lowest,
        highest=highest,
        safe=low / 2 + high / 2,
        half_width=np.where(bounded, high / 2 - low / 2, np.inf),
    )
