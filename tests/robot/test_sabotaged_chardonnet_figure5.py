"""Each criterion of figure 5's claims turns when soles act the other way round.

Walks are stand-ins: a formula that follows the paper, through the real study, tables and trends.
The verdicts are those of the page's 336 real walks.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from sabotage import Sabotage, none_missing, staged, turn

from robot.papers.claims.chardonnet_robot import CHARDONNET_ROBOT_CLAIMS
from robot.papers.experiments.figure5_file import numbers_of_file
from robot.papers.experiments.figure5_trends import trends_of_soles
from robot.papers.experiments.soles_of_figure5 import reproduce_figure5
from robot.studies.walk_rows import WalkRows
from sole.claims import REFUTED, REPRODUCED, UNDECIDED, Effort

CLAIMS = {c.name: c for c in CHARDONNET_ROBOT_CLAIMS if c.name.startswith("fig5")}
SETTINGS = {"fig5_flat": "pd_flat", "fig5_flat_stabiliser": "flat", "fig5_plate": "plate"}
POWERS = {  # of E; the inclination falls
    "landing_acceleration_100_hz": 0.2,
    "waist_acceleration_100_hz": 0.1,
    "impact_force": 0.3,
    "waist_tilt": -0.1,
}
MEASURES = dict(zip(("peak_low", "waist_low", "force_low", "tilt_high"), POWERS, strict=True))


def walked(turned=""):
    """Return a row of walks whose measures go as powers of E; one of them turned."""

    def row(rows, shared, case):
        E = case.settings["young"] / 1e6
        repeat = 1 + case.settings.get("start.x", 0.0) / 10
        powers = {m: -p if m == turned else p for m, p in POWERS.items()}
        found = {m: 0.1 * E**p * repeat for m, p in powers.items()}
        return found | {"fell": 0.0, "strain_p99": 0.01, "stance_margin": 0.1}

    return row


def spoil(measure):
    return lambda patch: patch.setattr(WalkRows, "row", walked(measure))


SABOTAGES = [
    Sabotage(claim=name, number=f"{setting}_{number}", spoil=spoil(measure))
    for name, setting in SETTINGS.items()
    for number, measure in MEASURES.items()
]


def numbers(measure=""):
    """Return the findings of the quick study on stand-ins."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WalkRows, "needs_sole", False)
        spoil(measure)(patch)
        return dict(reproduce_figure5(Effort()).numbers)


numbers = cache(numbers)


# A study each; the other settings are the same table in another column.
IN_CI = {"fig5_flat-pd_flat_peak_low", "fig5_plate-plate_peak_low"}


@pytest.mark.parametrize("sabotage", staged(SABOTAGES, IN_CI))
def test_a_sole_that_acts_the_other_way_round_turns_the_criterion(sabotage):
    (measure,) = [m for number, m in MEASURES.items() if sabotage.number.endswith(number)]
    turn(CLAIMS[sabotage.claim], sabotage, numbers(), numbers(measure))


def test_every_criterion_has_its_sabotage():
    none_missing(list(CLAIMS.values()), SABOTAGES)


def test_the_verdicts_of_the_page_are_those_of_its_walks(root):
    found = numbers_of_file(root / "docs" / "results" / "figure5.csv")
    assert {name: claim.verdict(found) for name, claim in CLAIMS.items()} == {
        "fig5_flat": UNDECIDED,
        "fig5_flat_stabiliser": REFUTED,
        "fig5_plate": REPRODUCED,
    }


def test_a_quick_study_decides_nothing():
    """It has one ratio nu, on which the interval of four soles holds little."""
    assert {claim.verdict(numbers()) for claim in CLAIMS.values()} == {UNDECIDED}


def test_copies_of_a_walk_count_once_and_narrow_no_interval():
    E = np.geomspace(1e6, 1e8, 4)
    once = 0.1 * E[:, None, None] + np.array([-1e6, 0.0, 1e6])  # (4, 1, 3)
    copied = np.concatenate([once[:, :, :1]] * 20 + [once], axis=2)
    on = np.ones((4, 1), dtype=bool)
    one, many = (trends_of_soles(E, {"peak": walks}, on) for walks in (once, copied))
    assert one["walks"] == many["walks"] == 12
    assert (one["peak_low"], one["peak_high"]) == (many["peak_low"], many["peak_high"])


def test_few_moduli_tell_no_trend():
    E = np.geomspace(1e6, 1e8, 4)
    on = np.array([[True], [True], [True], [False]])
    found = trends_of_soles(E, {"peak": E[:, None, None]}, on)
    assert found["moduli"] == 3 and np.isnan(found["peak"])
