"""Where numba counts references to arrays, it looks at those members alone that are counted.

It takes a tuple of arrays to pieces down to every length and stride, and again at every assignment,
to find the few pointers whose references it counts. LLVM then removes the rest: a quarter of all
instructions.
"""

from __future__ import annotations

from typing import Any

import numba.core.runtime.context

NRTContext: Any = vars(numba.core.runtime.context)["NRTContext"]  # numba is half annotated


def look_at_counted_members() -> None:
    """Let numba take to pieces only what contains something counted."""
    NRTContext.get_meminfos = _counted_in


def _counted_in(nrt: Any, builder: Any, kind: Any, value: Any) -> list[tuple[Any, Any]]:
    """Return type and pointer of what is counted in a value, in the order of its members."""
    models = nrt._context.data_model_manager
    if not is_counted(models, kind):
        return []
    model, found = models[kind], []
    members = model.traverse(builder)
    if model.has_nrt_meminfo():
        found.append((kind, model.get_nrt_meminfo(builder, value)))
    for member, get in members:
        if is_counted(models, member):
            found += _counted_in(nrt, builder, member, get(value))
    return found


def is_counted(models: Any, kind: Any) -> bool:
    """Whether a type is counted or has a member that is."""
    if (known := _known.get(kind)) is None:
        model = models[kind]
        members = (member for member, _ in model.traverse(None))
        known = model.has_nrt_meminfo() or any(is_counted(models, one) for one in members)
        _known[kind] = known
    return known


_known: dict[Any, bool] = {}
