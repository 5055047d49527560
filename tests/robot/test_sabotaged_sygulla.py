"""Each criterion of LOLA's claims on walks turns when the model is spoilt.

Feet in task space, the phase logic and the dynamics of the centre of mass are walked. Claims on
twenty pairs of walks are judged on stand-ins here: pairs whose changes scatter about given medians.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sabotage import Sabotage, none_missing, turn

from robot.control.contact_model import ContactModel
from robot.online import stepping
from robot.papers.claims.sygulla_control import SYGULLA_CONTROL_CLAIMS
from robot.papers.experiments import lola_walks
from robot.papers.experiments.feet_in_task_space import follow_wrenches_in_task_space
from robot.papers.experiments.lola_walks import EdgeWalk, measured, walk_over
from robot.papers.experiments.obstacle_and_drop import SIMULATED, board, without
from robot.papers.experiments.paired_walks import compared
from sole.base.errors import LinearRangeWarning
from sole.claims import UNDECIDED, Effort

pytestmark = pytest.mark.long

JUDGED = [claim for claim in SYGULLA_CONTROL_CLAIMS if claim.criteria]
CLAIMS = {claim.name: claim for claim in JUDGED}
WALK = EdgeWalk(
    fell=False, tilt=2.0, roll=1.0, pitch=2.0, mean_tilt=1.0, halved=0.5, com_torque_x=8.0,
    com_torque_y=16.0, alone=0.1, event=4.0, pressed=0.1, landing=1.5, speed=0.4, strain=0.1,
    again=0, gave_up=0, bits="0",
)  # fmt: skip
PAIRS, SCATTER = 20, 10.0  # %: changes scatter evenly so far about their median
EXACT = ContactModel.inverses


def inverses(factor):
    """Return a spoil: the force law takes feet for 1/factor times as stiff as they are."""
    return lambda patch: patch.setattr(
        ContactModel, "inverses", lambda self, on: factor * EXACT(self, on)
    )


FEET = (
    Sabotage(claim="task_space_control", number="fell", spoil=inverses(-0.5)),
    *(
        Sabotage(claim="task_space_control", number=number, spoil=inverses(0.05))
        for number in ("force_share", "roll_share", "pitch_share")
    ),
)
UNHEEDED = Sabotage(  # a contact before its time does not end the swing
    claim="phase_reset",
    number="pressed",
    spoil=lambda patch: patch.setattr(stepping, "EARLY", 10.0),
)
PUSHED = Sabotage(claim="com_dynamics", number="alone_high", spoil=lambda patch: None, mends=True)
# claim, prefix of its numbers, median changes [%] that reproduce it; then for each criterion the
# change that turns it
STAND_INS = (
    (
        "fig6",
        "",
        {"tilt": -30, "com_torque_x": -21, "com_torque_y": -31},
        {
            "tilt_high": {"tilt": 10},
            "com_torque_x_high": {"com_torque_x": 10},
            "com_torque_y_high": {"com_torque_y": 10},
            "com_torque_x_change": {"com_torque_x": -11},
            "com_torque_y_change": {"com_torque_y": -21},
        },
    ),
    *(
        (
            name,
            "",
            {"pitch": -63, "halved": -20},
            {
                "pitch_high": {"pitch": 10},
                "halved_high": {"halved": 10},
                "pitch_change": {"pitch": -40},
            },
        )
        for name in ("fig7", "fig7_with_phases")
    ),
    (
        "obstacle_4_cm",
        "obstacle_",
        {"tilt": 0, "com_torque_x": -7, "com_torque_y": -9},
        {
            "obstacle_com_torque_x_high": {"com_torque_x": 5},
            "obstacle_com_torque_y_high": {"com_torque_y": 5},
            "obstacle_com_torque_x_change": {"com_torque_x": -20},
            "obstacle_com_torque_y_change": {"com_torque_y": -20},
            "obstacle_tilt_low": {"tilt": -15},
            "obstacle_tilt_high": {"tilt": 15},
        },
    ),
    (
        "same_on_flat_ground",
        "flat_",
        {"tilt": 0, "com_torque_x": 0, "com_torque_y": 0},
        {
            f"flat_{name}_{end}": {name: sign * 15}
            for name in ("tilt", "com_torque_x", "com_torque_y")
            for end, sign in (("low", -1), ("high", 1))
        },
    ),
)


def pairs_of(changes, prefix):
    """Return the findings of pairs whose changes scatter about these medians [%]."""
    before = [replace(WALK, bits=f"a{k}") for k in range(PAIRS)]
    scatter = np.linspace(-SCATTER, SCATTER, PAIRS)
    after = []
    for k, apart in enumerate(scatter):
        share = {name: 1 + (median + apart) / 100 for name, median in changes.items()}
        values = {name: getattr(WALK, name) * s for name, s in share.items()}
        after.append(replace(WALK, bits=f"b{k}", **values))
    found = {**compared(before, after), "heard": PAIRS, "pressed": 0.1}
    return {f"{prefix}{key}": value for key, value in found.items()}


@pytest.mark.parametrize(
    ("name", "prefix", "medians", "number", "spoilt"),
    [(*case[:3], number, spoilt) for case in STAND_INS for number, spoilt in case[3].items()],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_pairs_turn_the_criterion(name, prefix, medians, number, spoilt):
    turn(
        CLAIMS[name],
        Sabotage(claim=name, number=number, spoil=lambda patch: None),
        pairs_of(medians, prefix),
        pairs_of(medians | spoilt, prefix),
    )


@pytest.mark.parametrize("name", ["fig6", "fig7", "fig7_with_phases"])
def test_copies_decide_nothing(name):
    pairs = [replace(WALK, bits="a")] * PAIRS, [replace(WALK, tilt=1.0, bits="b")] * PAIRS
    assert CLAIMS[name].verdict(compared(*pairs)) == UNDECIDED


@cache
def over_an_obstacle():
    return follow_wrenches_in_task_space(Effort()).numbers


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("sabotage", FEET, ids=str)
def test_another_stiffness_turns_the_criterion(sabotage, monkeypatch):
    whole = over_an_obstacle()
    sabotage.spoil(monkeypatch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinearRangeWarning)
        spoilt = follow_wrenches_in_task_space(Effort()).numbers
    turn(CLAIMS[sabotage.claim], sabotage, whole, spoilt)


@pytest.mark.slow
def test_a_swing_that_goes_on_presses_the_foot_into_the_board(monkeypatch):
    (case,) = board(SIMULATED, 1)
    whole = measured(walk_over(case)).pressed
    UNHEEDED.spoil(monkeypatch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinearRangeWarning)
        spoilt = measured(walk_over(case)).pressed
    turn(CLAIMS["phase_reset"], UNHEEDED, {"pressed": whole}, {"pressed": spoilt})


def pushed(walk):
    """Turn the sign of (19): the centre of mass is accelerated away from the wanted force."""
    law = walk.controller.inner
    law.limits = law.limits._replace(g_a=-law.limits.g_a)
    return walk


@pytest.mark.slow
@pytest.mark.nightly
def test_the_sign_of_the_dynamics_of_the_centre_of_mass_decides(monkeypatch):
    """Forces err more with (19) than without, and less than with its sign turned.

    One walk of each, as if all pairs were alike. The one with the wrong sign falls; it counts until
    then.
    """
    (off,), (on,) = board(without(SIMULATED), 1), board(SIMULATED, 1)
    before, after = measured(walk_over(off)), measured(walk_over(on))
    assemble = lola_walks.assemble_walk
    monkeypatch.setattr(lola_walks, "assemble_walk", lambda s: pushed(assemble(s)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinearRangeWarning)
        wrong = replace(measured(walk_over(on)), fell=False)
    found = [
        compared(*([replace(w, bits=f"{k}") for k in range(PAIRS)] for w in (first, after)))
        for first in (before, wrong)
    ]
    turn(CLAIMS["com_dynamics"], PUSHED, *found)


def test_every_criterion_has_its_sabotage():
    stand_ins = [
        Sabotage(claim=name, number=number, spoil=lambda patch: None)
        for name, _, _, numbers in STAND_INS
        for number in numbers
    ]
    none_missing(JUDGED, [*FEET, UNHEEDED, PUSHED, *stand_ins])
