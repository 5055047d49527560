"""A release: version, changelog and citation agree; every package says that it is typed."""

from __future__ import annotations

import datetime
import re
import tomllib

import pytest
import yaml

import sole

MOST_LINES = 80


@pytest.fixture(scope="module")
def sections(root):
    """The changelog's sections by heading, without their headings, the newest first."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    parts = re.split(r"^## \[(.+)\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_the_newest_section_is_of_this_version_and_dated(sections):
    unreleased, newest, *_ = sections
    assert unreleased == "Unreleased]"
    version, date = newest.split("] - ")
    assert version == sole.__version__
    assert datetime.date.fromisoformat(date)


def test_a_section_is_short_enough_to_be_read(sections):
    lengths = {name: len(text.splitlines()) for name, text in sections.items()}
    assert len(lengths) >= 2
    assert {name: n for name, n in lengths.items() if n > MOST_LINES} == {}


def test_the_citation_names_the_release(root, sections):
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    found = f"{citation['version']}] - {citation['date-released']}"
    assert found == list(sections)[1]


def test_packages_and_classifiers_say_that_they_are_typed(root):
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert len(packages) == 3
    assert [p for p in packages if not (root / p / "py.typed").is_file()] == []
    assert "Typing :: Typed" in project["project"]["classifiers"]
