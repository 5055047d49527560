"""Humanoids of others, from their URDF as it is: a table of docs/results/humanoids.md.

python benchmarks/page_tables/urdf_humanoids.py [clones] [--walk]

All come from the package example-robot-data (extra `robots`); with `clones` from public
repositories, cloned as they are into the folder that the variable HUMANOIDS names. Each is loaded,
and the walk nearest to the usual one is planned. With `--walk` that walk is simulated, too, on pads
of 3 MPa: some 20 s of processor time each.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import distribution
from math import degrees
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from robot.gait import Walking, describe_change, within_reach
from robot.measures import verdict
from robot.model import RobotModel, knees_of, load_robot, stands_straight
from robot.walk import (
    RecordingOptions,
    Scenario,
    SoleChoice,
    assemble_walk,
    execute,
    replace_values,
)
from sole.base.errors import SoleError
from sole.base.numba_settings import set_up_numba

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
# Public repositories; none of their files comes with this project (docs/results/humanoids.md).
CLONES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "JVRC-1": ("jvrc_description/urdf/jvrc1.urdf", {}),
    "JAXON": ("jaxon_description/urdf/jaxon_jvrc.urdf", {}),
    "iCub, Genova04": ("icub-models/iCub/robots/iCubGenova04/model.urdf", {}),
    "Unitree G1, 23 joints": ("unitree_ros/robots/g1_description/g1_23dof.urdf", {}),
    "Unitree G1, 29 joints": ("unitree_ros/robots/g1_description/g1_29dof.urdf", {}),
    "Unitree H1": ("unitree_ros/robots/h1_description/urdf/h1.urdf", {}),
    "Unitree H1-2": ("unitree_ros/robots/h1_2_description/h1_2.urdf", {}),
    "Unitree H2": ("unitree_ros/robots/h2_description/H2.urdf", {}),
    "Unitree R1": ("unitree_ros/robots/r1_description/R1.urdf", {}),
    "Fourier GR-1": ("Wiki-GRx-Models/GRX/GR1/gr1t1/basic_urdf/gr1t1.urdf", {}),
    "Fourier GR-2": ("Wiki-GRx-Models/GRX/GR2/gr2v3_8_7/basic_urdf/gr2v3_8_7.urdf", {}),
    "Fourier GR-3": ("Wiki-GRx-Models/GRX/GR3/gr3v2_1_1/basic_urdf/gr3v2_1_1.urdf", {}),
    "NAO": (
        "nao_robot/nao_description/urdf/naoV50_generated_urdf/nao.urdf",
        {"foot_size": (0.16, 0.08)},
    ),
}
HEADER = "robot | joints | mass [kg] | foot [m] | knees found [deg] | the usual walk"


def rows(walk: bool, clones: Path | None = None) -> Iterator[list[str]]:
    """Load every robot and plan its walk; simulate it if asked for."""
    for name, (file, options) in (HUMANOIDS if clones is None else CLONES).items():
        given = str((clones or ROBOTS) / file) if file.endswith(".urdf") else file
        folders = {"packages": (str(clones or SHARE),)} if file.endswith(".urdf") else {}
        try:
            robot = load_robot(given, **options, **folders)
        except SoleError as error:
            yield [name, "", "", "", "", f"refused: {_short(error)}", *[""] * walk]
            continue
        knees = ", ".join(
            f"{degrees(a):.0f}" for _, a in knees_of(robot.model, robot.q0, robot.legs)
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
    found = within_reach(Walking(), robot, SoleChoice().thickness)
    if found is None:
        return "out of reach"
    changed = describe_change(Walking(), found).partition(" (")[0]
    return changed if found != Walking() else "within reach"


def _walk(robot: str, options: Mapping[str, Any]) -> str:
    """Return what happened on the usual walk, or why there was none."""
    base = Scenario(sole=SoleChoice(young=3e6))
    scenario = replace_values(base, robot=robot, urdf=dict(options))
    try:
        run, error = execute(assemble_walk(scenario), RecordingOptions())
    except SoleError as refusal:
        return f"refused: {_short(refusal)}"
    return verdict(run) if error is None else f"stopped: {_short(error)}"


def _short(error: BaseException) -> str:
    """Return a message without the folders in it."""
    words = re.sub(r"/\S*/(?=\w)", "", str(error)).partition("; there are ")[0]
    return words if len(words) < 160 else f"{words[:157]}..."


if __name__ == "__main__":
    set_up_numba()
    simulated = "--walk" in sys.argv[1:]
    where = Path(os.environ.get("HUMANOIDS", "clones")) if "clones" in sys.argv[1:] else None
    if where is not None and not where.is_dir():
        about = "HUMANOIDS names the folder of the clones (docs/results/humanoids.md)"
        sys.exit(f"no folder '{where}': {about}")
    print_table(HEADER + " | walked" * simulated, rows(simulated, where))
