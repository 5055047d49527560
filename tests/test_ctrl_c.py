"""Ctrl-C in a process of its own: acknowledged at once, twice without a traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

# A command that takes for ever, and as long again to clean up.
PROGRAM = """
import sys, time, typer
import sole.base.cli as cli

def slow():
    try:
        print("begun", flush=True)
        time.sleep(60)
    finally:
        print("cleaning", flush=True)
        time.sleep({cleaning})

cli.app = slow_app = lambda **how: slow()
cli.start()
"""


@pytest.mark.parametrize("times", [1, 2, 3])
def test_an_interrupt_is_acknowledged_and_prints_no_traceback(times):
    program = PROGRAM.format(cleaning=0.0 if times == 1 else 60)
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "cleaning\n"
    for _ in range(times - 1):
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told.strip().startswith("stopping") and "Traceback" not in told


def test_the_command_line_starts_so():
    from importlib.metadata import entry_points

    (sole,) = entry_points(group="console_scripts", name="sole")
    assert sole.value == "sole.base.cli:start"
