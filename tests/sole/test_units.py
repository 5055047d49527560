"""Large kernels become machine code once, apart from what calls them, and are found on disk."""

from __future__ import annotations

import numpy as np
import pytest
from own_process import evaluate

from sole.base.compiled import kernel, units

KERNELS = """
import numpy as np
from sole.base.compiled import kernel, units

units.LARGE = 1
made = []
make = units._made
units._made = lambda part: made.append(part.file.split(".")[-1].split("-")[0]) or make(part)

@kernel
def lower(x):
    if x > 5.0:
        raise ValueError("x is large")
    return np.full(2, x)

@kernel
def middle(x):
    return 10.0 * lower(x)

@kernel
def first(x):
    return middle(x) + 1.0

@kernel
def second(x):
    return middle(x) + lower(x)

def called(one):
    try:
        one(6.0)
    except ValueError as error:
        assert str(error) == "x is large"
        return list(one(2.0))
"""
PRINTED = "*({}), *large.made"


@pytest.fixture
def run(tmp_path):
    """Run an expression in a process of its own; return the words that it prints."""
    module = tmp_path / "large.py"
    module.write_text(KERNELS)
    return lambda asked: evaluate(module, PRINTED.format(asked)).split()


BOTH = "large.called(large.first) + large.called(large.second)"
RESULTS = ["21.0", "21.0", "22.0", "22.0"]


def test_what_two_programs_call_is_compiled_once(run):
    assert run(BOTH) == [*RESULTS, "lower", "middle", "first", "second"]
    assert run(BOTH) == RESULTS


def test_another_process_finds_units_of_programs_that_it_lacks(run):
    """The second program is compiled in a process in which the first is loaded."""
    assert run("large.called(large.first)") == ["21.0", "21.0", "lower", "middle", "first"]
    assert run(BOTH) == [*RESULTS, "second"]


@pytest.mark.parametrize(
    ("kept", "made"),
    [
        ("*.nbc", []),
        ("*.unit", []),
        ("*.part", ["lower", "middle", "first", "second"]),
        ("large.lower-*", ["middle", "first", "second"]),
    ],
)
def test_some_of_the_files_serve(kept, made, run, tmp_path):
    """A program has its units in it; a unit is found by its name, whoever lowers its part anew."""
    run(BOTH)
    folder = tmp_path / "code" / "compliant-sole"
    for file in set(folder.iterdir()) - set(folder.glob(kept)):
        file.unlink()
    assert list(folder.iterdir())
    assert run(BOTH) == [*RESULTS, *made]


def test_a_unit_has_the_same_name_whatever_was_compiled_before(run, tmp_path):
    run(BOTH)
    for kept in ("nbc", "part"):
        for file in (tmp_path / "code" / "compliant-sole").glob(f"*.{kept}"):
            file.unlink()
    assert run(f"list(large.lower(1.0))[:0] + {BOTH}") == RESULTS


def test_spoiled_units_are_compiled_again(run, tmp_path):
    run(BOTH)
    folder = tmp_path / "code" / "compliant-sole"
    for file in folder.glob("*.nbc"):
        file.unlink()
    for file in folder.glob("*.unit"):
        content = file.read_bytes()
        file.write_bytes(b"" if "lower" in file.name else content[:-1])
    assert run(BOTH) == [*RESULTS, "lower", "middle", "first", "second"]


def test_an_edit_below_reaches_all_programs(run, tmp_path):
    run(BOTH)
    source = tmp_path / "large.py"
    source.write_text(source.read_text().replace("10.0 * lower", "20.0 * lower"))
    answer = ["41.0", "41.0", "42.0", "42.0"]
    assert run(BOTH) == [*answer, "middle", "first", "second"]


@kernel
def filled(n):
    return np.zeros(n) + 1.0


def test_a_unit_has_one_function_that_others_see(monkeypatch, tmp_path):
    """Small functions have equal names in units of different processes, and may differ."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(units, "LARGE", 1)
    seen, compiled = [], units._Apart.compiled

    def noted(self, part):
        unit = compiled(self, part)
        functions = [f for f in self._final_module.functions if not f.is_declaration]
        seen.append((unit.symbol, [f.name for f in functions if f.linkage.name != "internal"]))
        return unit

    monkeypatch.setattr(units._Apart, "compiled", noted)
    assert list(filled(2)) == [1.0, 1.0]
    [(symbol, names)] = seen
    assert names == [symbol]
