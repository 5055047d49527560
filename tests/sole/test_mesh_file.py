"""Meshes in files: identical round trips, other programs' groups, bad input in one line."""

from __future__ import annotations

import dataclasses
import json
import warnings

import meshio
import numpy as np
import pytest
from box_mesh import box_mesh
from hypothesis import given, settings
from hypothesis import strategies as st

from sole.base.errors import MeshError, SchemaError, SoleError
from sole.material import Material
from sole.mesh import SoleMesh, read_mesh, write_mesh
from sole.mesh.meshing import open_gmsh
from sole.mesh.surface import faces_of

# The foreign ones were made a metre away.
pytestmark = pytest.mark.filterwarnings("ignore:.* moved by")


def named_box(layers=("tread", "midsole"), **changes):
    """A box of two layers, one of them called like a surface group."""
    mesh = box_mesh(0.2, 0.1, 0.02, (4, 3, 2), layers=(1.0,) * len(layers))
    return dataclasses.replace(mesh, layers=layers, **changes)


@pytest.fixture(scope="module")
def full():
    """A mesh that uses every field."""
    pose = np.eye(4)
    pose[:3, 3] = [0.1, -1 / 3, -0.107]
    stiff = Material(young_modulus=3e6, poisson_ratio=1 / 3, density=900.0)
    return named_box(materials=(None, stiff), name='a "b" \u00e9', link="l_sole", link_to_sole=pose)


@pytest.fixture(scope="module")
def file(full, tmp_path_factory):
    path = tmp_path_factory.mktemp("mesh") / "full.msh"
    write_mesh(path, full)
    return path


def same(a: SoleMesh, b: SoleMesh) -> bool:
    return a.digest == b.digest and a.header() == b.header()


def test_round_trip_is_identical(full, file):
    again = read_mesh(file)
    assert same(again, full)
    assert np.array_equal(again.points, full.points)


def test_writing_twice_gives_the_same_bytes(full, file, tmp_path):
    write_mesh(tmp_path / "again.msh", read_mesh(file))
    assert (tmp_path / "again.msh").read_bytes() == file.read_bytes()


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_round_trip_of_any_floats_and_any_order(tmp_path_factory, seed):
    rng = np.random.default_rng(seed)
    mesh = named_box()
    order = rng.permutation(len(mesh.tets))
    mesh = dataclasses.replace(
        mesh,
        points=mesh.points * (1 + 1e-3 * rng.standard_normal(3)) + 1e-7 * rng.standard_normal(3),
        tets=mesh.tets[order],
        layer_of_tet=mesh.layer_of_tet[order],
        tread=mesh.tread[rng.permutation(len(mesh.tread))],
    )
    path = tmp_path_factory.mktemp("any") / "any.msh"
    write_mesh(path, mesh)
    assert same(read_mesh(path), mesh)


def test_meshio_finds_points_and_groups(full, file):
    mesh = meshio.read(file)
    assert np.array_equal(mesh.points, full.points)
    assert set(mesh.field_data) == {"bond", "tread", "tread_layer", "midsole"}
    counts = {name: sum(map(len, sets)) for name, sets in mesh.cell_sets.items() if ":" not in name}
    assert counts["bond"] == len(full.bond)
    assert counts["tread"] == len(full.tread)
    assert counts["tread_layer"] == (full.layer_of_tet == 0).sum()


def test_gmsh_finds_the_groups_and_what_it_writes_comes_back(full, file, tmp_path):
    with open_gmsh("visit") as gmsh:
        gmsh.open(str(file))
        groups = {(d, gmsh.model.getPhysicalName(d, t)) for d, t in gmsh.model.getPhysicalGroups()}
        gmsh.write(str(tmp_path / "visit.msh"))
    assert groups == {(2, "bond"), (2, "tread"), (3, "tread_layer"), (3, "midsole")}
    again = read_mesh(tmp_path / "visit.msh")
    assert again.layers == full.layers
    assert again.volumes.sum() == pytest.approx(full.volumes.sum())


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    """Files of a two-layer box written by Gmsh: 0.2 x 0.1 x 0.02 m, corner at (1, 2, 3)."""
    folder = tmp_path_factory.mktemp("foreign")
    with open_gmsh("foreign") as gmsh:
        occ = gmsh.model.occ
        low = occ.addBox(1, 2, 3, 0.2, 0.1, 0.008)
        high = occ.addBox(1, 2, 3.008, 0.2, 0.1, 0.012)
        occ.fragment([(3, low)], [(3, high)])
        occ.synchronize()

        def at(z):
            box = (0, 0, z - 1e-6, 9, 9, z + 1e-6)
            return [tag for _, tag in gmsh.model.getEntitiesInBoundingBox(*box, 2)]

        gmsh.model.addPhysicalGroup(2, at(3.02), 7, "bond")
        gmsh.model.addPhysicalGroup(2, at(3.0), 8, "tread")
        gmsh.model.addPhysicalGroup(3, [high], 9, "stiff")
        gmsh.model.addPhysicalGroup(3, [low], 10, "soft")
        gmsh.option.setNumber("Mesh.MeshSizeMax", 0.02)
        gmsh.model.mesh.generate(3)
        for name, version, binary in (("v41", 4.1, 0), ("v41b", 4.1, 1), ("v22", 2.2, 0)):
            gmsh.option.setNumber("Mesh.MshFileVersion", version)
            gmsh.option.setNumber("Mesh.Binary", binary)
            gmsh.write(str(folder / f"{name}.msh"))
        gmsh.option.setNumber("Mesh.Binary", 0)
        for suffix in ("inp", "med", "unv", "vtk"):
            gmsh.write(str(folder / f"other.{suffix}"))
        gmsh.option.setNumber("Mesh.MshFileVersion", 4.1)
        gmsh.model.mesh.setOrder(2)
        gmsh.write(str(folder / "second.msh"))
    return folder


@pytest.mark.parametrize(
    "name",
    ["v41.msh", "v41b.msh", "v22.msh", "second.msh", "other.inp", "other.med", "other.unv"],
)
def test_a_mesh_made_by_anyone_works(foreign, name):
    mesh = read_mesh(foreign / name)
    assert mesh.layers == ("soft", "stiff")  # from the tread upwards, whatever their numbers
    volume = np.bincount(mesh.layer_of_tet, mesh.volumes)
    assert volume == pytest.approx([0.2 * 0.1 * 0.008, 0.2 * 0.1 * 0.012])
    assert mesh.tread_areas.sum() == pytest.approx(0.02)
    # its frame becomes that of every sole
    assert np.allclose(mesh.points.max(axis=0), [0.1, 0.05, 0], atol=1e-9)
    assert mesh.thickness == pytest.approx(0.02)
    a, b, c = (mesh.points[mesh.tread[:, k]] for k in range(3))
    assert (np.cross(b - a, c - a)[:, 2] < 0).all()


def test_second_order_keeps_the_vertices_of_first_order(foreign):
    first, second = read_mesh(foreign / "v41.msh"), read_mesh(foreign / "second.msh")
    assert len(first.points) == len(second.points)
    assert np.allclose(first.points, second.points, atol=1e-12)


def test_curved_edges_are_straightened_with_a_warning(foreign, tmp_path):
    mesh = meshio.read(foreign / "second.msh")
    block = next(b for b in mesh.cells if b.type == "tetra10")
    mesh.points[block.data[0, 4]] += [0, 0, 7.5e-4]
    # on another path too: meshio orders the last two middle nodes in its own way
    for suffix in ("msh", "vtu"):
        path = tmp_path / f"curved.{suffix}"
        if suffix == "msh":
            meshio.write(path, mesh, file_format="gmsh", binary=False)
        else:
            meshio.write(path, meshio.Mesh(mesh.points, [("tetra10", block.data)]))
        with pytest.warns(UserWarning, match=r"lies 0\.00075 m off its chord"):
            read_mesh(path, bond_angle=np.radians(30))


def test_straight_second_order_edges_pass_without_a_word(foreign):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".* moved by")
        read_mesh(foreign / "second.msh")


def test_a_mesh_that_is_moved_says_so(foreign, tmp_path):
    """By more than a millimetre; one that is in its frame already is not."""
    with pytest.warns(UserWarning, match=r"v41\.msh: moved by \(-1\.1e\+03, -2\.05e\+03, .*\) mm"):
        read_mesh(foreign / "v41.msh")
    box = box_mesh(0.2, 0.1, 0.02, (4, 3, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cells = [("tetra", box.tets), ("triangle", box.bond), ("triangle", box.tread)]
        physical = [np.full(len(c), k) for k, (_, c) in zip((3, 1, 2), cells, strict=True)]
        names = {"bond": np.array([1, 2]), "tread": np.array([2, 2]), "all": np.array([3, 3])}
        data = {"gmsh:physical": physical, "gmsh:geometrical": physical}
        mesh = meshio.Mesh(box.points, cells, cell_data=data, field_data=names)
        meshio.write(tmp_path / "there.msh", mesh, file_format="gmsh22")
        read_mesh(tmp_path / "there.msh")


def test_groups_by_direction_where_a_format_has_no_names(foreign):
    with pytest.raises(MeshError, match="--bond-angle-deg"):
        read_mesh(foreign / "other.vtk")
    mesh = read_mesh(foreign / "other.vtk", bond_angle=np.radians(30))
    assert mesh.tread_areas.sum() == pytest.approx(0.02)
    assert mesh.layers == ("sole",)


def test_no_volume_group_is_one_layer(tmp_path):
    mesh = read_mesh(written(tmp_path, named_box(), volumes=False))
    assert mesh.layers == ("sole",)


def test_millimetres(tmp_path):
    mesh = named_box()
    path = written(tmp_path, dataclasses.replace(mesh, points=1000 * mesh.points))
    with pytest.raises(SoleError, match="look like millimetres; give --unit mm"):
        read_mesh(path)
    assert np.allclose(read_mesh(path, "mm").points, mesh.points, atol=1e-12)
    with pytest.raises(SoleError, match=r"unit must be m, cm, mm or in .inches., got 'feet'"):
        read_mesh(path, "feet")


def written(folder, mesh, *, volumes=True, groups=("bond", "tread")):
    """Write a mesh as somebody else would: Gmsh 2.2 by meshio, no header of ours."""
    cells = [("tetra", mesh.tets), ("triangle", mesh.bond), ("triangle", mesh.tread)]
    tags = [np.full(len(mesh.tets), 5 if volumes else 0)]
    tags += [np.full(len(faces), k + 1) for k, faces in enumerate((mesh.bond, mesh.tread))]
    names = {name: np.array([k + 1, 2]) for k, name in enumerate(groups)}
    if volumes:
        names["rubber"] = np.array([5, 3])
    data = {"gmsh:physical": tags, "gmsh:geometrical": tags}
    path = folder / "theirs.msh"
    out = meshio.Mesh(mesh.points, cells, cell_data=data, field_data=names)
    meshio.write(path, out, file_format="gmsh22", binary=False)
    return path


def broken(mesh: SoleMesh, **arrays) -> SoleMesh:
    """A mesh that skips its own checks."""
    bad = object.__new__(SoleMesh)
    for field in dataclasses.fields(SoleMesh):
        object.__setattr__(bad, field.name, arrays.get(field.name, getattr(mesh, field.name)))
    return bad


def test_missing_groups_are_named_with_those_found(tmp_path):
    path = written(tmp_path, named_box(), groups=("top", "tread"))
    with pytest.raises(MeshError) as caught:
        read_mesh(path)
    assert "no surface group 'bond'; found surface groups: top, tread" in str(caught.value)
    assert "volume groups: rubber" in str(caught.value)
    assert str(path) in str(caught.value)


def test_an_inverted_element_is_refused(tmp_path):
    mesh = named_box()
    tets = mesh.tets.copy()
    tets[3] = tets[3, [0, 2, 1, 3]]
    with pytest.raises(MeshError, match="1 inverted or flat tetrahedra, the first is 3"):
        read_mesh(written(tmp_path, broken(mesh, tets=tets)))


def test_the_other_orientation_all_through_is_turned(tmp_path):
    mesh = named_box()
    path = written(tmp_path, broken(mesh, tets=mesh.tets[:, [0, 2, 1, 3]]))
    assert read_mesh(path).volumes.min() > 0


def test_a_floating_part_is_refused(tmp_path):
    mesh = named_box()
    n = len(mesh.points)
    points = np.concatenate([mesh.points, 1e-3 * np.eye(4, 3) + [0, 0, -0.05]])
    tets = np.concatenate([mesh.tets, [[n, n + 2, n + 1, n + 3]]])
    path = written(tmp_path, broken(mesh, points=points, tets=tets))
    with pytest.raises(MeshError, match=r"1 part.* not connected to the bond"):
        read_mesh(path)


def test_groups_swapped_are_refused(tmp_path):
    mesh = named_box()
    with pytest.raises(MeshError, match="bond faces down"):
        read_mesh(written(tmp_path, mesh, groups=("tread", "bond")))


def test_a_group_inside_the_solid_is_refused(tmp_path):
    mesh = named_box()
    faces, number, count = faces_of(mesh.tets)
    inner = faces[(count[number] == 2) & (mesh.points[faces, 2].min(axis=1) > -0.015)]
    path = written(tmp_path, broken(mesh, bond=np.concatenate([mesh.bond, inner[:1]])))
    with pytest.raises(MeshError, match="'bond' has a triangle that is not an outer face"):
        read_mesh(path)


def test_hexahedra_are_refused(tmp_path):
    corners = np.array([(i, j, k) for k in (0, 1) for j in (0, 1) for i in (0, 1)]) * 0.1
    cube = corners[[0, 1, 3, 2, 4, 5, 7, 6]]
    for name, kind in (("cube.vtu", "vtu"), ("cube.msh", "gmsh")):
        mesh = meshio.Mesh(cube, [("hexahedron", [list(range(8))])])
        meshio.write(tmp_path / name, mesh, file_format=kind)
        with pytest.raises(MeshError, match="only tetrahedra and triangles are read"):
            read_mesh(tmp_path / name)


def test_a_surface_is_no_sole(tmp_path):
    mesh = named_box()
    meshio.write(tmp_path / "s.vtu", meshio.Mesh(mesh.points, [("triangle", mesh.bond)]))
    with pytest.raises(MeshError, match="no tetrahedra"):
        read_mesh(tmp_path / "s.vtu")


@pytest.mark.parametrize("name", ["m.vtu", "m.xdmf", "m.vtk"])
@pytest.mark.parametrize("own_arrays", [False, True])
def test_groups_in_formats_without_cell_sets(tmp_path, name, own_arrays):
    """One array of numbers, into which meshio turns cell sets, or one of 0 and 1 per group."""
    mesh = named_box(("soft", "stiff"))
    cells = [("triangle", mesh.tread), ("tetra", mesh.tets), ("triangle", mesh.bond)]
    sizes = [len(c) for _, c in cells]
    place = {"tread": 0, "soft": 1, "stiff": 1, "bond": 2}
    inside = {n: [np.zeros(size, dtype=np.int64) for size in sizes] for n in place}
    for n, k in place.items():
        inside[n][k][:] = 1
    inside["soft"][1][:] = mesh.layer_of_tet == 0
    inside["stiff"][1][:] = mesh.layer_of_tet == 1
    if own_arrays:
        out = meshio.Mesh(mesh.points, cells, cell_data=inside)
    else:
        sets = {n: [np.flatnonzero(flags) for flags in blocks] for n, blocks in inside.items()}
        out = meshio.Mesh(mesh.points, cells, cell_sets=sets)
        out.cell_sets_to_data()  # as its `write` does itself, with a remark on standard output
    meshio.write(tmp_path / name, out)
    read = read_mesh(tmp_path / name)
    assert read.layers == ("soft", "stiff")
    assert np.array_equal(read.layer_of_tet, mesh.layer_of_tet)
    assert np.array_equal(read.tread_vertices, mesh.tread_vertices)
    assert np.array_equal(np.unique(read.bond), np.unique(mesh.bond))


def test_surface_groups_without_elements_inside_are_explained(foreign, tmp_path):
    with open_gmsh("saved") as gmsh:
        gmsh.merge(str(foreign / "v41.msh"))
        for dim, group in gmsh.model.getPhysicalGroups(3):
            gmsh.model.removePhysicalGroups([(dim, group)])
        gmsh.write(str(tmp_path / "shell.msh"))
    with pytest.raises(MeshError, match=r"no tetrahedra.*bond, tread.*add a physical volume"):
        read_mesh(tmp_path / "shell.msh")


def test_a_vertex_that_is_not_finite_is_named(tmp_path):
    mesh = named_box()
    points = mesh.points.copy()
    points[7, 1] = np.nan
    path = written(tmp_path, broken(mesh, points=points))
    with pytest.raises(MeshError, match=r"theirs\.msh: 1 vertices .*vertex 8 of \d+.*, nan, "):
        read_mesh(path)


@pytest.mark.parametrize("name", ["x.msh", "x.vtu"])
def test_an_empty_file_and_a_folder_are_called_so(tmp_path, name):
    with pytest.raises(SchemaError, match="is a folder, expected a file"):
        read_mesh(tmp_path)
    (tmp_path / name).touch()
    with pytest.raises(SchemaError, match="is empty"):
        read_mesh(tmp_path / name)
    (tmp_path / "y.msh").write_text("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n", encoding="utf-8")
    with pytest.raises(SoleError, match="holds no tetrahedra; a sole is a solid mesh"):
        read_mesh(tmp_path / "y.msh")


@pytest.mark.parametrize("share", [0.02, 0.2, 0.5, 0.9, 0.99])
def test_a_truncated_file_is_refused(file, tmp_path, share):
    text = file.read_text(encoding="utf-8")
    path = tmp_path / "cut.msh"
    path.write_text(text[: int(share * len(text))], encoding="utf-8")
    with pytest.raises(SoleError) as caught:
        read_mesh(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["x.msh", "x.vtu", "x.inp", "x.unknown"])
def test_a_file_that_is_no_mesh_is_refused(tmp_path, name):
    path = tmp_path / name
    with pytest.raises(SchemaError, match="no such file"):
        read_mesh(path)
    path.write_text("Point(1) = {0, 0, 0};\n", encoding="utf-8")
    with pytest.raises(SoleError) as caught:
        read_mesh(path)
    assert str(path) in str(caught.value)


def test_a_later_version_of_ours_is_refused(file, tmp_path):
    path = tmp_path / "later.msh"
    path.write_text(file.read_text(encoding="utf-8").replace("sole.mesh/1", "sole.mesh/2"))
    with pytest.raises(SchemaError, match=r"'sole.mesh/2', expected 'sole.mesh/1'"):
        read_mesh(path)


def test_fewer_elements_than_the_header_counts_are_refused(full, file, tmp_path):
    path = tmp_path / "fewer.msh"
    counts = f'"tets": {len(full.tets)}'
    text = file.read_text(encoding="utf-8")
    assert counts in text
    path.write_text(text.replace(counts, '"tets": 9999'), encoding="utf-8")
    with pytest.raises(SchemaError, match="truncated"):
        read_mesh(path)


def test_a_header_of_ours_is_json(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    header = json.loads(lines[lines.index("$Comments") + 1])
    assert header["schema"] == "sole.mesh/1"
    assert header["layers"] == ["tread", "midsole"]


def test_ours_needs_no_unit_and_no_other_suffix(full, file, tmp_path):
    with pytest.raises(MeshError, match="is in metres"):
        read_mesh(file, "mm")
    with pytest.raises(MeshError, match=r"written as \.msh, got '\.vtu'"):
        write_mesh(tmp_path / "x.vtu", full)
    assert list(tmp_path.iterdir()) == []
