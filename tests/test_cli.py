"""What every command promises: --json, --quiet, one line for an error, no half file."""

from __future__ import annotations

import contextlib
import errno
import inspect
import io
import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import entry_points

import numpy as np
import pytest
import typer
from command_line import in_this_process
from fclib_files import local, random_local

from sole.base import cli
from sole.base.errors import SoleError


def functions(point):
    """The functions behind an entry point: one, or those of a group as "GROUP NAME"."""
    target = point.load()
    if not isinstance(target, typer.Typer):
        return {point.name: target}
    members = target.registered_commands
    return {f"{point.name} {c.name or c.callback.__name__}": c.callback for c in members}


COMMANDS = {
    name: function
    for point in entry_points(group="sole.commands")
    for name, function in functions(point).items()
}

# A call of every command that reads a file, with one that does not exist ({0}), into {1}.
BAD_CALLS = {
    "mesh": ["{0}.toml", "-o", "{1}.msh"],
    "condense": ["{0}.msh", "--young", "1e6", "--poisson", "0.4", "-o", "{1}.npz"],
    "info": ["{0}.npz"],
    "press": ["{0}.npz", "--force", "600", "-o", "{1}.npz"],
    "export": ["{0}.npz", "--to", "json", "-o", "{1}.json"],
    "identify": ["{0}.msh", "{0}.csv", "-o", "{1}.npz"],
    "fit": ["{0}.csv", "--law", "ogden"],
    "sweep": ["{0}.msh", "--young", "1e5:1e6:3", "--poisson", "0.4", "-o", "{1}.nc"],
    "study": ["{0}.toml", "-o", "{1}.nc"],
    "design": ["{0}.toml", "-o", "{1}.nc"],
    "report": ["{0}.nc", "-o", "{1}.html"],
    "view": ["{0}.npz", "-o", "{1}.png"],
    "contact solve": ["{0}.hdf5", "-o", "{1}.npz"],
    "contact bench": ["{0}", "-o", "{1}.csv"],
    "contact cone": ["--polygon", "{0}.txt", "--friction", "0.5", "--wrench", *"001000"],
    "robot info": ["{0}.toml"],
    "robot export": ["{0}.toml", "-o", "{1}.urdf"],
    "robot posture": ["{0}.toml", "-o", "{1}.srdf"],
    "walk": ["{0}.toml", "-o", "{1}.nc"],
    "retime": ["{0}.toml", "-o", "{1}.png"],
    "live play": ["{0}.nc"],
    "live walk": ["{0}.toml", "-o", "{1}.nc"],
    "live press": ["{0}.npz", "-o", "{1}.npz"],
}
READ_NO_FILE = {"compile", "demo", "doctor", "reproduce", "robot list"}


# A call of every command that succeeds, in this order in one folder; `demo` and `live`, which
# serves until it is interrupted, have tests of their own.
GOOD_CALLS = {
    "mesh": ["--box", "0.2", "0.1", "0.02", "--size-tread", "0.03", "-o", "box.msh"],
    "condense": ["box.msh", "--young", "1e6", "--poisson", "0.4", "-o", "box.npz"],
    "press": ["box.npz", "--force", "300", "-o", "press.npz"],
    "export": ["box.npz", "--to", "mujoco", "-o", "pad.xml"],
    "identify": ["box.msh", "bench.csv", "--element", "p1", "--fix", "sole.nu=0.4"],
    "fit": ["foam.csv", "--law", "hyperfoam"],
    "sweep": ["box.msh", "--young", "1e5:1e6:3", "--poisson", "0.3:0.4:2", "-o", "sweep.nc"],
    "study": ["study.toml", "-o", "study.nc"],
    "design": ["design.toml", "-o", "design.nc"],
    "report": ["sweep.nc", "-o", "report.html"],
    "info": ["press.npz"],
    "view": ["box.msh", "-o", "box.png"],
    "doctor": [],
    "compile": ["--job", "press"],
    "reproduce": ["rengifo", "foot_states"],
    "contact solve": ["problems/two.hdf5", "-o", "solution.npz"],
    "contact bench": ["problems", "--methods", "gauss-seidel", "--plot", "profile.png"],
    "contact cone": ["--polygon", "1,0 0,1 -1,-1", "--friction", "0.5", "--wrench", *"001000"],
    "robot list": [],
    "robot info": ["rengifo14"],
    "robot export": ["rengifo14", "-o", "biped.urdf"],
    "robot posture": ["rengifo14", "-o", "biped.srdf"],
    "walk": ["--stand", "--duration", "0.01", "-o", "run.nc"],
    "retime": ["bend.toml", "--points", "50", "-o", "bend.png"],
}


@pytest.fixture
def sole(monkeypatch, capsys):
    """Run a command in this process; returns (exit code, stdout, stderr)."""
    return in_this_process(monkeypatch, capsys)


def assert_one_line_error(result, *mentions):
    code, out, err = result
    assert code == 2, (out, err)
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1, err
    assert "Traceback" not in err
    for mention in mentions:
        assert str(mention) in err


def test_every_command_is_known():
    assert set(COMMANDS) == set(BAD_CALLS) | READ_NO_FILE
    assert len(COMMANDS) >= 10


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_json_and_quiet(name):
    parameters = inspect.signature(COMMANDS[name], eval_str=True).parameters
    (option,) = parameters["as_json"].annotation.__metadata__  # `sole live` has lines of JSON
    assert "--json" in (option.default, *option.param_decls) and "JSON" in option.help
    assert parameters["quiet"].annotation == cli.Quiet
    assert parameters["as_json"].default is parameters["quiet"].default is False


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name, sole):
    code, out, _ = sole(*name.split(), "--help")
    assert code == 0
    assert "--json" in out
    assert "--quiet" in out
    first = COMMANDS[name].__doc__.splitlines()[0]
    assert " ".join(first.split())[:40] in " ".join(out.split())


@pytest.mark.parametrize("name", BAD_CALLS)
def test_a_file_that_is_not_there(name, sole, tmp_path):
    absent, output = tmp_path / "absent", tmp_path / "out"
    result = sole(*name.split(), *(a.format(absent, output) for a in BAD_CALLS[name]))
    assert_one_line_error(result, absent)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def box_msh(tmp_path_factory):
    from sole.mesh import mesh_shape, write_mesh
    from sole.shape import box

    path = tmp_path_factory.mktemp("box") / "box.msh"
    write_mesh(path, mesh_shape(box(0.2, 0.1, 0.02), 0.04))
    return path


MESH, PAD = "MESH", "PAD"
REFUSED = [
    (["condense", MESH, "--young", "1e6", "--poisson", "0.5"], "0.5"),
    (["condense", MESH, "--young", "1e6", "--poisson", "-1"], "-1"),
    (["condense", MESH, "--young", "1e6", "--poisson", "nan"], "nan"),
    (["condense", MESH, *"--young 1e6 --poisson 0.49999 --element p2".split()], "ccr"),
    (["condense", MESH, "--young", "0", "--poisson", "0.4"], "got 0 Pa"),
    (["condense", MESH, "--young", "-2e6", "--poisson", "0.4"], "-2e+06"),
    (["condense", MESH], "--young"),
    (["condense", MESH, "--young", "1e6", "--poisson", "0.4", "--element", "p3"], "p1, p2, ccr"),
    (["condense", MESH, "--young", "1e6", "--poisson", "0.4", "--material", "gel=1e6,0.4"], "gel"),
    (["press", PAD, "--force", "300", "--cop", "0.2", "0"], "0.2"),
    (["press", PAD, "--force", "-5"], "-5"),
    (["press", PAD, "--force", "300", "--shear", "290", "0"], "290"),
    (["press", PAD, "--force", "300", "--friction", "-1"], "-1"),
    (["press", PAD, "--force", "300", "--ground", "lava"], "lava"),
    (["press", MESH, "--force", "300"], "box.msh"),
    (["press", PAD], "--force"),
    (["mesh", "--preset", "asimo"], "hrp2kai"),
    (["mesh", "--box", "2", "0.1", "0.02"], "2 x 0.1"),
    (["mesh", "--box", "0.2", "-0.1", "0.02"], "-0.1"),
    (["mesh"], "--preset"),
    (["sweep", MESH, "--young", "1e6:1e5:3", "--poisson", "0.4"], "1e6:1e5:3"),
    (["sweep", MESH, "--young", "1e5:1e6:3", "--poisson", "0.4:0.6:3"], "0.6"),
]
SUFFIX = {"condense": ".npz", "press": ".npz", "mesh": ".msh", "sweep": ".nc"}


@pytest.mark.parametrize(("call", "mention"), REFUSED, ids=[" ".join(c) for c, _ in REFUSED])
def test_bad_input_is_one_line_that_names_it(call, mention, sole, box_msh, pad_file, tmp_path):
    files = {MESH: box_msh, PAD: pad_file}
    output = tmp_path / f"out{SUFFIX[call[0]]}"
    result = sole(*(files.get(word, word) for word in call), "-o", output)
    assert_one_line_error(result, mention)
    assert list(tmp_path.iterdir()) == []


READERS_OF_NPZ = {
    "info": ["{0}"],
    "press": ["{0}", "--force", "600", "-o", "{1}.npz"],
    "view": ["{0}", "-o", "{1}.png"],
}


@pytest.fixture(params=["truncated", "foreign", "empty", "text", "pickle", "header"])
def broken_npz(request, pad_file, tmp_path):
    path = tmp_path / "broken.npz"
    whole = pad_file.read_bytes()
    if request.param == "truncated":
        path.write_bytes(whole[: len(whole) // 2])
    elif request.param == "foreign":
        np.savez(path, stiffness=np.eye(3), points=np.zeros((1, 3)))
    elif request.param == "empty":
        path.write_bytes(b"")
    elif request.param == "text":
        path.write_text("not an archive")
    elif request.param == "pickle":
        np.savez(path, header=np.array({"schema": "sole.condensed/1"}, dtype=object))
    else:  # ours, but without what the schema promises
        np.savez(path, header=np.array(json.dumps({"schema": "sole.condensed/1"})))
    return path


@pytest.mark.parametrize("name", READERS_OF_NPZ)
def test_a_file_that_cannot_be_read_whole(name, broken_npz, sole, tmp_path):
    result = sole(name, *(a.format(broken_npz, tmp_path / "out") for a in READERS_OF_NPZ[name]))
    assert_one_line_error(result, broken_npz)
    assert list(tmp_path.iterdir()) == [broken_npz]


def test_every_half_of_a_file_is_refused(pad_file, tmp_path):
    """Cut anywhere, a condensed sole is not read: 20 lengths spread over the file."""
    from sole.base.errors import SchemaError
    from sole.condense import load_condensed

    whole = pad_file.read_bytes()
    path = tmp_path / "cut.npz"
    for length in np.linspace(0, len(whole) - 1, 20).astype(int):
        path.write_bytes(whole[:length])
        with pytest.raises(SchemaError, match=r"cut\.npz"):
            load_condensed(path)


def test_another_schema_is_named(sole, tmp_path):
    path = tmp_path / "later.npz"
    np.savez(path, header=np.array(json.dumps({"schema": "sole.condensed/2"})))
    assert_one_line_error(
        sole("press", path, "--force", 600, "-o", tmp_path / "p.npz"),
        "sole.condensed/2",
        "sole.condensed/1",
    )
    np.savez(path, header=np.array(json.dumps({"schema": "somebody.else/1"})))
    assert_one_line_error(sole("info", path), "somebody.else/1", "sole.condensed")


@pytest.fixture
def full_disk(tmp_path):
    """A folder on a disk of its own with 32 KiB free: less than any result needs."""
    folder = tmp_path / "full"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(folder)]
    if shutil.which("mount") is None or subprocess.call(mount, stderr=subprocess.DEVNULL):
        pytest.skip("mounting a small disk needs root")
    (folder / "ballast").write_bytes(b"\0" * 32768)
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_leaves_what_was_there(full_disk, pad_file, sole):
    output = full_disk / "press.npz"
    output.write_text("yesterday's result")
    assert_one_line_error(
        sole("press", pad_file, "--force", 300, "-o", output), output, "disk is full"
    )
    assert output.read_text() == "yesterday's result"
    assert sorted(p.name for p in full_disk.iterdir()) == ["ballast", "press.npz"]


def test_a_full_disk_under_a_picture(full_disk, pad_file, sole):
    with contextlib.suppress(OSError):
        (full_disk / "more").write_bytes(b"\0" * 32768)
    output = full_disk / "pad.png"
    assert_one_line_error(sole("view", pad_file, "-o", output), output)
    assert not output.exists()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_a_disk_that_fails_at_the_last_moment(code, monkeypatch, pad, tmp_path):
    """The same without root: the rename reports the error."""
    from sole.condense import save_condensed

    def fail(source, target):
        raise OSError(code, os.strerror(code), str(target))

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(SoleError, match=r"cannot write .*pad\.npz"):
        save_condensed(tmp_path / "pad.npz", pad)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there(pad_file, sole, tmp_path):
    output = tmp_path / "nowhere" / "press.npz"
    assert_one_line_error(sole("press", pad_file, "--force", 300, "-o", output), output.parent)


# What a command calls when its work begins; a call of None would be an internal error.
WORK = {
    "mesh": "sole.mesh.mesh_from",
    "condense": "sole.mesh.read_mesh",
    "press": "sole.condense.load_condensed",
    "export": "sole.condense.load_condensed",
    "sweep": "sole.studies.resolve_request",
    "study": "sole.studies.run_command",
    "design": "sole.studies.design.run_design",
    "report": "sole.studies.read_table",
    "view": "sole.base.damage.refuse_damage",
    "robot export": "robot.model.export_urdf",
    "robot posture": "robot.model.export_posture",
    "walk": "robot.walk.assemble_walk",
    "retime": "robot.walk.load_scenario",
}


@pytest.mark.parametrize("name", WORK)
def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    name, pad_file, sole, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    put_files(tmp_path)
    shutil.copy(pad_file, "box.npz")
    for file in ("box.msh", "sweep.nc"):
        (tmp_path / file).write_text("not read")
    monkeypatch.setattr(WORK[name], None)
    *before, output = GOOD_CALLS[name]
    assert before[-1] == "-o"
    assert_one_line_error(sole(*name.split(), *before, f"nowhere/{output}"), "write nowhere/")


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="a folder that takes no files")
def test_a_folder_that_takes_no_files_is_found_by_trying(sole):
    """Its mode says that root may write; making a file in it fails."""
    assert_one_line_error(sole("walk", "--stand", "-o", "/proc/run.nc"), "cannot write /proc/run")


def test_ctrl_c_is_one_line(monkeypatch, capsys):
    def interrupted(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "app", interrupted)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 130
    assert capsys.readouterr().err == "error: interrupted\n"


def test_traceback_on_demand(sole_command, tmp_path):
    plain = sole_command("info", tmp_path / "absent.npz")
    assert (plain.returncode, plain.stdout) == (2, "")
    assert plain.stderr.count("\n") == 1
    loud = sole_command("info", tmp_path / "absent.npz", "--debug")
    assert loud.returncode == 1
    assert "Traceback" in loud.stderr


STUDY = """
mesh = "box.msh"
axis = [
    {quantity = "young", range = [1e5, 1e6]%s},
    {quantity = "poisson", values = [0.3]},
]
"""
DESIGN = """
[design]
minimise = "k_z_z"
evaluations = 10
population = 5
"""


BEND = """
robot = "hrp4-like"
[sole]
rigid = true
size = 0.06
element = "p1"
[gait]
kind = "postures"
posture = [{}, {com = [0.02, 0.0]}]
"""


def put_files(folder):
    """Write what no command of ours makes: a contact problem, studies, a scenario."""
    (folder / "bend.toml").write_text('schema = "robot.scenario/1"' + BEND)
    (folder / "problems").mkdir()
    local(folder / "problems" / "two.hdf5", *random_local(2))
    bench = "test, press [N], reading [mm]\npress, 300, 0.1\npress, 600, 0.201\npress, 900, 0.3\n"
    (folder / "bench.csv").write_text(bench)
    (folder / "foam.csv").write_text("strain [%], stress [kPa]\n-10,-30\n-30,-60\n")
    (folder / "study.toml").write_text('schema = "sole.study/2"' + STUDY % ", number = 2")
    (folder / "design.toml").write_text('schema = "sole.design/1"' + STUDY % "" + DESIGN)


def test_json_is_one_object_and_nothing_else(sole, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert set(GOOD_CALLS) == set(COMMANDS) - {"demo", "live play", "live press", "live walk"}
    put_files(tmp_path)
    for name, arguments in GOOD_CALLS.items():
        code, out, err = sole(*name.split(), *arguments, "--json")
        assert (code, err) == (0, ""), name
        assert out.count("\n") == 1, name
        assert isinstance(json.loads(out), dict), name


# Seconds each; `make test-nightly` calls them, too.
SLOW = {"sweep", "study", "design", "report", "doctor", "retime", "identify", "view"}


@pytest.mark.parametrize(
    "names", [GOOD_CALLS.keys() - SLOW, pytest.param(SLOW, marks=pytest.mark.nightly)]
)
@pytest.mark.usefixtures("no_pictures")
def test_quiet_is_silent(names, sole, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put_files(tmp_path)
    needed = {"mesh", "condense"}  # their files are read by others
    for name, arguments in GOOD_CALLS.items():
        if name not in names | needed:
            continue
        assert sole(*name.split(), *arguments, "--quiet") == (0, "", ""), name
        if "-o" in arguments:
            assert (tmp_path / arguments[-1]).stat().st_size > 500


LOST = "error: cannot write to standard output"


class Full(io.StringIO):
    """A standard output on a full disk."""

    def write(self, text):
        raise OSError(errno.ENOSPC, "No space left on device")


# Quick ones that write a file; later ones read what the first write.
WRITING = ["mesh", "condense", "press", "export", "contact solve", "robot export", "walk"]


def test_a_full_standard_output_loses_no_file(sole, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put_files(tmp_path)
    for name in WRITING:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", Full())
            code, _, err = sole(*name.split(), *GOOD_CALLS[name])
        assert code == 1, name
        assert err.endswith(f"{LOST}: No space left on device\n") and err.count("error") == 1, (
            name,
            err,
        )
        assert (tmp_path / GOOD_CALLS[name][-1]).stat().st_size > 500, name


@pytest.mark.parametrize(
    ("target", "code", "told"),
    [
        ("--json > /dev/full", 1, f"{LOST}: No space left on device\n"),
        ("--json | true", 1, ""),
        pytest.param(
            *("> /dev/full", 1, f"{LOST}: No space left on device\n"), marks=pytest.mark.nightly
        ),
        pytest.param(
            *("--json >&-", 1, f"{LOST}: Bad file descriptor\n"), marks=pytest.mark.nightly
        ),
        ("> o.txt 2>&-", 0, ""),
    ],
)
def test_a_standard_output_that_takes_nothing(target, code, told, root, tmp_path, pad_file):
    """No traceback at the end of the interpreter, and no file of ours as standard output."""
    (tmp_path / "pad.npz").write_bytes(pad_file.read_bytes())
    command = f"{sys.executable} -P -m sole export pad.npz --to json -o pad.json {target}"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root), "SOLE_PATIENCE": "inf"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (code, told)
    assert json.loads((tmp_path / "pad.json").read_text())["stiffness"]


FEW = [
    ("mesh", "--box 0.1 0.1 -o x.msh", "--box needs 3 numbers L W T, got 0.1 0.1;"),
    ("mesh", "--box", "--box needs 3 numbers L W T, got none;"),
    ("mesh", "--box=0.1 -o x.msh", "--box needs 3 numbers L W T, got 0.1;"),
    ("mesh", "--box 0.1 0,1 0.02", "--box needs 3 numbers L W T, got '0,1';"),
    ("press", "x.npz --force 5 --cop -0.1 -o x.npz", "--cop needs 2 numbers X Y, got -0.1;"),
    ("contact cone", "--friction 1 --wrench 0 0 1", "6 numbers FX FY FZ TX TY TZ, got 0 0 1;"),
    ("contact cone", "--wrench 0 0 1 0 --friction 1", "TZ, got 0 0 1 0;"),
]


@pytest.mark.parametrize(("name", "words", "mention"), FEW, ids=[f"{n} {w}" for n, w, _ in FEW])
def test_too_few_numbers_are_counted(name, words, mention, sole):
    """The option is named, not the one whose words the parser took, and the command's help."""
    assert_one_line_error(sole(*name.split(), *words.split()), mention, f"'sole {name} --help'")


def test_an_unknown_command_is_named(sole):
    code, _, err = sole("walk-on-water")
    assert code == 2
    assert "walk-on-water" in err


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["condense", "a.msh", "--young", "abc"], "'abc'"),
        (["press", "a.npz", "--increments", "nan"], "'nan'"),
        (["press"], "'sole'"),
        (["nonsense"], "'nonsense'"),
        (["info", "a.npz", "--nonsense"], "--nonsense"),
    ],
)
def test_wrong_options_are_one_line(monkeypatch, capsys, arguments, named):
    monkeypatch.setattr("sys.argv", ["sole", *arguments])
    with pytest.raises(SystemExit) as end:
        cli.main()
    out, err = capsys.readouterr()
    assert (end.value.code, out, err.count("\n")) == (2, "", 1)
    assert named in err


def test_a_bug_of_ours_is_one_line_and_not_exit_2(monkeypatch, capsys):
    def broken(**_):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(cli, "app", broken)
    monkeypatch.delenv("SOLE_DEBUG", raising=False)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 1
    assert capsys.readouterr().err.splitlines() == [
        "error: internal error, ZeroDivisionError: a bug (SOLE_DEBUG=1 shows where)"
    ]
    monkeypatch.setenv("SOLE_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        cli.main()


def test_a_result_never_replaces_its_input(sole, tmp_path):
    from box_mesh import box_mesh

    from sole.mesh import write_mesh

    mesh, condensed = tmp_path / "a.msh", tmp_path / "a.npz"
    write_mesh(mesh, box_mesh(0.2, 0.1, 0.02, (2, 2, 1)))
    sole("condense", mesh, "--young", "1e6", "--poisson", "0.3", "-o", condensed)
    for path, arguments in (
        (mesh, ["mesh", mesh]),
        (condensed, ["press", condensed, "--force", "100"]),
    ):
        before = path.read_bytes()
        assert_one_line_error(sole(*arguments, "-o", path), "is the input itself")
        assert path.read_bytes() == before
