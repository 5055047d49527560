"""A running scene and its page: starts the simulator's process and serves what it shows."""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from robot.live.page_server import Served, check_port, serve_page
from robot.live.scene_frames import SceneFrames
from robot.live.scene_server import SceneServer
from robot.live.shared_snapshot import SharedSnapshot
from robot.live.simulator_process import Session, simulate
from sole.base.errors import SoleError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

SOON = 2.0  # s in which a run is saved without a word


@dataclass
class LiveReports:
    """What became of a session: reports of the simulator, one for each run."""

    reports: list[dict[str, Any]]


def run_scene_page(
    session: Session,
    ready: Callable[[Served, str], None],
    tell: Callable[[str], None],
    *,
    host: str,
    port: int | None,
) -> LiveReports:
    """Run a scene and its page until Ctrl-C or SIGTERM; the run is then saved.

    Parameters
    ----------
    ready : called with the address and the title once the page can be opened.
    tell : called with what the simulator says, in threads of its own.

    Raises
    ------
    SoleError
        The scene cannot be put together, or its process died.
    """
    check_port(host, port)  # before the scene is put together
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=simulate, args=(session, there), daemon=False)
    process.start()
    there.close()
    name = ""
    try:
        title, text, (name, layout, bodies) = _page(here, process, tell)
        shared = SharedSnapshot.attach(name, layout.size)
        server = SceneServer(shared, SceneFrames(layout, bodies), partial(_send, here), tell)
        done = LiveReports([])
        begun: list[asyncio.AbstractEventLoop] = []

        def listen() -> None:
            """Pass on what the simulator says, until it ends."""
            while True:
                try:
                    kind, said = here.recv()
                except (EOFError, OSError, TypeError):  # the last: closed meanwhile
                    break
                if kind == "done":
                    done.reports.append(said)
                elif kind == "tell":
                    _later(begun, server.tell, said)
                elif kind == "say":
                    tell(said)
                    _later(begun, server.say, said)
                elif kind == "failed":
                    done.reports.append({"failed": said})
            _later(begun, server.say, "the simulator has ended")

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()

        async def serve(connection: Any) -> None:
            begun[:] = [asyncio.get_running_loop()]
            await server.serve(connection)

        try:
            serve_page(text, lambda s: ready(s, title), host=host, port=port, socket=serve)
        finally:
            begun.clear()
            _send(here, None)
            try:
                wait_for_save(process, tell)
            finally:
                listener.join(1.0)
                shared.close()
    finally:
        if process.is_alive():
            here.close()
            process.join(5.0)
        if process.is_alive():
            process.kill()
            process.join()
            SharedSnapshot.remove(name)
    failed = [report["failed"] for report in done.reports if "failed" in report]
    if failed:
        raise SoleError(failed[0])
    if process.exitcode:
        raise SoleError(f"the process of the simulator ended by itself (code {process.exitcode})")
    return done


def wait_for_save(process: Any, tell: Callable[[str], None]) -> None:
    """Wait until the simulator's process has saved its run and ended, however long that takes."""
    process.join(SOON)
    if process.is_alive():
        tell(
            "saving: up to 10 s more are simulated to see whether the robot falls; Ctrl-C drops it"
        )
        process.join()


def _page(here: Connection, process: Any, tell: Callable[[str], None]) -> tuple[str, str, Any]:
    """Wait for the page; pass on what is said until then."""
    while True:
        try:
            kind, *said = here.recv()
        except EOFError as error:
            process.join(5.0)
            raise SoleError(
                f"the process of the simulator ended by itself (code {process.exitcode})"
            ) from error
        if kind == "page":
            title, text, shared = said
            return title, text, shared
        if kind == "failed":
            raise SoleError(said[0])
        tell(said[0])


def _send(here: Connection, message: dict[str, Any] | None) -> None:
    try:
        here.send(message)
    except OSError:
        pass  # it has ended by itself


def _later(loops: list[asyncio.AbstractEventLoop], call: Callable[[Any], None], what: Any) -> None:
    """Call something in the loop of the server, if it runs."""
    for loop in loops:
        try:
            loop.call_soon_threadsafe(call, what)
        except RuntimeError:
            pass  # the loop has ended
