"""How the centre of mass moves: preview control in the plane, a smooth height profile above it.

Without angular momentum, the ZMP on ground of height p_z is, per horizontal axis,

    p = c - (c_z - p_z)/(g + d2c_z/dt2) d2c/dt2.

Preview control knows one constant height z_c, so its ZMP is p' = c - (z_c/g) d2c/dt2. On stairs it
is given the reference p' = p_ref - (z_c/g - (c_z - p_z)/(g + d2c_z/dt2)) d2c/dt2 with the
acceleration of the last round, a few rounds: at the fixed point the ZMP of the variable pendulum
follows p_ref as closely as preview control does on flat ground. The height is not optimised: it
rises by the mean rise of both feet during each swing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robot.gait.footsteps import GaitError
from robot.gait.preview import PreviewGains, Track, track
from robot.gait.schedule import Schedule
from robot.gait.swing import rest_to_rest
from sole.arrays import FloatArray

ROUNDS, CLOSE = 40, 1e-8  # of the fixed point: how many at most, and its last change [m]

Motion = tuple[FloatArray, FloatArray, FloatArray]
"""Value, velocity and acceleration, in m and s."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ComMotion:
    """Centre of mass of a walk; call it with times.

    Parameters
    ----------
    times : (N,) ticks [s].
    track : its motion in the plane at the ticks, with the jerk in between.
    schedule, height : what the height follows, and how far it is over mid-feet [m].
    goal : (2,) where it comes to rest [m].
    settle : the last seconds, in which what is left of the motion is faded out.
    """

    times: FloatArray
    track: Track
    schedule: Schedule
    height: float
    goal: FloatArray
    settle: float

    def __call__(self, times: ArrayLike) -> Motion:
        """Return the motion, (M, 3) each, at any times (M,) within the ticks."""
        times = np.asarray(times, dtype=float)
        k = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, self.times.size - 1)
        h, t = (times - self.times[k])[:, None], self.track
        c, v, a, u = t.position[k], t.velocity[k], t.acceleration[k], t.jerk[k]
        c, v, a = c + h * (v + h * (a / 2 + h * u / 6)), v + h * (a + h * u / 2), a + h * u
        plane = self._faded(times, (c, v, a))
        upright = height_profile(self.schedule, times, self.height)
        x = [np.column_stack([p, z]) for p, z in zip(plane, upright, strict=True)]
        return x[0], x[1], x[2]

    @property
    def fading(self) -> float:
        """When the fading begins [s]: there the jerk jumps."""
        return self.schedule.end - self.settle

    def _faded(self, times: FloatArray, plane: Motion) -> Motion:
        """Fade the distance to the goal: (c - goal) (1 - r(s)) over the last seconds."""
        T = self.settle
        s = np.clip((times - self.schedule.end) / T + 1.0, 0.0, 1.0)[:, None]
        r, dr, ddr = rest_to_rest(s)
        f, df, ddf = 1 - r, -dr / T, -ddr / T**2
        d, v, a = plane[0] - self.goal, plane[1], plane[2]
        return self.goal + f * d, f * v + df * d, f * a + 2 * df * v + ddf * d


def com_motion(
    schedule: Schedule,
    times: FloatArray,
    reference: FloatArray,
    gains: PreviewGains,
    *,
    height: float,
    shift: FloatArray | None = None,
) -> ComMotion:
    """Return the motion whose ZMP follows the `reference` (N, 3) at the ticks `times` (N,).

    Parameters
    ----------
    height : of the centre of mass over mid-feet [m]; that of the gains, or near it.
    shift : (N, 2) of the ZMP by what the pendulum leaves out (angular momentum); the pendulum is
        made to follow reference - shift [m].

    Raises
    ------
    GaitError
        Steps so high or quick that the rounds do not settle; names the highest.
    """
    shift = np.zeros((times.size, 2)) if shift is None else shift
    z, _, ddz = height_profile(schedule, times, height)
    arm = ((z - reference[:, 2]) / (gains.gravity + ddz) - gains.height / gains.gravity)[:, None]
    goal = reference[-1, :2]
    result, last = track(gains, reference[:, :2] - shift), np.inf
    for _ in range(ROUNDS):
        if last <= CLOSE or not arm.any():
            break
        wanted = reference[:, :2] - shift + arm * result.acceleration
        following = track(gains, wanted)
        last = float(np.abs(following.position - result.position).max())
        result = following
    else:
        heights = [stance.middle.z for stance in schedule.footsteps.stances]
        k = int(np.abs(np.diff(heights)).argmax())
        T = schedule.footsteps.steps[k].duration
        raise GaitError(
            f"step {k + 1}: the robot's height changes by {heights[k + 1] - heights[k]:.3g} m in "
            f"{T:g} s, too quickly for preview control; lower the rise or take longer over it"
        )
    settle = min(0.8, float(schedule.edges[-1] - schedule.edges[-2]) / 2)
    return ComMotion(
        times=times, track=result, schedule=schedule, height=height, goal=goal, settle=settle
    )


def height_profile(schedule: Schedule, times: ArrayLike, height: float) -> Motion:
    """Return the height of the centre of mass (N,), `height` over mid-feet, and two derivatives."""
    times = np.asarray(times, dtype=float)
    walk = schedule.footsteps
    levels = [(s.left.z + s.right.z) / 2 for s in walk.stances]
    z = np.full(times.shape, height + levels[0])
    dz, ddz = np.zeros(times.shape), np.zeros(times.shape)
    for step, low, high in zip(walk.steps, levels, levels[1:], strict=False):
        T, rise = step.duration, high - low
        r = rest_to_rest(np.clip((times - step.start) / T, 0.0, 1.0))
        z, dz, ddz = z + rise * r[0], dz + rise * r[1] / T, ddz + rise * r[2] / T**2
    return z, dz, ddz


def pendulum_zmp(motion: Motion, ground: FloatArray, gravity: float) -> FloatArray:
    """Return the ZMP (N, 2) of the pendulum on ground of height (N,): the formula of this file."""
    c, _, a = motion
    arm = (c[:, 2] - ground) / (gravity + a[:, 2])
    return np.asarray(c[:, :2] - arm[:, None] * a[:, :2])
