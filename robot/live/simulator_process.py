"""The process that simulates a scene in real time: it obeys messages and shows snapshots.

It steps at the pace of the clock (`robot.live.real_time_clock`), or at a chosen multiple of it,
and says by how much it is slower.
Messages come through a pipe, one at a time: each is answered when it is carried out. When the pipe
closes, the run is saved; `robot.live.ordered_end` says how else it can end.
"""

from __future__ import annotations

import gc
import time
import warnings
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import Any

from robot.live.hands_on import Session
from robot.live.ordered_end import OrderedEnd
from robot.live.page_messages import read_number
from robot.live.real_time_clock import FASTEST, SLOWEST, RealTimeClock
from robot.live.shared_snapshot import SharedSnapshot
from sole.base.errors import LinearRangeWarning, SoleError

RATE = 1 / 60  # s between snapshots
LISTEN = 0.002  # s between looks at the messages
IDLE = 0.01  # s between looks at the messages while paused
PLOTTED = 0.1  # simulated s between points of the pages' plots
MOST_KEPT = 100  # runs of a session, a file each
LARGEST_STAMP = 2**53  # a float counts so far


def simulate(session: Session, pipe: Connection, name: str | None = None) -> None:
    """Run a session: entry point of the process. What it says goes through the pipe.

    It sends ("say", text), ("tell", data for all pages), ("curve", [time, what plots show]),
    ("over", why the scene cannot continue), ("taken", None) when it has carried out a message,
    ("saving", file), ("done", report), ("failed", text), ("page", title, text, (name of the
    snapshots, layout, bodies)) and, at last, ("ended", None). It takes messages of the page as
    mappings; None ends it. `name` : of the snapshots.
    """
    warnings.simplefilter("ignore", LinearRangeWarning)  # pages show deformations
    end = OrderedEnd()
    end.handle_signals()
    end.follow_display(lambda: None if name is None else SharedSnapshot.remove(name))
    try:
        from sole.base.blas_threads import one_blas_thread

        with end.droppable(last=True):
            loop = SceneLoop(session, pipe, end, name)
        # Ours alone: a collection among the 150 000 objects of imported modules takes 0.1 s.
        gc.freeze()
        with one_blas_thread():
            loop.run()
    except SoleError as error:
        _send(pipe, "failed", str(error))
    except (BrokenPipeError, EOFError, KeyboardInterrupt):
        pass
    except Exception:
        if not end.asked:  # else it is what became of `Terminated` in an import or compiled code
            raise
    finally:
        end.ignore_signals()
    _send(pipe, "ended", None)


class SceneLoop:
    """The loop of one process."""

    def __init__(
        self, session: Session, pipe: Connection, end: OrderedEnd, name: str | None = None
    ) -> None:
        self.session, self.pipe, self.end = session, pipe, end
        self.hands = session.open(lambda text: _send(pipe, "say", text))
        try:
            self.hands.advance()
            if self.hands.over:
                raise SoleError(self.hands.ended())
        except (SoleError, KeyboardInterrupt):
            self.hands.close()
            raise
        page, layout = self.hands.page(), self.hands.layout
        self.shared = SharedSnapshot.create(layout.size, name)
        self.clock, self.paused = RealTimeClock(self.hands.nap), False
        self.stamp = self.session_count = 0
        self.told_slow = self.told_over = self.told_beyond = False
        self.settings = self.hands.settings()  # as pages show them
        self.fresh: bool = False  # whether a message came since the last snapshot
        self.plotted = -PLOTTED
        self._show()
        bodies = self.hands.bodies
        _send(pipe, "page", page.title, page.text, (self.shared.name, layout, bodies))

    def run(self) -> None:
        """Step until the pipe is closed or says so."""
        try:
            self.clock.start(self.hands.time)
            due = heard = 0.0
            while True:
                hands, now = self.hands, time.perf_counter()
                if now >= heard:  # asking costs as much as a tenth of a step
                    heard = now + LISTEN
                    if not self._listen():
                        break
                if self.paused or hands.over:
                    self._say_over()
                    hands.idle()
                    time.sleep(IDLE)
                    continue
                hands.advance()
                t = hands.time
                now = time.perf_counter()
                if now >= due or self.fresh:
                    due, self.fresh = now + RATE, False
                    self.clock.measure(t)
                    self._show()
                    self._say_slow()
                    self._say_beyond()
                self.clock.wait(t)
        finally:
            try:
                self._finish()
            finally:
                self.shared.close()
                self.hands.close()

    def _listen(self) -> bool:
        """Carry out what has come; return whether to go on."""
        if self.end.asked:
            return False
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
                self._tell_settings(always=True)  # the page shows what it asked for
            except Exception as error:  # no message ends the simulator
                told = f"not done: internal error, {type(error).__name__}: {error}"
            _send(self.pipe, "taken", None)
            self.stamp, self.fresh = _stamp_of(message, self.stamp), True
            if told:
                _send(self.pipe, "say", told)
            if self.paused or self.hands.over:
                self._show()
        return True

    def _obey(self, message: Mapping[str, Any]) -> str:
        name, hands = message.get("do"), self.hands
        if name == "pause":
            self.paused = not self.paused
            self.clock.start(hands.time)
            return "paused" if self.paused else ""
        if name == "speed":
            speed = read_number(message, "speed", SLOWEST, FASTEST)
            hands.check_speed(speed)
            self.clock.speed = speed
            self.clock.start(hands.time)
            self.told_slow = False
            return f"speed {speed:g} of real time"
        if name == "restart":
            if self.session.output is not None and self.session_count + 1 >= MOST_KEPT:
                return f"{MOST_KEPT} runs are kept, no more: end this session and begin another"
            told = self._finish()
            hands.begin()
            hands.advance()
            self.session_count += 1
            self.paused = self.told_over = self.told_beyond = False
            self.clock.start(hands.time)
            self.plotted = -PLOTTED
            _send(self.pipe, "tell", {"session": self.session_count})  # what was known is past
            self._tell_settings(always=True)
            for known in hands.consequences(message):
                _send(self.pipe, "tell", known)
            return f"restarted; {told}" if told else "restarted"
        if hands.over:
            return "the run is over: restart"
        if name == "step":
            self.paused = True
            hands.advance()
            return ""
        with self.end.droppable():
            told = hands.obey(message)
        for known in hands.consequences(message):
            self.clock.start(hands.time)
            _send(self.pipe, "tell", known)
        return told

    def _show(self) -> None:
        row = self.hands.row(
            factor=self.clock.factor, stamp=self.stamp, paused=self.paused,
            session=self.session_count, speed=self.clock.speed,
        )  # fmt: skip
        self.shared.write(row)
        t = self.hands.time
        if t >= self.plotted + PLOTTED - 1e-9:
            self.plotted = t
            _send(self.pipe, "curve", [round(t, 4), *self.hands.curves()])
        self._tell_settings()

    def _tell_settings(self, *, always: bool = False) -> None:
        """Tell all pages what their controls must show, if that is another than they know."""
        settings = self.hands.settings()
        if always or settings != self.settings:
            self.settings, self.told_beyond = settings, False
            _send(self.pipe, "tell", {"set": settings})

    def _say_over(self) -> None:
        hands = self.hands
        if not hands.over or self.told_over:
            return
        self.told_over = True
        self._show()
        _send(self.pipe, "over", hands.ended())

    def _say_slow(self) -> None:
        if self.told_slow or not self.clock.too_slow:
            return
        self.told_slow = True
        wanted = "" if self.clock.speed == 1 else f" instead of {self.clock.speed:g}"
        told = (
            f"slow motion: {self.clock.factor:.2f} times real time{wanted} with "
            f"{self.hands.advice()}"
        )
        _send(self.pipe, "say", told)

    def _say_beyond(self) -> None:
        if not self.told_beyond and (excess := self.hands.excess()):
            self.told_beyond = True
            _send(self.pipe, "say", f"the soles are {excess}: the pressures are not to be trusted")

    def _finish(self) -> str:
        """Save the run, if it is kept; return what was written, and say how it ended."""
        hands, output = self.hands, self.session.output
        if output is None:
            _send(self.pipe, "done", {"time": hands.time, "output": None})
            return ""
        if self.session_count:
            output = output.with_name(f"{output.stem}-{self.session_count + 1}{output.suffix}")
        self.end.saving = True
        _send(self.pipe, "saving", str(output))
        try:
            done = hands.save(output)
        finally:
            self.end.saving = False
        if done is None:
            return ""
        _send(self.pipe, "done", {"time": hands.time, **done})
        return f"what was before is in {output}"


def _stamp_of(message: Mapping[str, Any], last: int) -> int:
    """Return the number that comes back with the next snapshot; pages need not give one."""
    stamp = message.get("stamp", last)
    given = isinstance(stamp, int | float) and abs(stamp) <= LARGEST_STAMP
    return int(stamp) if given else last


def _send(pipe: Connection, *message: Any) -> None:
    try:
        pipe.send(message)
    except (BrokenPipeError, OSError):
        pass  # the display is gone: the run is saved all the same
