"""The options that a command has, from its own declaration."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

from torture.valid_calls import Call


def options_of(call: Call) -> list[str]:
    """Return the names of the options of a call's command."""
    return [p.opts[0] for p in _parameters(call.command) if p.opts[0].startswith("--")]


def numeric_options(call: Call) -> list[tuple[str, int, bool]]:
    """Return name, number of values and "is whole" of the options that take numbers."""
    found = []
    for option in _parameters(call.command):
        hint = getattr(getattr(option, "type_descriptor", None), "annotation", None)
        inner = [hint, *get_args(hint)]
        inner += [t for one in inner for t in get_args(one)]
        if option.opts[0].startswith("--") and (int in inner or float in inner):
            found.append((option.opts[0], option.nargs, float not in inner))
    return found


@cache
def _parameters(command: str) -> list[Any]:
    from typer.main import get_command

    from sole.base.cli import app

    found: Any = get_command(app)
    for word in command.split():
        found = found.get_command(None, word)
    return list(found.params)
