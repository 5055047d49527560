"""Soles from STL, OBJ, PLY and 3MF: units, axes, cuts, open and cutting surfaces, bad files."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from printed_soles import (
    ball,
    block,
    model_of,
    printed_sole,
    together,
    whole_foot,
    write,
    write_3mf,
)
from scipy.spatial.transform import Rotation

from sole.base.errors import MeshError, ShapeError, SoleError
from sole.mesh import Options, ftetwild, gmsh_trial, mesh_surface, surface_file, three_mf
from sole.mesh.cut_surface import cut_surface
from sole.mesh.found_axes import find_axes
from sole.mesh.ftetwild import edge_length
from sole.mesh.quality import mean_ratios
from sole.mesh.stl import enclosed_volume, find_shells, joined
from sole.mesh.surface_file import read_triangles

PAD = block((100.0, 40.0, 10.0))
TALL = block((60.0, 30.0, 12.0))
# Two closed shells that cut each other: the lower block sticks 3 mm into the upper one.
SMALL = together(block((60.0, 30.0, 6.0)), block((50.0, 20.0, 6.0), (5.0, 5.0, -3.0)))
COARSE = Options(size_tread=0.01)
WILD = Options(size_tread=0.008, mesher="ftetwild")


def read(path, unit="mm"):
    return joined(*read_triangles(path, unit, lambda points: None), path)


@pytest.mark.parametrize("suffix", [".stl", ".obj", ".ply", ".3mf"])
def test_every_kind_of_file_gives_the_same_sole(tmp_path, suffix):
    path = write(tmp_path / f"pad{suffix}", PAD)
    made = mesh_surface(path, None if suffix == ".3mf" else "mm", COARSE)
    assert np.ptp(made.mesh.points, axis=0) == pytest.approx([0.1, 0.04, 0.01], rel=1e-6)
    assert made.volume == pytest.approx(4e-5, rel=1e-6)
    assert made.volume_change == pytest.approx(0.0, abs=1e-6)
    assert made.mesher == "gmsh"


@pytest.mark.parametrize(("unit", "scale"), [("m", 1e-3), ("cm", 0.1), ("inch", 1 / 25.4)])
def test_units(tmp_path, unit, scale):
    points, faces = PAD
    path = write(tmp_path / "pad.ply", (points * scale, faces))
    assert np.ptp(read(path, unit)[0], axis=0) == pytest.approx([0.1, 0.04, 0.01])


def test_polygons_of_an_obj_are_divided(tmp_path):
    quads = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    lines = [f"v {x} {y} {z}" for x, y, z in PAD[0]] + [
        f"f {a} {b} {c} {d}" for a, b, c, d in quads
    ]
    (tmp_path / "pad.obj").write_text("\n".join(lines))
    points, faces = read(tmp_path / "pad.obj")
    parts = find_shells(points, faces, "pad")
    assert enclosed_volume(points, faces, parts) == pytest.approx(4e-5)
    (tmp_path / "back.obj").write_text("\n".join([*lines[:8], "f -1 -2 -3"]))
    with pytest.raises(ShapeError, match="vertices counted from the end"):
        read(tmp_path / "back.obj")


def test_a_3mf_states_its_unit_and_places_its_parts(tmp_path):
    shift = 'transform="0 1 0 -1 0 0 0 0 1 5 6 7"'  # a quarter turn about z, then a shift
    path = write_3mf(tmp_path / "p.3mf", model_of(*block((4.0, 2.0, 1.0)), "inch", shift))
    points, _ = read(path, None)
    low, high = points.min(axis=0) / 0.0254, points.max(axis=0) / 0.0254
    assert low == pytest.approx([3, 6, 7]) and high == pytest.approx([5, 10, 8])
    with pytest.raises(ShapeError, match="a 3MF states its unit; leave --unit out"):
        read(path, "mm")


ITSELF = '<component objectid="1"/>'
BOMB = '<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (model_of(*PAD).replace("<model", f"{BOMB}<model", 1), "declares a document type"),
        (model_of(*PAD)[:200], "not a readable 3MF model"),
        (model_of(*PAD).replace('v1="0"', 'v1="99"', 1), "names a vertex that is not there"),
        (model_of(*PAD).replace('objectid="1"', 'objectid="7"'), "there is no object '7'"),
        (model_of(*PAD, unit="mile"), "unit 'mile', expected one of micron"),
        (model_of(PAD[0], []), "holds no triangles"),
        (model_of(*PAD).replace('x="0.0"', 'x="nan"'), "not finite"),
        (
            model_of(*PAD).replace("<mesh>", f"<components>{ITSELF}</components><mesh>"),
            "components are nested",
        ),
    ],
)  # fmt: skip
def test_a_bad_3mf_is_refused(tmp_path, model, reason):
    with pytest.raises(ShapeError, match=reason):
        read(write_3mf(tmp_path / "bad.3mf", model), None)


def test_a_zip_bomb_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(three_mf, "LARGEST", 3_000_000)
    model = model_of(*PAD).replace("<build>", " " * 4_000_000 + "<build>")
    path = write_3mf(tmp_path / "bomb.3mf", model)
    assert path.stat().st_size < 20_000
    with pytest.raises(ShapeError, match="over 3 MB unpacked"):
        read(path, None)
    (tmp_path / "none.3mf").write_bytes(b"PK\3\4 no archive")
    with pytest.raises(ShapeError, match="not a readable 3MF file"):
        read(tmp_path / "none.3mf", None)


@pytest.mark.parametrize(
    ("surface", "options", "reason"),
    [
        (
            block((300.0, 500.0, 1600.0)),
            COARSE,
            r"1.6 x 0.5 x 0.3 m, .*the foot alone",
        ),
        (block((300.0, 200.0, 600.0)), Options(down="-z"), "thicker than wide: give --cut HEIGHT"),
        (block((2000.0, 900.0, 20.0)), COARSE, "longest side must lie between 0.01 and 1 m"),
        (block((100.0, 40.0, 0.0)), COARSE, "encloses no volume"),
        (ball(), COARSE, "has no flat side"),
        ((PAD[0] * [1, 1, np.nan], PAD[1]), COARSE, "8 vertices that are not finite"),
        (PAD, Options(down="up"), "--down must be one of x, -x"),
        (PAD, Options(down="-z", forward="z"), "--forward z is not perpendicular to down, -z"),
        (PAD, Options(cut=0.02), "--cut 0.02 m must lie between 0 and its height 0.01 m"),
    ],
)
def test_what_is_no_sole_is_refused_before_meshing(tmp_path, monkeypatch, surface, options, reason):
    for mesher in ("filled", "remeshed", "fill_by_ftetwild"):
        monkeypatch.setattr(f"sole.mesh.surface_solid.{mesher}", None)
    with pytest.raises(SoleError, match=reason) as caught:
        mesh_surface(write(tmp_path / "x.ply", surface), "mm", options)
    assert "\n" not in str(caught.value)


SWAP = {"x": [1, 2, 0], "y": [0, 2, 1], "z": [0, 1, 2]}  # columns, so that this axis is up


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("over", [1, -1])
def test_the_flat_side_of_a_sole_is_up_and_its_longer_side_forward(axis, over):
    points, faces = printed_sole()
    turned = (points * [1, 1, over])[:, np.argsort(SWAP[axis])] / 1000
    found = find_axes(turned, faces, "x", None, None)
    assert found.down == ("-" if over == 1 else "") + axis
    assert "the bond" in found.reason
    local = turned @ found.rotation.T
    assert np.ptp(local, axis=0) == pytest.approx([0.102, 0.041, 0.008])
    assert np.linalg.det(found.rotation) == pytest.approx(1.0)


def test_a_whole_foot_stands_on_its_largest_flat_face_in_any_pose():
    points, faces = whole_foot()
    found = find_axes(points, faces, "x", None, None)
    assert found.down == "-z" and "whole foot" in found.reason
    turn = Rotation.from_rotvec([0.4, 0.3, 0.2]).as_matrix()
    found = find_axes(points @ turn.T, faces, "x", None, None)
    local = points @ turn.T @ found.rotation.T
    assert np.ptp(local, axis=0) == pytest.approx([120, 60, 70], rel=1e-6)
    assert np.abs(found.rotation @ turn) == pytest.approx(np.eye(3), abs=1e-6)


def test_axes_can_be_given():
    found = find_axes(*PAD, "x", "y", "-x")
    assert found.rotation == pytest.approx(np.array([[-1, 0, 0], [0, 0, -1], [0, -1, 0]]))
    assert (found.down, found.forward) == ("y", "-x")


def test_a_cut_keeps_the_lower_part_and_closes_it():
    foot = whole_foot()
    points, faces = cut_surface(*foot, 12.0, "x")
    parts = find_shells(points, faces, "x")
    # A frustum: the sides shrink by 0.67 over 70 mm.
    upper = 1 - 0.67 * 12 / 70
    expected = 120 * 60 * 12 * (1 + upper + upper**2) / 3
    assert enclosed_volume(points, faces, parts) == pytest.approx(expected, rel=1e-9)
    assert np.ptp(points[:, 2]) == pytest.approx(12)
    normals = np.cross(*(points[faces[:, k]] - points[faces[:, 0]] for k in (1, 2)))
    assert normals[(points[faces, 2] == 12).all(axis=1), 2].min() > 0


def test_a_cut_goes_through_shells_and_holes():
    ring = together(block((60.0, 60.0, 40.0)), block((20.0, 20.0, 60.0), (20.0, 20.0, -10.0)))
    shells = together(block((60.0, 60.0, 40.0)), block((30.0, 30.0, 40.0), (100.0, 0.0, 0.0)))
    points, faces = cut_surface(*shells, 10.0, "x")
    volume = enclosed_volume(points, faces, find_shells(points, faces, "x"))
    assert volume == pytest.approx(10 * (60**2 + 30**2))
    cut_surface(*ring, 30.0, "x")  # rims that do not meet


def test_a_foot_is_cut_and_meshed(tmp_path):
    path = write(tmp_path / "foot.stl", whole_foot())
    made = mesh_surface(path, "mm", Options(cut=0.012, size_tread=0.012))
    assert made.mesh.thickness == pytest.approx(0.012, rel=1e-6)
    assert made.mesher == "gmsh" and abs(made.volume_change) < 1e-6


@pytest.mark.nightly
def test_the_tread_can_be_bounded_in_height(tmp_path):
    path = write(tmp_path / "x.ply", SMALL)
    given = {"size_tread": 0.008, "mesher": "ftetwild", "down": "-z"}
    pytest.importorskip("pytetwild")
    whole = mesh_surface(path, "mm", Options(**given)).mesh.tread_areas.sum()
    low = mesh_surface(path, "mm", Options(**given, tread_height=0.001)).mesh
    assert whole == pytest.approx(0.06 * 0.03, rel=0.02)
    assert low.tread_areas.sum() == pytest.approx(0.05 * 0.02, rel=0.02)


def test_mean_ratios_of_known_tetrahedra():
    regular = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=float)
    corner = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    tet = np.array([[0, 1, 2, 3]])
    assert mean_ratios(regular, tet) == pytest.approx([1.0])
    assert mean_ratios(corner, tet) == pytest.approx([12 * 0.5 ** (2 / 3) / 9])


def test_edge_length_follows_the_thickness_and_bounds_the_number():
    assert edge_length(2e-5, 0.008) == 0.004
    assert edge_length(1e-4, 0.002) == pytest.approx((1e-4 / 0.12 / 40_000) ** (1 / 3))


def test_without_the_extra_gmsh_stays_and_the_message_names_it(tmp_path, monkeypatch):
    monkeypatch.setattr("sole.base.extras._is_there", lambda module: False)
    points, faces = PAD
    path = write(tmp_path / "open.ply", (points, faces[1:]))
    with pytest.raises(ShapeError, match=r"not watertight.* pip install '.*\[surfaces\]'"):
        mesh_surface(path, "mm")
    with pytest.raises(SoleError, match=r"fTetWild needs pytetwild: pip install"):
        mesh_surface(path, "mm", WILD)
    with pytest.raises(MeshError, match="--mesher must be gmsh or ftetwild, got 'x'"):
        mesh_surface(path, "mm", Options(mesher="x"))


@pytest.mark.parametrize(
    ("surface", "volume", "within"),
    [
        (SMALL, 60 * 30 * 6 + 50 * 20 * 3, 0.003),
        pytest.param((TALL[0], TALL[1][1:]), 60 * 30 * 12, 0.01, marks=pytest.mark.nightly),
        pytest.param(
            together(TALL, block((60.0, 30.0, 12.0), (70.0, 0, 0))),
            2 * 60 * 30 * 12,
            0.003,
            marks=pytest.mark.nightly,
        ),
    ],
    ids=["cutting itself", "open", "two shells"],
)
@pytest.mark.filterwarnings("ignore:bond and tread meet")
def test_ftetwild_meshes_what_is_open_cuts_itself_or_is_in_parts(tmp_path, surface, volume, within):
    pytest.importorskip("pytetwild")
    path = write(tmp_path / "x.ply", surface)
    made = mesh_surface(path, "mm", Options(size_tread=0.012, mesher="ftetwild"))
    assert made.mesher == "ftetwild"
    assert made.mesh.volumes.sum() == pytest.approx(volume * 1e-9, rel=within)
    assert made.least_mean_ratio > 0.1
    assert made.mesh.tread_areas.min() > 0


def test_what_closes_an_open_surface_is_measured(tmp_path, monkeypatch):
    points, faces = block((60.0, 30.0, 8.0))
    path = write(tmp_path / "x.ply", (points, faces[2:]))
    high = write(tmp_path / "high.ply", block((60.0, 30.0, 9.3)))
    made = mesh_surface(high, "mm", Options(size_tread=0.02, mesher="gmsh")).mesh
    monkeypatch.setattr("sole.mesh.surface_solid._by_ftetwild", lambda *given: made)
    with pytest.warns(UserWarning, match="the mesh is 9.3 mm high, the file 8 mm; close"):
        mesh_surface(path, "mm", Options(mesher="ftetwild", down="-z"))


def test_ftetwild_is_bounded_in_time(tmp_path, monkeypatch):
    pytest.importorskip("pytetwild")
    monkeypatch.setattr(ftetwild, "SECONDS", 1)
    path = write(tmp_path / "x.ply", TALL)
    with pytest.raises(MeshError, match=r"over 1 s of processor time with edges of 0.3 mm and 12 "):
        mesh_surface(path, "mm", Options(size_tread=3e-4, mesher="ftetwild"))


def test_a_long_text_is_refused_before_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "x.stl"
    facet = "facet normal 0 0 0\nouter loop\nvertex {0} 0 0\nvertex 0 1e2 0\nvertex 0 0 -5.5E0\n"
    facets = (facet.format(k) + "endloop\nendfacet\n" for k in range(0, 1500, 10))
    path.write_text(f"solid x\n{''.join(facets)}endsolid\n", encoding="utf-8")
    monkeypatch.setattr(surface_file, "LONG", 1000)
    monkeypatch.setattr(surface_file, "_by_meshio", None)
    with pytest.raises(
        ShapeError, match=r"1\.4[5-9]\d* x 0\.1 x 0\.0055 m, .*between 0.01 and 1 m"
    ):
        mesh_surface(path, "mm")


def test_where_gmsh_fails_ftetwild_takes_over_and_says_why(tmp_path, monkeypatch):
    pytest.importorskip("pytetwild")
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / "x.ply", SMALL)
    with pytest.warns(UserWarning, match="closed surfaces cut .* meshed by fTetWild instead"):
        made = mesh_surface(path, "mm", Options(size_tread=0.01))
    assert made.mesher == "ftetwild" and made.volume is None and made.volume_change is None
    assert list(tmp_path.iterdir()) == [path]  # fTetWild writes pieces where it runs


@pytest.mark.long
def test_gmsh_in_a_child_gives_the_same_and_is_bounded_in_time(tmp_path, monkeypatch):
    pytest.importorskip("pytetwild")
    path = write(tmp_path / "x.ply", PAD)
    here = mesh_surface(path, "mm", COARSE).mesh
    monkeypatch.setattr(gmsh_trial, "FEW", 0)
    assert mesh_surface(path, "mm", COARSE).mesh.digest == here.digest
    monkeypatch.setattr(gmsh_trial, "SECONDS", 0)
    with pytest.warns(UserWarning, match="Gmsh crashes or takes over 0 s .* meshed by fTetWild"):
        assert mesh_surface(path, "mm", Options(size_tread=0.015)).mesher == "ftetwild"


@pytest.mark.nightly
def test_ftetwild_takes_the_smaller_size(tmp_path):
    pytest.importorskip("pytetwild")
    path = write(tmp_path / "x.ply", TALL)
    with pytest.warns(UserWarning, match="in one size: 9 mm at tread and bond"):
        mesh_surface(path, "mm", Options(size_tread=9e-3, size_bond=0.02, mesher="ftetwild"))


def test_an_interrupt_ends_the_child_and_leaves_nothing(tmp_path, monkeypatch):
    """The first progress of the child raises KeyboardInterrupt here."""
    pytest.importorskip("pytetwild")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    started = []

    class Child(ftetwild.subprocess.Popen):
        def __init__(self, *words, **how):
            super().__init__(*words, **how)
            started.append(self)

    @contextlib.contextmanager
    def interrupted(*_, **__):
        def tell(share):
            raise KeyboardInterrupt

        yield tell

    monkeypatch.setattr(ftetwild.subprocess, "Popen", Child)
    monkeypatch.setattr(ftetwild, "progress_bar", interrupted)
    points, faces = TALL
    with pytest.raises(KeyboardInterrupt):
        ftetwild.fill_by_ftetwild(points / 1000, faces, 0.005, "x")
    (child,) = started
    assert child.returncode == -9
    assert not list(tmp_path.iterdir())
