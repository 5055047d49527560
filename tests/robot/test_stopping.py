"""Ctrl-C and SIGTERM at any moment: what is caught, what stays, what is said."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading

import pytest

import robot.walk.walk
from robot.run import load_run
from sole.base.errors import SoleError
from sole.base.stopping import Terminated, describe_end, interruptible, stoppable

BOTH = [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
LONG = ["--duration", "20", "--forces-every", "0", "--every", "10"]  # stopped after 20 steps


@pytest.fixture(autouse=True)
def handlers():
    """Whatever happens, the handlers of before are there again."""
    before = [signal.getsignal(n) for n, *_ in BOTH]
    yield
    assert [signal.getsignal(n) for n, *_ in BOTH] == before


def kernel(number: int, error: BaseException | None) -> None:
    """Do what compiled code does of a signal: another error, or nothing."""
    try:
        signal.raise_signal(number)
    except KeyboardInterrupt as interrupt:
        if error is not None:
            raise error from interrupt


@pytest.mark.parametrize(("number", "code", "word"), BOTH)
def test_a_first_signal_waits_for_the_check_and_a_second_does_not(number, code, word):
    with pytest.raises(KeyboardInterrupt) as caught, stoppable() as check:
        check()
        signal.raise_signal(number)
        check()
        pytest.fail("not stopped")
    assert describe_end(caught.value) == word
    with pytest.raises(KeyboardInterrupt) as caught, stoppable():
        signal.raise_signal(number)
        signal.raise_signal(number)
        pytest.fail("not stopped")
    assert isinstance(caught.value, Terminated) is (word == "terminated")


@pytest.mark.parametrize(("number", "code", "word"), BOTH)
@pytest.mark.parametrize("error", [SystemError("a result with an exception set"), None])
def test_a_signal_ends_planning_whatever_compiled_code_makes_of_it(number, code, word, error):
    with pytest.raises(KeyboardInterrupt) as caught, interruptible():
        kernel(number, error)
    assert describe_end(caught.value) == word
    with pytest.raises(KeyboardInterrupt) as caught, stoppable():
        signal.raise_signal(number)
        kernel(number, SystemError("a result with an exception set"))
    assert describe_end(caught.value) == word


def test_other_errors_stay_what_they_are():
    with pytest.raises(SoleError, match="mine"), interruptible():
        raise SoleError("mine")
    with pytest.raises(SoleError, match="mine"), stoppable():
        raise SoleError("mine")
    with pytest.raises(SoleError, match="mine"), stoppable():
        signal.raise_signal(signal.SIGINT)  # noted, but the error was first to come up
        raise SoleError("mine")


def test_other_threads_do_without_handlers():
    seen: list[object] = []

    def work() -> None:
        with stoppable() as check, interruptible():
            check()
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]


@pytest.mark.parametrize(("number", "code", "word"), BOTH)
def test_a_signal_in_a_kernel_of_the_planner_is_one_line(
    walk, scenario, tmp_path, monkeypatch, number, code, word
):
    def planning(*arguments: object) -> None:
        kernel(number, SystemError("CPUDispatcher(...) returned a result with an exception set"))

    monkeypatch.setattr("robot.walk.assemble_walk", planning)
    for more in ((), ("--converge",)):
        monkeypatch.setattr("robot.walk.refinement.assemble_walk", planning)
        assert walk(scenario, "-o", tmp_path / "run.nc", "--json", *more) == (
            code, "", f"error: {word}\n",
        )  # fmt: skip
    assert not (tmp_path / "run.nc").exists()


@pytest.mark.parametrize(("number", "code", "word"), BOTH)
def test_a_signal_while_the_run_is_measured_or_written_waits_for_that(
    walk, scenario, tmp_path, monkeypatch, number, code, word
):
    def described(run):
        signal.raise_signal(number)
        return before(run)

    from robot.summaries import run_summary as run_reader

    before = run_reader.describe_run
    monkeypatch.setattr(run_reader, "describe_run", described)
    status, out, err = walk(scenario, "-o", tmp_path / "run.nc", "--json")
    assert (status, err) == (code, f"error: {word}\n")
    assert json.loads(out)["rows"] == 40
    assert load_run(tmp_path / "run.nc").finished


def test_a_walk_that_is_asked_to_end_leaves_a_readable_run(walk, scenario, tmp_path, monkeypatch):
    steps: list[int] = []
    before = robot.walk.walk.Walk.fallen

    def fallen(self, step):
        steps.append(1)
        if len(steps) == 20:
            signal.raise_signal(signal.SIGTERM)
        return before(self, step)

    monkeypatch.setattr(robot.walk.walk.Walk, "fallen", fallen)
    code, out, err = walk(scenario, *LONG, "-o", tmp_path / "run.nc", "--json")
    assert (code, err) == (143, "")
    assert "terminated" in json.loads(out)["verdict"]
    run = load_run(tmp_path / "run.nc")
    assert run.header["ended"] == "terminated"
    assert len(run) == 2


WAIT = (
    "import sys, robot.walk.walk as w\n"
    "calls, before = [], w.Walk.fallen\n"
    "def fallen(self, step):\n"
    "    calls.append(1)\n"
    "    if len(calls) == 20: print('walking', file=sys.stderr, flush=True)\n"
    "    return before(self, step)\n"
    "w.Walk.fallen = fallen\n"
    "from sole.base.cli import main\nmain()\n"
)


@pytest.mark.nightly
def test_a_process_that_is_interrupted_leaves_a_readable_run(scenario, tmp_path, root):
    output = tmp_path / "run.nc"
    process = subprocess.Popen(
        [sys.executable, "-c", WAIT, "walk", str(scenario), *LONG, "-o", str(output), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=root,
    )
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == "walking\n"
        process.send_signal(signal.SIGINT)
        told, errors = process.communicate()
    finally:
        process.kill()
    assert process.returncode == 130
    assert errors.startswith("stopping after this step") and errors.count("\n") == 1
    said = json.loads(told)
    assert said["fell"] is False
    assert "interrupted" in said["verdict"]
    run = load_run(output)
    assert run.header["ended"] == "interrupted"
    assert len(run) == said["rows"] >= 2
    assert [p.name for p in tmp_path.glob("*.nc")] == ["run.nc"]
