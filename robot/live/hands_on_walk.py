"""A walk that a user pushes, pulls and changes while it runs; all of it is written down.

What the user does becomes a push, a pull, a change or a command of the scenario at the present
time, and the walk reads its scenario from step to step. So the scenario at the end, run by
`sole walk`, gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import cos, radians, sin, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from robot.live.page_messages import read_number, read_vector
from robot.live.scene_frames import SceneBodies
from robot.live.scene_snapshot import SceneLayout, SceneSnapshot
from robot.measures import Fall
from robot.online import WalkCommand
from robot.recorder import Recorder
from robot.run import FINISHED
from robot.simulator import Command, SimStep
from robot.walk import (
    Executed,
    PullPlan,
    PushPlan,
    Scenario,
    SceneChange,
    anchored,
    as_read,
    assemble_walk,
    complete,
    save_scenario,
)
from sole.base.arrays import FloatArray
from sole.base.config import structure, written
from sole.base.errors import ConfigError, SoleError

if TYPE_CHECKING:
    from robot.pictures.browser import LivePage

LONGEST = 1800.0  # s of a session: its record fits in memory
AFTER = 10.0  # s that the walk may go on after the end, for the verdict
PUSH_TIME = 0.1  # s of a push
STRONGEST = 200.0  # N s of a push
ZETA = 0.7  # damping of a pull, of the critical one of the lightest direction
JUMP = 0.5  # m by which a target may move at once
PLATE_SIDE, PLATE_AHEAD = 0.5, 0.18  # m; the gap between the foremost node and the plate
SETTINGS = ("young", "poisson", "friction", "controller")


class HandsOnWalk:
    """A scenario that runs and obeys.

    Parameters
    ----------
    scenario : a walk or a stand gets an online plan, so that it can be steered.
    folder : of its paths. every, nodes : what is recorded, as in `robot.walk.Kept`.
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
        if scenario.gait.kind in ("walk", "stand") and scenario.retime is None:
            plan = replace(plan, kind="online")
        self.first = as_read(replace(scenario, plan=plan, duration=LONGEST))
        self.walk = assemble_walk(self.first, folder)
        self.every, self.nodes, self.tell = every, nodes, tell
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
        self.steps: Iterator[tuple[SimStep, Command]] = walk.steps(beyond=AFTER)
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

    def row(self, **numbers: Any) -> FloatArray:
        """Return the snapshot of now; `numbers` by `NUMBERS` besides the time."""
        assert self.step is not None
        own = {"over": self.over, "pulling": self.pulling}
        return self.snapshot.fill(self.walk, self.step, **numbers, **own)

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
        more = " (a coarser sole: --size 0.04)" if nodes > 60 else ""
        return f"{nodes} nodes a foot{more}"

    def consequences(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return what all pages must know after a message was obeyed."""
        told: list[dict[str, Any]] = []
        if message.get("do") == "set":
            told.append({"set": {n: message[n] for n in SETTINGS if n in message}})
        if message.get("do") == "plate":
            x, y, side, height = self.walk.scenario.change[-1].plate or (0.0,) * 4
            top = self.walk.simulator.ground.height(np.array([x]), np.array([y]))[0]
            place = {"x": x, "y": y, "side": side, "height": height, "z": float(top) - height}
            told.append({"plate": place})
        return told

    # ---- what a user does

    def obey(self, message: Mapping[str, Any]) -> str:
        """Carry out a message of the page from the next step on; return what to say, often "".

        Raises
        ------
        SoleError
            It cannot be done; nothing has changed.
        """
        name = str(message.get("do"))
        act = {
            "grab": self._grab, "move": self._move, "let go": self._let_go, "push": self._push,
            "walk": self._steer, "stand": self._stand, "squat": self._stand, "set": self._set,
            "plate": self._plate,
        }.get(name)  # fmt: skip
        if act is None:
            raise ConfigError(f"the page asks for '{name[:40]}', which is not known")
        return act(message)

    def _grab(self, message: Mapping[str, Any]) -> str:
        self._let_go(message)
        model = self.walk.simulator.model
        joint = int(read_number(message, "joint", 0, model.njoints - 2))
        link = str(model.names[joint + 1])
        point, target = read_vector(message, "point"), read_vector(message, "target")
        k = read_number(message, "stiffness", 1.0, 5000.0)
        mass = self.walk.points.mass(link, point, self.state.q)
        pull = PullPlan(
            path=((self.state.time or self.first.dt / 2, *target),),  # 0 would begin with settling
            link=link,
            point=point,
            stiffness=k,
            damping=round(2 * ZETA * sqrt(k * mass), 6),
        )
        self._write(pull=(*self.walk.scenario.pull, pull))
        self.pulling = True
        return f"pulling {link}"

    def _move(self, message: Mapping[str, Any]) -> str:
        if not self.pulling:
            return ""
        *others, pull = self.walk.scenario.pull
        target, t = read_vector(message, "target"), self.state.time
        last = pull.path[-1]
        far = float(np.linalg.norm(np.subtract(target, last[1:])))
        path = pull.path[:-1] if last[0] == t else pull.path
        self._write(pull=(*others, replace(pull, path=(*path, (t, *target)))))
        if far > JUMP:
            return f"the target jumped by {far:.2f} m: the force stays within {pull.limit:g} N"
        return ""

    def _let_go(self, message: Mapping[str, Any]) -> str:
        if not self.pulling:
            return ""
        *others, pull = self.walk.scenario.pull
        self.pulling = False
        if pull.start == self.state.time:
            self._write(pull=tuple(others))
        else:
            self._write(pull=(*others, replace(pull, end=self.state.time)))
        return ""

    def _push(self, message: Mapping[str, Any]) -> str:
        size = read_number(message, "impulse", 0.0, STRONGEST)
        heading = radians(read_number(message, "heading_deg", -360.0, 360.0))
        force = size / PUSH_TIME
        push = PushPlan(
            force=(force * cos(heading), force * sin(heading), 0.0),
            start=self.state.time,
            duration=PUSH_TIME,
        )
        if size > 0:
            self._write(push=(*self.walk.scenario.push, push))
        return f"push of {size:g} N s"

    def _steer(self, message: Mapping[str, Any]) -> str:
        speeds = {
            "forward": read_number(message, "forward", -1.0, 1.0),
            "sideways": read_number(message, "sideways", -0.5, 0.5),
            "turn_deg": read_number(message, "turn_deg", -90.0, 90.0),
        }
        online = self._online()
        told = structure({"time": 0.0, **speeds}, WalkCommand, "walk")
        course = online.course
        kept = course.stride
        try:
            course.ask(online.now.hold, told.forward, told.sideways, told.turn)
        finally:
            course.stride = kept
        self._command(told)
        return "walks"

    def _stand(self, message: Mapping[str, Any]) -> str:
        lower = read_number(message, "lower", 0.0, 0.3) if message["do"] == "squat" else 0.0
        self._command(WalkCommand(time=0.0, stop=True, lower=lower))
        return "squats" if lower else "stands"

    def _online(self) -> Any:
        if self.walk.online is None:
            raise ConfigError(
                f"the gait {self.first.gait.kind!r} goes as planned: begin with a walk or a stand "
                "to steer it"
            )
        return self.walk.online

    def _command(self, command: WalkCommand) -> None:
        online = self._online()
        command = replace(command, time=(online.now.row + 1) * online.T)
        given = (*online.choice.command, command)
        online.choice = replace(online.choice, command=given)
        self._write(plan=online.choice)

    def _set(self, message: Mapping[str, Any]) -> str:
        bounds = {"young": (1e4, 1e9), "poisson": (0.0, 0.499), "friction": (0.0, 2.0)}
        values: dict[str, Any] = {
            name: read_number(message, name, *limits)
            for name, limits in bounds.items()
            if name in message
        }
        if "controller" in message:
            values["controller"] = str(message["controller"])
        if "poisson" in values:
            self.tell("condensing the sole at five nu, once")
        self._change(SceneChange(time=self.state.time, **values))
        return ", ".join(f"{name} = {value}" for name, value in values.items())

    def _plate(self, message: Mapping[str, Any]) -> str:
        height = read_number(message, "height", 1e-3, 0.1)
        place = self._ahead()
        self._change(SceneChange(time=self.state.time, plate=(*place, PLATE_SIDE, height)))
        return f"plate, {1e3 * height:g} mm high, at x = {place[0]:.2f}, y = {place[1]:.2f} m"

    def _ahead(self) -> tuple[float, float]:
        """Return the middle of a plate in front of both feet, on an axis of the world."""
        walk, n = self.walk, len(self.walk.feet.touching)
        _, R, p = walk.simulator.dynamics.frames_at(self.state.q)
        points = np.concatenate(
            [p[b] + walk.feet.touching[b].body.points @ R[b].T for b in range(n)]
        )[:, :2]
        ahead = R[0, :2, 0] + R[min(1, n - 1), :2, 0]
        axis = int(np.abs(ahead).argmax())
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        sign = float(np.sign(ahead[axis]))
        edge = float((sign * points[:, axis]).max())
        middle[axis] = sign * (edge + PLATE_AHEAD + PLATE_SIDE / 2)
        return round(float(middle[0]), 4), round(float(middle[1]), 4)

    def _change(self, change: SceneChange) -> None:
        done = (*self.walk.scenario.change, change)
        scenario = replace(self.walk.scenario, change=done)  # refuses what soles cannot change
        self.walk.changed_parts(done, self.state)
        self.walk.scenario = scenario

    def _write(self, **values: Any) -> None:
        self.walk.scenario = replace(self.walk.scenario, **values)

    @property
    def pull_force(self) -> FloatArray:
        """Force (3,) of the present pull on the robot [N]; 0 if there is none."""
        if not self.pulling:
            return np.zeros(3)
        pull, state = self.walk.scenario.pull[-1], self.state
        x, v, _ = self.walk.points.motion(pull.link, pull.point, state.q, state.v)
        return pull.force(state.time, x, v)

    # ---- the end

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
