"""`sole condense` and the choice of materials."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from box_mesh import box_mesh
from command_line import Call, in_this_process

from sole.base.errors import ConfigError, MaterialError
from sole.condense import choose_materials, condense, load_condensed
from sole.laws import parse_material
from sole.material import Material
from sole.mesh import SoleMesh, write_mesh

OWN = Material(young_modulus=2e6, poisson_ratio=0.3, density=900.0)


@pytest.fixture(scope="module")
def mesh() -> SoleMesh:
    return box_mesh(0.20, 0.10, 0.02, (4, 3, 2), layers=(1.0, 1.0))


@pytest.fixture
def mesh_file(mesh: SoleMesh, tmp_path: Path) -> Path:
    write_mesh(tmp_path / "pad.msh", mesh)
    return tmp_path / "pad.msh"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return in_this_process(monkeypatch, capsys)


def test_one_material_for_all_layers_and_an_override_that_wins(mesh: SoleMesh) -> None:
    lower, upper = choose_materials(mesh, 1e6, 0.4, None, ["layer1=3e6,0.2,1200"])
    assert lower == Material(young_modulus=1e6, poisson_ratio=0.4)
    assert upper == Material(young_modulus=3e6, poisson_ratio=0.2, density=1200.0)


def test_what_is_not_given_is_the_meshs_own(mesh: SoleMesh) -> None:
    own = replace(mesh, materials=(OWN, OWN))
    assert choose_materials(own) == (OWN, OWN)
    assert choose_materials(own, poisson=0.45)[0] == replace(OWN, poisson_ratio=0.45)
    assert choose_materials(own, density=1.0)[1] == replace(OWN, density=1.0)
    assert choose_materials(own, 1e6, 0.4)[0] == Material(
        young_modulus=1e6, poisson_ratio=0.4, density=900.0
    )


def test_a_layer_without_material_is_named_with_what_is_missing(mesh: SoleMesh) -> None:
    with pytest.raises(MaterialError, match=r"'layer0'.*--poisson"):
        choose_materials(mesh, 1e6)
    with pytest.raises(MaterialError, match=r"'layer1'.*--young"):
        choose_materials(mesh, None, 0.4, None, ["layer0=1e6,0.4"])
    with pytest.raises(ConfigError, match="'top'; the layers are layer0, layer1"):
        choose_materials(mesh, 1e6, 0.4, None, ["top=1e6,0.4"])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("layer0", "LAYER=E,nu"),
        ("=1e6,0.4", "LAYER=E,nu"),
        ("layer0=1e6", "LAYER=E,nu"),
        ("layer0=a,b", "layer0=a,b: 'a' is not a number in Pa"),
        ("a=1,2,3,4", "LAYER=E,nu"),
    ],
)
def test_a_garbled_override_is_refused_with_its_form(text: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        parse_material(text)


def test_a_mesh_file_becomes_a_condensed_file(run, mesh, mesh_file, tmp_path: Path) -> None:
    out = tmp_path / "pad.npz"
    code, told, err = run(
        *["condense", mesh_file, "--young", 1e6, "--poisson", 0.4, "-o", out],
        *["--material", "layer1=3e6,0.4", "--element", "p1", "--json"],
    )
    assert (code, err) == (0, "")
    report = json.loads(told)
    sole = load_condensed(out)
    assert [m.young_modulus for m in sole.materials] == [1e6, 3e6]
    assert report["stiffness_vertical"] == pytest.approx(sole.foot_stiffness[2, 2])
    assert report["tread_nodes"] == 20
    assert report["time"] > 0
    direct = condense(mesh, sole.materials, "p1")
    assert (
        np.abs(sole.foot_stiffness - direct.foot_stiffness).max()
        < 1e-6 * np.abs(direct.foot_stiffness).max()
    )


def test_locking_is_a_warning_in_the_report(run, mesh_file, tmp_path: Path) -> None:
    call = ["condense", mesh_file, "--young", 1e6, "--poisson", 0.49, "--element", "p1"]
    code, told, _ = run(*call, "-o", tmp_path / "pad.npz", "--json")
    assert code == 0
    assert "locks" in json.loads(told)["warnings"][0]
    assert run(*call, "-o", tmp_path / "b.npz", "--quiet") == (0, "", "")


def test_a_modulus_meant_in_mpa_is_a_warning_in_the_report(run, mesh_file, tmp_path: Path) -> None:
    output = ["-o", tmp_path / "pad.npz", "--json"]
    for young, told in ((2.0, "E = 2 Pa: Young's modulus is in Pa"), (1e4, "")):
        _, out, _ = run("condense", mesh_file, "--young", young, "--poisson", 0.4, *output)
        warnings = " ".join(json.loads(out)["warnings"])
        assert told in warnings
        assert ("Young" in warnings) == bool(told)


@pytest.mark.parametrize(
    ("arguments", "mention"),
    [
        (["--young", "1e6", "--poisson", "0.6"], "0.6"),
        (["--young", "-1", "--poisson", "0.4"], "-1"),
        (["--young", "1e6", "--poisson", "0.4", "--element", "q1"], "p1, p2, ccr"),
        (["--young", "1e6", "--poisson", "0.49995", "--element", "p2"], "ccr"),
        ([], "--young"),
    ],
)
def test_impossible_materials_are_one_line_and_leave_no_file(
    run, mesh_file, tmp_path: Path, arguments, mention
) -> None:
    code, out, err = run("condense", mesh_file, *arguments, "-o", tmp_path / "pad.npz")
    assert (code, out) == (2, "")
    assert mention in err
    assert err.count("\n") == 1
    assert not (tmp_path / "pad.npz").exists()


def test_the_output_must_be_an_npz(run, mesh_file, tmp_path: Path) -> None:
    code, _, err = run(
        "condense", mesh_file, "--young", 1e6, "--poisson", 0.4, "-o", tmp_path / "a.msh"
    )
    assert code == 2
    assert ".npz" in err
