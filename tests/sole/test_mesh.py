"""A mesh that cannot be used is refused; what can be used has the right areas and volumes."""

import math
from dataclasses import replace

import numpy as np
import pytest
from box_mesh import box_mesh

from sole.base.errors import MeshError
from sole.mesh import SoleMesh


@pytest.fixture
def mesh() -> SoleMesh:
    return box_mesh(0.2, 0.1, 0.03, (4, 3, 2), (1, 2))


def test_volume_area_thickness(mesh: SoleMesh) -> None:
    assert mesh.volumes.sum() == pytest.approx(0.2 * 0.1 * 0.03, rel=1e-13)
    assert mesh.tread_areas.sum() == pytest.approx(0.2 * 0.1, rel=1e-13)
    assert mesh.thickness == pytest.approx(0.03)
    assert len(mesh.tread_areas) == len(mesh.tread_vertices) == 5 * 4


def test_arrays_are_read_only_and_detached(mesh: SoleMesh) -> None:
    points = mesh.points.copy()
    copy = replace(mesh, points=points)
    points[0] = 9.0
    assert copy.points[0, 0] != 9.0
    with pytest.raises(ValueError, match="read-only"):
        mesh.points[0, 0] = 1.0


def test_mirror_keeps_volume_and_orientation(mesh: SoleMesh) -> None:
    other = mesh.mirrored()
    assert np.array_equal(other.points[:, 1], -mesh.points[:, 1])
    assert np.allclose(np.sort(other.volumes), np.sort(mesh.volumes), rtol=1e-12)
    assert other.mirrored().digest == mesh.digest
    assert other.digest != mesh.digest


def test_a_link_is_mirrored_with_its_sole(mesh: SoleMesh) -> None:
    """A point of the mirrored sole sits on the mirrored link where the mirror image sat before."""
    turn, lean = np.radians(20.0), np.radians(10.0)
    about_z = np.array(
        [[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]]
    )
    about_x = np.array(
        [[1, 0, 0], [0, np.cos(lean), -np.sin(lean)], [0, np.sin(lean), np.cos(lean)]]
    )
    placed = np.eye(4)
    placed[:3, :3] = about_z @ about_x
    placed[:3, 3] = (0.03, 0.02, -0.1)
    right = replace(mesh, link="foot", link_to_sole=placed)
    left = right.mirrored()

    def on_link(sole: SoleMesh) -> np.ndarray:
        assert sole.link_to_sole is not None
        return sole.points @ sole.link_to_sole[:3, :3].T + sole.link_to_sole[:3, 3]

    assert left.link_to_sole is not None
    assert np.linalg.det(left.link_to_sole[:3, :3]) == pytest.approx(1.0)
    np.testing.assert_allclose(on_link(left), on_link(right) * [1, -1, 1], atol=1e-15)
    assert left.mirrored().link_to_sole == pytest.approx(placed)


def test_a_tread_vertex_carries_a_third_of_each_of_its_triangles() -> None:
    """Bricks of unequal length: what a vertex carries is (half of) what lies left and right."""
    x = np.array([-0.1, -0.09, -0.05, 0.03, 0.1])
    uneven = box_mesh(0.2, 0.1, 0.03, (4, 1, 1), x=x)
    vertices = uneven.points[uneven.tread_vertices]
    by_x = [uneven.tread_areas[np.isclose(vertices[:, 0], at)].sum() for at in x]
    assert by_x == pytest.approx(0.1 * np.convolve(np.diff(x), [0.5, 0.5]))
    expected = np.zeros(len(uneven.points))
    for triangle in uneven.tread:
        a, b, c = uneven.points[triangle]
        expected[triangle] += np.linalg.norm(np.cross(b - a, c - a)) / 6
    assert uneven.tread_areas == pytest.approx(expected[uneven.tread_vertices], rel=1e-13)


def test_stretching_changes_only_the_thickness(mesh: SoleMesh) -> None:
    thick = mesh.with_thickness(0.06)
    assert thick.thickness == pytest.approx(0.06)
    assert thick.volumes.sum() == pytest.approx(2 * mesh.volumes.sum())
    with pytest.raises(MeshError, match="must be positive"):
        mesh.with_thickness(0.0)


def spoiled(mesh: SoleMesh, case: str) -> dict[str, object]:
    points, tets = mesh.points.copy(), mesh.tets.copy()
    if case == "nan":
        points[3, 1] = np.nan
        return {"points": points}
    if case == "inverted":
        tets[5] = tets[5][[1, 0, 2, 3]]
        return {"tets": tets}
    if case == "orphan":
        return {"points": np.vstack([points, [0, 0, 0]])}
    if case == "index":
        tets[0, 0] = 10_000
        return {"tets": tets}
    if case == "no bond":
        return {"bond": np.empty((0, 3), int)}
    if case == "no tread":
        return {"tread": np.empty((0, 3), int)}
    if case == "shared":
        return {"tread": np.vstack([mesh.tread, mesh.bond[:1]])}
    if case == "floating":
        n = len(points)
        return {
            "points": np.vstack([points, points + np.array([1, 0, 0])]),
            "tets": np.vstack([tets, tets + n]),
            "layer_of_tet": np.tile(mesh.layer_of_tet, 2),
        }
    return {"layer_of_tet": mesh.layer_of_tet + 1}


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("nan", "vertex 3 is not finite"),
        ("inverted", r"1 inverted .* the first is 5"),
        ("orphan", "1 vertices belong to no"),
        ("index", "refers to vertex 10000"),
        ("no bond", "group 'bond' is empty"),
        ("no tread", "group 'tread' is empty"),
        ("shared", "bond and tread share 3"),
        ("floating", "1 part.* not connected to the bond"),
        ("layer", "every tetrahedron a layer"),
    ],
)
def test_refuses(mesh: SoleMesh, case: str, message: str) -> None:
    with pytest.raises(MeshError, match=message):
        replace(mesh, **spoiled(mesh, case))


@pytest.mark.parametrize("odd", [0.5, math.nan])
@pytest.mark.parametrize("name", ["tets", "bond", "tread", "layer_of_tet"])
def test_indices_that_are_not_whole_are_refused(mesh: SoleMesh, name: str, odd: float) -> None:
    values = getattr(mesh, name).astype(float)
    same = replace(mesh, **{name: values.copy()})
    assert same.digest == mesh.digest
    values.flat[-1] += odd
    with pytest.raises(MeshError, match=f"'{name}' must be whole numbers"):
        replace(mesh, **{name: values})
