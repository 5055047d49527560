"""TOML at the edge, frozen dataclasses inside: unknown keys are refused with their path.

Files have angles in degrees, dataclasses in radians; see `sole.base.angles`. Where a dataclass
has a quantity, files may have a text with a unit, "3 MPa"; see `sole.base.units`. A table may be
one of several dataclasses, told apart by their key `kind`; see `BY_KIND`.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

from sole.base.angles import DEGREES, key_of, name_of, read_value, written_value
from sole.base.checks import check_magnitude, check_one_of
from sole.base.errors import ConfigError
from sole.base.files import LARGEST_TEXT, existing_file
from sole.base.near_names import did_you_mean
from sole.base.units import any_quantity, read_units

__all__ = ["BY_KIND", "STRICT", "digest", "load", "of_kind", "read_toml", "structure", "written"]


T = TypeVar("T")

# A plain dict spares dataclasses the import of pydantic.
STRICT = {"extra": "forbid", "allow_inf_nan": False, "strict": True}


class _ByKind:
    """Tells pydantic that the key `kind` decides between the dataclasses of a union."""

    def __get_pydantic_core_schema__(self, union: Any, handler: Any) -> Any:
        from pydantic import Field

        return handler.generate_schema(Annotated[union, Field(discriminator="kind")])


# Marks a field `table: Annotated[A | B, BY_KIND]`, where A has `kind: Literal["a"] = "a"`. A table
# without a `kind` is of the first.
BY_KIND = _ByKind()


def of_kind(tables: Sequence[type[T]], kind: Any, keys: Iterable[str], where: str) -> type[T]:
    """Return the dataclass of this `kind`; `keys` and names of fields are refused if not its own.

    Raises
    ------
    ConfigError
        No such kind, or a key that only others have: ``where.key: a key of kind "a", not of "b"``.
        A key that no kind has passes: it is no matter of kinds.
    """
    known = {str(vars(table)["kind"]): table for table in tables}
    check_one_of(f"{where}: kind", str(kind), list(known))
    for key in keys:
        name = key.removesuffix(DEGREES)
        having = [f'"{k}"' for k, t in known.items() if {key, name} & {*_names(t)}]
        if having and f'"{kind}"' not in having:
            raise ConfigError(
                f'{where}.{key}: a key of kind {" or ".join(having)}, not of "{kind}"'
            )
    return known[kind]


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
        read = _in_radians(data, [cls])
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
            for part in _follow(cls, first["loc"])[0]
            if part not in ("bool", "float", "str")
        )
        reason = str(first["msg"]).removeprefix("Value error, ")
        for name in (where, where.rpartition(".")[2]):  # a table may name itself
            reason = reason.removeprefix(f"{name}: ")
        if "unexpected" in first["type"] and (table := _follow(cls, first["loc"][:-1])[1]):
            known = [key_of(table, name) for name in _names(table)]
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


def _in_radians(data: Any, tables: Sequence[type], where: str = "") -> Any:
    """Return plain data with field names as keys and angles in radians."""
    if isinstance(data, list | tuple):
        return [_in_radians(item, tables, f"{where}{i}.") for i, item in enumerate(data)]
    if not isinstance(data, Mapping) or not tables:
        return data
    cls, found = tables[0], dict[str, Any]()
    if len(tables) > 1:
        kind = data.get("kind", vars(cls)["kind"])
        given = [key for key, value in data.items() if not _is_default(tables, key, value)]
        cls = of_kind(tables, kind, given, where.removesuffix("."))
        own = [key_of(cls, name) for name in _names(cls)]
        data = {key: value for key, value in data.items() if key in given or key in own}
        found["kind"] = vars(cls)["kind"]
    hints = get_type_hints(cls)
    for key, value in getattr(cls, "read_table", dict)(data).items():
        try:
            name = name_of(cls, key)
        except ConfigError as error:
            raise ConfigError(f"{where}{error}") from error
        try:
            value = read_units(cls, name, value)
        except ConfigError as error:
            raise ConfigError(f"{where}{key}: {error}") from error
        inside = _tables_in(hints.get(name))
        found[name] = _in_radians(read_value(cls, name, value), inside, f"{where}{key}.")
    return found


def _is_default(tables: Sequence[Any], key: str, value: Any) -> bool:
    """Return whether a key has its default value: version 0.2 wrote the keys of all kinds."""
    return any(
        key_of(t, f.name) == key and _plain(written_value(t, f.name, f.default)) == value
        for t in tables
        for f in fields(t)
    )


def _check_magnitudes(data: Any, where: str = "") -> None:
    """Raise ConfigError for the first number whose powers overflow."""
    if isinstance(data, float):
        check_magnitude(where or "value", data)
    elif isinstance(data, Mapping | list | tuple):
        items = data.items() if isinstance(data, Mapping) else enumerate(data)
        for key, value in items:
            _check_magnitudes(value, f"{where}.{key}" if where else str(key))


def _follow(cls: type, path: Sequence[int | str]) -> tuple[list[int | str], type | None]:
    """Return a path of pydantic's in the keys of user input, and the dataclass there, if known."""
    found: list[int | str] = []
    tables = [cls]
    for part in path:
        if len(tables) > 1 and isinstance(part, str):  # which of them
            tables = [table for table in tables if vars(table)["kind"] == part]
        elif isinstance(part, int) or not tables:  # a table in a list: the list has the type
            found.append(part)
        else:
            found.append(key_of(tables[0], part))
            tables = _tables_in(get_type_hints(tables[0]).get(part))
    return found, tables[0] if tables else None


def _tables_in(hint: Any) -> list[type]:
    """Return the dataclasses that a type is or contains."""
    if isinstance(hint, type) and is_dataclass(hint):
        return [hint]
    return [table for part in get_args(hint) for table in _tables_in(part)]


def _names(table: Any) -> list[str]:
    return [f.name for f in fields(table) if f.init]


def digest(data: object) -> str:
    """Return a short, stable hash of JSON-serialisable data."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
