"""What sole-aware control does with hands in contact: scenes of the deformable soles' paper.

    python examples/hands_and_soles.py [table] [wall] [box] [--young 1e6] [--film FOLDER]
                                       [--pictures FOLDER]

table: a robot lays a hand on a table. wall: it leans on a wall with both hands. box: it holds a
table at one end, a scripted partner lifts and lowers the other (docs/haptics.md). No controller
knows the forces on the hands; the soles and the balance answer them.

Printed: the force on the hands at the end, the largest inclination of the waist, how far the waist
moved, and in how many ticks the quadratic program had no solution.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from robot.control import SoleAware, Stabiliser
from robot.gait import Standing, WalkPlan
from robot.model import RobotModel
from robot.papers.experiments.touch_and_drag import table_scenario
from robot.pictures import RunScene
from robot.recorder import Recorder
from robot.scenery import Touch
from robot.walk import Scenario, SoleChoice, Walk, assemble_walk, replace_values
from sole.base.arrays import FloatArray

DEEP = 0.02  # m by which the hands are planned inside table and wall
BEGIN, END = 0.2, 1.0  # s of the hands' motion
MOST = 300  # rows that the end is
ARMS = {
    "table": ({"left": {"shoulder_pitch": -0.3, "elbow": -0.9}}, 0.0),
    "wall": ({s: {"shoulder_pitch": -1.0, "elbow": -0.7} for s in ("left", "right")}, 0.03),
}
CONTROLLERS = ("stabiliser", "sole-aware")


@dataclass(frozen=True)
class Outcome:
    """Force on the hands at the end [N], tilt [deg], way of the waist [m], falls, failures."""

    force: float
    tilt: float
    moved: float
    fell: bool
    failures: int


def moved_plan(
    plan: WalkPlan, robot: RobotModel, arms: dict[str, dict[str, float]], lean: float
) -> WalkPlan:
    """Return a plan of standing in which the arms go to angles and the body leans.

    arms : joints by side [rad]. lean : about the ankles, forward [rad].
    """
    import pinocchio as pin

    x = np.clip((plan.times - BEGIN) / (END - BEGIN), 0.0, 1.0)
    s = x**3 * (10 - 15 * x + 6 * x**2)
    q, model = np.array(plan.q_ref), robot.model
    for side, joints in arms.items():
        for name, angle in joints.items():
            at = 7 + robot.joint(f"{side}_{name}")
            q[:, at] += s * (angle - q[:, at])
    data = model.createData()
    pin.forwardKinematics(model, data, q[0])
    ankle = data.oMi[model.getJointId("left_ankle_pitch")].translation.copy()
    ankle[1] = 0.0
    for side in ("left", "right"):
        q[:, 7 + robot.joint(f"{side}_ankle_pitch")] -= lean * s
    for row, part in zip(q, s, strict=True):
        turn = pin.exp3(np.array([0.0, lean * part, 0.0]))
        row[:3] = ankle + turn @ (row[:3] - ankle)
        row[3:7] = pin.Quaternion(turn @ pin.Quaternion(row[3:7]).matrix()).coeffs()
    v = np.stack([pin.difference(model, a, b) for a, b in pairwise(q)])
    v = np.vstack([v[:1], v]) / plan.dt
    return replace(plan, q_ref=q, v_ref=v, a_ref=np.gradient(v, plan.dt, axis=0))


def hands(robot: RobotModel, q: FloatArray, points: FloatArray, side: str) -> FloatArray:
    """Return the points (n, 3) of a palm in the world."""
    import pinocchio as pin

    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, q)
    palm = data.oMf[robot.contact_points[f"{side}_palm"]]
    return points @ palm.rotation.T + palm.translation


def stand_with_hands(scene: str, control: str, young: float) -> Walk:
    """Assemble a robot that stands and brings its hands to a table or a wall."""
    arms, lean = ARMS[scene]
    points = np.array([[x, y, z] for x in (0, 0.1) for y in (-0.03, 0.03) for z in (-0.02, 0.02)])
    touch = tuple(Touch(frame=f"{s}_palm", points=tuple(map(tuple, points))) for s in arms)
    bare = Scenario(
        sole=SoleChoice(young=young),
        gait=Standing(initial=0.5, final=1.5),
        touch=touch,
    )
    bare = replace_values(bare, control={"kind": control})
    free = assemble_walk(replace(bare, touch=(), settle=0.0))
    robot = free.feet.robot
    plan = moved_plan(free.plan, robot, arms, lean)
    found = np.vstack([hands(robot, plan.q_ref[-1], points, side) for side in arms])
    ground = 'schema = "contact.ground/1"\n[[solid]]\nkind = "plane"\n[[solid]]\nkind = "box"\n'
    if scene == "table":
        top, near = found[:, 2].min() + DEEP, found[:, 0].min() - 0.05
        ground += f"length = 0.6\nwidth = 1.2\nrise = {top}\nx = {near + 0.3}\n"
    else:
        ground += f"length = 0.4\nwidth = 2.0\nrise = 1.8\nx = {found[:, 0].max() - DEEP + 0.2}\n"
    with TemporaryDirectory() as folder:
        (Path(folder) / "room.toml").write_text(ground)
        walk = assemble_walk(replace(bare, ground="room.toml"), Path(folder))
    controller = walk.controller
    if isinstance(controller, SoleAware):
        walk.controller = SoleAware(walk.feet, plan, damping=bare.control.kd)
    else:
        walk.controller = Stabiliser(
            robot,
            plan,
            stiffness=walk.feet.stiffness,
            thickness=walk.feet.thicknesses,
            edges=walk.feet.edges,
        )
    return walk


def play(scene: str, control: str, young: float, film: Path | None = None) -> Outcome:
    """Run a scene; film: GIF of it, or PNG of its end."""
    if scene == "box":
        walk = assemble_walk(replace_values(table_scenario(young), control={"kind": control}))
    else:
        walk = stand_with_hands(scene, control, young)
    nq, soles = walk.feet.robot.model.nq, len(walk.feet.touching)
    recorder = Recorder(walk.simulator, walk.start, walk.scenario.dt, feet=walk.feet, every=20)
    forces, tilts, ways, fell = [], [], [], False
    for step, command in walk.steps():
        q = step.state.q[:nq]
        if film is not None:
            recorder.record(step, command)
        pulled = step.couplings if scene == "box" else step.wrenches[soles:]
        forces.append(np.linalg.norm(pulled[:, :3].sum(axis=0)))
        tilts.append(2 * np.hypot(q[3], q[4]))
        ways.append(np.linalg.norm(q[:3] - walk.start.q[:3]))
        fell = walk.fallen(step)
        if fell:
            break
    if film is not None:
        run = recorder.run()
        RunScene(run, float(run.time[-1]), size=(640, 480)).write(film)
    failures = getattr(walk.controller, "failures", 0)
    force, tilt = float(np.mean(forces[-MOST:])), float(np.degrees(np.max(tilts)))
    return Outcome(force, tilt, float(np.max(ways)), fell, failures)


def main(
    scenes: list[str], young: float, folder: Path | None = None, suffix: str = ".gif"
) -> Iterator[list[str]]:
    """Run scenes under both controllers: rows of the table."""
    for scene in scenes:
        for control in CONTROLLERS:
            film = None if folder is None else folder / f"{scene}_{control}{suffix}"
            o = play(scene, control, young, film)
            yield [
                scene, f"{young / 1e6:g} MPa", control, "falls" if o.fell else "stands",
                f"{o.force:.1f}", f"{o.tilt:.2f}", f"{1e3 * o.moved:.1f}", str(o.failures),
            ]  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "scenes", nargs="*", choices=["table", "wall", "box", []], help="default: all"
    )
    parser.add_argument("--young", type=float, default=1e6, help="E of the soles [Pa]")
    parser.add_argument("--film", type=Path, help="folder of films")
    parser.add_argument("--pictures", type=Path, help="folder of pictures of the ends")
    given = parser.parse_args()
    if unknown := set(given.scenes) - {*ARMS, "box"}:
        parser.error(f"unknown scene {min(unknown)!r}: there are table, wall and box")
    print(
        "| scene | soles | controller | end | hands [N] | tilt [deg] | waist moved [mm] "
        "| ticks without solution |\n|---|---|---|---|---|---|---|---|"
    )
    scenes, suffix = given.scenes or ["table", "wall", "box"], ".gif" if given.film else ".png"
    for row in main(scenes, given.young, given.film or given.pictures, suffix):
        print("| " + " | ".join(row) + " |", flush=True)
