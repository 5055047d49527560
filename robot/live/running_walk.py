"""A walk that runs step by step and is recorded, with the scenario that repeats it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import degrees
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from robot.gait import Standing, Walking
from robot.live.scene_frames import SceneBodies, foot_forces, tilt_of
from robot.live.scene_snapshot import SceneLayout, SceneSnapshot
from robot.measures import Fall
from robot.recorder import Recorder
from robot.run import FINISHED
from robot.simulator import Command, SimStep
from robot.walk import (
    Executed,
    Scenario,
    anchored,
    as_read,
    assemble_walk,
    complete,
    save_scenario,
)
from sole.base.arrays import FloatArray
from sole.base.config import written
from sole.base.errors import SoleError
from sole.condense import describe_excess

if TYPE_CHECKING:
    from robot.pictures.browser import LivePage

LONGEST = 1800.0  # s of a session: its record fits in memory
FEW = 60  # nodes a foot, below which the robot itself takes most of the time
SETTINGS = ("young", "poisson", "friction", "controller")  # that pages show
AFTER = 10.0  # s that the walk may go on after the end, for the verdict


class RunningWalk:
    """A scenario that runs until its longest duration.

    Parameters
    ----------
    scenario : a walk or a stand gets an online plan, so that it can be steered.
    folder : of its paths. every, nodes : what is recorded, as in `robot.walk.RecordingOptions`.
    tell : called with what should be said aloud.
    """

    def __init__(
        self,
        scenario: Scenario,
        folder: Path | None = None,
        *,
        every: int = 10,
        nodes: int = 50,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        plan = scenario.plan
        if isinstance(scenario.gait, Walking | Standing) and scenario.retime is None:
            plan = replace(plan, kind="online")
        self.first = as_read(replace(scenario, plan=plan, duration=LONGEST))
        self.walk = assemble_walk(self.first, folder)
        made = self.walk.scenario  # with the height of its start and the step of this robot
        self.first = replace(self.first, start=made.start, gait=made.gait)
        self.every, self.nodes, self.tell = every, nodes, tell
        for note in self.walk.notes:
            tell(note)
        self.folder = Path() if folder is None else folder
        self.snapshot = SceneSnapshot(self.walk)
        self.begin()

    def begin(self) -> None:
        """Begin anew: the first scenario, the first state, an empty record."""
        walk = self.walk
        walk.scenario = self.first
        s = walk.scenario
        self.recorder = Recorder(
            walk.simulator, walk.start, s.dt, feet=walk.feet, every=self.every, nodes=self.nodes,
            scenario=written(s),
        )  # fmt: skip
        self.steps: Iterator[tuple[SimStep, Command]] = walk.steps(beyond=AFTER, ahead=1)
        self.state, self.count, self.pulling = walk.start, 0, False
        self.fall: Fall | None = None
        self.trouble: SoleError | None = None
        self.step: SimStep | None = None

    @property
    def over(self) -> bool:
        """Whether it cannot go on: the robot fell, a step failed, or the time is up."""
        ended = self.fall is not None or self.trouble is not None
        return ended or self.count >= round(LONGEST / self.first.dt)

    def advance(self) -> None:
        """Make one step and record it; not when it is `over`."""
        try:
            step, command = next(self.steps)
        except SoleError as error:
            self.trouble = error
            return
        self.step, self.state = step, step.state
        self.recorder.record(step, command)
        self.count += 1
        if sign := self.walk.sign(step):
            self.fall = Fall(True, step.state.time, sign)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.state.time

    @property
    def layout(self) -> SceneLayout:
        """Sizes of a snapshot."""
        return self.snapshot.layout

    @property
    def bodies(self) -> SceneBodies:
        """The contact bodies."""
        return SceneBodies.of(self.walk)

    def settings(self) -> dict[str, Any]:
        """Return E [Pa], nu and mu of the soles, the controller, and the last gait asked for."""
        s = self.walk.scenario
        found: dict[str, Any] = {
            "young": s.sole.young,
            "poisson": s.sole.poisson,
            "friction": s.sole.friction,
            "controller": s.control.kind,
        }
        for change in s.change:  # in the order of time
            if change.time <= self.state.time:
                new = {name: getattr(change, name) for name in SETTINGS}
                found |= {name: value for name, value in new.items() if value is not None}
        commands = s.plan.command if self.walk.online is not None else ()
        if commands and not commands[-1].stop:
            found |= {"forward": commands[-1].forward, "turn_deg": degrees(commands[-1].turn)}
        return found

    def excess(self) -> str:
        """Return in words by how much a sole is beyond linear elasticity; "" if all are within."""
        bodies = self.walk.simulator.stepper.bodies
        moved = np.linalg.norm(self.state.soles.displacement, axis=1)
        thickness = bodies.thickness[bodies.body]
        known = thickness > 0
        return describe_excess(float((moved[known] / thickness[known]).max(initial=0.0)))

    def row(self, **numbers: Any) -> FloatArray:
        """Return the snapshot of now; `numbers` by `NUMBERS` besides the time."""
        assert self.step is not None
        own = {"over": self.over, "pulling": self.pulling}
        return self.snapshot.fill(self.walk, self.step, **numbers, **own)

    def curves(self) -> list[float]:
        """Return tilt [deg], vertical force of each foot and force of the pull [N], last row."""
        row = self.snapshot.parts
        forces = foot_forces(self.bodies.sides, row["rotations"], row["wrench"])[:, 2]
        pull = float(np.linalg.norm(row["grip"][2]))
        return [float(np.degrees(tilt_of(row["q"]))), *forces.tolist(), pull]

    def page(self) -> LivePage:
        """Return the page; a step has been made."""
        from robot.live.walk_page import walk_page

        assert self.step is not None
        return walk_page(self.walk, self.step)

    def ended(self) -> str:
        """Return in words why it cannot go on."""
        if self.fall is not None:
            return f"the robot fell at {self.time:.2f} s: {self.fall.reason}"
        if self.trouble is not None:
            return f"the simulation stopped at {self.time:.2f} s: {self.trouble}"
        return f"the session has its longest duration, {self.time:g} s"

    def advice(self) -> str:
        """Return what makes it faster."""
        nodes = max(len(t.body.points) for t in self.walk.feet.touching)
        if nodes <= FEW:
            return f"{nodes} nodes a foot: fewer would hardly be faster"
        sole = self.first.sole
        coarser = "condense a coarser mesh" if sole.file else f"--size-tread {1.5 * sole.size:.2g}"
        return f"{nodes} nodes a foot; a coarser sole is faster: {coarser}"

    def finish(self) -> tuple[Executed, Scenario]:
        """Return the run so far and the scenario that repeats it.

        Raises
        ------
        SoleError
            Nothing was recorded.
        """
        walk, dt = self.walk, self.first.dt
        scenario = replace(walk.scenario, duration=self.count * dt)
        walk.scenario = scenario
        run = self.recorder.run(self._ended())
        done = complete(walk, run, self.steps, self.fall, self.trouble)
        header = {**done.run.header, "scenario": written(scenario)}
        return done._replace(run=replace(done.run, header=header)), scenario

    def save(self, output: Path) -> dict[str, Any] | None:
        """Write the run, and beside it the scenario that repeats it; return what was written."""
        from robot.run import save_anyhow

        if not len(self.recorder):
            return None
        done, scenario = self.finish()
        save_anyhow(output, done.run)
        again = output.with_suffix(".toml")
        save_scenario(again, anchored(scenario, self.folder))
        fell = bool(done.run.header["fall"]["fell"])
        return {"fell": fell, "output": str(output), "scenario": str(again)}

    def _ended(self) -> str:
        from robot.measures import FELL

        if self.trouble is not None:
            return f"error: {self.trouble}"
        return FINISHED if self.fall is None else FELL
