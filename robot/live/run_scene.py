"""A running scene and its page: starts the simulator's process and serves what it shows."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from robot.live.hands_on import Session
from robot.live.message_queue import MessageQueue
from robot.live.page_server import Served, check_port, serve_page
from robot.live.scene_frames import SceneFrames
from robot.live.scene_process import SceneProcess
from robot.live.scene_server import SceneServer
from robot.live.shared_snapshot import SharedSnapshot
from sole.base.errors import SoleError

DEAD = {"dead": "the simulator has ended"}


@dataclass
class LiveReports:
    """What became of a session: reports of the simulator, one for each run; what ended it."""

    reports: list[dict[str, Any]]
    signal: int = 0


def run_scene_page(
    session: Session,
    ready: Callable[[Served, str], None],
    tell: Callable[[str], None],
    *,
    host: str,
    port: int | None,
) -> LiveReports:
    """Run a scene and its page until Ctrl-C, SIGTERM or SIGHUP; the run is then saved.

    Parameters
    ----------
    ready : called with the address and the title once the page can be opened.
    tell : called with what the simulator says, in threads of its own.

    Raises
    ------
    SoleError
        The scene cannot be put together, its process died, or it did not save its run in time.
    """
    check_port(host, port)  # before the scene is put together
    process = SceneProcess(session)
    done = LiveReports([])
    try:
        process.start()
        title, text, (name, layout, bodies) = _page(process, tell)
        shared = SharedSnapshot.attach(name, layout.size)
        try:
            queue = MessageQueue(process.send)
            server = SceneServer(shared, SceneFrames(layout, bodies), queue.put, tell)
            loops: list[asyncio.AbstractEventLoop] = []
            told: dict[str, Callable[[Any], None]] = {
                "say": server.say,
                "tell": server.tell,
                "curve": server.plot,
                "over": lambda why: server.tell({"over": why}),
                "taken": lambda _: queue.taken(),
            }

            def listen() -> None:
                """Pass on what the simulator says, until it ends."""
                for kind, said in process.hear():
                    if kind in ("say", "over"):
                        tell(said)
                    if kind in told:
                        _later(loops, told[kind], said)
                    elif kind == "done":
                        done.reports.append(said)
                    elif kind == "failed":
                        done.reports.append({"failed": said})
                _later(loops, server.tell, DEAD)

            def begin(served: Served) -> None:
                """Pass on from now on, in the loop that serves pages."""
                loops[:] = [asyncio.get_running_loop()]
                if not listener.is_alive():
                    server.tell(DEAD)
                ready(served, title)

            listener = threading.Thread(target=listen, daemon=True)
            listener.start()
            try:
                done.signal = serve_page(
                    text,
                    begin,
                    host=host,
                    port=port,
                    socket=server.serve,
                    leave=process.ask_to_end,
                )
            finally:
                loops.clear()
                process.end(tell)
                code = None if process.ended or process.lost else process.code
        finally:
            shared.close()
    finally:
        process.drop()
    failed = [report["failed"] for report in done.reports if "failed" in report]
    if failed:
        raise SoleError(failed[0])
    if process.lost and session.output is not None:
        raise SoleError(
            f"{session.output} is not written: the simulator was busy with one step or message and "
            "had to be stopped"
        )
    if code is not None:
        raise SoleError(f"the process of the simulator ended by itself (code {code})")
    return done


def _page(process: SceneProcess, tell: Callable[[str], None]) -> tuple[str, str, Any]:
    """Wait for the page; pass on what is said until then."""
    for kind, *said in process.hear():
        if kind == "page":
            title, text, shared = said
            return title, text, shared
        if kind == "failed":
            raise SoleError(said[0])
        if kind == "say":
            tell(said[0])
    raise SoleError(f"the process of the simulator ended by itself (code {process.code})")


def _later(loops: list[asyncio.AbstractEventLoop], call: Callable[[Any], None], what: Any) -> None:
    """Call something in the loop of the server, if it runs."""
    for loop in loops:
        try:
            loop.call_soon_threadsafe(call, what)
        except RuntimeError:
            pass  # the loop has ended
