"""`sole press` of a mesh: its file, report, pictures and refusals."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from box_mesh import box_mesh

from contact.commands.press import press as command
from contact.finite_press import load_finite_press, press_finite, save_finite_press
from contact.finite_press.sides import depth_of_sides
from contact.pictures.press_data import press_dataset
from contact.press import RigidMotion, Wrench
from contact.summaries.finite_press_summary import describe_finite_press
from sole.base.archive import read_archive, write_archive
from sole.base.errors import ConvergenceError, MaterialError, SchemaError, SoleError
from sole.hyperelastic import FiniteSole
from sole.laws import HyperelasticMaterial, Hyperfoam, NeoHooke
from sole.material import Material
from sole.mesh import write_mesh

FOAM = HyperelasticMaterial(law=Hyperfoam.of(1e6, 0.1), density=200.0)
RUBBER = HyperelasticMaterial(law=NeoHooke.of(1e6, 0.4))


def layered(*materials):
    mesh = box_mesh(0.24, 0.14, 0.02, (6, 4, len(materials)), layers=[1.0] * len(materials))
    return replace(mesh, materials=materials)


@pytest.fixture
def call(tmp_path, capsys):
    def run(*materials, **options):
        write_mesh(tmp_path / "pad.msh", layered(*materials))
        output = tmp_path / "out.npz"
        command(tmp_path / "pad.msh", output=output, as_json=True, **options)
        return load_finite_press(output), json.loads(capsys.readouterr().out)

    return run


def test_a_mesh_with_layers_is_pressed_and_its_file_holds_the_result(call):
    record, report = call(FOAM, RUBBER, force=600.0, cop=(0.06, 0.0), increments=2)
    sole = FiniteSole(layered(FOAM, RUBBER), element="ccr")
    path = [Wrench.standing(300.0, (0.06, 0.0)), Wrench.standing(600.0, (0.06, 0.0))]
    done = press_finite(sole, path)
    assert (record.element, report["element"], len(record.loads)) == ("ccr", "ccr", 2)
    assert [m.law for m in record.materials] == [FOAM.law, RUBBER.law]
    scale = np.abs(done.forces).max()
    np.testing.assert_allclose(record.forces, done.forces, atol=1e-9 * scale)
    # forces of the file carry the load, and pressures over true areas are their sum
    assert (record.pressure * record.areas).sum() == pytest.approx(600.0, rel=1e-9)
    assert record.areas.sum() != pytest.approx(sole.mesh.tread_areas.sum(), rel=1e-5)
    assert report["strain"] == pytest.approx(done.field.strain)
    assert report["stretches"][0] < 1 < report["stretches"][1]
    assert report["residual"] < 1e-8 and report["internal_residual"] < 1e-8


def test_cauchy_stress_of_the_file_carries_the_load(call):
    """A horizontal cut through the lower row of a flat pad: - int sigma_zz dA = f_z."""
    record, _ = call(RUBBER, force=600.0, friction=0.0)
    mesh = record.mesh
    volume = mesh.volumes * np.prod(record.stretches, axis=1)  # deformed, to second order
    height = mesh.thickness * (1 + record.displacements[:, 2].mean() / -mesh.thickness)
    mean = -(record.cauchy[:, 2, 2] * volume).sum() / height
    assert mean == pytest.approx(600.0, rel=0.01)
    tau = np.trace(record.cauchy, axis1=1, axis2=2)
    deviator = record.cauchy - tau[:, None, None] / 3 * np.eye(3)
    von_mises = np.sqrt(1.5 * (deviator**2).sum(axis=(1, 2)))
    np.testing.assert_allclose(record.von_mises, von_mises, rtol=1e-12)


def test_linear_layers_need_the_flag_and_become_neo_hookean(call, tmp_path):
    rubber = Material(young_modulus=1e6, poisson_ratio=0.4)
    with pytest.raises(
        MaterialError, match=r"pad.msh is a mesh .* `sole condense`, .* with --finite"
    ):
        call(rubber, force=600.0)
    assert not (tmp_path / "out.npz").exists()
    record, _ = call(rubber, force=600.0, finite=True, element="p2")
    assert (record.materials[0].law, record.element) == (RUBBER.law, "p2")


def test_foams_alone_take_p2_and_an_option_gives_a_law(call):
    record, _ = call(None, force=300.0, material=["layer0=hyperfoam,mu=4e5,alpha=8,nu=0.1"])
    assert record.element == "p2"
    assert record.materials[0].law == Hyperfoam(mu=(4e5,), alpha=(8.0,), nu=(0.1,))


def test_a_foreign_mesh_has_a_unit(tmp_path):
    import meshio

    mesh = box_mesh(240.0, 140.0, 20.0, (3, 2, 1))
    groups = {"bond": mesh.bond, "tread": mesh.tread, "rubber": mesh.tets}
    kinds = ["triangle", "triangle", "tetra"]
    numbers = [np.full(len(cells), k + 1) for k, cells in enumerate(groups.values())]
    meshio.write_points_cells(
        tmp_path / "pad.msh",
        mesh.points,
        list(zip(kinds, groups.values(), strict=True)),
        cell_data={"gmsh:physical": numbers, "gmsh:geometrical": numbers},
        field_data={n: np.array([k + 1, 2 + (n == "rubber")]) for k, n in enumerate(groups)},
        file_format="gmsh22",
        binary=False,
    )
    command(
        tmp_path / "pad.msh",
        force=100.0,
        material=["rubber=neo-hooke,1MPa,0.4"],
        unit="mm",
        element="p2",
        output=tmp_path / "o.npz",
        quiet=True,
    )
    assert load_finite_press(tmp_path / "o.npz").thickness == pytest.approx(0.02)


def test_a_condensed_sole_is_linear(tmp_path):
    (tmp_path / "pad.npz").write_bytes(b"x")
    for option in (
        {"finite": True},
        {"material": ["a=1e6,0.4"]},
        {"element": "p2"},
        {"unit": "mm"},
    ):
        with pytest.raises(SoleError, match=r"is a condensed sole, hence linear: .*press MESH"):
            command(tmp_path / "pad.npz", force=5.0, output=tmp_path / "o.npz", **option)


def test_past_its_limit_the_file_holds_the_last_increment(call, tmp_path):
    soft = Material(young_modulus=3e5, poisson_ratio=0.4)
    with pytest.raises(ConvergenceError, match=r"kept in .*out.npz, is 1 of 2") as failed:
        call(soft, pose="sink=19.9mm", increments=2, finite=True)
    record = load_finite_press(tmp_path / "out.npz")
    assert record.loads == (RigidMotion(sink=0.00995),)
    assert f"{tmp_path / 'out.npz'}" in str(failed.value)
    notes = describe_finite_press(record).warnings
    assert notes[0] == "the press stopped: this is increment 1 of 2, not the whole load"


def test_a_side_under_the_ground_is_told(tmp_path):
    """Held 7 mm deep on a bonded pad, the sides bulge; a step beside the pad covers them."""
    sole = FiniteSole(layered(RUBBER))
    flat = press_finite(sole, RigidMotion(sink=0.001))
    assert depth_of_sides(flat) == (0, 0.0)
    sunk = replace(flat, pose=flat.pose + np.outer([0, 0, -0.030, 0], [0, 0, 0, 1.0]))
    nodes, depth = depth_of_sides(sunk)
    bond = len(np.unique(sole.mesh.bond))
    assert nodes == bond  # all but the tread: 20 mm above it, 31 mm down
    assert depth == pytest.approx(0.011, abs=1e-4)
    save_finite_press(tmp_path / "a.npz", sunk)
    notes = describe_finite_press(load_finite_press(tmp_path / "a.npz")).warnings
    assert any(f"{bond} vertices of the sides are up to 11 mm under" in note for note in notes)


def test_pictures_have_the_fields_of_finite_strain(call):
    record, _ = call(RUBBER, force=600.0)
    grid = press_dataset(record)
    assert grid.cell_data["cauchy"].shape == (len(record.mesh.tets), 6)
    np.testing.assert_array_equal(grid.cell_data["least_stretch"], record.stretches[:, 0])
    np.testing.assert_array_equal(grid.point_data["displacement"], record.inside)


def test_a_damaged_file_is_refused(call, tmp_path):
    call(RUBBER, force=600.0)
    file = read_archive(tmp_path / "out.npz", "contact.finite_press/1")
    for name in ("stretches", "inside", "forces"):
        arrays = {key: value for key, value in file.arrays.items() if key != name}
        write_archive(tmp_path / "bad.npz", "contact.finite_press/1", file.header, arrays)
        with pytest.raises(SchemaError, match=r"bad.npz: "):
            load_finite_press(tmp_path / "bad.npz")
