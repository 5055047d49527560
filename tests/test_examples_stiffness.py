"""The example on pads and springs runs with small parameters; its numbers are checked."""

from __future__ import annotations

import pytest
from example_scripts import load


def test_winkler_limits() -> None:
    example = load("winkler_limits")
    thin, thick = example.main(slendernesses=(0.2, 1.0), nus=(0.45,), layers=1)
    for row in (thin, thick):
        assert (row.sticks >= row.slides).all()
        assert (row.slides >= 1).all()
    assert (thin.sticks > 1.2 * thick.sticks).all()
    roll, pitch, sink = thin.sticks
    assert roll < pitch < sink  # the longer the way out, the stiffer
    # One layer of elements: 3 % too stiff; the rule is within 4 % of fine meshes here.
    assert example.rule(0.2, 0.45, True) == pytest.approx(thin.sticks, rel=0.07)
