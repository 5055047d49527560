"""Each criterion of the penalty paper's claims on its walk turns when the model is spoilt.

Figures 11 to 13 are of real walks, with a time step five times as long. Pairs of walks, for epsilon
and for the cause of false impacts, are judged on stand-ins: counts of lift-offs are given.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from sabotage import Sabotage, none_missing, staged, turn

from robot.papers.claims.rengifo_walk import RENGIFO_WALK_CLAIMS
from robot.papers.experiments import vertex_ensemble, vertex_walk
from robot.papers.experiments.epsilon_walks import epsilon_cases, epsilon_numbers
from robot.papers.experiments.lost_contacts import LiftOffs
from robot.papers.experiments.vertex_walk import VertexCase
from robot.walk import replace_values
from sole.claims import UNDECIDED, Effort

pytestmark = pytest.mark.long

CLAIMS = {claim.name: claim for claim in RENGIFO_WALK_CLAIMS}


def walking(**keys):
    """Return a spoil: the scenario of the walk has these keys."""
    return lambda patch: patch.setattr(
        vertex_walk, "SCENARIO", replace_values(vertex_walk.SCENARIO, **keys)
    )


def cases(**fields):
    """Return a spoil: the walk is another case."""
    walk = vertex_walk.walk_on_vertices
    return lambda patch: patch.setattr(
        vertex_ensemble,
        "walk_on_vertices",
        lambda case, tell: walk(replace(case, dt=1e-3, **fields), tell),
    )


SLIDES, DRAGS = cases(friction=0.02), cases(lift=1e-3)
SINKS = walking(contact={"kp": 5.0})
SABOTAGES = (
    Sabotage(claim="five_steps", number="swings", spoil=walking(gait={"steps": 5})),
    Sabotage(claim="five_steps", number="fell", spoil=SLIDES),
    Sabotage(claim="fig11", number="top", spoil=cases(lift=0.105)),
    Sabotage(claim="fig11", number="scuff", spoil=DRAGS),
    Sabotage(claim="fig11", number="fell", spoil=SLIDES),
    Sabotage(claim="fig12", number="stance_height_99", spoil=SINKS),
    Sabotage(claim="fig12", number="stance_height", spoil=walking(contact={"kv": 60.0})),
    Sabotage(claim="fig12", number="fell", spoil=SLIDES),
    Sabotage(claim="fig13", number="lifts", spoil=cases(contact="rigid")),
    Sabotage(claim="fig13", number="within_500", spoil=walking(contact={"kv": 10.0})),
)
LIFTS = LiftOffs(
    lifts=200, bounces=150, pulls=30, slips=19, least_squares=1, flights=600, median=0.01,
    longest=0.05, full=0.8, deepest=1e-4, peak=400.0, within=1.0, mean=1.0, fell=0, bits="",
)  # fmt: skip


@cache
def numbers(spoil=None):
    """Return the findings of the walk on a spoilt model; None: as it is, but for the time step."""
    with pytest.MonkeyPatch.context() as patch:
        cases()(patch)
        if spoil is not None:
            spoil(patch)
        return vertex_ensemble.walk_of_figures(Effort()).numbers


@pytest.mark.slow
@pytest.mark.parametrize("sabotage", staged(SABOTAGES, ()))
def test_a_spoilt_model_turns_the_criterion(sabotage):
    turn(CLAIMS[sabotage.claim], sabotage, numbers(), numbers(sabotage.spoil))


def of_epsilon(lifts=0.75, flights=0.7, distinct=11):
    """Return the findings of pairs: lift-offs and flights at 1 um over those at 0."""
    counts = {}
    for k, case in enumerate(epsilon_cases(quick=False)):
        n = k // 4 % distinct
        share, fly = (1.0, 1.0) if case.epsilon == 0 else (lifts, flights)
        spread = 1 + (n - 5) / 50 * (case.epsilon != 0)
        counts[case] = LIFTS._replace(
            lifts=round(200 * share * spread),
            flights=round(600 * fly * spread),
            bits=f"{case.epsilon} {n}",
        )
    return epsilon_numbers(counts)


def of_causes(cut=0.25, fitted=1.0, walks=6):
    """Return the findings of walks: share of lift-offs after cut forces, and left when fitted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            vertex_ensemble,
            "count_walks",
            lambda cases, tell: {
                case: LIFTS._replace(
                    lifts=round((200 + k // 2 % walks) * (fitted if case.fitted else 1.0)),
                    pulls=round(200 * cut),
                    slips=0,
                    bits=f"{case.fitted} {k // 2 % walks}",
                )
                for k, case in enumerate(cases)
            },
        )
        return vertex_ensemble.isolate_causes(Effort(quick=False)).numbers


STAND_INS = (
    ("fig14", "lifts_high_1", of_epsilon, {"lifts": 0.99}),
    ("fig14", "flights_high_1", of_epsilon, {"flights": 0.99}),
    ("false_impact_cause", "cut_share", of_causes, {"cut": 0.9}),
    ("false_impact_cause", "fitted_high", of_causes, {"fitted": 0.4}),
)


@pytest.mark.parametrize(
    ("name", "number", "findings", "spoilt"), STAND_INS, ids=lambda v: v if type(v) is str else ""
)
def test_other_pairs_turn_the_criterion(name, number, findings, spoilt):
    sabotage = Sabotage(claim=name, number=number, spoil=lambda patch: None)
    turn(CLAIMS[name], sabotage, findings(), findings(**spoilt))


def test_copies_decide_nothing():
    found = of_epsilon(distinct=7)
    assert (found["walked"], found["distinct_1"]) == (44, 7)
    assert CLAIMS["fig14"].verdict(found) == UNDECIDED
    assert CLAIMS["false_impact_cause"].verdict(of_causes(walks=4)) == UNDECIDED


@pytest.mark.slow
@pytest.mark.nightly
def test_a_hundred_micrometres_keep_vertices_down():
    """One pair of real walks: fewer flights with epsilon than without."""
    flights = [
        vertex_ensemble.count_lift_offs(
            vertex_walk.walk_on_vertices(VertexCase(dt=1e-3, epsilon=epsilon))
        ).flights
        for epsilon in (-1e-4, 0.0)
    ]
    assert flights[0] < flights[1]


def test_every_criterion_has_its_sabotage():
    stand_ins = [
        Sabotage(claim=name, number=number, spoil=lambda patch: None)
        for name, number, _, _ in STAND_INS
    ]
    none_missing(list(CLAIMS.values()), [*SABOTAGES, *stand_ins])
