"""A planned motion at every tick, its look-up by controllers, and its tracking errors."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from robot.gait.footholds import GaitError
from robot.gait.scaled_plan import (
    interpolate_ticks,
    moved_postures,
    scaled_schedule,
    scaled_zmp,
)
from robot.gait.schedule import Schedule
from robot.model import RobotModel
from sole.base.arrays import BoolArray, FloatArray, IntArray, frozen
from sole.base.constants import GRAVITY


class Tick(NamedTuple):
    """One instant of a plan, in the world; frames and meanings as in `WalkPlan`.

    Attributes
    ----------
    t : time [s]. q, v, a : (nq,), (nv,), (nv,) configuration, velocity, acceleration.
    com, com_velocity, com_acceleration : (3,) motion of the centre of mass [m, s].
    dcm, zmp, zmp_pendulum, zmp_reference : (2,) points on the ground [m].
    feet : (2, 4, 4) poses of the sole frames, left and right. supports : (2,) which carry load.
    ground : height under the ZMP [m]. phase : elapsed share of the support phase. step : or -1.
    """

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


class PlanArrays(NamedTuple):
    """The arrays of a plan that compiled controllers read, with the leading N; see `WalkPlan`."""

    q: FloatArray
    v: FloatArray
    com: FloatArray
    com_acceleration: FloatArray
    dcm: FloatArray
    zmp: FloatArray
    feet: FloatArray
    supports: BoolArray


class MotionPlan(Protocol):
    """What controllers read: a `WalkPlan`, or a plan that is made while the robot walks.

    Rows of the arrays are instants, see `WalkPlan`. `row` is asked for the present time and for one
    period later.
    """

    @property
    def lasting(self) -> bool:
        """Whether its rows never change."""

    @property
    def q_ref(self) -> FloatArray:
        """(N, nq) configuration."""

    @property
    def v_ref(self) -> FloatArray:
        """(N, nv) velocity."""

    @property
    def a_ref(self) -> FloatArray:
        """(N, nv) acceleration."""

    @property
    def feet(self) -> FloatArray:
        """(N, 2, 4, 4) poses of the sole frames."""

    @property
    def supports(self) -> BoolArray:
        """(N, 2) whether the left and the right foot carry load."""

    @property
    def sole_thickness(self) -> tuple[float, float]:
        """Thickness of the left and the right sole [m]."""

    @property
    def arrays(self) -> PlanArrays:
        """The arrays that compiled controllers read, in one bundle."""

    def row(self, t: float) -> int:
        """Return the index of the tick nearest to t [s]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class WalkPlan:
    """A motion at N ticks, in the world; before the first and after the last the robot stands.

    Parameters
    ----------
    robot : name of the robot.
    schedule : support phases.
    dt : time between ticks [s].
    sole_thickness : thickness of the left and the right sole [m].
    times : (N,) [s].
    q_ref, v_ref, a_ref : (N, nq), (N, nv), (N, nv) configuration and its exact derivatives.
    com, com_velocity, com_acceleration : (N, 3) motion of the centre of mass [m, s].
    dcm : (N, 2) divergent component of motion, c + dc/dt / omega [m].
    zmp : (N, 2) zero-moment point of the whole body, by inverse dynamics [m].
    zmp_pendulum : (N, 2) ZMP of a point mass that moves like the centre of mass [m].
    zmp_reference : (N, 2) desired ZMP [m].
    ground : (N,) height of the ground under the ZMP [m].
    feet : (N, 2, 4, 4) poses of the sole frames, left and right: sole frame to world.
    supports : (N, 2) whether the left and the right foot carry load.
    phase : (N,) elapsed fraction of the support phase, in [0, 1].
    step : (N,) the current step (from 0); -1: none.
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

    def __deepcopy__(self, memo: dict[int, Any]) -> WalkPlan:
        # A copy of a read-only array can be written: kernels would be compiled for it again.
        return self

    @cached_property
    def arrays(self) -> PlanArrays:
        """The arrays that compiled controllers read, in one bundle."""
        return PlanArrays(
            self.q_ref, self.v_ref, self.com, self.com_acceleration, self.dcm, self.zmp,
            self.feet, self.supports,
        )  # fmt: skip

    @property
    def lasting(self) -> bool:
        """Rows never change."""
        return True

    @property
    def end(self) -> float:
        """Time of the last tick [s]."""
        return float(self.times[-1])

    def scaled(self, factor: float) -> WalkPlan:
        """Return the plan with all durations times `factor`: 0.9 is ten percent faster.

        Raises
        ------
        GaitError
            The factor is not positive.
        """
        if not (math.isfinite(factor) and factor > 0):
            raise GaitError(
                f"the factor on a plan's durations must be positive, got {factor:g}: 0.9 is 10 % "
                "faster"
            )
        if factor * self.end < self.dt:
            raise GaitError(f"a factor of {factor:g} leaves less than a tick of {self.dt:g} s")
        count = math.ceil(factor * self.end / self.dt - 1e-9) + 1
        times = np.asarray(np.arange(count) * self.dt, dtype=float)
        ticks = np.minimum(times / factor, self.end) / self.dt
        near = np.rint(ticks).astype(np.int64)
        ahead = ((ticks - near) * self.dt)[:, None]
        bend = interpolate_ticks(self.com_acceleration, ticks)
        com = self.com[near] + ahead * self.com_velocity[near] + ahead**2 / 2 * bend
        velocity = interpolate_ticks(self.com_velocity, ticks) / factor
        acceleration, ground = bend / factor**2, self.ground[near]
        arm = (com[:, 2] - ground) / (GRAVITY + acceleration[:, 2])  # 1/omega^2
        schedule = scaled_schedule(self.schedule, factor)
        moved = ahead * self.v_ref[near] + ahead**2 / 2 * self.a_ref[near]
        return replace(
            self,
            schedule=schedule,
            times=times,
            q_ref=moved_postures(self.q_ref[near], moved),
            v_ref=interpolate_ticks(self.v_ref, ticks) / factor,
            a_ref=interpolate_ticks(self.a_ref, ticks) / factor**2,
            com=com,
            com_velocity=velocity,
            com_acceleration=acceleration,
            dcm=com[:, :2] + np.sqrt(arm)[:, None] * velocity[:, :2],
            zmp=scaled_zmp(interpolate_ticks(self.zmp, ticks), com, bend, factor),
            zmp_pendulum=com[:, :2] - arm[:, None] * acceleration[:, :2],
            zmp_reference=interpolate_ticks(self.zmp_reference, ticks),
            ground=ground,
            feet=interpolate_ticks(self.feet, ticks),
            supports=schedule.supports(times),
            phase=schedule.progress(times),
            step=schedule.steps(times),
        )

    def row(self, t: float) -> int:
        """Return the index of the tick nearest to t [s]; outside the plan the first or last one."""
        try:
            k = int(t / self.dt + 0.5)
        except (ValueError, OverflowError) as error:
            raise GaitError(f"time in a plan must be finite, got {t} s") from error
        return 0 if k < 0 else min(k, len(self.times) - 1)

    def at(self, t: float) -> Tick:
        """Return the tick nearest to t."""
        k = self.row(t)
        row = (
            t, self.q_ref[k], self.v_ref[k], self.a_ref[k],
            self.com[k], self.com_velocity[k], self.com_acceleration[k],
            self.dcm[k], self.zmp[k], self.zmp_pendulum[k], self.zmp_reference[k],
            self.feet[k], self.supports[k], self.ground[k], self.phase[k], self.step[k],
        )  # fmt: skip
        return Tick._make(row)


@dataclass(frozen=True, kw_only=True)
class PlanErrors:
    """Tracking errors of a plan: the largest value of each.

    Parameters
    ----------
    pendulum : |zmp_pendulum - reference| in single support, x or y [m]; without corrections this is
        the error of the preview control.
    body : |zmp - reference| in single support [m]. body_always : the same at any time.
    margin : smallest distance of the body's ZMP from the edge of the support foot in single support
        [m]; negative: outside.
    feet, com : distance of the sole frames and the centre of mass from their targets [m].
    """

    pendulum: float
    body: float
    body_always: float
    margin: float
    feet: float
    com: float


def plan_errors(robot: RobotModel, plan: WalkPlan) -> PlanErrors:
    """Measure the errors of a plan by forward kinematics at every tick."""
    import pinocchio as pin

    model, data = robot.model, robot.model.createData()
    places, com = np.empty((plan.times.size, 2, 3)), np.empty((plan.times.size, 3))
    for k, q in enumerate(plan.q_ref):
        com[k] = pin.centerOfMass(model, data, q)
        for i, foot in enumerate(robot.feet):
            places[k, i] = pin.updateFramePlacement(model, data, foot.frame).translation
    zmp, one = plan.zmp, plan.supports.sum(axis=1) == 1
    off = np.abs(zmp - plan.zmp_reference)
    margin = np.inf
    for i, foot in enumerate(robot.feet):
        on = one & plan.supports[:, i]
        pose = plan.feet[on, i]
        local = np.einsum("kji,kj->ki", pose[:, :2, :2], zmp[on] - pose[:, :2, 3])
        margin = min(margin, float((foot.half_size - np.abs(local)).min(initial=np.inf)))
    return PlanErrors(
        pendulum=float(np.abs(plan.zmp_pendulum - plan.zmp_reference)[one].max(initial=0.0)),
        body=float(off[one].max(initial=0.0)),
        body_always=float(off.max()),
        margin=margin,
        feet=float(np.linalg.norm(places - plan.feet[:, :, :3, 3], axis=2).max()),
        com=float(np.linalg.norm(com - plan.com, axis=1).max()),
    )
