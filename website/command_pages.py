"""The command reference: one page, made from the commands themselves.

Descriptions, options and their groups are those of the command line (typer's and click's objects).
Examples, files and JSON keys are what website/command_examples.json recorded when
`python .ci/command_examples.py` ran the examples.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from typing import Any

from page_links import ROOT

EXAMPLES = ROOT / "website" / "command_examples.json"
EVERYWHERE = ("--json", "--quiet", "--help")
KINDS = {"float": "NUMBER", "int": "INTEGER", "str": "TEXT", "path": "FILE"}
OPENING = """# Commands

This page is made from the options of the program. `sole --help` lists the commands and
`sole COMMAND --help` prints the same text. Options and files take SI units or a number with its
unit ([Conventions](conventions.md#units)); file formats are described in [Files](files.md).

Every command also takes `--json` (print one JSON object on stdout and nothing else there),
`--quiet` (print only errors) and `--help`. Every JSON object has `title`, `units` (the unit of each
key that has one) and `warnings`. The keys below are those of the example; other inputs may give
further keys.
"""


def command_page() -> str:
    """Return the Markdown of the page."""
    recorded = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    parts, title = [OPENING], None
    for panel, name, command in leaves():
        if panel != title:
            parts.append(f"## {panel}\n")
            title = panel
        parts.append(command_entry(name, command, recorded.get(name, {})))
    return "\n".join(parts)


def leaves() -> Iterator[tuple[str, str, Any]]:
    """Yield title in `sole --help`, name ("contact solve") and typer's object of every command."""
    from typer import Context
    from typer.main import get_command

    from sole.base.cli import app

    top: Any = get_command(app)
    context = Context(top)
    for panel, names in top.command_panels(context).items():
        for name in names:
            command = top.get_command(context, name)
            if not hasattr(command, "list_commands"):
                yield panel, name, command
                continue
            inner = Context(command, parent=context)
            for one in command.list_commands(inner):
                yield panel, f"{name} {one}", command.get_command(inner, one)


def command_entry(name: str, command: Any, recorded: dict[str, Any]) -> str:
    """Return the section of a command."""
    from typer import Context

    from sole.base.help_pages import help_panels

    lines = [f"### sole {name}\n", prose(command.help or ""), ""]
    ran = recorded.get("example", "")
    examples = list(command.examples)
    lines += ["```sh", *(examples or [ran]), "```\n"]
    for title, rows in help_panels(command, Context(command)).items():
        shown = [row for row in rows if not any(name in row[0] for name in EVERYWHERE)]
        if shown:
            lines += [f"**{title}**\n", "| option | meaning |", "|---|---|"]
            lines += [f"| `{spelled(row[0], title)}` | {cell(row[1])} |" for row in shown]
            lines.append("")
    if writes := recorded.get("writes"):
        lines.append(f"`{ran}` writes {', '.join(f'`{file}`' for file in writes)}.\n")
    if keys := recorded.get("keys"):
        of = "" if writes else f" of `{ran}`"
        lines.append(f"JSON keys{of}: {', '.join(f'`{key}`' for key in keys)}.\n")
    return "\n".join(lines)


def spelled(names: str, title: str) -> str:
    """Return how a parameter is written, with what it takes in capitals."""
    if title == "Arguments":
        return cell(names.partition(" ")[0].upper(), escape=False)
    kind = re.compile(r"<([\w,]+)>(?:\.\.\.)?")

    def capitals(match: re.Match[str]) -> str:
        return " ".join(KINDS.get(one, one.upper()) for one in match[1].split(","))

    return cell(kind.sub(capitals, names), escape=False)


def prose(text: str) -> str:
    """Return a help text as Markdown: indented lines, or those of an example, become code."""
    blocks = []
    for block in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        lines = block.splitlines()
        code = [line for line in lines if line.strip() != "\b"]
        if len(code) < len(lines) or all(line.startswith(("  ", "$ ", "sole ")) for line in code):
            blocks.append("```sh\n" + inspect.cleandoc("\n".join(code)) + "\n```")
        else:
            blocks.append(escaped(" ".join(line.strip() for line in lines)))
    return "\n\n".join(blocks)


def cell(text: str, *, escape: bool = True) -> str:
    """Return a text on one line that does not end a table's cell."""
    line = " ".join(text.split()).replace("|", "\\|")
    return escaped(line) if escape else line


def escaped(text: str) -> str:
    """Return a text whose angle brackets and brackets are not taken for markup outside code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else re.sub(r"([<\[*_])", r"\\\1", p) for p in parts)
