"""A ground from one line of text, as ``--ground`` takes it, or from a file.

A file is TOML, schema contact.ground/1, with one ``[[solid]]`` for each solid. Keys are the fields
of the kind's class; angles have the suffix `_deg` and are in degrees. A height field has `heights`
in place, or a `file` relative to this one and its full `height`. Several solids make a
`CompositeGround`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from contact.ground.ground import Ground, unit_of_field
from contact.ground.height_field import HeightField, read_heights
from contact.ground.simple_grounds import kind_named, known_kinds, make_ground
from contact.ground.walking_grounds import CompositeGround
from sole.base.angles import DEGREES, Angle, angles_of, key_of, name_of, written_value
from sole.base.archive import replacing
from sole.base.config import STRICT, load, structure
from sole.base.errors import ConfigError
from sole.base.near_names import did_you_mean
from sole.base.units import Metres, read_quantity

GROUND_SCHEMA = "contact.ground/1"
INLINE = 4096  # heights written in place; more go to an .npy file beside
READ: dict[str, Callable[[str], Any]] = {
    "int": int,
    "Metres": lambda text: read_quantity(text, "m"),
    "str": str,
    "Angle": lambda text: math.radians(read_quantity(text, "deg")),
}


@dataclass(frozen=True, kw_only=True)
class GroundFile:
    """The contents of a ground file."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    solid: tuple[dict[str, Any], ...]

    def __post_init__(self) -> None:
        if not self.solid:
            raise ConfigError("a ground needs at least one [[solid]]")


@dataclass(frozen=True, kw_only=True)
class FieldTable:
    """The ``[[solid]]`` of a height field."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    scale: Metres
    file: str | None = None
    heights: tuple[tuple[float, ...], ...] | None = None
    height: Metres = 1.0
    x: Metres = 0.0
    y: Metres = 0.0
    z: Metres = 0.0
    yaw: Angle = 0.0

    def __post_init__(self) -> None:
        if (self.file is None) == (self.heights is None):
            raise ConfigError("a height field needs either 'file' or 'heights'")
        if self.heights is not None and len({len(row) for row in self.heights}) > 1:
            raise ConfigError("the rows of 'heights' must be equally long")

    def field(self, folder: Path) -> HeightField:
        """Read the heights."""
        values = {name: getattr(self, name) for name in ("scale", "x", "y", "z", "yaw")}
        if self.file is not None:
            heights = read_heights(folder / self.file, self.height)
        else:
            heights = np.array(self.heights, dtype=float) * self.height
        return HeightField(heights=heights, **values)


def load_ground(path: Path) -> Ground:
    """Read a ground file: the solid alone if there is one, a `CompositeGround` of several.

    Raises
    ------
    ConfigError
        Not TOML, another schema, an unknown kind or key, a value out of range; the message is
        ``file: solid.number: key: reason``, numbers from 0.
    """
    path = Path(path)
    tables = load(path, GroundFile, GROUND_SCHEMA).solid
    parts = tuple(_solid(table, path, f"{path}: solid.{i}") for i, table in enumerate(tables))
    return parts[0] if len(parts) == 1 else CompositeGround(parts=parts)


def _solid(table: Mapping[str, Any], path: Path, origin: str) -> Ground:
    values = dict(table)
    kinds = {name: cls for name, cls in known_kinds().items() if name != CompositeGround.kind}
    kind = values.pop("kind", None)
    if not isinstance(kind, str) or kind not in kinds:
        raise ConfigError(f"{origin}: kind: {kind!r} is not one of {', '.join(kinds)}")
    cls = kinds[kind]
    if cls is not HeightField:
        return structure(values, cls, f"{origin}: {kind}")
    table_of_field = structure(values, FieldTable, f"{origin}: {kind}")
    try:
        return table_of_field.field(path.parent)
    except ConfigError as error:
        raise ConfigError(f"{origin}: {kind}: {error}") from error


def save_ground(path: Path, ground: Ground) -> None:
    """Write a ground as TOML; large height fields go to ``NAME-number.npy`` beside it."""
    path = Path(path)
    if path.suffix != ".toml":
        raise ConfigError(f"a ground is written as a .toml file, got {path}")
    parts = ground.parts if isinstance(ground, CompositeGround) else (ground,)
    tables = [_table(part, path, i) for i, part in enumerate(parts)]
    with replacing(path) as temporary:
        text = f'schema = "{GROUND_SCHEMA}"\n' + "".join(tables)
        temporary.write_text(text, encoding="utf-8")


def _table(ground: Ground, path: Path, number: int) -> str:
    cls = type(ground)
    own = {f.name: getattr(ground, f.name) for f in fields(ground)}
    values = {key_of(cls, name): written_value(cls, name, value) for name, value in own.items()}
    if isinstance(ground, HeightField):
        if ground.heights.size <= INLINE:
            values["heights"] = ground.heights.tolist()
        else:
            file = path.with_name(f"{path.stem}-{number}.npy")
            with replacing(file) as temporary, temporary.open("wb") as stream:
                np.save(stream, ground.heights)
            del values["heights"]
            values["file"] = file.name
    lines = [f"{key} = {_toml(value)}" for key, value in values.items()]
    return "\n".join(["", "[[solid]]", f'kind = "{ground.kind}"', *lines, ""])


def _toml(value: Any) -> str:
    """Write a number, a string or nested lists of numbers, to the last bit."""
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, list):
        rows = isinstance(value[0], list)
        text = (",\n  " if rows else ", ").join(_toml(item) for item in value)
        return f"[\n  {text},\n]" if rows else f"[{text}]"
    return str(value) if isinstance(value, int) else repr(float(value))


def parse_ground(text: str) -> Ground:
    """Read a text: ``plane``, ``slope:angle_deg=10``, ``step:0.01``, ``bump:0.01,radius=0.05``.

    Values come in the order of the class's fields or by name, with the unit or without (``0.01
    m``, ``10mm``); lengths in m. Angles are in degrees and always named, with ``_deg``.
    ``heightfield:FILE,SCALE,HEIGHT`` reads an array or an image, ``NAME.toml`` a ground file.
    """
    if text.endswith(".toml"):
        return load_ground(Path(text))
    kind, _, rest = text.partition(":")
    cls = kind_named(kind.strip())
    if cls.kind == "scene":
        raise ConfigError(f"ground '{text}': a scene of several solids is a .toml file")
    types = {f.name: f.type for f in fields(cls)}
    if cls.kind == "heightfield":
        del types["heights"]
        types = {"file": "str", "scale": "Metres", "height": "Metres", **types}
    names = list(types)
    values: dict[str, Any] = {}
    for position, item in enumerate(filter(None, rest.split(","))):
        key, equals, number = item.partition("=")
        if not equals:
            number = key
            key = names[position] if position < len(names) else ""
        key = key.strip()
        if key in angles_of(cls):
            raise ConfigError(
                f"ground '{text}': {key}: write {key}{DEGREES}={number.strip()} (degrees)"
            )
        name = name_of(cls, key)
        if name not in names:
            takes = ", ".join(key_of(cls, n) for n in names)
            near = did_you_mean(key, [key_of(cls, n) for n in names])
            raise ConfigError(f"ground '{text}': {kind} takes {takes or 'no values'}{near}")
        kind_of = str(types[name])
        number = number.strip()
        try:
            values[name] = READ[kind_of](number)
        except ConfigError as error:
            raise ConfigError(f"ground '{text}': {key}: {error}") from error
        except ValueError as error:
            raise ConfigError(f"ground '{text}': '{number}' is not a whole number") from error
    needed = [f.name for f in fields(cls) if f.default is MISSING]
    needed = ["file", "scale"] if cls.kind == "heightfield" else needed
    missing = [key_of(cls, name) for name in needed if name not in values]
    if missing:
        units = {key_of(cls, name): unit_of_field(str(kind_of)) for name, kind_of in types.items()}
        takes = ", ".join(f"{name} [{unit}]" if unit else name for name, unit in units.items())
        raise ConfigError(f"ground '{text}': {', '.join(missing)} missing; {kind} takes {takes}")
    return make_ground(kind.strip(), values)
