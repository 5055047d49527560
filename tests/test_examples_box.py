"""Examples of the box on vertices, false impacts and the comparison of contact models."""

from __future__ import annotations

import numpy as np
import pytest
from example_scripts import load

from contact.papers.penalty import PenaltyLaw, restitution, run_with_held_force

G = 9.81


def test_box_on_vertices():
    law = PenaltyLaw(kp=2000.0, kv=500.0, epsilon=-1e-5)
    rests, run, energy = load("box_on_vertices").main(law, end=0.1)
    for rest in rests:
        # The pull of the steady penetration, m kp |epsilon - p|, is zero at p = epsilon.
        assert rest.forces == pytest.approx(rest.expected, abs=1e-9 * 20 * G)
    assert [rest.forces.min() for rest in rests][-1] == pytest.approx(0.0, abs=1e-9 * 20 * G)
    touched = (run.heights <= 0).argmax(axis=0)
    assert len(set(touched)) >= 3  # one vertex after the other, the last two within one sample
    assert run.touching.max() == 4
    assert energy[-1] < energy[0]
    assert energy.max() <= energy[0] * (1 + 1e-8)


def test_false_impacts():
    """One period of the load after landing: what the rule asks for holds, less or none does not."""
    example, dt = load("false_impacts"), 1e-3
    # 2 s dt/kp for the fastest lift s: of the force alone it is swing omega/m.
    needed, alone = example.depth(dt), 2 * example.SWING * example.OMEGA / example.MASS * dt / 500
    assert needed == pytest.approx(2 * 19.34 * dt / 500, rel=1e-2) and needed > 1.5 * alone
    none, micrometre, enough = example.main(dt)
    assert none[1] < 1 > micrometre[1]
    assert (enough[0], enough[1]) == (-needed, 1)
    law = PenaltyLaw(kp=500.0, kv=250.0, epsilon=-0.7 * needed)
    run = run_with_held_force(
        example.BOX, law, example.START, dt, round(1.5 / dt), load=example.load, delay=1
    )
    assert run.touching[run.times > example.LANDING].min() < 4
    after = enough[2].times > example.LANDING
    settled, jumpy = (run.forces[after][:, :, 2] for run in (enough[2], none[2]))
    # Weight and load, shared by the lever of 30 mm in 100: (m g + 100 +- 20)(1 +- 0.3)/4.
    assert settled.min() > (196 + 80) * 0.7 / 4 > 0 == jumpy.min()
    assert settled.max() < (197 + 120) * 1.3 / 4


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
    lever = law[1] * 0.5 * 0.15 / (G * 0.1)  # kv v h/(g a), see docs/penalty.md
    assert penalty.peak > 0.99 * 40 * G / 2 * (1 + lever)
