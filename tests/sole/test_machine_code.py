"""Machine code on disk: never out of date, never in the way, shared by all that may share it."""

from __future__ import annotations

import errno
import importlib.util
import os
import pickle
import stat
import subprocess
import sys
from functools import cache

import numba
import numpy as np
import pytest

from sole.base import numba_settings
from sole.base.compiled import folders, kernel, late, located, writable_folder
from sole.base.compiled.kernel_file import KernelFile, read_kernel_file, write_kernel_file
from sole.base.compiled.late import Late, made
from sole.base.compiled.stamp import stamp

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
def unknowing(monkeypatch):
    """Nothing of folders and kernels is known in this process, as in a new one.

    What it knew comes back: its other kernels would be compiled again without.
    """
    if late._waiting:  # else they would be made here
        made(late._waiting[0])
    for one in (located.own_folder, located.shared_folder):
        monkeypatch.setattr(located, one.__name__, cache(one.__wrapped__))
    for known in ("_taken", "_types", "_left"):
        monkeypatch.setattr(located, known, {})
    yield
    forget()


@pytest.fixture
def code(tmp_path, monkeypatch, unknowing):
    """An empty folder of machine code."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "code"))
    return tmp_path / "code" / "compliant-sole"


def forget():
    """Know nothing of folders and kernels, as a new process does; keep what was compiled."""
    located._end()
    located.own_folder.cache_clear(), located.shared_folder.cache_clear()
    for known in (located._taken, located._types, located._left):
        known.clear()


def hits(outer):
    return sum(outer.stats.cache_hits.values())


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


def test_old_machine_code_is_not_run_after_an_edit(tmp_path, monkeypatch, code):
    assert modules(tmp_path, monkeypatch)(1.0, 5.0) == 2.0
    forget()
    again = modules(tmp_path, monkeypatch)
    assert again(1.0, 5.0) == 2.0 and hits(again) == 1
    new = modules(tmp_path, monkeypatch, HELPER.replace(*EDITS["a constant"]))
    assert new(1.0, 5.0) == 3.0 and not new.stats.cache_hits


def test_what_was_compiled_of_a_changed_program_is_not_kept(tmp_path, monkeypatch, code):
    """numba reads a global when it compiles, which may be after the stamp was made."""
    outer = modules(tmp_path, monkeypatch)
    assert outer.py_func  # it has its stamp
    monkeypatch.setattr(sys.modules["helper"], "FACTOR", 3.0)
    assert outer(1.0, 5.0) == 3.0
    forget()
    assert modules(tmp_path, monkeypatch)(1.0, 5.0) == 2.0


def test_a_kernel_without_a_stamp_works_and_is_not_kept(tmp_path, monkeypatch, code):
    caller = CALLER + "class Odd: pass\nx = Odd()\n@kernel\ndef odd(pair): return pair.x\n"
    outer = modules(tmp_path, monkeypatch, caller=caller)
    with pytest.raises(TypeError, match="no lasting name"):
        stamp(sys.modules["caller"].odd.__wrapped__)
    assert outer(1.0, 5.0) == 2.0
    forget()
    assert len(list(code.glob("*.kernel"))) == 1


@pytest.mark.parametrize("other", ["numba", "llvmlite", "numpy", "python", "bounds"])
def test_another_version_or_setting_compiles_for_itself(other, tmp_path, monkeypatch):
    before = stamp_of(modules(tmp_path, monkeypatch))
    if other == "python":
        monkeypatch.setattr(sys.implementation, "cache_tag", "cpython-399")
    elif other == "bounds":
        monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    else:
        monkeypatch.setattr(importlib.import_module(other), "__version__", "9.9")
    assert stamp_of(modules(tmp_path, monkeypatch)) != before


SPOILS = {
    "half": lambda b: b[: len(b) // 2],
    "empty": lambda b: b"",
    "one byte of the index": lambda b: b.replace(b".1.nbc", b".2.nbc", 1),
    "one byte of the types": lambda b: b.replace(b"types", b"typos", 1),
    "the last byte": lambda b: b[:-1] + bytes([b[-1] ^ 1]),
    "something else": lambda b: b"something else",
}


@pytest.mark.parametrize("spoil", SPOILS.values(), ids=SPOILS.keys())
def test_a_spoiled_file_is_compiled_again(spoil, tmp_path, monkeypatch, code):
    assert modules(tmp_path, monkeypatch)(1.0, 5.0) == 2.0
    forget()
    (file,) = code.glob("*.kernel")
    assert spoil(file.read_bytes()) != file.read_bytes()
    file.write_bytes(spoil(file.read_bytes()))
    again = modules(tmp_path, monkeypatch)
    assert again(1.0, 5.0) == 2.0 and not again.stats.cache_hits
    forget()
    last = modules(tmp_path, monkeypatch)
    assert last(1.0, 5.0) == 2.0 and last.stats.cache_hits  # the file was made good


def test_a_process_that_is_killed_leaves_nothing_half(tmp_path, monkeypatch, code):
    """Neither machine code nor, once another process begins, a folder of its own."""
    program = "import os, signal, sys, tempfile\nprint(tempfile.gettempdir())\n" + PROGRAM
    killed = start(tmp_path / "code", f"{program}\nos.kill(os.getpid(), signal.SIGKILL)")
    folder = killed.communicate()[0].split()[0]
    mine = f"compliant-sole-{killed.pid}-"
    assert [name for name in os.listdir(folder) if name.startswith(mine)]
    assert not list(code.rglob("*.kernel"))
    assert start(tmp_path / "code").communicate()[0].split() == ["3.0", "0"]
    assert not [name for name in os.listdir(folder) if name.startswith(mine)]


def test_what_was_compiled_beforehand_outlives_other_processes(tmp_path, monkeypatch, code):
    """A listed kernel may call another listed one, which a second process has compiled."""
    outer = modules(tmp_path, monkeypatch)
    assert outer(1.0, 5.0) == 2.0
    beforehand = KernelFile({"of-k.nbi": b"of the other process"}, frozenset({"its types"}))
    file = located.file_of(outer.py_func, code)
    write_kernel_file(file, beforehand)
    located.keep()
    assert read_kernel_file(file) == beforehand
    located.keep(outer.py_func, (numba.float64, numba.float64))
    assert read_kernel_file(file) == beforehand


def test_a_full_disk_is_no_error(tmp_path, monkeypatch, code):
    code.mkdir(parents=True)

    def full(*paths):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    write_kernel_file(code / "one.kernel", KernelFile({"a.nbi": b"1"}))
    assert not list(code.iterdir())


def test_what_is_kept_comes_back(tmp_path):
    kept = KernelFile(
        {"a.nbi": b"1\n2", "a.1.nbc": b"", "a.2.nbc": bytes(range(256))}, frozenset("xy")
    )
    write_kernel_file(tmp_path / "one.kernel", kept)
    assert read_kernel_file(tmp_path / "one.kernel") == kept
    assert stat.S_IMODE((tmp_path / "one.kernel").stat().st_mode) == 0o644
    assert read_kernel_file(tmp_path / "two.kernel") is None


def test_what_cannot_be_written_to_is_read(tmp_path, monkeypatch, unknowing):
    shipped, own = tmp_path / "shipped", tmp_path / "own"
    monkeypatch.setattr(located, "code_folders", lambda: (shipped, own))
    monkeypatch.setattr(located, "writable_folder", lambda: shipped)
    shipped.mkdir(), own.mkdir()
    assert modules(tmp_path, monkeypatch)(1.0, 5.0) == 2.0
    forget()
    before = {p: p.stat().st_mtime_ns for p in shipped.rglob("*")}
    monkeypatch.setattr(located, "writable_folder", lambda: own)
    again = modules(tmp_path, monkeypatch)
    assert again(1.0, 5.0) == 2.0 and again.stats.cache_hits
    assert again(1, 5) == 2.0  # of other types: kept here, with those of the other folder
    forget()
    last = modules(tmp_path, monkeypatch)
    assert (last(1.0, 5.0), last(1, 5), hits(last)) == (2.0, 2.0, 2)
    assert {p: p.stat().st_mtime_ns for p in shipped.rglob("*")} == before


def test_without_a_folder_a_process_keeps_its_own_and_says_so_once(
    tmp_path, monkeypatch, capsys, unknowing
):
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(in_the_way))
    monkeypatch.delenv("SOLE_QUIET", raising=False)
    for factor in ("2.0", "4.0"):
        outer = modules(tmp_path, monkeypatch, HELPER.replace("2.0", factor))
        assert outer(1.0, 5.0) == float(factor)
    said = capsys.readouterr().err.splitlines()
    assert [line for line in said if "cannot be kept" in line] == said[:1]
    assert str(in_the_way) in said[0] and "NUMBA_CACHE_DIR" in said[0]
    folder = located.own_folder()
    assert folder.name.startswith("compliant-sole-")
    forget()
    assert not folder.exists()


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


def start(folder, program=PROGRAM, stdin=None, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder), **environment},
        stdin=stdin,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.nightly
def test_two_processes_at_once_and_another_processor(tmp_path):
    """Both write the same file; another processor finds nothing for itself, and compiles."""
    both = [start(tmp_path), start(tmp_path)]
    assert [p.communicate()[0].split()[0] for p in both] == ["3.0", "3.0"]
    folder = tmp_path / "compliant-sole"
    (file,) = folder.glob("*.kernel")
    assert len(read_kernel_file(file).files) == 2
    assert start(tmp_path).communicate()[0].split() == ["3.0", "1"]
    other = start(tmp_path, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")
    assert other.communicate()[0].split() == ["3.0", "0"]
    assert len(read_kernel_file(file).files) == 3  # an index serves both
    assert start(tmp_path).communicate()[0].split() == ["3.0", "1"]
    assert not list(folder.rglob("*.tmp*"))


FIRST = """
import sys
from sole.base.numba_settings import set_up_numba
set_up_numba()
import numpy as np
sys.path.insert(0, {folder!r})
from first import first
print(first(np.array([1, 2], {kind!r})), flush=True)
sys.stdin.readline()  # until both have compiled
"""


@pytest.mark.nightly
def test_two_processes_that_compile_other_types_do_not_mix_them(tmp_path):
    """Each writes an index of its own; what the last one leaves is whole."""
    (tmp_path / "first.py").write_text(
        "from sole.base.compiled import kernel\n@kernel\ndef first(x): return x[0]\n"
    )
    programs = [FIRST.format(folder=str(tmp_path), kind=kind) for kind in ("float64", "int64")]
    both = [start(tmp_path, program, stdin=subprocess.PIPE) for program in programs]
    assert [float(p.stdout.readline()) for p in both] == [1.0, 1.0]
    for p in both:
        p.communicate("\n")
    for program in programs:
        process = start(tmp_path, program, stdin=subprocess.DEVNULL)
        assert float(process.communicate()[0]) == 1.0


@pytest.mark.nightly
def test_closures_of_one_place_are_told_apart(tmp_path):
    """They have one file, name and line, and other values."""
    (tmp_path / "scales.py").write_text(
        "from sole.base.compiled import kernel\n"
        "def scaled(factor):\n    @kernel\n    def scale(x): return factor * x\n    return scale\n"
    )
    program = "from sole.base.numba_settings import set_up_numba\nset_up_numba()\nimport sys\n"
    program += f"sys.path.insert(0, {str(tmp_path)!r})\nfrom scales import scaled\n"
    for factors in ("2.0", "3.0", "2.0, 3.0"):
        ask = f"print(*[scaled(f)(1.0) for f in ({factors},)])"
        found = start(tmp_path, program + ask).communicate()[0].split()
        assert found == factors.split(", ")


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


@pytest.mark.parametrize("first", [pytest.param(False, marks=pytest.mark.nightly), True])
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
