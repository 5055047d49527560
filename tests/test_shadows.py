"""Other modules with the name of a package: the error names what hides it and says what to do."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from installed_commands import environment

from sole.base import health, shadows


@pytest.mark.parametrize(
    ("file", "wanted"), [("robot", "contact.press"), ("contact", "robot.walk"), ("robot", "sole")]
)
def test_a_file_in_the_way_of_a_package_is_named(tmp_path, file, wanted):
    (tmp_path / f"{file}.py").write_text("x = 1\n")
    script = tmp_path / "mine.py"
    script.write_text(f"import {wanted}\n")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1
    assert last == (
        f"ImportError: {tmp_path / file}.py hides the package '{file}' of compliant-sole: "
        "rename this file"
    )


def test_other_files_of_a_user_are_no_matter(tmp_path):
    (tmp_path / "press.py").write_text("x = 1\n")
    (tmp_path / "mine.py").write_text("import sole.material\n")
    done = subprocess.run([sys.executable, tmp_path / "mine.py"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def rival(tmp_path):
    """A folder with another distribution's package `robot`, as pip installs it."""
    metadata = tmp_path / "robotframework-7.5.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: robotframework\nVersion: 7.5\n"
    )
    (metadata / "RECORD").write_text("robot/__init__.py,,\nrobot/run.py,,\n")
    (tmp_path / "robot").mkdir()
    (tmp_path / "robot" / "__init__.py").write_text("")
    return tmp_path


@pytest.mark.parametrize("command", [["--help"], ["walk", "--help"]])
def test_another_distribution_with_our_package_is_named(rival, command):
    own = environment()
    path = os.pathsep.join([str(rival), *filter(None, [own.get("PYTHONPATH")])])
    done = subprocess.run(
        ["sole", *command],
        env={**own, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("error: robotframework has a package `robot` that hides ours")
    assert " -m pip uninstall -y robotframework" in done.stderr


def test_the_doctor_names_it_with_the_command_that_removes_it(rival, monkeypatch):
    monkeypatch.syspath_prepend(rival)
    monkeypatch.setattr(health, "TRIALS", {})
    report, mend = health.examine()
    assert report.warnings[0].startswith("robotframework has a package `robot` that hides ours")
    assert mend.startswith(f"{sys.executable} -m pip uninstall -y robotframework")


def test_nothing_hides_our_packages_here():
    assert shadows.find_rivals() == {}


@pytest.mark.parametrize(
    ("origin", "again"),
    [
        ('{"url": "file:///c", "dir_info": {"editable": true}}', ""),
        ('{"url": "file:///a.whl", "archive_info": {}}', "--no-deps file:///a.whl"),
        (None, ""),
    ],
)
def test_what_another_distribution_overwrote_is_installed_again(monkeypatch, origin, again):
    class Installed:
        def read_text(self, name):
            assert name == "direct_url.json"
            return origin

    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Installed())
    command = shadows.mend_rivals({"robot": ["robotframework"]})
    assert command.partition(" && ")[2].endswith(again)
    assert ("force-reinstall" in command) == bool(again)
