"""Where the zero-moment point should be: under the carrying foot, and from one foot to the other.

In single support it rests at the anchor of the standing foot: the centre of its tread, or beside it
by an inset. In double support it moves from anchor to anchor, straight. Before the first step and
after the last it rests between the feet and moves during the last, respectively the first,
`transfer` seconds of that phase.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from robot.gait.footsteps import GaitError, Stance
from robot.gait.schedule import Schedule
from robot.gait.swing import rest_to_rest
from sole.arrays import FloatArray


def anchors(stance: Stance, inset: tuple[float, float] = (0.0, 0.0)) -> FloatArray:
    """Return (2, 3) the points of the feet under which the ZMP rests.

    `inset` : forward, and inward (towards the other foot), in the axes of each foot [m].
    """
    forward, inward = inset
    return np.array([f.at(forward, s * inward) for f, s in zip(stance.feet, (-1, 1), strict=True)])


def zmp_reference(
    schedule: Schedule,
    times: ArrayLike,
    *,
    inset: tuple[float, float] = (0.0, 0.0),
    transfer: float = 0.3,
    smooth: bool = True,
) -> FloatArray:
    """Return the reference (N, 3) of the ZMP on the ground [m].

    Parameters
    ----------
    schedule : of the walk.
    times : (N,) [s].
    inset : see `anchors`.
    transfer : of the first and the last transfer [s]; cut to the phase.
    smooth : whether transfers start and end with zero velocity and acceleration; otherwise the
        velocity is constant.
    """
    if not (len(inset) == 2 and all(map(math.isfinite, inset))):
        raise GaitError(f"inset must be two finite numbers, forward and inward, got {inset}")
    if not 0 < transfer < math.inf:
        raise GaitError(f"transfer must be positive, got {transfer:g} s")
    times = np.asarray(times, dtype=float)
    start, end, since, until = _transfers(schedule, inset, transfer)
    k = schedule.phases(times)
    s = np.clip((times - since[k]) / (until[k] - since[k]), 0.0, 1.0)
    s = rest_to_rest(s)[0] if smooth else s
    return np.asarray(start[k] + s[:, None] * (end[k] - start[k]))


def _transfers(
    schedule: Schedule, inset: tuple[float, float], transfer: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Per phase: from where (P, 3), to where (P, 3), since and until when (P,)."""
    walk = schedule.footsteps
    points = [anchors(stance, inset) for stance in walk.stances]
    rests = [points[0].mean(axis=0)]  # of double supports' ends: middle, feet ..., middle
    for step, before in zip(walk.steps, points, strict=False):
        rests.append(before[1 - step.foot])
    rests.append(points[-1].mean(axis=0))
    start, end = [], []
    for k in range(len(walk.steps) + 1):
        start += [rests[k], rests[k + 1]]
        end += [rests[k + 1], rests[k + 1]]
    since, until = schedule.edges[:-1].copy(), schedule.edges[1:].copy()
    if walk.steps:
        since[0] = max(since[0], until[0] - transfer)
        until[-1] = min(until[-1], since[-1] + transfer)
    return np.array(start[:-1]), np.array(end[:-1]), since, until
