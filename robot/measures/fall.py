"""The fall criterion: whether the robot fell, when, and why.

`fall_of` judges a recorded run; `robot.walk.walk.Walk.fallen` ends one that still runs.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sole.base.arrays import FloatArray

SHARE = 0.7  # of the initial height of the waist over the lower tread: below it the robot fell
OVER = 0.5  # likewise: below it the run ends
FELL = "the robot fell"  # `ended` of such a run
STEEPEST = math.radians(45)  # largest tilt of the waist's z axis from the vertical


class Fall(NamedTuple):
    """Whether the robot fell, when [s] and why; None and "" if it did not."""

    fell: bool
    time: float | None
    reason: str


def fall_of(
    time: FloatArray,
    height: FloatArray,
    tilt: FloatArray,
    other_load: FloatArray,
    share: float = SHARE,
    steepest: float = STEEPEST,
) -> Fall:
    """Return the first sign of a fall.

    Parameters
    ----------
    time : (T,) [s]. height : (T,) height of the waist over the lower tread [m].
    tilt : (T,) of the waist [rad]. other_load : (T,) force on bodies other than feet and supports
        [N].
    share, steepest : a fall is a height below `share` of the first one, a tilt above `steepest`, or
        any load on another body. NaN counts as a fall too.
    """
    signs = {
        f"the waist fell below {100 * share:g} % of its height": ~(height >= share * height[0]),
        f"the waist tilted by more than {math.degrees(steepest):g} deg": ~(tilt <= steepest),
        "something other than the feet touched the ground": ~(other_load <= 0.0),
    }
    first = {reason: int(np.argmax(seen)) for reason, seen in signs.items() if seen.any()}
    if not first:
        return Fall(False, None, "")
    reason = min(first, key=lambda r: first[r])
    return Fall(True, float(time[first[reason]]), reason)
