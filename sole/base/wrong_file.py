"""Advice for who gives a command a file that another command takes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from sole.base.errors import SchemaError

__all__ = ["advise", "takers"]

VIEW = ("view", "info")

# Of every schema: what the file is called, and the commands that take it as their first file.
# Commands of other packages stand here as words: nothing of them is imported.
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "sole.shape": ("the shape of a sole", ("mesh", "sweep", "info")),
    "sole.mesh": ("a mesh", ("condense", "sweep", "mesh", *VIEW)),
    "sole.condensed": ("a condensed sole", ("press", *VIEW)),
    "sole.study": ("a study", ("study", "sweep", "report", "info")),
    "sole.design": ("a search for a design", ("design", "report", "info")),
    "sole.sweep": ("the table of a sweep", ("report", *VIEW)),
    "contact.ground": ("a ground", VIEW),
    "contact.path": ("a path of loads", ("info",)),
    "contact.press": ("the result of a press", VIEW),
    "contact.fclib": ("a contact problem", ("contact", "info")),
    "contact.solution": ("the solution of a contact problem", ("info",)),
    "robot.humanoid": ("a robot", ("robot", "info")),
    "robot.scenario": ("the scenario of a walk", ("walk",)),
    "robot.run": ("the run of a robot", VIEW),
}
# A ground, a path or a robot is no command's first file, but an option's.
OPTIONS = {
    "contact.ground": "`sole press --ground` and `sole walk --ground`",
    "contact.path": "`sole press --path`",
    "robot.humanoid": "`sole walk --robot`",
}
JUDGES = frozenset(command for _, commands in KINDS.values() for command in commands)


def takers(schema: str) -> tuple[str, ...]:
    """Return the commands that take a file of a schema (its version left out) first."""
    return KINDS.get(schema.split("/")[0], ("", ()))[1]


def advise(words: Sequence[str]) -> str:
    """Return what to do with the file in a command's words, or '' if it may be right.

    `words` are those of the command line after `sole`: a command, options, files. Only a known
    kind of file that the command does not take gives advice.
    """
    if len(words) < 2 or words[0] not in JUDGES:
        return ""
    for before, word in pairwise(words):
        if before.startswith("-") or word.startswith("-"):
            continue  # an option and, perhaps, its value
        try:
            kind = _schema(Path(word))
        except (SchemaError, OSError, ValueError):
            continue
        if kind not in KINDS or words[0] in KINDS[kind][1]:
            return ""
        named, commands = KINDS[kind]
        where = [*([OPTIONS[kind]] if kind in OPTIONS else []), *(f"`sole {c}`" for c in commands)]
        return f"{word} is {named}, which `sole {words[0]}` does not take: see {', '.join(where)}"
    return ""


def _schema(path: Path) -> str:
    from sole.base.archive import schema_of

    return schema_of(path).split("/")[0]
