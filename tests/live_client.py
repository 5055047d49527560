"""A session of `sole live` for tests: its process, and a client in place of a browser."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager

import numpy as np


@contextmanager
def live(root, kind, file, *arguments):
    """`sole live KIND FILE` on any free port, and its address; killed at the end."""
    program = [sys.executable, "-c", "from sole.base.cli import main; main()", "live"]
    process = subprocess.Popen(
        [*program, kind, str(file), "--json", "--port", "0", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=root,
    )
    try:
        yield process, json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


class Client:
    """A page without a browser: takes frames, sends messages."""

    def __init__(self, url):
        from websockets.sync.client import connect

        self.open_things = ExitStack()
        address = url.replace("http", "ws").replace("/?", "/socket?")
        self.link = self.open_things.enter_context(connect(address))
        self.said, self.stamp = [], 0

    @staticmethod
    def nodes(file):
        """Return the number of nodes of a condensed sole."""
        from sole.condense import load_condensed

        return len(load_condensed(file).points)

    def frame(self):
        while True:
            data = self.link.recv(timeout=60)
            if isinstance(data, bytes):
                self.link.send("ack")
                return np.frombuffer(data, "<f4")
            self.said.append(json.loads(data))

    def send(self, **message):
        self.stamp += 1
        self.link.send(json.dumps({**message, "stamp": self.stamp}))

    def until(self, true):
        """Take frames until one is as wanted."""
        end = time.monotonic() + 60
        while not true(frame := self.frame()):
            assert time.monotonic() < end, self.said
        return frame

    def hears(self, words):
        self.until(lambda _: any(words in str(said) for said in self.said))


def mouse(browser, kind, x, y):
    browser.send(
        "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1
    )
