"""TOML at the edge, frozen dataclasses inside: unknown keys are refused with their path.

Files have angles in degrees, dataclasses in radians; see `sole.base.angles`. Where a dataclass
has a quantity, files may have a text with a unit, "3 MPa"; see `sole.base.units`.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

from sole.base.angles import key_of, name_of, read_value, written_value
from sole.base.checks import check_magnitude
from sole.base.errors import ConfigError
from sole.base.files import LARGEST_TEXT, existing_file
from sole.base.near_names import did_you_mean
from sole.base.units import any_quantity, read_units

__all__ = ["STRICT", "digest", "load", "read_toml", "structure", "written"]


T = TypeVar("T")

# A plain dict spares dataclasses the import of pydantic.
STRICT = {"extra": "forbid", "allow_inf_nan": False, "strict": True}


def load(path: Path, cls: type[T], schema: str) -> T:
    """Read a TOML file with ``schema = "<schema>"`` into the frozen dataclass `cls`.

    Raises
    ------
    ConfigError
        Not TOML, another schema, an unknown or missing key, or a value out of range; the
        message is ``file: key: reason``.
    """
    path = Path(path)
    data = read_toml(path)
    found = data.pop("schema", None)
    if found != schema:
        raise ConfigError(f"{path}: schema is {found!r}, expected {schema!r}")
    return structure(data, cls, str(path))


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file.

    Raises
    ------
    ConfigError
        No such file, not TOML, or tables nested beyond reason.
    """
    existing_file(path, ConfigError, most=LARGEST_TEXT, padding=0)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except RecursionError as error:
        raise ConfigError(f"{path}: not a readable TOML file (nested too deeply)") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not a readable TOML file (it is not text)") from error
    except OSError as error:
        raise ConfigError(f"{path}: not a readable TOML file ({error.strerror})") from error
    except ValueError as error:  # TOMLDecodeError, too long numbers
        raise ConfigError(
            f"{path}: not a readable TOML file ({error}){_bare_quantity(path)}"
        ) from error


def _bare_quantity(path: Path) -> str:
    """Return advice on the first quantity without quotes, such as ``dt = 20 ms``, or ''."""
    for line in path.read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition("#")[0].partition("=")
        if any_quantity(value.strip()) is not None:
            return f'; write {key.strip()} = "{value.strip()}", with quotes'
    return ""


def structure(data: Mapping[str, Any], cls: type[T], origin: str) -> T:
    """Validate plain data and return it as a `cls`.

    `cls` is a frozen dataclass; give it and every dataclass inside it
    ``__pydantic_config__ = STRICT`` so that unknown keys are refused and "1e6" is not a number.
    The data have fields of type `sole.base.angles.Angle` in degrees, under a key ending in _deg.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        read = _in_radians(data, cls)
        _check_magnitudes(read)
    except ConfigError as error:
        raise ConfigError(f"{origin}: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{origin}: nested too deeply") from error
    try:
        # As JSON, because strict validation then accepts tables as dataclasses, lists as tuples.
        return TypeAdapter(cls).validate_json(json.dumps(read, default=str))
    except ValidationError as error:
        # A misspelt key is both unexpected and missing: report the one in the file.
        # Of a union ("bool, number or text"), report the error of the number.
        first = min(
            error.errors(),
            key=lambda e: ("unexpected" not in e["type"], e["type"] != "finite_number"),
        )
        where = ".".join(
            str(part)
            for part in _as_written(cls, first["loc"])
            if part not in ("bool", "float", "str")
        )
        reason = str(first["msg"]).removeprefix("Value error, ")
        for name in (where, where.rpartition(".")[2]):  # a table may name itself
            reason = reason.removeprefix(f"{name}: ")
        if "unexpected" in first["type"] and (known := _keys(cls, first["loc"][:-1])):
            near = did_you_mean(str(first["loc"][-1]), known)
            reason = f"unknown key, known are {', '.join(known)}{near}"
        raise ConfigError(": ".join(filter(None, (origin, where, reason)))) from error


def written(table: Any) -> dict[str, Any]:
    """Return a dataclass as the plain data that `structure` reads: angles in degrees."""
    found = {}
    for f in fields(table):
        if f.init:
            value = written_value(type(table), f.name, getattr(table, f.name))
            found[key_of(type(table), f.name)] = _plain(value)
    return found


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return written(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return {k: _plain(v) for k, v in value.items()} if isinstance(value, Mapping) else value


def _in_radians(data: Any, cls: Any, where: str = "") -> Any:
    """Return plain data with field names as keys and angles in radians."""
    if isinstance(data, list | tuple):
        return [_in_radians(item, cls, f"{where}{i}.") for i, item in enumerate(data)]
    if not isinstance(data, Mapping) or not is_dataclass(cls):
        return data
    assert isinstance(cls, type)
    hints, found = get_type_hints(cls), {}
    for key, value in getattr(cls, "read_table", dict)(data).items():
        try:
            name = name_of(cls, key)
        except ConfigError as error:
            raise ConfigError(f"{where}{error}") from error
        try:
            value = read_units(cls, name, value)
        except ConfigError as error:
            raise ConfigError(f"{where}{key}: {error}") from error
        inside = _table_in(hints.get(name))
        found[name] = _in_radians(read_value(cls, name, value), inside, f"{where}{key}.")
    return found


def _check_magnitudes(data: Any, where: str = "") -> None:
    """Raise ConfigError for the first number whose powers overflow."""
    if isinstance(data, float):
        check_magnitude(where or "value", data)
    elif isinstance(data, Mapping | list | tuple):
        items = data.items() if isinstance(data, Mapping) else enumerate(data)
        for key, value in items:
            _check_magnitudes(value, f"{where}.{key}" if where else str(key))


def _as_written(cls: Any, path: Sequence[int | str]) -> list[int | str]:
    """Return a path in a dataclass in the keys of user input."""
    found: list[int | str] = []
    for part in path:
        if isinstance(part, int) or not isinstance(cls, type) or not is_dataclass(cls):
            found.append(part)
            continue
        found.append(key_of(cls, part))
        cls = _table_in(get_type_hints(cls).get(part))
    return found


def _keys(cls: Any, path: Sequence[int | str]) -> list[str]:
    """Return the keys of the table at a path in a dataclass; empty if unknown."""
    for part in path:
        if isinstance(part, int):  # a table in a list: the list has the type
            continue
        if not is_dataclass(cls) or (inside := _table_in(get_type_hints(cls).get(part))) is None:
            return []
        cls = inside
    return [key_of(cls, f.name) for f in fields(cls) if f.init]


def _table_in(hint: Any) -> Any:
    """Return the dataclass that a type is or contains; None if there is none."""
    inside = [hint]
    while inside and not is_dataclass(inside[0]):
        inside = [*get_args(inside[0]), *inside[1:]]
    return inside[0] if inside else None


def digest(data: object) -> str:
    """Return a short, stable hash of JSON-serialisable data."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
