"""A floating or planar joint under a world link is the robot's own free base."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from robot.model import export_urdf, load_robot
from robot.model.urdf_source import RobotError

KNOWN = "rengifo14"


def with_world(folder, kind, inside=""):
    """Return rengifo14's URDF under a world link that carries its trunk by a joint."""
    urdf, srdf = export_urdf(load_robot(KNOWN), folder / "biped.urdf")
    tree = ET.parse(urdf)
    robot = tree.getroot()
    robot.insert(0, ET.fromstring(f'<link name="world">{inside}</link>'))
    robot.append(
        ET.fromstring(
            f'<joint name="free" type="{kind}"><parent link="world"/><child link="trunk"/>'
            '<origin xyz="0 0 0.8"/><axis xyz="0 0 1"/></joint>'
        )
    )
    path = folder / f"{kind}.urdf"
    tree.write(path)
    shutil.copy(srdf, path.with_suffix(".srdf"))
    return path


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_the_joint_under_the_world_is_the_free_base(tmp_path, kind):
    known, found = load_robot(KNOWN), load_robot(with_world(tmp_path, kind))
    assert found.model.nv == known.model.nv == 20
    assert found.mass == pytest.approx(known.mass, abs=1e-9)
    np.testing.assert_allclose(found.q0, known.q0, atol=1e-9)


def test_a_world_with_mass_is_not_dropped(tmp_path):
    ball = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    with pytest.raises(RobotError, match="not on the floating base"):
        load_robot(with_world(tmp_path, "floating", ball + "</inertial>"))
