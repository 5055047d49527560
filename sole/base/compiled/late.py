"""Objects of numba that are made when the first kernel is called, so that importing costs nothing.

Half a second of every command is numba's import, and most commands call no kernel: they read,
describe, draw or refuse. So `@kernel` leaves a `Late` function; the first call of any makes all
that wait and puts them in the place of the `Late` ones in all modules. Later calls go straight
to numba. A reference elsewhere, such as in a table of functions, passes calls on.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import update_wrapper
from types import ModuleType
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
    """Return what stands behind a `Late` function; this makes all that wait."""
    with _lock:
        if one._made is None:
            _make_all()
        return one._made


def _make_all() -> None:
    """Start numba, make everything that waits, and put it where the `Late` ones are.

    All modules are looked through, in some milliseconds: nobody knows who imports kernels.
    """
    if not _begun:
        _begin()
    while _untold:
        _untold.pop(0)()
    for one in _waiting:
        one._made = one._make(one._plain)
    places = [one._plain.__globals__ for one in _waiting]
    places += [m.__dict__ for m in list(sys.modules.values()) if type(m) is ModuleType]
    for names in places:
        for name, value in list(names.items()):
            if type(value) is Late and value._made is not None:
                names[name] = value._made
    _waiting.clear()


def _begin() -> None:
    """Import numba, and listen to what it compiles."""
    import numba

    from sole.base.compiled.news import listen, say

    _begun.append(True)
    if not numba.__version__.startswith(f"{TESTED}."):
        say(f"numba {numba.__version__} is not tested here: {TESTED} is")
    listen()


def _find(module: str, name: str) -> Any:
    """Return an object by its place, for pickle."""
    import importlib

    return getattr(importlib.import_module(module), name)


_lock = threading.RLock()
_begun: list[bool] = []
_waiting: list[Late] = []
_untold: list[Callable[[], None]] = []
