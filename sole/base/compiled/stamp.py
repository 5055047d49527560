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
import re
import sys
from functools import cache
from importlib import import_module
from inspect import unwrap
from types import CodeType, FunctionType, ModuleType
from typing import Any

from sole.base.compiled.late import Late

FORMAT = 16  # of what is kept
SWITCHES = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE")
LIBRARIES = ("numba", "llvmlite", "numpy")
OPTIONS: dict[FunctionType, dict[str, Any]] = {}  # of every kernel, by its plain function


def digest(*parts: object) -> str:
    """Return a digest of the texts of `parts` (hex)."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:20]


@cache
def stamp(plain: FunctionType) -> str:
    """Return the stamp (hex) of a kernel's plain function.

    Raises
    ------
    TypeError
        The kernel names something that has no text which is the same in every process.
    """
    found: dict[FunctionType, str] = {}
    waiting = [plain]
    while waiting:
        if (one := waiting.pop()) not in found:
            found[one], called = _parts(one)
            waiting += called
    return digest(environment(), *sorted(found.values()))


def forget_stamps() -> None:
    """Look at all functions anew, as things are now."""
    stamp.cache_clear()
    _parts.cache_clear()


def environment() -> str:
    """Return what machine code depends on besides sources, types and processor."""
    libraries = [import_module(name) for name in LIBRARIES]
    config: Any = libraries[0].config
    switches = [getattr(config, name) for name in SWITCHES]
    python = sys.implementation.cache_tag, importlib.util.MAGIC_NUMBER.hex()
    return digest(FORMAT, python, switches, [library.__version__ for library in libraries])


@cache
def _parts(plain: FunctionType) -> tuple[str, tuple[FunctionType, ...]]:
    """Return the digest of one function, and the functions it calls."""
    code, cells = plain.__code__, plain.__closure__ or ()
    values = {name: cell.cell_contents for name, cell in zip(code.co_freevars, cells, strict=True)}
    there, words = plain.__globals__, _words(code)
    values |= {word: there[word] for word in words & set(there)}
    named = {word: there[word] for word in _annotated(plain) & set(there)}
    values |= {word: kind for word, kind in named.items() if _is_bundle(kind)}
    values |= {"": (plain.__defaults__, sorted(OPTIONS.get(plain, {}).items()))}
    called: list[FunctionType] = []
    texts = [f"{name} = {_value(values[name], words, called)}" for name in sorted(values)]
    own = _code(code, plain.__doc__)
    return digest(plain.__module__, plain.__qualname__, own, *texts), tuple(called)


def _words(code: CodeType) -> set[str]:
    """Return the names of globals and attributes in a function and in those inside it."""
    inner = (c for c in code.co_consts if isinstance(c, CodeType))
    return set(code.co_names).union(*(_words(c) for c in inner))


def _annotated(made: Any) -> set[str]:
    """Return the names in the annotations of a function or class, which are text."""
    return set(re.findall(r"\w+", " ".join(map(str, made.__annotations__.values()))))


def _is_bundle(value: Any) -> bool:
    """Whether this is the class of a named tuple."""
    return isinstance(value, type) and hasattr(value, "_fields")


def _code(code: CodeType, doc: str | None) -> str:
    """Return the digest of bytecode, without file, lines and docstring."""
    consts = [_code(c, None) if isinstance(c, CodeType) else _text(c) for c in code.co_consts]
    consts = [text for k, text in enumerate(consts) if k > 0 or code.co_consts[0] != doc]
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return digest(code.co_name, code.co_code, code.co_exceptiontable, counts, names, consts)


def _text(value: Any) -> str:
    """Return a constant as text, in an order that does not change from process to process."""
    ordered = sorted(map(repr, value)) if isinstance(value, frozenset | set) else repr(value)
    return f"{type(value).__name__} {ordered}"


def _value(value: Any, words: set[str], called: list[FunctionType]) -> str:
    """Return what a global, default or option is as text; functions go to `called`."""
    value = value._plain if isinstance(value, Late) else value  # nothing else may be asked of it
    plain = unwrap(value)
    home = str(getattr(plain, "__module__", None) or type(plain).__module__)
    top = (value.__name__ if isinstance(value, ModuleType) else home).partition(".")[0]
    if _is_bundle(value):  # with the named tuples in it
        there = vars(sys.modules[home])
        inner = [t for t in map(there.get, sorted(_annotated(value))) if _is_bundle(t)]
        return f"{home}.{value.__qualname__}{value._fields}{[_value(t, words, []) for t in inner]}"
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}{[_value(v, words, called) for v in value]}"
    if isinstance(getattr(value, "shape", None), tuple):  # an array or a number of numpy
        return f"{value.dtype} {value.shape} {digest(value.tobytes(), value.flags.f_contiguous)}"
    if top != "builtins" and (top in LIBRARIES or top in sys.stdlib_module_names):
        return f"{home}.{getattr(value, '__qualname__', value)}"  # known by its version
    if isinstance(plain, FunctionType):
        called.append(plain)
        return f"function {home}.{plain.__qualname__}"
    if isinstance(value, ModuleType):
        used = sorted(words & set(vars(value)))
        return f"{value.__name__} {[(w, _value(vars(value)[w], words, called)) for w in used]}"
    if " at 0x" in (text := _text(value)):
        raise TypeError(f"no lasting name for {text}")
    return text
