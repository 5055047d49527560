"""The motions of the wrench cone's paper: verdicts, and the same postures as the file."""

from __future__ import annotations

from math import degrees
from pathlib import Path

import pytest

from robot.papers.claims.caron_motion import CARON_MOTION_CLAIMS
from robot.papers.experiments.retimed_postures import (
    POSTURES,
    reproduce_inversion,
    reproduce_retiming,
    reproduce_stability,
)
from robot.papers.experiments.slippery_turn import SLIPPERY, reproduce_yaw_law, slippery_draws
from robot.walk import load_scenario
from sole.claims import NO_VERDICT, REPRODUCED, UNDECIDED, Effort

EXAMPLES = Path(__file__).parents[2] / "examples" / "retiming"
CLAIMS = {claim.name: claim for claim in CARON_MOTION_CLAIMS}


@pytest.mark.parametrize(
    ("experiment", "names", "verdict"),
    [
        (reproduce_retiming, ("fig3",), REPRODUCED),
        (reproduce_inversion, ("inverse_dynamics", "single_inversion"), NO_VERDICT),
        (reproduce_stability, ("weak_stability",), NO_VERDICT),
    ],
)
def test_verdicts_without_simulation(experiment, names, verdict):
    found = experiment(Effort(quick=True))
    for name in names:
        assert CLAIMS[name].experiment.at.endswith(experiment.__name__)
        assert CLAIMS[name].verdict(found.numbers) == verdict
        assert CLAIMS[name].told(found.numbers)
    if experiment is reproduce_inversion:
        assert found.numbers["error"] < 1e-12
    for draw in found.pictures.values():
        assert len(draw().axes) == 12


@pytest.mark.nightly
@pytest.mark.slow
def test_two_pairs_of_the_yaw_law_decide_nothing():
    found = reproduce_yaw_law(Effort(quick=True))
    assert CLAIMS["safe_yaw_law"].verdict(found.numbers) == UNDECIDED
    assert found.numbers["plan"] > 1.0 > found.numbers["ratio"]
    assert found.numbers["distinct"] == 2
    assert len(found.pictures["safe_yaw_law"]().axes) == 4


def test_draws_of_the_yaw_law_differ():
    draws = list(slippery_draws(14))
    assert len({(d.robot, d.sole, d.gait) for d in draws}) == 14
    assert list(slippery_draws(2)) == draws[:2]
    assert {d.robot for d in draws} == {"hrp2-like", "hrp4-like"}
    assert all(0.14 <= d.sole.friction <= 0.22 and 1e6 <= d.sole.young <= 1e7 for d in draws)


def test_the_examples_hold_the_same_motions():
    postures = load_scenario(EXAMPLES / "eleven_postures.toml").gait.posture
    for ours, theirs in zip(POSTURES, postures, strict=True):
        assert ours.com == theirs.com
        given = {name: round(degrees(a), 2) for name, a in theirs.joints.items()}
        assert {name: round(degrees(a), 2) for name, a in ours.joints.items()} == given
    slippery = load_scenario(EXAMPLES / "slippery_turn.toml")
    assert slippery.gait == SLIPPERY.gait
    assert slippery.sole == SLIPPERY.sole
    assert slippery.control.yaw == "safe"
