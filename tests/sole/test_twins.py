"""What differs in rights to write alone is lowered once, and nobody writes to what is read-only."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from numba.core.errors import TypingError

from sole.base.arrays import sealed
from sole.base.compiled import cache as disk
from sole.base.compiled import kernel, parts, units


@pytest.fixture(params=[units.LARGE, 1], ids=["linked", "apart"])
def lowered(request, tmp_path, monkeypatch):
    """Names of functions that were lowered, with machine code of this test alone."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(units, "LARGE", request.param)
    disk._writable.cache_clear()
    names, drop = [], parts.drop_unused

    def noted(module):
        names.append(module.name.partition("$")[0].rpartition(".")[2])
        drop(module)

    monkeypatch.setattr(parts, "drop_unused", noted)
    yield names
    disk._writable.cache_clear()


def kernels():
    """Two kernels, as another process has them."""

    @kernel
    def tail(x):
        return x[1:]

    @kernel
    def add(x, y):
        for i in range(len(y) - 1):
            x[i] += tail(y)[i]
        return tail(y)

    return tail, add


def check(tail, add):
    a, b, c = np.zeros(3), np.arange(4.0), sealed(np.arange(4.0) ** 2)
    for y in (b, c, b):
        rest = add(a, y)
        np.testing.assert_array_equal(rest, y[1:])
        assert rest.flags.writeable == y.flags.writeable == tail(y).flags.writeable
    np.testing.assert_array_equal(a, 2 * b[1:] + c[1:])
    for one in (tail, add):  # doors of twins return arrays with other rights
        doors = {made.fndesc.llvm_cpython_wrapper_name for made in one.overloads.values()}
        assert len(doors) == len(one.overloads) == 2


def test_twins_are_lowered_once(lowered):
    tail, add = kernels()
    check(tail, add)
    assert [name for name in lowered if name in ("tail", "add")] == ["tail", "add"]
    with pytest.raises(TypingError, match="readonly"):
        add(sealed(np.zeros(3)), np.arange(4.0))


@pytest.mark.parametrize("kept", ["*.nbc", "*.part", "*"])
def test_twins_are_kept_on_disk(kept, lowered, tmp_path):
    check(*kernels())
    for file in set(tmp_path.rglob("*.*")) - set(tmp_path.rglob(kept)):
        file.unlink()
    lowered.clear()
    check(*kernels())
    assert not {"tail", "add"} & set(lowered)


TWINS = """
import numpy as np
from sole.base.arrays import sealed
from sole.base.compiled import kernel

@kernel
def tail(x):
    return x[1:]

for x in np.arange(4.0), sealed(np.arange(4.0)):
    print(tail(x).tolist(), *dict(tail.stats.cache_hits).values())
"""


def test_doors_of_twins_have_constants_of_their_own(tmp_path, monkeypatch):
    """Once a second door counted on a constant that the first one had loaded, and did not keep it.

    The first process compiles both; the next loads one and makes the other's door anew, the last
    loads both.
    """
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    (tmp_path / "twins.py").write_text(TWINS)
    for hits in "", " 1", " 1 1":
        run = [sys.executable, "twins.py"]
        answer = subprocess.run(run, check=False, cwd=tmp_path, capture_output=True, text=True)
        assert answer.stdout.splitlines()[-1] == "[1.0, 2.0, 3.0]" + hits, answer.stderr
        if not hits:
            doors = tmp_path.rglob("*.tail-*.nbc")
            max(doors, key=lambda file: file.stat().st_mtime_ns).unlink()


def test_other_dimensions_are_no_twins(lowered):
    tail, _ = kernels()
    for x in (
        np.arange(3.0),
        np.ones((3, 2)),
        np.arange(3),
        np.ones((4, 2)).T,
        np.arange(6.0)[::2],
    ):
        np.testing.assert_array_equal(tail(x), x[1:])
    assert lowered.count("tail") == 5
