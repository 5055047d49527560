"""Landing peaks with shorter and shorter steps while a foot lands: a table of docs/figure5.md.

python benchmarks/page_tables/landing_steps.py

Two minutes. A cell holds the landing acceleration below 100 Hz [m/s^2].
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from robot.measures import metrics
from robot.walk import ControlChoice, Kept, Scenario, SoleChoice, assemble_walk, execute

PARTS = (1, 2, 4, 8, 16)  # of a time step of 1 ms
PLATE = "step:0.005,0.4"
WALKS = {
    "flat, plain PD, 10 MPa": (1e7, "pd", "plane"),
    "flat, plain PD, 100 MPa": (1e8, "pd", "plane"),
    "plate, stabiliser, 3.16 MPa": (3.16e6, "stabiliser", PLATE),
    "plate, stabiliser, 100 MPa": (1e8, "stabiliser", PLATE),
}


def rows() -> Iterator[list[str]]:
    """Run every walk with every step."""
    for name, (young, controller, ground) in WALKS.items():
        scenario = Scenario(
            ground=ground,
            sole=SoleChoice(young=young, element="ccr"),
            control=ControlChoice(kind=controller),
        )
        told = []
        for parts in PARTS:
            walk = assemble_walk(replace(scenario, landing_dt=scenario.dt / parts))
            found = metrics(execute(walk, Kept()).run)["landing acceleration 100 Hz"].value
            told.append(f"{found:.3g}")
        yield [name, *told]


if __name__ == "__main__":
    print_table("walk | 1 ms | 0.5 | 0.25 | 0.125 | 0.0625", rows())
