"""Advice on a file that was given to the wrong command."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from os.path import isfile  # False where Path.is_file() raises: a word may be too long for a name
from pathlib import Path

from sole.base.errors import SchemaError
from sole.base.file_kinds import file_kinds

__all__ = ["advise"]


def advise(words: Sequence[str]) -> str:
    """Return what to do with the file in a command's words, or '' if it may be right.

    `words` are those of the command line after `sole`: a command, options, files. Only a known
    kind of file that the command does not take gives advice.
    """
    for before, word in pairwise(words):
        if before.startswith("-") or word.startswith("-") or not isfile(word):
            continue  # an option and, perhaps, its value
        kinds = file_kinds()
        both, known = " ".join(words[:2]), {c for kind in kinds.values() for c in kind.commands}
        called = both if both in known else words[0]
        if called not in known:
            return ""
        kind = kinds.get(_schema(Path(word)))
        if kind is None or called in kind.commands:
            return ""
        where = ", ".join(f"`sole {command}`" for command in (*kind.options, *kind.commands))
        return f"{word} is {kind.called}, which `sole {called}` does not take: see {where}"
    return ""


def _schema(path: Path) -> str:
    """Return the schema of a file without its version; '' if it has none."""
    from sole.base.archive import schema_of

    try:
        return schema_of(path).split("/")[0]
    except (SchemaError, OSError, ValueError):
        return ""
