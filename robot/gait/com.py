"""Motion of the centre of mass: preview control in the plane, a smooth profile of the height.

Without angular momentum, the ZMP on ground of height p_z is, per horizontal axis,

    p = c - (c_z - p_z)/(g + d2c_z/dt2) d2c/dt2.

Preview control assumes one constant height z_c, so its ZMP is p' = c - (z_c/g) d2c/dt2. On stairs
its reference is p' = p_ref - (z_c/g - (c_z - p_z)/(g + d2c_z/dt2)) d2c/dt2 with the acceleration of
the previous iteration. At the fixed point the ZMP of the pendulum of variable height follows p_ref
as closely as preview control does on flat ground. The height is not optimised: it rises by the mean
rise of both feet during each swing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robot.gait.footholds import GaitError
from robot.gait.schedule import Schedule
from robot.gait.swing import rest_to_rest
from robot.gait.zmp_preview import PreviewGains, Track, track
from sole.base.arrays import FloatArray

ROUNDS, CLOSE = 40, 1e-8  # of the fixed point: most iterations, and the last change [m]

GaitMotion = tuple[FloatArray, FloatArray, FloatArray]
"""Value, velocity and acceleration, in m and s."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ComMotion:
    """Motion of the centre of mass of a walk, as a function of time.

    Parameters
    ----------
    times : (N,) ticks [s].
    track : motion in the plane at the ticks, with the jerk in between.
    schedule, height : support phases, and the height over the midpoint of the feet [m].
    goal : (2,) final position [m].
    settle : duration of the final fade to rest [s].
    """

    times: FloatArray
    track: Track
    schedule: Schedule
    height: float
    goal: FloatArray
    settle: float

    def __call__(self, times: ArrayLike) -> GaitMotion:
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
        """Start of the final fade [s]; the jerk jumps there."""
        return self.schedule.end - self.settle

    def _faded(self, times: FloatArray, plane: GaitMotion) -> GaitMotion:
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
    """Return a motion whose ZMP follows the `reference` (N, 3) at the ticks `times` (N,).

    Parameters
    ----------
    height : height of the centre of mass over the midpoint of the feet [m], close to the gains'
        z_c.
    shift : (N, 2) ZMP shift due to the angular momentum, which the pendulum neglects; the pendulum
        follows reference - shift [m].

    Raises
    ------
    GaitError
        The iteration does not converge: steps are too high or quick. The message names the highest.
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
            f"{T:g} s, too quickly for preview control; lower the rise or make the step longer"
        )
    settle = min(0.8, float(schedule.edges[-1] - schedule.edges[-2]) / 2)
    return ComMotion(
        times=times, track=result, schedule=schedule, height=height, goal=goal, settle=settle
    )


def height_profile(schedule: Schedule, times: ArrayLike, height: float) -> GaitMotion:
    """Return the height of the centre of mass (N,), `height` over the feet, and two derivatives."""
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


def pendulum_zmp(motion: GaitMotion, ground: FloatArray, gravity: float) -> FloatArray:
    """Return the ZMP (N, 2) of the pendulum on ground of height (N,), by the formula above."""
    c, _, a = motion
    arm = (c[:, 2] - ground) / (gravity + a[:, 2])
    return np.asarray(c[:, :2] - arm[:, None] * a[:, :2])
