"""TOML at the edge, frozen dataclasses inside: unknown keys are refused with their path."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

from sole.errors import ConfigError

T = TypeVar("T")

# A plain dict, so that a dataclass needs no pydantic import.
STRICT = {"extra": "forbid", "allow_inf_nan": False, "strict": True}


def load(path: Path, cls: type[T], schema: str) -> T:
    """Read a TOML file with ``schema = "<schema>"`` into the frozen dataclass `cls`.

    Raises
    ------
    ConfigError
        Not TOML, another schema, an unknown or missing key, a value out of range; the
        message is ``file: key: reason``.
    """
    path = Path(path)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{path}: not a readable TOML file ({error})") from error
    found = data.pop("schema", None)
    if found != schema:
        raise ConfigError(f"{path}: schema is {found!r}, expected {schema!r}")
    return structure(data, cls, str(path))


def structure(data: Mapping[str, Any], cls: type[T], origin: str) -> T:
    """Turn plain data into `cls`.

    `cls` is a frozen dataclass; give it and every dataclass inside it
    ``__pydantic_config__ = STRICT`` so that unknown keys are refused and "1e6" is not a number.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        # As JSON: strict validation then still takes tables for dataclasses, lists for tuples.
        return TypeAdapter(cls).validate_json(json.dumps(dict(data), default=str))
    except ValidationError as error:
        # a misspelt key is both unexpected and missing: name the one that is in the file
        # and of a union ("bool, number or text") name what is wrong with the number
        first = min(
            error.errors(),
            key=lambda e: ("unexpected" not in e["type"], e["type"] != "finite_number"),
        )
        where = ".".join(str(part) for part in first["loc"] if part not in ("bool", "float", "str"))
        reason = str(first["msg"]).removeprefix("Value error, ")
        if "unexpected" in first["type"] and (known := _keys(cls, first["loc"][:-1])):
            reason = f"unknown key, known are {', '.join(known)}"
        raise ConfigError(": ".join(filter(None, (origin, where, reason)))) from error


def _keys(cls: Any, path: Sequence[int | str]) -> list[str]:
    """Return the keys of the table at a path in a dataclass; empty where they cannot be told."""
    for part in path:
        if isinstance(part, int):  # tables of a list: the type is that of the list
            continue
        if not is_dataclass(cls) or part not in (hints := get_type_hints(cls)):
            return []
        inside = [hints[part]]
        while inside and not is_dataclass(inside[0]):
            inside = [*get_args(inside[0]), *inside[1:]]
        if not inside:
            return []
        cls = inside[0]
    return [f.name for f in fields(cls) if f.init]


def digest(data: object) -> str:
    """Return a short, stable hash of JSON-serialisable data."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
