"""Machine code on disk: never out of date, never in the way, shared by all that may share it."""

from __future__ import annotations

import importlib.util
import json
import os
import pickle
import stat
import subprocess
import sys

import numpy as np
import pytest

from sole.base import numba_settings
from sole.base.compiled import folders, kernel, located, writable_folder
from sole.base.compiled.late import Late, made
from sole.base.compiled.stamp import environment, stamp

HELPER = """
from typing import NamedTuple
import numpy as np
from sole.base.compiled import inner_kernel
FACTOR = 2.0
class Pair(NamedTuple):
    a: float
    b: float
@inner_kernel
def inner(x): return FACTOR * x
"""
CALLER = """
from helper import Pair, inner
from sole.base.compiled import kernel
@kernel
def outer(x, y):
    pair = Pair(x, y)
    return inner(pair.a)
"""
EDITS = {
    "a constant": ("FACTOR = 2.0", "FACTOR = 3.0"),
    "fields of a named tuple": ("a: float\n    b: float", "b: float\n    a: float"),
    "a called kernel": ("FACTOR * x", "FACTOR * x + 1.0"),
    "its options": ("@inner_kernel\n", '@inner_kernel(fastmath={"nsz"})\n'),
}


def modules(folder, monkeypatch, helper=HELPER, caller=CALLER):
    """Write and import both files afresh; return the kernel that calls the other file's."""
    folder.mkdir(exist_ok=True)
    # Bytecode goes by seconds and size: it would hide an edit that keeps both.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for name, text in (("helper", helper), ("caller", caller)):
        file = folder / f"{name}.py"
        file.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
    return sys.modules["caller"].outer


def stamp_of(outer):
    """The stamp of a kernel."""
    return stamp(outer.__wrapped__)


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """Machine code of this test alone."""
    forget()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "code"))
    yield tmp_path / "code" / "compliant-sole"
    forget()


def forget():
    """Look at folders and files anew, as a new process does."""
    located.working_folder.cache_clear()
    located._files.cache_clear()


def files_of(folder):
    """What numba has written, of kernels and of inner ones."""
    return sorted(p for p in folder.rglob("*") if p.suffix in (".nbi", ".nbc"))


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_an_edit_of_another_file_changes_the_stamp(edit, tmp_path, monkeypatch):
    before = stamp_of(modules(tmp_path, monkeypatch))
    changed = HELPER.replace(*edit)
    assert changed != HELPER
    assert stamp_of(modules(tmp_path, monkeypatch, changed)) != before


def test_comments_places_and_dates_do_not_change_the_stamp(tmp_path, monkeypatch):
    before = stamp_of(modules(tmp_path / "here", monkeypatch))
    other = 'def inner(x):  # another\n    "A docstring."\n   '
    helper = "# a comment\n" + HELPER.replace("def inner(x):", other)
    found = modules(tmp_path / "there", monkeypatch, helper)
    os.utime(tmp_path / "there" / "helper.py", (1, 1))
    assert stamp_of(found) == before


def test_old_machine_code_is_not_run_after_an_edit(tmp_path, monkeypatch, own_folder):
    assert modules(tmp_path, monkeypatch)(1.0, 5.0) == 2.0
    forget()
    again = modules(tmp_path, monkeypatch)
    assert again(1.0, 5.0) == 2.0 and sum(again.stats.cache_hits.values()) == 1
    new = modules(tmp_path, monkeypatch, HELPER.replace(*EDITS["a constant"]))
    assert new(1.0, 5.0) == 3.0 and not new.stats.cache_hits


@pytest.mark.parametrize("other", ["numba", "llvmlite", "numpy", "python"])
def test_another_version_compiles_for_itself(other, tmp_path, monkeypatch):
    before = stamp_of(modules(tmp_path, monkeypatch))
    if other == "python":
        monkeypatch.setattr(sys.implementation, "cache_tag", "cpython-399")
    else:
        from sole.base.compiled import stamp as home

        known = home.version
        monkeypatch.setattr(home, "version", lambda n: "9.9" if n == other else known(n))
    environment.cache_clear()
    assert stamp_of(modules(tmp_path, monkeypatch)) != before
    environment.cache_clear()


SPOILS = {
    "half": lambda b: b[: len(b) // 2],
    "empty": lambda b: b"",
    "another byte": lambda b: b[: len(b) // 2] + bytes([b[len(b) // 2] ^ 1]) + b[len(b) // 2 + 1 :],
    "no machine code": lambda b: pickle.dumps(("of", "another", "numba")),
}


@pytest.mark.parametrize("kind", [".nbc", ".nbi"])
@pytest.mark.parametrize("spoil", SPOILS.values(), ids=SPOILS.keys())
def test_a_spoiled_file_is_compiled_again(spoil, kind, tmp_path, monkeypatch, own_folder):
    assert modules(tmp_path, monkeypatch)(1.0, 5.0) == 2.0
    located.note_kept()
    assert len(files_of(own_folder)) == 4
    for file in files_of(own_folder):
        if file.suffix == kind:
            file.write_bytes(spoil(file.read_bytes()))
    forget()
    again = modules(tmp_path, monkeypatch)
    assert again(1.0, 5.0) == 2.0 and not again.stats.cache_hits
    located.note_kept()
    forget()
    last = modules(tmp_path, monkeypatch)
    assert last(1.0, 5.0) == 2.0 and last.stats.cache_hits  # the files were made good


def test_a_file_half_written_before_its_checksum_is_compiled_again(
    tmp_path, monkeypatch, own_folder
):
    assert modules(tmp_path, monkeypatch)(1.0, 5.0) == 2.0
    for file in files_of(own_folder):
        file.write_bytes(file.read_bytes()[:-1])
    forget()
    again = modules(tmp_path, monkeypatch)
    assert again(1.0, 5.0) == 2.0 and not again.stats.cache_hits


def test_what_another_process_adds_is_not_taken_for_spoiled(tmp_path, monkeypatch, own_folder):
    """It writes the index anew, and a checksum of its own only when it ends."""
    outer = modules(tmp_path, monkeypatch)
    assert outer(1.0, 5.0) == 2.0
    located.note_kept()
    assert outer(1, 5) == 2.0  # other types
    forget()
    again = modules(tmp_path, monkeypatch)
    assert (again(1.0, 5.0), again(1, 5)) == (2.0, 2.0)
    assert sum(again.stats.cache_hits.values()) == 2


def test_what_cannot_be_written_to_is_read(tmp_path, monkeypatch):
    shipped, own = tmp_path / "shipped", tmp_path / "own"
    monkeypatch.setattr(located, "code_folders", lambda: (shipped, own))
    monkeypatch.setattr(located, "writable_folder", lambda: shipped)
    shipped.mkdir(), own.mkdir()
    forget()
    assert modules(tmp_path, monkeypatch)(1.0, 5.0) == 2.0
    located.note_kept()
    before = {p: p.stat().st_mtime_ns for p in shipped.rglob("*")}
    monkeypatch.setattr(located, "writable_folder", lambda: own)
    forget()
    again = modules(tmp_path, monkeypatch)
    assert again(1.0, 5.0) == 2.0 and again.stats.cache_hits
    assert {p: p.stat().st_mtime_ns for p in shipped.rglob("*")} == before
    assert [p.name for p in files_of(own)] == [p.name for p in files_of(shipped)[:2]]
    forget()


def test_without_a_folder_a_process_keeps_its_own_and_says_so_once(tmp_path, monkeypatch, capsys):
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(in_the_way))
    monkeypatch.delenv("SOLE_QUIET", raising=False)
    forget()
    for factor in ("2.0", "4.0"):
        outer = modules(tmp_path, monkeypatch, HELPER.replace("2.0", factor))
        assert outer(1.0, 5.0) == float(factor)
    said = capsys.readouterr().err.splitlines()
    assert [line for line in said if "cannot be kept" in line] == said[:1]
    assert str(in_the_way) in said[0] and "NUMBA_CACHE_DIR" in said[0]
    assert located.working_folder().name.startswith("compliant-sole-")
    forget()


def test_the_user_s_cache_comes_after_the_package(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    package, user = folders.code_folders()
    assert package.parent.name == "sole" and package.name == "machine_code"
    if sys.platform == "linux":
        assert user == tmp_path / "compliant-sole"
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    monkeypatch.setattr(folders, "code_folders", lambda: (in_the_way / "x", user))
    assert writable_folder() == user
    monkeypatch.setattr(folders, "code_folders", lambda: (in_the_way / "x",))
    assert writable_folder() is None


def test_the_level_needs_all_its_features():
    features = set(numba_settings.NEEDED)
    assert numba_settings.has_level(features, "x86_64")
    assert not numba_settings.has_level(features, "aarch64")
    for lacking in numba_settings.NEEDED:
        assert not numba_settings.has_level(features - {lacking}, "x86_64")


def test_another_processor_compiles_for_itself(monkeypatch):
    for name in (numba_settings.NAME, numba_settings.FEATURES):
        monkeypatch.setenv(name, "")  # for monkeypatch to put back
        monkeypatch.delenv(name)
    monkeypatch.setattr(numba_settings, "_host", lambda: (frozenset({"avx"}), "x86_64"))
    numba_settings.set_up_numba()
    assert numba_settings.NAME not in os.environ
    monkeypatch.setattr(
        numba_settings, "_host", lambda: (frozenset(numba_settings.NEEDED), "x86_64")
    )
    numba_settings.set_up_numba()
    assert os.environ[numba_settings.NAME] == numba_settings.LEVEL


PROGRAM = """
from sole.base.numba_settings import set_up_numba
set_up_numba()
import numpy as np
import contact.ground.query_kernels as m
normals, frames = np.array([[[0.0, 0.0, 3.0]]]), np.empty((1, 1, 3, 3))
m.write_frames(normals, np.eye(3)[None], frames)
print(frames[0, 0, 2, 2], sum(m.write_frames.stats.cache_hits.values()))
"""


def start(folder, program=PROGRAM, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder), **environment},
        stdout=subprocess.PIPE,
        text=True,
    )


def test_two_processes_at_once_and_another_processor(tmp_path):
    """Both write the same files; another processor finds nothing for itself, and compiles."""
    both = [start(tmp_path), start(tmp_path)]
    assert [p.communicate()[0].split()[0] for p in both] == ["3.0", "3.0"]
    folder = tmp_path / "compliant-sole"
    files = [p.name for p in files_of(folder)]
    assert [p.rpartition(".")[2] for p in files] == ["nbc", "nbi", "nbc", "nbi"]
    assert start(tmp_path).communicate()[0].split() == ["3.0", "1"]
    other = start(tmp_path, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")
    assert other.communicate()[0].split() == ["3.0", "0"]
    assert len(files_of(folder)) == 6  # an index serves both
    assert start(tmp_path).communicate()[0].split() == ["3.0", "1"]
    assert not list(folder.rglob("*.tmp*"))
    for sums in folder.rglob("*.sums"):
        assert json.loads(sums.read_text())["files"]
        assert stat.S_IMODE(sums.stat().st_mode) == 0o644


IMPORTED = """
import os, sys
before = dict(os.environ)
if {first}:
    import numba
    known = {{n: repr(getattr(numba.config, n)) for n in dir(numba.config) if n.isupper()}}
import sole.condense, contact.step, contact.solvers, robot.walk, robot.simulator, robot.control
import sole.base.compiled, sole.elimination.multifrontal
import numba
if {first}:
    now = {{n: repr(getattr(numba.config, n)) for n in dir(numba.config) if n.isupper()}}
    assert now == known
assert dict(os.environ) == before
assert not numba.config.CACHE_LOCATOR_CLASSES and numba.config.CPU_NAME is None
assert int(numba.config.OPT) == 3
import numpy as np
import contact.ground.query_kernels as m
normals, frames = np.array([[[0.0, 0.0, 3.0]]]), np.empty((1, 1, 3, 3))
m.write_frames(normals, np.eye(3)[None], frames)
assert dict(os.environ) == before and int(numba.config.OPT) == 3
print(frames[0, 0, 2, 2], m.write_frames.stats.cache_path)
"""


@pytest.mark.parametrize("first", [False, True])
def test_importing_changes_no_setting_and_works_without_ours(tmp_path, first):
    """Before or after `import numba`; machine code is then kept where numba keeps everything."""
    plain = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED.format(first=first)],
        env={**plain, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    value, folder = done.stdout.split()
    assert value == "3.0" and folder.startswith(str(tmp_path))


def test_a_numba_that_is_not_tested_is_told_of_once():
    program = "import numba\nnumba.__version__ = '0.99.1'\n"
    program += "from sole.base.compiled import kernel\n"
    program += "import contact.ground.query_kernels as m, numpy as np\n"
    program += "for _ in range(2):\n    f = kernel(lambda x: x + 1.0)\n    assert f(1.0) == 2.0\n"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={k: v for k, v in os.environ.items() if k != "SOLE_QUIET"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines() == ["numba 0.99.1 is not tested here: 0.68 is"]


def test_pyproject_says_which_numba_is_tested(root):
    from sole.base.compiled.late import TESTED

    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    assert f"  # tested with {TESTED}; others warn once\n" in text


def test_a_late_kernel_is_the_kernel():
    one = Late(plain, lambda function: function)
    one._made = plain
    assert (one(2), one.__name__, one.__doc__) == (4, "plain", "Twice x.")
    assert pickle.loads(pickle.dumps(one)) is plain


def plain(x):
    """Twice x."""
    return 2 * x


@kernel
def of_table(x):
    return TABLE[0] * x


TABLE = np.array([1.0, 2.0])


def test_a_kernel_knows_what_stands_below_it():
    assert of_table(2.0) == 2.0
    assert type(made(of_table) if type(of_table) is Late else of_table).__name__ == "CPUDispatcher"


def test_an_array_is_part_of_the_stamp(monkeypatch):
    from sole.base.compiled import stamp as home

    before = stamp_of(of_table)
    monkeypatch.setitem(globals(), "TABLE", np.array([1.0, 3.0]))
    home._parts.cache_clear(), stamp.cache_clear()
    assert stamp_of(of_table) != before
    home._parts.cache_clear(), stamp.cache_clear()
