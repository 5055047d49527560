"""Errors of a planned walk by number of corrections: the table of docs/gait.md.

python benchmarks/page_tables/gait_plans.py
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from robot.gait import GaitOptions, plan_errors, plan_walk, robot_walk
from robot.model import load_robot
from sole.base.numba_settings import set_up_numba

HEADER = (
    "corrections | largest distance of the body's ZMP from the reference | the pendulum's own "
    "| least distance to the edge | sole frames off the plan | centre of mass"
)


def main() -> list[list[str]]:
    """Plan six steps of 0.2 m and the closing one with `hrp2-like` on soles of 20 mm."""
    robot = load_robot("hrp2-like")
    rows = []
    for count in (0, 1, 2):
        plan = plan_walk(
            robot, robot_walk(robot, 6, 0.2), GaitOptions(corrections=count, sole_thickness=0.02)
        )
        e = plan_errors(robot, plan)
        cells = [f"{1e3 * v:.3g} mm" for v in (e.body, e.pendulum, e.margin)]
        rows.append([str(count), *cells, f"{e.feet:.0e} m", f"{e.com:.0e} m"])
    return rows


if __name__ == "__main__":
    set_up_numba()
    print_table(HEADER, main())
