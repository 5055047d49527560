"""The examples of linearised penalty contact and of the laws beside it."""

from __future__ import annotations

import numpy as np
import pytest
from example_scripts import load

from contact.papers.penalty import restitution


def test_bouncing_ball():
    """Figures 4 and 5: penetration, plateaux and when the ball surfaces; 1e-9 m of closed form."""
    falls = load("bouncing_ball").main(steps=500)
    assert [fall.style for fall in falls] == ["--", "-", ":"]
    assert all(fall.error < 1e-9 for fall in falls)
    for fall in falls:
        assert 1e3 * fall.exact.height.min() == pytest.approx(-0.8859, abs=1e-4)
    late = [np.interp(0.5, fall.times, fall.exact.force) for fall in falls]
    np.testing.assert_allclose(late, [9.81, 9.8109, 9.8144], atol=1e-4)
    # Flights of 0.2 and 0.4 ms: no force, then m g and the blow m kv (e u).
    for fall in falls[1:]:
        again = (fall.times > fall.surfaces) & (fall.times < fall.surfaces + 1e-3)
        e, u = restitution(fall.law), (2 * 9.81) ** 0.5
        assert fall.exact.force[again].min() == 0
        # Sampled 1e-9 s beside, where the blow decays at the rate kv.
        want = 9.81 + 5000 * e * u
        assert fall.exact.force[again].max() == pytest.approx(want, abs=2e-9 * 5000 * want)
    np.testing.assert_allclose([f.surfaces for f in falls], [np.inf, 2.0257, 1.1571], atol=5e-5)


def test_bouncing_restitution():
    """Six decades of kp/kv^2, any mass and speed: what is measured is the formula."""
    module = load("bouncing_restitution")
    rows = module.main(points=4, speeds=(1.0,))
    assert len(rows) == 4 * 2 * 3
    ratios = [r.ratio for r in rows]
    assert max(ratios) / min(ratios) == pytest.approx(1e6)
    assert max(r.error for r in rows) < 1e-9
    e = [r.exact for r in rows]
    assert min(e) == pytest.approx(0.01, rel=0.01) and 0.9 < max(e) < 1


def test_brick_on_ramp():
    runs = load("brick_on_ramp").main(steps=60)
    for run in runs:
        assert run.way_error < 1e-9 and run.velocity_error < 1e-9
        assert run.threshold == pytest.approx(run.brick.threshold, rel=1e-9)
        assert run.brick.stops
    stiffest = runs[-1]
    assert stiffest.exact.force[-1] == pytest.approx(stiffest.brick.stick_force, rel=1e-9)
    assert [r.brick.stop_way for r in runs] == sorted(
        (r.brick.stop_way for r in runs), reverse=True
    )


def test_classical_laws():
    """The paper's three complaints, as numbers."""
    rows = load("classical_laws").main(steps=400)
    spring, spring_cut, smooth, smooth_cut, ours = rows.values()
    assert spring.bounce.force.min() < -10  # sticks before separation
    assert smooth.bounce.force.min() >= 0  # Hunt and Crossley do not ...
    assert spring.torn.force.min() < -10
    assert smooth.torn.force.min() < -1  # ... unless pulled
    for row in (spring_cut, smooth_cut, ours):
        assert row.bounce.force.min() == 0 == row.torn.force.min()
    for row in (spring, spring_cut, smooth, smooth_cut):
        assert np.abs(row.bounce.height - row.heavy.height).max() > 0.01  # tied to the mass
    np.testing.assert_allclose(ours.bounce.height, ours.heavy.height, rtol=0, atol=1e-10)
