"""`sole mesh` as a user types it: every source, one report, one line for bad input."""

from __future__ import annotations

import dataclasses
import json
from types import SimpleNamespace

import meshio
import numpy as np
import printed_soles
import pytest
from command_line import in_this_process

from sole.condense import condense
from sole.material import Material
from sole.mesh import read_mesh, write_mesh
from sole.mesh.meshing import open_gmsh
from sole.shape import preset


@pytest.fixture
def run(monkeypatch, capfd, tmp_path):
    """Run `sole mesh ARGUMENTS` in this process, for speed, and in an empty folder."""
    monkeypatch.chdir(tmp_path)
    call = in_this_process(monkeypatch, capfd, "mesh")

    def run(*arguments):
        code, out, err = call(*arguments)
        return SimpleNamespace(returncode=code, stdout=out, stderr=err)

    return run


def ok(done):
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def refused(done, *parts):
    assert done.returncode == 2
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    for part in parts:
        assert part in lines[0]


def test_in_a_process_of_its_own(sole_command, tmp_path):
    report = ok(sole_command("mesh", "--preset", "jvrc1", "--json", cwd=tmp_path))
    assert report["length"] == pytest.approx(0.22)
    refused(sole_command("mesh", "--preset", "nao", cwd=tmp_path), "unknown preset 'nao'")
    assert [p.name for p in tmp_path.iterdir()] == ["jvrc1.msh"]


def test_preset(run, tmp_path):
    report = ok(run("--preset", "hrp2kai", "-o", "pad.msh", "--json"))
    mesh = read_mesh(tmp_path / "pad.msh")
    assert mesh.layers == ("tread", "midsole")
    assert report["vertices"] == len(mesh.points)
    assert report["tread_vertices"] == len(mesh.tread_vertices)
    assert report["tread_area"] == pytest.approx(0.216 * 0.14)
    assert report["bond_area"] == pytest.approx(0.216 * 0.14)
    assert report["smallest_dihedral_angle"] > 5
    assert report["file"] == "pad.msh"
    assert [p.name for p in tmp_path.iterdir()] == ["pad.msh"]


def test_box_spans_and_sizes(run, tmp_path):
    ok(run("--box", 0.2, 0.1, 0.02, "--size-tread", 0.02, "--size-bond", 0.03, "--json"))
    mesh = read_mesh(tmp_path / "box.msh")
    assert np.allclose(mesh.points.min(axis=0), [-0.1, -0.05, -0.02])
    assert np.allclose(mesh.points.max(axis=0), [0.1, 0.05, 0])
    assert len(mesh.tread_vertices) < 120


def test_shape_file_thickness_and_mirror(run, root, tmp_path):
    shape = root / "meshes" / "right_foot.toml"
    ok(run(shape, "-o", "right.msh", "--json"))
    done = run(shape, "--mirror", "--thickness", 0.009, "-o", "left.msh", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    right, left = read_mesh(tmp_path / "right.msh"), read_mesh(tmp_path / "left.msh")
    assert left.thickness == pytest.approx(0.009)
    ours = read_mesh(tmp_path / "right.msh").mirrored()
    center = [m.points[np.unique(m.bond), 1].mean() for m in (left, ours, right)]
    assert center[0] * center[1] > 0 > center[0] * center[2]


def test_the_mirror_of_an_asymmetric_sole_is_its_reflection(run, root, tmp_path):
    """Point for point y -> -y, and so its volume, areas and stiffness with their signs."""
    outline = [[-0.1, -0.05], [0.1, -0.03], [0.12, 0.04], [0.0, 0.06], [-0.1, 0.03]]
    (tmp_path / "right.toml").write_text(
        f'schema = "sole.shape/1"\nname = "right"\nthickness = 0.02\npolygon.points = {outline}\n',
        encoding="utf-8",
    )
    for name, more in (("right", ()), ("left", ("--mirror",))):
        ok(run("right.toml", "--size-tread", 0.03, *more, "-o", f"{name}.msh", "--json"))
    right, left = read_mesh(tmp_path / "right.msh"), read_mesh(tmp_path / "left.msh")
    np.testing.assert_allclose(left.points, right.points * [1, -1, 1], rtol=0, atol=1e-15)
    assert np.array_equal(left.tread_vertices, right.tread_vertices)
    assert left.tread_areas == pytest.approx(right.tread_areas)
    assert left.volumes == pytest.approx(right.volumes)
    rubber = [Material(young_modulus=1e6, poisson_ratio=0.4)]
    K = [condense(mesh, rubber, "p1").foot_stiffness for mesh in (right, left)]
    flip = np.diag([1.0, -1, 1, -1, 1, -1])  # forces change sign along y, moments about x and z
    scale = np.sqrt(np.outer(K[0].diagonal(), K[0].diagonal()))
    np.testing.assert_allclose(K[1] / scale, flip @ K[0] @ flip / scale, atol=1e-9)
    assert np.abs((flip @ K[0] @ flip - K[0]) / scale).max() > 0.01  # it is not symmetric


def test_existing_mesh_keeps_its_elements(run, tmp_path, box):
    write_mesh(tmp_path / "theirs.msh", box)
    ok(run("theirs.msh", "-o", "ours.msh", "--json"))
    assert read_mesh(tmp_path / "ours.msh").digest == box.digest
    ok(run("theirs.msh", "-o", "left.msh", "--mirror", "--json"))
    assert read_mesh(tmp_path / "left.msh").digest == box.mirrored().digest


def test_stl_and_step(run, tmp_path):
    with open_gmsh("make") as gmsh:
        gmsh.option.setString("Geometry.OCCTargetUnit", "MM")
        gmsh.model.occ.addBox(0, 0, 0, 200, 100, 20)
        gmsh.model.occ.synchronize()
        gmsh.write(str(tmp_path / "pad.step"))
        gmsh.option.setNumber("Mesh.MeshSizeMin", 500)
        gmsh.model.mesh.generate(2)
        gmsh.write(str(tmp_path / "pad.stl"))
    for name, option in (("stl", "--stl"), ("step", "--cad")):
        unit = ["--unit", "mm"] if name == "stl" else []
        report = ok(run(option, f"pad.{name}", *unit, "--tread-angle-deg", 45, "--json"))
        assert report["tread_area"] == pytest.approx(0.02, rel=1e-6)
        assert report["thickness"] == pytest.approx(0.02, rel=1e-6)
        assert report["file"] == "pad.msh"
    refused(run("--stl", "pad.stl"), "pad.stl", "--unit mm", "likely mm")
    lines = (tmp_path / "pad.stl").read_text().splitlines(keepends=True)
    (tmp_path / "open.stl").write_text("".join(lines[:1] + lines[8:]))  # a facet has 7 lines
    refused(
        run("--stl", "open.stl", "--unit", "mm", "--mesher", "gmsh"),
        "open.stl", "not watertight", "3 of ",
    )  # fmt: skip


def test_warnings_are_in_the_report(run, tmp_path, box):
    quadratic = meshio.Mesh(*curved(box))
    meshio.write(tmp_path / "curved.vtu", quadratic)
    report = ok(run("curved.vtu", "--bond-angle-deg", 30, "--json"))
    assert len(report["warnings"]) == 1
    assert "straightened" in report["warnings"][0]
    shown = run("curved.vtu", "--bond-angle-deg", 30)
    assert "warning: curved.vtu" in shown.stdout


def test_flat_elements_are_pointed_out(run, tmp_path, box):
    squeezed = dataclasses.replace(box, points=box.points * np.array([1, 1, 0.02]))
    write_mesh(tmp_path / "thin.msh", squeezed)
    report = ok(run("thin.msh", "-o", "again.msh", "--json"))
    assert report["smallest_dihedral_angle"] < 1
    assert ["flat" in text for text in report["warnings"]] == [True]


def curved(mesh):
    """The mesh with middle nodes, every one 1 mm above its chord."""
    edges = np.array([(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)])
    middle = mesh.points[mesh.tets[:, edges]].mean(axis=2) + np.array([0, 0, 1e-3])
    first = len(mesh.points)
    nodes = first + np.arange(middle.shape[0] * 6).reshape(-1, 6)
    points = np.concatenate([mesh.points, middle.reshape(-1, 3)])
    return points, [("tetra10", np.column_stack([mesh.tets, nodes]))]


def test_foot_of_a_robot(run, tmp_path):
    pytest.importorskip("pinocchio", reason="extra 'robots' is not installed")
    (tmp_path / "r.urdf").write_text(
        '<robot name="r"><link name="sole"><collision><origin xyz="0.01 0 0.02"/><geometry>'
        '<box size="0.2 0.1 0.04"/></geometry></collision></link></robot>'
    )
    report = ok(run("--urdf", "r.urdf", "--link", "sole", "--thickness", 0.015, "--json"))
    assert report["link"] == "sole"
    assert report["thickness"] == pytest.approx(0.015)
    mesh = read_mesh(tmp_path / "sole.msh")
    assert np.allclose(mesh.link_to_sole[:3, 3], [0.01, 0, 0])
    refused(run("--urdf", "r.urdf"), "--urdf needs --link")
    refused(run("--urdf", "r.urdf", "--link", "foot"), "no link 'foot'; the links are sole")


BAD = [
    ((), "exactly one source", "got none"),
    (("--preset", "talos", "--box", 0.2, 0.1, 0.02), "exactly one source", "--preset, --box"),
    (("--preset", "nao"), "unknown preset 'nao'", "hrp2kai"),
    (("--preset", "talos", "--unit", "mm"), "--unit does not apply to a preset"),
    (("--box", 0.2, 0.1, 0.02, "--bond-angle-deg", 0), "--bond-angle-deg does not apply to a box"),
    (("--box", 230, 130, 20), "230 x 130 x 20 m", "millimetres"),
    (("--box", 0.2, 0.1, -0.02), "thickness must be positive", "-0.02"),
    (("--box", 0.2, 0.1, "nan"), "thickness must be positive", "nan"),
    (("--box", 0.2, 0.1, 0.02, "--size-tread", 0), "mesh size must be positive"),
    (("--preset", "talos", "--thickness", 0), "thickness must be positive"),
    (
        ("--box", 0.2, 0.1, 0.02, "--size-tread", 12),
        "larger than the sole itself, 0.2 m: 12 m? did you mean 12 mm: 0.012 or 12mm",
    ),
    (("--box", 0.2, 0.1, 0.02, "--size-bond", 0.3), "larger than the sole itself, 0.2 m"),
    (("--preset", "talos", "--thickness", 20), "20 m? did you mean 20 mm: 0.02 or 20mm"),
    (("--preset", "talos", "-o", "pad.vtu"), "-o must", "pad.vtu"),
    (("--preset", "talos", "-o", "gone/pad.msh"), "gone", "does not exist"),
    (("--urdf", "r.urdf", "--link", "l", "--mirror"), "--mirror does not apply to a URDF"),
    (("gone.toml",), "gone.toml", "no such file"),
    (("gone.msh",), "gone.msh", "no such file"),
    (("--cad", "gone.step"), "gone.step", "no such file"),
]


@pytest.mark.parametrize("case", BAD, ids=lambda c: " ".join(map(str, c[0])) or "nothing")
def test_bad_input_is_one_line_and_leaves_no_file(run, tmp_path, case):
    arguments, *parts = case
    refused(run(*arguments), *parts)
    assert list(tmp_path.iterdir()) == []


def test_a_self_intersecting_outline(run, tmp_path):
    (tmp_path / "bow.toml").write_text(
        'schema = "sole.shape/1"\nname = "bow"\nthickness = 0.02\n[polygon]\n'
        "points = [[0.0, 0.0], [0.2, 0.1], [0.2, 0.0], [0.0, 0.1]]\n"
    )
    refused(run("bow.toml"), "bow.toml", "crosses or touches itself")


def test_the_table_shows_units(run):
    shown = run("--preset", "hrp2kai").stdout
    for part in ("mesh: hrp2kai", "tread vertices", "m^2", "deg", "hrp2kai.msh"):
        assert part in shown
    assert preset("hrp2kai").name in shown


def test_a_surface_reports_its_axes_and_draws_its_groups(run, tmp_path):
    points, faces = printed_soles.whole_foot()
    printed_soles.write(tmp_path / "foot.3mf", (points[:, [0, 2, 1]] * [1, -1, 1], faces))
    report = ok(
        run("foot.3mf", "--cut", "12mm", "--size-tread", 0.012, "--plot", "g.png", "--json")
    )
    assert (report["down"], report["forward"], report["mesher"]) == ("y", "x", "gmsh")
    assert report["least_mean_ratio"] > 0.1 and abs(report["volume_change"]) < 1e-6
    assert (tmp_path / "g.png").stat().st_size > 10_000
    refused(run("foot.3mf", "--plot", "g.txt"), "--plot must", "g.txt")
    refused(run("foot.3mf", "--cut", "12mm", "--down", "w"), "--down must be one of x, -x")
    refused(run("--box", 0.2, 0.1, 0.02, "--cut", "5mm"), "--cut does not apply to a box")
