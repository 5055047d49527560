from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from box_mesh import box_mesh
from command_line import in_this_process

from sole.mesh import write_mesh
from sole.studies import read_table

GRID = ("--young", "1e5:1e8:100", "--poisson", "0:0.45:30", "--element", "p1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a small pad of two layers."""
    path = tmp_path_factory.mktemp("sweep")
    write_mesh(path / "pad.msh", box_mesh(0.2, 0.1, 0.02, (4, 3, 2), layers=(1.0, 1.0)))
    return path


@pytest.fixture(scope="module")
def whole(folder, sole_command):
    """The grid swept without disturbance."""
    done = sole_command("sweep", "pad.msh", *GRID, "-o", "whole.nc", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    program = [sys.executable, "-c", "from sole.base.cli import main; main()"]
    return subprocess.Popen(
        [*program, "sweep", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    )


def wait_for_rows(folder: Path, name: str, process: subprocess.Popen[str], more: int) -> None:
    """Wait until the journal has grown by `more` bytes: the process is amid its rows."""
    files = [folder / f"{name}.journal.sqlite{s}" for s in ("", "-wal")]

    def size() -> int:
        return sum(f.stat().st_size for f in files if f.exists())

    before, end = size(), time.monotonic() + 60
    while size() < before + more and process.poll() is None and time.monotonic() < end:
        time.sleep(0.005)


def test_json_says_what_was_done(whole, folder):
    assert whole["rows"] == 3_000
    assert whole["failed"] == whole["resumed"] == 0
    assert whole["condensations"] <= 20
    assert whole["compliance_error"] <= 1e-8
    assert whole["units"]["k_z_z"] == "N/m"
    assert read_table(folder / "whole.nc").sizes == {"young": 100, "poisson": 30}


def test_killed_twice_it_continues_to_the_identical_table(folder, sole_command, whole):
    for _ in range(2):
        process = start(folder, "pad.msh", *GRID, "-o", "killed.nc", "--quiet")
        wait_for_rows(folder, "killed.nc", process, 200_000)
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL, "it had ended before it was killed"
        process.communicate()
        assert not (folder / "killed.nc").exists()
    done = sole_command("sweep", "pad.msh", *GRID, "-o", "killed.nc", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert 0 < json.loads(done.stdout)["resumed"] < 3_000
    assert (folder / "killed.csv").read_bytes() == (folder / "whole.csv").read_bytes()
    assert read_table(folder / "killed.nc").identical(read_table(folder / "whole.nc"))
    assert not list(folder.glob("killed.nc.journal*"))
    assert not list(folder.glob(".killed*"))


def test_ctrl_c_keeps_rows_and_says_how_to_continue(folder):
    process = start(folder, "pad.msh", *GRID, "-o", "stopped.nc", "--quiet")
    wait_for_rows(folder, "stopped.nc", process, 200_000)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("interrupted: ")
    assert "of 3000 rows are kept in stopped.nc.journal.sqlite; run the same command" in line
    assert not (folder / "stopped.nc").exists()
    assert not (folder / "stopped.csv").exists()
    assert (folder / "stopped.nc.journal.sqlite").exists()


def test_a_study_file_gives_the_same_table(folder, sole_here, whole):
    (folder / "study.toml").write_text(
        'schema = "sole.study/2"\nmesh = "pad.msh"\nelement = "p1"\n'
        '[[axis]]\nquantity = "young"\nrange = [1e5, 1e8]\nnumber = 100\n'
        '[[axis]]\nquantity = "poisson"\nrange = [0.0, 0.45]\nnumber = 30\n'
    )
    done = sole_here("sweep", folder / "study.toml", "-o", folder / "study.nc", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (folder / "study.csv").read_bytes() == (folder / "whole.csv").read_bytes()


def test_press_rows_and_the_table_for_people(folder, sole_here):
    arguments = ["--young", "layer0=5e5:2e6:2", "--material", "layer1=3e6,0.3"]
    arguments += ["--poisson", "layer0=0.3", "--element", "p1", "--force", "300"]
    arguments += ["--cop", "0.01", "0", "--friction", "0.2,0.8", "--set", "press.fields=false"]
    done = sole_here("sweep", "pad.msh", *arguments, "-o", "press.nc", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "k_z_z" in done.stdout and "rate of press" not in done.stdout
    assert "sole report press.nc" in done.stdout
    table = read_table(folder / "press.nc")
    assert table.sizes == {"young_layer0": 2, "poisson_layer0": 1, "friction": 2}
    assert (table["status"] == "ok").all()
    assert (table["contact_area"] > 0).all()
    assert "k_z_z" in table
    assert "strain_p99" not in table
    sink = table["sink"].isel(poisson_layer0=0, friction=0).values
    assert sink[0] > sink[1] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--poisson", "0:0.5:9"], "Poisson's ratio must lie in (-1, 0.5), got 0.5"),
        (["--young", "1e5:1e7"], "--young 1e5:1e7: expected LO:HI:N"),
        (["--young", "0:1e7:3", "--poisson", "0.3"], "got 0"),
        (["--young", "top=1e6", "--poisson", "0.3"], "no layer 'top'; the layers are layer0"),
        (["--young", "1e6"], "no nu: give --poisson"),
        ([], "at least one axis"),
        (["--young", "1e6", "--poisson", "0.3", "--element", "q4"], "q4"),
        (["--young", "1e6", "--poisson", "0.3", "--friction", "0.5"], "no quantity 'friction'"),
        (["--young", "1e6", "--poisson", "0.3", "--set", "force=3"], "--set force=3: expected"),
        (["--young", "1e6", "--poisson", "0.3", "--mass", "50"], "both mass and com_height"),
    ],
)
def test_bad_input_is_one_line(folder, monkeypatch, capsys, arguments, message):
    """In this process, to be quick; `main` is what the command runs."""
    from sole.base.cli import main

    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["sole", "sweep", "pad.msh", "-o", "bad.nc", *arguments])
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.startswith("error: ")
    assert len(err.splitlines()) == 1
    assert not list(folder.glob("bad*"))


STUDY = 'schema = "sole.study/2"\nmesh = "pad.msh"\n[[axis]]\nquantity = "young"\nvalues = [1e6]\n'
DESIGN = 'schema = "sole.design/1"\n'


@pytest.mark.parametrize(
    ("command", "text"), [("sweep", STUDY), ("study", STUDY), ("design", DESIGN)]
)
def test_a_table_beside_that_cannot_be_written_is_refused_first(
    command, text, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    Path("table.csv").mkdir()
    Path("in.toml").write_text(text)
    code, out, err = in_this_process(monkeypatch, capsys)(command, "in.toml", "-o", "table.nc")
    assert (code, out) == (2, "")
    assert err == "error: cannot write table.csv: it is a folder\n"


def test_a_study_takes_no_other_options(tmp_path, monkeypatch, capsys):
    from sole.base.cli import main

    (tmp_path / "s.toml").write_text(
        'schema = "sole.study/2"\nmesh = "none.msh"\n[[axis]]\nquantity = "young"\nvalues = [1e6]\n'
    )
    monkeypatch.chdir(tmp_path)
    for more, message in ((["--young", "1e6"], "s.toml is a study"), ([], "none.msh: no such")):
        monkeypatch.setattr(sys, "argv", ["sole", "sweep", "s.toml", "-o", "x.nc", *more])
        with pytest.raises(SystemExit):
            main()
        assert message in capsys.readouterr().err


def test_a_sweep_without_one_result_says_why(tmp_path, monkeypatch, capsys):
    """The table is there, the reason is told, and the exit code is not that of success."""
    from box_mesh import box_mesh

    from sole.base import cli
    from sole.mesh import write_mesh

    write_mesh(tmp_path / "pad.msh", box_mesh(0.2, 0.12, 0.02, (4, 3, 1)))
    out = tmp_path / "fail.nc"
    monkeypatch.setattr(
        "sys.argv",
        f"sole sweep {tmp_path}/pad.msh --young 1e6:2e6:2 --poisson 0.3 --rows press --force 100 "
        f"--cop 0.3 0 --quiet -o {out}".split(),
    )
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 2
    error = capsys.readouterr().err
    assert "every row failed" in error
    assert "convex hull" in error
    assert "(2 rows)" in error
    assert f"all reasons are kept in {out}" in error
    assert out.exists()
