"""`sole press` as a user types it, its file, and what it refuses."""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import asdict
from math import radians

import numpy as np
import pytest
from command_line import in_this_process
from press_cases import pad

from contact.ground import Step
from contact.press import (
    PressOptions,
    RigidMotion,
    Wrench,
    divide_load,
    load_path,
    load_press,
    press,
    save_press,
)
from contact.press.load import LoadPath, PathStep
from contact.press.press_rows import PressRows
from contact.summaries.press_summary import press as describe
from sole.base.archive import read_archive, write_archive
from sole.base.errors import ConfigError, ConvergenceError, SchemaError, SoleError
from sole.condense import save_condensed


@pytest.fixture(scope="module")
def sole_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("press") / "pad.npz"
    save_condensed(path, pad())
    return path


@pytest.fixture
def run(sole_file, tmp_path, capsys):
    """Run the command's function with its defaults; returns (output path, text on stdout)."""
    from contact.commands.press import press as command

    def call(**options):
        output = options.pop("output", tmp_path / "press.npz")
        command(sole_file, output=output, **options)
        return output, capsys.readouterr().out

    return call


def test_file_holds_what_scripts_rely_on(run):
    output, text = run(force=600.0, cop=(0.03, 0.01), as_json=True)
    report = json.loads(text)
    with np.load(output, allow_pickle=False) as f:
        points, forces, u, pose = (f[k] for k in ("points", "forces", "displacements", "pose"))
        header = json.loads(str(f["header"]))
    m = len(pad().points)
    assert points.shape == forces.shape == u.shape == (m, 3) and pose.shape == (4, 4)
    np.testing.assert_array_equal(points, pad().points)
    np.testing.assert_allclose(pose[:3, :3] @ forces.sum(axis=0), [0, 0, 600], atol=1e-6)
    np.testing.assert_allclose(u.ravel(), pad().compliance @ forces.ravel(), atol=1e-15)
    world = (points + u) @ pose[:3, :3].T + pose[:3, 3]
    assert abs(world[:, 2].min()) < 1e-10
    assert header["schema"] == "contact.press/2" and header["digest"] == pad().digest
    assert report["cop"] == pytest.approx([0.03, 0.01], abs=1e-9)
    assert report["residual"] < 1e-9 and report["units"]["force"] == "N"


def test_older_file_says_how_to_make_it_again(run, tmp_path):
    """Its load turned with the foot: read as today's it would be another one."""
    output, _ = run(force=500.0, quiet=True)
    file = read_archive(output, "contact.press/2")
    older = tmp_path / "older.npz"
    write_archive(
        older, "contact.press/1", file.header | {"schema": "contact.press/1"}, file.arrays
    )
    with pytest.raises(
        SchemaError, match=r"older\.npz: an older file, .*; press again: `sole press"
    ):
        load_press(older)


def test_record_gives_back_the_press(run):
    output, _ = run(force=500.0, ground="step:0.004", friction=0.5, quiet=True)
    record = load_press(output)
    result = press(pad(), Wrench.standing(500), Step(rise=0.004), 0.5)
    assert (record.ground, record.friction, record.loads) == (result.ground, 0.5, result.path)
    for name in ("forces", "displacements", "pose", "gap", "slip", "status", "pressure", "frames"):
        np.testing.assert_allclose(getattr(record, name), getattr(result, name), atol=1e-12)
    again = record.result()
    assert again.certificate.holds(1e-9)
    assert again.energy == pytest.approx(result.energy, rel=1e-12)
    assert describe(output).as_json()["stick"] == int((result.status == 1).sum())


def test_table_and_quiet(run):
    assert "contact area" in run(force=600.0)[1]
    assert run(force=600.0, quiet=True)[1] == ""


def test_moments_equal_the_cop(run):
    a, _ = run(force=600.0, cop=(0.03, 0.01), quiet=True)
    first = load_press(a).forces
    b, _ = run(force=600.0, moment=(6.0, -18.0), quiet=True)
    np.testing.assert_array_equal(first, load_press(b).forces)


def test_pose_and_increments(run):
    output, _ = run(pose="sink=1e-4,x=2e-5,roll_deg=0.01", increments=3, quiet=True)
    record = load_press(output)
    assert len(record.loads) == 3 and record.loads[-1] == RigidMotion(
        sink=1e-4, x=2e-5, roll=radians(0.01)
    )
    np.testing.assert_allclose(record.motion, [2e-5, 0, -1e-4, radians(0.01), 0, 0], atol=1e-12)


PATH = """
schema = "contact.path/1"
[[step]]
force = 300.0
cop = [0.01, 0.0]
[[step]]
force = 600.0
cop = [0.02, 0.01]
shear = [100.0, 0.0]
increments = 3
[[step]]
pose = { sink = 1e-4 }
"""


def test_path_file(run, tmp_path):
    file = tmp_path / "path.toml"
    file.write_text(PATH)
    output, _ = run(path=file, quiet=True)
    loads = load_press(output).loads
    assert len(loads) == 5 and loads[-1] == RigidMotion(sink=1e-4)
    np.testing.assert_allclose(
        [w.vector[:3] for w in loads[:4]],
        [[0, 0, 300], [100 / 3, 0, 400], [200 / 3, 0, 500], [100, 0, 600]],
    )


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (PATH.replace("force = 300.0", "forse = 300.0"), "forse"),
        (PATH.replace("contact.path/1", "contact.path/9"), "contact.path/9"),
        (PATH.replace("increments = 3", "increments = 0"), "increments"),
        (PATH.replace("sink", "sinc"), "sinc"),
        ('schema = "contact.path/1"\nstep = []', "at least one"),
        ("schema = ", "TOML"),
        (PATH.replace("force = 300.0", 'force = "300"'), "force"),
    ],
)
def test_bad_path_names_the_key(tmp_path, text, word):
    file = tmp_path / "path.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=word) as caught:
        load_path(file)
    assert "path.toml" in str(caught.value) or word == "sinc"


def test_step_needs_one_kind_of_load():
    with pytest.raises(ConfigError, match="either"):
        PathStep()
    with pytest.raises(ConfigError, match="go with"):
        PathStep(pose=RigidMotion(sink=1.0), yaw=2.0)
    with pytest.raises(ConfigError, match="at least one"):
        LoadPath(step=())


def test_divided_is_proportional():
    parts = divide_load(Wrench.standing(600, shear=(30, 0)), 3)
    assert parts[-1] == Wrench.standing(600, shear=(30, 0)) and parts[0].fz == pytest.approx(200)
    assert [p.fx for p in parts] == pytest.approx([10, 20, 30])


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({}, "exactly one"),
        ({"force": 600.0, "pose": "sink=1e-4"}, "exactly one"),
        ({"pose": "sink=1e-4", "yaw": 3.0}, "--force"),
        ({"pose": "depth=1e-4"}, "depth"),
        ({"pose": "sink=deep"}, "sink=deep"),
        ({"pose": "roll_deg=60"}, "within 57.2 degrees"),
        ({"force": 600.0, "cop": (0.2, 0.0)}, "CoP .* outside"),
        ({"force": 600.0, "cop": (0.0, 0.0), "moment": (1.0, 0.0)}, "not both"),
        ({"force": float("nan")}, "nan"),
        ({"force": 600.0, "yaw": 90.0}, "yaw 90 N m .* turns at"),
        ({"force": 600.0, "ground": "lava"}, "lava"),
        ({"force": 600.0, "friction": -1.0}, "friction"),
        ({"force": 600.0, "increments": 0}, "increments"),
        ({"force": 600.0, "tolerance": 0.0}, "tolerance"),
    ],
)
def test_bad_input_is_one_clear_error_and_no_file(run, tmp_path, options, word):
    with pytest.raises(SoleError, match=word):
        run(**options)
    assert not list(tmp_path.glob("*.npz"))


def test_a_sole_pressed_flat_is_called_too_soft(tmp_path, capsys):
    """E meant in MPa: nothing rests, and the cause is named; a little stiffer, it is a warning."""
    from contact.commands.press import press as command

    usual = pad()
    flat = usual.foot_stiffness[2, 2] * usual.thickness  # [N], sinks by the thickness
    output = tmp_path / "press.npz"
    save_condensed(tmp_path / "soft.npz", usual.scaled(1e-6))
    with pytest.raises(SoleError, match=r"far too soft, E = .* Pa; Young's modulus is in Pa"):
        command(tmp_path / "soft.npz", force=600.0, output=output)
    assert not output.exists()
    told = {}
    for times in (1.1, 0.9):
        save_condensed(tmp_path / "pad.npz", usual.scaled(600 / (times * flat)))
        command(tmp_path / "pad.npz", force=600.0, friction=50.0, output=output, as_json=True)
        report = json.loads(capsys.readouterr().out)
        told[times] = "too soft" in " ".join(report["warnings"])
        assert told[times] == (report["sink"] > usual.thickness)
    assert told == {1.1: True, 0.9: False}


def test_command_line(sole_here, sole_file, tmp_path):
    out = tmp_path / "p.npz"
    done = sole_here(
        "press", sole_file, "--force", 600, "--cop", 0.02, -0.01, "--shear", 50, 0, "--yaw", 1,
        "--friction", 0.6, "--ground", "slope:angle_deg=5", "-o", out, "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["force"] == pytest.approx([50, 0, 600])
    assert out.is_file()
    failed = sole_here("press", sole_file, "--force", 600, "--cop", 0.5, 0, "-o", out)
    assert failed.returncode == 2 and failed.stdout == ""
    assert failed.stderr.count("\n") == 1 and "CoP (0.5, 0)" in failed.stderr
    assert "Traceback" not in failed.stderr


def test_truncated_and_foreign_files_are_refused(run, sole_file, tmp_path):
    output, _ = run(force=600.0, quiet=True)
    broken = tmp_path / "broken.npz"
    broken.write_bytes(output.read_bytes()[:-4000])
    with pytest.raises(SchemaError, match=r"broken\.npz"):
        load_press(broken)
    with pytest.raises(SchemaError, match=r"contact\.press/2"):
        load_press(sole_file)
    archive = read_archive(output, "contact.press/2")
    del archive.header["ground"]
    from sole.base.archive import write_archive

    write_archive(broken, "contact.press/2", archive.header, archive.arrays)
    with pytest.raises(SchemaError, match="ground"):
        load_press(broken)


def test_saving_is_exact(tmp_path):
    result = press(pad(), Wrench.standing(600, cop=(0.01, 0.02)))
    save_press(tmp_path / "a.npz", result)
    record = load_press(tmp_path / "a.npz")
    np.testing.assert_array_equal(record.contact_forces, result.contact_forces)
    assert asdict(record.certificate) == asdict(result.certificate)


def test_waiting_speaks_only_after_a_while(capsys, monkeypatch):
    from contact.solvers import show_waiting
    from contact.solvers.solver_progress import DELAY

    pauses: list[float] = []
    reported, told = threading.Event(), threading.Event()

    def short(finished, seconds):
        pauses.append(seconds)
        return finished.wait()  # the work ends before the delay is over

    def long(finished, seconds):
        pauses.append(seconds)
        if len(pauses) == 1:
            reported.wait()
            return False
        told.set()
        return finished.wait()

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with show_waiting("pressing", show=True, pause=short) as report:
        report(1, 2, 1e-3)
    assert capsys.readouterr().err == "" and pauses == [DELAY]
    pauses.clear()
    times = iter([10.0, 13.2])
    with show_waiting("pressing", show=True, clock=lambda: next(times), pause=long) as report:
        report(1, 2, 1e-3)
        reported.set()
        told.wait()
    assert "pressing: 3 s, increment 1 of 2, residual 1.0e-03" in capsys.readouterr().err
    assert pauses[0] == DELAY > pauses[1]
    pauses.clear()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    with show_waiting("pressing", show=True, pause=long):
        pass
    assert capsys.readouterr().err == "" and not pauses  # a pipe gets errors alone


# --- rows of a sweep ----------------------------------------------------------------------------


class Shared:
    sole = pad()

    @property
    def recovery(self):
        from sole.condense import Recovery

        return Recovery(self.sole)


def case(scale=1.0, friction=None):
    from sole.studies import Case

    settings = {} if friction is None else {"friction": friction}
    return Case(index=0, settings=settings, materials=pad().materials, scale=scale, young=1e6)


def test_press_rows_are_those_of_a_press():
    rows = PressRows({"force": 570.0, "cop": [0.03, 0.01], "ground": "step:0.004", "fields": False})
    row = rows.row(Shared(), case(scale=3.0, friction=0.5))
    result = press(pad().scaled(3.0), Wrench.standing(570, cop=(0.03, 0.01)), Step(rise=0.004), 0.5)
    assert row["contact_area"] == result.contact_area
    assert row["pressure_max"] == result.pressure.max() >= row["pressure_p95"] > 0
    assert row["energy"] == result.energy and row["pitch"] == result.motion[4]
    assert set(row) == set(rows.columns)


def test_press_rows_are_the_sums_they_are_said_to_be():
    # Part of the sole in contact, part of that slipping, tilted about both axes.
    load = {"force": 570.0, "cop": [0.04, -0.03], "shear": [200.0, 60.0]}
    row = PressRows({**load, "fields": False}).row(Shared(), case(friction=0.6))
    result = press(pad(), Wrench.standing(570, (0.04, -0.03), shear=(200, 60)), friction=0.6)
    p, a, status = result.pressure, result.sole.areas, result.status
    area = a[status > 0].sum()
    assert area < 0.9 * a.sum() and 0.1 < a[status == 2].sum() / area < 0.9
    assert row["slip_fraction"] == pytest.approx(a[status == 2].sum() / area)

    def percentile(fraction, pressures, areas):
        return min(q for q in pressures if areas[pressures <= q].sum() >= fraction * areas.sum())

    touching = status > 0
    expected = percentile(0.95, p[touching], a[touching])
    assert row["pressure_p95"] == expected
    for wrong in (
        percentile(0.95, p[touching], np.ones(touching.sum())),
        percentile(0.95, p, a),
        percentile(0.90, p[touching], a[touching]),
    ):
        assert wrong != expected  # this case can tell
    # Rz(yaw) Ry(pitch) Rx(roll), from the pose itself.
    R = result.pose[:3, :3]
    assert row["roll"] == pytest.approx(np.arctan2(R[2, 1], R[2, 2]), rel=1e-9)
    assert row["pitch"] == pytest.approx(-np.arcsin(R[2, 0]), rel=1e-9)
    assert row["roll"] > 1.2 * row["pitch"] > 0
    origin = result.pose[:3, 3] + R @ result.sole.origin
    assert row["sink"] == pytest.approx(-origin[2], rel=1e-9) and row["sink"] > 0


def test_press_rows_recover_strain():
    from sole.condense import recover

    rows = PressRows({"force": 570.0})
    row = rows.row(Shared(), case(scale=3.0))
    assert set(row) == set(rows.columns)
    sole = pad().scaled(3.0)
    field = recover(sole, press(sole, Wrench.standing(570)).forces)
    assert row["von_mises_max"] == pytest.approx(field.von_mises.max(), rel=1e-9)
    tensors = field.strain[:, [0, 5, 4, 5, 1, 3, 4, 3, 2]].reshape(-1, 3, 3)
    assert row["strain_max"] == pytest.approx(-np.linalg.eigvalsh(tensors).min(), rel=1e-9)
    assert 0 < row["strain_p99"] <= row["strain_max"]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({}, "force"),
        ({"force": "570"}, "force"),
        ({"force": 570.0, "cops": [0, 0]}, "cops"),
        ({"force": 570.0, "cop": [0.1]}, "cop"),
        ({"force": 570.0, "ground": "lava"}, "lava"),
        ({"force": 570.0, "increments": 1.5}, "increments"),
    ],
)
def test_bad_row_options(options, word):
    with pytest.raises(ConfigError, match=word):
        PressRows(options)


def test_a_node_in_a_crease_is_solved_or_gets_advice(tmp_path, monkeypatch, capsys):
    """A kink of the height field runs under nodes at y = 0: two normals.

    The order of the nodes decides whether such a press is solved, and rounding which orders do.
    """
    sole = in_this_process(monkeypatch, capsys)
    mesh, pad_file = tmp_path / "box.msh", tmp_path / "box.npz"
    sole("mesh", "--box", 0.2, 0.1, 0.02, "--size-tread", 0.05, "-o", mesh)
    sole("condense", mesh, *"--young 1e6 --poisson 0.4 --element p1 -o".split(), pad_file)
    (tmp_path / "heights.csv").write_text("0,0.5,1\n1,0.2,0\n")
    field = f"heightfield:{tmp_path}/heights.csv,0.2,0.002"
    call = ("press", pad_file, "--force", 300, "--ground", field, "-o", tmp_path / "p.npz")
    for friction in (0, 0.01):  # 0.01 is what the advice names
        codes = set()
        for seed in range(1, 9):
            code, _, err = sole(*call, "--friction", friction, "--seed", seed)
            said = [line for line in err.splitlines() if not line.startswith("compil")]
            advice = f"--seed {seed + 1}, " if friction == 0 else "--increments"
            assert len(said) == (code == 2)
            assert all(line.startswith("error: ") and advice in line for line in said)
            codes.add(code)
        assert 0 in codes and codes <= {0, 2}


@pytest.mark.parametrize(("friction", "advice"), [(0, "--seed 8, "), (0.5, "increments=5")])
def test_a_press_that_stalls_gives_advice_for_its_friction(friction, advice):
    hasty = PressOptions(max_outer=1, max_sweeps=1, polish=False, seed=7)
    with pytest.raises(ConvergenceError, match=advice):
        press(pad(), Wrench(fz=300.0), friction=friction, options=hasty)
