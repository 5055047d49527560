"""The fall, defined once for verdicts, metrics, tables, pictures and the end of a walk.

A sign of a fall: the waist is low, tilted, or something other than a foot carries load,

    h < h_0 - 0.3 H,      theta > 45 deg,      F_other > 0,

h : height of the waist over the lower tread, h_0 : its least height in the plan (without a plan,
that of the first row). H is h_0, or the height of the hips if they are higher: a URDF may have its
base frame anywhere, at the ground too. NaN is a sign too. A robot fell if its run shows a sign. A
run that shows none may end while the robot topples or flies. So the end of a run is judged in this
order:

1. The robot rests (`robot.measures.balance.at_rest`): it stands.
2. `robot.walk` continues the run without recording it, until the robot rests (it stands) or shows a
   sign (it fell). After `CONTINUED` seconds it stands as soon as 3. finds no fault, and after twice
   that it fell. Who topples by delta has fallen after about ln(h/delta)/omega, 1.4 s for h = 0.8 m,
   delta = 5 mm, omega = sqrt(g/h); on weak servos or soft soles it takes longer.
3. If nobody continued the run (it was recorded by hand, interrupted, or is an older file), its last
   rows decide: `robot.measures.balance.losing_balance`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sole.base.arrays import FloatArray

SHARE = 0.7  # of its height H that a robot keeps; a lower waist is a sign of a fall
STEEPEST = math.radians(45)  # likewise a steeper z axis of the waist to the vertical
FELL = "the robot fell"  # `ended` of a run that ended with a sign
CONTINUED = 5.0  # s after the end of a run: 17 times sqrt(h/g) at h = 0.8 m

LOW = f"the waist fell below {100 * SHARE:g} % of its height"
TILTED = f"the waist tilted by more than {math.degrees(STEEPEST):g} deg"
TOUCHED = "something other than the feet touched the ground"


class Fall(NamedTuple):
    """Whether the robot fell, when [s] and why; None and "" if it did not.

    The time is after the last row if the sign came when the run was continued.
    """

    fell: bool
    time: float | None = None
    reason: str = ""


def least_height(full: float, stature: float) -> float:
    """Return h_0 - 0.3 H [m], the least height of a waist that has not fallen."""
    return full - (1 - SHARE) * stature


def sign_of_fall(height: float, least: float, tilt: float, other_load: float = 0.0) -> str:
    """Return the sign of a fall in words, "" if there is none.

    `height`, `least` : h and `least_height` [m]. `tilt` : of the waist [rad]. `other_load` : force
    on bodies other than feet and supports [N].
    """
    if _sound(height, least, tilt, other_load):
        return ""
    if not height >= least:
        return LOW
    return TILTED if not tilt <= STEEPEST else TOUCHED


def first_sign(
    time: FloatArray, height: FloatArray, least: float, tilt: FloatArray, other_load: FloatArray
) -> Fall:
    """Return the first sign of a fall in series (T,) of the arguments of `sign_of_fall`."""
    sound = _sound(height, least, tilt, other_load)
    if np.all(sound):
        return Fall(False)
    k = int(np.argmin(sound))
    reason = sign_of_fall(float(height[k]), least, float(tilt[k]), float(other_load[k]))
    return Fall(True, float(time[k]), reason)


def _sound(height: Any, least: float, tilt: Any, other_load: Any) -> Any:
    """Return whether numbers or arrays (T,) show no sign of a fall; NaN is a sign."""
    return (height >= least) & (tilt <= STEEPEST) & (other_load <= 0.0)
