"""The process that simulates a scene in real time: it obeys messages and shows snapshots.

It steps at the pace of the clock and never catches up: who is late goes on from where it is, and
says by how much it is slower. Messages come through a pipe; when that closes, the run is saved.
"""

from __future__ import annotations

import signal
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from robot.live.scene_frames import SceneBodies
from robot.live.shared_snapshot import SharedSnapshot
from sole.base.errors import SoleError

if TYPE_CHECKING:
    from robot.live.hands_on_walk import HandsOnWalk
    from robot.walk import Scenario

RATE = 1 / 60  # s between snapshots
LATE = 0.05  # s behind the clock after which it goes on from where it is
WINDOW = 1.0  # s over which the speed is measured
SETTINGS = ("young", "poisson", "friction", "controller")
IDLE = 0.01  # s between looks at the messages while paused
SLOW, PATIENCE = 0.9, 3.0  # times real time, and s below it, before something is said


@dataclass(frozen=True, kw_only=True)
class Session:
    """What a simulator process is to do.

    `output` : file of the run, None: it is not kept; the scenario goes to the .toml beside it.
    """

    scenario: Scenario
    folder: Path
    output: Path | None
    every: int
    nodes: int


class Clock:
    """Keeps the pace and measures the speed."""

    def __init__(self) -> None:
        self.start(0.0)

    def start(self, t: float) -> None:
        """Let simulated time t be now."""
        self.zero = time.perf_counter() - t
        self.marks: deque[tuple[float, float]] = deque([(time.perf_counter(), t)])
        self.factor = 1.0
        self.slow: float | None = None  # since when it is slow

    def wait(self, t: float) -> None:
        """Sleep until simulated time t is due."""
        now = time.perf_counter()
        ahead = t - (now - self.zero)
        if ahead > 0:
            time.sleep(ahead)
        elif ahead < -LATE:
            self.zero = now - t

    def measure(self, t: float) -> None:
        """Update the speed at simulated time t."""
        now = time.perf_counter()
        self.marks.append((now, t))
        while now - self.marks[0][0] > WINDOW:
            self.marks.popleft()
        passed = now - self.marks[0][0]
        if passed > WINDOW / 2:
            self.factor = (t - self.marks[0][1]) / passed
        if self.factor >= SLOW:
            self.slow = None
        elif self.slow is None:
            self.slow = now

    @property
    def too_slow(self) -> bool:
        """Whether it has been slow for a while."""
        return self.slow is not None and time.perf_counter() - self.slow > PATIENCE


def simulate(session: Session, pipe: Connection) -> None:
    """Run a session: entry point of the process. What it says goes through the pipe.

    It sends ("say", text), ("tell", data for all pages), ("done", report), ("failed", text) and
    ("page", title, text, (name of the snapshots, layout, bodies)). It takes messages of the page
    as mappings; None ends it.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the display decides about the end
    try:
        SceneLoop(session, pipe).run()
    except SoleError as error:
        _send(pipe, "failed", str(error))
    except (BrokenPipeError, EOFError):
        pass


class SceneLoop:
    """The loop of one process."""

    def __init__(self, session: Session, pipe: Connection) -> None:
        from robot.live.hands_on_walk import HandsOnWalk
        from robot.live.walk_page import walk_page

        self.session, self.pipe = session, pipe
        self.hands: HandsOnWalk = HandsOnWalk(
            session.scenario,
            session.folder,
            every=session.every,
            nodes=session.nodes,
            tell=lambda text: _send(pipe, "say", text),
        )
        self.hands.advance()
        if self.hands.trouble is not None:
            raise self.hands.trouble
        layout = self.hands.snapshot.layout
        self.shared = SharedSnapshot.create(layout.size)
        self.clock, self.paused, self.stamp, self.session_count, self.shown = (
            Clock(),
            False,
            0,
            0,
            0,
        )
        self.told_slow = self.told_over = False
        self.fresh: bool = False  # whether a message came since the last snapshot
        page = walk_page(self.hands)
        self._show()
        bodies = SceneBodies.of(self.hands.walk)
        _send(pipe, "page", page.title, page.text, (self.shared.name, layout, bodies))

    def run(self) -> None:
        """Step until the pipe is closed or says so."""
        try:
            self.clock.start(self.hands.state.time)
            due = 0.0
            while self._listen():
                hands = self.hands
                if self.paused or hands.over:
                    self._say_over()
                    time.sleep(IDLE)
                    continue
                hands.advance()
                t = hands.state.time
                now = time.perf_counter()
                if now >= due or self.fresh:
                    due, self.fresh = now + RATE, False
                    self.clock.measure(t)
                    self._show()
                    self._say_slow()
                self.clock.wait(t)
        finally:
            try:
                self._finish()
            finally:
                self.shared.close()

    def _listen(self) -> bool:
        """Carry out what has come; return whether to go on."""
        while self.pipe.poll():
            try:
                message = self.pipe.recv()
            except EOFError:
                return False
            if message is None:
                return False
            try:
                told = self._obey(message)
            except SoleError as error:
                told = f"not done: {error}"
            self.stamp, self.fresh = int(message.get("stamp", self.stamp)), True
            if told:
                _send(self.pipe, "say", told)
            if self.paused or self.hands.over:
                self._show()
        return True

    def _obey(self, message: Mapping[str, Any]) -> str:
        name, hands = message.get("do"), self.hands
        if name == "pause":
            self.paused = not self.paused
            self.clock.start(hands.state.time)
            return "paused" if self.paused else ""
        if name == "restart":
            told = self._finish()
            hands.begin()
            hands.advance()
            self.session_count += 1
            self.paused = self.told_over = False
            self.clock.start(hands.state.time)
            return f"begun anew; {told}" if told else "begun anew"
        if name == "step":
            self.paused = True
            hands.advance()
            return ""
        if hands.over:
            return "the run is over: restart"
        told = hands.obey(message)
        if name in ("set", "plate"):
            self.clock.start(hands.state.time)
            now = {n: message[n] for n in SETTINGS if n in message}
            _send(self.pipe, "tell", {"set": now})
        if name == "plate":
            x, y, side, height = hands.walk.scenario.change[-1].plate or (0.0,) * 4
            ground = hands.walk.simulator.ground.height(np.array([x]), np.array([y]))
            place = {"x": x, "y": y, "side": side, "height": height, "z": float(ground[0]) - height}
            _send(self.pipe, "tell", {"plate": place})
        return told

    def _show(self) -> None:
        hands = self.hands
        if hands.step is None:
            return
        row = hands.snapshot.fill(
            hands.walk, hands.step, factor=self.clock.factor, stamp=self.stamp,
            paused=self.paused, over=hands.over, pulling=hands.pulling,
            session=self.session_count, page=len(hands.walk.scenario.change),
        )  # fmt: skip
        self.shared.write(row)

    def _say_over(self) -> None:
        hands = self.hands
        if not hands.over or self.told_over:
            return
        self.told_over = True
        self._show()
        if hands.fall is not None:
            told = f"the robot fell at {hands.state.time:.2f} s: {hands.fall.reason}"
        elif hands.trouble is not None:
            told = f"the simulation stopped at {hands.state.time:.2f} s: {hands.trouble}"
        else:
            told = f"the session has its longest duration, {hands.state.time:g} s"
        _send(self.pipe, "say", f"{told}; restart begins anew")

    def _say_slow(self) -> None:
        if self.told_slow or not self.clock.too_slow:
            return
        self.told_slow = True
        nodes = max(len(t.body.points) for t in self.hands.walk.feet.touching)
        told = f"slow motion: {self.clock.factor:.2f} times real time with {nodes} nodes a foot"
        more = " (a coarser sole: --size 0.04)" if nodes > 60 else ""
        _send(self.pipe, "say", told + more)

    def _finish(self) -> str:
        """Save the run, if it is kept; return what was written, and say how it ended."""
        hands, output = self.hands, self.session.output
        if not len(hands.recorder):
            return ""
        if output is None:
            _send(self.pipe, "done", {"time": hands.state.time, "output": None})
            return ""
        from robot.run import save_anyhow
        from robot.walk import anchored, save_scenario

        if self.session_count:
            output = output.with_name(f"{output.stem}-{self.session_count + 1}{output.suffix}")
        done, scenario = hands.finish()
        save_anyhow(output, done.run)
        again = output.with_suffix(".toml")
        save_scenario(again, anchored(scenario, self.session.folder))
        fall = done.run.header["fall"]
        told = {
            "time": hands.state.time,
            "fell": bool(fall["fell"]),
            "output": str(output),
            "scenario": str(again),
        }
        _send(self.pipe, "done", told)
        return f"the run before is in {output}"


def _send(pipe: Connection, *message: Any) -> None:
    try:
        pipe.send(message)
    except (BrokenPipeError, OSError):
        pass  # the display is gone: the run is saved all the same
