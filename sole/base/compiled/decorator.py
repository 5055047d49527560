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

from collections.abc import Callable
from inspect import CO_GENERATOR
from types import FunctionType
from typing import Any, Protocol, TypeVar, overload

from sole.base.compiled.late import late, when_begun
from sole.base.compiled.stamp import OPTIONS, digest, stamp

KEEPS = [True]  # emptied where numba finds no folder for machine code
F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T", bound=tuple[Any, ...])


def packed(arrays: T) -> T:
    """Return a named tuple as a plain one for a call of a kernel from Python.

    numba looks at every field's name in every call: a microsecond for four arrays. A kernel that is
    called from Python names them again, ``arrays = Arrays(*arrays)``, which costs nothing.
    """
    plain: Any = arrays[:]
    return plain  # type: ignore[no-any-return]


class Decorator(Protocol):
    """`@kernel` or `@kernel(nogil=True)`."""

    @overload
    def __call__(self, function: F) -> F: ...
    @overload
    def __call__(
        self, *, nogil: bool = False, fastmath: set[str] | None = None
    ) -> Callable[[F], F]: ...


def _decorator(compiled: Callable[[Any], Any]) -> Decorator:
    """Return a decorator that notes options.

    nogil : release the GIL, so that other Python threads run meanwhile.
    fastmath : LLVM's floating-point relaxations to allow, as {"reassoc", "nsz"}; None: none, so
        that ``NUMBA_DISABLE_JIT=1`` gives the same numbers.
    """

    def decorate(function: Any = None, **given: Any) -> Any:
        if function is None:
            return lambda function: decorate(function, **given)
        if function.__code__.co_flags & CO_GENERATOR:
            raise TypeError(f"{function.__qualname__}: a kernel cannot be a generator")
        options = {"nogil": False, "error_model": "numpy", "fastmath": given.get("fastmath", False)}
        OPTIONS.setdefault(function, options | given)  # a door to an inner kernel has its options
        return compiled(function)

    return decorate


def _door(plain: Any) -> Any:
    """Return what numba makes of a function."""
    import numba

    config: Any = numba.config
    if config.DISABLE_JIT:
        return plain
    try:
        if KEEPS:
            return numba.njit(cache=True, **OPTIONS[plain])(_named(plain, stamp(plain)))
    except RuntimeError:  # numba found no folder to keep it in
        KEEPS.clear()
    except TypeError:  # it has no stamp
        pass
    return numba.njit(**OPTIONS[plain])(plain)


def _inner(plain: Any) -> Any:
    """Tell numba, once it is at work, what to compile where a kernel calls the function."""

    def tell() -> None:
        from numba.extending import overload

        def compiled(*kinds: Any, **others: Any) -> Any:
            # A name for each choice of types: processes that compile side by side share them.
            if not keeps:
                return plain
            return _named(plain, digest(stamp(plain), kinds, others)[:16], inner=True)

        keeps = bool(KEEPS) and _has_stamp(plain)
        options: Any = {"cache": keeps, **OPTIONS[plain]}
        overload(plain, jit_options=options, strict=False)(compiled)

    when_begun(tell)
    return plain


def _has_stamp(plain: Any) -> bool:
    try:
        return bool(stamp(plain))
    except TypeError:
        return False


def _named(plain: Any, mark: str, inner: bool = False) -> Any:
    """Return a copy of a function with a name by which its machine code is found."""
    parts = plain.__code__, plain.__globals__, plain.__name__, plain.__defaults__, plain.__closure__
    made: Any = FunctionType(*parts)
    made.__module__, made.__doc__ = plain.__module__, plain.__doc__
    made.__qualname__ = f"{plain.__qualname__}_{mark}"
    made.__wrapped__, made.stamp, made.kept_inside = plain, stamp(plain), inner
    return made


def compiler_part(define: Callable[..., Any]) -> Any:
    """Return a numba intrinsic of `define`, which kernels may call; made when numba is at work."""

    def make(plain: Any) -> Any:
        from numba.extending import intrinsic

        return intrinsic(plain)

    return late(define, make)


kernel = _decorator(lambda plain: late(plain, _door))
inner_kernel = _decorator(_inner)
