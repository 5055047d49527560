"""Meshes of shapes: geometry, groups, layers, grading, determinism, a tidy Gmsh."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sole.base.errors import MeshError
from sole.mesh import boundary_faces, mesh_quality, mesh_shape, mesh_sizes
from sole.mesh.meshing import open_gmsh, signals_kept
from sole.mesh.surface import normals_and_areas
from sole.shape import (
    Chamfer,
    End,
    Pad,
    Polygon,
    Rectangle,
    Shape,
    box,
    load_shape,
    preset,
)
from sole.shape.parts import Blocks, Layer
from sole.shape.presets import NAMES

PLAN = {"rectangle": Rectangle(length=0.2, width=0.1)}


def areas(mesh, faces):
    return normals_and_areas(mesh.points, faces)[1]


@pytest.fixture(scope="module")
def two_layers():
    return mesh_shape(preset("hrp2kai"))


def test_box_spans_what_it_says():
    mesh = mesh_shape(box(0.23, 0.13, 0.02))
    assert np.allclose(mesh.points.min(axis=0), [-0.115, -0.065, -0.02], atol=1e-12)
    assert np.allclose(mesh.points.max(axis=0), [0.115, 0.065, 0.0], atol=1e-12)
    assert mesh.volumes.sum() == pytest.approx(0.23 * 0.13 * 0.02, rel=1e-12)
    assert mesh.tread_areas.sum() == pytest.approx(0.23 * 0.13, rel=1e-12)
    assert areas(mesh, mesh.bond).sum() == pytest.approx(0.23 * 0.13, rel=1e-12)
    assert mesh.layers == ("sole",)
    assert mesh.materials == (None,)


@pytest.mark.parametrize("name", NAMES)
def test_presets_have_a_useful_number_of_contact_points(name):
    mesh = mesh_shape(preset(name))
    assert 150 <= len(mesh.tread_vertices) <= 300
    assert mesh.name == name


def test_files_of_the_repository_mesh_well(root):
    files = sorted((root / "meshes").glob("*.toml"))
    assert len(files) >= 6
    for file in files:
        shape = load_shape(file)
        mesh = mesh_shape(shape)
        quality = mesh_quality(mesh)
        assert 150 <= quality.tread_vertices <= 450, file.name
        assert math.degrees(quality.min_dihedral) > 3, file.name
        # chords cut the rounded corners short by less than one percent
        plan = sum(o.area for o in shape.outlines)
        assert areas(mesh, mesh.bond).sum() == pytest.approx(plan, rel=1e-2), file.name
        assert mesh.thickness == pytest.approx(shape.thickness)


def test_layers_are_stacked_from_the_tread_and_conforming(two_layers):
    mesh = two_layers
    assert mesh.layers == ("tread", "midsole")
    assert [m.young_modulus for m in mesh.materials] == [1e6, 3e6]
    volume = np.bincount(mesh.layer_of_tet, mesh.volumes)
    assert volume == pytest.approx(0.216 * 0.14 * np.array([0.008, 0.012]), rel=1e-9)
    z = mesh.points[mesh.tets, 2]
    assert z[mesh.layer_of_tet == 0].max() == pytest.approx(-0.012, abs=1e-12)
    assert z[mesh.layer_of_tet == 1].min() == pytest.approx(-0.012, abs=1e-12)
    # conforming: no boundary face on the interface
    outside = mesh.points[boundary_faces(mesh.tets), 2]
    assert not np.isclose(outside, -0.012, atol=1e-9).all(axis=1).any()


def test_groups_face_outwards_and_part(two_layers):
    normals, _ = normals_and_areas(two_layers.points, two_layers.bond)
    assert np.allclose(normals, [0, 0, 1])
    normals, _ = normals_and_areas(two_layers.points, two_layers.tread)
    assert np.allclose(normals, [0, 0, -1])
    assert not np.intersect1d(two_layers.bond, two_layers.tread).size


def test_chamfer_belongs_to_the_tread_unless_steep():
    """A chamfer of slope s adds W l (sqrt(1 + s^2) - 1); beyond 60 degrees it is wall."""
    flat, steep = 0.01, 0.018
    shape = Shape(
        name="c",
        thickness=0.02,
        toe=End(kind="chamfer", length=0.02, height=flat),
        heel=End(kind="chamfer", length=0.01, height=steep),
        **PLAN,
    )
    mesh = mesh_shape(shape)
    tread = 0.1 * (0.2 - 0.03 + math.hypot(0.02, flat))
    assert math.degrees(math.atan2(steep, 0.01)) > 60
    assert mesh.tread_areas.sum() == pytest.approx(tread, rel=1e-9)
    volume = 0.1 * (0.2 * 0.02 - 0.02 * flat / 2 - 0.01 * steep / 2)
    assert mesh.volumes.sum() == pytest.approx(volume, rel=1e-9)
    assert mesh.points[:, 0].max() == pytest.approx(0.1)


def chamfered(length, height, **plan):
    shape = Shape(
        name="c", thickness=0.02, chamfer=Chamfer(length=length, height=height), **(plan or PLAN)
    )
    return shape, mesh_shape(shape, 0.01)


def test_a_chamfer_goes_all_round():
    """Of a box L x W: h ((L + W) c - 4 c^2 / 3) of volume goes, the walls end h higher."""
    c, h = 0.006, 0.004
    _, mesh = chamfered(c, h)
    assert mesh.volumes.sum() == pytest.approx(4e-4 - h * (0.3 * c - 4 * c**2 / 3), rel=1e-9)
    flat, slope = (0.2 - 2 * c) * (0.1 - 2 * c), math.hypot(c, h) / c
    assert mesh.tread_areas.sum() == pytest.approx(flat + (0.02 - flat) * slope, rel=1e-9)
    edge = mesh.points[(np.abs(mesh.points[:, :2]) > [0.1 - 1e-9, 0.05 - 1e-9]).any(axis=1)]
    assert edge[:, 2].min() == pytest.approx(-0.02 + h)


@pytest.mark.parametrize(
    "plan",
    [
        {"rectangle": Rectangle(length=0.2, width=0.1, corner_radius=0.02)},
        {"polygon": Polygon(points=((0, 0), (0.2, 0), (0.2, 0.05), (0.1, 0.05), (0.1, 0.1)))},
        {"pads": tuple(Pad(x=x, y=0, length=0.06, width=0.05) for x in (0.0, 0.1))},
    ],
)
def test_a_chamfer_goes_round_every_outline(plan):
    """What goes has the section c h / 2 along the edge, but for the corners."""
    c, h = 0.004, 0.003
    shape, mesh = chamfered(c, h, **plan)
    edge = sum(outline.perimeter for outline in shape.outlines)
    gone = mesh_shape(replace(shape, chamfer=None), 0.01).volumes.sum() - mesh.volumes.sum()
    assert gone == pytest.approx(edge * c * h / 2, rel=0.08)
    assert mesh.points[mesh.tread_vertices, 2].max() == pytest.approx(-0.02 + h)


def test_a_chamfer_with_layers_a_rocker_and_blocks():
    layers = (Layer(name="a", thickness=0.008), Layer(name="b", thickness=0.012))
    toe = End(kind="rocker", length=0.05, height=0.01)
    blocks = Blocks(columns=3, rows=1, gap=0.004, height=0.006)
    shape = Shape(
        name="all",
        layers=layers,
        toe=toe,
        blocks=blocks,
        chamfer=Chamfer(length=0.004, height=0.003),
        **PLAN,
    )
    plain = replace(shape, chamfer=None)
    with_it, without = (mesh_shape(s, 0.008) for s in (shape, plain))
    assert 0 < without.volumes.sum() - with_it.volumes.sum() < 0.6 * 0.004 * 0.003 / 2
    assert with_it.layers == ("a", "b")


def test_rocker_rises_along_its_circle():
    end = End(kind="rocker", length=0.06, height=0.01)
    mesh = mesh_shape(Shape(name="r", thickness=0.02, toe=end, **PLAN), 0.008)
    x, _, z = mesh.points[mesh.tread_vertices].T
    rise = np.where(x > 0.04, end.radius - np.sqrt(end.radius**2 - (x - 0.04) ** 2), 0.0)
    assert np.allclose(z, -0.02 + rise, atol=1e-9)
    assert z.max() == pytest.approx(-0.01, abs=1e-9)


@pytest.mark.parametrize(("columns", "rows"), [(4, 1), (1, 3), (4, 3)])
def test_only_the_lower_faces_of_blocks_are_tread(columns, rows):
    gap, height = 0.004, 0.005
    shape = Shape(
        name="b",
        layers=(Layer(name="a", thickness=0.005), Layer(name="b", thickness=0.015)),
        blocks=Blocks(columns=columns, rows=rows, gap=gap, height=height),
        **PLAN,
    )
    mesh = mesh_shape(shape)
    area = (0.2 - (columns - 1) * gap) * (0.1 - (rows - 1) * gap)
    assert mesh.tread_areas.sum() == pytest.approx(area, rel=1e-9)
    assert np.allclose(mesh.points[mesh.tread_vertices, 2], -0.02, atol=1e-12)
    assert mesh.volumes.sum() == pytest.approx(0.2 * 0.1 * 0.015 + area * 0.005, rel=1e-9)


def test_sizes_hold_at_tread_and_bond():
    mesh = mesh_shape(box(0.2, 0.1, 0.02), 0.006, 0.015)

    def edge(faces):
        a, b = mesh.points[faces], mesh.points[np.roll(faces, 1, axis=1)]
        return float(np.median(np.linalg.norm(a - b, axis=2)))

    assert edge(mesh.tread) == pytest.approx(0.006, rel=0.15)
    assert edge(mesh.bond) == pytest.approx(0.015, rel=0.2)


def test_the_same_input_gives_the_same_mesh_in_any_process(two_layers):
    assert mesh_shape(preset("hrp2kai")).digest == two_layers.digest
    program = (
        "from sole.mesh import mesh_shape; from sole.shape import preset; "
        "mesh_shape(preset('jvrc1')); print(mesh_shape(preset('hrp2kai')).digest)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == two_layers.digest


@pytest.mark.parametrize("size", [0.0, -0.01, math.nan, math.inf])
def test_a_size_that_is_no_size_is_refused(size):
    with pytest.raises(MeshError, match="positive and finite"):
        mesh_shape(box(0.2, 0.1, 0.02), size)


@pytest.mark.parametrize("extent", [(0.0, 0.6, 0.02), (0.02, -0.6, 0.02), (0.02, 0.6, np.nan)])
def test_a_plan_without_extent_is_refused(extent):
    with pytest.raises(MeshError, match="nothing to mesh: area"):
        mesh_sizes(*extent)


def test_a_size_too_fine_is_refused_before_meshing():
    with pytest.raises(MeshError, match="take at least"):
        mesh_sizes(0.02, 0.6, 0.02, 1e-5)


def test_gmsh_is_closed_behind_us_and_errors_are_ours():
    import gmsh

    with pytest.raises(MeshError, match="could not mesh 'x'"), open_gmsh("x") as g:
        g.model.occ.addPlaneSurface([17])
        g.model.occ.synchronize()
    assert not gmsh.isInitialized()


def test_a_running_gmsh_keeps_its_model_and_options():
    import gmsh

    with signals_kept():
        gmsh.initialize(readConfigFiles=False, interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.option.setNumber("Mesh.Algorithm", 5)
        gmsh.model.add("theirs")
        digest = mesh_shape(box(0.2, 0.1, 0.02)).digest
        assert gmsh.isInitialized()
        assert gmsh.model.getCurrent() == "theirs"
        assert gmsh.option.getNumber("Mesh.Algorithm") == 5
    finally:
        gmsh.finalize()
    assert mesh_shape(box(0.2, 0.1, 0.02)).digest == digest


SIGNALS = (signal.SIGPIPE, signal.SIGHUP, signal.SIGTERM)


def test_signals_are_handled_after_meshing_as_before():
    """Gmsh resets them: SIGTERM would end the process at once, a closed connection as well."""
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("only Linux tells how signals are handled")

    def handled() -> list[list[int]]:
        text = status.read_text()
        masks = [int(text.split(name)[1].split()[0], 16) for name in ("SigIgn:", "SigCgt:")]
        return [[n for n in SIGNALS if mask >> (n - 1) & 1] for mask in masks]

    before = {number: signal.signal(number, lambda number, frame: None) for number in SIGNALS[1:]}
    before[signal.SIGPIPE] = signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        mesh_shape(box(0.2, 0.1, 0.02), 0.05)
        ignored, caught = handled()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert ignored == [signal.SIGPIPE]
    assert caught == [signal.SIGHUP, signal.SIGTERM]
