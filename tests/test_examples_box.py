"""The comparison of contact models."""

from __future__ import annotations

import numpy as np
import pytest
from example_scripts import load

from contact.papers.penalty import PenaltyLaw, restitution

G = 9.81


@pytest.mark.nightly
def test_contact_models():
    law = (1e4, 100.0)
    results = load("contact_models").main(laws=(law,), end=0.2, size=0.05)
    u, mass = np.sqrt(2 * G * 0.05), 1.0
    penalty, rigid, pad = results["ball"]
    e = restitution(PenaltyLaw(*law))
    # Sampled every ms: g dt of the speed, kp depth dt^2/8 of the depth may be missed.
    assert penalty.rebound == pytest.approx(e * u, abs=G * 1e-3)
    depth = e * u / np.sqrt(law[0])
    assert penalty.depth == pytest.approx(depth, abs=law[0] * depth * 1e-6 / 8 + 1e-6)
    assert penalty.peak == pytest.approx(mass * (G + law[1] * u - law[0] * 1e-6), rel=1e-8)
    assert rigid.rebound < 1e-6 > rigid.depth
    # Stopped in two steps of 1 ms: the first ends on the ground, the second at rest there.
    assert mass * u / 1e-3 / 2 < rigid.peak < mass * (u / 1e-3 + G)
    assert rigid.lost == pytest.approx(mass * G * 0.05, rel=1e-5)
    assert 0 < pad.rebound < u
    for name, rows in results.items():
        for row in rows:
            # Event-aware to the tolerance of the integrator, all others to round-off.
            assert abs(row.imbalance) < 1e-8 * (1 + row.impulse), (name, row.model)
            if name != "sliding box" or row.model.startswith("exact"):
                assert row.gained <= 1e-12 * (1 + row.lost), (name, row.model)
    # The slide: v^2/(2 mu g), and half a step less, against what saturation does to the law.
    penalty, rigid, pad = results["sliding box"]
    exact = 0.5**2 / (2 * 0.3 * G)
    assert rigid.way == pytest.approx(exact - 0.5 * 1e-3 / 2, rel=1e-3)
    assert pad.way == pytest.approx(exact, rel=0.05)
    assert rigid.peak == pytest.approx(40 * G, rel=1e-3)
    lever = law[1] * 0.5 * 0.15 / (G * 0.1)  # kv v h/(g a), see docs/results/penalty.md
    assert penalty.peak > 0.99 * 40 * G / 2 * (1 + lever)
