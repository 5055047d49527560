"""numba looks whether somebody registered new functions where somebody may have, and no further.

It goes through all its registries, a dozen imports among them, for every function and member that
it does not find at once: eight thousand times for the commands of a day.
"""

from __future__ import annotations

from typing import Any

import numba.core.base
import numba.core.typing.context

Target: Any = vars(numba.core.base)["BaseContext"]  # numba is half annotated
Typing: Any = vars(numba.core.typing.context)["BaseContext"]
LISTS = ("functions", "getattrs", "setattrs", "casts", "constants", "attributes", "globals")


def look_once() -> None:
    """Let numba's contexts look for what is new only if a registry has grown."""
    Target.refresh, Typing.refresh = _refresh_target, _refresh_typing


def _refresh_target(context: Any) -> None:
    typing = context.typing_context
    if _known.get(id(context._registries)) == (_size(context), _size(typing)):
        return
    _refresh_target_again(context)
    _known[id(context._registries)] = _size(context), _size(typing)
    _kept.append(context._registries)  # so that no other has its id


def _refresh_typing(context: Any) -> None:
    if _known.get(id(context._registries)) == _size(context):
        return
    _refresh_typing_again(context)
    _known[id(context._registries)] = _size(context)
    _kept.append(context._registries)


def _size(context: Any) -> int:
    """Return how much is registered where a context looks."""
    lists = (vars(one).get(name, ()) for one in context._registries for name in LISTS)
    return sum(map(len, lists))


_known: dict[int, Any] = {}
_kept: list[Any] = []
_refresh_target_again, _refresh_typing_again = Target.refresh, Typing.refresh
