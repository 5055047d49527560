"""The how-to pages are true: all their commands and programs run, page by page, in one folder."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from installed_commands import environment

pytestmark = pytest.mark.long

PAGES = sorted((Path(__file__).resolve().parent.parent / "docs" / "howto").glob("*.md"))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
# Page -> how many of its blocks are run; what they leave, with its least size.
RUN = {
    "in_time": (3, {"foot.xml": 500}),
    "index": (0, {}),
    "my_controller": (5, {"mine.nc": 10_000, "mine.png": 10_000, "mine.html": 10_000}),
    "my_robot": (5, {"robot.srdf": 500, "walk.nc": 10_000, "walk.png": 10_000}),
    "my_sole": (5, {"mine_press.png": 10_000, "foot.msh": 1000}),
    "paper_figures": (3, {"press.pdf": 5000, "pressure.svg": 5000, "mine.pdf": 3000}),
    "read_results": (8, {"left.csv": 500, "press.json": 500}),
    "slurm": (1, {"study.nc": 5000, "study.html": 5000}),
}
LATE = ("my_robot", "slurm")  # `make test-nightly`
LONG = ("my_sole", "paper_figures", "read_results")


def blocks(page):
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def run(command, folder):
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


def test_every_page_is_known():
    assert [page.stem for page in PAGES] == sorted(RUN)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [pytest.param(p, marks=pytest.mark.nightly if p.stem in LATE else ()) for p in PAGES],
    ids=lambda page: page.stem,
)
def test_the_page_runs(page, tmp_path, monkeypatch):
    """Files of ```toml blocks are named in the text before them; ```sh blocks are not run."""
    if page.stem in LONG and not os.environ.get("ALL_PAGES"):
        pytest.skip("takes long: ALL_PAGES=1 make test-long ARGS=tests/test_howto.py runs it")
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    for name, content in re.findall(r"`(\w+\.toml)`[^`]*```toml\n(.*?)^```$", text, re.M | re.S):
        Path(name).write_text(content, encoding="utf-8")
    names: dict[str, object] = {}
    count, left = RUN[page.stem]
    ran = 0
    for language, block in blocks(page):
        if language == "bash":
            run(["bash", "-euo", "pipefail", "-c", block], tmp_path)
        elif language == "python":
            exec(compile(block, page.name, "exec"), names)
        else:
            assert language in {"sh", "toml", "xml"}
            continue
        ran += 1
    assert ran == count
    if page.stem == "in_time":  # it has come to rest
        assert names["step"].forces[0, 2] == pytest.approx(29 * 9.81, rel=0.01)
        assert 0 <= names["step"].contact.energy.viscous < 1e-3
    assert [name for name, size in left.items() if (tmp_path / name).stat().st_size < size] == []


def test_no_step_of_a_robot_page_is_left_out():
    (page,) = (page for page in PAGES if page.stem == "my_robot")
    assert "half_sitting" in page.read_text(encoding="utf-8")
