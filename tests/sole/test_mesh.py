"""A mesh that cannot be used is refused; what can be used has the right areas and volumes."""

from dataclasses import replace

import numpy as np
import pytest
from box_mesh import box_mesh

from sole.errors import MeshError
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
