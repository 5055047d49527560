"""Words: packages below the robot know nothing of walks, and what users read is plain.

A word of robots in `sole` is where such knowledge creeps back in: a column known by its name, a
verdict of how a walk ended. What is plain in pages, help and messages, `.ci/words.py` defines.
"""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

WALKS = r"fell|fallen|falls?|walk(?:s|ed|ing)?|waist|landings?|gaits?|stance|tilt(?:s|ed|ing)?"
ROBOTS = r"robots?|humanoids?"
# Where `sole` takes shapes from robots, names a command's options, or turns a sole in thought.
ALLOWED = {
    "": {"__init__": ROBOTS},
    "base": {"cli": rf"{ROBOTS}|walk", "near_names": "walk", "readable": r"tilt|waist"},
    "commands": {"mesh": ROBOTS, "view": rf"{ROBOTS}|walk", "info": rf"{ROBOTS}|walk"},
    "condense": {"linear_range": "tilt(?:ing)?"},
    "mesh": {"sole_mesh": ROBOTS, "source": ROBOTS},
    "pictures": {
        "view": r"tilt(?:s|ing)?",
        "condensed_view": "tilt",
        "sweep_words": r"walks?|robot",
    },
    "shape": dict.fromkeys(
        ("presets", "urdf_file", "urdf_foot", "mjcf", "mjcf_tree", "xacro_file"), ROBOTS
    ),
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


def plain(root, *arguments):
    command = [sys.executable, root / ".ci" / "words.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.nightly
def test_pages_help_and_messages_are_plain(root):
    done = plain(root)
    assert done.returncode == 0, done.stdout


def test_lint_checks_the_words(root):
    assert "\ncheck python .ci/words.py\n" in (root / ".ci" / "check").read_text()


PAGE = """# A page

```sh
echo `date    # it tells
```

The option `--beside` [leads](beside.md) there. There is no room.

{}
"""
COMMAND = """'Beside: a docstring tells nobody.'

def shown():
    '{}'

def _hidden():
    'It tells nobody.'
    raise ValueError('beside')  # too short to judge
"""


@pytest.mark.parametrize(
    "words",
    [
        "This table tells how fast it is.",
        "A command that is no command ends it.",
        "Who falls has lost.",
        "Nobody knows it.",
        "The sole is meshed anew.",
        "It goes on until Ctrl-C.",
        "One stands beside the other.",
        "Take a loop of your own.",
        "All walk but for one.",
        "Every room has a door.",
        "In the evening it was slower.",
    ],
)
def test_a_phrase_is_found_in_pages_and_help(root, tmp_path, words):
    folder = tmp_path / "commands"
    folder.mkdir()
    page, command = tmp_path / "page.md", folder / "command.py"
    page.write_text(PAGE.format(words), encoding="utf-8")
    command.write_text(COMMAND.format(words), encoding="utf-8")
    for file, line in ((page, 9), (command, 4)):
        done = plain(root, file)
        assert done.returncode == 1
        assert {found.split(":")[1] for found in done.stdout.splitlines()} == {str(line)}


def test_plain_words_pass(root, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE.format("The table shows the speed."), encoding="utf-8")
    done = plain(root, page)
    assert (done.returncode, done.stdout) == (0, "")


def test_a_message_is_read_across_its_pieces(root, tmp_path):
    file = tmp_path / "message.py"
    file.write_text('name = 1\nwords = (\n    f"{name} is "\n    "no array of numbers"\n)\n')
    assert "write 'is not a'" in plain(root, file).stdout


def test_a_file_that_has_become_plain_leaves_the_list(root, tmp_path):
    for folder in (".ci", "docs", "sole", "contact", "robot"):
        (tmp_path / folder).mkdir()
    text = (root / ".ci" / "words.py").read_text(encoding="utf-8")
    text = re.sub(r"^NOT_YET: .*$", 'NOT_YET = ("README.md",)', text, flags=re.M)
    (tmp_path / ".ci" / "words.py").write_text(text, encoding="utf-8")
    (tmp_path / "README.md").write_text("It is meshed anew.\n", encoding="utf-8")
    assert plain(tmp_path).returncode == 0
    assert plain(tmp_path, "--all").returncode == 1
    (tmp_path / "README.md").write_text("It is remeshed.\n", encoding="utf-8")
    done = plain(tmp_path)
    assert done.returncode == 1 and "NOT_YET" in done.stdout
