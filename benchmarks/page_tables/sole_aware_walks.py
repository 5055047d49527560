"""What knowing the sole is worth: the tables of docs/sole_aware.md.

    python benchmarks/page_tables/sole_aware_walks.py [soles] [assumed] [--quick]

`soles`: six steps under three controllers on soles of five E, 15 walks; `assumed`: a wrong E in the
model, 3 walks. One walk each, true state. --quick: two steps on one sole.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from robot.control import SoleAwareChoice
from robot.gait import Gait
from robot.measures import metrics
from robot.walk import ControlChoice, Kept, Scenario, SoleChoice, assemble_walk, execute

QUICK = "--quick" in sys.argv
STEPS = 2 if QUICK else 6
SOLES = (1e6,) if QUICK else (1e5, 3e5, 1e6, 1e7, 1e8)
ASSUMED = (2.0,) if QUICK else (0.5, 2.0, 10.0)
CONTROLLERS = {
    "stabiliser": ControlChoice(),
    "sole-aware": ControlChoice(kind="sole-aware"),
    "the same, rigid": ControlChoice(kind="sole-aware", sole_aware=SoleAwareChoice(model="rigid")),
}


def cells(young: float, control: ControlChoice) -> list[str]:
    """Walk; return the end, largest tilt [deg], yaw rate [rad/s], landing [m/s^2], failures."""
    scenario = Scenario(sole=SoleChoice(young=young), gait=Gait(steps=STEPS), control=control)
    walk = assemble_walk(scenario)
    run, error = execute(walk, Kept())
    if error is not None:
        raise error
    found = metrics(run)
    failures = getattr(walk.controller, "failures", "")
    if found["fell"].value:
        return [f"falls at {found['fell at'].value:.1f} s", "", "", "", str(failures)]
    rate = np.gradient(np.unwrap(run["waist_rpy"][:, 2]), run["time"])
    landing = found["landing acceleration 100 Hz"].value
    tilt = float(np.degrees(found["waist tilt"].value))
    return ["walks", f"{tilt:.2f}", f"{np.abs(rate).max():.3f}", f"{landing:.2f}", str(failures)]


def soles() -> Iterator[list[str]]:
    """Six steps by sole and controller."""
    for young in SOLES:
        for name, control in CONTROLLERS.items():
            yield [f"{young / 1e6:g} MPa", name, *cells(young, control)]


def assumed() -> Iterator[list[str]]:
    """Six steps on 1 MPa with a wrong E in the model."""
    for factor in ASSUMED:
        choice = SoleAwareChoice(assumed=factor)
        yield [
            f"{factor:g}",
            *cells(1e6, ControlChoice(kind="sole-aware", sole_aware=choice)),
        ]


END = "end | tilt [deg] | yaw rate [rad/s] | landing [m/s^2] | ticks without solution"
TABLES = {
    "soles": (f"soles | controller | {END}", soles),
    "assumed": (f"assumed/true E | {END}", assumed),
}

if __name__ == "__main__":
    for name in [a for a in sys.argv[1:] if a != "--quick"] or TABLES:
        header, rows = TABLES[name]
        print_table(header, rows())
