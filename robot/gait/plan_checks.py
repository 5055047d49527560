"""Checks of a plan: joint limits, and the zero-moment point inside the support polygon.

The support feet do not move within a phase, so its support is one convex polygon: the hull of the
rectangles of their treads, seen from above. The ground cannot exert a wrench whose ZMP is outside.
"""

from __future__ import annotations

import numpy as np

from robot.gait.footholds import GaitError
from robot.gait.schedule import Schedule
from robot.model import RobotModel
from sole.base.arrays import FloatArray

WITHIN = 1e-9  # rad by which a joint limit may be exceeded


def check_limits(
    robot: RobotModel, schedule: Schedule, times: FloatArray, q: FloatArray, v: FloatArray
) -> None:
    """Refuse leg joints beyond their range or velocity limit; q (N, nq), v (N, nv).

    Raises
    ------
    GaitError
        The message names the earliest step, the joint, and its worst value with the limit.
    """
    joints = [robot.model.joints[j] for leg in robot.legs for j in leg]
    rows = [joint.idx_v - 6 for joint in joints]
    angles, speeds = (
        q[:, [joint.idx_q for joint in joints]],
        v[:, [joint.idx_v for joint in joints]],
    )
    fastest = robot.velocity[rows]
    for x, low, high, what, unit in (
        (angles, robot.lower[rows], robot.upper[rows], "out of reach", "rad"),
        (speeds, -fastest, fastest, "too fast", "rad/s"),
    ):
        beyond = np.maximum(low - x, x - high)
        if not (bad := beyond > WITHIN).any():
            continue
        first = int(bad.any(axis=1).argmax())
        # Hip and ankle roll of an upright leg are equally far beyond: the upper joint is named.
        j = int((beyond[first] >= beyond[first].max() - WITHIN).argmax())
        phases = schedule.phases(times)
        k = int(np.where(phases == phases[first], beyond[:, j], -np.inf).argmax())
        limit = f"> {high[j]:.3g}" if x[k, j] > high[j] else f"< {low[j]:.3g}"
        raise GaitError(
            f"{what}: {when(schedule, float(times[k]))}, joint {robot.joints[rows[j]]}, "
            f"{x[k, j]:.3g} {unit} {limit} {unit}"
        )


def when(schedule: Schedule, time: float) -> str:
    """Return in words which step a time belongs to; steps are counted from 1."""
    step, count = int(schedule.next_steps(time)), len(schedule.footsteps.steps)
    if not count:
        return f"at {time:.3g} s"
    if step == count:
        return f"after step {count}"
    return f"step {step + 1}" if schedule.steps(time) >= 0 else f"before step {step + 1}"


def support_margins(
    robot: RobotModel,
    schedule: Schedule,
    times: FloatArray,
    zmp: FloatArray,
    edges: FloatArray | None = None,
) -> FloatArray:
    """Return how far inside the support polygon the points `zmp` (N, 2) at `times` (N,) are [m].

    edges (2, 2, 2): smallest and largest x, y of the left and the right tread; None: of the foot.
    The result (N,) is negative outside. Its size is the distance to the polygon beside an edge, and
    less near a corner.
    """
    from scipy.spatial import ConvexHull

    phases, margins = schedule.phases(times), np.empty(len(times))
    stances = schedule.footsteps.stances
    if edges is None:
        edges = np.array([[-foot.half_size, foot.half_size] for foot in robot.feet])
    for k in np.unique(phases):
        treads = zip(stances[k // 2].feet, edges, schedule.carrying[k], strict=True)
        corners = [hold.at(x, y) for hold, (a, b), on in treads if on for x, y in _box(a, b)]
        sides = ConvexHull(np.array(corners)[:, :2]).equations  # unit normals outwards, and offsets
        rows = phases == k
        margins[rows] = -(zmp[rows] @ sides[:, :2].T + sides[:, 2]).max(axis=1)
    return margins


def _box(low: FloatArray, high: FloatArray) -> list[tuple[float, float]]:
    return [(x, y) for x in (low[0], high[0]) for y in (low[1], high[1])]


def check_support(
    robot: RobotModel,
    schedule: Schedule,
    times: FloatArray,
    zmp: FloatArray,
    edges: FloatArray | None = None,
) -> None:
    """Refuse a plan whose ZMP (N, 2) leaves the support polygon; `edges` as in `support_margins`.

    Raises
    ------
    GaitError
        The message gives the time where the ZMP is farthest outside, and what to change.
    """
    margins = support_margins(robot, schedule, times, zmp, edges)
    k = int(np.argmin(margins))
    if margins[k] >= 0:
        return
    advice = "take slower or shorter steps"
    if schedule.phases(times[k]) < 2:
        advice += ", or make initial longer"
    elif times[k] >= schedule.edges[-2]:
        advice = "make final longer"
    raise GaitError(
        f"cannot be balanced: {when(schedule, float(times[k]))}, zero-moment point "
        f"{-1e3 * margins[k]:.0f} mm outside the support at {times[k]:.3g} s; {advice}"
    )
