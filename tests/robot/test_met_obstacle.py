"""A fall after a swing foot met something names the keys that take it over."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from robot.summaries.met_obstacle import BEFORE, met_before_fall


def told(*events, fell_at=4.5, step_over=True):
    """Return the sentence for events (time, kind, height) and a fall; None: it stands."""
    fall = {"fell": fell_at is not None, "time": fell_at, "reason": "it fell"}
    scenario = {"gait": {"lift": 0.06}, "plan": {"arrive": 0.9, "step_over": step_over}}
    kept = [{"time": t, "kind": kind, "step": 2, "place": (0.79, 0.1, z)} for t, kind, z in events]
    run = SimpleNamespace(header={"fall": fall, "events": kept, "scenario": scenario})
    return met_before_fall(run)


LANDED, MET = (3.1, "landed", 0.0), (3.5, "early", 0.057)


@pytest.mark.parametrize("kind", ["early", "met"])
def test_it_names_what_the_foot_met_and_both_keys(kind):
    text = told(LANDED, (3.5, kind, 0.057), (3.56, "early", 0.2))
    assert "met something at least 5.7 cm high at x = 0.79 m" in text  # not what followed
    assert "step_over" not in text
    assert "[plan] step_over = true" in told(LANDED, (3.5, kind, 0.057), step_over=False)
    for part in ("[gait] lift", "--lift", "0.06 m", "[plan] arrive", "0.9"):
        assert part in text


@pytest.mark.parametrize(
    ("events", "fell_at"),
    [
        ((LANDED, MET), None),  # it stands
        ((LANDED, MET), 3.5 + BEFORE + 0.1),  # long ago
        ((LANDED, MET), 3.4),  # afterwards
        ((LANDED, (3.5, "early", 0.005)), 4.0),  # level ground
        ((LANDED, (3.5, "late", 0.05)), 4.0),
        (((3.1, "landed", 0.05), MET), 4.0),  # of stairs
        ((), 4.0),
    ],
)
def test_it_is_silent_about_other_falls(events, fell_at):
    assert told(*events, fell_at=fell_at) == ""


def test_a_fixed_plan_has_no_events():
    fall = {"fell": True, "time": 1.0, "reason": "it fell"}
    assert met_before_fall(SimpleNamespace(header={"fall": fall})) == ""
