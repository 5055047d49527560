"""`.ci/aloud.py`: silence is broken, failures are shown, and signals and exit codes go through."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest


@pytest.fixture
def start(root, tmp_path):
    """Start `aloud.py` on a Python program; `quick` seconds of silence instead of 15."""
    script = tmp_path / "aloud.py"
    text = (root / ".ci" / "aloud.py").read_text(encoding="utf-8")
    for name, seconds in (("SILENCE = 15.0", "SILENCE = 0.3"), ("GRACE = 5.0", "GRACE = 0.3")):
        assert name in text
        text = text.replace(name, seconds)
    script.write_text(text)

    def run(program, *options):
        return subprocess.Popen(
            [sys.executable, "-I", "-S", script, *options, "it", sys.executable, "-c", program],
            stdout=subprocess.PIPE,
            text=True,
        )

    return run


def test_output_and_exit_code_pass_and_silence_is_broken(start):
    program = "import sys, time; print('.', end='', flush=True); time.sleep(1.2); sys.exit(3)"
    child = start(program)
    said = child.communicate()[0]
    assert child.returncode == 3
    assert said.startswith(".\nit is running, ")
    assert said.count("s so far\n") >= 2


def test_what_is_held_back_is_quoted_and_shown_only_after_a_failure(start):
    program = "import sys, time; print('Collecting vtk', flush=True); time.sleep(0.7); sys.exit({})"
    child = start(program.format(0), "--only-failures")
    said = child.communicate()[0]
    assert child.returncode == 0
    assert "s so far: Collecting vtk\n" in said
    assert "\nCollecting vtk\n" not in said
    child = start(program.format(1), "--only-failures")
    said = child.communicate()[0]
    assert child.returncode == 1
    assert said.endswith("\nCollecting vtk\n")


def test_a_missing_command_is_an_error(root):
    done = subprocess.run(
        [sys.executable, root / ".ci" / "aloud.py", "it", "/nowhere"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (127, "/nowhere: No such file or directory\n")


CLEANS_UP = """
import sys, time
print("begun", flush=True)
try:
    time.sleep(30)
except KeyboardInterrupt:
    print("cleaned up", flush=True)
    sys.exit(5)
"""


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 5), (signal.SIGTERM, 128 + signal.SIGTERM)]
)
def test_a_signal_ends_the_command_too(start, number, code):
    child = start(CLEANS_UP)
    assert child.stdout.readline() == "begun\n"
    child.send_signal(number)
    said = child.communicate(timeout=20)[0]
    assert child.returncode == code
    assert ("cleaned up" in said) == (number == signal.SIGINT)


def test_a_process_left_behind_does_not_hold_it(start):
    sleeper = f"[{sys.executable!r}, '-c', 'import time; time.sleep(20)']"
    with start(f"import subprocess; print(subprocess.Popen({sleeper}).pid, flush=True)") as child:
        left = int(child.stdout.readline())
        assert child.wait(timeout=19) == 0
        os.kill(left, signal.SIGKILL)  # it still ran: nobody waited for it
