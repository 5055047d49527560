"""Packages below the robot know nothing of walks: rows declare what is good, words come with them.

A word of robots in `sole` is where such knowledge creeps back in: a column known by its name, a
verdict of how a walk ended.
"""

from __future__ import annotations

import re

import pytest

WALKS = r"fell|fallen|falls?|walk(?:s|ed|ing)?|waist|landings?|gaits?|stance|tilt(?:s|ed|ing)?"
ROBOTS = r"robots?|humanoids?"
# Where `sole` takes shapes from robots, names a command's options, or turns a sole in thought.
ALLOWED = {
    "": {"__init__": ROBOTS},
    "base": {"cli": ROBOTS},
    "commands": {"mesh": ROBOTS, "view": ROBOTS},
    "mesh": {"sole_mesh": ROBOTS, "source": ROBOTS},
    "pictures": {"view": r"tilt(?:s|ing)?"},
    "shape": {"presets": ROBOTS, "urdf_file": ROBOTS, "urdf_foot": ROBOTS},
}


def words(pattern: str, text: str) -> set[str]:
    """Return the words of a text, also parts of names such as `waist_tilt`, that match."""
    found = re.findall(rf"(?<![a-z])(?:{pattern})(?![a-z])", text, re.IGNORECASE)
    return {word.lower() for word in found}


def allowed(folder: str, stem: str) -> str:
    """Return the pattern of the words that a file may have."""
    return ALLOWED.get(folder, {}).get(stem, "")


def test_the_words_are_found_in_names_and_sentences():
    text = "if row['waist_tilt'] > 1: Fell(); isinstance, distance, fallback, in_stance"
    assert words(WALKS, text) == {"waist", "tilt", "fell", "stance"}


@pytest.mark.parametrize("pattern", [WALKS, ROBOTS])
def test_sole_knows_nothing_of_walks(root, pattern):
    found = {}
    files = [
        f for f in (root / "sole").rglob("*") if f.suffix in (".py", ".toml", ".html", ".jinja")
    ]
    assert len(files) > 80
    for file in files:
        parts = file.relative_to(root / "sole").parts
        extra = allowed(parts[0] if len(parts) > 1 else "", file.stem)
        kept = words(pattern, file.read_text(encoding="utf-8"))
        kept -= {w for w in kept if extra and re.fullmatch(extra, w)}
        if kept:
            found[str(file.relative_to(root))] = kept
    assert not found
