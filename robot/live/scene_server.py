"""The display of a running scene: browsers get frames and send messages, through websockets.

A browser gets the next frame when it has said that the last one arrived (a text "ack"), at most
`RATE` a second and fewer while the simulator is late, so a slow browser holds up nobody. All open
pages see the same scene and all may touch it; each is told how many are open. What a page sends is
checked and bounded here (`robot.live.page_messages`), and waits for the simulator elsewhere
(`robot.live.message_queue`): it holds up neither the other pages nor the end.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from robot.live.page_messages import read_message
from robot.live.scene_frames import SceneFrames
from robot.live.scene_snapshot import NUMBERS
from robot.live.shared_snapshot import SharedSnapshot
from sole.base.errors import ConfigError

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

RATE = 30.0  # frames a second
LOOK = 0.004  # s between looks for a snapshot
MOST_PAGES = 16
STAMP, FACTOR, SPEED = (NUMBERS.index(name) for name in ("stamp", "factor", "speed"))
LEAST, IN_TIME = 8.0, 0.98  # frames a second at least; share of the chosen speed that is in time
PAST = 110  # points of the plots that a page gets which opens later: ten seconds and some


class SceneServer:
    """Serves one scene.

    Parameters
    ----------
    shared : snapshots of the simulator. frames : makes frames of them. send : passes a message on
        to the simulator; it returns why not, or "". note : called with what only the terminal
        should say.
    """

    def __init__(
        self,
        shared: SharedSnapshot,
        frames: SceneFrames,
        send: Callable[[dict[str, Any]], str],
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.shared, self.frames, self.send, self.note = shared, frames, send, note
        self.pages: set[ServerConnection] = set()
        self.last: tuple[int, bytes, float] = (-1, b"", -1.0)
        self.owner: ServerConnection | None = None  # of the present pull
        self.lasting: list[dict[str, Any]] = []  # what a page that comes later must know
        self.past: deque[Sequence[float]] = deque(maxlen=PAST)
        self.rate, self.noted = RATE, False

    async def serve(self, connection: ServerConnection) -> None:
        """Serve one page until it goes."""
        from websockets.exceptions import ConnectionClosed

        if len(self.pages) >= MOST_PAGES:
            with contextlib.suppress(ConnectionClosed):
                await _say(connection, f"{MOST_PAGES} pages are open: close one of them")
            return
        acknowledged = asyncio.Event()
        acknowledged.set()
        sender: asyncio.Task[None] | None = None
        self.pages.add(connection)
        try:
            await self._tell_count()
            for data in (*self.lasting, {"past": list(self.past)}):
                await connection.send(json.dumps(data))
            sender = asyncio.create_task(self._frames(connection, acknowledged))
            async for text in connection:
                if text == "ack":
                    acknowledged.set()
                else:
                    await self._take(connection, text)
                await asyncio.sleep(0)  # a page that sends without a pause holds up nobody
        except ConnectionClosed:
            pass
        finally:
            if sender is not None:
                sender.cancel()
                with contextlib.suppress(asyncio.CancelledError, ConnectionClosed):
                    await sender
            self.pages.discard(connection)
            if self.owner is connection:  # a browser that closes lets go
                self.owner = None
                self.send({"do": "let go"})
            if not self.pages and not self.noted:
                self.noted = True
                self.note("no page is open: the run continues until Ctrl-C")
            await self._tell_count()

    def say(self, text: str) -> None:
        """Say something on all pages."""
        self._broadcast({"say": text})

    def tell(self, data: dict[str, Any]) -> None:
        """Tell all pages, and those that come later: only the last of what replaces the former.

        A `session` begins a run: nothing that was told of the last one lasts.
        """
        self._broadcast(data)
        if "session" in data:
            self.lasting.clear()
            self.past.clear()
            return
        for known in self.lasting:
            if known.keys() == data.keys() and "plate" not in data:  # plates add up
                for name, value in data.items():
                    both = isinstance(value, dict) and isinstance(known[name], dict)
                    known[name] = {**known[name], **value} if both else value
                return
        self.lasting.append(data)

    def plot(self, row: Sequence[float]) -> None:
        """Add a point to the plots of all pages, and of those that come later."""
        self.past.append(row)
        self._broadcast({"curve": row})

    async def _take(self, connection: ServerConnection, text: str | bytes) -> None:
        try:
            message = read_message(text)
        except ConfigError as error:
            await _say(connection, str(error))
            return
        name = message.get("do")
        if name in ("grab", "move", "let go") and self.owner not in (None, connection):
            if name == "grab":
                await _say(connection, "another page is pulling")
            return
        if refused := self.send(message):
            await _say(connection, refused)
            return
        if name == "grab":
            self.owner = connection
        elif name == "let go":
            self.owner = None

    async def _frames(self, connection: ServerConnection, acknowledged: asyncio.Event) -> None:
        loop, sent, due = asyncio.get_running_loop(), -1, 0.0
        stamp = -1.0
        while True:
            await acknowledged.wait()
            now = loop.time()
            count = self.shared.count
            fresh = count != sent
            if not fresh or (now < due and self._peek() == stamp):
                await asyncio.sleep(LOOK)
                continue
            frame = self._frame()
            if frame is None:
                await asyncio.sleep(LOOK)
                continue
            sent, data, stamp = frame
            acknowledged.clear()
            due = now + 1 / self.rate
            await connection.send(data)

    def _peek(self) -> float:
        """Return the stamp of the present snapshot, perhaps torn: it only hurries a frame."""
        return self.shared.peek(STAMP)

    def _frame(self) -> tuple[int, bytes, float] | None:
        """Return number, bytes and stamp of the newest frame; pages share it."""
        if self.shared.count != self.last[0]:
            found = self.shared.read()
            if found is None:
                return None
            count, row = found
            self._pace(late=row[FACTOR] < IN_TIME * row[SPEED])
            self.last = (count, self.frames.frame(row), float(row[STAMP]))
        return self.last

    def _pace(self, *, late: bool) -> None:
        """Send fewer frames while the simulator is late: browsers that draw take its cores."""
        self.rate = max(LEAST, 0.97 * self.rate) if late else min(RATE, 1.02 * self.rate)

    async def _tell_count(self) -> None:
        self._broadcast({"pages": len(self.pages)})

    def _broadcast(self, data: dict[str, Any]) -> None:
        from websockets.asyncio.server import broadcast

        broadcast(self.pages, json.dumps(data))


async def _say(connection: ServerConnection, text: str) -> None:
    await connection.send(json.dumps({"say": text}))
