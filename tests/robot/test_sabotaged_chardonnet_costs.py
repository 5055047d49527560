"""Each criterion on what contacts cost, and on six numbers for a foot, turns on a spoilt model.

Times are those of a stand-in clock: nothing here depends on how busy the machine is.
"""

from __future__ import annotations

from functools import cache

import pytest
from sabotage import Sabotage, none_missing, turn

from contact.papers.experiments import six_numbers
from contact.per_body import SlippingFoot
from robot.papers.claims.chardonnet_robot import CHARDONNET_ROBOT_CLAIMS
from robot.papers.experiments import cost_of_contacts
from sole.claims import Effort

NAMES = ("complexity", "forces_per_body")
CLAIMS = {c.name: c for c in CHARDONNET_ROBOT_CLAIMS if c.name in NAMES}
MU, SLIDES = six_numbers.MU, six_numbers.SLIDES


def clock(over_n=1, over_m=1, square=2.0):
    """Return a spoil: W takes n^over_n m^over_m [us], and a sweep a tenth of m^square."""

    def spoil(patch):
        patch.setattr(
            cost_of_contacts,
            "_points_time",
            lambda chain, G, repeats, calls: (
                chain.n**over_n * (1 if G is None else len(G) / 3) ** over_m
            ),
        )
        patch.setattr(
            cost_of_contacts,
            "sweep_time",
            lambda problem, start, repeats: 0.1 * len(problem.friction) ** square,
        )

    return spoil


def timed(six, nodal):
    """Return a spoil: a step takes `six` s in six numbers and `nodal` s by nodes."""

    def spoil(patch):
        def told(call, repeats):
            return six if call.func.__name__ == "step" else nodal

        patch.setattr(six_numbers, "_least", told)

    return spoil


def slippery(patch):
    """Six numbers take a tenth more friction than the nodes have."""
    patch.setattr(six_numbers, "SlippingFoot", lambda sole, mu: SlippingFoot(sole, 1.1 * mu))


def at_rest(patch):
    """The foot hardly moves, so its nodes stick."""
    slow = tuple((tuple(1e-9 * v for v in slide), grows) for slide, grows in SLIDES)
    patch.setattr(six_numbers, "SLIDES", slow)


HEALTHY = {"complexity": clock(), "forces_per_body": timed(1.0, 7.0)}
SABOTAGES = (
    Sabotage(claim="complexity", number="over_n", spoil=clock(over_n=2)),
    Sabotage(claim="complexity", number="over_m", spoil=clock(square=3)),
    Sabotage(claim="forces_per_body", number="usable", spoil=at_rest),
    Sabotage(claim="forces_per_body", number="error", spoil=slippery),
    Sabotage(claim="forces_per_body", number="fine_ratio", spoil=timed(10.0, 7.0)),
)


def numbers(name, spoil):
    with pytest.MonkeyPatch.context() as patch:
        HEALTHY[name](patch)
        spoil(patch)
        return CLAIMS[name].experiment.run(Effort()).numbers


@cache
def healthy(name):
    return numbers(name, lambda patch: None)


@pytest.mark.parametrize("sabotage", SABOTAGES, ids=str)
def test_a_spoilt_model_turns_the_criterion(sabotage):
    spoilt = numbers(sabotage.claim, sabotage.spoil)
    turn(CLAIMS[sabotage.claim], sabotage, healthy(sabotage.claim), spoilt)


def test_every_criterion_has_its_sabotage():
    none_missing(list(CLAIMS.values()), SABOTAGES)
