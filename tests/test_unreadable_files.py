"""Files that no reader may open, for every reader of users' files: one line and exit code 2."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import sys
from pathlib import Path

import pytest
from command_line import in_this_process
from fclib_files import local, random_local

from sole.base.errors import SoleError
from sole.base.files import existing_file
from sole.mesh import write_mesh

SECONDS = 20  # until a reader counts as waiting for ever; it takes milliseconds

# A call of every reader of a user's file ({0}); pad.npz, pad.msh and bench.csv are there.
READERS = {
    "info toml": "info {0}.toml",
    "info npz": "info {0}.npz",
    "info nc": "info {0}.nc",
    "info hdf5": "info {0}.hdf5",
    "shape": "mesh {0}.toml -o o.msh",
    "msh": "condense {0}.msh --young 1e6 --poisson 0.4 -o o.npz",
    "vtu": "mesh {0}.vtu -o o.msh",
    "vtk": "mesh {0}.vtk -o o.msh",
    "inp": "mesh {0}.inp -o o.msh",
    "unv": "mesh {0}.unv -o o.msh",
    "stl": "mesh --stl {0}.stl --unit m -o o.msh",
    "step": "mesh --cad {0}.step -o o.msh",
    "urdf of a foot": "mesh --urdf {0}.urdf --link foot -o o.msh",
    "press": "press {0}.npz --force 300 -o o.npz",
    "export": "export {0}.npz --to json -o o.json",
    "path": "press pad.npz --path {0}.toml -o o.npz",
    "ground": "press pad.npz --force 300 --ground {0}.toml -o o.npz",
    "heights csv": "press pad.npz --force 300 --ground heightfield:{0}.csv,1,1 -o o.npz",
    "heights npy": "press pad.npz --force 300 --ground heightfield:{0}.npy,1,1 -o o.npz",
    "heights png": "press pad.npz --force 300 --ground heightfield:{0}.png,1,1 -o o.npz",
    "bench": "identify pad.msh {0}.csv -o o.npz",
    "pad of a bench": "identify {0}.msh bench.csv -o o.npz",
    "sweep": "sweep {0}.msh --young 1e6 --poisson 0.4 -o o.nc",
    "study": "study {0}.toml -o o.nc",
    "design": "design {0}.toml -o o.nc",
    "report": "report {0}.nc -o o.html",
    "view": "view {0}.nc -o o.png",
    "solve": "contact solve {0}.hdf5 -o o.npz",
    "polygon": "contact cone --polygon {0}.txt --friction 1 --wrench 0 0 9 0 0 0",
    "robot": "robot info {0}.toml",
    "urdf": "robot info {0}.urdf",
    "posture": "robot posture {0}.urdf -o o.srdf",
    "scenario": "walk {0}.toml -o o.nc",
    "robot of a walk": "walk --robot {0}.urdf -o o.nc",
    "ground of a walk": "walk --ground {0}.toml -o o.nc",
    "retime": "retime {0}.toml -o o.png",
    "live play": "live play {0}.nc",
    "live walk": "live walk {0}.toml -o o.nc",
    "live press": "live press {0}.npz -o o.npz",
    "device": "live walk --device {0}.csv",
}
HUGE = {".npz": "unknown kind|not a readable", ".nc": "ends after", ".hdf5": "ends after"}
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12345\n"
START = {".nc": b"\x89HDF\r\n\x1a\n" + bytes(40), ".hdf5": b"\x89HDF\r\n\x1a\n" + bytes(40)}


def huge(path):
    """Three gigabytes of zeros that take no space on the disk."""
    path.write_bytes(START.get(path.suffix, b"0"))
    os.truncate(path, 3_000_000_000)


STATES = {
    "no such file": lambda path: None,
    "is a folder": lambda path: path.mkdir(),
    "is a pipe": os.mkfifo,
    "is a device": lambda path: path.symlink_to("/dev/zero"),
    "is empty": lambda path: path.touch(),
    "is a git-lfs pointer.*git lfs pull": lambda path: path.write_text(POINTER),
    "at most .* MB are read": huge,
    "not UTF-8": lambda path: path.write_bytes(b"0"),
}


@pytest.fixture
def sole(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return in_this_process(monkeypatch, capsys)


@pytest.fixture(autouse=True)
def in_time():
    """End a test that waits for a pipe."""

    def late(*_):
        raise TimeoutError(f"the reader has not answered for {SECONDS} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def refused(result, mention):
    code, out, err = result
    assert (code, out) == (2, ""), err
    assert re.fullmatch(f"error: .*({mention}).*\n", err), err


@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_ordinary_file_is_refused_by_every_reader(
    reader, sole, tmp_path, pad_file, box
) -> None:
    (tmp_path / "pad.npz").write_bytes(pad_file.read_bytes())
    write_mesh(tmp_path / "pad.msh", box)
    (tmp_path / "bench.csv").write_text("test,press [kg],reading [mm]\npress,1,0.1\n")
    before = len(list(tmp_path.iterdir()))
    for number, (mention, make) in enumerate(STATES.items()):
        name = f"x{number}" if mention != "not UTF-8" else f"x{number}\udcff"
        words = READERS[reader].format(name).split()
        (file,) = (re.search(rf"{name}\.\w+", word) for word in words if name in word)
        path = tmp_path / file[0]
        make(path)
        if make is huge:
            mention = HUGE.get(path.suffix, mention)
        there = len(list(tmp_path.iterdir()))
        refused(sole(*words), mention)
        assert len(list(tmp_path.iterdir())) == there  # no output
    assert there == before + len(STATES) - 1


def cut(path, data):
    path.write_bytes(data[: len(data) // 2])


@pytest.mark.parametrize("kind", ["info toml", "info npz", "msh", "stl", "urdf", "solve", "vtu"])
def test_truncated_files_are_refused(kind, sole, tmp_path, pad_file, box) -> None:
    words = READERS[kind].format("x").split()
    path = tmp_path / next(word for word in words if word.startswith("x."))
    if kind == "msh":
        write_mesh(path, box)
    elif kind == "solve":
        local(path, *random_local(2))
    else:
        whole = {
            "info toml": b'schema = "sole.shape/1"\nname = "a name that is cut',
            "info npz": pad_file.read_bytes(),
            "stl": bytes(80) + (100).to_bytes(4, "little") + bytes(range(250)) * 20,
            "urdf": b'<robot name="a"><link name="b"/><link name="c"/></robot>',
            "vtu": b'<?xml version="1.0"?><VTKFile type="UnstructuredGrid"></VTKFile>',
        }
        path.write_bytes(whole[kind])
    cut(path, path.read_bytes())
    refused(sole(*words), path.name)


def test_sockets_and_the_pipes_of_a_shell_are_named(tmp_path) -> None:
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(str(tmp_path / "s"))
        with pytest.raises(SoleError, match="is a socket"):
            existing_file(tmp_path / "s")
    first, second = os.pipe()
    with pytest.raises(SoleError, match="is a pipe, expected a file; save its content to a file"):
        existing_file(f"/proc/self/fd/{first}")
    for end in (first, second):
        os.close(end)


def test_a_table_that_csv_itself_refuses(sole, tmp_path, box) -> None:
    write_mesh(tmp_path / "pad.msh", box)
    for cell, mention in (("9" * 200_000, "field limit"), ('"a\nb"', "several lines")):
        (tmp_path / "b.csv").write_text(f"test,press [kg],reading [mm]\npress,1,{cell}\n")
        refused(sole("identify", "pad.msh", "b.csv"), f"b.csv: .*{mention}")


def test_zero_bytes_at_the_start_are_no_damage(tmp_path) -> None:
    """The header of a binary STL is free."""
    (tmp_path / "x.stl").write_bytes(bytes(80) + (1).to_bytes(4, "little") + bytes(range(50)))
    assert existing_file(tmp_path / "x.stl", padding=50) == tmp_path / "x.stl"


def test_zero_bytes_after_a_step_or_a_mesh(sole, tmp_path, box) -> None:
    """As a file has that a system lost while it was written: read to its end, it takes seconds."""
    write_mesh(tmp_path / "x.msh", box)
    (tmp_path / "x.step").write_text("ISO-10303-21;\nHEADER;\nENDSEC;\nEND-ISO-10303-21;\n")
    (tmp_path / "x.vtk").write_text("# vtk DataFile Version 3.0\n")
    for name, words in (
        ("x.msh", ("condense", "x.msh", "--young", "1e6", "--poisson", "0.4", "-o", "o.npz")),
        ("x.step", ("mesh", "--cad", "x.step", "-o", "o.msh")),
        ("x.vtk", ("mesh", "x.vtk", "-o", "o.msh")),
    ):
        os.truncate(tmp_path / name, 90_000_000)
        refused(sole(*words), f"{name}: ends with zero bytes")


@pytest.mark.skipif(sys.platform != "linux", reason="Linux counts memory so")
def test_refusing_takes_no_memory(sole, tmp_path) -> None:
    """300 MB are the limit; the files have 3 GB."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak
    before = _peak()
    for suffix in (".toml", ".msh", ".nc", ".npz", ".hdf5"):
        huge(tmp_path / f"x{suffix}")
        sole("info", f"x{suffix}")
    assert _peak() - before < 300_000_000


def _peak() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
