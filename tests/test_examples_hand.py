"""Example of a robot that leans with a hand on a table."""

from __future__ import annotations

import numpy as np
import pytest
from example_scripts import load


@pytest.mark.nightly
def test_hand_on_table():
    example = load("hand_on_table")
    rows, weight = example.main()
    hand, feet, height = rows[:, 1:4], rows[:, 4:7], rows[:, 7]
    end = slice(-200, None)
    # At rest: the table and the floor carry the weight, and push against each other.
    assert (hand + feet)[end, 2].mean() == pytest.approx(weight, rel=5e-3)
    assert np.abs((hand + feet)[end, :2].mean(axis=0)).max() < 5e-3 * weight
    assert 0.05 < hand[end, 2].mean() / weight < 0.4
    assert np.hypot(*hand[:, :2].T).max() <= 0.7 * hand[:, 2].max() + 1e-6
    assert height[-1] > 0.9 * height[0]
    fallen, _ = example.main(table=None)
    assert len(fallen) < len(rows)  # it ended with the sign of a fall, here 45 deg
    assert fallen[-1, 7] < 0.9 * fallen[0, 7]
    assert not fallen[: len(fallen) // 2, 1:4].any()
