"""A headless Chromium for tests, driven over its debugging protocol (CDP) by a websocket."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--remote-debugging-port=0", "--hide-scrollbars",
]  # fmt: skip
CODES = {" ": 32, "Tab": 9, "Escape": 27, "ArrowRight": 39, "ArrowUp": 38, ",": 188, "+": 187}
LONG = 120.0  # s: software rendering on a busy machine

needs_browser = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here")


class Browser:
    """One page; `errors` and `requests` collect what it logged and what it asked for."""

    def __init__(self, width: int = 1280, height: int = 800) -> None:
        from websockets.sync.client import connect

        self.open_things = ExitStack()
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        home = Path(self.folder.name)
        self.process = subprocess.Popen(
            [
                str(PROGRAM),
                *FLAGS,
                f"--user-data-dir={home}",
                f"--window-size={width},{height}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.count = 0
        try:
            port = self._wait(lambda: (home / "DevToolsActivePort").read_text().splitlines()[0])
            pages = json.loads(urllib.request.urlopen(f"http://127.0.0.1:{port}/json").read())
            address = next(p for p in pages if p["type"] == "page")["webSocketDebuggerUrl"]
            # without pings: nobody reads what a page reports between two tests
            connection = connect(address, max_size=None, open_timeout=LONG, ping_interval=None)
            self.socket = self.open_things.enter_context(connection)
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.send(f"{domain}.enable")
            self.send(
                "Emulation.setDeviceMetricsOverride",
                width=width, height=height, deviceScaleFactor=1, mobile=False,
            )  # fmt: skip
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the browser."""
        self.process.kill()
        self.process.wait()
        self.open_things.close()
        self.folder.cleanup()

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command; note the events that come before its answer."""
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": params}))
        while True:
            said = json.loads(self.socket.recv(timeout=LONG))
            if said.get("id") == self.count:
                assert "error" not in said, said
                return dict(said["result"])
            self._note(said)

    def _note(self, said: dict[str, Any]) -> None:
        method, params = said.get("method"), said.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(params["exceptionDetails"])[:500])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            self.errors.append(json.dumps(params["args"])[:500])
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])

    def offline(self) -> None:
        """Take the network away."""
        self.send(
            "Network.emulateNetworkConditions",
            offline=True, latency=0, downloadThroughput=0, uploadThroughput=0,
        )  # fmt: skip

    def open(self, url: str, ready: str) -> None:
        """Open a page and wait until the expression `ready` is true."""
        self.send("Page.navigate", url=url)
        self.wait(ready)

    def run(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        found = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, expression: str) -> Any:
        """Wait until an expression is true, and return it."""
        return self._wait(lambda: self.run(expression) or self._not_yet(expression))

    def picture(self, path: Path) -> Path:
        """Write a picture of the page."""
        data = self.send("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))
        return path

    def _not_yet(self, expression: str) -> None:
        raise ValueError(f"not true: {expression}; errors: {self.errors}")

    @staticmethod
    def _wait(look: Any) -> Any:
        end = time.monotonic() + LONG
        while True:
            try:
                return look()
            except (OSError, ValueError, IndexError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)


def hit(browser: Browser, key: str) -> None:
    """Press a key, by its name in KeyboardEvent.key, and let it go."""
    number = CODES.get(key) or ord(key.upper())
    told = {"key": key, "windowsVirtualKeyCode": number}
    text = {"text": key} if len(key) == 1 else {}
    browser.send("Input.dispatchKeyEvent", type="keyDown", **told, **text)
    browser.send("Input.dispatchKeyEvent", type="keyUp", **told)
