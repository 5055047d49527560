"""Layout of a recorder's row: one array of numbers, filled by one copy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robot.recorder.step_sums_kernels import StepSums
from robot.run import RUNNING_SUMS
from robot.simulator import RobotState
from sole.base.arrays import Bundle, FloatArray

FLAGS = ("saturated", "solved")
COUNTS = ("touching", "contact_mode", "sliding", "iterations", "contacts")
SUMS = tuple(name for name in RUNNING_SUMS if name != "slip")


@dataclass(eq=False)
class Scratch:
    """Buffers for the recorder's own numbers of a step; all are views of `whole`."""

    whole: FloatArray
    numbers: FloatArray
    step: Bundle
    slip: FloatArray
    sliding: FloatArray
    nothing: FloatArray


class Layout:
    """Names, shapes and positions of the items of a row, for n joints and B bodies."""

    def __init__(self, state: RobotState, joints: int, bodies: int) -> None:
        n, B = joints, bodies
        self.joints, self.bodies = n, bodies
        given: dict[str, tuple[int, ...]] = {
            "q": state.q.shape,
            "v": state.v.shape,
            "acceleration": state.v.shape,
            "torque": (n,),
            "saturated": (n,),
            "reference": (n,),
            "reference_velocity": (n,),
            "body_wrench": (B, 6),
            "R": (B, 3, 3),
            "p": (B, 3),
            "penetration": (B,),
        }
        self.own: dict[str, tuple[int, ...]] = {
            "time": (),
            "elastic": (),
            "residual": (),
            "iterations": (),
            "contacts": (),
            "solved": (),
            **dict.fromkeys(SUMS, ()),
            "sole_motion": (B, 6),
            "sole_displacement": (B,),
            "pressure": (B,),
            "touching": (B,),
            "contact_mode": (B,),
            "slip": (B,),
            "sliding": (B,),
        }
        self.shapes = given | self.own
        self.width = sum(int(np.prod(shape)) for shape in self.shapes.values())

    def scratch(self) -> Scratch:
        """Return zeros for the recorder's own part, which is the end of a row."""
        whole = np.zeros(sum(int(np.prod(shape)) for shape in self.own.values()))
        numbers, sums, rest = np.split(whole, [6, 6 + len(SUMS)])
        B = self.bodies
        motion, rest = rest[: 6 * B].reshape(B, 6), rest[6 * B :]
        largest, pressure, touching, mode, slip, sliding = rest.reshape(6, B)
        nothing = np.full(self.joints, np.nan)
        step = tuple(StepSums(sums, motion, largest, pressure, touching, mode))
        return Scratch(whole, numbers, step, slip, sliding, nothing)

    def columns(self, rows: FloatArray) -> dict[str, NDArray[Any]]:
        """Return copies of the arrays (T, ...) in rows (T, width) by name."""
        found: dict[str, NDArray[Any]] = {}
        place = 0
        for name, shape in self.shapes.items():
            size = int(np.prod(shape))
            kind = np.bool_ if name in FLAGS else np.int64 if name in COUNTS else np.float64
            part = rows[:, place : place + size].reshape(len(rows), *shape)
            found[name] = np.ascontiguousarray(part.astype(kind))
            place += size
        return found
