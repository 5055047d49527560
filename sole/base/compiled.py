"""Compiled loops: the decorator `@kernel` compiles by numba and keeps a function's types.

    @kernel
    def dot(a: FloatArray, b: FloatArray) -> float: ...

    @kernel(nogil=True)
    def sweep(...) -> int: ...

Machine code is cached beside the source file, so only the first call ever compiles. numba takes
types from the arguments of a call; annotations serve readers and mypy. Pass arrays that belong
together as one `NamedTuple`, in hot calls `packed`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar, cast, overload

import numba

__all__ = ["kernel", "packed"]


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
def kernel(
    *,
    nogil: bool = False,
    error_model: Literal["python", "numpy"] = "python",
    fastmath: set[str] | None = None,
) -> Callable[[F], F]: ...


def kernel(
    function: F | None = None,
    *,
    nogil: bool = False,
    error_model: Literal["python", "numpy"] = "python",
    fastmath: set[str] | None = None,
) -> F | Callable[[F], F]:
    """Compile a function at its first call for the types of its arguments, or load the cache.

    Parameters
    ----------
    nogil : release the GIL, so that other Python threads run meanwhile.
    error_model : division by zero raises ("python") or gives inf or NaN ("numpy").
    fastmath : LLVM's floating-point relaxations to allow, as {"reassoc", "nsz"}; None: none, so
        that ``NUMBA_DISABLE_JIT=1`` gives the same numbers.
    """
    options: dict[str, Any] = {"cache": True, "nogil": nogil, "error_model": error_model}
    if fastmath is not None:
        options["fastmath"] = fastmath
    compiler = numba.njit(**options)
    return cast(F, compiler if function is None else compiler(function))
