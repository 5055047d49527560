"""COLLADA meshes (.dae) of links are drawn, in metres, scaled; what nobody reads is left out."""

from __future__ import annotations

import numpy as np
import pytest

from robot.model import Solid
from robot.pictures.bodies import solid
from robot.run import LinkShape
from robot.summaries import model_summary
from sole.base.errors import SoleError

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12345\n"

TETRAHEDRON = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="millimeter" meter="0.001"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">0 0 0 100 0 0 0 200 0 0 0 300</float_array>
<technique_common><accessor source="#a" count="4" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
</accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
"""


def shape(path):
    return LinkShape(
        kind="mesh",
        link="thigh",
        joint=0,
        placement=np.eye(4),
        size=np.array([2.0, 1.0, 1.0]),
        path=path,
    )


def test_a_tetrahedron_in_millimetres(tmp_path):
    path = tmp_path / "thigh.dae"
    path.write_text(TETRAHEDRON)
    mesh = solid(shape(path))
    assert mesh.n_cells == 4
    np.testing.assert_allclose(np.reshape(mesh.bounds, (3, 2)).T, [[0, 0, 0], [0.2, 0.2, 0.3]])
    volume = 0.2 * 0.2 * 0.3 / 6
    assert mesh.clean().volume == pytest.approx(volume)


def test_what_vtk_does_not_read_is_left_out_in_silence(tmp_path, capfd, caplog):
    """PyVista warns and logs, VTK prints."""
    for name, text in (("cut.stl", "\0" * 84), ("lfs.stl", POINTER), ("cut.obj", "v 0 0 0\nv 1\n")):
        (tmp_path / name).write_text(text)
        assert solid(shape(tmp_path / name)) is None
    assert capfd.readouterr() == ("", "") and not caplog.records


@pytest.mark.parametrize(
    ("text", "told"),
    [(POINTER, "is a git-lfs pointer"), ("\0" * 200, "not a readable mesh of link 'a'")],
)
def test_a_mesh_that_the_height_needs_is_named(tmp_path, text, told):
    (tmp_path / "cut.stl").write_text(text)
    drawn = Solid(
        kind="mesh",
        link="a",
        joint=0,
        placement=np.eye(4),
        size=np.ones(3),
        path=tmp_path / "cut.stl",
    )
    with pytest.raises(SoleError, match=rf"cut\.stl: {told}"):
        model_summary._vertices(drawn)


def test_what_nobody_reads_is_left_out(tmp_path):
    for name in ("thigh.dae", "thigh.blob"):
        (tmp_path / name).write_text("no mesh")
        assert solid(shape(tmp_path / name)) is None
    assert solid(shape(tmp_path / "gone.dae")) is None
