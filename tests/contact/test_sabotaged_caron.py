"""Each criterion of the wrench cone's claims on wrenches alone turns on a spoilt model."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from sabotage import Sabotage, none_missing, staged, turn

from contact.papers.claims.caron_cone import CARON_CONE_CLAIMS
from contact.papers.experiments import cone_validation
from contact.papers.experiments.cone_validation import held_by_rows, vertex_yaw_range
from contact.wrench_cone import WrenchCone, rectangle_holds_wrench, rectangle_yaw_torque
from sole.claims import UNDECIDED, Effort, Experiment

JUDGED = [claim for claim in CARON_CONE_CLAIMS if claim.criteria]
CLAIMS = {claim.name: claim for claim in JUDGED}
PROGRAMME, MARGIN = cone_validation.lp_margin, WrenchCone.margin


def slippery(w, points, frames, mu, cone, **rest):
    """Vertices hold one per cent less by friction than the field."""
    return PROGRAMME(w, points, frames, 0.99 * mu, cone, **rest)


def without(*components):
    """Return a spoil: these components of a wrench do not reach the ground."""
    kept = np.ones(6)
    kept[list(components)] = 0.0
    return lambda patch: patch.setattr(
        cone_validation, "vertex_yaw_range", lambda w: vertex_yaw_range(kept * w)
    )


def put(name, value):
    """Return a spoil: the experiment calls `value` for `name`."""
    return lambda patch: patch.setattr(cone_validation, name, value)


SABOTAGES = (
    Sabotage(claim="vertices_suffice", number="fields_held", spoil=put("lp_margin", slippery)),
    Sabotage(
        claim="closed_form",
        number="mismatches",
        spoil=put(
            "rectangle_holds_wrench",
            lambda w, X, Y, mu: rectangle_holds_wrench(w, X, Y * (1 + 4e-6), mu),
        ),
    ),
    Sabotage(
        claim="closed_form",
        number="error",
        spoil=lambda patch: patch.setattr(
            WrenchCone, "margin", lambda cone, w: MARGIN(cone, w * [1, 1, 1, 1, 1, 1 + 1e-6])
        ),
    ),
    Sabotage(
        claim="safe_yaw",
        number="middle_error",
        spoil=put(
            "rectangle_yaw_torque", lambda w, X, Y, mu: rectangle_yaw_torque(w, X, Y, 1.001 * mu)
        ),
    ),
    Sabotage(claim="safe_yaw", number="sheared", spoil=without(0, 1)),
    Sabotage(claim="safe_yaw", number="tilted", spoil=without(3, 4)),
    Sabotage(claim="safe_yaw", number="corner", spoil=without(3)),
    Sabotage(
        claim="faster",
        number="times_slower",
        spoil=put(
            "held_by_rows", lambda cone, one: all(held_by_rows(cone, one) for _ in range(3000))
        ),
    ),
)


@cache
def healthy(experiment: Experiment):
    return experiment.run(Effort()).numbers


# The others are further numbers; the times of "faster" are for a quiet machine.
IN_CI = {"vertices_suffice-fields_held", "safe_yaw-corner"}


@pytest.mark.parametrize("sabotage", staged(SABOTAGES, IN_CI))
def test_a_spoilt_model_turns_the_criterion(sabotage, monkeypatch):
    claim = CLAIMS[sabotage.claim]
    whole = healthy(claim.experiment)
    sabotage.spoil(monkeypatch)
    turn(claim, sabotage, whole, claim.experiment.run(Effort()).numbers)


def test_a_facet_that_no_wrench_is_beside_decides_nothing():
    claim = CLAIMS["closed_form"]
    numbers = dict(healthy(claim.experiment)) | {"least_hits": 0.0}
    assert claim.verdict(numbers) == UNDECIDED


def test_every_criterion_has_its_sabotage():
    none_missing(JUDGED, SABOTAGES)
