"""Compiled loops: decorators over numba for what Python calls, and for what only kernels call.

    @kernel                     a door: Python and other kernels call it, `numba.njit`
    def sweep(...) -> int: ...

    @inner_kernel               other kernels call it, `numba.extending.overload`; for Python it
    def dot(a, b) -> float:     stays the plain function, which is slow

numba takes types from the arguments of a call; annotations serve readers and mypy. Division by zero
gives inf or NaN, as in numpy: a kernel that may meet it says what it wants. Pass arrays that belong
together as one `NamedTuple`, in hot calls `packed`.

Every option is given for each function: numba would take one that is left out from the first
caller. Machine code is kept by numba's own cache, under a name that has the function's `stamp`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from inspect import CO_GENERATOR
from types import FunctionType
from typing import Any, TypeVar, cast, overload

from sole.base.compiled.late import late, when_begun
from sole.base.compiled.stamp import OPTIONS, digest, stamp

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T", bound=tuple[Any, ...])


def packed(arrays: T) -> T:
    """Return a named tuple as a plain one for a call of a kernel from Python.

    numba looks at every field's name in every call: a microsecond for four arrays. A kernel that is
    called from Python names them again, ``arrays = Arrays(*arrays)``, which costs nothing.
    """
    plain: Any = arrays[:]
    return plain  # type: ignore[no-any-return]


@overload
def kernel(function: F) -> F: ...


@overload
def kernel(*, nogil: bool = False, fastmath: set[str] | None = None) -> Callable[[F], F]: ...


def kernel(
    function: F | None = None, *, nogil: bool = False, fastmath: set[str] | None = None
) -> F | Callable[[F], F]:
    """Compile a function at its first call for the types of its arguments, or load the cache.

    Parameters
    ----------
    nogil : release the GIL, so that other Python threads run meanwhile.
    fastmath : LLVM's floating-point relaxations to allow, as {"reassoc", "nsz"}; None: none, so
        that ``NUMBA_DISABLE_JIT=1`` gives the same numbers.
    """
    if function is None:
        return partial(_door, options=_options(nogil, fastmath))
    return _door(function, OPTIONS.get(cast(Any, function)) or _options(nogil, fastmath))


@overload
def inner_kernel(function: F) -> F: ...


@overload
def inner_kernel(*, fastmath: set[str] | None = None) -> Callable[[F], F]: ...


def inner_kernel(
    function: F | None = None, *, fastmath: set[str] | None = None
) -> F | Callable[[F], F]:
    """Let kernels call a function, which is compiled as `kernel` says; Python runs it as it is."""
    if function is None:
        return partial(_inner, options=_options(False, fastmath))
    return _inner(function, _options(False, fastmath))


def compiler_part(define: Callable[..., Any]) -> Any:
    """Return a numba intrinsic of `define`, which kernels may call; made when numba is at work."""

    def make(plain: Any) -> Any:
        from numba.extending import intrinsic

        return intrinsic(plain)

    return late(define, make)


def _options(nogil: bool, fastmath: set[str] | None) -> dict[str, Any]:
    return {"nogil": nogil, "error_model": "numpy", "fastmath": fastmath or False}


def _noted(plain: Any, options: dict[str, Any]) -> None:
    if plain.__code__.co_flags & CO_GENERATOR:
        raise TypeError(f"{plain.__qualname__}: a kernel cannot be a generator")
    OPTIONS[plain] = options


def _door(plain: F, options: dict[str, Any]) -> F:
    """Return what stands for the function under numba."""
    _noted(plain, options)

    def make(plain: Any) -> Any:
        import numba

        if jit_is_off():
            return plain
        named = _named(plain, stamp(plain))
        try:
            return numba.njit(cache=True, **options)(named)
        except RuntimeError:  # numba found no folder to keep it in
            return numba.njit(**options)(named)

    return cast(F, late(plain, make))


def _inner(plain: F, options: dict[str, Any]) -> F:
    """Tell numba, once it is at work, what to compile where a kernel calls the function."""
    _noted(plain, options)

    def tell() -> None:
        from numba.extending import overload

        def compiled(*kinds: Any, **others: Any) -> Any:
            # One name for all types would be one index, which two processes may write at once.
            return _named(plain, digest(stamp(plain), kinds, others)[:16], inner=True)

        told: Any = {"cache": True, **options}
        overload(plain, jit_options=told, strict=False)(compiled)

    when_begun(tell)
    return plain


def _named(plain: Any, mark: str, inner: bool = False) -> Any:
    """Return a copy of a function with a name by which its machine code is found."""
    made: Any = FunctionType(
        plain.__code__, plain.__globals__, plain.__name__, plain.__defaults__, plain.__closure__
    )
    made.__kwdefaults__, made.__doc__, made.__module__ = (
        plain.__kwdefaults__, plain.__doc__, plain.__module__,
    )  # fmt: skip
    made.__qualname__ = f"{plain.__qualname__}_{mark}"
    made.__wrapped__, made.kept_inside = plain, inner
    return made


def jit_is_off() -> bool:
    """Whether ``NUMBA_DISABLE_JIT`` is set: kernels are plain Python."""
    return bool(sys.modules["numba"].config.DISABLE_JIT)
