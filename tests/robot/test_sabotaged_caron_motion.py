"""Each criterion of the wrench cone's claims on motions turns when the model is spoilt.

The pairs of walks of the yaw law are judged on stand-ins: turns, tilts and falls are given.
"""

from __future__ import annotations

from functools import cache, partial
from types import SimpleNamespace

import numpy as np
import pytest
from sabotage import Sabotage, none_missing, staged, turn

from robot.control.yaw_law import YawLaw
from robot.papers.claims.caron_motion import CARON_MOTION_CLAIMS
from robot.papers.experiments import retimed_postures, slippery_turn
from robot.papers.experiments.retimed_postures import (
    AS_PAPER,
    TIGHT,
    play_at_the_limit,
    reproduce_retiming,
    reproduce_speeds,
)
from robot.retime import DriveLimits, retime
from sole.claims import UNDECIDED, Effort

pytestmark = pytest.mark.long

CLAIMS = {claim.name: claim for claim in CARON_MOTION_CLAIMS if claim.criteria}
EXPERIMENTS = {
    "fig3": reproduce_retiming,
    "fig4": reproduce_speeds,
    "fig4_tight": play_at_the_limit,
}


def weak_drives(patch):
    """No joint may be accelerated by more than 0.5 rad/s^2."""
    slow = DriveLimits(acceleration=0.5)
    patch.setattr(retimed_postures, "retime", partial(retime, limits=slow))


def planned_for(name, choice, factors=None):
    """Return a spoil: the motion is planned within another cone, or played at other speeds."""

    def spoil(patch):
        patch.setattr(retimed_postures, name, choice)
        if factors is not None:
            play = retimed_postures.play_at_speeds
            patch.setattr(
                retimed_postures,
                "play_at_speeds",
                lambda c, asked: {a: play(c, (factors,))[factors] for a in asked},
            )

    return spoil


HASTY = planned_for("TIGHT", TIGHT, 0.85)
MENDED = planned_for("AS_PAPER", TIGHT)
SABOTAGES = (
    Sabotage(claim="fig3", number="contact_active", spoil=weak_drives),
    Sabotage(claim="fig4", number="surface_0", spoil=planned_for("AS_PAPER", TIGHT, 0.85)),
    Sabotage(claim="fig4", number="fell_0", spoil=planned_for("AS_PAPER", TIGHT, 0.85)),
    Sabotage(claim="fig4", number="fell_5", spoil=planned_for("AS_PAPER", TIGHT, 0.85)),
    Sabotage(claim="fig4", number="open_10", spoil=MENDED, mends=True),
    Sabotage(claim="fig4", number="fell_10", spoil=planned_for("AS_PAPER", TIGHT, 0.85)),
    Sabotage(claim="fig4", number="fell_15", spoil=MENDED, mends=True),
    Sabotage(claim="fig4_tight", number="surface_0", spoil=HASTY),
    Sabotage(claim="fig4_tight", number="fell_0", spoil=HASTY),
    Sabotage(claim="fig4_tight", number="open_5", spoil=planned_for("TIGHT", AS_PAPER)),
)


@cache
def numbers(claim, spoil=None):
    """Return the findings on a spoilt model; None: as it is."""
    retimed_postures._retimed.cache_clear()
    try:
        with pytest.MonkeyPatch.context() as patch:
            if spoil is not None:
                spoil(patch)
            return EXPERIMENTS[claim](Effort()).numbers
    finally:
        retimed_postures._retimed.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize("sabotage", staged(SABOTAGES, {"fig3-contact_active"}))
def test_a_spoilt_model_turns_the_criterion(sabotage):
    claim = sabotage.claim
    turn(CLAIMS[claim], sabotage, numbers(claim), numbers(claim, sabotage.spoil))


def walked(bits, yaw, tilt, fell=False):
    """A walk of the yaw law: turn of a foot and tilt of the waist [deg]."""
    run = SimpleNamespace(bits=bits)
    return SimpleNamespace(run=run, yaw=np.radians(yaw), tilt=np.radians(tilt), fell=fell)


def pairs_of(share=0.1, tilt=0.0, fall=0, distinct=14):
    """Return the findings of 14 pairs: turn with the law over that without, added tilt, falls."""
    pairs = []
    for k in range(14):
        n, spread = k % distinct, 1 + (k % distinct) / 50
        plan = walked(f"p{n}", 2.0, 0.3)
        safe = walked(f"s{n}", 2.0 * share * spread, 0.3 + tilt * spread, k < fall)
        pairs.append({"plan": plan, "safe": safe})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slippery_turn, "bits_of", lambda run: run.bits)
        return slippery_turn._compared(pairs)


@pytest.mark.parametrize(
    ("number", "spoilt"),
    [
        ("ratio_high", {"share": 0.6}),
        ("more_fall", {"fall": 1}),
        ("tilt_high", {"tilt": 0.2}),
    ],
)
def test_other_pairs_turn_the_criterion(number, spoilt):
    claim = CLAIMS["safe_yaw_law"]
    sabotage = Sabotage(claim=claim.name, number=number, spoil=lambda patch: None)
    turn(claim, sabotage, pairs_of(), pairs_of(**spoilt))


def test_copies_decide_nothing():
    found = pairs_of(distinct=9)
    assert (found["walked"], found["distinct"]) == (14, 9)
    assert CLAIMS["safe_yaw_law"].verdict(found) == UNDECIDED


@pytest.mark.slow
def test_a_law_with_the_wrong_sign_turns_the_foot(monkeypatch):
    """One pair: with the safe torque's sign turned the foot turns by more than half."""
    scenario = slippery_turn._coarse(slippery_turn.SLIPPERY)
    whole = slippery_turn.compare_yaw_laws(scenario)
    exact = YawLaw._difference
    monkeypatch.setattr(YawLaw, "_difference", lambda self, row: -exact(self, row))
    spoilt = slippery_turn.compare_yaw_laws(scenario)
    assert whole["safe"].yaw < 0.5 * whole["plan"].yaw < spoilt["safe"].yaw


def test_every_criterion_has_its_sabotage():
    stand_ins = [
        Sabotage(claim="safe_yaw_law", number=number, spoil=lambda patch: None)
        for number in ("ratio_high", "more_fall", "tilt_high")
    ]
    none_missing(list(CLAIMS.values()), [*SABOTAGES, *stand_ins])
