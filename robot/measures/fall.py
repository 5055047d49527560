"""Did it fall, when, and by which sign of it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sole.arrays import FloatArray

SHARE = 0.7  # of the waist's height over the lower tread at the start: less is a fall
OVER = 0.5  # likewise: the fall has been seen, a run may end
FELL = "the robot fell"  # how such a run ended
STEEPEST = math.radians(45)  # of the waist's z axis against the vertical


class Fall(NamedTuple):
    """Whether it fell, when [s] and why; None and "" if it did not."""

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
    time : (T,) [s]. height : (T,) of the waist over the lower tread [m]; the first is the norm.
    tilt : (T,) of the waist [rad]. other_load : (T,) force on what is no foot and no support [N].
    share, steepest : a fall is a height below `share` of the first, a tilt above `steepest`, or
        any load elsewhere. NaN anywhere counts as a fall too.
    """
    signs = {
        f"the waist came below {100 * share:g} % of its height": ~(height >= share * height[0]),
        f"the waist tilted by more than {math.degrees(steepest):g} deg": ~(tilt <= steepest),
        "something else than the feet touched the ground": ~(other_load <= 0.0),
    }
    first = {reason: int(np.argmax(seen)) for reason, seen in signs.items() if seen.any()}
    if not first:
        return Fall(False, None, "")
    reason = min(first, key=lambda r: first[r])
    return Fall(True, float(time[first[reason]]), reason)
