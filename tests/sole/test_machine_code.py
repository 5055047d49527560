"""Machine code on disk: never out of date, never in the way, shared by all that may share it."""

from __future__ import annotations

import importlib.util
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from sole.base.compiled import cache as disk
from sole.base.compiled import folders, kernel, processor, stamp, writable_folder
from sole.base.compiled.late import Late
from sole.base.compiled.stamp import stamp_of

HELPER = """
from typing import NamedTuple
import numpy as np
from sole.base.compiled import kernel
FACTOR = 2.0
class Pair(NamedTuple):
    a: float
    b: float
@kernel
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
    "its options": ("@kernel\n", '@kernel(error_model="numpy")\n'),
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


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """Machine code of this test alone."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "code"))
    disk._writable.cache_clear()
    yield tmp_path / "code" / "compliant-sole"
    disk._writable.cache_clear()


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
    again = modules(tmp_path, monkeypatch)
    assert again(1.0, 5.0) == 2.0 and sum(again.stats.cache_hits.values()) == 1
    new = modules(tmp_path, monkeypatch, HELPER.replace(*EDITS["a constant"]))
    assert new(1.0, 5.0) == 3.0 and not new.stats.cache_hits


OTHERS = {
    "Python": (sys.implementation, "cache_tag", "cpython-399"),
    "numba": (stamp.numba, "__version__", "0.68.99"),
    "numpy": (np, "__version__", "0.1"),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
def test_another_version_compiles_for_itself(other, tmp_path, monkeypatch, own_folder):
    assert modules(tmp_path, monkeypatch)(1.0, 5.0) == 2.0
    kept = {file: file.read_bytes() for file in own_folder.iterdir()}
    monkeypatch.setattr(*other)
    new = modules(tmp_path, monkeypatch)
    assert new(1.0, 5.0) == 2.0 and not new.stats.cache_hits
    # Both stand side by side: neither version disturbs the other.
    assert len(list(own_folder.iterdir())) == 2 * len(kept)
    assert all(file.read_bytes() == code for file, code in kept.items())


@pytest.mark.parametrize(
    "spoil", [lambda b: b[: len(b) // 2], lambda b: b"", lambda b: b[:-1] + b"?"]
)
def test_a_spoiled_file_is_compiled_again(spoil, tmp_path, monkeypatch, own_folder):
    assert modules(tmp_path, monkeypatch)(1.0, 5.0) == 2.0
    for file in own_folder.iterdir():
        file.write_bytes(spoil(file.read_bytes()))
    again = modules(tmp_path, monkeypatch)
    assert again(1.0, 5.0) == 2.0 and not again.stats.cache_hits
    last = modules(tmp_path, monkeypatch)
    assert last(1.0, 5.0) == 2.0 and last.stats.cache_hits  # the file was made good


def test_a_file_that_is_no_machine_code_is_compiled_again(tmp_path, monkeypatch, own_folder):
    assert modules(tmp_path, monkeypatch)(1.0, 5.0) == 2.0
    for file in own_folder.iterdir():
        disk.write_checked(file, pickle.dumps(("of", "another", "numba")))
    with pytest.warns(match="not usable"):
        assert modules(tmp_path, monkeypatch)(1.0, 5.0) == 2.0


def test_what_cannot_be_written_to_is_read(tmp_path, monkeypatch):
    shipped, own = tmp_path / "shipped", tmp_path / "own"
    monkeypatch.setattr(disk, "code_folders", lambda: (shipped, own))
    monkeypatch.setattr(disk, "_writable", lambda: shipped)
    shipped.mkdir(), own.mkdir()
    assert modules(tmp_path, monkeypatch)(1.0, 5.0) == 2.0
    monkeypatch.setattr(disk, "_writable", lambda: own)
    again = modules(tmp_path, monkeypatch)
    assert again(1.0, 5.0) == 2.0 and again.stats.cache_hits
    assert not list(own.iterdir())


def test_no_writable_folder_is_no_error(tmp_path, monkeypatch):
    monkeypatch.setattr(disk, "code_folders", lambda: (tmp_path / "none",))
    monkeypatch.setattr(disk, "_writable", lambda: None)
    assert modules(tmp_path, monkeypatch)(1.0, 5.0) == 2.0


def test_a_full_disk_is_no_error(tmp_path, monkeypatch, own_folder):
    def full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert modules(tmp_path, monkeypatch)(1.0, 5.0) == 2.0
    assert not list(own_folder.iterdir())  # not even a half file


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
    features = dict.fromkeys(processor.NEEDED, True)
    assert processor.has_level(features, "x86_64")
    assert not processor.has_level(features, "aarch64")
    for lacking in processor.NEEDED:
        assert not processor.has_level({**features, lacking: False}, "x86_64")


PROGRAM = """
import sys, numpy as np
from sole.base.compiled import kernel
import contact.ground.query_kernels as m
normals, frames = np.array([[[0.0, 0.0, 3.0]]]), np.empty((1, 1, 3, 3))
m.write_frames(normals, np.eye(3)[None], frames)
print(frames[0, 0, 2, 2], sum(m.write_frames.stats.cache_hits.values()))
"""


def start(folder, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder), **environment},
        stdout=subprocess.PIPE,
        text=True,
    )


def test_two_processes_at_once_and_another_processor(tmp_path):
    """Both write the same files; another processor finds nothing for itself, and compiles."""
    both = [start(tmp_path), start(tmp_path)]
    assert [p.communicate()[0].split()[0] for p in both] == ["3.0", "3.0"]
    files = set((tmp_path / "compliant-sole").iterdir())
    assert sorted(f.suffix for f in files) == [".nbc", ".part", ".part", ".unit"]
    other = start(tmp_path, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")
    assert other.communicate()[0].split() == ["3.0", "0"]
    assert len(set((tmp_path / "compliant-sole").iterdir()) - files) == 4
    assert start(tmp_path).communicate()[0].split() == ["3.0", "1"]


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


def test_an_array_is_part_of_the_stamp(monkeypatch):
    from sole.base.compiled import stamp

    before = stamp_of(of_table)
    monkeypatch.setitem(of_table.py_func.__globals__, "TABLE", np.array([1.0, 3.0]))
    stamp._parts.cache_clear()
    assert stamp_of(of_table) != before
    stamp._parts.cache_clear()
