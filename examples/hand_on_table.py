"""How to give a robot a third contact: it leans on a table, and falls without its hand.

python examples/hand_on_table.py [FILM.gif]
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from robot.control import Sensed
from robot.model import RobotModel
from robot.pictures import RunScene
from robot.recorder import Recorder
from robot.simulator import Command
from robot.walk import assemble_walk, load_scenario
from sole.base.arrays import FloatArray

SCENARIO = """schema = "robot.scenario/1"
ground = "room.toml"
sole = {young = 1e7, size = 0.06, element = "p1"}
gait = {kind = "stand", initial = 0.5, final = 2.5}
touch = [{frame = "left_palm"}]
"""
ROOM = 'schema = "contact.ground/1"\n[[solid]]\nkind = "plane"\n'
TABLE = '[[solid]]\nkind = "box"\nlength = 0.4\nwidth = 1.2\nrise = %g\nx = 0.8\n'
ARM = {"left_shoulder_pitch": -0.5, "left_elbow": -1.0}


class Leaner:
    """Stretches the left arm within 0.5 s, then turns the ankles by `lean` within 1 s."""

    def __init__(self, robot: RobotModel, lean: float) -> None:
        self.period, self.start = 1e-3, np.array(robot.q0[7:])
        self.arm, self.lean = np.zeros((2, 30))
        for name, angle in ARM.items():
            self.arm[robot.joint(name)] = angle - self.start[robot.joint(name)]
        for side in ("left", "right"):
            self.lean[robot.joint(f"{side}_ankle_pitch")] = -lean

    def update(self, sensed: Sensed, t: float) -> Command:
        """Return a command of positions only: plain PD."""
        s, r = np.clip([2 * t, t - 0.5], 0, 1)
        q = self.start + s * s * (3 - 2 * s) * self.arm + r * r * (3 - 2 * r) * self.lean
        return Command(positions=q, velocities=np.zeros(len(q)))


def main(
    table: float | None = 0.8, lean: float = 0.2, film: Path | None = None
) -> tuple[FloatArray, float]:
    """Return rows (time [s], forces (x, y, z) on hand and feet [N], waist height [m]), weight."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "room.toml").write_text(ROOM + (TABLE % table if table else ""))
        (Path(folder) / "scenario.toml").write_text(SCENARIO)
        made = assemble_walk(load_scenario(Path(folder) / "scenario.toml"), Path(folder))
    made.controller, rows = Leaner(made.feet.robot, lean), []
    recorder = Recorder(
        made.simulator, made.start, made.scenario.dt, feet=made.feet, every=10, nodes=40
    )
    for step, command in made.steps():
        recorder.record(step, command)
        left, right, hand = step.wrenches[:, :3]
        rows.append([step.state.time, *hand, *(left + right), step.state.q[2]])
        if made.fallen(step):
            break
    if film is not None:
        run = recorder.run()
        RunScene(run, float(run.time[-1])).write(film)
    return np.array(rows), 9.81 * made.feet.robot.mass


if __name__ == "__main__":
    rows, weight = main(film=Path(sys.argv[1]) if sys.argv[1:] else None)
    x, z = rows[-200:].mean(axis=0)[[1, 3]]
    print(f"on the hand {z:.0f} N up, {z / weight:.0%} of the weight, and {x:.0f} N forward")
    print(f"without a table it falls at {main(table=None)[0][-1, 0]:.2f} s")
