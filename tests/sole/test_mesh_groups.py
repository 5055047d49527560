"""Groups of foreign meshes, named by number or name, and tetrahedra in two of them."""

from __future__ import annotations

import meshio
import numpy as np
import pytest

from sole.base.errors import ConfigError, MeshError
from sole.mesh import Source, mesh_from, mesh_shape, read_mesh
from sole.mesh.meshing import open_gmsh
from sole.shape import box

pytestmark = pytest.mark.filterwarnings("ignore:.* moved by")
BOX = mesh_shape(box(0.1, 0.05, 0.01), 0.02)
GROUPS = ("1=bond", "2=tread", "5=rubber")


@pytest.fixture(scope="module")
def numbered(tmp_path_factory):
    """The same box with group numbers alone, as Gmsh and as VTU."""
    folder, mesh = tmp_path_factory.mktemp("groups"), BOX
    cells = [("tetra", mesh.tets), ("triangle", mesh.bond), ("triangle", mesh.tread)]
    tags = [np.full(len(c), k) for (_, c), k in zip(cells, (5, 1, 2), strict=True)]
    data = {"gmsh:physical": tags, "gmsh:geometrical": tags}
    out = meshio.Mesh(mesh.points, cells, cell_data=data)
    meshio.write(folder / "box.msh", out, file_format="gmsh22", binary=False)
    meshio.Mesh(mesh.points, cells, cell_data={"part": tags}).write(folder / "box.vtu")
    return folder


@pytest.mark.parametrize("name", ["box.msh", "box.vtu"])
def test_groups_are_named_by_number(numbered, name):
    mesh = mesh_from(Source(file=numbered / name, groups=GROUPS))
    assert mesh.layers == ("rubber",)
    assert (len(mesh.bond), len(mesh.tread)) == (len(BOX.bond), len(BOX.tread))
    assert mesh.points[mesh.tread, 2].max() < mesh.points[mesh.bond, 2].min()
    with pytest.raises(MeshError, match=r"--group 9=tread: no surface group '9'; found .* 1"):
        mesh_from(Source(file=numbered / name, groups=("9=tread",)))
    with pytest.raises(ConfigError, match="--group 9: expected GROUP=NAME"):
        mesh_from(Source(file=numbered / name, groups=("9",)))


@pytest.fixture(scope="module")
def twofold(tmp_path_factory):
    """A box whose volume belongs to two groups, and whose tread is two groups."""
    path = tmp_path_factory.mktemp("two") / "two.msh"
    with open_gmsh("two") as gmsh:
        gmsh.model.occ.addBox(0, 0, 0, 0.1, 0.05, 0.01)
        gmsh.model.occ.synchronize()
        gmsh.model.addPhysicalGroup(2, [6], 1, "top")
        gmsh.model.addPhysicalGroup(2, [5], 2, "low")
        gmsh.model.addPhysicalGroup(3, [1], 3, "soft")
        gmsh.model.addPhysicalGroup(3, [1], 4, "all")
        gmsh.option.setNumber("Mesh.MeshSizeMax", 0.02)
        gmsh.model.mesh.generate(3)
        gmsh.write(str(path))
    return path


def test_a_tetrahedron_of_two_groups_is_decided_by_an_option(twofold):
    groups = {"top": "bond", "low": "tread"}
    with pytest.raises(MeshError, match=r"two groups, .*--overlap first or --overlap last"):
        read_mesh(twofold, groups=groups)
    assert read_mesh(twofold, groups=groups, overlap="first").layers == ("soft",)
    assert read_mesh(twofold, groups=groups, overlap="last").layers == ("all",)
    with pytest.raises(MeshError, match="--overlap must be first or last, got 'x'"):
        read_mesh(twofold, overlap="x")


def test_two_sets_of_meshio(tmp_path):
    mesh = BOX
    cells = [("tetra", mesh.tets), ("triangle", mesh.bond), ("triangle", mesh.tread)]
    every, one = np.arange(len(mesh.tets)), np.arange(1)
    none, faces = np.array([], dtype=int), [np.arange(len(f)) for f in (mesh.bond, mesh.tread)]
    sets = {"all": [every, none, none], "one": [one, none, none]}
    sets |= {"bond": [none, faces[0], none], "tread": [none, none, faces[1]]}
    path = tmp_path / "x.inp"
    meshio.Mesh(mesh.points, cells, cell_sets=sets).write(path)
    found = [set(read_mesh(path, overlap=how).layers) for how in (None, "first", "last")]
    assert found[0] == {"all", "one"}
    assert sorted(map(len, found[1:])) == [1, 2]
