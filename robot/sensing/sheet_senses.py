"""Compiled: what feet, pads and waist tell after a fused step, from the sheets that it wrote."""

from __future__ import annotations

from math import acos, inf

from contact.step import open_sheet
from robot.sensing.pads import find_loaded_pads
from robot.sensing.sensors import sum_wrenches
from robot.simulator import open_fused
from sole.base.arrays import BoolArray, Bundle, FloatArray, IntArray
from sole.base.compiled import kernel


@kernel
def sense_sheets(
    sheets: Bundle, counts: Bundle, feet: Bundle, q: FloatArray, least: float,
    wrenches: FloatArray, switches: BoolArray,
) -> tuple[float, float]:  # fmt: skip
    """Fill wrenches (2, 6) and switches (P,) of a step; return height and tilt of the waist.

    sheets : `SimStep.buffers`. counts : joints n, slots of a node. feet : pads (M,)
    of the nodes, foot (B,) of each body, the main bodies of the feet, heights of their treads in
    their axes [m]. least : force that closes a switch [N].
    """
    (joints, slots), (pads, sides, mains, depths) = counts, feet
    B = len(sides)
    robot, soles = open_fused(sheets[0], B, joints), open_sheet(sheets[1], len(pads), slots, B)
    wrenches[:] = sum_wrenches(sides, soles.twists[0].reshape(B, 6))
    switches[:] = find_loaded_pads(pads, len(switches), soles.forces, least)
    return find_posture(q, robot.R, robot.p, mains, depths)


@kernel
def find_posture(
    q: FloatArray, R: FloatArray, p: FloatArray, mains: IntArray, depths: FloatArray
) -> tuple[float, float]:
    """Return the height of the waist over the lower tread [m] and its tilt [rad].

    R (B, 3, 3), p (B, 3) of the contact frames; mains, depths : as in `sense_sheets`.
    """
    lowest = inf
    for k in range(len(mains)):
        b = mains[k]
        lowest = min(lowest, p[b, 2] + depths[k] * R[b, 2, 2])
    return q[2] - lowest, acos(max(-1.0, 1.0 - 2.0 * (q[3] * q[3] + q[4] * q[4])))
