"""The experiments of the penalty paper that need no robot."""

from __future__ import annotations

import numpy as np
import pytest

from contact.papers.experiments.box_vertices import reproduce_box, stand_and_drop
from contact.papers.experiments.falling_ball import drop_on_pairs, reproduce_ball
from contact.papers.experiments.foot_states import count_foot_states, touching_sets
from contact.papers.experiments.held_forces import (
    depth_rule,
    reproduce_held_forces,
    swing_load,
)
from contact.papers.experiments.measured_restitution import measure_restitution
from contact.papers.experiments.older_laws import compare_laws, reproduce_older_laws
from contact.papers.experiments.sliding_brick import reproduce_brick, slide_bricks
from contact.papers.penalty import PenaltyLaw, restitution
from sole.claims import Effort

G = 9.81


def test_bouncing_ball():
    """Figures 4 and 5: penetration, plateaux and when the ball surfaces; 1e-9 m of closed form."""
    falls = drop_on_pairs(steps=500)
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
    rows = measure_restitution(points=4, speeds=(1.0,))
    assert len(rows) == 4 * 2 * 3
    ratios = [r.ratio for r in rows]
    assert max(ratios) / min(ratios) == pytest.approx(1e6)
    assert max(r.error for r in rows) < 1e-9
    e = [r.exact for r in rows]
    assert min(e) == pytest.approx(0.01, rel=0.01) and 0.9 < max(e) < 1


def test_brick_on_ramp():
    runs = slide_bricks(steps=60)
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
    rows = compare_laws(steps=400)
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


@pytest.mark.nightly
def test_box_on_vertices():
    law = PenaltyLaw(kp=2000.0, kv=500.0, epsilon=-1e-5)
    rests, run, energy = stand_and_drop(law, end=0.1)
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
    dt = 1e-3
    # 2 s dt/kp for the fastest lift s: of the force alone it is swing omega/m.
    needed, alone = depth_rule(dt), 2 * 20 * 4 * np.pi / 20 * dt / 500
    assert needed == pytest.approx(2 * 19.34 * dt / 500, rel=1e-2) and needed > 1.5 * alone
    none, micrometre, enough = swing_load(dt)
    assert none[1] < 1 > micrometre[1]
    assert (enough[0], enough[1]) == (-needed, 1)
    (_, _, less), *_ = swing_load(dt, epsilons=(-0.7 * needed,))
    assert less.touching[less.times > 0.5].min() < 4
    after = enough[2].times > 0.5
    settled, jumpy = (run.forces[after][:, :, 2] for run in (enough[2], none[2]))
    # Weight and load, shared by the lever of 30 mm in 100: (m g + 100 +- 20)(1 +- 0.3)/4.
    assert settled.min() > (196 + 80) * 0.7 / 4 > 0 == jumpy.min()
    assert settled.max() < (197 + 120) * 1.3 / 4


def test_states_of_two_feet_by_enumeration():
    """Faces of a polygon of n corners: n vertices, n edges, itself, and none."""
    assert count_foot_states(Effort()).numbers == {
        "ways": 10, "vertices": 4, "edges": 4, "faces": 1, "impacts": 9,
        "states": 100, "events": 81, "stick_or_slide": 19, "friction_states": 361,
    }  # fmt: skip
    triangle = touching_sets(np.array([[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]]))
    assert len(triangle) == 2 * 3 + 2
    assert {len(way) for way in touching_sets()} == {0, 1, 2, 4}  # never three of a rectangle


def test_what_the_paper_says_of_a_ball():
    numbers = reproduce_ball(Effort()).numbers
    assert numbers["depth_falls_with_kv"] == pytest.approx(0.1)  # u/kv
    assert numbers["depth_falls_with_kp"] == pytest.approx(10**-0.5)  # u/sqrt(kp)
    assert numbers["blow_soft"] == pytest.approx(1 - np.exp(-100 * 1e-3), rel=1e-4)
    assert numbers["peak_heavy"] == pytest.approx(4)
    # (g + kv u)/(g + kv u_1) with u twice u_1 = sqrt(2 g 0.1)
    u = np.sqrt(2 * G * 0.1)
    assert numbers["peak_high"] == pytest.approx((G + 40 * u) / (G + 20 * u), rel=1e-6)
    assert numbers["lifts_meant"] == 0 < numbers["lifts_printed"]
    assert numbers["sunk"] == pytest.approx(1, abs=1e-6) and numbers["sunk_linearised"] < 1e-6
    assert numbers["blow_hard"] == pytest.approx(1, abs=1e-3) and numbers["rest_hard"] < 1e-6
    assert numbers["error"] < 1e-9


@pytest.mark.nightly
def test_what_the_paper_says_of_laws_and_bricks():
    laws = reproduce_older_laws(Effort()).numbers
    assert laws["hunt_jump"] < 1e-3 < 0.1 < laws["spring_jump"]
    assert laws["linearised_mass"] < 1e-6 and laws["spring_mass"] > 1
    brick = reproduce_brick(Effort()).numbers
    # (8) below -v_s: m g sin + m kv p', not yet at -mu m g cos.
    slope, grip = G * np.sin(np.radians(15)), 0.5 * G * np.cos(np.radians(15))
    assert brick["form_8"] == pytest.approx(slope - 1.5 * (grip - slope))
    assert brick["form_9"] == pytest.approx(-grip)
    assert brick["way_error"] < 1e-9 and brick["speed_end"] < 1e-6
    assert brick["held"] == pytest.approx(1, abs=1e-6)
    box = reproduce_box(Effort()).numbers
    assert box["rank"] == 6 and box["rest_error"] < 1e-9
    assert reproduce_held_forces(Effort()).numbers["lifts_known"] == 0
