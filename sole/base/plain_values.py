"""Values of command-line options that are plainly right, read without pydantic.

typer reads every value through pydantic, whose import takes half as long as the rest of a refused
command. Texts, paths and numbers need none of it. What is not plain, a wrong value above all, goes
the old way, so that every complaint has typer's words.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, get_args, get_origin

__all__ = ["plain_option", "read_plainly"]

INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
PLAIN_PATH = {"exists": False, "file_okay": True, "dir_okay": True, "writable": False,
              "resolve_path": False, "allow_dash": False, "path_type": None}  # fmt: skip


class NotPlainError(Exception):
    """Nothing that is read here."""


class PlainValues:
    """Stands before typer's reader of an option, and asks it where a value is not plain."""

    def __init__(self, option: Any) -> None:
        about = option.type_descriptor
        self.kind, self.info = about.annotation, about.parameter_info
        self.several = option.multiple or option.nargs == -1

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value of an option from its words on the command line, or its default."""
        if value is None:
            return () if self.several else None
        try:
            return _plain(value, self.kind, self.info)
        except (NotPlainError, ValueError, TypeError):
            param._runtime_param = None  # typer makes its own
            return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def read_plainly(command: Any) -> None:
    """Let a command, and the commands below it, read plain values without pydantic."""
    for below in getattr(command, "commands", {}).values():
        read_plainly(below)
    for option in command.params:
        plain_option(option)
    make_help = command.get_help_option
    command.get_help_option = lambda ctx: plain_option(make_help(ctx))


def plain_option(option: Any) -> Any:
    """Let an option (None: there is none) read plain values without pydantic, and return it."""
    if getattr(option, "_runtime_param", "unknown to this typer") is None:
        option._runtime_param = PlainValues(option)
    return option


def _plain(value: Any, kind: Any, info: Any) -> Any:
    """Return `value` as the `kind` of an option described by typer's `info`."""
    if get_origin(kind) is list and isinstance(value, (list, tuple)):
        return [_plain(item, get_args(kind)[0], info) for item in value]
    if get_origin(kind) is tuple and isinstance(value, (list, tuple)):
        kinds = get_args(kind)
        return tuple(_plain(v, k, info) for v, k in zip(value, kinds, strict=True))
    if info.parser is not None:
        return info.parser(value)
    if kind is str and type(value) is str:
        return value
    if kind is Path and isinstance(value, (str, Path)):
        return _plain_path(Path(value), info)
    if kind in (int, float):
        return _plain_number(value, kind, info)
    raise NotPlainError


def _plain_path(path: Path, info: Any) -> Path:
    """Return a path that may be there or not, if it can be read where it is."""
    if any(getattr(info, name) != usual for name, usual in PLAIN_PATH.items()):
        raise NotPlainError
    if os.path.exists(path) and not os.access(path, os.R_OK):
        raise NotPlainError
    return path


def _plain_number(value: Any, kind: type, info: Any) -> Any:
    """Return a number within its bounds."""
    if type(value) is not kind:
        form = INTEGER if kind is int else DECIMAL
        if not (isinstance(value, str) and form.fullmatch(value)):
            raise NotPlainError
        value = kind(value)
    low, high = info.min, info.max
    if (low is not None and value < low) or (high is not None and value > high):
        raise NotPlainError
    return value
