"""A ground in a file: TOML, schema contact.ground/1, one ``[[solid]]`` for each solid.

Keys are those of the kind's class (`contact.ground`, `contact.terrain.pieces`); a height field
has `heights` in place, or a `file` relative to this one and its full `height`. Several solids
are a `Scene`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from contact.ground import Ground, known_kinds
from contact.terrain.field import HeightField, read_heights
from contact.terrain.pieces import Scene
from sole.archive import replacing
from sole.config import STRICT, load, structure
from sole.errors import ConfigError

GROUND_SCHEMA = "contact.ground/1"
INLINE = 4096  # heights that are written in place; more go to an .npy file beside


@dataclass(frozen=True, kw_only=True)
class GroundFile:
    """What stands in the file."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    solid: tuple[dict[str, Any], ...]

    def __post_init__(self) -> None:
        if not self.solid:
            raise ConfigError("a ground needs at least one [[solid]]")


@dataclass(frozen=True, kw_only=True)
class FieldTable:
    """The ``[[solid]]`` of a height field."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    scale: float
    file: str | None = None
    heights: tuple[tuple[float, ...], ...] | None = None
    height: float = 1.0
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    yaw: float = 0.0

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
    """Read a ground file: the solid alone if there is one, a `Scene` of several.

    Raises
    ------
    ConfigError
        Not TOML, another schema, an unknown kind or key, a value out of range; the message is
        ``file: solid.number: key: reason``, numbers from 0.
    """
    path = Path(path)
    tables = load(path, GroundFile, GROUND_SCHEMA).solid
    parts = tuple(_solid(table, path, f"{path}: solid.{i}") for i, table in enumerate(tables))
    return parts[0] if len(parts) == 1 else Scene(parts=parts)


def _solid(table: Mapping[str, Any], path: Path, origin: str) -> Ground:
    values = dict(table)
    kinds = {name: cls for name, cls in known_kinds().items() if name != Scene.kind}
    kind = values.pop("kind", None)
    if kind not in kinds:
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
    parts = ground.parts if isinstance(ground, Scene) else (ground,)
    tables = [_table(part, path, i) for i, part in enumerate(parts)]
    with replacing(path) as temporary:
        text = f'schema = "{GROUND_SCHEMA}"\n' + "".join(tables)
        temporary.write_text(text, encoding="utf-8")


def _table(ground: Ground, path: Path, number: int) -> str:
    values: dict[str, Any] = {f.name: getattr(ground, f.name) for f in fields(ground)}
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
