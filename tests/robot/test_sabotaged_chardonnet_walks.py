"""Each criterion of the claims on walks with plain PD turns on a spoilt model: real walks."""

from __future__ import annotations

import warnings
from functools import cache, partial

import pytest
from sabotage import Sabotage, none_missing, staged, turn

from robot.papers.claims.chardonnet_robot import CHARDONNET_ROBOT_CLAIMS
from robot.papers.experiments import soles_of_figure5
from robot.papers.experiments.soles_of_figure5 import walk_with_plain_pd
from robot.walk import Scenario, SoleChoice
from sole.base.errors import LinearRangeWarning
from sole.claims import Effort

CLAIMS = {c.name: c for c in CHARDONNET_ROBOT_CLAIMS if c.name in ("fig4", "too_soft")}


def made_of(young):
    """Return a spoil: every sole has this modulus [Pa], whatever is asked for."""
    return lambda patch: patch.setattr(
        soles_of_figure5, "SoleChoice", lambda **asked: SoleChoice(young=young)
    )


def hasty(patch):
    """Contacts are solved to a hundredth."""
    patch.setattr(soles_of_figure5, "Scenario", partial(Scenario, tolerance=1e-2))


FIRM, SOFT = made_of(1e7), made_of(1e5)
SABOTAGES = (
    Sabotage(claim="fig4", number="firm_fell", spoil=SOFT),
    Sabotage(claim="fig4", number="firm_way", spoil=SOFT),
    Sabotage(claim="fig4", number="firm_residual", spoil=hasty),
    Sabotage(claim="too_soft", number="soft_fell", spoil=FIRM),
    Sabotage(claim="too_soft", number="firm_fell", spoil=SOFT),
)


@cache
def numbers(spoil=None):
    """Return the findings on a spoilt model; None: as it is."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore", LinearRangeWarning)
        if spoil is not None:
            spoil(patch)
        return walk_with_plain_pd(Effort()).numbers


@pytest.mark.slow
@pytest.mark.parametrize("sabotage", staged(SABOTAGES, ()))
def test_a_spoilt_model_turns_the_criterion(sabotage):
    turn(CLAIMS[sabotage.claim], sabotage, numbers(), numbers(sabotage.spoil))


def test_every_criterion_has_its_sabotage():
    none_missing(list(CLAIMS.values()), SABOTAGES)
