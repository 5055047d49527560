"""Commands begin without a search for cycles, end without freeing objects, and lose nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import IO

import pytest

BEFORE = "import sys, sole.base.cli as cli\n"


def run(program: str, stdout: int | IO[str] = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    buffered = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    return subprocess.run(
        [sys.executable, "-c", program],
        stdout=stdout, stderr=subprocess.PIPE, env=buffered, text=True, check=False,
    )  # fmt: skip


def started(body: str) -> subprocess.CompletedProcess[str]:
    """Run `cli.start()` in a process of its own with `body` in place of the commands."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return run(f"{BEFORE}def work(**how):\n{lines}cli.app = work\ncli.start()\n")


def test_all_that_the_interpreter_does_before_it_frees_objects_is_done():
    done = started(
        "import atexit, threading, time\n"
        "atexit.register(print, 'exit function')\n"
        "threading.Thread(target=lambda: (time.sleep(0.3), print('thread'))).start()\n"
        "sys.stderr.write('told')\n"
        "sys.stdout.write('work, ')"
    )
    assert (done.stdout, done.stderr, done.returncode) == (
        "work, thread\nexit function\n",
        "told",
        0,
    )


def test_what_is_left_of_the_objects_goes_with_the_process():
    last = "class Last:\n    def __del__(self): write(1, b'freed')\nlast = Last()\n"
    last = f"from os import write\n{last}globals()['last'] = last"
    assert "freed" not in started(last).stdout
    assert "freed" in run(last).stdout


@pytest.mark.parametrize(("raised", "code"), [("SystemExit(3)", 3), ("KeyboardInterrupt", 130)])
def test_exit_codes_stay(raised, code):
    assert started(f"raise {raised}").returncode == code


def test_an_error_of_the_user_is_told_as_before():
    done = started("from sole.base.errors import SoleError\nraise SoleError('too soft')")
    assert (done.stderr, done.returncode) == ("error: too soft\n", 2)


def test_a_full_disk_is_not_hushed_up():
    program = f"{BEFORE}cli.app = lambda **how: print('result')\ncli.start()\n"
    with open("/dev/full", "w") as full:
        done = run(program, full)
    assert done.returncode == 1 and "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_profile_is_written():
    work = f"{BEFORE}cli.app = lambda **how: 0; cli.start()"
    done = run(f"import cProfile\ncProfile.run({work!r})")
    assert "function calls" in done.stdout


def test_cycles_are_looked_for_later_and_in_forks_at_once():
    done = run(
        "import gc, os, time\n"
        "from sole.base.short_life import collect_later\n"
        "collect_later(1.0)\n"
        "print(gc.isenabled(), flush=True)\n"
        "if not (child := os.fork()):\n"
        "    print(gc.isenabled(), flush=True)\n"
        "    os._exit(0)\n"
        "os.waitpid(child, 0)\n"
        "begun = time.monotonic()\n"
        "while not gc.isenabled() and time.monotonic() < begun + 30:\n"
        "    time.sleep(0.01)\n"
        "print(gc.isenabled())\n"
    )
    assert done.stdout.split() == ["False", "True", "True"]


def test_whoever_turned_the_search_off_keeps_it_off():
    done = run(
        "import gc, time\n"
        "from sole.base.short_life import collect_later\n"
        "gc.disable()\n"
        "collect_later(0.0)\n"
        "time.sleep(0.3)\n"
        "print(gc.isenabled())\n"
    )
    assert done.stdout.split() == ["False"]


def test_a_walk_soon_after_the_start_collects_rarely():
    done = run(
        "import gc\n"
        "from robot.walk import rarely_collecting\n"
        "from sole.base.short_life import collect_later\n"
        "collect_later(60.0)\n"
        "with rarely_collecting():\n"
        "    print(gc.isenabled(), gc.get_freeze_count() > 0)\n"
        "gc.disable()\n"
        "with rarely_collecting():\n"
        "    print(gc.isenabled())\n"
    )
    assert done.stdout.split() == ["True", "True", "False"]
