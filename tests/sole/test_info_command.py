"""`sole info` and the reports behind it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from box_mesh import box_mesh
from command_line import Call, in_this_process

from sole.base.archive import write_archive
from sole.base.dispatch import plugin_for
from sole.base.errors import SchemaError
from sole.mesh import write_mesh
from sole.summaries import describe_condensed, describe_mesh


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return in_this_process(monkeypatch, capsys)


def test_a_condensed_sole_is_described_in_si_units(run, pad, pad_file) -> None:
    code, out, _ = run("info", pad_file, "--json")
    told = json.loads(out)
    assert code == 0
    assert told["tread_nodes"] == 35
    assert told["element"] == "p1"
    assert told["layer_layer0"] == [1e6, 0.4, 1100.0]
    assert told["mass"] == pytest.approx(0.2 * 0.1 * 0.02 * 1100)
    assert told["center_of_mass"] == pytest.approx([0, 0, -0.01], abs=1e-9)
    assert np.array(told["foot_stiffness"]) == pytest.approx(pad.foot_stiffness)
    diagonal = np.diag(pad.foot_stiffness)
    names = ("forward", "sideways", "vertical", "roll", "pitch", "yaw")
    assert [told[f"stiffness_{name}"] for name in names] == pytest.approx(diagonal.tolist())
    assert told["units"]["stiffness_vertical"] == "N/m"
    assert told["units"]["stiffness_pitch"] == "N m/rad"


def test_people_get_a_table_with_units(run, pad_file) -> None:
    code, out, err = run("info", pad_file)
    assert (code, err) == (0, "")
    for text in ("condensed sole", "stiffness vertical", "N/m", "kg", "foot stiffness ["):
        assert text in out
    assert run("info", pad_file, "--quiet") == (0, "", "")


def test_a_mesh_is_described_by_its_sizes_and_groups() -> None:
    told = describe_mesh(box_mesh(0.2, 0.1, 0.02, (6, 4, 2), layers=(1.0, 1.0))).as_json()
    assert (told["length"], told["width"]) == pytest.approx((0.2, 0.1))
    assert told["thickness"] == pytest.approx(0.02)
    assert told["volume"] == pytest.approx(0.2 * 0.1 * 0.02)
    assert told["bond_area"] == pytest.approx(0.02)
    assert told["tread_area"] == pytest.approx(0.02)
    assert told["tetrahedra"] == 6 * 6 * 4 * 2
    assert told["tread_vertices"] == 35
    assert told["layer_layer0"] == "no material"
    assert 0 < told["smallest_scaled_jacobian"] < 1
    assert 0 < told["smallest_dihedral_angle"] < 70.6


def test_a_shape_is_described_before_it_is_meshed(run, tmp_path: Path) -> None:
    path = tmp_path / "pad.toml"
    path.write_text(
        'schema = "sole.shape/1"\nname = "pad"\nsize_tread = 0.01\n'
        "[rectangle]\nlength = 0.2\nwidth = 0.1\n"
        '[[layers]]\nname = "tread"\nthickness = 0.005\n'
        "young_modulus = 1e6\npoisson_ratio = 0.4\n"
        '[[layers]]\nname = "top"\nthickness = 0.01\n'
        '[toe]\nkind = "chamfer"\nlength = 0.03\nheight = 0.004\n'
    )
    code, out, err = run("info", path, "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert told["title"] == "shape: pad"
    assert (told["length"], told["width"], told["thickness"]) == pytest.approx((0.2, 0.1, 0.015))
    assert told["outline_area"] == pytest.approx(0.02)
    assert told["layer_tread"] == [1e6, 0.4, 1100.0]
    assert told["layer_top"] == "no material"
    assert told["toe"] == "chamfer"
    assert told["mesh_size_at_tread"] == 0.01


def test_an_upside_down_stiffness_would_show(pad) -> None:
    # Pitch is stiffer than roll for a sole longer than wide: the table keeps them apart.
    told = describe_condensed(pad).as_json()
    assert told["stiffness_pitch"] > 2 * told["stiffness_roll"]


def test_unknown_kinds_are_refused_with_the_known_ones(run, tmp_path: Path) -> None:
    other = tmp_path / "other.npz"
    write_archive(other, "foo.bar/1", {}, {})
    code, out, err = run("info", other)
    assert (code, out) == (2, "")
    assert "foo.bar/1" in err
    assert "sole.condensed" in err
    assert err.count("\n") == 1
    with pytest.raises(SchemaError, match=r"sole\.viewers.*foo\.bar"):
        plugin_for("sole.viewers", "foo.bar/1")
    (tmp_path / "notes.txt").write_text("hello")
    code, _, err = run("info", tmp_path / "notes.txt")
    assert code == 2
    assert "notes.txt" in err
    (tmp_path / "empty.nc").write_bytes(b"")
    assert "empty.nc: is empty" in run("info", tmp_path / "empty.nc")[2]


def test_info_of_inputs_in_toml(run, tmp_path):
    """A study and a path of loading are files of ours, too."""
    study = tmp_path / "study.toml"
    study.write_text(
        'schema = "sole.study/2"\nmesh = "pad.msh"\nrows = ["stiffness"]\n'
        '[[axis]]\nquantity = "young"\n'
        'range = [1e5, 1e7]\nnumber = 3\n[[axis]]\nquantity = "poisson"\nvalues = [0.1, 0.4]\n'
    )
    said = json.loads(run("info", study, "--json")[1])
    assert (said["cases"], said["element"]) == (6, "p2")
    assert said["axis_young"] == "100000 .. 1e+07"
    path = tmp_path / "path.toml"
    path.write_text(
        'schema = "contact.path/1"\n[[step]]\nforce = 100.0\n[[step]]\nforce = 300.0\n'
        "increments = 2\n"
    )
    said = json.loads(run("info", path, "--json")[1])
    assert said["increments"] == 3
    assert said["increment_3"] == "fz 300"


def test_the_stiffness_about_the_ankle_is_that_of_its_motion(run, pad, pad_file, tmp_path) -> None:
    point = np.array([0.01, -0.02, 0.08])
    K = pad.stiffness_about(point)
    # The wrench about p of a turn about p, from the displacements of the nodes themselves.
    for k, axis in enumerate(np.eye(3)):
        moved = np.cross(axis, pad.points - point)
        forces = (pad.stiffness @ moved.ravel()).reshape(-1, 3)
        torque = np.cross(pad.points - point, forces).sum(axis=0)
        assert K[3:, 3 + k] == pytest.approx(torque, rel=1e-9, abs=1e-9 * K[3, 3])
        assert K[:3, 3 + k] == pytest.approx(forces.sum(axis=0), rel=1e-9, abs=1e-6)
    assert pad.stiffness_about(pad.origin) == pytest.approx(pad.foot_stiffness)
    code, out, _ = run("info", pad_file, "--about", "10mm", "-0.02", "80mm", "--json")
    told = json.loads(out)
    assert code == 0 and np.array(told["foot_stiffness"]) == pytest.approx(K)
    assert told["stiffness_pitch"] == pytest.approx(K[4, 4])
    assert "(10, -20, 80) mm" in run("info", pad_file, "--about", "10mm", "-0.02", "80mm")[1]
    write_mesh(tmp_path / "pad.msh", pad.mesh)
    code, _, err = run("info", tmp_path / "pad.msh", "--about", "0", "0", "0.1")
    assert code == 2 and "--about is for condensed soles" in err


def test_a_mesh_of_poor_elements_is_told() -> None:
    assert not describe_mesh(box_mesh(0.2, 0.1, 0.02, (6, 4, 2))).warnings
    (told,) = describe_mesh(box_mesh(0.2, 0.1, 0.006, (2, 2, 2))).warnings
    assert "scaled Jacobian of 0.0" in told and "mesh sizes" in told
    (flat,) = describe_mesh(box_mesh(0.2, 0.1, 0.0004, (2, 2, 2))).warnings
    assert "as flat as" in flat
