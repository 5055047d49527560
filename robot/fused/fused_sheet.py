"""What a step of a block writes besides the soles, in one buffer."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from contact.step import StepMotion
from contact.swept_step import StuckStart
from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel
from sole.base.sheet import Sheet


class FusedParts(NamedTuple):
    """The arrays of the sheet, for B bodies, n joints and nv velocities.

    Attributes
    ----------
    joints : (7, n) as in `joint_forces_kernels`.
    R, p : rotations and places as in `Snapshot`.
    motion : (3, nv) v+, dt v_bar and (v+ - v)/dt.
    S6, twists : (6B, 6B) and (2, 6B): J v and J v_free.
    work : (2,) of pushes [J], and a'M a of the acceleration a = (v+ - v)/dt.
    """

    joints: FloatArray
    R: FloatArray
    p: FloatArray
    motion: FloatArray
    S6: FloatArray
    twists: FloatArray
    work: FloatArray


@cache
def fused_sheet(bodies: int, joints: int, nv: int) -> Sheet:
    """Return where the arrays of `FusedParts` are in their sheet."""
    B = bodies
    return Sheet(
        {
            "joints": (7, joints),
            "R": (B, 3, 3),
            "p": (B, 3),
            "motion": (3, nv),
            "S6": (6 * B, 6 * B),
            "twists": (2, 6 * B),
            "work": (2,),
        }
    )


@inner_kernel
def open_fused(sheet: FloatArray, bodies: int, joints: int) -> FusedParts:
    """Return the arrays of a sheet, in the order of `fused_sheet`."""
    B, n = bodies, joints
    nv = (len(sheet) - 2 - 7 * n - 24 * B - 36 * B * B) // 3
    a = 7 * n
    b = a + 9 * B
    c = b + 3 * B
    d = c + 3 * nv
    e = d + 36 * B * B
    f = e + 12 * B
    return FusedParts(
        sheet[:a].reshape(7, n),
        sheet[a:b].reshape(B, 3, 3),
        sheet[b:c].reshape(B, 3),
        sheet[c:d].reshape(3, nv),
        sheet[d:e].reshape(6 * B, 6 * B),
        sheet[e:f].reshape(2, 6 * B),
        sheet[f:],
    )


class FusedStart:
    """The start of a step of a block, made of its buffer when asked for.

    Attributes
    ----------
    layout : `fused_sheet`. buffer : (F,) of the robot. dt : time step [s].
    """

    def __init__(self, layout: Sheet, buffer: FloatArray, dt: float) -> None:
        self.layout, self.buffer, self.dt = layout, buffer, dt

    def part(self, name: str) -> FloatArray:
        """Return an array of the buffer by its name in `FusedParts`."""
        return self.layout.part(self.buffer, name)

    def __call__(self) -> StuckStart:
        """Return what the contact step began with; it looks at the ground again."""
        twists, free = self.part("twists")
        motion = StepMotion(twists, free, self.part("S6"), self.dt)
        return StuckStart(self.part("R"), self.part("p"), motion, None)
