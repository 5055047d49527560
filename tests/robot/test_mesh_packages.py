"""Meshes of a URDF: found where package:// says, also in a renamed folder; else a warning."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from robot.model.urdf import _missing_meshes
from sole.shape import find_package_file

NAME = "package://biped_description/meshes/thigh.stl"


@pytest.mark.parametrize("folder", ["biped_description", "biped", "biped-1.2.0/description"])
def test_a_renamed_package_still_has_its_meshes(tmp_path, folder):
    mesh = tmp_path / folder / "meshes" / "thigh.stl"
    mesh.parent.mkdir(parents=True)
    mesh.write_text("solid")
    urdf = tmp_path / folder / "urdf"  # as for a URDF in the package's subfolder
    assert find_package_file(NAME, [urdf, *urdf.parents]) == mesh


def test_the_named_package_comes_before_one_that_only_ends_alike(tmp_path):
    for folder in ("other", "right/biped_description"):
        mesh = tmp_path / folder / "meshes" / "thigh.stl"
        mesh.parent.mkdir(parents=True)
        mesh.write_text("solid")
    found = find_package_file(NAME, [tmp_path / "other", tmp_path / "right"])
    assert found == tmp_path / "right" / "biped_description" / "meshes" / "thigh.stl"


def test_a_bare_file_name_is_no_match(tmp_path):
    """Of two parts at least: any thigh.stl above the URDF would do otherwise."""
    (tmp_path / "thigh.stl").write_text("solid")
    assert find_package_file(NAME, [tmp_path]) is None


def test_what_is_not_found_is_told_with_what_to_do(tmp_path):
    link = '<link><visual><geometry><mesh filename="{}"/></geometry></visual></link>'
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "thigh.stl").write_text("solid")
    gone = "package://biped_description/meshes/gone.stl"
    tree = ET.fromstring(f"<robot>{link.format(NAME)}{link.format(gone)}</robot>")
    (told,) = _missing_meshes(tree, [tmp_path])
    assert (
        told.startswith(f"1 of 2 meshes are not found, as {gone}:")
        and "--package NAME=FOLDER" in told
    )
    (tmp_path / "meshes" / "gone.stl").write_text("solid")
    assert _missing_meshes(tree, [tmp_path]) == ()
