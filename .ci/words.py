"""Plain words in what users read: pages, help and messages; `.ci/check` runs it.

    python .ci/words.py [FILE ...]   exit code 1 if a phrase of `PHRASES` is found
    python .ci/words.py --all        also in the files of `NOT_YET`

To extend it, add a line to `PHRASES`: a regular expression (case is ignored) and the advice. It
reads the pages of docs/ and README.md without their code, every string of three words or more in
our packages that is not a docstring, and the docstrings of commands, which are their help. A file
of `NOT_YET` may still contain such phrases; it must leave that list as soon as it contains none.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("sole", "contact", "robot")
MADE = ("docs/api.md",)  # by .ci/house.py, from docstrings
NOT_YET: tuple[str, ...] = ()

PHRASES = {
    r"\btells?\b|\btold\b": "write 'shows', 'gives', 'prints', 'reports'",
    r"\b(?:whoever|nobody|somebody)\b": "name the person, program or robot",
    r"(?:^|[.;:] )who (?!is |are |was )": "name the person, program or robot: 'A robot that ...'",
    r"(?<!there )\b(?:is|are|that are) no (?!longer|more|less|larger|smaller|better|worse)": (
        "write 'is not a' or 'invalid'"
    ),
    r"\banew\b": "write 'again', 'new', or a verb with re-: restart, regenerate, remesh",
    r"\b(?:made|walked|walks|makes) (?:\w+ )?again\b": "write 'regenerate', 'repeat'",
    r"\bbegun\b": "write 'started'",
    r"\bmend(?:s|ed|ing)?\b": "write 'fix', 'correct'",
    r"\b(?:go|goes|went|going) on\b": "write 'continue'",
    r"(?<!--)\bbeside\b": "write 'next to' or 'compared with'",
    r"\bof (?:its|their|your|our|one's|my) own(?=[^\w ]|$| (?:and|or|in|for|with|to)\b)": (
        "write 'its own X'"
    ),
    r"\bas (?:it|they) stands?\b": "write 'unchanged'",
    r"\bbut for\b": "write 'except'",
    r"\b(?:is|are|to be) had\b": "write 'exists', 'has'",
    r"\bthe last but one\b|\bby as (?:much|many) as\b": "name the thing",
    r"\b(?:doors?|corridors?|sheets?|stubborn|drifting|twins?)\b|(?<!no )(?<!of )\brooms?\b": (
        "a private word: write public module, package, or the numerical term"
    ),
    r"\b(?:an earlier edition|in the evening|hours later|a week before|since then|had been)\b": (
        "no diary: state what holds today"
    ),
}
HIDDEN = {
    r"(?ms)^(```|~~~).*?^\1": "",  # blocks of code
    r"(?s)<!--.*?-->": "",
    r"(?m)^(?:    |\t).*$": "",  # indented code and formulas
    r"`[^`]*`": "X",
    r"\]\([^)]*\)": "]",  # where links lead
}


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs of a page without its code, each with its first line."""
    for pattern, instead in HIDDEN.items():
        text = re.sub(pattern, lambda m, new=instead: new + "\n" * m[0].count("\n"), text)
    lines: list[str] = []
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        if line.strip():
            lines.append(line.strip())
        elif lines:
            yield number - len(lines), " ".join(lines)
            lines = []


def docstring(node: ast.AST) -> ast.Constant | None:
    """Return the docstring of a module, class or function."""
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) or not node.body:
        return None
    first = node.body[0]
    stated = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return first.value if stated and isinstance(first.value.value, str) else None


def messages(text: str, is_command: bool) -> Iterator[tuple[int, str]]:
    """Yield the strings of three words or more that a program prints, each with its line."""
    nodes = list(ast.walk(ast.parse(text)))
    docstrings = {id(d): node for node in nodes if (d := docstring(node))}
    parts = {id(v) for n in nodes if isinstance(n, ast.JoinedStr) for v in n.values}
    for node in nodes:
        words = ""
        if isinstance(node, ast.JoinedStr):
            words = "".join(
                str(getattr(v, "value", "")) if isinstance(v, ast.Constant) else "X"
                for v in node.values
            )
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts
        ):
            owner = docstrings.get(id(node))
            shown = is_command and isinstance(owner, ast.FunctionDef)
            if owner is None or (shown and not owner.name.startswith("_")):
                words = node.value
        if len(words.split()) >= 3:
            yield node.lineno, " ".join(words.split())


def read(root: Path = ROOT) -> Iterator[Path]:
    """Yield the files that users read, or that print what they read."""
    pages = [root / "README.md", *(root / "docs").rglob("*.md")]
    files = [f for name in PACKAGES for f in (root / name).rglob("*.py")]
    for file in sorted({*pages, *files}):
        if file.is_file() and file.relative_to(root).as_posix() not in MADE:
            yield file


def faults(file: Path) -> list[str]:
    """Return the phrases of a file that `PHRASES` forbids, a line each."""
    text = file.read_text(encoding="utf-8")
    page = file.suffix == ".md"
    found = paragraphs(text) if page else messages(text, "commands" in file.parts)
    return [
        f"{line}: '{words[max(0, m.start() - 30) : m.end() + 20].strip()}': {advice}"
        for line, words in found
        for phrase, advice in PHRASES.items()
        for m in re.finditer(phrase, words, re.IGNORECASE)
    ]


def main(arguments: list[str], root: Path = ROOT) -> int:
    """Print the faults of all files, or of those that are named; return the exit code."""
    everything = "--all" in arguments
    named = [Path(name).resolve() for name in arguments if name != "--all"]
    wrong = 0
    for file in named or read(root):
        name = file.relative_to(root).as_posix() if file.is_relative_to(root) else str(file)
        lines = faults(file)
        if name in NOT_YET and not everything and not named:
            lines = [] if lines else ["1: is plain: take it off the list NOT_YET of .ci/words.py"]
        for line in lines:
            print(f"{name}:{line}")
        wrong += len(lines)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
