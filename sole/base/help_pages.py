"""Help pages: options in panels, defaults written one way, an example at the end of each.

A command's docstring is its help. Lines after the heading "Examples" of the docstring are its
examples. `rich_help_panel` of an option names its panel; `show_default` gives the default of an
option that is None unless a user writes it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup

__all__ = ["OPTIONS", "OUTPUT", "ExplainedCommand", "ExplainedGroup", "help_panels"]

OUTPUT = "Output"  # the panel of files to write, --json, --quiet and --help; it comes last
OPTIONS = "Options"  # the panel of options that name none
_HEADING = re.compile(r"(?:^|\n)Examples\n-+\n")


def _split(text: str | None) -> tuple[str | None, tuple[str, ...]]:
    """Return the help without its examples, and the examples, one a line."""
    if text is None:
        return None, ()
    before, *after = _HEADING.split(text, maxsplit=1)
    lines = after[0].splitlines() if after else []
    return before.strip(), tuple(line.strip() for line in lines if line.strip())


def help_panels(command: Any, ctx: Any) -> Mapping[str, Sequence[tuple[str, str]]]:
    """Return the rows (option, help) of a command's help by title, in the order of the page.

    Parameters
    ----------
    command : a command or group of typer.
    ctx : its context, such as ``typer.Context(command)``.
    """
    found: dict[str, list[tuple[str, str]]] = {"Arguments": [], OPTIONS: []}
    last: list[tuple[str, str]] = []
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is None:
            continue
        row = (_tidy_type(record[0]), _tidy_default(record[1]))
        if parameter.param_type_name == "argument":
            found["Arguments"].append(row)
        elif parameter.name == "help":
            last.append(row)
        else:
            title = getattr(parameter, "rich_help_panel", None) or OPTIONS
            found.setdefault(title, []).append(row)
    end = OUTPUT if OUTPUT in found else OPTIONS
    found[end] += last
    found[end] = found.pop(end)
    return {title: rows for title, rows in found.items() if rows}


def _tidy_type(names: str) -> str:
    """Write `<str>` for a repeatable option, not `<list[str]>`, and `<int>` for a range."""
    return re.sub(r"<(?:list\[)?(\w+)(?: range)?\]?>", lambda m: f"<{m[1].lower()}>", names)


def _tidy_default(text: str) -> str:
    """Write ``[default: 3e6]`` whether the default is a value or a text in brackets."""
    return re.sub(r"\[default: \(([^\]]*)\)(?=[;\]])", r"[default: \1", text)


def _write_examples(examples: Sequence[str], formatter: Any) -> None:
    if examples:
        with formatter.section("Examples"):
            for line in examples:
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")


class ExplainedCommand(TyperCommand):
    """A command whose help has panels and examples.

    examples : calls of the command, from the section Examples of its docstring.
    """

    def __init__(self, name: str | None, *, help: str | None = None, **rest: Any) -> None:
        text, self.examples = _split(help)
        super().__init__(name, help=text, **rest)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, one section a panel."""
        for title, rows in help_panels(self, ctx).items():
            with formatter.section(title):
                formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        _write_examples(self.examples, formatter)


class ExplainedGroup(TyperGroup):
    """A group whose help has whole descriptions of its commands, and examples."""

    def __init__(self, *, help: str | None = None, **rest: Any) -> None:
        text, self.examples = _split(help)
        super().__init__(help=text, **rest)

    def command_panels(self, ctx: Any) -> Mapping[str, Sequence[str]]:
        """Return the names of the commands by the title under which help lists them."""
        return {"Commands": self.list_commands(ctx)}

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write every command with the whole first line of its help."""
        panels = self.command_panels(ctx)
        widest = max(len(name) for names in panels.values() for name in names)
        for title, names in panels.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            rows = [
                (f"{name:{widest}}", _first_line(command))
                for name, command in commands
                if command is not None and not command.hidden
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, then the options."""
        self.format_commands(ctx, formatter)
        for title, rows in help_panels(self, ctx).items():
            with formatter.section(title):
                formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        _write_examples(self.examples, formatter)


def _first_line(command: Any) -> str:
    return " ".join((command.help or "").split("\n\n")[0].split())
