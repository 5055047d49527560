"""The tutorial says only what is true: its commands run in order, from a clone to the report.

CI runs those that need no sweep, no study and no second walk; `make test-nightly` runs all.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest
from installed_commands import environment

pytestmark = pytest.mark.long

PAGE = Path(__file__).resolve().parent.parent / "docs" / "tutorial.md"
BLOCKS = re.findall(
    r"^```(\w*)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
)
STUDY = "sole study first_study.toml -o study.nc\n"
WALKS = 12
# outputs of commands that only the nightly run calls
LATE = r"sole sweep|sweep\.nc|sole study (?!.*--dry-run)|study\.nc|hard\.nc"
# lines that differ from run to run; what is interrupted and resumed has its own test
MOMENT = r"interrupted|resumed|earlier|workers|rate|time|mesh check"


def of(language):
    return [text for found, text in BLOCKS if found == language]


def start(text, folder):
    command = ["bash", "-euo", "pipefail", "-c", text]
    if len(text.splitlines()) == 1:  # no shell in between: a signal is for `sole`
        command = shlex.split(text)
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(text, folder):
    process = start(text, folder)
    out, err = process.communicate()
    assert process.returncode == 0, f"{text}\n{out}\n{err}"
    return out


def rows_of(journal, copy):
    """Rows that are on disk so far, read from a copy: the journal is locked by who writes it."""
    for end in ("", "-wal"):
        if not Path(f"{journal}{end}").exists():
            return 0
        shutil.copy(f"{journal}{end}", f"{copy}{end}")
    try:
        with closing(sqlite3.connect(copy)) as found:
            return found.execute("SELECT COUNT(*) FROM rows").fetchone()[0]
    except sqlite3.DatabaseError:  # copied while it was written
        return 0


def interrupted(text, folder):
    """Press Ctrl-C as soon as a row is on disk; return what is said then."""
    process, journal = start(text, folder), folder / "study.nc.journal.sqlite"
    end = time.monotonic() + 240
    while rows_of(journal, folder.parent / "copy.sqlite") < 1:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert not (folder / "study.nc").exists()
    return err


@pytest.fixture(scope="module")
def clone(tmp_path_factory, root):
    """What the commands need of a clone."""
    clone = tmp_path_factory.mktemp("clone")
    (clone / "examples").symlink_to(root / "examples")
    return clone


@pytest.fixture(scope="module")
def begun(clone):
    """What the blocks that CI runs have printed, by their text; they write what they promise."""
    early = [text for text in of("bash") if not re.search(LATE, text)]
    folder = clone / "out" / "first"
    said = {}
    for text in early:
        said[text] = run(text, folder if folder.exists() else clone)
        if "first_study" in text and not (folder / "larger.toml").exists():
            (folder / "larger.toml").write_text(of("toml")[1], encoding="utf-8")
    return folder, said


@pytest.fixture(scope="module")
def folder(clone):
    """The folder out/first after all commands of the page, and what each block printed."""
    first, *others = of("bash")
    said = [run(first, clone)]
    folder = clone / "out" / "first"
    shown, larger = of("toml")
    assert (folder / "first_study.toml").read_text(encoding="utf-8").endswith(shown)
    (folder / "larger.toml").write_text(larger, encoding="utf-8")
    for k, text in enumerate(others):
        stop = text == STUDY and text not in others[:k]
        said.append(interrupted(text, folder) if stop else run(text, folder))
    return folder, said


def test_the_page_is_commands_files_and_what_they_print():
    assert {language for language, _ in BLOCKS} == {"sh", "bash", "toml", "text"}
    assert len(of("bash")) >= 10
    assert of("bash").count(STUDY) == 2
    commands = re.findall(r"^sole (\w+)", "".join(of("bash")), flags=re.MULTILINE)
    assert set(commands) == {"doctor", "mesh", "view", "sweep", "report", "walk", "study"}
    assert of("sh") == ["make install\n. .venv/bin/activate\n", "cd out/first\n"]


@pytest.mark.slow
def test_the_quick_commands_run_and_print_what_the_page_shows(begun):
    where, said = begun
    assert len(said) >= 5 and {"sole doctor", "sole mesh", "sole walk", "sole study"} <= {
        found for text in said for found in re.findall(r"^sole \w+", text, flags=re.MULTILINE)
    }
    written = re.findall(r"-o (\S+)", "".join(said))
    assert len(written) >= 4
    assert [name for name in written if (where / name).stat().st_size < 1000] == []
    assert shown_and_printed(said) >= 15


@pytest.mark.slow
@pytest.mark.nightly
def test_every_command_runs_and_writes(folder):
    where, said = folder
    assert len(said) == len(of("bash"))
    written = re.findall(r"(?:-o|--film) (\S+)", "".join(of("bash")))
    assert len(set(written)) >= 9
    assert [name for name in written if (where / name).stat().st_size < 1000] == []
    assert (where / "sweep.html").exists()


@pytest.mark.slow
@pytest.mark.nightly
def test_the_study_went_on_after_ctrl_c(folder):
    where, said = folder
    first, second = (k for k, text in enumerate(of("bash")) if text == STUDY)
    kept = re.search(
        rf"interrupted: (\d+) of {WALKS} rows are kept in study\.nc\.journal", said[first]
    )
    assert kept is not None and 1 <= int(kept[1]) < WALKS
    assert re.search(rf"resumed\s+│\s+{kept[1]} │", said[second])
    with (where / "study.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["status"] for row in rows] == ["ok"] * WALKS


def words(text):
    """The words of an output, wherever its lines break; numbers as numbers."""
    found = []
    for word in re.findall(r"[^\s│]+", text):
        try:
            found.append(float(word.rstrip(",")))
        except ValueError:
            found.append(word)
    return found


def missing(shown, printed):
    """What is shown but not printed; numbers may be 2 % off, as processors round differently."""
    numbers = [word for word in printed if isinstance(word, float)]
    return [
        word
        for word in shown
        if (word not in printed if isinstance(word, str) else word not in map(approx, numbers))
    ]


def approx(number):
    return pytest.approx(number, rel=0.02)


def shown_and_printed(said):
    """How many lines the page shows of blocks in `said`, a dict; all of them are printed."""
    output, shown = None, 0
    for language, text in BLOCKS:
        if language == "bash":
            output = words(said[text]) if text in said else None
        elif language == "text" and output is not None:
            lines = [x for x in text.splitlines() if not re.search(MOMENT, x)]
            assert missing(words("\n".join(lines)), output) == [], text
            shown += len(lines)
    return shown


@pytest.mark.slow
@pytest.mark.nightly
def test_what_the_page_shows_is_printed(folder):
    _, said = folder
    # The study that is interrupted and the one that goes on are one command: the last counts.
    assert shown_and_printed(dict(zip(of("bash"), said, strict=True))) >= 30


@pytest.mark.slow
@pytest.mark.nightly
def test_the_answer_of_the_sweep_stays_under_halving_of_the_mesh(folder, tmp_path):
    """The E that the page recommends, of meshes of 20 and 10 mm; with peaks at nodes it moved."""
    (mesh,) = [x for x in "".join(of("bash")).splitlines() if x.startswith("sole mesh ")]
    (sweep,) = [x for x in "".join(of("bash")).splitlines() if x.startswith("sole sweep ")]
    found = {"page": folder[0] / "sweep.nc"}
    for size in ("0.02", "0.01"):
        here = tmp_path / size
        here.mkdir()
        run(mesh.replace("0.015", size), here)
        run(f"{sweep} --no-check --quiet", here)
        found[size] = here / "sweep.nc"
    young = {
        size: json.loads(run(f"sole report {path} --json", tmp_path))["recommended"]["settings"][
            "young"
        ]
        for size, path in found.items()
    }
    assert young["page"] == pytest.approx(2.25e6, rel=1e-3)
    assert young["0.02"] == pytest.approx(young["page"], rel=0.1)
    assert young["0.01"] == pytest.approx(young["page"], rel=0.1)
