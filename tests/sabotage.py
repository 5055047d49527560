"""Sabotages of models: one line each that must turn a criterion of a claim.

A table of `Sabotage` for each paper says how the model is spoilt, criterion by criterion. A number
must stay a number: an experiment that breaks down proves nothing about its criterion.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import pytest

from sole.claims import Claim, Criterion
from sole.claims.claim import SOURCES

Spoil = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True, kw_only=True)
class Sabotage:
    """How the model is spoilt so that a criterion turns.

    Parameters
    ----------
    claim, number : the claim's name and the criterion's number.
    spoil : changes the model by a MonkeyPatch.
    mends : the criterion does not hold as things are, and must hold on the changed model.
    """

    claim: str
    number: str
    spoil: Spoil
    mends: bool = False

    def __str__(self) -> str:
        return f"{self.claim}-{self.number}"


def staged(sabotages: Sequence[Sabotage], in_ci: Collection[str]) -> list[object]:
    """Return the sabotages as parameters: those not named in `in_ci` are left to the nightly stage.

    Names are as `str` of a sabotage gives them; each must be one.
    """
    known = {str(sabotage) for sabotage in sabotages}
    assert set(in_ci) <= known, f"no such sabotage: {set(in_ci) - known}"
    late = pytest.mark.nightly
    return [
        pytest.param(one, id=str(one), marks=() if str(one) in in_ci else late) for one in sabotages
    ]


def criteria_of(claim: Claim, number: str) -> tuple[Criterion, ...]:
    """Return the criteria of a claim on a number, of which there may be two (trend, figure)."""
    return tuple(c for c in claim.criteria if c.number == number)


def turn(
    claim: Claim, sabotage: Sabotage, whole: Mapping[str, float], spoilt: Mapping[str, float]
) -> None:
    """Assert that the criteria hold on `whole` numbers and fail on `spoilt` ones, or mended."""
    for criterion in criteria_of(claim, sabotage.number):
        assert not isnan(spoilt[sabotage.number]), f"{sabotage}: breaks down instead of failing"
        before, after = criterion.holds(whole), criterion.holds(spoilt)
        assert (before, after) == (not sabotage.mends, sabotage.mends), (
            f"{sabotage}: {criterion.told(whole)} became {criterion.told(spoilt)}"
        )


def none_missing(claims: Sequence[Claim], sabotages: Sequence[Sabotage]) -> None:
    """Assert that each criterion of `claims` has a sabotage, and says where its bounds are from."""
    wanted = {(claim.name, c.number) for claim in claims for c in claim.criteria}
    assert {(s.claim, s.number) for s in sabotages} == wanted
    for claim in claims:
        for c in claim.criteria:
            assert c.reason.startswith(SOURCES), f"{claim.key} {c.number}: whose bound is it?"
