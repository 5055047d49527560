"""STEP and STL solids: units, bond and tread by direction, watertightness."""

from __future__ import annotations

import re

import meshio
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sole.base.errors import MeshError, ShapeError, SoleError
from sole.mesh import Options, mesh_quality, mesh_stl, step_trial
from sole.mesh.meshing import open_gmsh
from sole.mesh.solid import mesh_step
from sole.mesh.stl import (
    enclosed_volume,
    find_shells,
    nest_shells,
    refuse_meeting,
    turned_alike,
)
from sole.mesh.stl import joined as join_vertices
from sole.mesh.surface import normals_and_areas
from sole.mesh.surface_file import read_triangles


def make_step(path, build, unit):
    """Write what `build` makes as STEP; its numbers are in `unit` ("MM" or "M")."""
    with open_gmsh("make") as gmsh:
        gmsh.option.setString("Geometry.OCCTargetUnit", unit)
        build(gmsh.model.occ)
        gmsh.model.occ.synchronize()
        gmsh.write(str(path))
    return path


def wedge(occ, scale=1.0):
    """A box of 220 x 110 x 25 whose toe is chamfered by 30 degrees over 30."""
    box = occ.addBox(10 * scale, 20 * scale, 30 * scale, 220 * scale, 110 * scale, 25 * scale)
    rise = 30 * np.tan(np.radians(30))
    p = [
        occ.addPoint(x * scale, 0, z * scale)
        for x, z in ((200, 30), (230, 30 + rise), (240, 30), (240, 20), (200, 20))
    ]
    p[2] = occ.addPoint(240 * scale, 0, (30 + rise * 4 / 3) * scale)
    p = [p[0], p[2], p[3], p[4]]
    lines = [occ.addLine(a, b) for a, b in zip(p, [*p[1:], p[0]], strict=True)]
    face = occ.addPlaneSurface([occ.addCurveLoop(lines)])
    tool = occ.extrude([(2, face)], 0, 200 * scale, 0)[1]
    occ.cut([(3, box)], [tool])


@pytest.fixture(scope="module")
def step(tmp_path_factory):
    return make_step(tmp_path_factory.mktemp("step") / "wedge.step", wedge, "MM")


def areas(mesh):
    return [
        float(normals_and_areas(mesh.points, faces)[1].sum()) for faces in (mesh.bond, mesh.tread)
    ]


FLAT, CHAMFER = 0.19 * 0.11, 0.03 / np.cos(np.radians(30)) * 0.11


@pytest.mark.parametrize(("unit", "scale"), [("MM", 1.0), ("M", 1e-3)])
def test_step_is_read_in_metres_whatever_its_unit(tmp_path, unit, scale):
    path = make_step(tmp_path / "x.step", lambda occ: wedge(occ, scale), unit)
    mesh = mesh_step(path)
    assert np.ptp(mesh.points, axis=0) == pytest.approx([0.22, 0.11, 0.025], rel=1e-9)
    assert areas(mesh) == pytest.approx([0.22 * 0.11, FLAT + CHAMFER], rel=1e-9)
    # the centre of the bond is the origin
    assert mesh.points.max(axis=0) == pytest.approx([0.11, 0.055, 0.0], abs=1e-12)
    assert mesh.layers == ("sole",)
    assert 150 <= len(mesh.tread_vertices) <= 300


def test_angles_can_be_adjusted(step):
    narrow = mesh_step(step, Options(tread_angle=np.radians(20)))
    assert areas(narrow) == pytest.approx([0.22 * 0.11, FLAT], rel=1e-9)
    with pytest.raises(MeshError, match=r"--bond-angle-deg must lie inside \(0, 90\)"):
        mesh_step(step, Options(bond_angle=0))


def test_a_step_file_that_refers_to_nothing_is_refused(step, tmp_path):
    """OpenCASCADE reads such files now and then without end: refused by what it reports."""
    path, text = tmp_path / "torn.step", step.read_text()
    # An entity that others refer to becomes unreadable.
    torn = re.sub(r"#2 = [^;]*;", "#2 = [[1]];", text, count=1)
    assert torn != text
    path.write_text(torn)
    with pytest.raises(ShapeError, match=r"torn.step: .*OpenCASCADE reports .*; export it again"):
        mesh_step(path)


def test_a_step_file_without_end_is_refused(step, monkeypatch):
    """A child that does not come to an end stands for OpenCASCADE."""
    monkeypatch.setattr(step_trial, "SECONDS", 1)
    endless = step_trial._TRIAL.replace("import gmsh", "while True: pass")
    monkeypatch.setattr(step_trial, "_TRIAL", endless)
    with pytest.raises(ShapeError, match="crashes on it or takes over 1 s"):
        mesh_step(step)


def test_step_of_the_wrong_size_names_the_unit(tmp_path):
    path = make_step(tmp_path / "x.step", lambda occ: wedge(occ, 1e-3), "MM")
    with pytest.raises(ShapeError, match=r"metres read as millimetres.*unit the file"):
        mesh_step(path)


def test_solids_on_top_of_each_other_are_conforming_layers(tmp_path):
    def two(occ):
        occ.addBox(0, 0, 8, 220, 110, 12)
        occ.addBox(0, 0, 0, 220, 110, 8)

    mesh = mesh_step(make_step(tmp_path / "x.step", two, "MM"))
    assert mesh.layers == ("layer1", "layer2")
    volume = np.bincount(mesh.layer_of_tet, mesh.volumes)
    assert volume == pytest.approx(0.22 * 0.11 * np.array([0.008, 0.012]))


def test_a_cavity_has_no_tread(tmp_path):
    def hollow(occ):
        occ.cut([(3, occ.addBox(0, 0, 0, 220, 110, 25))], [(3, occ.addSphere(60, 50, 12, 8))])

    mesh = mesh_step(make_step(tmp_path / "x.step", hollow, "MM"))
    assert areas(mesh) == pytest.approx([0.22 * 0.11] * 2, rel=1e-9)
    assert mesh.volumes.sum() < 0.999 * 0.22 * 0.11 * 0.025


def test_bad_step(tmp_path, capfd):
    path = tmp_path / "junk.step"
    with pytest.raises(ShapeError, match="no such file"):
        mesh_step(path)
    path.write_text("hello\n", encoding="utf-8")
    with pytest.raises(ShapeError, match="not a readable STEP file"):
        mesh_step(path)
    assert capfd.readouterr() == ("", "")
    make_step(path, lambda occ: occ.addRectangle(0, 0, 0, 200, 100), "MM")
    with pytest.raises(ShapeError, match="holds no solid"):
        mesh_step(path)


def box_surface(size=(0.2, 0.1, 0.02), at=(0.0, 0.0, 0.0)):
    """Twelve triangles of a box, outwards."""
    corners = np.array([(i, j, k) for k in (0, 1) for j in (0, 1) for i in (0, 1)]) * size + at
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def joined(*surfaces):
    points, faces, n = [], [], 0
    for p, f in surfaces:
        points.append(p)
        faces.append(f + n)
        n += len(p)
    return np.concatenate(points), np.concatenate(faces)


def write_stl(path, surface, binary=True):
    points, faces = surface
    meshio.write(path, meshio.Mesh(points, [("triangle", faces)]), binary=binary)
    return path


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize(("unit", "scale"), [("mm", 1000.0), ("m", 1.0)])
def test_stl_is_meshed_anew(tmp_path, binary, unit, scale):
    points, faces = box_surface()
    path = write_stl(tmp_path / "x.stl", (points * scale, faces), binary)
    mesh = mesh_stl(path, unit)
    assert areas(mesh) == pytest.approx([0.02, 0.02], rel=1e-6)
    assert mesh.volumes.sum() == pytest.approx(0.2 * 0.1 * 0.02, rel=1e-6)
    assert 150 <= len(mesh.tread_vertices) <= 300
    assert np.degrees(mesh_quality(mesh).min_dihedral) > 5
    assert mesh_stl(path, unit).digest == mesh.digest


def test_stl_inside_out_or_in_pieces_that_nearly_meet(tmp_path):
    points, faces = box_surface()
    torn = points[faces.ravel()] + 1e-8 * np.random.default_rng(0).standard_normal((36, 3))
    for surface in ((points, faces[:, ::-1]), (torn, np.arange(36).reshape(-1, 3))):
        mesh = mesh_stl(write_stl(tmp_path / "x.stl", surface), "m")
        assert mesh.volumes.sum() == pytest.approx(0.2 * 0.1 * 0.02, rel=1e-5)


def test_stl_of_two_pads(tmp_path):
    pads = joined(box_surface(), box_surface(at=(0.0, 0.15, 0.0)))
    mesh = mesh_stl(write_stl(tmp_path / "x.stl", pads), "m")
    assert areas(mesh) == pytest.approx([0.04, 0.04], rel=1e-6)
    assert mesh.points[:, 0].max() == pytest.approx(0.125, rel=1e-6)  # along the longer side


def test_a_shell_inside_a_shell_is_a_cavity(tmp_path):
    """Whichever way it faces; and a solid inside the cavity is a solid again."""
    inner = box_surface((0.05, 0.05, 0.01), (0.05, 0.02, 0.005))
    core = box_surface((0.01, 0.01, 0.002), (0.06, 0.03, 0.009))
    points, faces = joined(box_surface(), inner, core)
    parts = find_shells(points, faces, "x")
    assert len(parts) == 3
    tree = dict(nest_shells(points, faces, parts))
    assert tree == {0: [1], 2: []}
    volume = 0.2 * 0.1 * 0.02 - 0.05**2 * 0.01 + 0.01**2 * 0.002
    assert enclosed_volume(points, faces, parts) == pytest.approx(volume)
    mesh = mesh_stl(write_stl(tmp_path / "x.stl", joined(box_surface(), inner)), "m")
    assert mesh.volumes.sum() == pytest.approx(0.2 * 0.1 * 0.02 - 0.05**2 * 0.01, rel=1e-6)
    assert areas(mesh)[1] == pytest.approx(0.02, rel=1e-6)


def test_where_the_surface_cannot_be_meshed_anew_its_triangles_stay(tmp_path, monkeypatch):
    monkeypatch.setattr("sole.mesh.surface_solid.remeshed", lambda *_: None)
    path = write_stl(tmp_path / "x.stl", box_surface())
    with pytest.warns(UserWarning, match="its triangles are kept"):
        mesh = mesh_stl(path, "m")
    assert mesh.volumes.sum() == pytest.approx(0.2 * 0.1 * 0.02, rel=1e-6)
    assert len(mesh.tread) == 2


@pytest.mark.parametrize(
    ("size", "at"),
    [
        ((0.2, 0.1, 0.02), (0.05, 0.03, 0.005)),  # a corner of each inside the other
        ((0.02, 0.3, 0.01), (0.09, -0.1, 0.005)),  # a cross: no vertex of one inside the other
        ((0.1, 0.05, 0.02), (0.05, 0.025, 0.02)),  # one stands on the other
    ],
)
def test_solids_that_overlap_are_refused(tmp_path, size, at):
    points, faces = joined(box_surface(), box_surface(size, at))
    path = write_stl(tmp_path / "overlap.stl", (1000 * points, faces))
    with pytest.raises(ShapeError, match=r"overlap\.stl: two of its .* cut or touch each other"):
        mesh_stl(path, "mm")


@pytest.mark.parametrize("seed", range(5))
def test_touching_is_zero_distance_in_any_pose(seed):
    """Face on face, turned so that round-off is in every coordinate; 1 um apart is apart."""
    rng = np.random.default_rng(seed)
    turn = Rotation.random(rng=rng).as_matrix()
    place = rng.uniform(-1, 1, 3)
    for gap, meet in ((0.0, True), (1e-6, False)):
        points, faces = joined(
            box_surface(), box_surface((0.1, 0.05, 0.02), (0.05, 0.02, 0.02 + gap))
        )
        points = points @ turn.T + place
        parts = find_shells(points, faces, "x")
        if meet:
            with pytest.raises(ShapeError, match="cut or touch each other near") as caught:
                refuse_meeting(points, faces, parts, "x")
            said = np.array(re.search(r"\((.*)\) m", str(caught.value))[1].split(", "), float)
            x, y, z = turn.T @ (said - place)
            assert z == pytest.approx(0.02, abs=1e-3)  # four digits are told
            assert 0.049 < x < 0.151
            assert 0.019 < y < 0.071
        else:
            refuse_meeting(points, faces, parts, "x")


def test_a_surface_without_inside_is_refused(tmp_path):
    corners = np.array([(0, 0, 0), (0.2, 0, 0.02), (0.2, 0.1, 0.02), (0, 0.1, 0)])
    faces = np.array([(0, 1, 2), (0, 2, 3), (1, 0, 3), (1, 3, 2)])  # both sides of one sheet
    with pytest.raises(ShapeError, match=r"sheet\.stl: its surface encloses no volume"):
        mesh_stl(write_stl(tmp_path / "sheet.stl", (corners, faces)), "m")


def test_a_folder_is_no_solid(tmp_path):
    for read in (mesh_step, lambda path: mesh_stl(path, "m")):
        with pytest.raises(ShapeError, match="is a folder, expected a file"):
            read(tmp_path)


def test_an_stl_needs_a_unit(tmp_path):
    points, faces = box_surface()
    path = write_stl(tmp_path / "x.stl", (1000 * points, faces))
    with pytest.raises(ShapeError, match=r"longest side is 200; give --unit m, .*likely mm"):
        mesh_stl(path, None)
    with pytest.raises(ShapeError, match="look like millimetres; --unit cm or --unit mm"):
        mesh_stl(path, "m")
    with pytest.raises(ShapeError, match=r"unit must be m, cm, mm or in .inches., got 'km'"):
        mesh_stl(path, "km")


def test_inches_are_a_unit(tmp_path):
    """A foot of 10 x 4 x 1 inches, read as inches, as metres and as millimetres."""
    points, faces = box_surface()
    scaled = points / np.ptp(points, axis=0) * [10, 4, 1]
    path = write_stl(tmp_path / "x.stl", (scaled, faces))
    with pytest.raises(ShapeError, match=r"longest side is 10; .* \(likely in\)"):
        mesh_stl(path, None)
    mesh = mesh_stl(path, "in")
    assert np.ptp(mesh.points, axis=0) == pytest.approx([0.254, 0.1016, 0.0254], rel=1e-6)
    with pytest.raises(ShapeError, match="look like inches or centimetres; --unit cm or --unit mm"):
        mesh_stl(path, "m")
    with pytest.warns(UserWarning, match="is only 10 mm long; is its unit right"):
        mesh_stl(path, "mm")


def test_a_solid_with_y_up_is_turned(tmp_path):
    """A foot of 230 x 100 x 25 mm whose z points sideways; `--down` keeps it as it is: refused."""
    points, faces = box_surface()
    scaled = points / np.ptp(points, axis=0) * [0.23, 0.1, 0.025]
    turned = scaled @ np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    path = write_stl(tmp_path / "x.stl", (turned, faces))
    assert mesh_stl(path, "m").thickness == pytest.approx(0.025)
    with pytest.raises(ShapeError, match=r"0\.1 m thick, thicker than wide: give --cut HEIGHT"):
        mesh_stl(path, "m", Options(down="-z"))


def test_an_stl_must_be_watertight(tmp_path):
    points, faces = box_surface()
    extra = joined((points, faces), (points + np.array([0.2, 0, 0]), faces))
    for surface, message in (
        ((points, faces[1:]), "3 of 18 edges belong to one triangle only"),
        (extra, "belong to more than two triangles"),
    ):
        path = write_stl(tmp_path / "bad.stl", surface)
        with pytest.raises(ShapeError, match="not watertight") as caught:
            mesh_stl(path, "m")
        assert message in str(caught.value)
        assert "bad.stl" in str(caught.value)


def test_triangles_that_face_the_other_way_are_turned_and_told(tmp_path):
    """Of two boxes, one inside out in a third of its triangles, and one as a whole (no matter)."""
    points, faces = box_surface()
    mixed = faces.copy()
    mixed[::3] = mixed[::3, ::-1]
    both = joined((points, mixed), (points + np.array([0.5, 0, 0]), faces[:, ::-1]))
    found, count = turned_alike(both[1])
    assert count == len(mixed[::3]) and turned_alike(found)[1] == 0
    assert len(find_shells(both[0], found, "two")) == 2
    path = write_stl(tmp_path / "mixed.stl", (points, mixed))
    with pytest.warns(UserWarning, match=rf"{count} of {len(faces)} triangles faced the other way"):
        mesh = mesh_stl(path, "m")
    assert mesh.volumes.sum() == pytest.approx(np.prod(np.ptp(points, axis=0)))


@pytest.mark.parametrize("content", ["hello\n", "", "solid x\nendsolid x\n"])
def test_a_file_that_is_no_stl(tmp_path, content):
    path = tmp_path / "x.stl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(SoleError, match=r"x\.stl"):
        mesh_stl(path, "m")


def test_vertices_are_joined(tmp_path):
    path = write_stl(tmp_path / "x.stl", box_surface(), binary=False)
    points, faces = join_vertices(*read_triangles(path, "m", lambda points: None), path)
    assert points.shape == (8, 3)
    assert faces.shape == (12, 3)
