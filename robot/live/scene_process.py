"""The process of a simulator as its display sees it: started, spoken to, and ended in time."""

from __future__ import annotations

import multiprocessing
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from robot.live.ending_signals import signals_held_back
from robot.live.hands_on import Session
from robot.live.ordered_end import ANSWER, DROPPED
from robot.live.shared_snapshot import SharedSnapshot
from robot.live.simulator_process import simulate

AGAIN = 0.2  # s between two SIGTERMs, which drop a run that is being saved


class SceneProcess:
    """One simulator; `name` : of its snapshots.

    `ended` : whether it ended in order. `lost` : whether it did not answer and had to be stopped.
    """

    def __init__(self, session: Session) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, self._there = context.Pipe()
        self.name = f"sole-{secrets.token_hex(6)}"
        arguments = session, self._there, self.name
        self._process = context.Process(target=simulate, args=arguments, daemon=False)
        self._silent, self._asked = threading.Event(), 0.0
        self._saving = self.ended = self.lost = False

    def start(self) -> None:
        """Start it; what it says comes from `hear`."""
        with signals_held_back():
            self._process.start()
        self._there.close()  # its end is the process's alone: `hear` sees it die

    def hear(self) -> Iterator[tuple[Any, ...]]:
        """Yield what it says until it ends, as `simulate` lists it."""
        while not self.ended:
            try:
                said = self.pipe.recv()
            except (EOFError, OSError, TypeError):  # the last: closed meanwhile
                break
            self._saving, self.ended = said[0] == "saving", said[0] == "ended"
            yield said
        self._silent.set()

    def send(self, message: dict[str, Any] | None) -> None:
        """Send a message: small, and not before the last one is taken, so that nothing waits."""
        try:
            self.pipe.send(message)
        except OSError:
            pass  # it has ended by itself

    def ask_to_end(self) -> None:
        """Ask it to save its run and to end; `end` waits for that."""
        self._asked = time.monotonic()
        self.send(None)

    def end(self, tell: Callable[[str], None]) -> None:
        """Wait until it has ended; another thread hears. Only a run being saved may take long."""
        if not self._asked:
            self.ask_to_end()
        if self._silent.wait(max(0.0, self._asked + ANSWER - time.monotonic())):
            return
        self._process.terminate()  # drops what is done for a message, and the verdict on the run
        if self._silent.wait(DROPPED):
            return
        if self._saving:
            tell("saving the run; Ctrl-C drops it")
            self._silent.wait()
        else:
            self.lost = True

    def drop(self) -> None:
        """Stop it if it has not ended, and remove its memory; a run that is not saved is lost."""
        if self._process.pid is None:
            return
        for _ in range(0 if self.ended or self.lost else 2):
            if self._process.is_alive():
                self._process.terminate()
                self._process.join(AGAIN)
        self._process.kill()  # all is saved, or nothing can be
        self._process.join()
        SharedSnapshot.remove(self.name)

    @property
    def code(self) -> int | None:
        """Exit code once it has ended."""
        self._process.join(AGAIN)
        return self._process.exitcode
