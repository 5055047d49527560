"""An option that got another name is refused in one line that gives the new one."""

from __future__ import annotations

import inspect

import pytest
from command_line import in_this_process

from sole.base import cli
from sole.base.near_names import RENAMED

OLD = [(command, old, new) for command, names in RENAMED.items() for old, new in names.items()]


@pytest.mark.parametrize(("command", "old", "new"), OLD)
def test_an_old_name_gives_the_new_one(command, old, new, monkeypatch, capsys):
    sole = in_this_process(monkeypatch, capsys)
    said = f"error: {old} is now {new}; see '{command} --help'\n"
    for words in ([old, "2"], [f"{old}=2"]):
        assert sole(*command.split()[1:], *words) == (2, "", said)


@pytest.mark.parametrize(("command", "old", "new"), OLD)
def test_the_new_name_is_an_option_and_the_old_one_is_not(command, old, new):
    names = set()
    for name, parameter in inspect.signature(_function(command), eval_str=True).parameters.items():
        (mark,) = parameter.annotation.__metadata__
        said = [
            word for word in (mark.default, *(mark.param_decls or ())) if str(word).startswith("-")
        ]
        names |= set(said) or {f"--{name}"}
    assert new in names and old not in names


def test_there_are_old_names():
    assert len(OLD) >= 10


def _function(command):
    target = cli.plugins("sole.commands")[command.split()[1]].load()
    if len(command.split()) == 2:
        return target
    return next(
        c.callback
        for c in target.registered_commands
        if (c.name or c.callback.__name__) == command.split()[2]
    )
