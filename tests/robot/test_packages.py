"""`package://` by --package NAME=FOLDER and by the folders of ROS 1 and ROS 2."""

from __future__ import annotations

import json
import struct
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from command_line import in_this_process

from robot.model import export_urdf, load_robot
from robot.model.urdf_source import RobotError
from sole.base.errors import ShapeError
from sole.shape import foot_of_urdf, relative_to

MESH = "package://my_bot/meshes/foot.stl"
CORNERS = np.array([[x, y, z] for x in (-0.13, 0.13) for y in (-0.07, 0.07) for z in (0.0, 0.03)])


def stl() -> bytes:
    """Return a box as triangles: only its corners matter here."""
    faces = [(0, 1, 2), (1, 3, 2), (4, 6, 5), (5, 6, 7), (0, 2, 4), (2, 6, 4), (1, 5, 3), (3, 5, 7)]
    faces += [(0, 4, 1), (1, 4, 5), (2, 3, 6), (3, 7, 6)]
    triangles = [struct.pack("<12fH", 0, 0, 0, *CORNERS[list(face)].ravel(), 0) for face in faces]
    return bytes(80) + struct.pack("<I", len(faces)) + b"".join(triangles)


@pytest.fixture
def bot(tmp_path):
    """Return a URDF whose right foot is a mesh of a package that lies elsewhere."""
    (tmp_path / "urdf").mkdir()
    urdf, _ = export_urdf(load_robot("rengifo14"), tmp_path / "urdf" / "bot.urdf")
    tree = ET.parse(urdf)
    for geometry in tree.findall("link[@name='right_foot']/*/geometry"):
        geometry.clear()
        geometry.append(ET.fromstring(f'<mesh filename="{MESH}"/>'))
    tree.write(urdf)
    return urdf


@pytest.fixture
def package(tmp_path):
    """Return the folder of the package, of a name that is not the package's."""
    folder = tmp_path / "install" / "share" / "my_bot"
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "foot.stl").write_bytes(stl())
    return folder


@pytest.fixture
def sole(monkeypatch, capsys):
    run = in_this_process(monkeypatch, capsys)
    return lambda *words: run(*map(str, words))


def meshes(robot):
    return [solid.path for solid in robot.solids if solid.kind == "mesh"]


def test_a_named_package_is_found_by_python_and_commands(bot, package, sole):
    renamed = package.rename(package.with_name("other"))
    file = (renamed / "meshes" / "foot.stl").resolve()
    assert meshes(load_robot(bot)) == []
    assert set(meshes(load_robot(bot, packages=[f"my_bot={renamed}"]))) == {file}
    foot = foot_of_urdf(bot, "right_foot", packages=[f"my_bot={renamed}"])
    assert foot.shape.name == "right_foot"

    code, out, _ = sole("robot", "info", bot, "--json")
    assert code == 0
    assert any("--package NAME=FOLDER" in text for text in json.loads(out)["warnings"])
    named = ["--package", f"my_bot={renamed}"]
    code, out, _ = sole("robot", "info", bot, "--json", *named)
    assert code == 0
    assert not any("--package" in text for text in json.loads(out)["warnings"])


@pytest.mark.parametrize(
    ("variable", "up"), [("ROS_PACKAGE_PATH", 0), ("ROS_PACKAGE_PATH", 1), ("AMENT_PREFIX_PATH", 2)]
)
def test_packages_of_ros_are_found(bot, package, monkeypatch, variable, up):
    folder = (package, *package.parents)[up]
    monkeypatch.setenv(variable, f"/nowhere:{folder}")
    assert set(meshes(load_robot(bot))) == {(package / "meshes" / "foot.stl").resolve()}
    foot = foot_of_urdf(bot, "right_foot")
    np.testing.assert_allclose(np.ptp(foot.shape.polygon.points, axis=0), [0.26, 0.14], atol=1e-6)


def test_a_wrong_folder_is_named_with_line_and_file(bot, package, sole):
    with pytest.raises(RobotError, match=r"bot\.urdf:\d+: .*no file 'meshes/foot\.stl'"):
        load_robot(bot, packages=[f"my_bot={package.parent}"])
    with pytest.raises(ShapeError, match="expected NAME=FOLDER"):
        relative_to(package, "my_bot=")
    code, _, err = sole("robot", "info", bot, "--package", "=x")
    assert code == 2 and err.strip().splitlines()[-1].startswith("error: ")


def test_a_single_mesh_that_a_named_package_lacks_is_a_warning(bot, package):
    tree = ET.parse(bot)
    lost = tree.find("link[@name='left_foot']/*/geometry")
    lost.clear()
    lost.append(ET.fromstring('<mesh filename="package://my_bot/meshes/cover.stl"/>'))
    tree.write(bot)
    robot = load_robot(bot, packages=[f"my_bot={package}"])
    assert set(meshes(robot)) == {(package / "meshes" / "foot.stl").resolve()}
    told = (*robot.warnings, *robot.doubts)
    assert any("package://my_bot/meshes/cover.stl" in text for text in told)


def test_folders_of_a_scenario_are_relative_to_it(tmp_path):
    assert relative_to(tmp_path, "my_bot=a") == f"my_bot={tmp_path / 'a'}"
    assert relative_to(tmp_path, "a") == str(tmp_path / "a")
    assert relative_to(tmp_path, "/b/x=y") == "/b/x=y"
