"""The robots (a table of docs/robots.md) and their default walks (docs/results/humanoids.md).

The walks take two minutes.

python benchmarks/page_tables/humanoids.py [robots] [walks]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from walks import walked

from page_tables.printing import print_table
from robot.measures import verdict
from robot.model import load_robot
from robot.summaries.model_summary import describe_robot
from robot.walk import Scenario, SoleChoice, replace_values
from sole.base.errors import SoleError
from sole.base.numba_settings import set_up_numba

ROBOTS = ("hrp2-like", "hrp4-like", "lola-like", "rengifo14", "talos", "romeo")
WALKS = {f"`{name}`": {"robot": name} for name in ROBOTS}


def robots() -> Iterator[list[str]]:
    """Joints, mass, height with straight legs, size of a foot."""
    for name in ROBOTS:
        robot = load_robot(name)
        size = " x ".join(f"{2 * half:.3g}" for half in robot.left.half_size)
        tall = describe_robot(robot).quantities["height at zero"].value
        assert isinstance(tall, float)
        yield [f"`{name}`", str(len(robot.joints)), f"{robot.mass:.3g} kg", f"{tall:.3f} m",
               f"{size} m", str(len(robot.left.pads))]  # fmt: skip


def walks() -> Iterator[list[str]]:
    """Six steps of 0.2 m and one to close, pads of 3 MPa, the stabiliser."""
    base = Scenario(sole=SoleChoice(young=3e6))
    for name, changes in WALKS.items():
        try:
            done = walked(replace_values(base, **changes))
        except SoleError as error:
            yield [name, f"refused: {error}", "", ""]
        else:
            _, landing, _, tilt, *_ = done.cells()
            yield [name, verdict(done.run), landing, tilt]


TABLES = {
    "robots": ("name | joints | mass | height, legs straight | foot | pads of a foot", robots),
    "walks": ("robot | verdict | landing [m/s^2] | tilt of the waist [deg]", walks),
}

if __name__ == "__main__":
    set_up_numba()
    for name in sys.argv[1:] or TABLES:
        header, rows = TABLES[name]
        print_table(header, rows())
