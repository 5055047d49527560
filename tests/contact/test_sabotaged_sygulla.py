"""Each criterion of LOLA's claims on a foot alone turns when the model is spoilt."""

from __future__ import annotations

from functools import cache

import pytest
from sabotage import Sabotage, none_missing, staged, turn

from contact.papers.claims.sygulla_stiffness import SYGULLA_STIFFNESS_CLAIMS
from contact.papers.experiments import rolling_foot
from contact.papers.foundation import ForceLaw, WinklerFoundation, sole_U
from sole.claims import Effort, Experiment

JUDGED = [claim for claim in SYGULLA_STIFFNESS_CLAIMS if claim.criteria]
CLAIMS = {claim.name: claim for claim in JUDGED}
STUCK = WinklerFoundation.pressed


def bilateral(foot, x):
    """Springs that pull as well: nothing opens."""
    return STUCK(foot, x)._replace(U=foot.U, wrench=foot.U @ x)


def of_part(share):
    """Return a law that takes U for `share` of it."""
    exact = ForceLaw.of.__func__
    return classmethod(lambda cls, U, delta: exact(cls, share * U, delta))


SABOTAGES = (
    Sabotage(
        claim="closed_contacts",
        number="springs_edge",
        spoil=lambda patch: patch.setattr(WinklerFoundation, "pressed", bilateral),
    ),
    Sabotage(  # the whole foot's stiffness, whatever touches
        claim="closed_contacts",
        number="fem_edge",
        spoil=lambda patch: patch.setattr(rolling_foot, "pressed_U", lambda r: sole_U(r.sole)),
    ),
    Sabotage(  # the law takes the sole for a tenth softer than it is
        claim="force_law",
        number="pressed_error",
        spoil=lambda patch: patch.setattr(ForceLaw, "of", of_part(0.9)),
    ),
)


@cache
def healthy(experiment: Experiment):
    return experiment.run(Effort()).numbers


@pytest.mark.parametrize(
    "sabotage", staged(SABOTAGES, {"closed_contacts-fem_edge", "force_law-pressed_error"})
)
def test_a_spoilt_model_turns_the_criterion(sabotage, monkeypatch):
    claim = CLAIMS[sabotage.claim]
    whole = healthy(claim.experiment)
    sabotage.spoil(monkeypatch)
    turn(claim, sabotage, whole, claim.experiment.run(Effort()).numbers)


def test_every_criterion_has_its_sabotage():
    none_missing(JUDGED, SABOTAGES)
