"""Small balls under a foot, as learning environments have them, outline a flat tread."""

from __future__ import annotations

import numpy as np
import pytest

from sole.shape import foot_of_urdf

BALL = (
    '<collision><origin xyz="{} {} -0.03" rpy="0.3 0 0.4"/><geometry><sphere radius="{}"/>'
    "</geometry></collision>"
)
FOOT = '<robot name="r"><link name="foot">{}</link></robot>'


def outline(tmp_path, radius):
    path = tmp_path / "r.urdf"
    at = [(-0.05, 0.03), (-0.05, -0.03), (0.12, 0.03), (0.12, -0.03)]
    path.write_text(FOOT.format("".join(BALL.format(x, y, radius) for x, y in at)))
    foot = foot_of_urdf(path, "foot")
    return np.array(foot.shape.polygon.points), foot.link_to_sole


def test_four_balls_make_a_rectangle(tmp_path):
    """However the balls are turned: length and width are those of their centres and two radii."""
    points, place = outline(tmp_path, 0.005)
    corners = {(x, y) for x in (-0.09, 0.09) for y in (-0.035, 0.035)}
    assert {(round(x, 9), round(y, 9)) for x, y in points} == corners
    assert place[:3, 3] == pytest.approx([0.035, 0.0, -0.035], abs=1e-12)


def test_large_balls_stay_round(tmp_path):
    points, _ = outline(tmp_path, 0.025)
    assert len(points) > 8
