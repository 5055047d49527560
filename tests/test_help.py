"""Help pages: grouped commands, whole descriptions, an example each, defaults written one way."""

from __future__ import annotations

import re
import shlex

import pytest
import typer
from command_line import in_this_process

from sole.base import cli
from sole.base.help_pages import help_panels

ROOT = typer.main.get_command(cli.app)


def commands(group=ROOT, path=("sole",)):
    """Yield (path, command) of every command and group."""
    yield path, group
    for name in group.list_commands(None) if hasattr(group, "list_commands") else ():
        yield from commands(group.get_command(None, name), (*path, name))


ALL = {" ".join(path): command for path, command in commands()}
LEAVES = {name: command for name, command in ALL.items() if not hasattr(command, "commands")}


@pytest.fixture
def sole(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    return in_this_process(monkeypatch, capsys)


def test_every_command_is_in_a_group_and_described_whole(sole):
    code, page, _ = sole("--help")
    assert code == 0 and "..." not in page.replace("[ARGS]...", "") and "Others" not in page
    places = [page.index(f"\n{title}:\n") for title in cli.GROUPS]
    assert places == sorted(places) and len(places) == 5
    assert sorted(name for names in cli.GROUPS.values() for name in names) == sorted(
        cli.plugins("sole.commands")
    )
    words = " ".join(page.split())
    for name in cli.plugins("sole.commands"):
        first = " ".join((ALL[f"sole {name}"].help or "").split("\n\n")[0].split())
        assert f"{name} {first}" in re.sub(r"self- contained", "self-contained", words), name


@pytest.mark.parametrize("name", ALL)
def test_a_page_fits_80_columns_and_ends_in_examples(name, sole):
    _, page, _ = sole(*name.split()[1:], "--help")
    assert max(map(len, page.splitlines())) <= 80
    before, after = page.split("\nExamples:\n")
    assert "Examples" not in before  # the heading of the docstring is not part of the text
    lines = after.strip().splitlines()
    assert lines and all(line.strip().startswith("sole ") for line in lines)


@pytest.mark.parametrize("name", ALL)
def test_an_example_is_a_call_that_the_parser_takes(name):
    """Of the command itself; a group's examples call its commands."""
    for line in ALL[name].examples:
        words = shlex.split(line, comments=True)
        command = ROOT
        while hasattr(command, "commands"):
            words = words[1:]
            if words[0] not in command.list_commands(None):  # `sole live run.nc`
                words = ["play", *words]
            command = command.get_command(None, words[0])
        command.make_context(words[0], words[1:])


def test_an_example_with_a_wrong_option_would_be_found():
    with pytest.raises(typer.BadParameter.__bases__[0]):
        LEAVES["sole walk"].make_context("walk", ["--steps", "2"])


@pytest.mark.parametrize("name", LEAVES)
def test_defaults_and_panels(name):
    """A default is ``[default: X]``; brackets in a text hold units; the last panel is Output."""
    command = LEAVES[name]
    panels = help_panels(command, typer.Context(command))
    assert list(panels)[-1] == "Output"
    assert [row[0] for row in panels["Output"]][-1] == "--help"
    if sum(len(rows) for rows in panels.values()) > 12:
        assert len(panels) >= 3
    for option, text in (row for rows in panels.values() for row in rows):
        assert not re.search(r"\(default\)|[Bb]y default|default: \(", text), option
        for bracket in re.findall(r"\[([^\]]*)\]", text):  # not "[m; 0.2]"
            assert ";" not in bracket or bracket.startswith("default: "), option


def test_condense_and_press_choose_their_outputs(sole, tmp_path, monkeypatch):
    """Next to the input and after its name; the table prints where."""
    from box_mesh import box_mesh

    from sole.mesh import write_mesh

    write_mesh(tmp_path / "pad.msh", box_mesh(0.2, 0.1, 0.02, (2, 2, 1)))
    monkeypatch.chdir(tmp_path)  # a long name would be wrapped
    condense = ("condense", "pad.msh", "--young", "1MPa", "--poisson", "0.3")
    for words, name in (
        (condense, "pad.npz"),
        (("press", "pad.npz", "--force", "100"), "pad_press.npz"),
    ):
        code, out, err = sole(*words)
        assert (code, err) == (0, "") and name in out
        assert (tmp_path / name).stat().st_size > 500
