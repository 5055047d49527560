"""The gate of `.ci/house.py`: circles, ways round a door and names that mean two things."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest


@pytest.fixture
def house(root):
    """Run the gate with options; returns the finished process."""

    def run(*options):
        program = [sys.executable, str(root / ".ci" / "house.py"), *map(str, options)]
        return subprocess.run(program, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def small(tmp_path):
    """A house of two rooms that is in order; `build` lays a file over it."""

    def build(path="sole/law.py", text=None):
        files = {
            "sole/__init__.py": '"""Soles."""\n',
            "contact/__init__.py": '"""Contact."""\n',
            "robot/__init__.py": '"""Robots."""\n',
            "sole/law.py": '"""A law."""\n\n__all__ = ["Law"]\n\n\nclass Law:\n    """It."""\n',
            "sole/mesh/__init__.py": 'from sole.mesh.tets import Tets\n\n__all__ = ["Tets"]\n',
            "sole/mesh/tets.py": "from sole.law import Law\n\n\nclass Tets(Law):\n    pass\n",
            "contact/gap.py": "from sole.mesh import Tets\n\n__all__ = ['gap']\n\ngap = Tets()\n",
            "public_names.toml": '"sole.law" = ["Law"]\n',
            "docs/law.md": "```python\nfrom sole.law import (\n    Law,  # a law\n)\n```\n",
        }
        if text is not None:
            files[path] = text
        for name, content in files.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        return tmp_path

    return build


@pytest.mark.nightly  # `make lint` runs the same
def test_this_house_is_in_order(house):
    done = house()
    assert done.returncode == 0, done.stdout
    assert "in order" in done.stdout


def test_a_small_one_is_too(house, small):
    assert house("--root", small()).returncode == 0


BROKEN = {
    "a circle in a function": (
        "sole/law.py",
        "__all__ = ['Law']\n\n\nclass Law:\n    def f(self):\n        from sole.mesh import Tets\n",
        "import circle: ",
    ),
    "a circle of types": (
        "sole/law.py",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from sole.mesh import Tets\n\n"
        "__all__ = ['Law']\n\n\nclass Law:\n    x: 'Tets'\n",
        "import circle: ",
    ),
    "a way round a door": (
        "contact/gap.py",
        "from sole.mesh.tets import Tets\n\n__all__ = ['gap']\n\ngap = Tets()\n",
        "sole.mesh.tets is behind the door sole.mesh",
    ),
    "a name that is not handed out": (
        "contact/gap.py",
        "from sole.mesh import tets_of\n\n__all__ = ['gap']\n\ngap = tets_of\n",
        "tets_of is not in __all__ of sole.mesh",
    ),
    "a room that asks at its own door": (
        "sole/mesh/edges.py",
        "from sole.mesh import Tets\n\n\nclass Edges(Tets):\n    pass\n",
        "asks at the door of its own room",
    ),
    "a door without a list": ("contact/gap.py", "gap = 1\n", "a door without __all__"),
    "a name at two doors": (
        "contact/gap.py",
        "__all__ = ['Law']\n\nLaw = 1\n",
        "Law has two import paths: sole.law and contact.gap",
    ),
    "a class name that means two things": (
        "sole/mesh/edges.py",
        "class Tets:\n    pass\n",
        "class Tets means 2 things",
    ),
    "a relative import round a door": (
        "contact/gap.py",
        "from ..sole.mesh.tets import Tets\n\n__all__ = ['gap']\n\ngap = Tets()\n",
        "sole.mesh.tets is behind the door sole.mesh",
    ),
    "a room as a whole": (
        "contact/gap.py",
        "from sole import mesh\n\n__all__ = ['gap']\n\ngap = mesh.tets.Tets()\n",
        "sole.mesh as a whole",
    ),
    "a plain import": (
        "contact/gap.py",
        "import sole.mesh\n\n__all__ = ['gap']\n\ngap = sole.mesh.tets.Tets()\n",
        "sole.mesh as a whole",
    ),
    "a list that grows": (
        "contact/gap.py",
        "__all__ = ['gap']\n__all__ += ['more']\n\ngap = more = 1\n",
        "__all__ must be one plain list",
    ),
    "a second name": (
        "contact/gap.py",
        "from sole.law import Law as Rule\n\n__all__ = ['Rule']\n",
        "Rule of contact.gap is a second name of Law",
    ),
    "a class under a condition": (
        "sole/mesh/edges.py",
        "if True:\n\n    class Tets:\n        pass\n",
        "class Tets means 2 things",
    ),
    "a long asynchronous argument list": (
        "contact/gap.py",
        f"__all__ = ['g']\n\n\nasync def g({', '.join(f'x{i}' for i in range(13))}):\n    pass\n",
        "g takes 13 arguments",
    ),
    "a public name that is not there": (
        "public_names.toml",
        '"sole.law" = ["Law", "Rule"]\n',
        "sole.law has no Rule",
    ),
    "a public name behind a door": (
        "public_names.toml",
        '"sole.law" = ["Law"]\n"sole.mesh.tets" = ["Tets"]\n',
        "sole.mesh.tets has no Tets",
    ),
    "a public name listed twice": (
        "public_names.toml",
        '"sole.law" = ["Law", "Law"]\n',
        "sole.law lists Law twice",
    ),
    "a public name without a docstring": (
        "public_names.toml",
        '"sole.law" = ["Law"]\n"sole.mesh" = ["Tets"]\n',
        "Tets of sole.mesh has no docstring",
    ),
    "a page that imports an inside name": (
        "docs/mesh.md",
        "```python\nfrom sole.law import Law\nfrom sole.mesh import Tets\n```\n",
        "docs/mesh.md: imports Tets of sole.mesh",
    ),
    "a readme that does": (
        "README.md",
        "`from sole.law import Law, Rule`",
        "README.md: imports Rule of sole.law",
    ),
    "an example that does": (
        "examples/pads/press.py",
        "def main():\n    from sole.mesh import (\n        Tets as T,\n    )\n",
        "examples/pads/press.py: imports Tets of sole.mesh",
    ),
    "a notebook that does": (
        "docs/notebooks/a.ipynb",
        '{"cells": [{"cell_type": "code", "source": ["from sole.mesh import (\\n", "    Tets)"]}]}',
        "docs/notebooks/a.ipynb: imports Tets of sole.mesh",
    ),
    "an example that imports a module": (
        "examples/press.py",
        "import sole.mesh\n",
        "examples/press.py: imports sole.mesh as a whole",
    ),
    "a long argument list": (
        "contact/gap.py",
        f"__all__ = ['gap']\n\n\ndef gap({', '.join(f'x{i}' for i in range(13))}):\n    pass\n",
        "gap takes 13 arguments",
    ),
}


@pytest.mark.parametrize("name", ["Place", "open_sheets", "HELD", "RoomSize", "run_kept2"])
def test_a_private_word_in_a_public_name_is_seen(house, small, name):
    text = f'"""A law."""\n\n__all__ = ["Law", "{name}"]\n\n\nclass Law:\n    """It."""\n'
    folder = small("sole/law.py", f'{text}\n\ndef {name}():\n    """Return it."""\n')
    assert house("--root", folder).returncode == 0  # inside names may use our words
    (folder / "public_names.toml").write_text(f'"sole.law" = ["Law", "{name}"]\n')
    done = house("--root", folder)
    assert done.returncode == 1
    assert f"{name} of sole.law says" in done.stdout


def test_words_that_contain_a_private_word_are_not_private(house, small):
    names = "replace placement Mushroom doorstep withheld_force"
    text = "".join(f'\n\ndef {name}():\n    """Return it."""\n' for name in names.split())
    folder = small("sole/rule.py", f'"""Rules."""\n\n__all__ = {names.split()}\n{text}')
    (folder / "public_names.toml").write_text(f'"sole.rule" = {names.split()}\n')
    (folder / "docs/law.md").unlink()
    assert house("--root", folder).stdout == "the house is in order: 8 files\n"


def test_a_house_without_a_list_of_public_names_is_refused(house, small):
    folder = small()
    (folder / "public_names.toml").unlink()
    done = house("--root", folder)
    assert done.returncode == 1 and "no public_names.toml" in done.stdout


def test_experiments_on_papers_are_not_part_of_the_face(house, small):
    page = "from contact.papers.claims.four import PAPER\n"
    assert house("--root", small("docs/results/papers.md", page)).returncode == 0


def test_counts_tell_public_from_inside_names(house, small):
    made = house("--counts", "--root", small()).stdout
    assert "\n      1  public names\n" in made
    assert "\n      2  inside names\n" in made


@pytest.mark.parametrize("fault", BROKEN)
def test_a_fault_is_seen(house, small, fault):
    path, text, said = BROKEN[fault]
    done = house("--root", small(path, text))
    assert done.returncode == 1
    assert said in done.stdout


def test_the_page_of_public_names_is_that_of_the_code(root, house):
    made = house("--api").stdout
    listed = tomllib.loads((root / "public_names.toml").read_text(encoding="utf-8"))
    assert made.count("\n- `") == sum(map(len, listed.values())) > 250
    assert (root / "docs" / "api.md").read_text(encoding="utf-8") == made, (
        "make it anew: python .ci/house.py --api > docs/api.md"
    )


def test_lint_runs_the_gate(root):
    assert "\ncheck python .ci/house.py\n" in (root / ".ci" / "check").read_text()


def test_the_tree_in_the_docs_is_that_of_the_folders(root):
    page = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    tree = page.partition("## The tree")[2].split("```")[1]
    drawn, above = set(), []
    for line in tree.strip("\n").split("\n"):
        name = line.split()[0]
        depth = (len(line) - len(line.lstrip())) // 2
        above[depth:] = [name.rstrip("/")]
        drawn.add("/".join(above))
    missing = {path for path in drawn if not (root / path).exists()}
    assert missing == set()
    folders = {
        str(path.parent.relative_to(root))
        for package in ("sole", "contact", "robot")
        for path in (root / package).rglob("__init__.py")
    }
    assert len(folders) > 30
    listed = subprocess.run(
        ["git", "ls-files"], cwd=root, capture_output=True, text=True, check=False
    ).stdout.split("\n")  # nothing where the tree came without git
    top = {name.partition("/")[0] for name in listed if "/" in name}
    assert {name for name in folders | top if not name.startswith(".")} - drawn == set()


def test_files_named_in_the_docs_exist(root):
    named = {
        (page.name, path)
        for page in [*(root / "docs").rglob("*.md"), root / "README.md", root / "CONTRIBUTING.md"]
        for path in re.findall(
            r"`((?:sole|contact|robot|tests|benchmarks|examples)/[\w/.]+)`",
            page.read_text(encoding="utf-8"),
        )
    }
    assert len(named) > 60
    assert {(page, path) for page, path in named if not (root / path).exists()} == set()


def test_an_empty_house_is_no_house(house, tmp_path):
    done = house("--root", tmp_path)
    assert done.returncode == 1 and "no package sole" in done.stdout
