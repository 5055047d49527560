"""The command reference has every command and option, and what its examples really give."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def pages(root):
    """`website/command_pages.py` as a module."""
    sys.path.insert(0, str(root / "website"))
    import command_pages

    return command_pages


@pytest.fixture(scope="module")
def examples(root):
    """`.ci/command_examples.py` as a module."""
    sys.path.insert(0, str(root / ".ci"))
    import command_examples

    return command_examples


def test_every_command_has_a_section_with_all_its_options(pages):
    page = pages.command_page()
    sections = dict(re.findall(r"^##+ sole (.*?)\n(.*?)(?=^##+ |\Z)", page, re.M | re.S))
    commands = {name: command for _, name, command in pages.leaves()}
    assert len(commands) >= 25
    assert list(sections) == list(commands)
    for name, command in commands.items():
        shown = [p for p in command.params if not getattr(p, "hidden", False)]
        options = {opt for p in shown for opt in p.opts if opt.startswith("--")}
        written = set(re.findall(r"--[\w-]+", sections[name])) | set(pages.EVERYWHERE)
        assert options <= written, name
        assert f"sole {name}" in sections[name], "an example"


def test_every_command_has_an_example_that_was_run(pages, examples):
    record = json.loads(examples.RECORD.read_text(encoding="utf-8"))
    assert set(record) == {name for _, name, _ in pages.leaves()}
    written = {**examples.EXAMPLES, **examples.NOT_RUN}
    assert {name: one["example"] for name, one in record.items()} == written
    assert all(record[name]["keys"] for name in examples.EXAMPLES)


@pytest.mark.long
@pytest.mark.slow
def test_examples_write_and_print_what_the_page_says(examples, tmp_path):
    record = json.loads(examples.RECORD.read_text(encoding="utf-8"))
    examples.prepared(tmp_path)
    for name in ("mesh", "condense", "info", "press", "export", "contact cone"):
        assert examples.run(name, Path(tmp_path)) == record[name], name
