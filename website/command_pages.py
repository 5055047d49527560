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
KINDS = {
    "float": "NUMBER", "int": "INTEGER", "str": "TEXT", "path": "FILE", "list[str]": "TEXT",
    "list[path]": "FILE", "list[int]": "INTEGER",
}  # fmt: skip
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
    parts, group = [OPENING], None
    commands = list(leaves())
    grouped = len({panel for panel, _, _ in commands}) > 1
    for panel, name, command in commands:
        if grouped and panel != group:
            parts.append(f"## {panel}\n")
            group = panel
        parts.append(command_entry(name, command, recorded.get(name, {}), 3 if grouped else 2))
    return "\n".join(parts)


def leaves() -> Iterator[tuple[str, str, Any]]:
    """Yield group, name ("contact solve") and click's object of every command."""
    from typer import Context
    from typer.main import get_command

    from sole.base.cli import app

    top: Any = get_command(app)
    context = Context(top)
    for name in top.list_commands(context):
        command = top.get_command(context, name)
        panel = panel_of(top, name, command)
        if hasattr(command, "list_commands"):
            inner = Context(command, parent=context)
            for one in command.list_commands(inner):
                yield panel, f"{name} {one}", command.get_command(inner, one)
        else:
            yield panel, name, command


def panel_of(top: Any, name: str, command: Any) -> str:
    """Return the heading under which `sole --help` lists a command."""
    panels = getattr(top, "panels", {})
    found = next((title for title, names in panels.items() if name in names), None)
    panel = found or getattr(command, "rich_help_panel", None)
    return panel if isinstance(panel, str) else "Commands"


def command_entry(name: str, command: Any, recorded: dict[str, Any], level: int) -> str:
    """Return the section of a command."""
    from typer import Context

    lines = [f"{'#' * level} sole {name}\n", prose(command.help or ""), ""]
    epilog = getattr(command, "epilog", None) or ""
    if epilog:
        lines += [prose(epilog), ""]
    if (example := recorded.get("example")) and f"sole {name}" not in epilog:
        lines += ["Example:\n", f"```sh\n{example}\n```\n"]
    for title, params in panels(command).items():
        lines += [f"**{title}**\n", "| option | meaning |", "|---|---|"]
        lines += [row(param, Context(command)) for param in params]
        lines.append("")
    if writes := recorded.get("writes"):
        lines.append(f"The example writes {', '.join(f'`{file}`' for file in writes)}.\n")
    if keys := recorded.get("keys"):
        lines.append(f"JSON keys: {', '.join(f'`{key}`' for key in keys)}.\n")
    return "\n".join(lines)


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


def panels(command: Any) -> dict[str, list[Any]]:
    """Return title -> parameters: arguments first, then the options in their groups."""
    found: dict[str, list[Any]] = {}
    for param in command.params:
        shown = not getattr(param, "hidden", False)
        if not shown or any(opt in EVERYWHERE for opt in param.opts):
            continue
        plain = "Arguments" if param.param_type_name == "argument" else "Options"
        found.setdefault(getattr(param, "rich_help_panel", None) or plain, []).append(param)
    return found


def row(param: Any, context: Any) -> str:
    """Return the line of a parameter in its table: how it is written, what its help says."""
    written, meaning = param.get_help_record(context)
    name, _, kind = written.partition(" <")
    if kind:
        named = [KINDS.get(one, one.upper()) for one in kind.rstrip(".>").split(",")]
        written = f"{name} {' '.join(named)}"
    if param.param_type_name == "argument":
        written = name.upper()
    return f"| `{cell(written, escape=False)}` | {cell(meaning)} |"


def cell(text: str, *, escape: bool = True) -> str:
    """Return a text on one line that does not end a table's cell."""
    line = " ".join(text.split()).replace("|", "\\|")
    return escaped(line) if escape else line


def escaped(text: str) -> str:
    """Return a text whose angle brackets and brackets are not taken for markup outside code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else re.sub(r"([<\[*_])", r"\\\1", p) for p in parts)
