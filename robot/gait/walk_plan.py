"""A planned motion at every tick, and how a controller looks it up."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from robot.gait.footsteps import GaitError
from robot.gait.schedule import Schedule
from sole.arrays import BoolArray, FloatArray, IntArray, frozen


class Tick(NamedTuple):
    """One instant of a plan; see `WalkPlan` for shapes, without the leading N."""

    t: float
    q: FloatArray
    v: FloatArray
    a: FloatArray
    com: FloatArray
    com_velocity: FloatArray
    com_acceleration: FloatArray
    dcm: FloatArray
    zmp: FloatArray
    zmp_pendulum: FloatArray
    zmp_reference: FloatArray
    feet: FloatArray
    supports: BoolArray
    ground: float
    phase: float
    step: int


@dataclass(frozen=True, eq=False, kw_only=True)
class WalkPlan:
    """A motion at N ticks, in the world; before the first and after the last it stands still.

    Parameters
    ----------
    robot : its name.
    schedule : of the supports.
    dt : between ticks [s].
    sole_thickness : of the soles under the left and the right foot [m].
    times : (N,) [s].
    q_ref, v_ref, a_ref : (N, nq), (N, nv), (N, nv) configuration, and its exact derivatives.
    com, com_velocity, com_acceleration : (N, 3) of the centre of mass [m, s].
    dcm : (N, 2) divergent component of motion, c + dc/dt / omega [m].
    zmp : (N, 2) zero-moment point of the whole body, by inverse dynamics [m].
    zmp_pendulum : (N, 2) that of a point mass that moves like the centre of mass [m].
    zmp_reference : (N, 2) what the zmp should be [m].
    ground : (N,) height of the ground under the ZMP [m].
    feet : (N, 2, 4, 4) poses of the sole frames, left and right: they take coordinates in the sole
        frame to the world.
    supports : (N, 2) which feet carry.
    phase : (N,) how much of the phase of support is over, in [0, 1].
    step : (N,) which step (from 0) is being made; -1: none.
    """

    robot: str
    schedule: Schedule
    dt: float
    sole_thickness: tuple[float, float]
    times: FloatArray
    q_ref: FloatArray
    v_ref: FloatArray
    a_ref: FloatArray
    com: FloatArray
    com_velocity: FloatArray
    com_acceleration: FloatArray
    dcm: FloatArray
    zmp: FloatArray
    zmp_pendulum: FloatArray
    zmp_reference: FloatArray
    ground: FloatArray
    feet: FloatArray
    supports: BoolArray
    phase: FloatArray
    step: IntArray

    def __post_init__(self) -> None:
        N = len(self.times)
        for item in fields(self):
            value = getattr(self, item.name)
            if not isinstance(value, np.ndarray):
                continue
            if len(value) != N or not np.isfinite(value).all():
                raise GaitError(f"{item.name} of a plan must be finite and have {N} rows")
            object.__setattr__(self, item.name, frozen(value, value.dtype))

    @property
    def end(self) -> float:
        """Time of the last tick [s]."""
        return float(self.times[-1])

    def row(self, t: float) -> int:
        """Return which tick is next to t [s]; the first or last one outside the plan."""
        try:
            k = int(t / self.dt + 0.5)
        except (ValueError, OverflowError) as error:
            raise GaitError(f"the time asked of a plan must be finite, got {t} s") from error
        return 0 if k < 0 else min(k, len(self.times) - 1)

    def at(self, t: float) -> Tick:
        """Return the tick next to t."""
        k = self.row(t)
        return Tick(
            t, self.q_ref[k], self.v_ref[k], self.a_ref[k],
            self.com[k], self.com_velocity[k], self.com_acceleration[k],
            self.dcm[k], self.zmp[k], self.zmp_pendulum[k], self.zmp_reference[k],
            self.feet[k], self.supports[k], self.ground[k], self.phase[k], self.step[k],
        )  # fmt: skip
