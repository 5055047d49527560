"""How the process of a simulator ends: in order, and with its display.

The display asks for the end through the pipe. If that is not answered in time, SIGTERM asks again:
whatever is done for a message is dropped (`Terminated` is raised there), and the run is saved. A
second SIGTERM drops the run. Ctrl-C and a hang-up, which a terminal sends to all its processes, are
left to the display. When the display has died, a thread asks in its place.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sole.base.stopping import SIGNALS, Terminated

ANSWER, DROPPED = 1.1, 1.1  # s for the answer to the pipe, and then to SIGTERM


class OrderedEnd:
    """The end of this process: whether SIGTERM has `asked` for it, whether it is `saving` a run."""

    def __init__(self) -> None:
        self.asked = self.saving = False
        self._raises = self._last = self._dropped = False

    def handle_signals(self) -> None:
        """Handle the signals, which the display held back while this process started."""
        for number in SIGNALS:
            signal.signal(number, self._note)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    def ignore_signals(self) -> None:
        """Let nothing disturb the last steps."""
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)

    @contextmanager
    def droppable(self, *, last: bool = False) -> Iterator[None]:
        """Let SIGTERM raise `Terminated` in the block; `last`: there is no run to save after it."""
        self._raises, self._last = True, last
        try:
            yield
        finally:
            self._raises = self._last = False

    def follow_display(self, clean_up: Callable[[], None]) -> None:
        """End when the display dies; `clean_up` is called if that cannot be in order."""
        display = multiprocessing.parent_process()
        if display is None:  # not a process of its own
            return

        def wait() -> None:
            display.join()
            time.sleep(ANSWER)
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(DROPPED)
            while self.saving:
                time.sleep(0.1)
            clean_up()
            os._exit(1)

        threading.Thread(target=wait, daemon=True).start()

    def _note(self, number: int, frame: object) -> None:
        if number != signal.SIGTERM or self._dropped:
            return
        again, self.asked = self.asked, True
        self._dropped = again or self._last  # from now on nothing disturbs the cleaning up
        if self._raises or again:
            raise Terminated
