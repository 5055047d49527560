"""The README says only what is true: every block runs, in order, in one empty folder."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fclib_files import local, random_local
from installed_commands import environment

pytestmark = pytest.mark.long

README = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
COMMANDS = [text for language, text in BLOCKS if language == "bash"]
SETUP = [text for language, text in BLOCKS if language == "sh"]
PROGRAMS = [text for language, text in BLOCKS if language == "python"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, root):
    """Where all blocks run: nothing but the project's meshes and examples is there."""
    folder = tmp_path_factory.mktemp("readme")
    for name in ("meshes", "examples"):
        (folder / name).symlink_to(root / name)
    return folder


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A folder of machine code in which `sole compile` has done its work, as for a user.

    What other tests have compiled is taken from there, but no kernel that is not listed; unlisted
    ones come by themselves where a listed one calls them.
    """
    from sole.base.compiled.folders import NAME, code_folders
    from sole.base.compiled.listed import listed_kernels
    from sole.base.compiled.located import name_of

    listed = {f"{name_of(plain_of(one))}.kernel" for one in listed_kernels()}
    chosen = tmp_path_factory.mktemp("machine_code")
    (chosen / NAME).mkdir()
    for file in (f for kept in code_folders() if kept.is_dir() for f in kept.iterdir()):
        if file.name in listed:
            with contextlib.suppress(FileExistsError):
                shutil.copy(file, chosen / NAME / file.name)
    done = run(["sole", "compile"], chosen, chosen)
    assert done.returncode == 0, done.stderr
    assert set(kernels_in(chosen)) >= listed
    return chosen


def plain_of(one):
    """The function that numba knows for an entry of the list."""
    return one.found()[0].py_func


def run(arguments, folder, code=None):
    return subprocess.run(
        arguments,
        cwd=folder,
        env=environment() | ({} if code is None else {"NUMBA_CACHE_DIR": str(code)}),
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_every_block_is_of_a_kind_that_is_tested():
    assert README.count("```") == 2 * len(BLOCKS)
    assert {language for language, _ in BLOCKS} == {"bash", "sh", "python"}
    assert len(COMMANDS) == 3
    assert len(SETUP) == 1
    assert len(PROGRAMS) == 1


def test_it_is_one_screen():
    assert len(README.split()) <= 900
    assert len("".join(COMMANDS).splitlines()) <= 12
    assert len("".join(SETUP).splitlines()) == 2


@pytest.mark.slow
def test_every_command_runs_and_nothing_is_left_to_compile(folder, compiled):
    kept = kernels_in(compiled)
    assert len(kept) > 50
    for text in COMMANDS:
        done = run(["bash", "-euo", "pipefail", "-c", text], folder, compiled)
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
        assert kernels_in(compiled) == kept, f"`sole compile` left some out:\n{text}"
    written = set(re.findall(r"-o (\S+)", "".join(COMMANDS)))
    assert len(written) >= 7
    assert [name for name in written if written_bytes(folder / name) < 1000] == []
    report = json.loads(done.stdout if "--json" in text else run_json(folder))
    assert report["units"]


def kernels_in(folder):
    """The kernels of a folder, and numba's files of each: one for each choice of types."""
    from sole.base.compiled.kernel_file import read_kernel_file

    return {file.name: sorted(read_kernel_file(file).files) for file in folder.glob("*/*.kernel")}


def written_bytes(path):
    """The size of a file, or of the files in a folder."""
    files = path.iterdir() if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files)


def run_json(folder):
    done = run(["sole", "info", "press.npz", "--json"], folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_python_program_runs(folder):
    lines = [line for line in PROGRAMS[0].splitlines() if line.strip()]
    assert len(lines) < 10
    done = run([sys.executable, "-W", "error", "-c", PROGRAMS[0]], folder)
    assert done.returncode == 0, done.stderr
    area, highest, x, y = (float(v) for v in re.findall(r"[.\d]+(?:e[-+]?\d+)?", done.stdout))
    assert 0.5 * 0.216 * 0.140 < area < 0.216 * 0.140
    assert highest > 570 / area  # the mean [Pa]
    assert (x, y) == (0.03, 0.01)


def test_the_set_up_commands_exist(root, tmp_path):
    """They install into .venv, so here make only says what it would do."""
    assert re.findall(r"^make (\w+)", "".join(SETUP), flags=re.MULTILINE) == ["demo"]
    done = run(["make", "-n", "demo"], root)
    assert done.returncode == 0, done.stderr
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    assert "\nPINS ?= constraints.txt\n" in makefile
    assert "-c $(PINS) -e '.[all]'" in makefile
    page = (root / "docs" / "install.md").read_text(encoding="utf-8")
    assert ".venv/bin/pip install -c constraints.txt -e '.[all]'" in page
    *_, helped = re.findall(
        r"^\.venv/bin/(sole .*?) *(?:#.*)?$", "".join(SETUP), flags=re.MULTILINE
    )
    assert run(helped.split(), tmp_path).returncode == 0


def test_every_cited_key_is_in_the_bibliography(root):
    keys = set(
        re.findall(r"\*\*\[(\w+)\]\*\*", (root / "docs" / "references.md").read_text("utf-8"))
    )
    assert len(keys) >= 12
    cited = set()
    for package in ("sole", "contact", "robot"):
        for file in (root / package).rglob("*.py"):
            cited |= set(re.findall(r"\[([A-Z]\w*?\d{4})\]_?", file.read_text(encoding="utf-8")))
    assert cited, "docstrings cite at least one source"
    assert cited <= keys


def test_the_toml_examples_are_read(root, tmp_path):
    from contact.press import load_path
    from sole.shape import load_shape
    from sole.studies import load_study

    text = (root / "docs" / "files.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```toml\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    readers = {
        "sole.shape/1": load_shape,
        "contact.path/1": load_path,
        "sole.study/2": load_study,
    }
    read = set()
    for example in examples:
        schema = re.search(r'^schema = "(.*)"$', example, flags=re.MULTILINE)[1]
        file = tmp_path / "example.toml"
        file.write_text(example, encoding="utf-8")
        if schema in readers:
            readers[schema](file)
            read.add(schema)
    assert read == set(readers)


def test_every_array_of_a_file_is_described(root, pad, pad_file, tmp_path):
    from contact.fclib import read_fclib, save_solution, solve_file
    from contact.press import Wrench, press, save_press
    from contact.solvers import check_direction
    from sole.base.archive import read_archive

    save_press(tmp_path / "press.npz", press(pad, Wrench.standing(300.0)))
    source = read_fclib(local(tmp_path / "a.hdf5", *random_local(1)))
    d = np.ones((1, 3))
    solution = replace(solve_file(source), direction=d, proof=check_direction(source.problem, d))
    save_solution(tmp_path / "solution.npz", solution)
    text = (root / "docs" / "files.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## .*?\(`(\S+)`\)$(.*?)(?=^## |\Z)", text, re.M | re.S))
    for file, schema in (
        (pad_file, "sole.condensed/1"),
        (tmp_path / "press.npz", "contact.press/2"),
        (tmp_path / "solution.npz", "contact.solution/1"),
    ):
        archive = read_archive(file, schema)
        names = {*archive.arrays, *archive.header}
        assert len(names) >= 15
        described = set(re.findall(r"`(\w+)`", sections[schema]))
        described |= set(re.findall(r"`(\w+)`", sections["sole.condensed/1"]))
        assert names - described == set(), schema


def test_the_locking_limits_in_the_docs_are_those_of_the_code(root):
    from sole.elasticity import LOCKING_LIMIT

    text = " ".join((root / "docs" / "theory.md").read_text(encoding="utf-8").split())
    said = re.search(r"warns above nu = ([.\d]+) \(p1\) and ([.\d]+) \(p2\)", text)
    assert said is not None
    assert (float(said[1]), float(said[2])) == (LOCKING_LIMIT["p1"], LOCKING_LIMIT["p2"])
