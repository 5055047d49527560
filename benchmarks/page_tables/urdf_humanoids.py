"""Humanoids of others, from their URDF as it is: a table of docs/robots.md.

python benchmarks/page_tables/urdf_humanoids.py [--walk]

All come from the package example-robot-data (extra `robots`). Each is loaded, and the walk nearest
to the usual one is planned. With `--walk` two steps are simulated, too, on pads of 3 MPa: slow.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import distribution
from math import degrees
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from robot.gait import Gait, describe_change, within_reach
from robot.measures import verdict
from robot.model import RobotModel, load_robot, most_bent, stands_straight
from robot.walk import Kept, Scenario, SoleChoice, assemble_walk, execute, replace_values
from sole.base.errors import SoleError

SHARE = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share")))
ROBOTS = SHARE / "example-robot-data" / "robots"
ANKLES = {"left_foot": "l_ankle", "right_foot": "r_ankle", "foot_size": (0.22, 0.12)}
HUMANOIDS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "Talos": ("talos_data/robots/talos_reduced.urdf", {}),
    "Talos with grippers": ("talos_data/robots/talos_full_v2.urdf", {}),
    "Romeo": ("romeo", {}),
    "G1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", {}),
    "G1 with hands": ("g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf", {}),
    "iCub": ("icub_description/robots/icub_reduced.urdf", {"foot_size": (0.19, 0.09)}),
    "Alexander, lower body": ("alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf", {}),
    "Simple humanoid": ("simple_humanoid_description/urdf/simple_humanoid.urdf", ANKLES),
    "Simple humanoid, classical": (
        "simple_humanoid_description/urdf/simple_humanoid_classical.urdf",
        ANKLES,
    ),
    "Human": ("human_description/robots/human.urdf", {}),
    "Bolt": ("bolt_description/robots/bolt.urdf", {}),
}
HEADER = "robot | joints | mass [kg] | foot [m] | knees found [deg] | the usual walk"


def rows(walk: bool) -> Iterator[list[str]]:
    """Load every robot and plan its walk; simulate it if asked for."""
    for name, (file, options) in HUMANOIDS.items():
        given = str(ROBOTS / file) if file.endswith(".urdf") else file
        folders = {"packages": (str(SHARE),)} if file.endswith(".urdf") else {}
        try:
            robot = load_robot(given, **options, **folders)
        except SoleError as error:
            yield [name, "", "", "", "", f"refused: {_short(error)}", *[""] * walk]
            continue
        knees = ", ".join(
            f"{degrees(a):.0f}" for _, a in most_bent(robot.model, robot.q0, robot.legs)
        )
        found = any(w.startswith("no posture given") for w in robot.warnings)
        size = " x ".join(f"{2 * half:.3g}" for half in robot.left.half_size)
        cells = [name, str(len(robot.joints)), f"{robot.mass:.3g}", size]
        cells.append(knees if found else "none" if stands_straight(robot) else "given")
        cells.append(_plan(robot))
        yield [*cells, *([_walk(given, {**options, **folders})] if walk else [])]


def _plan(robot: RobotModel) -> str:
    """Return the walk nearest to the usual one that the robot reaches."""
    if stands_straight(robot):
        return "out of reach: legs straight"
    found = within_reach(Gait(), robot, SoleChoice().thickness)
    if found is None:
        return "out of reach"
    changed = describe_change(Gait(), found).partition(" (")[0]
    return changed if found != Gait() else "within reach"


def _walk(robot: str, options: Mapping[str, Any]) -> str:
    """Return what happened on the first two steps, or why there were none."""
    base = Scenario(sole=SoleChoice(young=3e6))
    scenario = replace_values(base, robot=robot, urdf=dict(options), gait={"steps": 2})
    try:
        run, error = execute(assemble_walk(scenario), Kept())
    except SoleError as refusal:
        return f"refused: {_short(refusal)}"
    return verdict(run) if error is None else f"stopped: {_short(error)}"


def _short(error: BaseException) -> str:
    """Return a message without the folders in it."""
    words = str(error).replace(f"{ROBOTS}/", "").partition("; there are ")[0]
    return words if len(words) < 160 else f"{words[:157]}..."


if __name__ == "__main__":
    simulated = "--walk" in sys.argv[1:]
    print_table(HEADER + " | two steps" * simulated, rows(simulated))
