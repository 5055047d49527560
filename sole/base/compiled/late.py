"""Objects of numba that are made when the first kernel is called, so that importing costs nothing.

Half a second of every command is numba's import, and most commands call no kernel: they read,
describe, draw or refuse. So `@kernel` leaves a `Late` function; the first call of any makes all
that wait and puts them in the place of the `Late` ones in all modules of the packages that define
them. Later calls go straight to numba. A reference elsewhere, as in a table or in somebody's own
module, passes calls on.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import cache, update_wrapper
from importlib import import_module
from typing import Any

TESTED = "0.68"  # versions of numba, as pyproject.toml says


class Late:
    """A function that stands for one that is made at its first use, and behaves like it."""

    def __init__(self, plain: Any, make: Callable[[Any], Any]) -> None:
        self._plain, self._make = plain, make
        self._made: Any = None
        update_wrapper(self, plain)

    def __call__(self, *args: Any) -> Any:  # noqa: D102
        return made(self)(*args)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(made(self), name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _find, (self._plain.__module__, self._plain.__qualname__)


def late(plain: Any, make: Callable[[Any], Any]) -> Any:
    """Return a `Late` function for `make(plain)`."""
    with _lock:
        _waiting.append(Late(plain, make))
        return _waiting[-1]


def when_begun(tell: Callable[[], None]) -> None:
    """Call `tell` once numba is at work, before anything is compiled."""
    with _lock:
        _untold.append(tell)


def made(one: Late) -> Any:
    """Return what stands behind a `Late` function; this makes all that wait.

    All modules of their packages are looked through, in some milliseconds.
    """
    with _lock:
        if one._made is not None:
            return one._made
        begin()
        for other in _waiting:
            other._made = other._make(other._plain)
        while _untold:
            _untold.pop(0)()
        places = [other._plain.__globals__ for other in _waiting]
        tops = {other._plain.__module__.partition(".")[0] for other in _waiting}
        places += [vars(m) for n, m in list(sys.modules.items()) if n.partition(".")[0] in tops]
        for names in places:
            for name, value in list(names.items()):
                if type(value) is Late and value._made is not None:
                    names[name] = value._made
        _waiting.clear()
        return one._made


@cache
def begin() -> Any:
    """Import numba, and tell of what it compiles from now on."""
    import numba

    from sole.base.compiled.news import listen, say

    if not numba.__version__.startswith(f"{TESTED}."):
        say(f"numba {numba.__version__} is not tested here: {TESTED} is")
    return listen()


def _find(module: str, name: str) -> Any:
    """Return an object by its place, for pickle."""
    return getattr(import_module(module), name)


_lock = threading.RLock()
_waiting: list[Late] = []
_untold: list[Callable[[], None]] = []
