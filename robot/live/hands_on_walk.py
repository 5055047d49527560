"""A walk that a user pushes, pulls and changes while it runs; all of it is written down.

What the user does becomes a push, a pull, a change or a command of the scenario at the present
time, and the walk reads its scenario from step to step. So the scenario at the end, run by
`sole walk`, gives the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import cos, radians, sin, sqrt
from typing import Any, Protocol

import numpy as np

from robot.live.page_messages import read_number, read_vector
from robot.live.real_time_clock import NAP
from robot.live.running_walk import SETTINGS, RunningWalk
from robot.online import WalkCommand
from robot.walk import PullPlan, PushPlan, SceneChange
from sole.base.arrays import FloatArray
from sole.base.config import structure
from sole.base.errors import ConfigError

PUSH_TIME = 0.1  # s of a push
STRONGEST = 200.0  # N s of a push
ZETA = 0.7  # damping of a pull, of the critical one of the lightest direction
JUMP = 0.5  # m by which a target may move at once
PLATE_SIDE, PLATE_AHEAD = 0.5, 0.18  # m; the gap between the foremost node and the plate
PLACES = 500  # of a pull's path: a longer one goes on as another pull
# What pages may add to a run: each slows every step down. A drag makes several pulls.
MOST_PULLS, MOST_PUSHES, MOST_COMMANDS, MOST_CHANGES, MOST_PLATES = 200, 200, 500, 200, 20
MOST_NODES, MOST_CONDENSED = 1000, 400  # a foot: soles that are changed, and condensed for a nu


class Puller(Protocol):
    """A device that pulls the walk: `robot.live.device_pull`."""

    holding: bool

    def follow(self) -> None:
        """Act before a step."""

    def relax(self) -> None:
        """Give no force."""

    def close(self) -> None:
        """Release the device."""


class HandsOnWalk(RunningWalk):
    """A running walk that obeys messages of a page, and perhaps a device: see `RunningWalk`."""

    device: Puller | None = None

    def advance(self) -> None:
        """Follow the device, if there is one, and make one step."""
        if self.device is not None:
            self.device.follow()
        super().advance()

    @property
    def nap(self) -> float:
        """Real time [s] that it may run ahead of the clock: none with a device."""
        return NAP if self.device is None else 0.0

    def check_speed(self, speed: float) -> None:
        """Refuse any speed but real time with a device: its user feels the force as it happens."""
        if self.device is not None and speed != 1.0:
            raise ConfigError("a haptic device pulls in real time: the speed stays 1")

    def idle(self) -> None:
        """Stand still: what is called instead of a step while it is paused or over."""
        if self.device is not None:
            self.device.relax()

    def close(self) -> None:
        """Release the device."""
        if self.device is not None:
            self.device.close()

    def consequences(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return what all pages must know after a message was obeyed."""
        told: list[dict[str, Any]] = []
        if message.get("do") == "set":
            told.append({"set": {n: message[n] for n in SETTINGS if n in message}})
        if message.get("do") == "plate":
            x, y, side, height = self.walk.scenario.change[-1].plate or (0.0,) * 4
            below = self.walk.simulator.ground.height(np.array([x]), np.array([y]))[0]
            place = {"x": x, "y": y, "side": side, "height": height, "z": float(below)}
            told.append({"plate": place})  # it will lie on the ground that the last step knew
        return told

    # ---- what a user does

    def obey(self, message: Mapping[str, Any]) -> str:
        """Carry out a message of the page from the next step on; return what to say, often "".

        Raises
        ------
        SoleError
            It cannot be done; nothing has changed.
        """
        held = self.device is not None and self.device.holding
        if held and message.get("do") in ("grab", "move", "let go"):
            raise ConfigError("the device is pulling")
        self._check_cost(message)
        return self.act(message)

    def _check_cost(self, message: Mapping[str, Any]) -> None:
        """Refuse what would slow the run down too much."""
        s, first, name = self.walk.scenario, self.first, message.get("do")
        pulls = len(s.pull) - len(first.pull)
        changes = s.change[len(first.change) :]
        plates = sum(change.plate is not None for change in changes)
        commands = len(s.plan.command) - len(first.plan.command)
        for names, what, count, most in (
            (("grab",), "pulls", pulls, MOST_PULLS),
            (("move",), "pulls", pulls, 2 * MOST_PULLS),
            (("push",), "pushes", len(s.push) - len(first.push), MOST_PUSHES),
            (("walk", "stand", "squat"), "commands", commands, MOST_COMMANDS),
            (("set", "plate"), "changes", len(changes), MOST_CHANGES),
            (("plate",), "plates", plates, MOST_PLATES),
        ):
            if name in names and count >= most:
                raise ConfigError(f"a run takes {most} {what} from pages: restart for more")
        nodes = max(len(touch.body.points) for touch in self.walk.feet.touching)
        most = MOST_CONDENSED if "poisson" in message else MOST_NODES
        if name in ("set", "plate") and nodes > most:
            raise ConfigError(
                f"this is done while it runs for at most {most} nodes a foot, here are {nodes}: "
                "begin with it in the scenario"
            )

    def act(self, message: Mapping[str, Any]) -> str:
        """Carry out a message of whoever may pull now; errors as for `obey`."""
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
        return f"pulling {'the waist' if joint == 0 else link}"

    def _move(self, message: Mapping[str, Any]) -> str:
        if not self.pulling:
            return ""
        *others, pull = self.walk.scenario.pull
        target, t = read_vector(message, "target"), self.state.time
        last = pull.path[-1]
        far = float(np.linalg.norm(np.subtract(target, last[1:])))
        path = pull.path[:-1] if last[0] == t else pull.path
        if len(path) < PLACES:
            self._write(pull=(*others, replace(pull, path=(*path, (t, *target)))))
        else:
            before, after = replace(pull, end=t), replace(pull, path=((t, *target),))
            self._write(pull=(*others, before, after))
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
