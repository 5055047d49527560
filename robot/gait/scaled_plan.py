"""A plan at another speed: uniform scaling of time by a factor f.

    q(t/f),    v/f,    a/f^2.

The inertial part of the ground's wrench scales with 1/f^2, its gravity part stays. With the moment
n of the force F about a point of the ground, per unit of mass,

    n = c x g + (n_1 - c x g)/f^2,    F = g + c''_1/f^2,    p = (-n_y, n_x)/F_z,

c from that point to the centre of mass: the ZMP p follows from that of the given plan, exactly.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from contact.frames import rotation_of_quaternion
from robot.gait.schedule import Schedule
from sole.base.arrays import FloatArray, frozen
from sole.base.constants import GRAVITY


def interpolate_ticks(values: FloatArray, ticks: FloatArray) -> FloatArray:
    """Return rows of `values` (N, ...) at fractional indices (M,), linearly between two."""
    low = np.minimum(ticks.astype(np.int64), len(values) - 1)
    high = np.minimum(low + 1, len(values) - 1)
    share = (ticks - low).reshape(-1, *[1] * (values.ndim - 1))
    return np.asarray(values[low] + share * (values[high] - values[low]))


def scaled_zmp(zmp: FloatArray, com: FloatArray, bend: FloatArray, factor: float) -> FloatArray:
    """Return the ZMP (N, 2) of the scaled plan from that of the given one.

    com, bend (N, 3) of the given plan: centre of mass and its acceleration.
    """
    up = GRAVITY + bend[:, 2:]
    weight = GRAVITY * com[:, :2]
    moved = weight + (zmp * up - weight) / factor**2
    return np.asarray(moved / (GRAVITY + bend[:, 2:] / factor**2))


def moved_postures(q: FloatArray, moved: FloatArray) -> FloatArray:
    """Return q (N, nq) after small motions (N, nv): angles below a tick's, sin x = x."""
    q = q.copy()
    R = rotation_of_quaternion(q[:, 3:7])
    q[:, :3] += np.einsum("kij,kj->ki", R, moved[:, :3])
    q[:, 7:] += moved[:, 6:]
    x, y, z, w = q[:, 3:7].T
    a, b, c = moved[:, 3:6].T / 2  # angles within a tick: sin is the angle
    turned = np.column_stack(
        [w * a + x + y * c - z * b, w * b + y + z * a - x * c, w * c + z + x * b - y * a,
         w - x * a - y * b - z * c]
    )  # fmt: skip
    q[:, 3:7] = turned / np.linalg.norm(turned, axis=1)[:, None]
    return np.asarray(q)


def scaled_schedule(schedule: Schedule, factor: float) -> Schedule:
    """Return the phases with all times multiplied."""
    walk = schedule.footsteps
    steps = tuple(
        replace(step, start=factor * step.start, duration=factor * step.duration)
        for step in walk.steps
    )
    walk = replace(walk, steps=steps, final=factor * walk.final)
    return Schedule(walk, frozen(factor * schedule.edges), schedule.carrying)
