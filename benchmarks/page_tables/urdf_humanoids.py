"""Humanoids of others, from their URDF as it is: the table of docs/robots.md.

python benchmarks/page_tables/urdf_humanoids.py [--quick]

All come from the package example-robot-data (extra `robots`). Two steps each, pads of 3 MPa; with
`--quick` robots are loaded and not walked. Ten minutes of processor time.
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
from robot.measures import metrics, verdict
from robot.model import load_robot, most_bent, stands_straight
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
HEADER = (
    "robot | joints | mass [kg] | foot [m] | knees found [deg] | walk | tilt of the waist [deg]"
)


def rows(quick: bool) -> Iterator[list[str]]:
    """Load every robot and walk two steps."""
    for name, (file, options) in HUMANOIDS.items():
        given = str(ROBOTS / file) if file.endswith(".urdf") else file
        folders = {"packages": (str(SHARE),)} if file.endswith(".urdf") else {}
        try:
            robot = load_robot(given, **options, **folders)
        except SoleError as error:
            yield [name, "", "", "", "", f"refused: {_short(error)}", ""]
            continue
        found = any(w.startswith("no posture given") for w in robot.warnings)
        knees = [f"{degrees(a):.0f}" for _, a in most_bent(robot.model, robot.q0, robot.legs)]
        size = " x ".join(f"{2 * half:.3g}" for half in robot.left.half_size)
        cells = [name, str(len(robot.joints)), f"{robot.mass:.3g}", size]
        straight = stands_straight(robot)
        cells.append(", ".join(knees) if found else "none" if straight else "given")
        yield [*cells, *((" ", "") if quick else _walk(given, {**options, **folders}))]


def _walk(robot: str, options: Mapping[str, Any]) -> tuple[str, str]:
    """Return what happened and the tilt of the waist, or why there is no walk."""
    base = Scenario(sole=SoleChoice(young=3e6))
    scenario = replace_values(base, robot=robot, urdf=dict(options), gait={"steps": 2})
    try:
        made = assemble_walk(scenario)
        run, error = execute(made, Kept())
    except SoleError as refusal:
        return f"refused: {_short(refusal)}", ""
    if error is not None:
        return f"stopped: {_short(error)}", ""
    changed = [note.partition("walks with ")[2] for note in made.notes if "walks with" in note]
    told = "; ".join([verdict(run), *(note.partition(" (--")[0] for note in changed)])
    return told, f"{degrees(float(metrics(run)['waist_tilt'].value)):.2f}"


def _short(error: BaseException) -> str:
    """Return a message without the folders in it."""
    words = str(error).replace(f"{ROBOTS}/", "").partition("; there are ")[0]
    return words if len(words) < 160 else f"{words[:157]}..."


if __name__ == "__main__":
    print_table(HEADER, rows("--quick" in sys.argv[1:]))
