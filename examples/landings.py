"""How to read impacts from a run: landing speeds of the feet and the peaks that follow.

    sole walk --young 3e5 -o soft.nc
    python examples/landings.py soft.nc

There is one row per touchdown, bounces included, with velocities before the first touch. The
largest peak is the metric `landing acceleration 100 Hz`. Peak over speed is a frequency
that measures the stiffness of the impact: a mass on a spring has the peak v omega.
"""

from __future__ import annotations

import sys
from collections import namedtuple
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from robot.measures import TOUCHDOWN, low_pass, touchdowns_of
from robot.run import Run, load_run
from sole.base.errors import SoleError

Row = namedtuple("Row", "touch foot down along yaw twist peak rate")
HEADER = (
    "touch [s] | foot | down [mm/s] | along the ground [mm/s] | waist yaws [rad/s] | "
    "standing sole twists by [deg] | peak [m/s^2] | peak over speed [1/s]"
)
SWING = 0.7  # s before a touch in which the twist of the other sole is measured


def main(run: Run) -> list[Row]:
    """Return a row for every touchdown: [s], which foot, [m/s], [m/s], [rad/s], [deg], [m/s^2]."""
    size = np.linalg.norm(low_pass(run["foot_acceleration"], run.dt), axis=2)
    yaw = np.gradient(np.unwrap(run["waist_rpy"][:, 2]), run.time)
    rows = []
    for landing in touchdowns_of(run):
        before, foot = landing.row - 1, landing.foot
        velocity = run["foot_velocity"][before, foot]
        swing = slice(max(0, before - round(SWING / run.dt)), before)
        twist = np.rad2deg(np.ptp(run["sole_motion"][swing, 1 - foot, 5]))
        peak = size[landing.row : landing.row + round(TOUCHDOWN / run.dt), foot].max()
        along = np.linalg.norm(velocity[:2])
        speeds = landing.speed, along, yaw[before]
        rows.append(Row(landing.time, foot, *speeds, twist, peak, peak / np.linalg.norm(velocity)))
    return rows


def show(paths: Sequence[Path]) -> None:
    """Print the landings of runs."""
    for path in paths:
        rows = main(load_run(path))
        print(f"{path.name}\n| {HEADER} |")
        for r in rows:
            cells = [f"{r.touch:.3f}", ("left", "right")[r.foot], f"{1e3 * r.down:.0f}"]
            cells += [f"{1e3 * r.along:.0f}", f"{r.yaw:+.3f}", f"{r.twist:.2f}"]
            print("| " + " | ".join([*cells, f"{r.peak:.2f}", f"{r.rate:.0f}"]) + " |")
        print(f"median of peak over speed: {np.median([r.rate for r in rows]):.0f} 1/s")


if __name__ == "__main__":
    try:
        show([Path(p) for p in sys.argv[1:]] or sys.exit("usage: landings.py RUN.nc ..."))
    except SoleError as error:
        sys.exit(f"error: {error}")
