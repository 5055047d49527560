"""Kinds of files: what they are called, which commands take them, and which command makes one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sole.base.errors import SchemaError
from sole.base.registered import registered

__all__ = ["FileKind", "file_kinds", "how_to_make", "refuse_other_schema"]


@dataclass(frozen=True, slots=True)
class FileKind:
    """What is known of the files of one kind.

    Parameters
    ----------
    called : in a sentence, "a mesh".
    commands : those that take one first.
    options : those that take one, after their command, "press --ground".
    made_by : the command line that makes one, without `sole`; "" if a user or another program does.
    """

    called: str
    commands: tuple[str, ...]
    options: tuple[str, ...] = ()
    made_by: str = ""


def file_kinds() -> dict[str, FileKind]:
    """Return the kinds of all packages by schema (its version left out)."""
    found: dict[str, FileKind] = {}
    for point in registered("sole.file_kinds").values():
        kinds: Mapping[str, FileKind] = point.load()
        found.update(kinds)
    return found


def how_to_make(schema: str) -> str:
    """Return "make it again: `sole ...`" for files of a schema, or "write it again"."""
    command = _command(schema)
    return f"make it again: {command}" if command else "write it again"


def _command(schema: str) -> str:
    kind = file_kinds().get(schema.partition("/")[0])
    return f"`sole {kind.made_by}`" if kind is not None and kind.made_by else ""


def refuse_other_schema(path: Path, found: str, expected: str) -> None:
    """Raise unless a file has the expected kind and version, `<package>.<kind>/<version>`.

    Raises
    ------
    SchemaError
        What was found, what was expected, and the command that makes such a file.
    """
    if found == expected:
        return
    if found.partition("/")[0] == expected.partition("/")[0]:
        raise SchemaError(
            f"{path}: got version '{found}', expected '{expected}'; {how_to_make(expected)}"
        )
    command = _command(expected)
    made = f", as {command} writes" if command else ""
    raise SchemaError(f"{path}: got a '{found}' file, expected '{expected}'{made}")
