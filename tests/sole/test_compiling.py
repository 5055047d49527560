"""Compiling beforehand: lists of kernels, processes, and what is said while somebody waits."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from numba.core import types

from sole.base.compiled import foreman, kernel, listed, located, news
from sole.base.compiled.foreman import compile_all, prepare
from sole.base.compiled.late import begin
from sole.base.compiled.listed import Listed, listed_kernels, missing_kernels
from sole.base.compiled.signatures import spell, unspell

GAPS = "contact.ground.query_kernels:fill_plane_gaps"


def entry(kernel):
    """An entry of the lists, of a kernel with one."""
    return next(one for one in listed_kernels() if one.kernel == kernel)


def test_types_come_back_from_their_text():
    from contact.step.step_arrays import BodyArrays, SubstepMotion

    array = types.Array(types.float64, 2, "C", readonly=True)
    kinds = [
        types.float64,
        types.boolean,
        array,
        types.Array(types.int32, 1, "F"),
        types.Tuple([types.int64, array]),
        types.UniTuple(types.float64, 3),
        types.Omitted(None),
        types.Omitted(0.5),
        types.NamedTuple([array, array, types.int64, array, types.float64], BodyArrays),
        types.NamedUniTuple(types.float64, 5, SubstepMotion),
    ]
    for kind in kinds:
        assert unspell(json.loads(json.dumps(spell(kind)))) == kind
    assert unspell("array float64 1 C") != unspell("array float64 1 C readonly")
    with pytest.raises(TypeError):
        spell(types.List(types.int64))


def names_of(kind):
    """The named tuples in a type."""
    inner = list(kind) if isinstance(kind, types.BaseTuple) else []
    named = [kind] if isinstance(kind, types.BaseNamedTuple) else []
    return named + [name for one in inner for name in names_of(one)]


def test_kernels_return_plain_tuples_to_python():
    """Ctrl-C while numba makes a named tuple ends a process by a segmentation fault."""
    for one in listed_kernels():
        one.compile()
        function, kinds = one.found()
        assert not names_of(function.overloads[kinds].signature.return_type), one.kernel


def test_the_lists_name_kernels_that_exist_with_as_many_arguments_as_they_take():
    found = listed_kernels()
    assert len(found) > 50
    assert {"walk", "press", "condense"} < {job for one in found for job in one.jobs}
    assert [one.seconds for one in found] == sorted((one.seconds for one in found), reverse=True)
    for one in found:
        function, kinds = one.found()
        code = function.py_func.__code__
        least = code.co_argcount - len(function.py_func.__defaults__ or ())
        assert least <= len(kinds) <= code.co_argcount, one.kernel


@pytest.mark.parametrize(
    "jobs",
    [
        ("walk",),
        pytest.param(("needed", "large"), marks=pytest.mark.nightly),
        pytest.param(("needed", "contact", "rigid-bodies"), marks=pytest.mark.long),
    ],
)
def test_a_job_calls_what_is_listed(jobs, root, tmp_path):
    """What is not listed would be compiled while somebody waits; `make kernels` lists it."""
    sys.path.insert(0, str(root / ".ci"))
    import kernels

    kernels.write_files(tmp_path)
    called = set()
    for job in jobs:
        called |= {json.dumps(entry) for entry in kernels.ask(job, tmp_path)}
        if job == "needed":
            kernels.write_problem(tmp_path)
    known = {json.dumps([one.kernel, one.types]) for one in listed_kernels([*jobs, "condense"])}
    assert len(called) > 30
    assert not called - known


def test_kernels_are_listed_in_one_precision():
    assert "float32" not in json.dumps([one.types for one in listed_kernels()])


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """A folder of machine code in which there is nothing."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    located.shared_folder.cache_clear()
    yield tmp_path / "compliant-sole"
    located.shared_folder.cache_clear()


def test_processes_compile_and_name_what_they_cannot(empty):
    gone = Listed("contact.ground.query_kernels:gone", [], 1.0, ("x",))
    assert not entry(GAPS).is_kept()
    shares = []
    done = compile_all([entry(GAPS), gone], 2, shares.append)
    assert (done.kernels, done.processes) == (1, 2)
    assert len(done.failed) == 1 and "AttributeError" in done.failed[0]
    assert shares == sorted(shares) and shares[-1] == 1.0
    assert entry(GAPS).is_kept()
    for file in empty.glob("*.kernel"):
        file.write_bytes(file.read_bytes()[:-1])
    assert not entry(GAPS).is_kept()


def test_what_others_compile_at_once_is_kept_once_and_whole(empty):
    """Two commands that find nothing compile the same at the same time."""
    both = [compile_in_background(empty.parent) for _ in range(2)]
    assert [p.wait() for p in both] == [0, 0]
    assert entry(GAPS).is_kept()
    assert [file.suffix for file in empty.iterdir()] == [".kernel"]


def compile_in_background(folder):
    program = f"""
from sole.base.compiled.foreman import compile_all
from sole.base.compiled.listed import listed_kernels
done = compile_all([one for one in listed_kernels() if one.kernel == {GAPS!r}], 1)
assert done.kernels == 1 and not done.failed, done
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    return subprocess.Popen([sys.executable, "-c", program], env=environment)


def test_a_kernel_is_compiled_by_one_process_for_all_its_types():
    """numba notes the types in one file, of which two processes would lose a part."""
    wanted = [
        Listed(kernel, [name], seconds, ("x",))
        for kernel, name, seconds in (("a:a", "int64", 1.0), ("b:b", "int64", 3.0),
                                      ("a:a", "float64", 2.5))
    ]  # fmt: skip
    groups = foreman.by_kernel(wanted)
    assert [[one.kernel for one in group] for group in groups] == [["a:a", "a:a"], ["b:b"]]


def test_what_cannot_be_compiled_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv(news.QUIET, raising=False)
    told = foreman.Compiled(kernels=0, seconds=1.0, processes=1, failed=("a:b: TypeError: no",))
    monkeypatch.setattr(foreman, "compile_all", lambda *arguments: told)
    foreman.compile_shown([entry(GAPS)], None, bar=False)
    said = capsys.readouterr().err
    assert "1 kernel could not be compiled beforehand: a:b: TypeError: no" in said


def test_a_process_that_dies_leaves_an_answer(monkeypatch):
    monkeypatch.setattr(foreman, "PROGRAM", "import os, sys; sys.stdin.readline(); os._exit(9)")
    done = compile_all([entry(GAPS)], 1)
    assert done.kernels == 0 and "the process ended" in done.failed[0]


def test_entries_out_of_date_are_left_out(monkeypatch):
    gone = Listed("contact.ground.query_kernels:gone", [], 9.0, ("walk",))
    fields = Listed(GAPS, [["=contact.step.step_arrays:BodyArrays", "int64"]], 9.0, ("walk",))
    monkeypatch.setattr(listed, "listed_kernels", lambda jobs=(): [gone, fields])
    assert missing_kernels(["walk"]) == []


def test_processes_start_for_long_work_only(monkeypatch):
    called = []
    monkeypatch.setattr(foreman, "is_set_up", lambda: True)
    monkeypatch.setattr(foreman, "cores", lambda: 2)
    monkeypatch.setattr(foreman, "writable_folder", lambda: "somewhere")
    monkeypatch.setattr(
        foreman,
        "compile_all",
        lambda *a: called.append(a) or foreman.Compiled(kernels=1, seconds=1.0, processes=2),
    )
    for seconds, times in ((foreman.WORTH / 2, 0), (2 * foreman.WORTH, 1)):
        one = Listed(GAPS, [], seconds, ("walk",))
        monkeypatch.setattr(foreman, "missing_kernels", lambda jobs, one=one: [one])
        prepare(["walk"])
        assert len(called) == times
    monkeypatch.setattr(foreman, "cores", lambda: 1)
    prepare(["walk"])
    monkeypatch.setattr(foreman, "cores", lambda: 2)
    monkeypatch.setattr(foreman, "is_set_up", lambda: False)  # in somebody else's process
    prepare(["walk"])
    assert len(called) == 1


def heard(monkeypatch, patience, kernels):
    """What is said of compiling kernels one after the other, two deep."""
    monkeypatch.setattr(news, "patience", lambda: patience)
    monkeypatch.setattr(news, "PAUSE", 60.0)
    said = []
    listener = news.News(said.append)
    for _ in range(kernels):
        listener.on_start(None)
        listener.on_start(None)
        if patience == 0.0:
            listener.timer.join()
        listener.on_end(None)
        listener.on_end(None)
    listener.finish()
    return said


def test_long_compiling_is_told_and_short_is_not(monkeypatch):
    assert heard(monkeypatch, 60.0, 2) == []
    assert heard(monkeypatch, float("inf"), 2) == []
    begun, ended = heard(monkeypatch, 0.0, 3)
    assert begun == news.BEGUN and "sole compile" in begun
    assert ended.startswith("compiled 3 kernels in ")


def test_a_script_is_told_how_to_use_what_is_compiled(monkeypatch):
    monkeypatch.setattr(news, "is_set_up", lambda: False)
    begun, _ = heard(monkeypatch, 0.0, 1)
    assert begun == news.IN_A_SCRIPT and "set_up_numba()" in begun


def test_one_kernel_is_one_kernel(monkeypatch):
    said = []
    monkeypatch.setattr(foreman, "say", said.append)
    monkeypatch.setattr(
        foreman, "compile_all", lambda *a: foreman.Compiled(kernels=1, seconds=1.0, processes=1)
    )
    foreman.compile_shown([Listed(GAPS, [], 1.0, ("walk",))], None, bar=False)
    assert [line.split(" in ")[0].split(" for ")[0] for line in said] == [
        "compiling 1 kernel",
        "compiled 1 kernel",
    ]
    assert news.number_of(0) == "0 kernels" and news.number_of(14) == "14 kernels"


def test_quiet_commands_and_workers_say_nothing(monkeypatch, capsys):
    monkeypatch.delenv(news.QUIET, raising=False)
    news.say("one")
    monkeypatch.setenv(news.QUIET, "1")
    news.say("two")
    monkeypatch.delenv(news.QUIET)
    monkeypatch.setattr(news.multiprocessing, "parent_process", lambda: "somebody")
    news.say("three")
    assert capsys.readouterr() == ("", "one\n")


def test_numba_tells_of_a_kernel(empty, monkeypatch):
    """The listener is registered: a new kernel is heard of."""
    monkeypatch.setenv("SOLE_PATIENCE", "0.0")
    said, hears = [], begin()
    hears.finish()
    monkeypatch.setattr(hears, "say", said.append)

    @kernel
    def total(x):
        return x.sum()

    assert total(np.ones(3)) == 3.0
    hears.finish()
    assert [line.split()[0] for line in said] == ["compiling", "compiled"]
