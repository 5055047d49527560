"""Kernels: doors and inner kernels, options, and named tuples that lose their names."""

from __future__ import annotations

import ast
import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numba
import numpy as np
import pytest
from doors import compiled_door

from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel, packed


class Pair(NamedTuple):
    """Two arrays."""

    a: FloatArray
    b: FloatArray


@inner_kernel
def multiply(pair: Pair, i: int) -> float:
    a, b = Pair(*pair)
    return a[i] * b[i]


@kernel
def dot(pair: Pair) -> float:
    pair = Pair(*pair)
    total = 0.0
    for i in range(len(pair.a)):
        total += multiply(pair, i)
    return total


@kernel(nogil=True)
def divide(a: float, b: float) -> float:
    return a / b


PAIR = Pair(np.array([1.0, 2.0]), np.array([3.0, 4.0]))


def test_a_kernel_takes_a_named_tuple_with_and_without_its_names():
    assert dot(PAIR) == dot(packed(PAIR)) == 11.0


def test_packed_is_a_plain_tuple_of_the_same_arrays():
    plain = packed(PAIR)
    assert type(plain) is tuple
    assert all(x is y for x, y in zip(plain, PAIR, strict=True))


def test_an_inner_kernel_is_plain_python_for_python_and_has_a_door_for_tests():
    assert type(multiply) is type(lambda: None)
    assert multiply(PAIR, 1) == multiply(packed(PAIR), 1) == 8.0
    compiled = compiled_door(multiply)
    assert compiled(PAIR, 1) == compiled(packed(PAIR), 1) == 8.0
    assert len(compiled.signatures) == 2 and compiled_door(multiply) is compiled


def test_division_by_zero_gives_infinity_whoever_calls():
    @kernel
    def ours(a, b):
        return divide_plain(a, b)

    @numba.njit
    def theirs(a, b):
        return divide_plain(a, b)

    for call in (
        theirs,
        ours,
        divide,
        compiled_door(divide_plain),
    ):  # the first one has it compiled
        assert call(1.0, 0.0) == np.inf and np.isnan(call(0.0, 0.0))


def test_their_own_division_by_zero_raises_as_it_did():
    @numba.njit
    def theirs(a, b):
        return divide_plain(a, b) + a / b

    with pytest.raises(ZeroDivisionError):
        theirs(1.0, 0.0)


@kernel(nogil=True)
def wait_for(flag: IntArray, turns: IntArray, most: int) -> bool:
    while flag[0] == 0 and turns[0] < most:
        turns[0] += 1
    return flag[0] != 0


def test_other_threads_run_beside_a_kernel_without_the_gil():
    flag, turns = np.ones(1, np.int64), np.zeros(1, np.int64)
    assert wait_for(flag, turns, 1)  # compiled
    flag[0] = 0
    with ThreadPoolExecutor(1) as pool:
        told = pool.submit(wait_for, flag, turns, 10**10)
        while turns[0] == 0:
            time.sleep(1e-3)
        flag[0] = 1  # with the GIL held this would come after the last turn
        assert told.result()


def test_relaxations_are_those_of_the_inner_kernel_alone():
    """numba would give a function without options those of its first caller."""

    @inner_kernel
    def strict(x):
        return (x + 1e16) - 1e16

    @kernel(fastmath={"reassoc", "nsz"})
    def loose(x):
        return strict(x) + 0.0 * x

    @kernel(fastmath={"reassoc", "nsz"})
    def own(x):
        return (x + 1e16) - 1e16

    assert loose(1.0) == 0.0 and own(1.0) == 1.0


def test_a_kernel_that_is_a_generator_is_refused():
    def tails(a):
        for i in range(len(a)):
            yield a[i:]

    for decorator in (kernel, inner_kernel):
        with pytest.raises(TypeError, match="tails: a kernel cannot be a generator"):
            decorator(tails)


def test_kernels_and_numba_s_own_functions_call_each_other():
    @numba.njit
    def twice(x):
        return 2.0 * x

    @kernel
    def four_times(x):
        return twice(twice(x))

    assert four_times(1.0) == 4.0

    @numba.njit
    def half(x):
        return divide_plain(x, 2.0)

    assert half(1.0) == 0.5


@inner_kernel
def divide_plain(a: float, b: float) -> float:
    return a / b


def decorated(node: ast.FunctionDef) -> set[str]:
    """The names of a function's decorators."""
    return {ast.unparse(d).partition("(")[0] for d in node.decorator_list}


def module_of(file, root):
    """The dotted name of a file."""
    parts = file.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_python_calls_no_inner_kernel(root):
    """It would run as plain Python, a hundred times slower: what Python calls is a `@kernel`."""
    files = [f for name in ("sole", "contact", "robot") for f in (root / name).rglob("*.py")]
    texts = {module_of(f, root): f.read_text(encoding="utf-8") for f in files}
    inner = set(re.findall(r"^@inner_kernel.*\ndef (\w+)", "\n".join(texts.values()), re.M))
    kernels = re.compile(rf"^@kernel|\b(?:{'|'.join(inner)})\b", re.M)
    trees = {module: ast.parse(text) for module, text in texts.items() if kernels.search(text)}
    imports, kinds = {}, {}
    for module, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                imports |= {(module, a.asname or a.name): (node.module, a.name) for a in node.names}
            elif isinstance(node, ast.FunctionDef):
                kinds[module, node.name] = decorated(node) & {"kernel", "inner_kernel"}

    def is_inner(module, name):
        while (module, name) not in kinds and (module, name) in imports:
            module, name = imports[module, name]
        return "inner_kernel" in kinds.get((module, name), ())

    def called_by_python(node):
        """Yield the names in a tree that stand outside of kernels."""
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.FunctionDef) and decorated(inner) & {"kernel", "inner_kernel"}:
                continue
            if isinstance(inner, ast.Name):
                yield inner.id
            yield from called_by_python(inner)

    assert sum("inner_kernel" in kind for kind in kinds.values()) > 200
    assert sum("kernel" in kind for kind in kinds.values()) > 100
    wrong = {(m, n) for m, tree in trees.items() for n in called_by_python(tree) if is_inner(m, n)}
    assert wrong == set()
