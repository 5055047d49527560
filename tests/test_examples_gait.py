"""The examples of gaits."""

from __future__ import annotations

from example_scripts import load


def test_walk_plan():
    """A correction brings the ZMP of the body back under the middle of the foot."""
    plans, errors = load("walk_plan").main(count=2, corrections=(0, 1))
    assert [len(plan.schedule.footsteps.steps) for plan in plans] == [3, 3]
    assert errors[1].body < errors[0].body / 2
    assert errors[1].margin > 0.06
