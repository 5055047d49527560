"""Signals in a process of its own: acknowledged at once, the right exit code, no traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from importlib.metadata import entry_points

import pytest

pytestmark = pytest.mark.long

WAYS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143)]
PROGRAM = """
import sys, time
import sole.base.cli as cli
import sole.base.stopping as stopping
from sole.__main__ import start

stopping.AGAIN = 0.3

def work():
{body}

cli.app = lambda **how: work()
start()
"""
# Takes for ever, and some time to clean up.
SLOW = """
try:
    print("begun", flush=True)
    time.sleep(60)
finally:
    print("cleaning", flush=True)
    time.sleep({cleaning})
"""
# What foreign code makes of the error of a signal: another error, or nothing.
TURNED = """
try:
    print("begun", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    raise ImportError("numpy.core failed to import") from None
"""
SWALLOWED = """
try:
    print("begun", flush=True)
    time.sleep(60)
except BaseException:
    pass
time.sleep(60)
"""
IN_DEL = """
class Last:
    def __del__(self):
        print("begun", flush=True)
        time.sleep(60)
Last()
time.sleep(60)
"""
IN_IMPORT = """
import pathlib
pathlib.Path("slow_import.py").write_text(
    "import time; print('begun', flush=True); time.sleep(0.5); print('imported', flush=True)"
)
sys.path.insert(0, "")
import slow_import
time.sleep(60)
"""
IN_LLVMLITE = """
code = "import time; print('begun', flush=True); time.sleep(0.5); print('imported', flush=True)"
exec(code, {"__name__": "llvmlite.binding.of_a_test"})
time.sleep(60)
"""
IN_NUMBA = """
from typing import NamedTuple
import numba

class Pair(NamedTuple):
    a: float
    b: float

@numba.njit
def count(n):
    a = 0.0
    for i in range(n):
        a = 0.5 * a + i
    return Pair(a, 1.0)

count(1)
print("begun", flush=True)
count(1_000_000_000)
time.sleep(60)
"""
EARLY = """
import os, sys

class Look:
    def find_spec(self, name, path=None, target=None):
        if name == "sole.base.stopping":
            os.kill(os.getpid(), {number})

sys.meta_path.insert(0, Look())
from sole.__main__ import start
start()
"""
LOST = """
from sole.base.errors import SoleError
with stopping.stoppable() as check:
    print("begun", flush=True)
    try:
        while True:
            check()
            time.sleep(0.01)
    except KeyboardInterrupt:
        raise SoleError("cannot write walk.nc: the disk is full")
"""
THREAD = """
import threading
threading.Thread(target=time.sleep, args=(60,)).start()
print("begun", flush=True)
"""
FINISHED = """
import atexit
atexit.register(time.sleep, 0.5)
atexit.register(print, "begun", flush=True)
"""


def begin(body: str, *before: str) -> subprocess.Popen[str]:
    """Start the command line with `body` in place of the commands, and wait for its word."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    process = subprocess.Popen(
        [*before, sys.executable, "-c", PROGRAM.format(body=lines)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    return process


MANY = [(*way, times) for way in WAYS[:2] for times in (1, 2, 3)] + [(*WAYS[2], 1)]


@pytest.mark.parametrize(("number", "code", "times"), MANY)
def test_a_signal_is_acknowledged_and_prints_no_traceback(number, code, times):
    process = begin(SLOW.format(cleaning=0.0 if times == 1 else 60))
    assert process.stdout is not None
    process.send_signal(number)
    assert process.stdout.readline() == "cleaning\n"
    for _ in range(times - 1):
        process.send_signal(number)
        time.sleep(0.2)
    _, told = process.communicate(timeout=60)
    assert process.returncode == code
    assert told.startswith("stopping") and "Traceback" not in told


def test_a_terminal_that_closes_may_send_several_signals():
    process = begin(SLOW.format(cleaning="0.2); print('cleaned', flush=True"))
    assert process.stdout is not None
    for _ in range(4):
        process.send_signal(signal.SIGHUP)
        time.sleep(0.03)
    said, _ = process.communicate(timeout=60)
    assert (process.returncode, said) == (143, "cleaning\ncleaned\n")


@pytest.mark.parametrize("body", [TURNED, SWALLOWED, IN_DEL], ids=["turned", "swallowed", "del"])
@pytest.mark.parametrize(("number", "code"), WAYS[:2])
def test_whatever_foreign_code_makes_of_a_signal_the_command_ends_by_it(number, code, body):
    process = begin(body)
    process.send_signal(number)
    _, told = process.communicate(timeout=30)
    assert process.returncode == code
    assert told.splitlines() == [
        "stopping",
        f"error: {'interrupted' if code == 130 else 'terminated'}",
    ]


@pytest.mark.parametrize("body", [IN_IMPORT, IN_LLVMLITE], ids=["import", "llvmlite"])
def test_a_signal_waits_for_what_must_not_break_off(body, tmp_path, monkeypatch):
    """An import that breaks off crashes VTK; memory of llvmlite would be freed twice."""
    monkeypatch.chdir(tmp_path)
    process = begin(body)
    process.send_signal(signal.SIGINT)
    said, told = process.communicate(timeout=30)
    assert (process.returncode, said) == (130, "imported\n")
    assert told.splitlines() == ["stopping", "error: interrupted"]


@pytest.mark.parametrize(("number", "code"), WAYS)
def test_a_signal_during_the_first_import_ends_in_order(number, code):
    program = EARLY.format(number=int(number))
    done = subprocess.run(
        [sys.executable, "-c", program, "info"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (code, "stopping\n")


def test_a_signal_waits_until_machine_code_has_returned_a_named_tuple():
    process = begin(IN_NUMBA)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert told.splitlines() == ["stopping", "error: interrupted"]


@pytest.mark.parametrize(("number", "code"), WAYS)
def test_a_command_that_has_finished_keeps_its_exit_code(number, code):
    process = begin(FINISHED)
    process.send_signal(number)
    _, told = process.communicate(timeout=30)
    assert (process.returncode, told) == (0, "")


def test_a_signal_does_not_hush_up_that_a_file_was_not_written():
    process = begin(LOST)
    process.send_signal(signal.SIGTERM)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 143
    assert told.splitlines()[-1] == "error: cannot write walk.nc: the disk is full"


def test_a_command_that_waits_for_a_thread_at_its_end_is_ended_by_a_third_signal():
    process = begin(THREAD)
    for _ in range(3):
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    process.communicate()


def test_a_command_under_nohup_survives_its_terminal():
    process = begin("print('begun', flush=True)\ntime.sleep(0.5)", "nohup")
    process.send_signal(signal.SIGHUP)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 0 and "stopping" not in told


def test_a_terminal_that_has_gone_changes_no_exit_code():
    process = begin(SLOW.format(cleaning=0.2))
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    process.stderr.close()
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=30) == 143


CHILD = "import os, time; from sole.base.stopping import end_with; end_with(os.getppid()); {}"
PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"


def test_a_process_ends_with_a_parent_that_was_killed():
    child = CHILD.format("print('begun', flush=True); time.sleep(60)")
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT, child], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    process.kill()
    process.communicate(timeout=30)  # the pipe is open as long as the child lives


def test_the_command_line_starts_so():
    (sole,) = entry_points(group="console_scripts", name="sole")
    assert sole.value == "sole.__main__:start"
