"""The examples on robots."""

from __future__ import annotations

import numpy as np
import pytest
from example_scripts import load


def test_robots() -> None:
    stances = load("robots").main(("hrp2-like", "lola-like"))
    for stance, height in zip(stances, (1.4827, 1.7501), strict=True):
        points = np.concatenate(stance.solids)
        assert points[:, 2].min() == pytest.approx(0.0, abs=1e-12)  # the bond planes
        assert points[:, 2].max() == pytest.approx(height, abs=1e-4)
        pads = [p for p in stance.solids if np.ptp(p[:, 2]) < 1e-12]
        assert len(pads) == (2 if stance.robot.name == "hrp2-like" else 8)
        assert abs(stance.com[0]) < 0.01


def test_the_biped_stands_on_its_feet() -> None:
    """At every height from the ground to the top there is a solid: none floats above another."""
    (stance,) = load("robots").main(("rengifo14",))
    reached = 0.0
    for low, high in sorted((p[:, 2].min(), p[:, 2].max()) for p in stance.solids):
        assert low < reached + 1e-12
        reached = max(reached, high)
