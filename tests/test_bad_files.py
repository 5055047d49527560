"""Files that were damaged, made by hand, or made to fill the memory: one line, at once."""

from __future__ import annotations

import base64
import io
import json
import os
import stat
import subprocess
import sys
import tracemalloc
import zipfile
import zlib

import h5py
import numpy as np
import pytest
from command_line import in_this_process
from fclib_files import local, random_local

from sole.base import trial_reading
from sole.base.archive import content_digest, read_archive, write_archive
from sole.base.errors import SchemaError
from sole.base.file_digest import UNSEALED, check_seal, seal
from sole.base.memory import FREE, RATIO
from sole.mesh import gmsh_mesh
from sole.studies.netcdf import create_netcdf

DEEP = "[" * 20000 + "]" * 20000


@pytest.fixture
def sole(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return in_this_process(monkeypatch, capsys)


def assert_refused(result, mention=""):
    code, out, err = result
    assert (code, out, err.count("\n")) == (2, "", 1), (code, out, err)
    assert err.startswith("error: ")
    assert "internal" not in err
    assert mention in err


TOML = {
    "deep": ("shape", f"x = {DEEP}"),
    "long": ("shape", f"x = {'9' * 5000}"),
    "list as kind": ("ground", "[[solid]]\nkind = []"),
    "table as kind": ("ground", "[[solid]]\nkind = {a = 1}"),
}


@pytest.mark.parametrize("name", TOML)
def test_toml_that_python_itself_stumbles_over(name, sole, tmp_path):
    kind, text = TOML[name]
    schema = {"shape": "sole.shape/1", "ground": "contact.ground/1"}[kind]
    (tmp_path / "bad.toml").write_text(f'schema = "{schema}"\n{text}\n')
    assert_refused(sole("info", "bad.toml"), "bad.toml")
    if kind == "shape":
        assert_refused(sole("mesh", "bad.toml", "-o", "o.msh"), "bad.toml: not a readable TOML")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.toml"]


WORDS = {
    "size": (["mesh", "--box", "0.2", "0.1", "0.02", "--size-tread", "1e-300"], "1e-300"),
    "name": (["mesh", "--box", "0.2", "0.1", "0.02", "-o", "a" * 300 + ".msh"], "304 bytes"),
    "read": (["info", "a" * 300 + ".npz"], "File name too long"),
    "dt": (["walk", "--stand", "--dt", "1e-300", "--duration", "0.01", "-o", "o.nc"], "1e-07 s"),
    "steps": (["walk", "--stand", "--duration", "1e30", "-o", "o.nc"], "at most 1e+07"),
    "scenario": (["walk", "s.toml", "-o", "o.nc"], "1e-300"),
}


@pytest.mark.parametrize("name", WORDS)
def test_sizes_names_and_steps_beyond_reason(name, sole, tmp_path):
    if name == "scenario":
        (tmp_path / "s.toml").write_text('schema = "robot.scenario/1"\n[sole]\nsize = 1e-300\n')
    words, mention = WORDS[name]
    assert_refused(sole(*words), mention)
    assert {p.name for p in tmp_path.iterdir()} <= {"s.toml"}


def rewritten(source, target, header=None, **arrays):
    """Write a copy of an archive with other arrays, and a digest that fits."""
    with np.load(source) as old:
        content = {name: old[name] for name in old.files} | arrays
    told = json.loads(str(content.pop("header")))
    told["content"] = content_digest(content)
    np.savez(target, header=np.array(header or json.dumps(told)), **content)
    return target


def changed(name, change):
    return lambda old: {name: change(old[name])}


HOSTILE = {
    "deep header": (lambda old: {"header": DEEP}, "not a readable"),
    "zero": (changed("compliance", np.zeros_like), "positive definite"),
    "huge": (changed("compliance", lambda C: C * 0 + 1e300), "beyond 1e+100"),
    "another": (changed("compliance", lambda C: 2 * C), "not the inverse of stiffness"),
    "complex": (changed("compliance", lambda C: C * 1j), "expected real numbers"),
    "points": (changed("points", lambda p: p + 1e-3), "points are not the tread vertices"),
    "tets": (changed("mesh_tets", lambda t: t + 0.5j), "expected real numbers"),
    "half tets": (
        changed("mesh_tets", lambda t: t + 0.5),
        "array 'mesh_tets' has type float64, such as",
    ),
    "half tread": (changed("mesh_tread", lambda t: t + 0.25), "expected integers"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_condensed_sole_that_makes_no_sense(name, sole, pad_file, tmp_path):
    change, mention = HOSTILE[name]
    with np.load(pad_file) as old:
        rewritten(pad_file, tmp_path / "bad.npz", **change(old))
    for words in (["info", "bad.npz"], ["press", "bad.npz", "--force", "300", "-o", "o.npz"]):
        if not (name == "deep header" and words[0] == "info"):
            assert_refused(sole(*words), mention)
    assert [p.name for p in tmp_path.iterdir()] == ["bad.npz"]


def zeros_npz(path, pad_file):
    """64 MB of zeros in 64 kB, beside the real header."""
    with np.load(pad_file) as old:
        header = old["header"]
    np.savez_compressed(path, header=header, stiffness=np.zeros(8_000_000))


def lying_npz(path, pad_file):
    """A member whose own header declares 8 GB."""
    with np.load(pad_file) as old:
        np.savez(path, header=old["header"])
    head = io.BytesIO()
    about = {"descr": "<f8", "fortran_order": False, "shape": (10**9,)}
    np.lib.format.write_array_header_1_0(head, about)
    with zipfile.ZipFile(path, "a") as z:
        z.writestr("stiffness.npy", head.getvalue())


def hollow_hdf5(path, name="fclib_local/W/x"):
    """8 GB that were never written."""
    local(path, *random_local(2))
    with h5py.File(path, "r+") as f:
        del f[name]
        f.create_dataset(name, shape=(10**9,), dtype=float, chunks=(10**6,), compression="gzip")


@pytest.mark.parametrize("kind", ["zeros", "lies", "hdf5"])
def test_a_file_that_declares_far_more_than_it_holds_costs_nothing(kind, sole, pad_file, tmp_path):
    path = tmp_path / ("bomb.hdf5" if kind == "hdf5" else "bomb.npz")
    if kind == "hdf5":
        hollow_hdf5(path)
        words = ["contact", "solve", path, "-o", "o.npz"]
    else:
        (zeros_npz if kind == "zeros" else lying_npz)(path, pad_file)
        words = ["press", path, "--force", "300", "-o", "o.npz"]
    assert_refused(sole("info", path), "declares")  # imports, too
    tracemalloc.start()
    try:
        assert_refused(sole(*words), "declares")
        # numpy and Python allocate less than the smallest of the three declares
        assert tracemalloc.get_traced_memory()[1] < 32e6
    finally:
        tracemalloc.stop()


READ_IT = """
import sys
from pathlib import Path
from sole.base.errors import SoleError
from sole.mesh import read_mesh, meshing

def peak():  # not ru_maxrss: a child inherits that of the process it was forked from
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024

with meshing.open_gmsh("warm"):
    pass
before = peak()
try:
    read_mesh(Path(sys.argv[1]))
except SoleError as error:
    print(error)
print(peak() - before)
"""
HOLLOW = 48_000_000


def hollow_mesh(path):
    """Write a binary `.msh` that declares 384 MB of tags, or a `.vtu` of 384 MB of zeros."""
    if path.suffix == ".msh":
        one, counts = np.int32(1).tobytes(), np.array([0, 0, 0, 1], dtype=np.uint64).tobytes()
        volume = one + np.arange(6.0).tobytes() + np.uint64(2 * HOLLOW).tobytes()
        start = b"$MeshFormat\n4.1 1 8\n" + one + b"\n$EndMeshFormat\n$Entities\n"
        path.write_bytes(start + counts + volume + b"\n$End")
        return
    blank = zlib.compress(bytes(HOLLOW))
    head = np.array([8, HOLLOW, HOLLOW, *[len(blank)] * 8], dtype=np.uint32).tobytes()
    data = base64.b64encode(head).decode() + base64.b64encode(blank * 8).decode()
    path.write_text(
        '<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian" '
        'header_type="UInt32" compressor="vtkZLibDataCompressor"><UnstructuredGrid>'
        f'<Piece NumberOfPoints="{HOLLOW // 3}" NumberOfCells="0"><Points><DataArray '
        f'type="Float64" NumberOfComponents="3" format="binary">{data}</DataArray></Points></Piece>'
        "</UnstructuredGrid></VTKFile>"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the system's limit counts other things there")
@pytest.mark.parametrize("suffix", [".msh", ".vtu"])
def test_a_mesh_that_declares_far_more_than_it_holds_costs_little(suffix, tmp_path):
    path = tmp_path / f"bomb{suffix}"
    hollow_mesh(path)
    words = [sys.executable, "-c", READ_IT, str(path)]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    assert "it declares far more than it holds" in told[0]
    size = path.stat().st_size
    assert int(told[1]) < FREE + RATIO * size + 5e6  # what was private but not yet touched before


def test_numbers_outside_an_hdf5_file_are_not_read(sole, tmp_path):
    path = tmp_path / "p.hdf5"
    local(path, *random_local(2))
    (tmp_path / "secret").write_bytes(bytes(800))
    with h5py.File(path, "r+") as f:
        del f["fclib_local/vectors/q"]
        where = [("secret", 0, 48)]
        f.create_dataset("fclib_local/vectors/q", shape=(6,), dtype=float, external=where)
    assert_refused(sole("contact", "solve", path), "outside the file")


def test_an_output_keeps_the_mode_of_the_file_it_replaces(tmp_path):
    path = tmp_path / "a.npz"
    write_archive(path, "x/1", {}, {"a": np.zeros(3)})
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    for mode in (0o600, 0o640, 0o666):
        path.chmod(mode)
        write_archive(path, "x/1", {}, {"a": np.ones(3)})
        assert stat.S_IMODE(path.stat().st_mode) == mode
    assert read_archive(path, "x/1").arrays["a"].tolist() == [1, 1, 1]


def test_a_device_is_not_replaced(sole, tmp_path):
    os.mkfifo(tmp_path / "pipe.msh")
    assert_refused(sole("mesh", "--box", "0.2", "0.1", "0.02", "-o", "pipe.msh"), "a pipe")


def attributes_of(path):
    with h5py.File(path, "r") as f:
        check_seal(path, f.attrs)
        return dict(f.attrs)


@pytest.fixture(params=["table", "run"])
def netcdf(request, tmp_path):
    """A table, whose structure HDF5 itself secures by checksums, or a file like that of a run."""
    path = tmp_path / "t.nc"
    if request.param == "run":
        with h5py.File(path, "w") as file:
            file.attrs.update({**UNSEALED, "rows": "probe"})
            file.create_dataset("peak", data=np.arange(500.0))
        seal(path)
        return path
    with create_netcdf(path) as nc:
        nc.attributes({"schema": "sole.sweep/1", "rows": "probe"})
        nc.dimension("case", 500)
        nc.variable("peak", ["case"], np.float64, {"units": "N"})
        nc.write("peak", 0, np.arange(500.0))
    return path


def test_every_flipped_bit_of_a_netcdf_file_is_noticed(netcdf, tmp_path):
    whole, bad = netcdf.read_bytes(), tmp_path / "bad.nc"
    assert attributes_of(netcdf)["rows"] == "probe"
    names = [whole.index(name) + k for name in (b"content", b"sealed") for k in range(6)]
    rng = np.random.default_rng(1)
    for at in {*rng.integers(len(whole), size=200).tolist(), *names}:
        data = bytearray(whole)
        data[at] ^= 1 << int(rng.integers(8))
        bad.write_bytes(data)
        with pytest.raises((SchemaError, OSError, KeyError, RuntimeError)):  # HDF5 refuses some
            attributes_of(bad)


@pytest.mark.parametrize("threads", [1, 2])  # the child is a fork, or a process of its own
def test_a_file_on_which_the_hdf5_library_crashes_is_refused(threads, tmp_path):
    path = tmp_path / "r.nc"
    with h5py.File(path, "w") as file:
        file.attrs.update(UNSEALED)
    seal(path)
    data = bytearray(path.read_bytes())
    data[data.index(b"content\0") + 9] ^= 4  # the type of the attribute
    path.write_bytes(data)
    say = (
        "import sys, threading, time; from pathlib import Path\n"
        "from sole.base.hdf5_files import open_hdf5\n"
        f"for _ in range({threads - 1}):\n"
        "    threading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n"
        "try:\n    open_hdf5(Path(sys.argv[1])).attrs['content']\n"
        "except Exception as error:\n    print(error)"
    )
    words = [sys.executable, "-c", say, path]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")
    assert "r.nc: damaged (the HDF5 library crashes on it, or takes 5 s)" in found.stdout


def abort(path):
    os.abort()


def test_a_mesh_on_which_gmsh_crashes_is_refused(tmp_path, monkeypatch):
    """As a heap that a damaged file spoils: no error can be caught."""
    path = tmp_path / "m.msh"
    path.write_text("no mesh")
    with pytest.raises(SchemaError, match="not a readable mesh"):
        gmsh_mesh.read_by_gmsh(path)
    monkeypatch.setattr(gmsh_mesh, "merge_alone", abort)
    monkeypatch.setattr(trial_reading, "_others_run", lambda: False)  # else `abort` is unknown
    with pytest.raises(SchemaError, match=r"m\.msh: damaged \(Gmsh crashes on it\)"):
        gmsh_mesh.read_by_gmsh(path)


def test_an_attribute_of_another_program_is_told_of_and_older_files_are_read(netcdf):
    with h5py.File(netcdf, "r+") as f:
        f.attrs["history"] = "changed"
    with pytest.raises(SchemaError, match=r"changed by another program.*delete its attribute"):
        attributes_of(netcdf)
    with h5py.File(netcdf, "r+") as f:
        del f.attrs["content"]
    with pytest.raises(SchemaError, match="delete its attributes 'content' and 'sealed'"):
        attributes_of(netcdf)
    with h5py.File(netcdf, "r+") as f:
        del f.attrs["sealed"]  # as in files of older versions
    assert attributes_of(netcdf)["history"] == "changed"
