"""Arrays and answers of a step of soles that stick: `contact.step.affine_step_kernels`."""

from __future__ import annotations

from typing import NamedTuple

from sole.base.arrays import FloatArray
from sole.base.compiled import kernel

FINE, CONE, DEEP, CLOSING, GAIN = range(5)  # answers of `step_stuck_soles`
ENERGIES, NUMBERS = 6, 9  # of `StuckArrays.numbers`
SHALLOW = 1e-4  # m: a deeper node keeps the point outside from which it came
ROUND_OFF = 1e-12  # m/s: work per impulse that counts as zero


class GroundAhead(NamedTuple):
    """The ground of a step in the axes of its owner (the world, or a movable thing).

    Attributes
    ----------
    flat : (B, 4) normal n and n.o of the one plane below each body; (0, 4): ask the others.
    planes : (L, 4) of every plane of a run, likewise.
    gaps, normals : (M, S), (M, S, 3) of all surfaces near the nodes; empty if flat.
    """

    flat: FloatArray
    planes: FloatArray
    gaps: FloatArray
    normals: FloatArray


class StepLimits(NamedTuple):
    """theta, speed of pushing out [m/s], and whether a step may gain energy by it."""

    theta: float
    push_out: float
    gains: bool


class StuckArrays(NamedTuple):
    """What a step writes.

    Attributes
    ----------
    maps : (L, 3, 4). U, e, outside : (M, 3). forces : (M, S, 3).
    twists : (3, 6B) w, v+ and v_bar. gap : (B,) least gap in the first slot at the start.
    numbers : friction, push, wrench, elastic, viscous, numerical [J]; |q|, |s|, |u| of the nodes
        that stick [m/s].
    """

    maps: FloatArray
    U: FloatArray
    e: FloatArray
    outside: FloatArray
    forces: FloatArray
    twists: FloatArray
    gap: FloatArray
    numbers: FloatArray


@kernel
def turn_plane(plane: FloatArray, R: FloatArray, p: FloatArray, normal: FloatArray) -> float:
    """Fill the normal (3,) of a plane (4,) in the axes of a body, and return c: n.y + c = gap."""
    c = -float(plane[3])
    for i in range(3):
        normal[i] = R[0, i] * plane[0] + R[1, i] * plane[1] + R[2, i] * plane[2]
        c += plane[i] * p[i]
    return float(c)
