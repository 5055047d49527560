"""The sole under a robot's foot: Talos from its URDF, and small robots of known geometry."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from sole.base.errors import ShapeError
from sole.shape import foot_of_urdf
from sole.shape.urdf_foot import nearest_axes, outline_from_below


@pytest.fixture(scope="module")
def pin():
    return pytest.importorskip("pinocchio", reason="extra 'robots' is not installed")


@pytest.fixture(scope="module")
def talos(pin):
    for folder in map(Path, sys.path):
        share = folder / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
        if share.is_dir():
            return share / "talos_data" / "robots" / "talos_reduced.urdf"
    pytest.fail("example-robot-data is not installed beside Pinocchio")


def test_talos_has_its_published_foot(talos):
    foot = foot_of_urdf(talos, "left_sole_link")
    assert foot.shape.size == pytest.approx((0.221, 0.134, 0.020), abs=6e-4)
    assert foot.link == "left_sole_link"
    # the sole frame of the robot is under the ankle, its z axis up
    assert np.allclose(foot.link_to_sole[:3, :3], np.eye(3))
    assert np.abs(foot.link_to_sole[:3, 3]).max() < 8e-3


def test_the_same_foot_from_the_ankle_link(talos):
    """left_sole_link lies 0.107 m below leg_left_6_link (its fixed joint in the URDF)."""
    sole = foot_of_urdf(talos, "left_sole_link").link_to_sole
    ankle = foot_of_urdf(talos, "leg_left_6_link").link_to_sole
    assert np.allclose(ankle - sole, [[0] * 4, [0] * 4, [0, 0, 0, -0.107], [0] * 4], atol=1e-12)


def test_left_and_right_are_mirror_images(talos):
    from dataclasses import replace

    from sole.mesh import mesh_shape

    feet = [foot_of_urdf(talos, f"{side}_sole_link") for side in ("left", "right")]
    meshes = [
        replace(mesh_shape(f.shape, 0.03), link=f.link, link_to_sole=f.link_to_sole) for f in feet
    ]
    mirrored = meshes[0].mirrored()
    assert np.allclose(mirrored.link_to_sole, meshes[1].link_to_sole, atol=1e-6)
    left, right = (np.array(f.shape.polygon.points) for f in feet)
    gap = np.linalg.norm(left[:, None] * [1, -1] - right[None], axis=2).min(axis=1)
    assert gap.max() < 1e-5


def test_an_unknown_link_lists_the_links(talos):
    with pytest.raises(ShapeError, match=r"no link 'foot'; the links are .*left_sole_link"):
        foot_of_urdf(talos, "foot")


def test_a_link_without_geometry(pin, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text('<robot name="r"><link name="sole"/></robot>', encoding="utf-8")
    with pytest.raises(ShapeError, match="cannot find the foot of 'sole': neither collision"):
        foot_of_urdf(path, "sole")


ROBOT = """<robot name="r"><link name="base"/><joint name="j" type="revolute">
<parent link="base"/><child link="foot"/><axis xyz="0 1 0"/><origin xyz="0 0 1" rpy="{rpy}"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="foot">{inertia}<{kind}><origin xyz="0.03 0 -0.05" rpy="0 0 0"/><geometry>{shape}
</geometry></{kind}></link></robot>"""
INERTIA = """<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
</inertial>"""


def robot(folder, shape, kind="collision", rpy="0 0 0"):
    path = folder / "robot.urdf"
    path.write_text(ROBOT.format(shape=shape, kind=kind, rpy=rpy, inertia=INERTIA))
    return path


@pytest.mark.parametrize("kind", ["collision", "visual"])
@pytest.mark.parametrize(
    ("shape", "size", "low"),
    [
        ('<box size="0.2 0.1 0.04"/>', (0.2, 0.1), -0.07),
        ('<cylinder radius="0.06" length="0.03"/>', (0.12, 0.12), -0.065),
        ('<sphere radius="0.05"/>', (0.1, 0.1), -0.1),
    ],
)
def test_primitives(pin, tmp_path, kind, shape, size, low):
    foot = foot_of_urdf(robot(tmp_path, shape, kind), "foot", 0.01)
    assert foot.shape.size == pytest.approx((*size, 0.01), rel=2e-2)
    assert np.allclose(foot.link_to_sole[:3, 3], [0.03, 0, low], atol=1e-3)
    assert np.allclose(foot.link_to_sole[:3, :3], np.eye(3))


def test_axes_of_a_link_that_lies_on_its_side(pin, tmp_path):
    """Rolled by 90 degrees: the link's y points up in the world and becomes the sole's z."""
    path = robot(tmp_path, '<box size="0.2 0.04 0.1"/>', rpy=f"{np.pi / 2} 0 0")
    foot = foot_of_urdf(path, "foot")
    assert foot.shape.size == pytest.approx((0.2, 0.1, 0.02))
    assert np.allclose(foot.link_to_sole[:3, :3], [[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    assert np.allclose(foot.link_to_sole[:3, 3], [0.03, -0.02, -0.05])


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**32 - 1), st.floats(-0.5, 0.5))
def test_nearest_axes_are_a_rotation_that_tilts_little(seed, angle):
    rng = np.random.default_rng(seed)
    permuted = nearest_axes(Rotation.random(rng=rng).as_matrix())
    assert np.linalg.det(permuted) == pytest.approx(1)
    assert set(np.unique(np.abs(permuted))) == {0.0, 1.0}
    tilt = Rotation.from_rotvec(angle * np.array([0.6, 0.0, 0.8])).as_matrix()
    # link to world = tilt after putting the chosen axes upright
    assert np.array_equal(nearest_axes(tilt @ permuted.T), permuted)


def test_the_outline_keeps_length_and_width():
    """A disc of 360 corners, 1 mm out of round at two places that simplifying would cut."""
    angle = np.radians(np.arange(360))
    points = 0.1 * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(360)])
    points[0, 0] += 5e-4
    outline, low = outline_from_below(np.concatenate([points, points + np.array([9, 9, 1])]))
    assert low == 0.0
    assert len(outline) < 60
    assert np.ptp(outline, axis=0) == pytest.approx([0.2005, 0.2], abs=1e-12)


def test_a_broken_urdf_is_refused(pin, tmp_path):
    path = tmp_path / "robot.urdf"
    with pytest.raises(ShapeError, match="no such file"):
        foot_of_urdf(path, "foot")
    with pytest.raises(ShapeError, match="is a folder, expected a file"):
        foot_of_urdf(tmp_path, "foot")
    path.write_text("<robot", encoding="utf-8")
    with pytest.raises(ShapeError, match=r"robot\.urdf:1: not a readable URDF \(unclosed"):
        foot_of_urdf(path, "foot")
    path = robot(tmp_path, '<mesh filename="package://gone/foot.stl"/>')
    with pytest.raises(ShapeError, match=r"cannot find the foot of 'foot'.*gone"):
        foot_of_urdf(path, "foot")
    path = robot(tmp_path, '<box size="200 100 40"/>')
    with pytest.raises(ShapeError, match="look like millimetres"):
        foot_of_urdf(path, "foot")


def test_without_pinocchio_doctor_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    with pytest.raises(ShapeError, match=r"Pinocchio cannot be loaded .*; run `sole doctor`"):
        foot_of_urdf(tmp_path / "robot.urdf", "foot")
