"""What `sole live` says on the terminal: where the page is, what was kept."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

from robot.live.page_server import Served

if TYPE_CHECKING:
    from robot.live.hands_on import Session


def run_and_tell(
    session: Session,
    *,
    host: str,
    port: int | None,
    browser: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Run a session, say where its page is and what became of it; return what signal ended it."""
    from robot.live.run_scene import run_scene_page

    done = run_scene_page(
        session,
        lambda served, title: tell_address(served, title, browser, as_json=as_json, quiet=quiet),
        lambda text: None if quiet or as_json else _tell(text),
        host=host,
        port=port,
    )
    _report(done.reports, as_json=as_json, quiet=quiet)
    return done.signal


def _tell(text: str) -> None:
    with contextlib.suppress(OSError):  # the terminal has gone: the run is saved all the same
        print(text, file=sys.stderr, flush=True)


def _report(reports: list[dict[str, Any]], *, as_json: bool, quiet: bool) -> None:
    """Say what became of the runs of a session."""
    if as_json:
        import json

        print(json.dumps({"runs": reports}), flush=True)
        return
    for report in () if quiet else reports:
        told = ", not kept (-o keeps it)"
        if report["output"]:
            told = f", in {report['output']}"
        if "scenario" in report:
            told += f"; again: sole walk {report['scenario']}"
        fell = ", the robot fell" if report.get("fell") else ""
        print(f"{report['time']:.2f} s{fell}{told}")


def tell_address(served: Served, title: str, browser: bool, *, as_json: bool, quiet: bool) -> None:
    """Say where the page is, and open it in a browser if asked."""
    from sole.base.waiting import doing

    doing("")  # from now on it waits for whoever opens it
    if as_json:
        import json

        told = {"title": title, "url": served.url, "host": served.host}
        print(json.dumps({**told, "port": served.port}), flush=True)
    elif not quiet:
        print(f"{title}\nopen {served.url}")
        if served.open_to_others:
            print("other machines that know this address can see the page, unencrypted")
        print("Ctrl-C ends the server", flush=True)
    if browser:
        import webbrowser

        webbrowser.open(served.url)
