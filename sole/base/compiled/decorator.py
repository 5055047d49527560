"""Compiled loops: the decorator `@kernel` compiles by numba and keeps a function's types.

    @kernel
    def dot(a: FloatArray, b: FloatArray) -> float: ...

    @kernel(nogil=True)
    def sweep(...) -> int: ...

Machine code is kept on disk (`sole.base.compiled.cache`), so only the first call ever compiles.
numba takes types from the arguments of a call; annotations serve readers and mypy. Pass arrays
that belong together as one `NamedTuple`, in hot calls `packed`.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import CO_GENERATOR
from typing import Any, Literal, TypeVar, cast, overload

from sole.base.compiled.late import late

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
    options: dict[str, Any] = {"nogil": nogil, "error_model": error_model}
    if fastmath is not None:
        options["fastmath"] = fastmath

    def compiled(plain: F) -> F:
        if plain.__code__.co_flags & CO_GENERATOR:
            raise TypeError(f"{plain.__qualname__}: a kernel cannot be a generator")
        return cast(F, late(plain, lambda plain: _compiled(plain, options)))

    return compiled if function is None else compiled(function)


def _compiled(plain: Any, options: dict[str, Any]) -> Any:
    """Return the function under numba, its machine code kept by us."""
    import numba

    from sole.base.compiled.cache import KernelCache
    from sole.base.compiled.linked import LinkedKernel, linking_works

    made: Any = plain
    config: Any = numba.config
    if linking_works() and not config.DISABLE_JIT:
        made = LinkedKernel(plain, targetoptions={"nopython": True, "boundscheck": None, **options})
    else:
        made = numba.njit(**options)(plain)
    if made is not plain:  # NUMBA_DISABLE_JIT leaves it plain
        made._cache = KernelCache(made)
    return made


def compiler_part(define: Callable[..., Any], python: Callable[..., Any] | None = None) -> Any:
    """Return a numba intrinsic of `define`, which kernels may call; made when numba is at work.

    `python` : what is called instead with ``NUMBA_DISABLE_JIT``.
    """

    def make(plain: Any) -> Any:
        import numba
        from numba.extending import intrinsic

        config: Any = numba.config
        return python if python is not None and config.DISABLE_JIT else intrinsic(plain)

    return late(define, make)
