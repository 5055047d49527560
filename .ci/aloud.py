"""Run a command and say every 15 s of its silence that it is still running.

    python .ci/aloud.py pytest .venv/bin/python -m pytest -n 2
    python .ci/aloud.py --only-failures pip .venv/bin/python -m pip install -e .

The first word names the command in the lines. With --only-failures its output is shown only if it
fails, and the lines quote what it said last. The exit code is that of the command. Uses the
standard library only, so make calls it before anything is installed.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence

SILENCE = 15.0  # s until a line is written
GRACE = 5.0  # s that an interrupted command gets before the signal is passed on to it
LAST_LINES = 40  # of the output of a command that failed
WIDTH = 70  # characters of the output that a line quotes


class Aloud:
    """The output of a command as it comes, and a line whenever nothing was written for a while."""

    def __init__(self, name: str, only_failures: bool) -> None:
        self.name, self.only_failures = name, only_failures
        self.begun = self.written = time.monotonic()
        self.output = b""

    def take(self, data: bytes) -> None:
        """Keep output of the command and, unless it is held back, write it."""
        self.output = data if not self.only_failures else self.output + data
        if not self.only_failures:
            write(data)
            self.written = time.monotonic()

    def remind(self) -> None:
        """Write that the command is still running, if it is time to."""
        now = time.monotonic()
        if now - self.written < SILENCE:
            return
        self.written = now
        lines = self.output.decode(errors="replace").split("\n")
        said = [
            line.strip()
            for line in lines
            if line.strip()[:1].isalpha() and not line.startswith("WARNING")
        ]
        quoted = f": {said[-1][:WIDTH]}" if self.only_failures and said else ""
        begin = "" if self.only_failures or not lines[-1] else "\n"  # pytest may be within its dots
        write(f"{begin}{self.name} is running, {now - self.begun:.0f} s so far{quoted}\n".encode())

    def end(self, code: int) -> None:
        """Write the last lines that were held back if the command failed."""
        if code and self.only_failures:
            write(b"\n".join(self.output.splitlines()[-LAST_LINES:]) + b"\n")


def write(data: bytes) -> None:
    """Write to stdout past any buffer."""
    while data:
        data = data[os.write(1, data) :]


def follow(command: Sequence[str], aloud: Aloud) -> int:
    """Run a command to its end and return its exit code; 128 + n after signal n."""
    terminal = {"PY_COLORS": "1"} if os.isatty(1) else {}  # pytest writes into a pipe
    child = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **terminal},
    )
    assert child.stdout is not None
    pass_on: list[float] = []  # when an interrupt is passed on

    def interrupted(number: int, frame: object) -> None:
        # A terminal sends Ctrl-C to the command as well: a second one would break off its clean-up.
        pass_on.append(time.monotonic() + GRACE)

    def pass_on_now(number: int, frame: object) -> None:
        child.send_signal(number)

    answers = {signal.SIGINT: interrupted, signal.SIGTERM: pass_on_now, signal.SIGHUP: pass_on_now}
    for number, answer in answers.items():
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup sets for both
            signal.signal(number, answer)
    open_ = True
    while open_ or child.poll() is None:
        if open_ and select.select([child.stdout], [], [], 0.5)[0]:
            data = os.read(child.stdout.fileno(), 1 << 16)
            aloud.take(data)
            open_ = bool(data)
        elif child.poll() is not None:
            break  # a process that it left behind keeps the pipe open
        elif not open_:
            time.sleep(0.1)
        if pass_on and time.monotonic() > pass_on[0]:
            child.send_signal(signal.SIGINT)
            pass_on.clear()
        aloud.remind()
    code = child.wait()
    return code if code >= 0 else 128 - code


def main(arguments: list[str]) -> int:
    """Run the command that the arguments name."""
    only_failures = arguments[:1] == ["--only-failures"]
    name, *command = arguments[only_failures:]
    aloud = Aloud(name, only_failures)
    try:
        code = follow(command, aloud)
    except BrokenPipeError:
        return 141
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        return 127
    aloud.end(code)
    return code


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
