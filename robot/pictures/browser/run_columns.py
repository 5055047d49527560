"""What moves in a run, for its page: frames of the robot and its soles, series of the plots.

A frame is a recorded row with the nodal snapshot nearest to it; nothing is interpolated. Without
snapshots there is a frame every 10 ms.
"""

from __future__ import annotations

import numpy as np

from robot.pictures.browser.quantised import Quantised
from robot.pictures.nodal import SoleField
from robot.run import Run
from sole.base.arrays import FloatArray, IntArray

USUAL = 0.01  # s between frames of a run without snapshots
MOST_ROWS = 8000  # of a plot; a longer run is drawn by least and largest of equal parts
ANGLE, LENGTH, NODE, FORCE, NODAL_FORCE, TIME = 1e-6, 1e-5, 1e-6, 0.01, 0.01, 1e-6  # SI steps


def frame_rows(run: Run, stride: int = 1) -> IntArray:
    """Return the rows of the frames: those of every `stride`-th snapshot, and the last row."""
    if run.frames:
        after = np.searchsorted(run.time, run.frames["frame_time"])
        after = np.clip(after, 1, max(len(run) - 1, 1))
        before = np.abs(run.time[after - 1] - run.frames["frame_time"])
        nearest = np.abs(run.time[np.minimum(after, len(run) - 1)] - run.frames["frame_time"])
        rows = np.minimum(np.where(before <= nearest, after - 1, after), len(run) - 1)
    else:
        rows = np.arange(0, len(run), max(1, round(USUAL / (run.every * run.dt))))
    return np.unique(np.append(rows[::stride], len(run) - 1))


def frame_columns(run: Run, field: SoleField, rows: IntArray) -> dict[str, Quantised]:
    """Return what a frame shows, (T, ...) for the T `rows`: configuration, forces, nodes."""
    touched = [field.snapshot(int(row)) for row in rows]
    columns = {
        "time": Quantised(run.time[rows], TIME, "s"),
        "q": Quantised(run["q"][rows], ANGLE, "m, rad"),
        "tilt": Quantised(run["waist_tilt"][rows], ANGLE, "rad"),
        "waist": Quantised(run["waist_position"][rows], LENGTH, "m"),
        "force": Quantised(run["wrench_world"][rows][:, :, :3], FORCE, "N"),
        "cop": Quantised(run["cop"][rows], LENGTH, "m"),
        "zmp": Quantised(run["zmp"][rows], LENGTH, "m"),
        "body_force": Quantised(run["body_wrench"][rows][:, :, :3], FORCE, "N"),
        "pressure": Quantised(run["pressure"][rows], 1.0, "Pa"),
    }
    if run.frames:
        chosen = np.array(touched, dtype=np.int64)
        moved, pressed = run.frames["node_displacement"], run.frames["node_force"]
        columns["node_displacement"] = Quantised(moved[chosen], NODE, "m")
        columns["node_force"] = Quantised(pressed[chosen], NODAL_FORCE, "N")
    return columns


def plot_columns(run: Run) -> dict[str, Quantised]:
    """Return the series of the plots: tilt of the waist, vertical force of every foot."""
    time, (tilt, force) = _thinned(run.time, run["waist_tilt"][:, None], _vertical(run))
    return {
        "plot/time": Quantised(time, TIME, "s"),
        "plot/tilt": Quantised(tilt[:, 0], ANGLE, "rad"),
        "plot/force": Quantised(force, 0.1, "N"),
    }


def _vertical(run: Run) -> FloatArray:
    return np.asarray(run["wrench_world"][:, :, 2])


def _thinned(time: FloatArray, *series: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
    """Return series (T, k) as they are or, if long, least and largest of equal parts in turn."""
    if len(time) <= MOST_ROWS:
        return time, list(series)
    starts = np.linspace(0, len(time), MOST_ROWS // 2, endpoint=False).astype(int)
    kept = []
    for values in series:
        least = np.minimum.reduceat(values, starts, axis=0)
        largest = np.maximum.reduceat(values, starts, axis=0)
        kept.append(np.stack([least, largest], axis=1).reshape(-1, values.shape[1]))
    return np.repeat(time[starts], 2), kept
