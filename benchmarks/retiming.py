"""How long a retiming takes: coefficients of the path, controllable sets, forward pass.

python benchmarks/retiming.py [--quick]

Processor time of one core, the median of several; the target is 0.3 s for 800 points.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

from page_tables.printing import print_table

from robot.model import load_robot
from robot.papers.experiments.retimed_postures import posture_scenario
from robot.retime import ConeChoice, retime
from sole.base.numba_settings import set_up_numba

CONE = ConeChoice(area=0.45, friction=0.4)


def rows(points: tuple[int, ...], repeats: int):
    """Retime the eleven postures with each number of points."""
    path = posture_scenario().gait.path(load_robot("hrp4-like"))
    retime(path, CONE, points=50)
    for count in points:
        spent, checked = [], []
        for _ in range(repeats):
            start = time.process_time()
            found = retime(path, CONE, points=count)
            spent.append(time.process_time() - start)
            start = time.process_time()
            margin = found.check.margin
            checked.append(time.process_time() - start)
        yield [
            count,
            f"{found.duration:.3f}",
            f"{100 * found.share_active:.1f}",
            f"{margin:.1e}",
            f"{1e3 * median(spent):.0f}",
            f"{1e3 * median(checked):.0f}",
        ]


def main(argv: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one small case")
    quick = parser.parse_args(argv).quick
    print_table(
        "points | T [s] | active [%] | margin between points | retiming [ms] | its check [ms]",
        rows((100,) if quick else (200, 400, 800, 1600), 1 if quick else 5),
    )


if __name__ == "__main__":
    set_up_numba()
    main()
