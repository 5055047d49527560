"""Whether the zero-moment point of a plan stays under the feet that carry.

Within a phase the feet that carry do not move, so its support is one convex polygon: the hull of
the rectangles of their treads, seen from above. A wrench with its ZMP outside cannot come from the
ground.
"""

from __future__ import annotations

import numpy as np

from robot.gait.body_motion import when
from robot.gait.footsteps import GaitError
from robot.gait.schedule import Schedule
from robot.modelling.robot_model import RobotModel
from sole.arrays import FloatArray


def support_margins(
    robot: RobotModel,
    schedule: Schedule,
    times: FloatArray,
    zmp: FloatArray,
    edges: FloatArray | None = None,
) -> FloatArray:
    """Return how far inside the support the points `zmp` (N, 2) at `times` (N,) are: (N,) [m].

    edges (2, 2, 2): least and largest x and y of the left and the right tread; None: of the foot.
    Negative outside: less than the distance to the support, which it equals beside an edge.
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
    """Refuse a plan whose ZMP (N, 2) leaves the support; `edges` as of `support_margins`.

    Raises
    ------
    GaitError
        With the time where it is farthest outside, and what to change.
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
        f"{-1e3 * margins[k]:.0f} mm outside the feet that carry at {times[k]:.3g} s; {advice}"
    )
