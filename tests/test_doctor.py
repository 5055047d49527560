"""`sole doctor` and the look for system libraries: nothing missing goes unseen."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tomllib
from email.message import Message

import pytest

from sole.base import health, system_libraries
from sole.base.report import Quantity
from sole.base.system_libraries import LIBRARIES, SystemLibrary

ABSENT = SystemLibrary("libnowhere.so.9", "libnowhere9", "nobody")


@pytest.fixture
def project(root):
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.nightly
def test_all_is_well_here(sole_command):
    done = sole_command("doctor", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["system_libraries"] == "all found"
    assert report["off_screen_rendering"] == "yes"
    assert report["gmsh_works"] == "yes"
    assert report["extra_studies"] == "installed"
    assert report["numpy"].startswith("2.")


def test_a_missing_library_is_named_with_its_command(monkeypatch):
    monkeypatch.setattr(health, "missing", lambda: (ABSENT,))
    monkeypatch.setattr(health, "TRIALS", {})
    report, mend = health.examine()
    assert "libnowhere.so.9" in report.warnings[0]
    assert mend.endswith("apt-get install -y --no-install-recommends libnowhere9")


def test_only_the_absent_library_is_missing():
    assert system_libraries.missing((*LIBRARIES, ABSENT)) == (ABSENT,)


def test_every_measured_package_is_looked_for():
    measured = "libgomp1 libgl1 libglu1-mesa libxcursor1 libxft2 libxinerama1 libxrender1"
    expected = {*measured.split(), "libfontconfig1", "libegl1"}
    assert {library.package for library in LIBRARIES} == expected


def test_script_prints_one_command_and_fails(monkeypatch, capsys):
    monkeypatch.setattr(system_libraries, "missing", lambda libraries=(): (ABSENT,))
    monkeypatch.setattr(system_libraries, "_is_root", lambda: False)
    assert system_libraries.main(["--install"]) == 2
    said = capsys.readouterr()
    assert "sudo apt-get install -y --no-install-recommends libnowhere9" in said.err
    assert said.out == ""


def test_script_installs_as_root(monkeypatch, tmp_path, capsys):
    tool = tmp_path / "apt-get"
    calls = tmp_path / "calls"
    tool.write_text(f'#!/bin/sh\necho "$*" >> {calls}\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    answers = iter([(ABSENT,), ()])
    monkeypatch.setattr(system_libraries, "missing", lambda libraries=(): next(answers))
    monkeypatch.setattr(system_libraries, "_is_root", lambda: True)
    monkeypatch.setattr(system_libraries, "is_debian", lambda: True)
    assert system_libraries.main(["--install"]) == 0
    install = "install -y -qq --no-install-recommends libnowhere9"
    assert calls.read_text().splitlines() == ["update -qq", install]
    assert f"+ apt-get {install}" in capsys.readouterr().out


def test_a_failed_installation_shows_why(monkeypatch, tmp_path, capsys):
    tool = tmp_path / "apt-get"
    tool.write_text("#!/bin/sh\necho no network >&2\nexit 100\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert not system_libraries.install([ABSENT])
    assert "no network" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ID=debian\n", True),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', True),
        ("ID=fedora\nNAME=debian\n", False),
    ],
)
def test_debian_is_recognised(text, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(system_libraries.shutil, "which", lambda name: f"/usr/bin/{name}")
    release = tmp_path / "os-release"
    release.write_text(text)
    assert system_libraries.is_debian(release) is expected


def test_script_runs_before_anything_is_installed(root):
    """Isolated from every installed package, as the Makefile calls it."""
    script = root / "sole" / "base" / "system_libraries.py"
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(script)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "system libraries: all found\n", "")


def test_a_crash_of_a_trial_is_caught():
    assert health.attempt("pass") == ""
    crash = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
    assert health.attempt(crash) == "ended by SIGSEGV"
    assert health.attempt("raise OSError('libGLU.so.1')") == "OSError: libGLU.so.1"
    assert health.attempt("import time; time.sleep(9)", timeout=0.2) == "no answer within 0.2 s"


def test_a_missing_or_old_package_is_named(monkeypatch):
    declared = ["numpy>=99", "nowhere>=1", "pytest>=1; extra == 'dev'", "ghost; extra == 'dev'"]
    monkeypatch.setattr(health, "requires", lambda name: declared)
    found, wrong = health.packages()
    assert wrong == ["numpy>=99", "nowhere>=1"]
    assert found["nowhere"].value == "-"
    assert found["pytest"].remark == "optional"
    assert "ghost" not in found


def provide(monkeypatch, extras, lines):
    about = Message()
    for extra in extras:
        about["Provides-Extra"] = extra
    monkeypatch.setattr(health, "metadata", lambda name: about)
    monkeypatch.setattr(health, "requires", lambda name: lines)


def test_extras_are_installed_or_named_with_their_line(monkeypatch):
    lines = [
        "numpy>=2",
        "ghost; python_version >= '3'",
        "pytest>=1; extra == 'film'",
        "pytest; extra == 'live'",
        "nowhere>=1; extra == 'live'",
        "ghost>=1; extra == 'live'",
        "ghost; python_version < '3' and extra == 'old'",
    ]
    provide(monkeypatch, ["live", "film", "old"], lines)
    film, live, old = health.extras().items()
    assert film == ("film", Quantity("installed"))
    line = "absent: pip install 'compliant-sole[live]'"
    assert live == ("live", Quantity(line, "", "lacks 2 of 3 packages"))
    assert old[1].value == f"not for Python {platform.python_version()}"


def test_an_absent_extra_is_reported_and_is_no_error(monkeypatch):
    provide(monkeypatch, ["live"], ["nowhere>=1; extra == 'live'"])
    monkeypatch.setattr(health, "TRIALS", {})
    monkeypatch.setattr(health, "missing", lambda: ())
    report, mend = health.examine()
    assert (mend, report.warnings) == ("", ())
    line = "absent: pip install 'compliant-sole[live]'"
    assert report.as_json()["extra_live"] == line


def test_every_extra_of_the_project_is_listed(project):
    assert set(health.extras()) == set(project["optional-dependencies"])


def test_exit_code_tells_that_something_is_missing(monkeypatch, capsys):
    from sole.base import cli
    from sole.base.report import Report

    monkeypatch.setattr(health, "examine", lambda: (Report("sole doctor", {}), "mend it"))
    monkeypatch.setattr(sys, "argv", ["sole", "doctor", "--quiet"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "error: something is missing; repair it by: mend it\n"


def test_a_machine_without_a_folder_for_machine_code_is_told(monkeypatch):
    monkeypatch.setattr(health, "writable_folder", lambda: None)
    assert "NUMBA_CACHE_DIR" in health.machine()["machine code"].remark
