"""Pictures of grounds: what is shown, how high it is, and `sole view` of a ground file."""

from __future__ import annotations

from math import radians

import numpy as np
import pytest
from pictures import colours
from typer.testing import CliRunner

from contact.ground import Box, Bump, CompositeGround, HeightField, Plane, Slope, Stairs, Step
from contact.ground.ground_file import save_ground
from contact.pictures.ground_view import choose_extent, ground_scene, surface_dataset
from sole.base.cli import app
from sole.base.errors import SoleError
from sole.pictures import ViewOptions

STAIRS = CompositeGround(
    parts=(
        Stairs(run=0.25, rise=0.1, count=3, width=0.8, x=0.2, landing=0.5),
        Box(length=0.3, width=0.2, rise=0.05, x=-0.2, y=0.3, yaw=radians(30)),
    )
)


@pytest.mark.parametrize(
    ("ground", "heights"),
    [
        (Plane(), (0.0, 0.0)),
        (Step(rise=0.02), (0.0, 0.02)),
        (Bump(rise=0.01, radius=0.05), (0.0, 0.01)),
        (STAIRS, (0.0, 0.3)),
        (HeightField(heights=[[0.1, 0.2], [0.3, 0.1]], scale=0.5), (0.1, 0.3)),
        # Over -0.3..0.3 m, the half width of what has no bounds.
        (Slope(angle=radians(45)), (-0.3, 0.3)),
    ],
    ids=lambda g: getattr(g, "kind", ""),
)
def test_the_surface_has_the_heights_of_the_ground(ground, heights):
    grid = surface_dataset(ground)
    z = grid.point_data["height"]
    np.testing.assert_array_equal(z, grid.points[:, 2])
    low, high = heights
    assert z.min() == pytest.approx(low, abs=1e-6)
    # A vertex lies within one distance s = size/400 of the top of a ball: s^2/(2 r).
    assert z.max() == pytest.approx(high, abs=1e-4 if ground.kind == "bump" else 1e-6)


def test_all_that_is_bounded_is_shown():
    x0, x1, y0, y1 = choose_extent(STAIRS)
    assert x0 < -0.2 - 0.15 and x1 > 0.2 + 0.5 + 0.5 and y0 < -0.4 and y1 > 0.4
    x0, x1, y0, y1 = choose_extent(Stairs(x=2.0))  # without sides: as wide as long
    assert x0 < 2.0 and x1 > 3.5 and y0 == -y1 and y1 > 0.5


def test_a_ground_file_is_drawn(tmp_path):
    save_ground(tmp_path / "stairs.toml", STAIRS)
    output = tmp_path / "stairs.png"
    done = CliRunner().invoke(app, ["view", str(tmp_path / "stairs.toml"), "-o", str(output)])
    assert done.exit_code == 0, done.output
    assert colours(output) > 100


def test_an_unknown_field_is_refused():
    with pytest.raises(SoleError, match="fields are height"):
        ground_scene(STAIRS, ViewOptions(field="pressure"))
