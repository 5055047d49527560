"""A table carried by the robot and a scripted hand: the table of docs/results/haptics.md.

python benchmarks/page_tables/carried_table.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from robot.papers.experiments.touch_and_drag import lift_table
from sole.base.numba_settings import set_up_numba

YOUNG = (0.1, 0.3, 1.0, 3.0, 10.0)  # MPa
FAR = 50  # rows at the end, at rest


def main() -> Iterator[list[str]]:
    """Lift and lower the table on each sole."""
    for young in YOUNG:
        tilt, hands, user = lift_table(1e6 * young)
        tilts = np.degrees([np.ptp(tilt), tilt[-FAR:].mean()])
        forces = hands[-FAR:].mean(), hands.min(), hands.max(), user.max()
        yield [f"{young:g}", *(f"{t:.3f}" for t in tilts), *(f"{f:.1f}" for f in forces)]


if __name__ == "__main__":
    set_up_numba()
    print_table(
        "E [MPa] | inclination varies by [deg] | at rest [deg] | hands at rest [N] | least [N] | "
        "most [N] | user, most [N]",
        main(),
    )
