"""The examples on the stiffness of feet run with small parameters; numbers of each are checked."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from example_scripts import load


def test_foot_stiffness() -> None:
    example = load("foot_stiffness")
    rows = example.main(size=0.025, steps=4)
    springs = [r for r in rows if r.model == example.SPRINGS]
    fem = [r for r in rows if r.model == example.FEM]
    for own in (springs, fem):
        assert own[0].area == pytest.approx(1.0)
        # In finite elements a node more or less slips, which is worth some per cent.
        assert all(a.sinking >= b.sinking - 0.02 for a, b in pairwise(own))
        assert own[-1].smallest < 0.01 < 0.5 < own[0].smallest
    # Springs are as stiff as their area, and both lose their contact alike.
    assert [r.sinking for r in springs] == pytest.approx([r.area for r in springs])
    assert [r.sinking for r in fem] == pytest.approx([r.sinking for r in springs], abs=0.2)


def test_force_law() -> None:
    found = load("force_law").main(size=0.03, steps=60, presses=4)
    k = np.arange(61)
    for kappa in (0.25, 1, 5, 39, 41):
        decay = (1 - kappa * 0.05) ** k  # beyond 20 the error changes its sign every step
        assert found[f"κ = {kappa:g}"] == pytest.approx(decay, rel=1e-6, abs=1e-9)
    assert abs(found["κ = 20"][1]) < 1e-9  # deadbeat
    assert found["FEM, law knows K"] == pytest.approx(0.95**k, rel=1e-6)
    assert found["FEM, law with E/d"][-1] < 0.2 * 0.95**60  # stiffer than the law thinks
    assert found["pressed, law knows K"] == pytest.approx(0.95 ** np.arange(5), rel=5e-3)
    assert found["cosines, 17° off"][-1] == pytest.approx(0.95**60, rel=0.15)


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
