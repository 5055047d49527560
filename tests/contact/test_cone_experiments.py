"""The experiments of the wrench cone run with small parameters, and their numbers are checked."""

from __future__ import annotations

import numpy as np
import pytest

from contact.papers.experiments import cone_validation
from contact.papers.experiments.cone_validation import reproduce_cone, validate_cone
from contact.papers.experiments.yaw_bounds import play_faster
from sole.claims import Effort


def test_wrench_cone_validation() -> None:
    found = validate_cone(count=1600)
    assert (found.mismatches, found.undecided) == (0, 0)
    assert (found.hits == 50).all()
    assert 1000 < found.inside < 1400  # all of the first half, about half of the other
    assert found.smallest == pytest.approx(1e-6, rel=1e-6)  # so far from its facet each was put
    assert found.error < 1e-12


def test_a_wrong_cone_would_be_seen(monkeypatch) -> None:
    """A foot wider by two parts in a million is caught by the wrenches beside the facets."""
    exact = cone_validation.rectangle_holds_wrench
    monkeypatch.setattr(
        cone_validation,
        "rectangle_holds_wrench",
        lambda w, X, Y, mu: exact(w, X, Y * (1 + 4e-6), mu),
    )
    assert validate_cone(count=800).mismatches > 20


def test_yaw_torque() -> None:
    slow, faster, at_10, at_15 = play_faster(states=400)
    for motion in (slow, faster):
        assert motion.margin.min() > 0
        assert (motion.yaw.lowest < motion.wrenches[:, 5]).all()
        assert (motion.wrenches[:, 5] < motion.yaw.highest).all()
    assert 0 > at_10.margin.min() > at_15.margin.min() > -0.5
    assert at_10.words[at_10.margin.argmin()].startswith("yaw left")
    # At the end T (1 - p) the phase is that of the start again.
    assert at_15.times[-1] == pytest.approx(0.85 * slow.times[-1])
    assert np.abs(at_15.wrenches[0] - at_15.wrenches[-1]).max() < 1e-9


def test_fields_zmp_and_yaw(monkeypatch) -> None:
    monkeypatch.setattr(cone_validation, "validate_cone", lambda *_, **__: validate_cone(count=32))
    numbers = reproduce_cone(Effort()).numbers
    assert (numbers["fields_held"], numbers["zmp_mismatches"]) == (1, 0)
    # mu f (X + Y) at rest; a ZMP in the corner leaves one torque.
    assert numbers["half_width"] == pytest.approx(0.4 * 390 * (0.112 + 0.065))
    assert numbers["middle_error"] < 1e-6
    assert numbers["corner"] < 1e-6 and numbers["safe_corner"] != 0
    assert numbers["least_width"] < min(numbers["sheared"], numbers["tilted"]) < 1
