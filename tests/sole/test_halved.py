"""A mesh tells its shape and sizes, so that the sole can be meshed anew at half the size."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from box_mesh import box_mesh

from sole.base.errors import MeshError
from sole.material import Material
from sole.mesh import Source, halved, mesh_from, mesh_shape, read_mesh, write_mesh
from sole.shape import load_shape

LAYERS = """
schema = "sole.shape/1"
name = "two layers"
size_tread = 0.02
size_bond = 0.03
[rectangle]
length = 0.1
width = 0.06
corner_radius = 0.01
[[layers]]
name = "tread"
thickness = 0.006
young_modulus = 2e6
poisson_ratio = 0.4
[[layers]]
name = "core"
thickness = 0.008
[toe]
kind = "rocker"
length = 0.03
height = 0.004
"""


def test_a_read_mesh_is_halved_to_the_mesh_of_the_shape_at_half_the_sizes(tmp_path: Path) -> None:
    file = tmp_path / "two.toml"
    file.write_text(LAYERS)
    write_mesh(tmp_path / "two.msh", mesh_shape(load_shape(file)))
    mesh = read_mesh(tmp_path / "two.msh")
    finer = halved(mesh)
    assert finer.digest == mesh_shape(load_shape(file), 0.01, 0.015).digest
    assert finer.layers == mesh.layers
    assert (
        finer.materials
        == mesh.materials
        == (
            Material(young_modulus=2e6, poisson_ratio=0.4),
            None,
        )
    )
    assert len(finer.tread_vertices) > 2.5 * len(mesh.tread_vertices)  # 4 in the limit


def test_sizes_that_nobody_gave_are_halved_too() -> None:
    mesh = mesh_from(Source(box=(0.1, 0.06, 0.015)))
    assert mesh.recipe is not None
    size = mesh.recipe["size_tread"]
    assert (
        halved(mesh).digest
        == mesh_from(Source(box=(0.1, 0.06, 0.015), size_tread=size / 2, size_bond=size / 2)).digest
    )


def test_the_other_foot_is_halved_to_the_other_foot() -> None:
    mesh = mesh_from(Source(preset="hrp2kai", size_tread=0.04, size_bond=0.04))
    other = replace(mesh.mirrored(), name="left")
    assert halved(other).digest == halved(mesh).mirrored().digest != halved(mesh).digest
    assert halved(other).name == "left"
    assert mesh.mirrored().mirrored().recipe == mesh.recipe


@pytest.mark.parametrize("way", ["foreign", "thicker", "moved and mirrored"])
def test_a_mesh_that_is_not_the_one_of_its_recipe_is_refused(way: str) -> None:
    mesh = mesh_from(Source(box=(0.1, 0.06, 0.015), size_tread=0.04, size_bond=0.04))
    if way == "foreign":
        mesh = box_mesh(0.1, 0.06, 0.015, (3, 2, 1))
    elif way == "thicker":
        mesh = mesh.with_thickness(0.02)
    else:
        mesh = replace(mesh, points=mesh.points + np.array([0.01, 0.0, 0.0])).mirrored()
    with pytest.raises(MeshError, match=r"mesh it with half the sizes yourself"):
        halved(mesh)
