"""Compiling beforehand: lists of kernels, processes, and what is said while somebody waits."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from numba.core import types

from sole.base.compiled import cache as disk
from sole.base.compiled import foreman, kernel, news
from sole.base.compiled.foreman import compile_all, prepare
from sole.base.compiled.listed import Listed, listed_kernels, missing_kernels
from sole.base.compiled.signatures import spell, unspell

STEP = "contact.step.swept_step_kernels:step_swept_soles"
SOLVE = "contact.solvers.solve_soles_kernels:solve_soles"
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


@pytest.mark.parametrize("jobs", [("walk",), ("needed", "large")])
def test_a_walk_calls_what_is_listed(jobs, root, tmp_path):
    """What is not listed would be compiled while somebody waits; `make kernels` lists it."""
    sys.path.insert(0, str(root / ".ci"))
    import kernels

    kernels.write_files(tmp_path)
    called = {json.dumps(entry) for job in jobs for entry in kernels.ask(job, tmp_path)}
    known = {json.dumps([one.kernel, one.types]) for one in listed_kernels([*jobs, "condense"])}
    assert len(called) > 30
    assert not called - known
    assert ("float32" in str(called)) == ("large" in jobs)


@pytest.mark.parametrize("kernel", [STEP, SOLVE])
def test_what_sweeps_soles_is_listed_in_both_precisions(kernel):
    """Compliance and stiffness of large soles are read in single precision."""
    listed = [json.dumps(one.types) for one in listed_kernels() if one.kernel == kernel]
    single = [types for types in listed if "float32" in types]
    double = [types for types in listed if "float32" not in types]
    assert single
    assert sorted(types.replace("float32", "float64") for types in single) == sorted(double)


def test_processes_compile_and_name_what_they_cannot(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    gone = Listed("contact.ground.query_kernels:gone", [], 1.0, ("x",))
    assert not entry(GAPS).is_kept()
    shares = []
    done = compile_all([entry(GAPS), gone], 2, lambda share, name: shares.append(share))
    assert (done.kernels, done.processes) == (1, 2)
    assert len(done.failed) == 1 and "AttributeError" in done.failed[0]
    assert shares == sorted(shares) and shares[-1] == 1.0
    assert entry(GAPS).is_kept()


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
    from sole.base.compiled import listed

    gone = Listed("contact.ground.query_kernels:gone", [], 9.0, ("walk",))
    fields = Listed(GAPS, [["=contact.step.step_arrays:BodyArrays", "int64"]], 9.0, ("walk",))
    monkeypatch.setattr(listed, "listed_kernels", lambda jobs=(): [gone, fields])
    assert missing_kernels(["walk"]) == []


def test_processes_start_for_long_work_only(monkeypatch):
    called = []
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
    assert len(called) == 1


def heard(monkeypatch, patience, rooms):
    """What is said of compiling kernels in these rooms, one after the other, two deep."""
    monkeypatch.setattr(news, "PATIENCE", patience)
    monkeypatch.setattr(news, "PAUSE", 60.0)
    said = []
    listener = news.News(said.append)
    for room in rooms:
        function = SimpleNamespace(py_func=SimpleNamespace(__module__=f"{room}.file"))
        event = SimpleNamespace(data={"dispatcher": function})
        listener.on_start(event)
        listener.on_start(event)
        if patience == 0.0:
            listener.timer.join()
        listener.on_end(event)
        listener.on_end(event)
    listener.finish()
    return said


def test_long_compiling_is_told_and_short_is_not(monkeypatch):
    assert heard(monkeypatch, 60.0, ["contact.step", "contact.solvers"]) == []
    said = heard(monkeypatch, 0.0, ["contact.step", "contact.step", "robot.control"])
    assert [line.split(" for ")[0].split(" in ")[0] for line in said] == [
        "compiling contact.step",
        "compiled contact.step: 4 kernels",
        "compiling robot.control",
        "compiled robot.control: 2 kernels",
    ]
    assert "sole compile" in said[0] and "sole compile" not in said[2]


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


def test_numba_tells_of_a_kernel(tmp_path, monkeypatch):
    """The listener is registered: a new kernel is heard of."""

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    disk._writable.cache_clear()
    monkeypatch.setattr(news, "PATIENCE", 0.0)
    said = []
    monkeypatch.setattr(news, "say", said.append)
    monkeypatch.setattr(news._listening[0], "say", said.append)

    @kernel
    def total(x):
        return x.sum()

    assert total(np.ones(3)) == 3.0
    news._listening[0].finish()
    disk._writable.cache_clear()
    assert [line.split()[0] for line in said] == ["compiling", "compiled"]
