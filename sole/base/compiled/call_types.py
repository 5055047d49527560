"""Types of calls that numba found once are not looked for again: the machine code is the same.

For every `a + b` numba asks all that the operator may mean, strings, sets and dates among them, and
words an error for each that does not fit. A third of its work with types was this. What it finds
depends on the function, the types of its arguments, the target that is asked for, and the options
of the compiler alone. What makes room for arrays does not even depend on these.
"""

from __future__ import annotations

from typing import Any

import numba.core.types
import numba.np.arrayobj
from numba.core import registry, targetconfig
from numba.core import target_extension as extension
from numba.core.typing import templates as numba_templates

from sole.base.compiled.parts import are_made

BaseFunction: Any = vars(numba.core.types)["BaseFunction"]  # numba is half annotated
ConfigStack: Any = targetconfig.ConfigStack
target_extension: Any = extension
cpu_target: Any = registry.cpu_target
arrayobj: Any = numba.np.arrayobj
templates: Any = numba_templates
Template: Any = vars(templates)["_OverloadFunctionTemplate"]
ROOM = {arrayobj.ol_np_empty, arrayobj.ol_np_zeros, arrayobj.ol_array_zero_fill}


def remember_call_types() -> None:
    """Let numba's functions remember what they returned for types of arguments."""
    if BaseFunction.get_call_type is not _remembered:
        BaseFunction.get_call_type, Template._get_impl = _remembered, _implementation


def _remembered(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """Return the signature of a call, or None; what is not found is looked for every time."""
    try:
        named = tuple(sorted(kws.items()))
        key = function, tuple(args), named, target_extension.current_target(), _options()
        found = _found.get(key)
    except TypeError:  # a type without a hash, or names of arguments that cannot be sorted
        return _resolved(function, context, args, kws)
    if context is not cpu_target.typing_context:
        return _resolved(function, context, args, kws)
    if found is None:
        signature = _resolved(function, context, args, kws)
        if signature is not None:
            _found[key] = signature, function._impl_keys[signature.args]
        return signature
    signature, implementation = found
    function._impl_keys[signature.args] = implementation  # as numba sets it; other options may have
    return signature


def _implementation(template: Any, args: Any, kws: Any) -> Any:
    """Return one of numba's own functions in Python for types of arguments, and these types.

    numba lowers it anew for all options of its callers. What makes room for an array counts bytes:
    neither rules of division nor of rounding change it, so for kernels it is lowered once.
    """
    if template._overload_func not in ROOM or not are_made():
        return _implemented(template, args, kws)
    key = template.context, tuple(args), tuple(kws.items())  # numba's own ones have options, too
    found = template._impl_cache.get(key)
    return template._build_impl(key, args, kws) if found is None else found


def _options() -> Any:
    """Return the options under which is compiled, as something with a lasting hash."""
    options = ConfigStack.top_or_none()
    if options is None:
        return None
    values = options._values
    if len(values) != len(_last) or any(_last.get(k, _last) is not v for k, v in values.items()):
        _last.clear()
        _last.update(values)
        _named[:] = [(type(options), tuple(sorted((k, repr(v)) for k, v in values.items())))]
    return _named[0]


_found: dict[Any, Any] = {}
_last: dict[str, Any] = {}  # options that were asked for last, and what they are called
_named: list[Any] = [None]
_resolved = BaseFunction.get_call_type
_implemented = Template._get_impl
