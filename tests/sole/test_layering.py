"""Solids cut into layers along level planes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import pyvista

from sole.base.errors import ConfigError, MeshError
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_quality, mesh_shape
from sole.mesh.meshing import open_gmsh
from sole.mesh.source import Source, mesh_from
from sole.shape import Shape, box, load_shape

SIZE = (0.08, 0.05, 0.02)
TWO = ("tread=8mm,1MPa,0.3", "core=rest,4MPa,0.3")


@pytest.fixture(scope="module")
def stl(tmp_path_factory):
    path = tmp_path_factory.mktemp("stl") / "pad.stl"
    pyvista.Cube(x_length=80, y_length=50, z_length=20).triangulate().save(path)
    return path


def layered(stl, *layers, **how):
    return mesh_from(Source(surface=stl, unit="mm", size_tread=0.008, layers=layers, **how))


def test_layers_are_what_lies_between_the_planes(stl):
    mesh = layered(stl, *TWO)
    assert mesh.layers == ("tread", "core")
    assert [m.young_modulus for m in mesh.materials] == [1e6, 4e6]
    for layer, thickness in enumerate((0.008, 0.012)):
        volume = mesh.volumes[mesh.layer_of_tet == layer].sum()
        assert volume == pytest.approx(SIZE[0] * SIZE[1] * thickness, rel=1e-6)
    low, high = (mesh.points[mesh.tets[mesh.layer_of_tet == k], 2] for k in (0, 1))
    assert low.max() <= -0.012 + 1e-12 <= high.min() + 2e-12
    assert mesh.tread_areas.sum() == pytest.approx(SIZE[0] * SIZE[1], rel=1e-9)
    assert np.degrees(mesh_quality(mesh).min_dihedral) > 5


def test_an_stl_in_layers_is_as_stiff_as_the_same_shape(stl):
    shape = box(*SIZE)
    two = tuple(
        type(shape.layers[0])(name=n, thickness=t, young_modulus=E, poisson_ratio=0.3)
        for n, t, E in (("tread", 0.008, 1e6), ("core", 0.012, 4e6))
    )
    own = mesh_shape(Shape(name="two", rectangle=shape.rectangle, layers=two), size_tread=0.008)
    found = [condense(m, element="p2").foot_stiffness for m in (layered(stl, *TWO), own)]
    np.testing.assert_allclose(np.diag(found[0]), np.diag(found[1]), rtol=0.02)
    soft = condense(layered(stl, *TWO), Material(young_modulus=1e6, poisson_ratio=0.3))
    assert soft.foot_stiffness[2, 2] < 0.8 * found[0][2, 2]  # the layers matter


def test_three_layers_and_separate_pads(stl, root):
    three = layered(stl, "a=4mm", "b=5 mm", "c=rest")
    assert sorted(set(three.layer_of_tet)) == [0, 1, 2]
    from sole.mesh.layer_options import parse_layers
    from sole.mesh.layering import with_layers

    pads = mesh_shape(load_shape(root / "meshes/lola.toml"), 0.012)
    layers = parse_layers(["a=9mm", "b=rest"], pads.thickness)
    if len(pads.layers) == 1:
        cut = with_layers(pads, layers, (0.012, None), 0.5, 1.0)
        assert cut.volumes.sum() == pytest.approx(pads.volumes.sum(), rel=1e-3)


@pytest.mark.parametrize(
    ("layers", "error", "mention"),
    [
        (("a=5mm", "b=6mm"), MeshError, "11 mm thick in all.*20 mm"),
        (("a=rest", "b=rest"), ConfigError, "one layer may have"),
        (("a=30mm", "b=rest"), ConfigError, "leave some of the 20 mm"),
        (("a=5mm", "a=rest"), MeshError, "its own name, got a, a"),
        (("a=5mm,1MPa", "b=rest"), ConfigError, "NAME=THICKNESS"),
        (("5mm", "b=rest"), ConfigError, "NAME=THICKNESS"),
        (("a=5N", "b=rest"), ConfigError, "not a number in m"),
    ],
)
def test_wrong_layers_are_refused(stl, layers, error, mention):
    with pytest.raises(error, match=mention):
        layered(stl, *layers)


def test_a_step_in_layers(tmp_path):
    """A box 20 mm thick whose tread is chamfered all round by 4 mm; the cut lies above it."""
    path = tmp_path / "pad.step"
    with open_gmsh("make") as gmsh:
        occ = gmsh.model.occ
        solid = occ.addBox(0, 0, 0, 80, 50, 20)
        occ.synchronize()
        low = next(
            f for _, f in gmsh.model.getBoundary([(3, solid)]) if occ.getBoundingBox(2, f)[5] < 1
        )
        edges = [abs(e) for _, e in gmsh.model.getBoundary([(2, low)])]
        occ.chamfer([solid], edges, [low] * 4, [4.0])
        gmsh.option.setString("Geometry.OCCTargetUnit", "MM")
        occ.synchronize()
        gmsh.write(str(path))
    mesh = mesh_from(Source(step=path, size_tread=0.008, layers=TWO))
    c, h = 0.004, 0.004
    gone = h * (0.13 * c - 4 * c**2 / 3)
    volumes = [mesh.volumes[mesh.layer_of_tet == k].sum() for k in (0, 1)]
    assert volumes[0] == pytest.approx(0.08 * 0.05 * 0.008 - gone, rel=1e-6)
    assert volumes[1] == pytest.approx(0.08 * 0.05 * 0.012, rel=1e-6)
    assert [m.young_modulus for m in mesh.materials] == [1e6, 4e6]
    flat = (0.08 - 2 * c) * (0.05 - 2 * c)
    slopes = (0.08 * 0.05 - flat) * np.sqrt(2)
    assert mesh.tread_areas.sum() == pytest.approx(flat + slopes, rel=1e-6)
    assert condense(mesh).foot_stiffness[2, 2] > 0


def test_layers_of_shapes_replace_their_own():
    mesh = mesh_from(Source(preset="hrp2kai", size_tread=0.03, layers=("a=5mm,1MPa,0.4", "b=rest")))
    assert mesh.layer_thicknesses == pytest.approx({"a": 0.005, "b": 0.015})
    assert mesh.materials[0].young_modulus == 1e6
    mesh = mesh_from(Source(box=(0.1, 0.05, 0.01), size_tread=0.02, layers=("a=4mm", "b=6mm")))
    assert mesh.layer_thicknesses == pytest.approx({"a": 0.004, "b": 0.006})
    with pytest.raises(ConfigError, match="9 mm thick in all, 'box' is 10 mm thick"):
        mesh_from(Source(box=(0.1, 0.05, 0.01), layers=("a=4mm", "b=5mm")))
    with pytest.raises(ConfigError, match="--layer does not apply to a shape, only to preset, box"):
        mesh_from(Source(file=Path("x.toml"), layers=("a=4mm", "b=5mm")))
