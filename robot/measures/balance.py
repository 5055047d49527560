"""Balance at the end of a run: whether a robot rests, and whether it is losing its balance.

The capture point is where a point mass on a massless leg must step to come to rest
[PrattEtAl2006],

    xi = c + dc/dt / omega,      omega = sqrt(g/h),

c : centre of mass. Without a step the robot can stop only while xi is over its support: the convex
hull of the treads that carry load. A walk leaves it at every step, as its plan has it; so xi near
the planned one is no loss of balance either.
"""

from __future__ import annotations

import math

import numpy as np

from robot.measures.fall import STEEPEST
from robot.run import Run
from sole.base.arrays import FloatArray

WINDOW = 0.25  # s: a robot rests that has been slow for so long
SLOW, TURNING = 0.02, 0.05  # m/s of the centre of mass, rad/s of the waist
INNER = 0.01  # m: least distance of the capture point from the edge of the support, at rest
STILL = 2e-3  # m/s: below it speeds may grow
UPRIGHT = math.radians(15)  # steepest waist at rest
CARRIES = 0.05  # of the weight: a robot with less load on it flies
TOUCHES = 0.01  # of the weight: a foot with more load belongs to the support
OUTER = 0.02  # m outside the support, and off the plan: the balance is lost
ASTRAY = 0.06  # m: largest distance of the capture point from the planned one


def at_rest(run: Run) -> bool:
    """Return whether the robot stood still on its feet in the last `WINDOW` of a run."""
    rows = run.time > run.time[-1] - WINDOW
    speed = np.linalg.norm(run["com_velocity"][rows], axis=1)
    turning = np.linalg.norm(run["v"][rows, 3:6], axis=1)
    half = len(speed) // 2  # a robot that speeds up does not rest, however slow it is
    return bool(
        speed.max() <= SLOW
        and turning.max() <= TURNING
        and speed[half:].max() <= max(STILL, speed[:half].max(initial=0.0))
        and run["waist_tilt"][-1] <= UPRIGHT
        and not in_the_air(run)
        and (leans(run) or distance_inside(run) >= INNER)
    )


def losing_balance(run: Run) -> str:
    """Return in words why a robot at the end of its run cannot be called standing; "" if it can."""
    if at_rest(run):
        return ""
    if in_the_air(run):
        return "in the air at the end"
    omega = float(run.header["omega"])
    rate = _rate_of_tilt(run)
    if not run["waist_tilt"][-1] + rate / omega <= STEEPEST:
        return f"the waist was tilting at {math.degrees(rate):.0f} deg/s at the end"
    if leans(run):
        return ""
    outside = -distance_inside(run)
    if math.isinf(outside):
        return "no foot carried load at the end"
    if outside <= OUTER or _off_plan(run) <= ASTRAY:
        return ""
    return f"the capture point was {100 * outside:.0f} cm outside the feet at the end"


def in_the_air(run: Run) -> bool:
    """Return whether nothing carries `CARRIES` of the robot's weight in the last row."""
    load = np.abs(run["body_wrench"][-1, [*_feet(run), *_hands(run)], :3]).sum()
    return not load > CARRIES * run.weight


def leans(run: Run) -> bool:
    """Return whether more than feet carry the robot in the last row: a hand on a table."""
    load = np.abs(run["body_wrench"][-1, _hands(run), :3]).sum()
    return bool(load > CARRIES * run.weight)


def _feet(run: Run) -> list[int]:
    return [b for b, tread in enumerate(run.treads) if tread.foot >= 0]


def _hands(run: Run) -> list[int]:
    """Return the bodies of the robot besides its feet; free boxes have a base of their own."""
    tree = run.skeleton
    roots: list[int] = []
    for k, parent in enumerate(tree.parents.tolist()):
        roots.append(k if parent < 0 else roots[parent])
    return [b for b, t in enumerate(run.treads) if t.foot < 0 and roots[tree.frames[b]] == 0]


def distance_inside(run: Run) -> float:
    """Return the distance [m] of the capture point from the edge of the support, < 0 outside.

    It is that of the last row; -inf if no foot carries `TOUCHES` of the weight.
    """
    loaded = run["wrench_world"][-1, :, 2] > TOUCHES * run.weight
    bodies = [b for b in _feet(run) if loaded[run.treads[b].foot]]
    if not bodies:
        return -math.inf
    poses = run.skeleton.frame_poses(run["q"][-1])
    points = np.concatenate(
        [run.treads[b].points @ poses[b, :2, :3].T + poses[b, :2, 3] for b in bodies]
    )
    return _depth(points, run["dcm"][-1])


def _depth(points: FloatArray, x: FloatArray) -> float:
    """Return how deep x (2,) lies in the convex hull of points (n, 2): least distance to a side."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        sides = ConvexHull(points).equations
    except (QhullError, ValueError):  # a point, a line, or NaN: no area to stand on
        return -float(np.linalg.norm(points - x, axis=1).min())
    return -float((sides[:, :2] @ x + sides[:, 2]).max())


def _rate_of_tilt(run: Run) -> float:
    """Return d(theta)/dt [rad/s] over the last rows, 0 for a single row."""
    rows = np.flatnonzero(run.time >= run.time[-1] - max(0.02, 1.5 * run.every * run.dt))
    time, tilt = run.time[rows], run["waist_tilt"][rows]
    return float((tilt[-1] - tilt[0]) / (time[-1] - time[0])) if len(rows) > 1 else 0.0


def _off_plan(run: Run) -> float:
    """Return the distance [m] of the capture point from the planned one; inf without a plan."""
    if "com_reference" not in run or len(run) < 2:
        return math.inf
    (before, after), times = run["com_reference"][-2:, :2], run.time[-2:]
    velocity = (after - before) / (times[1] - times[0])
    planned = after + velocity / float(run.header["omega"])
    return float(np.linalg.norm(run["dcm"][-1] - planned))
