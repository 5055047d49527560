"""Tables in Markdown and the markers above them, which name the command that makes each table.

    <!-- numbers: COMMAND; within 1e-3; times 4-6 -->       or      <!-- constants: WHAT -->

`COMMAND` starts with `python` or `sole` and prints the table, header included. Then, in any order:

    within R    a number may differ by R of itself, and by one unit of its last digit (1e-3)
    times A-B   columns that depend on the machine: not compared (from 1; several with commas)
    errors A    columns of round-off or residuals: at most ten times what the page says
    table N     which of the tables that the command prints (1)
    peers       rows of other programs may be missing, where these are not installed
    quick       takes seconds: the suite makes it
    slow        takes more than five minutes: only with --slow
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sole.base.errors import SoleError

RULE = re.compile(r"^\|[-|: ]+\|$")
MEASURED = re.compile(r"^[-+<]?\d")  # how a cell with a number begins
MARKER = re.compile(r"^<!-- (numbers|constants): (.*) -->$")
WORDS = ("within", "times", "errors", "table", "peers", "quick", "slow")
SPEED = {"quick": "quick", "slow": "slow"}


@dataclass(frozen=True)
class Marker:
    """How a table is made and compared; columns are counted from 0."""

    command: str
    within: float = 1e-3
    times: frozenset[int] = frozenset()
    errors: frozenset[int] = frozenset()
    table: int = 1
    peers: bool = False
    speed: str = ""


@dataclass(frozen=True)
class MarkedTable:
    """A table of a page: `line` of its header (from 1), rows of cells, `marker` or None.

    `constants` : it is declared to hold definitions or inputs, not results.
    """

    page: Path
    line: int
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    marker: Marker | None = None
    constants: bool = False

    @property
    def place(self) -> str:
        """Page and line."""
        return f"{self.page.name}:{self.line}"

    @property
    def measured(self) -> int:
        """Number of cells that begin with a number outside of code."""
        cells = [c for row in self.rows for c in row]
        return sum(bool(MEASURED.match(c)) for c in cells)


def cells_of(line: str) -> tuple[str, ...]:
    r"""Return the cells of a line of a table; a bar in a cell is written \|."""
    return tuple(c.strip() for c in re.split(r"(?<!\\)\|", line.strip()[1:-1]))


def tables_of(text: str, page: Path = Path("text")) -> Iterator[MarkedTable]:
    """Find all tables of a text outside of code blocks.

    Raises
    ------
    SoleError
        A marker is not valid, or stands above no table.
    """
    lines, fenced, marker = text.splitlines(), False, ""
    k = 0
    while k < len(lines):
        line = lines[k]
        fenced ^= line.startswith("```")
        if not fenced and MARKER.match(line):
            marker = line
            if k + 1 == len(lines) or not lines[k + 1].startswith("|"):
                raise SoleError(f"{page.name}:{k + 1}: no table below this marker: {line}")
        elif (
            not fenced and line.startswith("|") and k + 1 < len(lines) and RULE.match(lines[k + 1])
        ):
            end = k
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            rows = tuple(cells_of(row) for row in lines[k + 2 : end])
            at = f"{page.name}:{k + 1}"
            kind, told = MARKER.match(marker).groups() if marker else ("", "")  # type: ignore[union-attr]
            made = parse_marker(told, len(cells_of(line)), at) if kind == "numbers" else None
            yield MarkedTable(page, k + 1, cells_of(line), rows, made, kind == "constants")
            marker, k = "", end
            continue
        k += 1


def parse_marker(told: str, width: int, at: str) -> Marker:
    """Read a marker above a table of `width` columns.

    Raises
    ------
    SoleError
        Its command, a word, a number or a column is not valid.
    """
    command, *parts = (part.strip() for part in told.split(";"))
    if command.partition(" ")[0] not in ("python", "sole"):
        raise SoleError(f"{at}: expected a command of python or sole, got {command!r}")
    found: dict[str, object] = {}
    for part in parts:
        word, _, value = part.partition(" ")
        if word not in WORDS:
            raise SoleError(f"{at}: unknown word {word!r}; there are {', '.join(WORDS)}")
        try:
            if word in ("times", "errors"):
                found[word] = columns(value, width)
            elif word in SPEED:
                found["speed"] = SPEED[word]
            elif word == "peers":
                found[word] = True
            else:
                found[word] = float(value) if word == "within" else int(value)
        except ValueError as error:
            raise SoleError(f"{at}: {part!r}: {error}") from None
    return Marker(command, **found)  # type: ignore[arg-type]


def columns(value: str, width: int) -> frozenset[int]:
    """Return the columns of "3, 5-7", counted from 0, of a table that has `width`."""
    found: set[int] = set()
    for part in value.split(","):
        first, _, last = part.strip().partition("-")
        found |= set(range(int(first) - 1, int(last or first)))
    if not found or min(found) < 0 or max(found) >= width:
        raise ValueError(f"the table has columns 1 to {width}")
    return frozenset(found)


def words_of(command: str, root: Path, python: Sequence[str]) -> list[str]:
    """Return the command as words to start, paths below `root` in full; `python` starts Python."""
    first, *rest = shlex.split(command)
    program = [*python] if first == "python" else [*python, "-c", SOLE]
    return program + [str(root / word) if (root / word).exists() else word for word in rest]


SOLE = "from sole.base.cli import main; main()"
