"""What knowing the sole is worth: the tables of docs/sole_aware.md.

    python benchmarks/page_tables/sole_aware_walks.py [soles] [assumed] [--quick]

`soles`: six steps under three controllers on soles of five E, 15 walks; `assumed`: a wrong E in the
model, 3 walks. One walk each, true state. --quick: two steps on one sole.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from robot.control import SoleAwareChoice
from robot.papers.experiments.soles_in_control import CONTROLLERS, walk_under
from robot.walk import ControlChoice

QUICK = "--quick" in sys.argv
STEPS = 2 if QUICK else 6
SOLES = (1e6,) if QUICK else (1e5, 3e5, 1e6, 1e7, 1e8)
ASSUMED = (2.0,) if QUICK else (0.5, 2.0, 10.0)


def cells(young: float, control: ControlChoice) -> list[str]:
    """Walk; return the end, largest tilt [deg], yaw rate [rad/s], landing [m/s^2], failures."""
    found = walk_under(young, control, STEPS)
    failures = "" if found.failures is None else str(found.failures)
    if found.fell:
        return [f"falls at {found.fell_at:.1f} s", "", "", "", failures]
    rate, landing = f"{found.yaw_rate:.3f}", f"{found.landing:.2f}"
    return ["walks", f"{found.tilt:.2f}", rate, landing, failures]


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
