"""Both wheels hold what their names say; the one with machine code works without the checkout.

Dependencies are those of this environment: a wheel brings none.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

CODE = "sole/machine_code/"


def build(root, folder, machine_code):
    """Build a wheel into a new folder and return its path."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    environment = {**os.environ, "SOLE_MACHINE_CODE": machine_code}
    done = subprocess.run(
        command, cwd=root, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def pure(root, tmp_path_factory):
    """The pure wheel."""
    return build(root, tmp_path_factory.mktemp("pure"), "0")


@pytest.fixture(scope="module")
def with_code(root, tmp_path_factory):
    """The wheel with the machine code that `make test` has left."""
    return build(root, tmp_path_factory.mktemp("code"), "1")


def test_the_pure_wheel_has_no_machine_code(pure):
    names = zipfile.ZipFile(pure).namelist()
    assert pure.name.endswith("-py3-none-any.whl")
    assert [name for name in names if name.startswith(CODE)] == []
    assert {name.split("/")[0] for name in names if not name.startswith("compliant_sole-")} == {
        "sole",
        "contact",
        "robot",
    }
    assert {"sole/py.typed", "contact/py.typed", "robot/py.typed"} <= set(names)


def test_the_wheel_with_machine_code_names_python_and_machine(pure, with_code):
    abi = f"cp{sys.version_info.major}{sys.version_info.minor}"
    machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    assert with_code.name.endswith(f"-{abi}-{abi}-{machine}.whl")
    plain, code = (set(zipfile.ZipFile(wheel).namelist()) for wheel in (pure, with_code))
    assert len([name for name in code if name.startswith(CODE)]) >= 50
    assert {n for n in code - plain if not n.startswith(CODE)} == set()
    tag = next(name for name in code if name.endswith(".dist-info/WHEEL"))
    about = zipfile.ZipFile(with_code).read(tag).decode()
    assert "Root-Is-Purelib: false" in about and f"Tag: {abi}-{abi}-{machine}" in about


@pytest.fixture(scope="module")
def sole(with_code, root, tmp_path_factory):
    """Call `sole` of the wheel in an environment of its own, with nothing of the checkout."""
    home = tmp_path_factory.mktemp("elsewhere")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home / "env"], check=True)
    python = home / "env" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python)]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", with_code], check=True)
    # The dependencies' folders, as lines of a .pth: their own .pth, the checkout's among them, are
    # not read again.
    site = Path(sysconfig.get_path("purelib"))
    folders = [p for p in sys.path if p and Path(p).is_relative_to(site)]
    assert folders
    target = next((home / "env" / "lib").glob("python*/site-packages"))
    (target / "dependencies.pth").write_text("\n".join(folders), encoding="utf-8")
    environment = {
        k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "NUMBA_CACHE_DIR")
    }
    environment |= {"XDG_CACHE_HOME": str(home / "cache"), "HOME": str(home)}

    def call(*command):
        done = subprocess.run(
            [python, *command],
            cwd=home,
            env=environment,
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = call("-c", "import contact, robot, sole; print(contact.__path__[0], sole.__path__[0])")
    assert str(root) not in where and where.count(str(home)) == 2

    def command(*words):
        return call("-m", "sole", *words)

    command.run = call
    return command


@pytest.mark.nightly
@pytest.mark.slow
def test_the_demo_runs_from_the_wheel(sole, tmp_path):
    sole("demo", "--quiet", "-o", str(tmp_path))
    assert len(list(tmp_path.glob("*.png"))) == 4


WALK = """
import sys, tempfile
from sole.base.numba_settings import set_up_numba
set_up_numba()
import sole
from numba.core import event
package, made = sole.__path__[0], tempfile.TemporaryFile
def refuse(*given, dir=None, **others):  # the superuser may write anywhere
    if dir is not None and str(dir).startswith(package):
        raise PermissionError(13, "cannot be written", str(dir))
    return made(*given, dir=dir, **others)
tempfile.TemporaryFile = refuse
compiled = event.RecordingListener()
event.register("numba:compile", compiled)
from sole.base.cli import main
sys.argv = ["sole", "walk", "--footsteps", "2", "--quiet", "--json"]
try:
    main()
except SystemExit as end:
    assert not end.code
print("compiled:", len(compiled.buffer) // 2)
"""


@pytest.mark.slow
def test_a_first_walk_from_a_wheel_that_cannot_be_written_compiles_nothing(sole, with_code):
    names = zipfile.ZipFile(with_code).namelist()
    assert not [n for n in names if "/inner/" in n or n.endswith(".tmp")]
    assert {n.rpartition(".")[2] for n in names if n.startswith(CODE)} == {"kernel"}
    told = sole.run("-c", WALK)
    assert told.splitlines()[-1] == "compiled: 0"
    home = Path(sole.run("-c", "import os; print(os.environ['HOME'])").strip())
    assert not list((home / "cache").rglob("*.kernel"))  # nothing was compiled, nothing is kept


@pytest.mark.nightly
@pytest.mark.slow
def test_a_walk_runs_from_the_wheel(sole):
    found = json.loads(sole("walk", "--robot", "hrp2-like", "--footsteps", "1", "--json"))
    assert found["fell"] is False
