"""Tilt of the waist in squats and on one leg: a table of docs/results/walking.md. Two minutes.

python benchmarks/page_tables/standing_gaits.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from walks import SCENARIOS, soles, walked

from page_tables.printing import print_table
from robot.walk import load_scenario, replace_values
from sole.base.numba_settings import set_up_numba

CONTROLLERS = {"stabiliser": "stabiliser", "plain PD": "pd"}


def main() -> Iterator[list[str]]:
    """Run both scenarios of examples/scenarios on five soles with both controllers."""
    for kind in ("squat", "balance"):
        base = load_scenario(SCENARIOS / f"{kind}.toml")
        for name, controller in CONTROLLERS.items():
            cells = []
            for change in soles(float("inf"), 10, 3, 1, 0.3).values():
                done = walked(replace_values(base, control={"kind": controller}, **change))
                # The waist's tilt is the third number of a row of examples/walks.py.
                cells.append("fell" if done.fell else done.cells()[3])
            yield [f"{kind}, {name}", *cells]


if __name__ == "__main__":
    set_up_numba()
    print_table(" | rigid | 10 MPa | 3 MPa | 1 MPa | 0.3 MPa", main())
