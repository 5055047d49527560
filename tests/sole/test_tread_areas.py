"""Areas of tread nodes: even on feet of URDFs and on STL files of slivers, or told."""

from __future__ import annotations

import subprocess
import sys

import meshio
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sole.condense import condense
from sole.material import Material
from sole.mesh import Options, Source, mesh_from, mesh_shape, mesh_stl, warn_of_quality
from sole.mesh.quality import tread_factor, warn_of_tread
from sole.mesh.short_edges import CHANGED, FEWEST, mesh_foot, without_short_edges
from sole.shape import box, foot_of_urdf, preset
from sole.summaries import describe_condensed, describe_mesh

RUBBER = Material(young_modulus=1e6, poisson_ratio=0.3)
FOOT = """<robot name="r"><link name="base"/><joint name="j" type="fixed"><parent link="base"/>
<child link="foot"/></joint><link name="foot"><collision><geometry>
<mesh filename="{file}"/></geometry></collision></link></robot>"""


def prism(rim, height=0.02):
    """Points and triangles of a prism; its ends are fans from the first corner."""
    k = len(rim)
    points = np.concatenate([np.column_stack([rim, np.full(k, z)]) for z in (0.0, height)])
    ends = [f for i in range(1, k - 1) for f in ((0, i + 1, i), (k, k + i, k + i + 1))]
    around = [(i, (i + 1) % k) for i in range(k)]
    walls = [f for i, j in around for f in ((i, j, k + j), (i, k + j, k + i))]
    return points, np.array(ends + walls)


def sliver_box():
    """A box of 0.2 x 0.1 m whose ends are fans of slivers from one corner."""
    steps = np.cumsum(np.geomspace(1e-3, 1.0, 5))
    side = [(0.2, 0.1 * y) for y in steps / steps[-1]]
    return prism(np.array([(0.0, 0.0), (0.2, 0.0), *side, (0.0, 0.1)]))


def rounded_rim():
    """A rectangle of 0.18 x 0.07 m, its corners rounded by 8 mm in steps of 1 degree."""
    angle = np.radians(np.arange(0, 360))
    ball = 0.008 * np.column_stack([np.cos(angle), np.sin(angle)])
    return ball + np.sign(ball) * [0.082, 0.027]


def write_stl(path, surface):
    meshio.write(path, meshio.Mesh(surface[0], [("triangle", surface[1])]), binary=True)
    return path


@pytest.mark.parametrize("size", [None, 0.03, 0.014])
def test_an_stl_of_slivers_has_an_even_tread(size, tmp_path):
    """Remeshed once, the areas differ by 200."""
    mesh = mesh_stl(write_stl(tmp_path / "x.stl", sliver_box()), "m", Options(size_tread=size))
    assert tread_factor(mesh) < 10
    assert mesh.tread_areas.sum() == pytest.approx(0.02, rel=1e-4)
    assert mesh.volumes.sum() == pytest.approx(4e-4, rel=1e-4)


@pytest.mark.parametrize("size", [None, 0.03, 0.014])
@pytest.mark.parametrize("surface", [sliver_box(), prism(rounded_rim())])
def test_a_urdf_foot_of_slivers_has_an_even_tread(surface, size, tmp_path):
    pytest.importorskip("pinocchio", reason="extra 'robots' is not installed")
    write_stl(tmp_path / "foot.stl", surface)
    path = tmp_path / "robot.urdf"
    path.write_text(FOOT.format(file=tmp_path / "foot.stl"), encoding="utf-8")
    mesh = mesh_from(Source(urdf=path, link="foot", size_tread=size))
    assert tread_factor(mesh) < 10 and not warn_of_tread(mesh)
    shape = foot_of_urdf(path, "foot").shape
    assert np.ptp(mesh.points, axis=0)[:2] == pytest.approx(shape.size[:2], rel=1e-6)
    area = shape.outlines[0].area
    assert mesh.tread_areas.sum() == pytest.approx(area, rel=CHANGED)
    if len(surface[0]) > 100 and size == 0.03:  # the outline as it came
        assert tread_factor(mesh_shape(shape, size)) > 20


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(5, 60), st.floats(0.002, 0.03))
def test_short_edges_go_and_length_width_and_area_stay(seed, count, shortest):
    from shapely import MultiPoint
    from shapely import Polygon as Area

    rng = np.random.default_rng(seed)
    cloud = rng.normal(size=(count, 2)) * [0.1, 0.05]
    corners = np.array(MultiPoint(cloud).convex_hull.exterior.coords[:-1])
    left = without_short_edges(corners, shortest)
    assert FEWEST <= len(left) <= len(corners) or len(corners) < FEWEST
    assert left.min(axis=0) == pytest.approx(corners.min(axis=0), abs=1e-12)
    assert left.max(axis=0) == pytest.approx(corners.max(axis=0), abs=1e-12)
    assert Area(left).is_valid
    if np.linalg.norm(np.diff(corners, axis=0, append=corners[:1]), axis=1).min() >= shortest:
        assert left == pytest.approx(corners, abs=1e-12)


def test_a_cut_corner_becomes_a_corner_and_a_circle_keeps_its_shape():
    """Prolonged sides meet at (0.1, 0.05); a circle loses every second corner, not its area."""
    cut = np.array([[-0.1, -0.05], [0.1, -0.05], [0.1, 0.047], [0.097, 0.05], [-0.1, 0.05]])
    left = without_short_edges(cut, 0.01)
    assert np.abs(left) == pytest.approx(np.tile([0.1, 0.05], (4, 1)), abs=1e-12)
    angle = np.radians(np.arange(0, 360, 10))
    circle = 0.05 * np.column_stack([np.cos(angle), np.sin(angle)])
    fewer = without_short_edges(circle, 0.012)
    assert 15 <= len(fewer) <= 30
    area = [abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) for x, y in (circle.T, fewer.T)]
    assert area[1] == pytest.approx(area[0], rel=CHANGED)


def test_other_outlines_stay():
    shape = box(0.2, 0.1, 0.02)
    assert mesh_foot(shape, 0.03).digest == mesh_shape(shape, 0.03).digest


def test_an_uneven_tread_is_told_with_its_factor_where_it_is_meshed_and_condensed():
    lola = mesh_shape(preset("lola"))  # corners of 8 mm: arcs of two short chords
    told = (
        "areas of tread nodes differ by a factor of 11.5 (0.1 to 1.2 cm2): the largest pressure "
        "may be that of the smallest nodes; other mesh sizes may avoid them"
    )
    assert describe_mesh(lola).warnings == (told,) == warn_of_quality(lola)
    assert describe_condensed(condense(lola, RUBBER, "p1")).warnings == (told,)
    plain = mesh_shape(box(0.2, 0.1, 0.02), 0.03)
    assert describe_mesh(plain).warnings == ()
    assert describe_condensed(condense(plain, RUBBER, "p1")).warnings == ()


# A foot that HXT fills with a tetrahedron of four points in one plane; Netgen crashes on it.
PLANE = [
    (0.10545383785588336, -0.06671793865578086), (-0.10338547544494783, -0.06720006838440895),
    (-0.11005000397618839, -0.04797922389836237), (-0.11035000160336494, -0.01698483145070177),
    (-0.11005000397618839, 0.04800340164694726), (-0.10253033138202886, 0.06719991671388692),
    (0.10536136004326985, 0.06720006838440895), (0.11034999374184964, 0.04800340164694726),
    (0.11035000160336492, -0.047979193810535),
]  # fmt: skip


def test_a_flat_tetrahedron_does_not_end_the_process():
    program = (
        "from sole.mesh import mesh_shape; from sole.shape import Polygon, Shape; "
        f"shape = Shape(name='x', polygon=Polygon(points={tuple(PLANE)}), thickness=0.02); "
        "print(len(mesh_shape(shape, 0.02).tread_vertices))"
    )
    call = [sys.executable, "-c", program]
    done = subprocess.run(call, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert 80 < int(done.stdout) < 160


@pytest.mark.parametrize("shortest", [0.004, 0.02, 0.036])
def test_the_area_changes_by_two_per_cent_at_most_stretching_included(shortest):
    """An ellipse of 72 corners lost 4 % when the bound did not count the stretching."""
    angle = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    ellipse = np.column_stack([0.11 * np.cos(angle), 0.05 * np.sin(angle)])
    found = without_short_edges(ellipse, shortest)
    x, y = ellipse.T
    u, v = found.T
    before = x @ np.roll(y, -1) - y @ np.roll(x, -1)
    assert abs((u @ np.roll(v, -1) - v @ np.roll(u, -1)) / before - 1) <= 0.02
    assert np.allclose(np.ptp(found, axis=0), np.ptp(ellipse, axis=0), rtol=1e-12)
