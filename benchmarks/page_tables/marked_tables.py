"""Tables in Markdown and the line above each, which names its command and the date of its run.

    Made by `COMMAND` on 28 November 2026: <!-- within 1e-3; times 4-6 -->
    <!-- constants: WHAT -->

`COMMAND` starts with `python` or `sole` and prints the table, header included. The date may be
missing outside of docs/results. The words of the comment, in any order:

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
from datetime import date, datetime
from pathlib import Path

from sole.base.errors import SoleError

RULE = re.compile(r"^\|[-|: ]+\|$")
MEASURED = re.compile(r"^[-+<]?\d")  # how a cell with a number begins
MADE = re.compile(r"^Made by `([^`]+)`(?: on ([^:]+))?:(?: <!-- (.+) -->)?$")
CONSTANTS = re.compile(r"^<!-- constants: .* -->$")
DATE = "%d %B %Y"
WORDS = ("within", "times", "errors", "table", "peers", "quick", "slow")
SPEED = {"quick": "quick", "slow": "slow"}


@dataclass(frozen=True)
class Marker:
    """How a table is made and compared; columns are counted from 0, the line from 1."""

    command: str
    made: date | None = None
    line: int = 0
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
    lines, fenced, above = text.splitlines(), False, 0  # `above`: line of the marker, from 1
    k = 0
    while k < len(lines):
        line = lines[k]
        fenced ^= line.startswith("```")
        if not fenced and (line.startswith("Made by `") or CONSTANTS.match(line)):
            above = k + 1
            below = next((words for words in lines[above:] if words), "")
            if not below.startswith("|"):
                raise SoleError(f"{page.name}:{above}: no table below this line: {line}")
        elif (
            not fenced and line.startswith("|") and k + 1 < len(lines) and RULE.match(lines[k + 1])
        ):
            end = k
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            rows = tuple(cells_of(row) for row in lines[k + 2 : end])
            told = lines[above - 1] if above else ""
            constants = bool(CONSTANTS.match(told))
            made = None
            if told and not constants:
                made = parse_marker(told, len(cells_of(line)), page.name, above)
            yield MarkedTable(page, k + 1, cells_of(line), rows, made, constants)
            above, k = 0, end
            continue
        k += 1


def parse_marker(told: str, width: int, page: str, line: int) -> Marker:
    """Read the line `told` above a table of `width` columns: line `line` of `page`.

    Raises
    ------
    SoleError
        The line, its command, date, a word, a number or a column is not valid.
    """
    at = f"{page}:{line}"
    if not (match := MADE.match(told)):
        example = "Made by `python FILE` on 28 November 2026: <!-- times 4-6 -->"
        raise SoleError(f"{at}: expected '{example}', got {told!r}")
    command, day, words = match.groups()
    if command.partition(" ")[0] not in ("python", "sole"):
        raise SoleError(f"{at}: expected a command of python or sole, got {command!r}")
    made = None
    if day:
        try:
            made = datetime.strptime(day, DATE).date()
        except ValueError:
            raise SoleError(f"{at}: expected a date like 28 November 2026, got {day!r}") from None
    parts = [part.strip() for part in words.split(";")] if words else []
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
    return Marker(command, made, line, **found)  # type: ignore[arg-type]


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
