"""Messages of pages on their way to the simulator, which takes one at a time.

The next one is written when the simulator has carried out the last, so the pipe never holds more
than one and writing to it never blocks. Meanwhile the others wait here: of one kind in a row only
the newest, as of a pointer that moves, and not more than `MOST`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

MOST = 32  # messages that wait
NEWEST = ("move", "force", "set", "rest", "let go")  # what replaces one that says less


class MessageQueue:
    """Passes messages on by `write`, in order; call it from one thread only."""

    def __init__(self, write: Callable[[dict[str, Any]], None]) -> None:
        self.write = write
        self.waiting: deque[dict[str, Any]] = deque()
        self.under_way = False

    def put(self, message: dict[str, Any]) -> str:
        """Pass a message on, now or later; return why it is dropped, "" if it is not."""
        last = self.waiting[-1] if self.waiting else {}
        name = message.get("do")
        if name in NEWEST and last.get("do") == name and last.keys() == message.keys():
            self.waiting[-1] = message
        elif len(self.waiting) < MOST or name == "let go":
            self.waiting.append(message)
        else:
            return f"dropped: the simulator is busy, and {MOST} messages wait for it"
        self._write_next()
        return ""

    def taken(self) -> None:
        """Note that the simulator has carried out the last message."""
        self.under_way = False
        self._write_next()

    def _write_next(self) -> None:
        if self.waiting and not self.under_way:
            self.under_way = True
            self.write(self.waiting.popleft())
