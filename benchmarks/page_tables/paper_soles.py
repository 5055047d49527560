"""Linear tetrahedra and a rubber bush, as the deformable-soles paper had them: docs/figure5.md.

python benchmarks/page_tables/paper_soles.py

Two minutes: 12 walks, nu = 0.4, short steps for landings.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from math import degrees
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.figure5_soles import digits
from page_tables.printing import print_table
from robot.measures import metrics
from robot.scenery import Bush
from robot.walk import ControlChoice, Kept, Scenario, SoleChoice, assemble_walk, execute

BUSH = Bush(
    stiffness=(2e5, 2e5, 1e6, 3e3, 3e3, 3e3),  # the weight sinks by 0.6 mm, 52 N m tilt by 1 degree
    damping=(4e3, 4e3, 1e4, 50.0, 50.0, 50.0),  # 10 to 20 ms times the stiffness
)
LANDING_DT = 1.25e-4  # s
GROUNDS = {"flat": "plane", "plate": "step:0.005,0.4"}
CONTROLLERS = {"plain PD": "pd", "stabiliser": "stabiliser"}
MODULI = (3.162, 10.0, 100.0)  # MPa
METRICS = (
    "landing acceleration 100 Hz",
    "waist acceleration 100 Hz",
    "impact force",
    "waist tilt",
)


def rows() -> Iterator[list[str]]:
    """Run every walk once."""
    for ground, spelt in GROUNDS.items():
        for controller, kind in CONTROLLERS.items():
            for young in MODULI:
                scenario = Scenario(
                    ground=spelt,
                    sole=SoleChoice(young=1e6 * young, element="p1"),
                    control=ControlChoice(kind=kind),
                    landing_dt=LANDING_DT,
                    bush=BUSH,
                )
                found = metrics(execute(assemble_walk(scenario), Kept()).run)
                name = [f"{ground}, {controller}", f"{young:.3g}"]
                if found["fell"].value:
                    yield [*name, f"falls at {float(found['fell at'].value):.1f} s", "", "", ""]
                    continue
                peaks = [float(found[metric].value) for metric in METRICS]
                peaks[-1] = degrees(peaks[-1])
                yield [*name, *map(digits, peaks)]


if __name__ == "__main__":
    print_table(
        "walk | E [MPa] | landing [m/s^2] | waist [m/s^2] | force [N] | inclination [deg]", rows()
    )
