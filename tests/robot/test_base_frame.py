"""A URDF may have its base frame at any height: the robot walks and falls as before."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from robot.measures.fall import LOW, SHARE
from robot.model import export_urdf, load_robot
from robot.walk import Scenario, assemble_walk, replace_values

WALK = replace_values(Scenario(), gait={"kind": "walk", "steps": 2}, duration=1.2)
UNDER = 0.93  # m from the base up to the trunk: the base is 9 cm under the ground


@pytest.fixture(scope="module")
def walk_of(tmp_path_factory):
    """Return a function: the walk of rengifo14 with its base frame `lift` [m] below the trunk."""
    folder = tmp_path_factory.mktemp("base")
    export_urdf(load_robot("rengifo14"), folder / "biped.urdf")

    def walk(lift: float):
        tree = ET.parse(folder / "biped.urdf")
        robot = tree.getroot()
        robot.insert(0, ET.fromstring('<link name="low"/>'))
        joint = f'<joint name="lift" type="fixed"><origin xyz="0 0 {lift}"/></joint>'
        robot.append(ET.fromstring(joint))
        ET.SubElement(robot[-1], "parent", link="low")
        ET.SubElement(robot[-1], "child", link="trunk")
        path = folder / f"lift_{lift}.urdf"
        tree.write(path)
        shutil.copy(folder / "biped.srdf", path.with_suffix(".srdf"))
        return assemble_walk(replace(WALK, robot=str(path)))

    return walk


def last_step(walk):
    for step, _ in walk.steps():
        assert not walk.sign(step), step.state.time
    return step


def test_a_base_under_the_ground_or_over_the_head_walks_alike(walk_of):
    """To 1e-6 rad: two steps amplify the round-off of the other base, about 1e-15 m."""
    known = last_step(walk_of(0.0)).state
    for lift in UNDER, -0.5:
        walk = walk_of(lift)
        found = last_step(walk).state
        np.testing.assert_allclose(found.q[7:], known.q[7:], atol=1e-6)
        assert found.q[2] == pytest.approx(known.q[2] - lift, abs=1e-6)
        assert (walk.waist_height < 0) == (lift == UNDER)


@pytest.mark.parametrize("lift", [UNDER, pytest.param(0.5, marks=pytest.mark.nightly)])
def test_it_has_fallen_when_its_hips_have_lost_30_per_cent(walk_of, lift):
    walk = walk_of(lift)
    step, _ = next(walk.steps())

    def sign(lost: float) -> str:
        q = step.state.q.copy()
        q[2] -= lost * walk.stature
        return walk.sign(replace(step, state=replace(step.state, q=q)))

    assert walk.stature == pytest.approx(walk_of(0.0).waist_height, abs=1e-9)
    assert sign(1 - SHARE - 0.02) == ""
    assert sign(1 - SHARE + 0.02) == LOW
