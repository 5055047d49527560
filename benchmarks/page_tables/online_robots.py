"""Robots (Romeo is out of reach) on the online plan, over a rise that the plan does not know.

    python benchmarks/page_tables/online_robots.py [--robots hrp2-like lola-like] [--quick]

Two steps of 0.3 m and one that closes; from x = 0.15 m on, between the standing feet and the first
foothold, the ground is 1 cm higher. Pads of 20 mm (3 MPa; 10 MPa under feet of a URDF), 60 mm mesh,
dt = 1 ms; sensors true or noisy (seed 1). Each walk is under the stabiliser and under force
control. `--quick`: one robot, no noise.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from robot.gait import Walking
from robot.model import humanoids
from robot.online import PlanChoice
from robot.walk import ControlChoice, RecordingOptions, Scenario, SoleChoice, assemble_walk, execute
from robot.walk.scenario_tables import Sensing
from sole.base.numba_settings import set_up_numba

GROUND, FORWARD = "step:0.01,0.15", 0.3  # m
LAWS, SENSORS = ("stabiliser", "force"), ("true", "noisy")


def scenario_of(robot: str, law: str, sensors: str) -> Scenario:
    """Return the walk of a robot under a law with true or noisy sensors."""
    young = 3e6 if robot in humanoids() else 10e6
    return Scenario(
        robot=robot,
        ground=GROUND,
        seed=1,
        sole=SoleChoice(young=young, size=0.06, element="p1"),
        gait=Walking(steps=2, forward=FORWARD),
        plan=PlanChoice(kind="online"),
        control=ControlChoice(kind=law),
        sensing=Sensing(kind=sensors),
    )


def rows(robots: Sequence[str], sensors: Sequence[str]) -> Iterator[list[str]]:
    """Yield a row for each robot and law."""
    for robot in robots:
        for law in LAWS:
            cells = []
            for kind in sensors:
                run, error = execute(
                    assemble_walk(scenario_of(robot, law, kind)), RecordingOptions(every=5)
                )
                if error is not None:
                    raise error
                heard = [e["kind"] for e in run.header["events"] if e["kind"] in ("early", "late")]
                tilt = np.degrees(run["waist_tilt"]).max()
                fell = run.header["fall"]["fell"]
                cells += ["falls" if fell else "walks", heard[0] if heard else "", f"{tilt:.2f}"]
            yield [robot, law, *cells]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robots", nargs="+", default=[*humanoids(), "talos"])
    parser.add_argument("--quick", action="store_true", help="one robot, true sensors")
    given = parser.parse_args(arguments)
    robots, sensors = (["hrp2-like"], SENSORS[:1]) if given.quick else (given.robots, SENSORS)
    columns = " | ".join(f"{kind}: | first contact | tilt [deg]" for kind in sensors)
    print_table(f"robot | law | {columns}", rows(robots, sensors))
    return 0


if __name__ == "__main__":
    set_up_numba()
    raise SystemExit(main())
