"""The stamp of a kernel: a digest of everything that numba compiles into its machine code.

That is the bytecode of the kernel and of all functions it calls, with the global names they use:
other kernels, constants, the fields of named tuples; further the options of the compiler, and the
versions of Python, numba, LLVM and numpy. Dates and places of files do not matter, nor do names of
lines, comments and docstrings. So machine code with the right stamp is never out of date.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite  # type: ignore[import-untyped]
import numba
import numpy as np
from numba.core import config
from numba.core.dispatcher import Dispatcher

from sole.base.compiled.late import Late, made

FORMAT = 13  # of files of machine code
SWITCHES = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE")


def digest(*parts: object) -> str:
    """Return the SHA-256 of the texts of `parts` (hex)."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


def stamp_of(kernel: Any) -> str:
    """Return the stamp (hex) of a compiled function.

    Raises
    ------
    TypeError
        It uses something whose content is unknown; such a kernel must not be kept.
    """
    reached: dict[int, tuple[str, str]] = {}
    _reach(kernel, reached)
    return digest(environment(), *(text for pair in sorted(reached.values()) for text in pair))


def reached_by(kernel: Any) -> dict[Any, int]:
    """Return the plain functions in a kernel's machine code, and the bytes of their bytecode.

    Raises
    ------
    TypeError
        As `stamp_of`.
    """
    found: dict[Any, int] = {}
    waiting = [kernel]
    while waiting:
        one = waiting.pop()
        plain = one.py_func if isinstance(one, Dispatcher) else one
        if plain not in found and isinstance(plain, FunctionType):
            found[plain] = len(plain.__code__.co_code)
            waiting += _parts(one)[2]
    return found


def environment() -> str:
    """Return what machine code depends on besides sources, types and processor."""
    switches = [f"{name}={getattr(config, name, None)!r}" for name in SWITCHES]
    versions = (numba.__version__, llvmlite.__version__, np.__version__)
    magic = importlib.util.MAGIC_NUMBER.hex()
    return digest(FORMAT, sys.implementation.cache_tag, magic, *versions, *switches)


def described(types: Any) -> str:
    """Return argument types as text, with the fields of named tuples.

    Raises
    ------
    TypeError
        A type is named by an address, as that of a function is.
    """
    text = str(types)
    if " at 0x" in text:
        raise TypeError(f"no lasting name for {text}")
    return text + "".join(_fields(types))


def _fields(types: Any) -> Iterable[str]:
    inner = types if isinstance(types, tuple | list) else getattr(types, "types", ())
    if (named := getattr(types, "instance_class", None)) is not None:
        yield f"\0{named.__module__}.{named.__qualname__}{named._fields}"
    for kind in inner:
        yield from _fields(kind)


def _reach(function: Any, reached: dict[int, tuple[str, str]]) -> None:
    """Add a function and all that it calls: its name and what it consists of."""
    if id(function) in reached:
        return
    name, own, called = _parts(function)
    reached[id(function)] = name, own
    for other in called:
        _reach(other, reached)


@cache
def _parts(function: Any) -> tuple[str, str, tuple[Any, ...]]:
    """Return name, digest and called functions of a kernel or plain function.

    Kept, because numba freezes globals as well when it compiles.
    """
    plain = function.py_func if isinstance(function, Dispatcher) else function
    called: list[Any] = []
    texts = [_code(plain.__code__, plain.__doc__)]
    for word in sorted(_words(plain.__code__) & set(plain.__globals__)):
        texts += [word, _value(plain.__globals__[word], plain.__code__, called)]
    cells = zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True)
    texts += [_value((word, cell.cell_contents), plain.__code__, called) for word, cell in cells]
    texts.append(_value((plain.__defaults__, plain.__kwdefaults__), plain.__code__, called))
    if isinstance(function, Dispatcher):
        texts.append(_value(function.targetoptions, plain.__code__, called))
    return f"{plain.__module__}.{plain.__qualname__}", digest(*texts), tuple(called)


def _words(code: CodeType) -> set[str]:
    """Return the names of globals and attributes in a function and in those inside it."""
    inner = (c for c in code.co_consts if isinstance(c, CodeType))
    return set(code.co_names).union(*(_words(c) for c in inner))


def _code(code: CodeType, doc: str | None) -> str:
    """Return the digest of bytecode, without file, lines and docstring."""
    consts = [
        _code(c, None) if isinstance(c, CodeType) else (type(c).__name__, _plain(c))
        for k, c in enumerate(code.co_consts)
        if k > 0 or c != doc
    ]
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    table = getattr(code, "co_exceptiontable", b"")
    return digest(code.co_name, code.co_code, table, counts, names, consts)


def _plain(value: Any) -> Any:
    """Return a constant in an order that does not change from process to process."""
    return sorted(map(repr, value)) if isinstance(value, frozenset | set) else repr(value)


def _value(value: Any, code: CodeType, called: list[Any]) -> str:
    """Return what a global, default or option is as text; functions go to `called`."""
    if isinstance(value, Late):
        value = made(value)
    if isinstance(value, Dispatcher | FunctionType):
        called.append(value)
        plain = value.py_func if isinstance(value, Dispatcher) else value
        return f"function {plain.__module__}.{plain.__qualname__}"
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}({', '.join(_value(v, code, called) for v in value)})"
    if isinstance(value, set | frozenset):
        return f"set({', '.join(sorted(_value(v, code, called) for v in value))})"
    if isinstance(value, dict):
        return f"dict({_value(sorted(value.items()), code, called)})"
    if isinstance(value, np.ndarray):
        return digest(value.dtype.str, value.shape, value.flags.f_contiguous, value.tobytes())
    if isinstance(value, np.generic | np.dtype):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, ModuleType):
        return _module(value, code, called)
    home = str(getattr(value, "__module__", None) or type(value).__module__)
    if isinstance(value, type) and hasattr(value, "_fields"):
        return f"{home}.{value.__qualname__}{value._fields}"
    if _is_library(home):
        return f"{home}.{getattr(value, '__qualname__', type(value).__qualname__)}"
    file = getattr(sys.modules.get(home), "__file__", None)
    if file is None:
        raise TypeError(f"no lasting name for {value!r}")
    return f"{home} {hashlib.sha256(Path(file).read_bytes()).hexdigest()}"


def _is_library(home: str) -> bool:
    """Whether a module is Python's, or of a package whose version `environment` names."""
    top = home.partition(".")[0]
    return top in sys.stdlib_module_names or top in ("numba", "numpy", "llvmlite")


def _module(module: ModuleType, code: CodeType, called: list[Any]) -> str:
    """Return a module as text, with the names that the function may take from it."""
    name = module.__name__
    if _is_library(name):
        return f"module {name}"
    used = sorted(_words(code) & set(vars(module)))
    return f"module {name} {[(w, _value(vars(module)[w], code, called)) for w in used]}"
