"""`sole live` answers and ends in time, whatever a page has sent; nothing is left of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
from live_client import Client

pytestmark = pytest.mark.long

ANSWER, END = 3.0, 12.0  # s, on a busy machine; alone it takes 0.02 s and 0.1 to 2.5 s
FAKE = Path(__file__).parents[1] / "fake_scene.py"
SLOW = {"do": "sleep", "seconds": 60.0}


def memories():
    """Names of our shared memory."""
    folder = Path("/dev/shm")
    return {p.name for p in folder.glob("sole-*")} if folder.is_dir() else set()


@contextmanager
def started(output, *program):
    """A program and its children; at the end all must have gone, and their memory."""
    before = memories()
    process = subprocess.Popen(
        program or [sys.executable, str(FAKE), str(output)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    children = []
    try:
        yield process, children
        _, left = psutil.wait_procs(children, timeout=END)
        assert [p for p in left if p.status() != psutil.STATUS_ZOMBIE] == []
        assert memories() <= before
        assert [p.name for p in output.parent.iterdir() if p.name.startswith(".")] == []
    finally:
        for child in [process, *children]:
            with suppress(psutil.NoSuchProcess):
                child.kill()
        process.communicate()


def opened(process, children):
    """The address of the page that a program serves."""
    told = json.loads(process.stdout.readline())
    children += psutil.Process(process.pid).children(recursive=True)
    return told["url"]


def ended(process, number):
    """What a program said after a signal to its group, as a terminal sends it; in time."""
    begun = time.monotonic()
    os.killpg(process.pid, number)
    out, errors = process.communicate(timeout=60)
    assert time.monotonic() - begun < END
    assert "Traceback" not in errors
    return out.splitlines(), errors.splitlines()


def longest_answer(url):
    times = []
    for _ in range(5):
        begun = time.monotonic()
        assert len(urllib.request.urlopen(url).read()) == 3_000_000
        times.append(time.monotonic() - begun)
    return max(times)


def told(page, words):
    """Whether a page is told `words`, before long."""
    return any(words in str(page.link.recv(timeout=30)) for _ in range(10_000))


def test_a_slow_message_and_a_flood_hold_up_neither_answers_nor_the_end(tmp_path):
    output = tmp_path / "run.txt"
    with started(output) as (process, children):
        url = opened(process, children)
        page = Client(url)
        page.send(do="sleep", seconds=60.0)
        for k in range(2000):
            page.send(do="move", x=k)
            page.send(do="push", x=k)
        assert longest_answer(url) < ANSWER
        assert told(page, "the simulator is busy")
        out, errors = ended(process, signal.SIGINT)
        assert (process.returncode, errors, int(out[-1])) == (0, [], signal.SIGINT)
        assert json.loads(out[0])["runs"][0]["output"] == str(output)
    assert float(output.read_text()) > 0  # what was done for the message is dropped, not the run


def test_a_simulator_that_hangs_is_stopped_and_its_run_said_to_be_lost(tmp_path):
    output = tmp_path / "run.txt"
    with started(output) as (process, children):
        page = Client(opened(process, children))
        page.send(do="hang")
        page.send(do="push")
        while not Path(f"{output}.hangs").exists():
            time.sleep(0.05)
        _, errors = ended(process, signal.SIGTERM)
        (line,) = errors
        assert f"error: {output} is not written: the simulator was busy" in line
        assert process.returncode == 1 and not output.exists()


@pytest.mark.nightly
def test_a_run_that_takes_long_to_save_is_waited_for_until_a_second_ctrl_c(tmp_path):
    output = tmp_path / "slowly.txt"
    with started(output) as (process, children):
        opened(process, children)
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(4.0)  # longer than a simulator that does not answer gets
        assert process.poll() is None and output.parent.exists()
        ended(process, signal.SIGINT)
        assert process.returncode == 130 and not output.exists()


def test_a_simulator_ends_with_its_display_and_saves(tmp_path):
    output = tmp_path / "run.txt"
    with started(output) as (process, children):
        page = Client(opened(process, children))
        page.send(do="sleep", seconds=60.0)
        time.sleep(0.2)
        process.kill()
    assert float(output.read_text()) > 0


@pytest.mark.nightly
def test_a_simulator_that_hangs_ends_with_its_display(tmp_path):
    with started(tmp_path / "run.txt") as (process, children):
        page = Client(opened(process, children))
        page.send(do="hang")
        time.sleep(0.2)
        process.kill()


def test_ctrl_c_while_the_simulator_imports_prints_nothing_of_it(tmp_path):
    output = tmp_path / "importing.txt"
    with started(output) as (process, children):
        while not output.exists():
            time.sleep(0.01)
        children += psutil.Process(process.pid).children()
        for child in children:
            child.send_signal(signal.SIGINT)
        time.sleep(0.3)
        _, errors = ended(process, signal.SIGINT)
        assert (process.returncode, errors, len(children)) == (130, [], 2)
