"""The stamp of a kernel: a digest of everything that numba compiles into its machine code.

That is the bytecode of the kernel and of all functions it calls, with the global names they use:
other kernels, constants, the fields of named tuples; further the options of the compiler, and the
versions of Python, numba, LLVM and numpy. Dates and places of files do not matter, nor do names of
lines, comments and docstrings. So machine code with the right stamp is never out of date. numba
itself looks at the kernel's own file alone.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
from functools import cache
from importlib.metadata import version
from inspect import unwrap
from types import CodeType, FunctionType, ModuleType
from typing import Any

from sole.base.compiled.late import Late

FORMAT = 14  # of what is kept
SWITCHES = ("OPT", "BOUNDSCHECK", "DEBUGINFO", "LOOP_VECTORIZE", "SLP_VECTORIZE")
OPTIONS: dict[FunctionType, dict[str, Any]] = {}  # of every kernel, by its plain function
LENGTH = 16  # digits that are enough


def digest(*parts: object) -> str:
    """Return the SHA-256 of the texts of `parts` (hex)."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


@cache
def stamp(plain: FunctionType) -> str:
    """Return the stamp (hex) of a kernel's plain function.

    Raises
    ------
    TypeError
        It uses something whose content is unknown.
    """
    found: dict[FunctionType, str] = {}
    waiting = [plain]
    while waiting:
        if (one := waiting.pop()) not in found:
            found[one], called = _parts(one)
            waiting += called
    return digest(environment(), *sorted(found.values()))[:LENGTH]


@cache
def environment() -> str:
    """Return what machine code depends on besides sources, types and processor."""
    switches = [os.environ.get(f"NUMBA_{name}") for name in SWITCHES]
    versions = [version(name) for name in ("numba", "llvmlite", "numpy")]
    magic = importlib.util.MAGIC_NUMBER.hex()
    return digest(FORMAT, sys.implementation.cache_tag, magic, versions, switches)


@cache
def _parts(plain: FunctionType) -> tuple[str, tuple[FunctionType, ...]]:
    """Return the digest of one function, and the functions it calls."""
    called: list[FunctionType] = []
    code, cells = plain.__code__, plain.__closure__ or ()
    texts = [_code(code, plain.__doc__)]
    values = {name: cell.cell_contents for name, cell in zip(code.co_freevars, cells, strict=True)}
    values |= {w: plain.__globals__[w] for w in _words(code) if w in plain.__globals__}
    named = (plain.__globals__.get(word) for word in _annotated(plain))
    values |= {f"type {k}": t for k, t in enumerate(named) if hasattr(t, "_fields")}
    values |= {"defaults": plain.__defaults__, "options": OPTIONS.get(plain)}
    texts += [f"{name} = {_value(values[name], code, called)}" for name in sorted(values)]
    return digest(plain.__module__, plain.__qualname__, *texts), tuple(called)


def _annotated(made: Any) -> list[str]:
    """Return the names in the annotations of a function or class, which are text."""
    return re.findall(r"\w+", " ".join(str(t) for t in made.__annotations__.values()))


def _words(code: CodeType) -> set[str]:
    """Return the names of globals and attributes in a function and in those inside it."""
    inner = (c for c in code.co_consts if isinstance(c, CodeType))
    return set(code.co_names).union(*(_words(c) for c in inner))


def _code(code: CodeType, doc: str | None) -> str:
    """Return the digest of bytecode, without file, lines and docstring."""
    consts = [
        _code(c, None) if isinstance(c, CodeType) else (type(c).__name__, _ordered(c))
        for k, c in enumerate(code.co_consts)
        if k > 0 or c != doc
    ]
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return digest(code.co_name, code.co_code, code.co_exceptiontable, counts, names, consts)


def _ordered(value: Any) -> Any:
    """Return a constant in an order that does not change from process to process."""
    return sorted(map(repr, value)) if isinstance(value, frozenset | set) else repr(value)


def _value(value: Any, code: CodeType, called: list[FunctionType]) -> str:
    """Return what a global, default or option is as text; functions go to `called`."""
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, ModuleType):
        return _module(value, code, called)
    plain = unwrap(value._plain if isinstance(value, Late) else value)
    home = str(getattr(plain, "__module__", None) or type(plain).__module__)
    if isinstance(plain, FunctionType) and not _is_library(home):
        called.append(plain)
        return f"function {plain.__module__}.{plain.__qualname__}"
    if isinstance(value, set | frozenset):
        return f"set({_ordered(value)})"
    if isinstance(value, dict):
        return f"dict({_value(tuple(sorted(value.items())), code, called)})"
    if isinstance(value, type) and hasattr(value, "_fields"):
        return _named_tuple(value)
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}({', '.join(_value(v, code, called) for v in value)})"
    if hasattr(value, "tobytes"):  # an array or a number of numpy
        return f"{value.dtype} {value.shape} {digest(value.tobytes(), value.flags.f_contiguous)}"
    if _is_library(home):
        return f"{home}.{getattr(value, '__qualname__', type(value).__qualname__)}"
    file = getattr(sys.modules.get(home), "__file__", None)
    if file is None:
        raise TypeError(f"no lasting name for {value!r}")
    with open(file, "rb") as content:
        return f"{home} {hashlib.sha256(content.read()).hexdigest()}"


def _named_tuple(kind: Any) -> str:
    """Return the fields of a named tuple as text, with those of named tuples in it."""
    there = vars(sys.modules[kind.__module__])
    inner = [t for t in map(there.get, _annotated(kind)) if hasattr(t, "_fields") and t is not kind]
    return f"{kind.__module__}.{kind.__qualname__}{kind._fields}{[*map(_named_tuple, inner)]}"


def _is_library(home: str) -> bool:
    """Whether a module is Python's, or of a package whose version `environment` names."""
    top = home.partition(".")[0]
    return top in sys.stdlib_module_names or top in ("numba", "numpy", "llvmlite")


def _module(module: ModuleType, code: CodeType, called: list[FunctionType]) -> str:
    """Return a module as text, with the names that the function may take from it."""
    name = module.__name__
    if _is_library(name):
        return f"module {name}"
    used = sorted(_words(code) & set(vars(module)))
    return f"module {name} {[(w, _value(vars(module)[w], code, called)) for w in used]}"
