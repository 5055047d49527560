"""`sole live`: play runs in a browser, from a server on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sole.base.cli import Json, Quiet

if TYPE_CHECKING:
    from robot.live import Served


def live(
    runs: Annotated[
        list[Path], typer.Argument(help="A run .nc, or up to four to play on one clock.")
    ],
    port: Annotated[
        int | None,
        typer.Option(
            "--port", min=0, max=65535, help="Port; 0: any free one [the first free from 8800 on]."
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            "--host",
            help="Address to listen on. Any but the default lets other machines in; they need the "
            "token, and nothing is encrypted.",
        ),
    ] = "127.0.0.1",
    browser: Annotated[
        bool, typer.Option("--browser", help="Open the page in this machine's browser.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Serve a page that plays runs: scrub, step, turn, pressures under the soles. Ctrl-C ends it.

    `sole view RUN.nc -o run.html` writes the same page to a file that needs no server.
    """
    from sole.base.files import require_file

    require_file(*runs)

    from robot.live import serve_page
    from robot.pictures.browser import run_page
    from robot.run import load_run
    from sole.base.damage import refuse_damage
    from sole.base.stopping import interruptible

    with interruptible():
        loaded = []
        for path in runs:
            with refuse_damage(path):
                loaded.append(load_run(path))
        page = run_page(loaded, [path.stem for path in runs])

    def ready(served: Served) -> None:
        if as_json:
            import json

            told = {"title": page.title, "url": served.url, "host": served.host}
            print(json.dumps({**told, "port": served.port}), flush=True)
        elif not quiet:
            print(f"{page.title}\nopen {served.url}")
            if served.open_to_others:
                print("other machines that know this address can see the page, unencrypted")
            print("Ctrl-C ends the server", flush=True)
        if browser:
            import webbrowser

            webbrowser.open(served.url)

    serve_page(page.text, ready, host=host, port=port)
    if not (quiet or as_json):
        print("\nthe server has ended")
